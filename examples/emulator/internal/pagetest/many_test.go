package pagetest_test

import (
	"fmt"
	"net/http"
	"strings"
	"testing"

	"github.com/chromedp/chromedp"

	"github.com/weboffice-go/weboffice/examples/internal/office"
)

// TestManyMessages shows a group of ten thousand messages, while more arrive.
func TestManyMessages(t *testing.T) {
	t.Parallel()
	s := newSite(t, office.Config{Plain: true})
	r := s.robots()[0]
	call[any](s, http.MethodPut, "/chat/robots/"+r.ID, map[string]any{"name": r.Name, "per_minute": 100_000})
	p := newTab(t, s.URL)
	p.open("chat")
	eval[bool](p, `(window.longest = 0, new PerformanceObserver((list) => {
		for (const task of list.getEntries()) window.longest = Math.max(window.longest, task.duration);
	}).observe({ entryTypes: ['longtask'] }) === undefined)`)
	said := func(from, to int) {
		t.Helper()
		const batch = 1000
		for at := from; at <= to; at += batch {
			messages := []any{}
			for i := at; i < min(at+batch, to+1); i++ {
				messages = append(messages, map[string]any{"member": "Ann", "text": fmt.Sprintf("message %d", i)})
			}
			call[any](s, http.MethodPost, "/seed", map[string]any{"messages": messages})
		}
	}
	said(1, 10_000)
	p.sees("message 10000")
	const limit = 250
	shown := `document.querySelectorAll('.message').length`
	if n := eval[int](p, shown); n > limit {
		t.Errorf("%d messages are in the document", n)
	}

	t.Logf("the longest task took %v ms; the heap has %v bytes", eval[float64](p, "window.longest"), eval[float64](p, "performance.memory.usedJSHeapSize"))

	// Going back page by page: the document does not grow, and what is read stays.
	for i := range 6 {
		first := eval[string](p, css(".message .bubble")+".innerText")
		eval[bool](p, `(document.querySelector('.feedbox .scroll').scrollTop = 0, true)`)
		p.press("Load older")
		p.until(fmt.Sprintf(`%s.innerText !== %s`, css(".message .bubble"), quote(first)))
		if top := eval[float64](p, fmt.Sprintf(`(() => {
			const e = [...document.querySelectorAll('.bubble')].find((b) => b.innerText === %s);
			return e ? e.getBoundingClientRect().top - document.querySelector('.feedbox .scroll').getBoundingClientRect().top : -1;
		})()`, quote(first))); top < 0 || top > 700 {
			t.Errorf("step %d: %s moved to %v pixels from the top", i, first, top)
		}
		if n := eval[int](p, shown); n > limit {
			t.Errorf("%d messages are in the document", n)
		}
	}

	// New ones do not move it, and are counted.
	before := eval[string](p, css(".message .bubble")+".innerText")
	said(10_001, 10_003)
	p.until(css(".newest") + `.innerText.includes('3 new')`)
	if now := eval[string](p, css(".message .bubble")+".innerText"); now != before {
		t.Errorf("the list moved from %s to %s", before, now)
	}
	p.click(css(".newest"))
	p.sees("message 10003")
	p.until(css(".newest") + ".hidden")
	if n := eval[int](p, shown); n > limit {
		t.Errorf("%d messages are in the document", n)
	}
}

// TestChoosing checks that a list stays where it is while its items are looked at.
func TestChoosing(t *testing.T) {
	t.Parallel()
	s := newSite(t, office.Config{Plain: true})
	r := s.robots()[0]
	for i := range 20 {
		s.send(r, text(fmt.Sprintf("message %d", i)))
	}
	p := newTab(t, s.URL)
	p.open("requests")
	p.until(`document.querySelectorAll('main .list li').length === 20`)
	eval[bool](p, `(document.querySelector('.scroll').scrollTop = 300, document.querySelector('main .list').marked = true)`)
	for _, n := range []int{8, 10} {
		p.click(fmt.Sprintf(`document.querySelectorAll('main .list a')[%d]`, n))
		p.until(fmt.Sprintf(`document.querySelectorAll('main .list a')[%d].getAttribute('aria-current') && document.querySelectorAll('main .list a[aria-current]').length === 1`, n))
		p.until(named("summary strong", "Response"))
	}
	if !eval[bool](p, `document.querySelector('main .list').marked && document.querySelector('.scroll').scrollTop > 100`) {
		t.Error("the list was made again, or moved")
	}
	p.do(chromedp.NavigateBack())
	p.until(`document.querySelectorAll('main .list a')[8].getAttribute('aria-current')`)
}

// TestHidden hides the page, as another tab in front does, and shows it again.
func TestHidden(t *testing.T) {
	t.Parallel()
	s := newSite(t, office.Config{Plain: true})
	p := newTab(t, s.URL)
	p.open("chat")
	hide := func(hidden bool) {
		eval[bool](p, fmt.Sprintf(`(Object.defineProperty(document, 'hidden', { value: %t, configurable: true }), document.dispatchEvent(new Event('visibilitychange')))`, hidden))
	}
	p.until(css("#live") + `.dataset.state === 'open'`)
	for _, word := range []string{"first", "second"} {
		hide(true)
		s.send(s.robots()[0], text(word))
		hide(false)
		p.sees(word)
	}
}

// TestReconnect ends the program and starts it again: the page follows.
func TestReconnect(t *testing.T) {
	t.Parallel()
	s := newSite(t, office.Config{Plain: true})
	p := newTab(t, s.URL)
	p.open("chat")
	s.send(s.robots()[0], text("before"))
	p.sees("before")
	p.until(css("#live") + `.dataset.state === 'open'`)

	if err := s.Close(); err != nil {
		t.Fatal(err)
	}
	p.until(css("#live") + `.dataset.state === 'lost'`)
	s = startSite(t, strings.TrimPrefix(s.URL, "http://"), office.Config{Plain: true})
	p.until(css("#live") + `.dataset.state === 'open'`)
	// The new program knows nothing of the old messages, and sends new ones.
	s.send(s.robots()[0], text("after"))
	p.sees("after")
	p.until(`!document.querySelector('.feed').innerText.includes('before')`)
}
