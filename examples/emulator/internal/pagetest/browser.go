// Package pagetest drives the page of the emulator in headless Chromium: its tests, and
// the command shots, which makes its screenshots.
package pagetest

import (
	"context"
	"errors"
	"fmt"
	"os/exec"

	"github.com/chromedp/chromedp"
)

// ErrNoChromium is that Chromium is not installed.
var ErrNoChromium = errors.New("pagetest: no chromium in PATH")

// Browser starts headless Chromium with a profile of its own in dir. It ends with ctx, or
// when stop is called.
func Browser(ctx context.Context, dir string) (browser context.Context, stop func(), err error) {
	path, err := exec.LookPath("chromium")
	if err != nil {
		return nil, nil, fmt.Errorf("%w: %w", ErrNoChromium, err)
	}
	allocator, stopAllocator := chromedp.NewExecAllocator(ctx,
		chromedp.ExecPath(path),
		chromedp.UserDataDir(dir),
		chromedp.NoFirstRun,
		chromedp.NoDefaultBrowserCheck,
		chromedp.Headless,
		chromedp.NoSandbox,
		chromedp.DisableGPU,
		chromedp.Flag("disable-quic", true),
		chromedp.Flag("disable-background-networking", true),
		chromedp.Flag("disable-component-update", true),
		chromedp.Flag("disable-sync", true),
		chromedp.Flag("disable-dev-shm-usage", true),
		chromedp.Flag("force-color-profile", "srgb"),
		chromedp.Flag("font-render-hinting", "none"),
		chromedp.Flag("hide-scrollbars", true),
	)
	browser, stopBrowser := chromedp.NewContext(allocator)
	stop = func() {
		stopBrowser()
		stopAllocator()
	}
	if err := chromedp.Do(browser); err != nil {
		stop()
		return nil, nil, fmt.Errorf("pagetest: chromium: %w", err)
	}
	return browser, stop, nil
}
