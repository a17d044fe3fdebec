package pagetest_test

import (
	"fmt"
	"net/http"
	"strings"
	"testing"

	"github.com/weboffice-go/weboffice/examples/internal/office"
)

func TestRequests(t *testing.T) {
	t.Parallel()
	s := newSite(t, office.Config{Plain: true})
	r := s.robots()[0]
	p := newTab(t, s.URL)
	p.open("requests")
	p.sees("No requests yet")
	s.send(r, text("hello"))
	s.send(robot{URL: s.URL + "/api/v1/webhook/send?key=nobody"}, text("hello"))
	p.until(`document.querySelectorAll('main .list li').length === 2`)
	p.click(labelled("Only refused"))
	p.until(`document.querySelectorAll('main .list li').length === 1`)
	p.click(css("main .list a"))
	p.until(named("summary strong", "Response"))
	p.until(`document.querySelector('main .list a[aria-current]')`)
	if shown := eval[string](p, "document.body.innerText"); strings.Contains(shown, r.Key) {
		t.Errorf("the key of the robot is shown:\n%s", shown)
	}

	// Again: what it makes is a new exchange.
	p.press("Send again")
	p.sees("Sent again: ")
	p.until(fmt.Sprintf(`%s?.innerText.includes('this page')`, css("main .pair > :last-child .facts")))

	p.press("Copy as curl")
	p.until(`document.querySelector('.toast')`)
}

func TestExplain(t *testing.T) {
	t.Parallel()
	s := newSite(t, office.Config{Plain: true})
	p := newTab(t, s.URL)
	p.open("requests")
	p.press("Explain a request")
	request := strings.Join([]string{
		"POST /api/developer/v1/office/convert/to/pdf HTTP/1.1",
		"Date: Wed, 23 Jan 2013 06:43:08 GMT",
		"Content-Type: application/json",
		"Content-Md5: d41d8cd98f00b204e9800998ecf8427e",
		"Authorization: SVC-2:dev-app:083500176fa3aab58ca2dc962978013b3ca2b6df",
		"", "{}",
	}, "\n")
	p.until(css("textarea.tall"))
	eval[bool](p, fmt.Sprintf(`(() => { %s.value = %s; return true; })()`, css("textarea.tall"), quote(request)))
	p.press("Explain")
	p.sees("The signature is refused")
	p.until(`document.querySelectorAll('.check').length === 5`)
	p.until(`document.querySelector('.check.failed')`)

	// A mistake in the form is said, and what was typed stays.
	eval[bool](p, fmt.Sprintf(`(() => { %s.value = 'nonsense'; return true; })()`, css("textarea.tall")))
	p.press("Explain")
	p.until(`document.querySelector('.toast.bad')`)
	if got := eval[string](p, css("textarea.tall")+".value"); got != "nonsense" {
		t.Errorf("the form has %q", got)
	}
}

// TestFilter starts with an area of the address.
func TestFilter(t *testing.T) {
	t.Parallel()
	s := newSite(t, office.Config{Plain: true})
	s.send(s.robots()[0], text("hello"))
	call[any](s, http.MethodPost, "/viewer/sessions", map[string]any{"gateway": s.URL, "file_id": "a"})
	p := newTab(t, s.URL)
	p.open("requests?area=token")
	p.sees("No request matches")
	p.choose(css("select[name=area]"), "chat")
	p.until(`document.querySelectorAll('main .list li').length === 1`)
}
