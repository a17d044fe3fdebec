// Shots makes the screenshots of the emulator's page: every view in both languages, light
// and dark, and on a phone, of emulators that it starts and fills. With -docs it also
// makes those of the documentation, with few colours:
//
//	go run ./examples/emulator/internal/pagetest/shots -out DIR
//	go run ./examples/emulator/internal/pagetest/shots -docs docs/images
package main

import (
	"bytes"
	"context"
	"errors"
	"flag"
	"fmt"
	"image/png"
	"os"
	"os/signal"
	"path/filepath"
	"time"

	"github.com/chromedp/cdproto/emulation"
	"github.com/chromedp/chromedp"

	"github.com/weboffice-go/weboffice/examples/emulator/internal/pagetest"
	"github.com/weboffice-go/weboffice/examples/internal/office"
)

func main() {
	out := flag.String("out", "", "`folder` for the screenshots of everything")
	docs := flag.String("docs", "", "`folder` for those of the documentation")
	document := flag.String("document", "examples/quickstart/document/handbook.docx", "`file` to convert")
	flag.Parse()
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt)
	err := run(ctx, *out, *docs, *document)
	stop()
	if err != nil {
		fmt.Fprintln(os.Stderr, "shots:", err)
		os.Exit(1)
	}
}

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

// shown are the screenshots of the documentation: view, language and screen.
var shown = []struct {
	view, language string
	screen         screen
}{
	{"overview", "en", screens[0]},
	{"conversions", "en", screens[0]},
	{"chat", "en", screens[0]},
	{"requests", "en", screens[0]},
	{"viewer", "en", screens[1]},
	{"overview", "zh-CN", screens[0]},
	{"chat", "zh-CN", screens[1]},
	{"requests", "zh-CN", screens[2]},
}

func run(ctx context.Context, out, docs, document string) (err error) {
	profile, err := os.MkdirTemp("", "shots-")
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, os.RemoveAll(profile)) }()
	browser, stop, err := pagetest.Browser(ctx, profile)
	if err != nil {
		return err
	}
	defer stop()
	for _, language := range []string{"en", "zh-CN"} {
		if err := take(ctx, browser, language, out, docs, document); err != nil {
			return err
		}
	}
	return nil
}

// take makes all screenshots of one language.
func take(ctx, browser context.Context, language, out, docs, document string) (err error) {
	emulator, err := pagetest.Start(ctx, "127.0.0.1:0", office.Config{})
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, emulator.Close()) }()
	url := emulator.URL
	scene := &pagetest.Scene{URL: url, Language: language, Document: document}
	defer scene.Close()
	places, err := scene.Fill(ctx)
	if err != nil {
		return err
	}
	if out != "" {
		for _, screen := range screens {
			for view, place := range places {
				file := filepath.Join(out, fmt.Sprintf("%s-%s-%s.png", view, language, screen.name))
				if err := shoot(browser, url, place, language, screen, true, file, false); err != nil {
					return fmt.Errorf("%s: %w", file, err)
				}
			}
		}
	}
	for _, s := range shown {
		if docs == "" || s.language != language {
			continue
		}
		file := filepath.Join(docs, fmt.Sprintf("emulator-%s-%s-%s.png", s.view, language, s.screen.name))
		if err := shoot(browser, url, places[s.view], language, s.screen, false, file, true); err != nil {
			return fmt.Errorf("%s: %w", file, err)
		}
	}
	return nil
}

// settled is an expression that is true when the view is drawn, and its pictures loaded.
const settled = `(() => {
	const view = document.querySelector('main > [data-view] > .stack');
	if (!view?.childElementCount || document.querySelector('.waiting')) return false;
	return [...document.images].filter((i) => i.getBoundingClientRect().top < innerHeight).every((i) => i.complete)
		&& document.fonts.status === 'loaded' && document.getElementById('live').dataset.state === 'open';
})()`

func shoot(tab context.Context, url, place, language string, s screen, whole bool, file string, few bool) error {
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
	if whole {
		action = chromedp.FullScreenshot(100)
	}
	picture, err := chromedp.Run(ctx, action)
	if err != nil {
		return err
	}
	if few {
		if picture, err = reduce(picture); err != nil {
			return err
		}
	}
	if err := os.MkdirAll(filepath.Dir(file), 0o750); err != nil {
		return err
	}
	return os.WriteFile(file, picture, 0o600)
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
