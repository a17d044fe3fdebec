package pagetest_test

import (
	"context"
	"encoding/json"
	"fmt"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/chromedp/cdproto/cdp"
	"github.com/chromedp/cdproto/emulation"
	"github.com/chromedp/cdproto/log"
	"github.com/chromedp/cdproto/runtime"
	"github.com/chromedp/chromedp"
)

// patience is how long a test waits for what it expects. It is long because machines that
// test are slow; a test that passes never waits as long.
const patience = 90 * time.Second

// tab is a page in the browser, with storage of its own.
type tab struct {
	t    *testing.T
	ctx  context.Context //nolint:containedctx // It stands for the tab, as chromedp has it.
	base string

	mu       sync.Mutex
	problems []string // What the browser complained of.
}

// newTab opens a tab on the program. Whatever the browser complains of fails the test.
func newTab(t *testing.T, base string, steps ...chromedp.Action[chromedp.Void]) *tab {
	t.Helper()
	ctx, stop := chromedp.NewContext(browser(t), chromedp.WithNewBrowserContext())
	ctx, cancel := context.WithTimeout(ctx, 3*patience)
	p := &tab{t: t, ctx: ctx, base: base}
	t.Cleanup(func() {
		cancel()
		stop()
	})
	p.do(chromedp.EmulateViewport(1280, 800))
	if err := chromedp.Listen(ctx, p.listen); err != nil {
		t.Fatal(err)
	}
	if _, err := chromedp.Call(ctx, log.Enable, cdp.Empty{}); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		p.mu.Lock()
		defer p.mu.Unlock()
		for _, problem := range p.problems {
			t.Errorf("the browser says: %s", problem)
		}
	})
	p.do(steps...)
	return p
}

// listen keeps errors of scripts and of the policy. An answer that is not a success is
// not one of them: the page shows it.
func (p *tab) listen(ev any) {
	p.mu.Lock()
	defer p.mu.Unlock()
	switch ev := ev.(type) {
	case *runtime.EventExceptionThrown:
		p.problems = append(p.problems, fmt.Sprintf("%s %+v", ev.ExceptionDetails.Text, ev.ExceptionDetails.Exception))
	case *log.EventEntryAdded:
		if ev.Entry.Level == log.EntryLevelError && ev.Entry.Source != log.EntrySourceNetwork {
			p.problems = append(p.problems, ev.Entry.Text)
		}
	}
}

func (p *tab) do(steps ...chromedp.Action[chromedp.Void]) {
	p.t.Helper()
	if err := chromedp.Do(p.ctx, steps...); err != nil {
		p.t.Fatal(err)
	}
}

// open goes to a view and waits until it is drawn.
func (p *tab) open(place string) {
	p.t.Helper()
	view, _, _ := strings.Cut(strings.NewReplacer("?", "/").Replace(place), "/")
	p.do(chromedp.Navigate(p.base + "/#/" + place))
	p.until(fmt.Sprintf(`document.querySelector('main > [data-view=%q] > .stack')?.childElementCount > 0 && !document.documentElement.classList.contains('translating')`, view))
}

// eval returns the value of an expression of the page.
func eval[T any](p *tab, expression string) T {
	p.t.Helper()
	v, err := chromedp.Run(p.ctx, chromedp.Evaluate[T](expression))
	if err != nil {
		p.t.Fatalf("%s: %v", expression, err)
	}
	return v
}

// until waits until an expression of the page is true.
func (p *tab) until(expression string) {
	p.t.Helper()
	for deadline := time.Now().Add(patience); ; time.Sleep(30 * time.Millisecond) {
		// An error may be that of a page that is being left.
		ok, err := chromedp.Run(p.ctx, chromedp.Evaluate[bool]("Boolean("+expression+")"))
		if ok {
			return
		}
		if time.Now().After(deadline) || p.ctx.Err() != nil {
			text, _ := chromedp.Run(p.ctx, chromedp.Evaluate[string]("location.hash + ' ' + document.body.innerText"))
			p.t.Fatalf("never true: %s (%v)\nthe page: %s", expression, err, text)
		}
	}
}

// sees waits until the page shows a text.
func (p *tab) sees(text string) {
	p.t.Helper()
	p.until(fmt.Sprintf(`document.body.innerText.includes(%s)`, quote(text)))
}

// named is the expression of the first visible element that a selector finds, and whose
// text or label is name.
func named(selector, name string) string {
	return fmt.Sprintf(`[...document.querySelectorAll(%s)].find((e) => e.checkVisibility() && (e.getAttribute('aria-label') === %[2]s || e.innerText.trim() === %[2]s))`, quote(selector), quote(name))
}

// css is the expression of the first element that a selector finds.
func css(selector string) string {
	return fmt.Sprintf(`document.querySelector(%s)`, quote(selector))
}

// labelled is the expression of the control with a label.
func labelled(label string) string {
	return fmt.Sprintf(`[...document.querySelectorAll('label')].find((e) => e.checkVisibility() && e.innerText.trim() === %s)?.control`, quote(label))
}

func quote(s string) string {
	b, err := json.Marshal(s)
	if err != nil {
		panic(err)
	}
	return string(b)
}

// click moves the mouse to an element, and clicks. It waits until the element is there,
// and nothing covers it.
func (p *tab) click(element string) {
	p.t.Helper()
	where := fmt.Sprintf(`(() => {
		const e = %s;
		if (!e || e.disabled) return [];
		e.scrollIntoView({ block: 'center' });
		const { x, y, width, height } = e.getBoundingClientRect();
		const at = [x + width / 2, y + height / 2];
		const top = document.elementFromPoint(...at);
		return top && (e.contains(top) || top.contains(e)) ? at : [];
	})()`, element)
	for deadline := time.Now().Add(patience); ; time.Sleep(30 * time.Millisecond) {
		at := eval[[]float64](p, where)
		if len(at) == 2 {
			p.do(chromedp.MouseClickXY(at[0], at[1]))
			return
		}
		if time.Now().After(deadline) {
			p.t.Fatalf("cannot be clicked: %s\nthe page: %s", element, eval[string](p, "document.body.innerText"))
		}
	}
}

// press clicks the button with a text or a label.
func (p *tab) press(name string) {
	p.t.Helper()
	p.click(named("button, a.button, [role=tab], summary", name))
}

// types replaces what is in a control by a text, by the keyboard.
func (p *tab) types(element, text string) {
	p.t.Helper()
	p.until(element)
	eval[bool](p, fmt.Sprintf(`(() => { const e = %s; e.scrollIntoView({ block: 'center' }); e.focus(); e.select?.(); return true; })()`, element))
	if text == "" {
		p.do(chromedp.KeyEvent("\b"))
		return
	}
	p.do(chromedp.KeyEvent(text))
}

// choose takes an option of a select by its value.
func (p *tab) choose(element, value string) {
	p.t.Helper()
	p.until(element)
	eval[bool](p, fmt.Sprintf(`(() => { const e = %s; e.value = %s; e.dispatchEvent(new Event('change', { bubbles: true })); return true; })()`, element, quote(value)))
}

// media sets what the system prefers, such as prefers-color-scheme and dark.
func media(name, value string) chromedp.Action[chromedp.Void] {
	return chromedp.Func(func(ctx context.Context, _ *chromedp.Target) error {
		_, err := chromedp.Call(ctx, emulation.SetEmulatedMedia, emulation.SetEmulatedMediaParams{
			Features: []*emulation.MediaFeature{{Name: name, Value: value}},
		})
		return err
	})
}
