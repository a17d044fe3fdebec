package main

import (
	"bytes"
	"context"
	"fmt"
	"image/png"
	"os"
	"path/filepath"
	"time"

	"github.com/chromedp/cdproto/emulation"
	"github.com/chromedp/chromedp"
)

// screen is one way to look at the page.
type screen struct {
	name          string
	theme         string
	width, height int64
	phone         bool
}

var screens = []screen{
	{"light", "light", 1280, 800, false},
	{"dark", "dark", 1280, 800, false},
	{"phone", "light", 360, 740, true},
}

// settled is an expression that is true when the view is drawn, and its pictures loaded.
const settled = `(() => {
	const view = document.querySelector('main > [data-view] > .stack');
	if (!view?.childElementCount || document.querySelector('.waiting')) return false;
	return [...document.images].filter((i) => i.getBoundingClientRect().top < innerHeight).every((i) => i.complete)
		&& document.fonts.status === 'loaded' && document.getElementById('live').dataset.state === 'open';
})()`

// shoot makes one screenshot of a place of the page.
func shoot(tab context.Context, url, place, language string, p picture) error {
	s := p.screen
	ctx, cancel := context.WithTimeout(tab, time.Minute)
	defer cancel()
	options := []chromedp.EmulateViewportOption{}
	if s.phone {
		options = append(options, chromedp.EmulateMobile)
	}
	if err := chromedp.Do(ctx, chromedp.EmulateViewport(s.width, s.height, options...), prefer(s.theme),
		chromedp.Navigate(url+"/static/icon.svg"), remember(language), chromedp.Navigate(url+"/#/"+place)); err != nil {
		return err
	}
	for {
		ready, err := chromedp.Run(ctx, chromedp.Evaluate[bool](settled))
		if err == nil && ready {
			break
		}
		if err := chromedp.Do(ctx, chromedp.Sleep(100*time.Millisecond)); err != nil {
			return err
		}
	}
	// What a view loads after it is drawn, such as the chat's newest messages.
	if err := chromedp.Do(ctx, chromedp.Sleep(500*time.Millisecond)); err != nil {
		return err
	}
	action := chromedp.CaptureScreenshot()
	if p.whole {
		action = chromedp.FullScreenshot(100)
	}
	shot, err := chromedp.Run(ctx, action)
	if err != nil {
		return err
	}
	if p.fewTones {
		if shot, err = reduce(shot); err != nil {
			return err
		}
	}
	if err := os.MkdirAll(filepath.Dir(p.file), 0o750); err != nil {
		return err
	}
	return os.WriteFile(p.file, shot, 0o600)
}

// reduce writes a picture with few colours, which is a third of the size.
func reduce(picture []byte) ([]byte, error) {
	found, err := png.Decode(bytes.NewReader(picture))
	if err != nil {
		return nil, err
	}
	var b bytes.Buffer
	encoder := png.Encoder{CompressionLevel: png.BestCompression}
	err = encoder.Encode(&b, quantize(found))
	return b.Bytes(), err
}

func prefer(theme string) chromedp.Action[chromedp.Void] {
	return chromedp.Func(func(ctx context.Context, _ *chromedp.Target) error {
		_, err := chromedp.Call(ctx, emulation.SetEmulatedMedia, emulation.SetEmulatedMediaParams{
			Features: []*emulation.MediaFeature{{Name: "prefers-color-scheme", Value: theme}},
		})
		return err
	})
}

func remember(language string) chromedp.Action[chromedp.Void] {
	return chromedp.Func(func(ctx context.Context, _ *chromedp.Target) error {
		_, err := chromedp.Run(ctx, chromedp.Evaluate[any](fmt.Sprintf("localStorage.setItem('language', %q)", language)))
		return err
	})
}
