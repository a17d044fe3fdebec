package pagetest_test

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"os"
	"strings"
	"testing"

	"github.com/chromedp/cdproto/page"
	"github.com/chromedp/chromedp"
	"github.com/chromedp/chromedp/kb"

	"github.com/weboffice-go/weboffice/examples/emulator/internal/pagetest"
	"github.com/weboffice-go/weboffice/examples/internal/office"
)

// Axe is the environment variable with the path of axe.min.js, of axe-core.
const Axe = "WEBOFFICE_AXE"

// scene is an emulator with something in every view, and a page for each.
func scene(t *testing.T, language string) (*site, pagetest.Places) {
	t.Helper()
	s := newSite(t, office.Config{Plain: true})
	filled := &pagetest.Scene{URL: s.URL, Language: language, Document: words(t)}
	t.Cleanup(filled.Close)
	places, err := filled.Fill(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	return s, places
}

// speak chooses the language of a new tab, as the switch does.
func (p *tab) speak(language string) {
	p.t.Helper()
	p.do(chromedp.Navigate(p.base + "/static/icon.svg"))
	eval[bool](p, fmt.Sprintf("localStorage.setItem('language', %q) === undefined", language))
}

// TestAccessible lets axe-core look at every view, in both languages, light and dark.
func TestAccessible(t *testing.T) {
	t.Parallel()
	browser(t)
	file := os.Getenv(Axe)
	if file == "" {
		need(t, errors.New("no axe-core: .ci/browser downloads it, and WEBOFFICE_AXE is its path"))
	}
	axe, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	for _, look := range []struct {
		language, theme string
		fresh           bool // Nothing has happened yet.
	}{{"en", "light", false}, {"zh-CN", "dark", false}, {"zh-CN", "light", true}} {
		t.Run(fmt.Sprintf("%s %s %t", look.language, look.theme, look.fresh), func(t *testing.T) {
			t.Parallel()
			var s *site
			places := pagetest.Places{}
			if look.fresh {
				s = newSite(t, office.Config{Plain: true})
				for _, view := range []string{"overview", "conversions", "chat", "viewer", "plugin", "requests"} {
					places[view] = view
				}
			} else {
				s, places = scene(t, look.language)
			}
			p := newTab(t, s.URL, media("prefers-color-scheme", look.theme), bypass())
			p.speak(look.language)
			for _, width := range []int64{1280, 360} {
				p.do(chromedp.EmulateViewport(width, 800))
				for view, place := range places {
					p.open(place)
					p.until(`!document.querySelector('.waiting')`)
					eval[bool](p, `document.querySelectorAll('details').forEach((d) => { d.open = true; }) === undefined`)
					p.inspect(fmt.Sprintf("%s at %d pixels", view, width), string(axe))
				}
			}
		})
	}
}

// bypass lets the test add axe-core, which the policy of the page does not.
func bypass() chromedp.Action[chromedp.Void] {
	return chromedp.Func(func(ctx context.Context, _ *chromedp.Target) error {
		_, err := chromedp.Call(ctx, page.SetBypassCSP, page.SetBypassCSPParams{Enabled: true})
		return err
	})
}

// inspect reports what axe-core finds.
func (p *tab) inspect(name, axe string) {
	p.t.Helper()
	eval[bool](p, fmt.Sprintf("typeof axe === 'object' || (eval(%s), true)", quote(axe)))
	// The promise is put into a variable, since a tab is asked, not waited for.
	eval[bool](p, `(axe.run({ resultTypes: ['violations'] }).then((r) => {
		window.found = JSON.stringify(r.violations.map((v) => ({ id: v.id, nodes: v.nodes.map((n) => n.target + ' ' + n.failureSummary) })));
	}, (e) => { window.found = JSON.stringify([{ id: String(e), nodes: [] }]); }), window.found = '', true)`)
	p.until("window.found")
	var violations []struct {
		ID    string
		Nodes []string
	}
	if err := json.Unmarshal([]byte(eval[string](p, "window.found")), &violations); err != nil {
		p.t.Fatal(err)
	}
	for _, v := range violations {
		p.t.Errorf("%s: %s:\n  %s", name, v.ID, strings.Join(v.Nodes[:min(3, len(v.Nodes))], "\n  "))
	}
}

// TestPhone checks that nothing is wider than a phone, and that nothing is out of reach.
func TestPhone(t *testing.T) {
	t.Parallel()
	for _, language := range []string{"en", "zh-CN"} {
		t.Run(language, func(t *testing.T) {
			t.Parallel()
			s, places := scene(t, language)
			long := strings.Repeat("long", 60)
			s.send(s.robots()[0], text(long))
			s.send(s.robots()[0], markdown("## "+long+"\n\n["+long+"](https://example.com/"+long+")"))
			call[any](s, http.MethodPost, "/viewer/sessions", map[string]any{"gateway": s.URL + "/" + long, "file_id": long[:40], "user": long[:90]})
			s.send(call[robot](s, http.MethodPost, "/chat/robots", map[string]any{"name": long[:100]}), text(long))
			places["sessions"], places["all"] = "viewer", "requests"
			p := newTab(t, s.URL, chromedp.EmulateViewport(360, 740, chromedp.EmulateMobile))
			p.speak(language)
			for view, place := range places {
				p.open(place)
				eval[bool](p, `document.querySelectorAll('details').forEach((d) => { d.open = true; }) === undefined`)
				if wide := eval[int](p, "document.documentElement.scrollWidth"); wide > 360 {
					t.Errorf("%s is %d pixels wide", view, wide)
				}
				if cut := eval[int](p, "[...document.querySelectorAll('.message strong')].filter((e) => e.getBoundingClientRect().right > 360).length"); cut > 0 {
					t.Errorf("%s: %d names are cut", view, cut)
				}
			}
			p.open("overview")
			if eval[bool](p, css("#nav")+".checkVisibility()") {
				t.Error("the menu is open")
			}
			p.click(css("#menu"))
			p.until(css("#nav") + ".checkVisibility()")
			p.click(css("#nav [data-view=chat]"))
			p.until(css("main > [data-view=chat]"))
			p.until("!" + css("#nav") + ".checkVisibility()")
		})
	}
}

func TestLanguageAndColours(t *testing.T) {
	t.Parallel()
	s := newSite(t, office.Config{Plain: true})
	p := newTab(t, s.URL, media("prefers-color-scheme", "dark"))
	p.open("overview")
	background := `getComputedStyle(document.body).backgroundColor`
	dark := eval[string](p, background)

	p.choose(css("#language"), "zh-CN")
	p.until(named("h1", "概览"))
	p.until(`document.documentElement.lang === 'zh-CN' && document.title.includes('概览')`)
	p.choose(css("#theme"), "light")
	p.until(fmt.Sprintf(`%s !== %s`, background, quote(dark)))

	// Both stay, in every view.
	p.open("chat")
	p.do(chromedp.Reload())
	p.until(named("h1", "群聊"))
	p.until(fmt.Sprintf(`%s !== %s`, background, quote(dark)))
	if left := eval[string](p, `[...document.querySelectorAll('.side *, main *')].filter((e) => !e.closest('[lang=en]') && !e.children.length && /^[A-Za-z]{3,} [a-z]+/.test(e.textContent) && e.checkVisibility()).map((e) => e.textContent).join('|')`); left != "" {
		t.Errorf("still in English: %s", left)
	}
	p.choose(css("#theme"), "auto")
	p.until(fmt.Sprintf(`%s === %s`, background, quote(dark)))
}

// TestKeyboard sends a message without a mouse.
func TestKeyboard(t *testing.T) {
	t.Parallel()
	s := newSite(t, office.Config{Plain: true})
	p := newTab(t, s.URL)
	p.open("overview")
	focused := `document.activeElement`
	p.do(chromedp.KeyEvent(kb.Tab))
	p.until(focused + `.classList.contains('skip') && ` + focused + `.getBoundingClientRect().top >= 0`)
	p.do(chromedp.KeyEvent(kb.Enter))
	p.until(focused + `.id === 'main'`)

	// Back to the views, and into the chat: its heading gets the focus.
	for range 3 {
		p.do(chromedp.KeyEvent(kb.Tab, chromedp.KeyModifiers()))
	}
	eval[bool](p, `(document.querySelector('.brand').focus(), true)`)
	for range 3 {
		p.do(chromedp.KeyEvent(kb.Tab))
	}
	p.until(focused + `.dataset.view === 'chat'`)
	if outline := eval[string](p, `getComputedStyle(document.activeElement).outlineStyle`); outline != "solid" {
		t.Errorf("the focus is not shown: outline %s", outline)
	}
	p.do(chromedp.KeyEvent(kb.Enter))
	p.until(focused + `.localName === 'h1' && ` + focused + `.innerText === 'Chat'`)
	p.until(css(".composer textarea"))
	for i := 0; !eval[bool](p, focused+`.name === 'text'`); i++ {
		if i > 30 {
			t.Fatal("the line to write in cannot be reached")
		}
		p.do(chromedp.KeyEvent(kb.Tab))
	}
	p.do(chromedp.KeyEvent("by hand" + kb.Enter))
	p.until(`[...document.querySelectorAll('.bubble')].some((e) => e.innerText.includes('by hand'))`)
	p.until(focused + `.name === 'text'`)

	// Tabs move with the arrow keys.
	p.open("overview")
	eval[bool](p, `(document.querySelector('[role=tab]').focus(), true)`)
	p.do(chromedp.KeyEvent(kb.ArrowRight))
	p.until(focused + `.innerText === 'Go' && ` + focused + `.getAttribute('aria-selected') === 'true'`)
}

// TestStill checks that motion is taken back where the system asks for it.
func TestStill(t *testing.T) {
	t.Parallel()
	s := newSite(t, office.Config{Plain: true})
	p := newTab(t, s.URL, media("prefers-reduced-motion", "reduce"))
	p.open("overview")
	moving := eval[string](p, `[...document.querySelectorAll('*')].filter((e) => getComputedStyle(e).transitionDuration !== '0s' || getComputedStyle(e).animationName !== 'none').map((e) => e.outerHTML.slice(0, 80)).join('|')`)
	if moving != "" {
		t.Errorf("these move: %s", moving)
	}
}

// hostile is in every name and text that the page shows.
const hostile = `<img src=x onerror="window.hacked=1"><script>window.hacked=1</script>`

func TestHostile(t *testing.T) {
	t.Parallel()
	s := newSite(t, office.Config{Plain: true})
	r := call[robot](s, http.MethodPost, "/chat/robots", map[string]any{"name": hostile})
	part := func(kind string) any {
		return map[string]any{"tag": "text", "content": map[string]any{"type": kind, "text": hostile + ` [x](javascript:alert(1)) ![](javascript:alert(1)) <font color='url(x)'>f</font>`}}
	}
	for _, m := range []any{
		text(hostile), markdown("# " + hostile + "\n\n> " + hostile + "\n\n- [" + hostile + "](javascript:alert(1)) <at user_id=\"\\\"><script>\">" + hostile + "</at>"),
		map[string]any{"msgtype": "link", "link": map[string]any{"title": hostile, "text": hostile, "messageUrl": "javascript:alert(1)", "btnTitle": "<b>x</b>"}},
		map[string]any{"msgtype": "card", "card": map[string]any{
			"header": map[string]any{"title": part("plainText"), "subtitle": part("markdown")}, "elements": []any{part("markdown")},
			"i18n": map[string]any{"zh-TW": map[string]any{"header": map[string]any{"title": part("plainText")}, "elements": []any{part("plainText")}}},
		}},
		map[string]any{"msgtype": hostile},
	} {
		s.send(r, m)
	}
	call[any](s, http.MethodPost, "/chat/say", map[string]any{"text": hostile, "sender_name": "<b>" + hostile[:20]})
	call[any](s, http.MethodPost, "/viewer/sessions", map[string]any{"gateway": s.URL + "/<script>", "file_id": hostile, "user": hostile, "token": hostile})
	p := newTab(t, s.URL)
	// A document with such a name.
	p.open("conversions")
	eval[bool](p, fmt.Sprintf(`(() => {
		const transfer = new DataTransfer();
		transfer.items.add(new File(['<script>'], %s));
		document.querySelector('.drop').dispatchEvent(new DragEvent('drop', { bubbles: true, cancelable: true, dataTransfer: transfer }));
		return true;
	})()`, quote(strings.ReplaceAll(hostile, "/", "")+".docx")))
	p.until(`document.querySelector('main .list li')`)

	for _, view := range []string{"overview", "conversions", "chat", "viewer", "plugin", "requests", "faults"} {
		p.open(view)
		if view == "chat" {
			p.until(`document.querySelectorAll('.message').length === 6`)
			p.press("zh-TW")
		}
		if n := eval[int](p, `document.querySelectorAll('main img[src=x], main script, main [onerror], main a[href^="javascript:" i], main [style*="url"]').length`); n > 0 {
			t.Errorf("%s: %d elements came out of texts", view, n)
		}
	}
	for _, place := range []string{"conversions", "viewer", "requests"} {
		p.open(place)
		p.until(`document.querySelector('main .list a')`)
		p.click(css("main .list a"))
		p.until(css("main .list a[aria-current]"))
	}
	// An address of the page is not trusted either.
	p.do(chromedp.Navigate(s.URL + "/#/chat/%3Cscript%3E%E0%A4%A"))
	p.until(css("main > [data-view=chat]"))
	p.do(chromedp.Navigate(s.URL + "/#/constructor/x"))
	p.until(css("main > [data-view=overview]"))
	if eval[bool](p, "'hacked' in window") {
		t.Error("a script ran")
	}
}
