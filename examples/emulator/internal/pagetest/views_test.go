package pagetest_test

import (
	"context"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"path/filepath"
	"testing"
	"time"

	"github.com/chromedp/chromedp"

	"github.com/weboffice-go/weboffice/examples/internal/office"
	"github.com/weboffice-go/weboffice/examples/internal/office/officetest"
	"github.com/weboffice-go/weboffice/signing"
	"github.com/weboffice-go/weboffice/token"
)

// words is a document with text.
func words(t *testing.T) string {
	t.Helper()
	path, err := filepath.Abs("../../../internal/office/testdata/words.docx")
	if err != nil {
		t.Fatal(err)
	}
	return path
}

func TestOverview(t *testing.T) {
	t.Parallel()
	s := newSite(t, office.Config{Plain: true})
	p := newTab(t, s.URL)
	p.open("overview")
	p.sees(s.URL)
	p.sees("export WEBOFFICE_APP_ID=")
	p.sees("Scheme of Authorization\nSVC-2")
	p.press("Go")
	p.sees("convert.New(convert.Config{")
	p.press("Addresses")
	p.sees(s.URL + "/oauth2/token")

	// What a program does shows up without a reload.
	if code := s.send(s.robots()[0], text("hello")); code != http.StatusOK {
		t.Fatalf("status %d", code)
	}
	p.until(`[...document.querySelectorAll('.tile')].some((e) => e.innerText.includes('Chat') && e.innerText.includes('1 request'))`)
}

func TestConversions(t *testing.T) {
	t.Parallel()
	s := newSite(t, office.Config{Plain: true})
	p := newTab(t, s.URL)
	p.open("conversions")
	p.sees("No tasks yet")
	p.choose(labelled("Convert to"), "txt")
	p.do(chromedp.SetUploadFiles(chromedp.CSS(".drop input"), []string{words(t)}))
	p.sees("Results")
	p.sees("Done")
	p.until(css(".code pre") + ".innerText.length > 50")
	p.sees("a text for each page")

	// A wrong combination is refused by the service, and the page says why.
	p.press("Pages, password and more")
	p.types(labelled("From page"), "3")
	p.types(labelled("To page"), "2")
	p.do(chromedp.SetUploadFiles(chromedp.CSS(".drop input"), []string{words(t)}))
	p.until(named(".tag", "Refused"))
	p.until(css(".note.bad") + `?.innerText.includes('to_page')`)
}

// TestDrop drops a document with the mouse, as far as a script can.
func TestDrop(t *testing.T) {
	t.Parallel()
	s := newSite(t, office.Config{Plain: true})
	p := newTab(t, s.URL)
	p.open("conversions")
	p.choose(labelled("Convert to"), "txt")
	eval[bool](p, `(() => {
		const transfer = new DataTransfer();
		transfer.items.add(new File(['not a document'], 'notes.docx'));
		for (const kind of ['dragover', 'drop']) {
			document.querySelector('.drop').dispatchEvent(new DragEvent(kind, { bubbles: true, cancelable: true, dataTransfer: transfer }));
		}
		return true;
	})()`)
	p.sees("notes.docx")
	p.until(named(".tag", "Failed"))
}

// TestPages needs LibreOffice and poppler.
func TestPages(t *testing.T) {
	t.Parallel()
	officetest.Engine(t, office.Config{})
	s := newSite(t, office.Config{})
	p := newTab(t, s.URL)
	p.open("conversions")
	p.do(chromedp.SetUploadFiles(chromedp.CSS(".drop input"), []string{words(t)}))
	p.until(css(".pages img"))
	// The picture has its room before it is loaded, and is a picture.
	p.until(css(".pages img") + ".height > 300")
	p.until(css(".pages img") + ".naturalWidth > 100")

	p.open("viewer")
	p.press("Open the sample")
	p.until(css(".pages img") + "?.naturalWidth > 100")
}

func TestChat(t *testing.T) {
	t.Parallel()
	s := newSite(t, office.Config{Plain: true})
	r := s.robots()[0]
	p := newTab(t, s.URL)
	p.open("chat")
	p.sees("No messages yet")

	s.send(r, markdown("## Done\n\n> quoted\n\n- **bold** and <font color='#ff0000'>red</font> for <at user_id=\"2001\">Ann</at>"))
	p.until(css(".message .md-h2") + `?.innerText === 'Done'`)
	p.until(css(".message strong ~ .tint, .message .tint") + `?.innerText === 'red'`)
	p.until(css(".message .mention") + `?.innerText === '@Ann'`)

	// The settings of the robot change while it runs, and a message is refused in its place.
	p.press("Settings")
	p.types(labelled("Keywords"), "deploy")
	p.press("Save the settings")
	p.sees("Messages need one of: deploy.")
	if code := s.send(r, text("coffee?")); code == http.StatusOK {
		t.Error("a message without the keyword was accepted")
	}
	p.until(css(".message.refused .bubble") + `?.innerText === 'coffee?'`)
	p.until(css(".message.refused .why") + `.innerText.includes('keyword')`)
	p.click(labelled("Only refused"))
	p.until(`document.querySelectorAll('.message').length === 1`)
	p.click(labelled("Only refused"))

	// A line that mentions the robot is delivered, and what it answers appears.
	answer := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r2 *http.Request) {
		_, _ = io.WriteString(w, `{"result":"ok"}`)
		if r2.Method == http.MethodPost {
			s.send(r, text("deploy: all is well")) //nolint:contextcheck // It is a call of its own.
		}
	}))
	defer answer.Close()
	p.types(labelled("Callback address"), answer.URL)
	p.press("Check and save")
	p.sees("The address answered, and is registered.")
	p.types(css(".composer textarea"), "status?\r")
	p.sees("deploy: all is well")
	p.until(named(".tag", "Delivered"))
	// The driver sends the character of Enter on its own, which a browser would not.
	p.until(css(".composer textarea") + `.value.trim() === ''`)

	// Replies name what they answer.
	p.click(`[...document.querySelectorAll('.message')].find((e) => e.innerText.includes('all is well')).querySelector('.tools button')`)
	p.sees("Reply to " + r.Name)
	p.types(css(".composer textarea"), "thanks")
	p.press("Send")
	p.until(css(".message .answered") + `?.innerText.includes('all is well')`)
}

func TestCard(t *testing.T) {
	t.Parallel()
	s := newSite(t, office.Config{Plain: true})
	p := newTab(t, s.URL)
	p.open("chat")
	content := func(text string) any {
		return map[string]any{"tag": "text", "content": map[string]any{"type": "plainText", "text": text}}
	}
	face := func(title string) map[string]any {
		return map[string]any{"header": map[string]any{"title": content(title)}, "elements": []any{content("body of " + title)}}
	}
	card := face("Report")
	card["i18n"] = map[string]any{"zh-TW": face("報告")}
	s.send(s.robots()[0], map[string]any{"msgtype": "card", "card": card})
	s.send(s.robots()[0], map[string]any{"msgtype": "link", "link": map[string]any{"title": "Build", "text": "passed", "messageUrl": "https://ci.example/1"}})
	p.sees("body of Report")
	p.press("zh-TW")
	p.sees("body of 報告")
	p.until(`document.querySelector('.card').lang === 'zh-TW'`)
	p.until(named("a.button", "View details") + `?.href === 'https://ci.example/1'`)
}

func TestViewer(t *testing.T) {
	t.Parallel()
	s := newSite(t, office.Config{Plain: true})
	p := newTab(t, s.URL)
	p.open("viewer")
	p.press("Open the sample")
	p.until(named("h2", "handbook.docx"))
	p.sees("Version 1")
	p.until(`document.querySelectorAll('.tools-row li').length === 9`)

	p.press("Rename")
	p.types(css(".toolbar form input"), "manual.docx")
	p.click(css(".toolbar form button"))
	p.sees("Renamed to manual.docx.")
	p.until(named("h2", "manual.docx"))

	p.press("History")
	p.until(`document.querySelectorAll('.versions li').length === 1`)

	p.do(chromedp.SetUploadFiles(chromedp.CSS(".drop input"), []string{words(t)}))
	p.until(named(".tag", "Save"))
	p.until(`document.querySelector('.note.good')`)

	// A second user reads, and may not edit.
	p.open("viewer")
	p.press("Reader")
	p.press("Open")
	p.until(`document.querySelectorAll('main .pair > :first-child .list li').length === 2`)
	p.until(`[...document.querySelectorAll('.tool:not(.on)')].some((e) => e.innerText.startsWith('Edit'))`)
}

// TestGateway looks at a gateway that breaks a rule.
func TestGateway(t *testing.T) {
	t.Parallel()
	s := newSite(t, office.Config{Plain: true})
	gateway := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
		time.Sleep(100 * time.Millisecond) // so that the page asks for the session before it is open
		w.Header().Set("Content-Type", "application/json")
		_, _ = io.WriteString(w, `{"code":0,"data":{"id":"other","read":1}}`)
	}))
	defer gateway.Close()
	p := newTab(t, s.URL)
	p.open("viewer")
	// What the page hears of the session comes before the answer that it asked for.
	eval[bool](p, `(() => {
		const fetch = window.fetch;
		window.fetch = async (...request) => {
			const answer = await fetch(...request);
			if (/viewer.sessions.[^/]+$/.test(request[0])) await new Promise((late) => setTimeout(late, 1000));
			return answer;
		};
		return true;
	})()`)
	p.types(labelled("Gateway"), gateway.URL)
	p.types(labelled("File id"), "plan")
	p.press("Open")
	p.until(`document.querySelector('.rules .note.bad')?.innerText.includes('protocol')`)
	p.sees("Not opened yet")
	p.click(css(".calls a"))
	p.sees("Copy as curl")
	p.sees("/v3/3rd/")
}

func TestPlugin(t *testing.T) {
	t.Parallel()
	s := newSite(t, office.Config{Plain: true})
	source, err := token.NewClientCredentials(token.ClientCredentialsConfig{
		URL: s.URL + "/oauth2/token", Clients: map[string]token.Client{"dev-app": {ID: "dev-app", Secret: signing.NewSecret("dev-app-key")}},
	})
	if err != nil {
		t.Fatal(err)
	}
	h, err := token.NewHandler(token.Config{
		Auth: signing.Unsigned, Authorize: func(context.Context, token.Request) error { return nil }, Source: source,
	})
	if err != nil {
		t.Fatal(err)
	}
	callback := httptest.NewServer(h)
	defer callback.Close()

	p := newTab(t, s.URL)
	p.open("plugin")
	p.sees("No token was asked for yet")
	p.types(labelled("Address"), callback.URL)
	p.types(labelled("File id"), "deck")
	p.types(labelled("User token"), "ann")
	p.press("Ask for a token")
	p.until(named(".tag", "Token received"))
	p.until(css(".life .number") + `?.innerText.startsWith('1:59:')`)
	p.until(css(".clients") + `?.innerText.includes('1 token issued')`)

	// The life runs down.
	p.until(fmt.Sprintf(`(window.before ??= %[1]s) && %[1]s !== window.before`, css(".life .number")+".innerText"))

	p.press("Add a client, or change a secret")
	p.types(labelled("Client id"), "second")
	p.types(labelled("Secret"), "second-secret")
	p.press("Save")
	p.until(css(".clients") + `.innerText.includes('second-secret')`)
}

func TestFaults(t *testing.T) {
	t.Parallel()
	s := newSite(t, office.Config{Plain: true})
	p := newTab(t, s.URL)
	p.open("faults")
	chat := `[...document.querySelectorAll('.panel')].find((e) => e.querySelector('h2')?.innerText === 'Chat')`
	p.until(chat)
	p.click(fmt.Sprintf(`[...%s.querySelectorAll('.choice')].find((e) => e.innerText === 'Limited')`, chat))
	p.click(fmt.Sprintf(`%s.querySelector('form > div button')`, chat))
	p.until(chat + `.innerText.includes('Switch off')`)
	p.sees("1 fault is on")
	if code := s.send(s.robots()[0], text("hello")); code != http.StatusTooManyRequests {
		t.Errorf("status %d, want 429", code)
	}
	p.until(chat + `.innerText.includes('1 request spoilt so far')`)
	p.press("Switch off")
	p.until(chat + `.innerText.includes('Switch on')`)
	if code := s.send(s.robots()[0], text("hello")); code != http.StatusOK {
		t.Errorf("status %d, want 200", code)
	}

	// The clock of an area is that of all its requests.
	p.click(fmt.Sprintf(`%s.querySelector('summary')`, chat))
	p.types(chat+`.querySelector('[name=times]')`, "3")
	p.click(fmt.Sprintf(`[...%s.querySelectorAll('.choice')].find((e) => e.innerText === 'Wrong clock')`, chat))
	p.until(fmt.Sprintf(`!%[1]s.querySelector('[name=times], fieldset')`, chat))
	p.click(fmt.Sprintf(`%s.querySelector('form > div button')`, chat))
	p.until(chat + `.innerText.includes('20m')`)
	p.press("Switch off")

	p.press("+31m")
	p.sees("Clock ahead by 31m")
	p.press("Reset everything…")
	p.press("Yes, forget everything")
	p.sees("Everything is as at the start")
	p.until(`document.getElementById('clock').innerText === ''`)
	if ahead := call[struct{ Offset string }](s, http.MethodGet, "/time", nil).Offset; ahead != "0s" {
		t.Errorf("the clock is ahead by %s", ahead)
	}
}
