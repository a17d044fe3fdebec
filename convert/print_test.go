package convert_test

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"log/slog"
	"strings"
	"testing"

	"github.com/weboffice-go/weboffice/convert"
	"github.com/weboffice-go/weboffice/signing"
)

func TestPrintedWithoutWhatGivesAccess(t *testing.T) {
	t.Parallel()
	const source = "https://user:HIDEME@files.example/a.docx?sig=HIDEME#HIDEME"
	file := convert.File{URL: source, Size: 5, ExpiresAt: now}
	result := convert.Result{Files: []convert.File{file}, Elapsed: 410}
	status := convert.Status{State: "success", Progress: 100, Result: &result, Raw: []byte(source)}
	values := map[string]any{
		"TextRequest": convert.TextRequest{URL: source, Filename: "a.docx", Password: signing.NewSecret("HIDEME"), Pages: convert.Ranges{convert.Page(3)}},
		"PDFRequest":  convert.PDFRequest{URL: source, Filename: "a.docx", Password: signing.NewSecret("HIDEME")},
		"File":        file, "*File": &file, "Result": result, "*Result": &result, "Status": status, "*Status": &status,
		"Outcome":   convert.Outcome{Task: task, Result: &result, Err: errors.New("e")},
		"TaskError": &convert.TaskError{Task: task, Last: &status, Err: convert.ErrFailed},
		"Files":     []convert.File{file},
	}
	for name, value := range values {
		for _, verb := range []string{"%v", "%+v", "%#v", "%s", "%q", "%x", "%d"} {
			if got := fmt.Sprintf(verb, value); strings.Contains(got, "HIDEME") || strings.Contains(got, fmt.Sprintf("%x", "HIDEME")) {
				t.Errorf("%s prints by %s as %s", name, verb, got)
			}
		}
		if name == "Files" {
			continue // encoding/json writes the elements of a slice in their stored form
		}
		for _, handler := range []func(*bytes.Buffer) slog.Handler{
			func(b *bytes.Buffer) slog.Handler { return slog.NewTextHandler(b, nil) },
			func(b *bytes.Buffer) slog.Handler { return slog.NewJSONHandler(b, nil) },
		} {
			var out bytes.Buffer
			slog.New(handler(&out)).Info("x", "v", value)
			if strings.Contains(out.String(), "HIDEME") || strings.Contains(out.String(), "panic") {
				t.Errorf("%s is logged as %s", name, out.String())
			}
		}
	}
	if b, err := json.Marshal(values["TaskError"]); err != nil || strings.Contains(string(b), "HIDEME") {
		t.Errorf("a TaskError as JSON: %s, %v", b, err)
	}
	want := `{https://files.example/a.docx?[secret] 5 2024-04-29T06:47:13Z}`
	if got := fmt.Sprint(file); got != want {
		t.Errorf("a File prints as %s, want %s", got, want)
	}
	outcome := convert.Outcome{Task: task, Result: &result, Paths: []string{"a.txt"}, Err: errors.New("e")}
	if got, want := fmt.Sprintf("%+v", outcome), `{"open:abc" txt {[`+want+`] elapsed:410 resource_size:0} paths:["a.txt"] error:"e"}`; got != want {
		t.Errorf("an Outcome prints as %s, want %s", got, want)
	}
	if got := fmt.Sprint(convert.Outcome{}); got != `{""}` {
		t.Errorf("an empty Outcome prints as %s", got)
	}
	if got := fmt.Sprint(values["TextRequest"]); got != `{txt https://files.example/a.docx?[secret] "a.docx" pages:3 merge:false breaks:false}` {
		t.Errorf("a TextRequest prints as %s", got)
	}
	if b, err := json.Marshal(file); err != nil || !strings.Contains(string(b), "HIDEME") {
		t.Errorf("the stored form of a File lost its address: %s, %v", b, err)
	}
}

func TestErrorsHideQueries(t *testing.T) {
	t.Parallel()
	req := text()
	req.URL = "https://user:passw0rd@files.example/a.docx?a=1&Signature=s%2Bignature"
	req.Password = signing.NewSecret("pa55")
	for body, want := range map[string]string{
		`{"code":30009,"message":"cannot get ` + req.URL + `"}`:                "cannot get https://[secret]@files.example/a.docx?[secret]",
		`{"code":30009,"message":"bad signature s+ignature, or s%2Bignature"}`: "bad signature [secret], or [secret]",
		`{"code":30009,"message":"wrong password pa55"}`:                       "wrong password [secret]",
		`{"code":30009,"message":"see https://x.example/y?k=v, really?"}`:      "see https://x.example/y?[secret], really?",
		`{"code":30009,"msg":"http:\/\/a:bcd@x.example\/y?k=v"}`:               "http://[secret]@x.example/y?[secret]",
		`{"code":30009,"msg":"mail a@b.example, see #12 or x#k=v"}`:            "mail a@b.example, see #12 or x#[secret]",
		`{"code":30009,"msg":"see https://x.example/y?0123456789abcdef"}`:      "see https://x.example/y?[secret]",
		`{"code":30009,"msg":"what? when?"}`:                                   "what? when?",
	} {
		_, err := newClient(t, &service{answers: []string{body}}, nil).SubmitText(t.Context(), req)
		refused := apiError(t, err)
		if refused.Message != want {
			t.Errorf("the message of %s is %q, want %q", body, refused.Message, want)
		}
		for _, secret := range []string{"passw0rd", "ignature", "pa55", "k=v"} {
			if secret != "ignature" && bytes.Contains(refused.Body, []byte(secret)) || bytes.Contains(refused.Body, []byte("s+"+secret)) {
				t.Errorf("Body holds %s: %s", secret, refused.Body)
			}
		}
	}
}

func FuzzClean(f *testing.F) {
	for _, s := range []string{"", "?", "://", ":/", `:\/\/@`, "a?b=c d", "https://a:b@c/?d=e", "@", "#=", "http://@?="} {
		f.Add(s, s)
	}
	f.Fuzz(func(t *testing.T, before, after string) {
		before = strings.NewReplacer("?", "", "#", "").Replace(before) // a query of its own would hide the rest
		text := before + " https://user:HIDEUSER@files.example/a.docx?sig=HIDEQUERY " + after
		got := convert.Clean(text)
		if strings.Contains(got, "HIDE") && !strings.Contains(before+after, "HIDE") {
			t.Errorf("Clean(%q) = %q", text, got)
		}
		if again := convert.Clean(got); again != got && !strings.ContainsAny(after+before, "?#@") {
			t.Errorf("Clean(%q) = %q, and again %q", text, got, again)
		}
	})
}

// What other goroutines work with is not read by printing it.
func TestClientPrintsItsAddress(t *testing.T) {
	t.Parallel()
	c := newClient(t, &service{}, nil)
	for _, verb := range []string{"%v", "%+v", "%#v", "%s", "%d"} {
		if got := fmt.Sprintf(verb, c); !strings.HasPrefix(got, "convert.Client(http") || strings.Contains(got, " ") {
			t.Errorf("%s prints %q, want the address", verb, got)
		}
	}
}
