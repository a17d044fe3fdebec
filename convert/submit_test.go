package convert_test

import (
	"encoding/json"
	"errors"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/weboffice-go/weboffice/convert"
	"github.com/weboffice-go/weboffice/signing"
)

func TestSubmitSendsTheFieldsOfProtocol21(t *testing.T) {
	t.Parallel()
	const document = `"url":"https://files.example/report.docx?sig=1","filename":"report.docx"`
	tests := []struct {
		name   string
		submit func(c *convert.Client) (convert.Task, error)
		target string
		body   string
	}{
		{
			"text, only what is required",
			func(c *convert.Client) (convert.Task, error) { return c.SubmitText(t.Context(), text()) },
			"/gateway/api/developer/v1/office/convert/to/txt", `{` + document + `}`,
		},
		{
			"text, all fields and a span",
			func(c *convert.Client) (convert.Task, error) {
				req := text()
				req.Password, req.Pages, req.MergePages, req.KeepLineBreaks = signing.NewSecret("p<w"), convert.Span{From: 2, To: 7}, true, true
				return c.SubmitText(t.Context(), req)
			},
			"/gateway/api/developer/v1/office/convert/to/txt",
			`{` + document + `,"password":"p<w","from_page":2,"to_page":7,"long_txt":true,"hold_line_feed":true}`,
		},
		{
			"text, ranges",
			func(c *convert.Client) (convert.Task, error) {
				req := text()
				req.Pages = convert.Ranges{convert.Page(9), {From: 3, To: 5}}
				return c.SubmitText(t.Context(), req)
			},
			"/gateway/api/developer/v1/office/convert/to/txt", `{` + document + `,"ranges":"9,3-5"}`,
		},
		{
			"pdf, only what is required",
			func(c *convert.Client) (convert.Task, error) { return c.SubmitPDF(t.Context(), pdf()) },
			"/gateway/api/developer/v1/office/convert/to/pdf", `{` + document + `}`,
		},
		{
			"pdf, all fields: show_comments is an integer",
			func(c *convert.Client) (convert.Task, error) {
				req := pdf()
				req.Password, req.Pages, req.ShowComments = signing.NewSecret("pw"), convert.Span{From: 1, To: 2}, true
				return c.SubmitPDF(t.Context(), req)
			},
			"/gateway/api/developer/v1/office/convert/to/pdf",
			`{` + document + `,"password":"pw","from_page":1,"to_page":2,"show_comments":1}`,
		},
		{
			"pdf, from a page on",
			func(c *convert.Client) (convert.Task, error) {
				req := pdf()
				req.Pages.From = 4
				return c.SubmitPDF(t.Context(), req)
			},
			"/gateway/api/developer/v1/office/convert/to/pdf", `{` + document + `,"from_page":4}`,
		},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			t.Parallel()
			service := &service{answers: []string{submitted}}
			task, err := test.submit(newClient(t, service, nil))
			if err != nil || task.ID != "open:abc" {
				t.Fatalf("submit = %v, %v, want open:abc", task, err)
			}
			if want := convert.Target(test.target[len(test.target)-3:]); task.Target != want {
				t.Errorf("Target = %q, want %q", task.Target, want)
			}
			calls := service.received()
			if len(calls) != 1 || calls[0].Method != "POST" || calls[0].Target != test.target {
				t.Fatalf("the service received %v, want one POST to %s", calls, test.target)
			}
			var got, want any
			if err := errors.Join(json.Unmarshal([]byte(calls[0].Body), &got), json.Unmarshal([]byte(test.body), &want)); err != nil {
				t.Fatal(err)
			}
			if diff := cmp.Diff(want, got); diff != "" {
				t.Errorf("body (-want +got):\n%s", diff)
			}
		})
	}
}

// badDocument breaks the rules that both requests share.
var badDocument = []struct {
	name, url, filename string
	password            string
	want                []string
}{
	{"nothing at all", "", "", "", []string{"URL", "Filename"}},
	{"a relative url", "/report.docx", "a.docx", "", []string{"URL"}},
	{"another scheme", "ftp://files.example/a.docx", "a.docx", "", []string{"URL"}},
	{"no host", "https:///a.docx", "a.docx", "", []string{"URL"}},
	{"a port and no host", "https://:443/a.docx", "a.docx", "", []string{"URL"}},
	{"a url that cannot be parsed", "https://files.example/%zz", "a.docx", "", []string{"URL"}},
	{"a control character", "https://files.example/\x7f", "a.docx", "", []string{"URL"}},
	{"a url that is not UTF-8", "https://files.example/\xff", "a.docx", "", []string{"URL"}},
	{"no extension", "https://files.example/a.docx", "a", "", []string{"Filename"}},
	{"an empty extension", "https://files.example/a.docx", "a.", "", []string{"Filename"}},
	{"an extension of a folder", "https://files.example/a.docx", "a.docx/b", "", []string{"Filename"}},
	{"an extension alone", "https://files.example/a.docx", ".docx", "", []string{"Filename"}},
	{"an extension alone in a folder", "https://files.example/a.docx", "a/.docx", "", []string{"Filename"}},
	{"an unknown extension", "https://files.example/a.docx", "a.odt", "", []string{"Filename"}},
	{"a blank behind", "https://files.example/a.docx", "a.docx ", "", []string{"Filename"}},
	{"a name that is not UTF-8", "https://files.example/a.docx", "\xff.docx", "", []string{"Filename"}},
	{"a password that is not UTF-8", "https://files.example/a.docx", "a.docx", "\xff", []string{"Password"}},
}

func TestSubmitTextRefusesWhatBreaksARule(t *testing.T) {
	t.Parallel()
	tests := map[string]struct {
		change func(*convert.TextRequest)
		want   []string
	}{
		"ends where it starts":    {func(r *convert.TextRequest) { r.Pages = convert.Span{From: 3, To: 3} }, []string{"Pages.To"}},
		"ends before it starts":   {func(r *convert.TextRequest) { r.Pages = convert.Span{From: 3, To: 2} }, []string{"Pages.To"}},
		"negative":                {func(r *convert.TextRequest) { r.Pages = convert.Span{From: -1, To: -2} }, []string{"Pages.From", "Pages.To"}},
		"no ranges":               {func(r *convert.TextRequest) { r.Pages = convert.Ranges{} }, []string{"Pages"}},
		"a range that ends first": {func(r *convert.TextRequest) { r.Pages = convert.Ranges{{1, 1}, {2, 3}, {5, 4}} }, []string{"Pages[2]"}},
		"ranges without ends":     {func(r *convert.TextRequest) { r.Pages = convert.Ranges{{0, 1}, {1, 0}, {-1, 1}} }, []string{"Pages[0]", "Pages[1]", "Pages[2]"}},
		"a pointer":               {func(r *convert.TextRequest) { r.Pages = &convert.Span{From: 1, To: 2} }, []string{"Pages"}},
		"everything at once": {
			func(r *convert.TextRequest) { *r = convert.TextRequest{Pages: convert.Span{From: 2, To: 1}} },
			[]string{"URL", "Filename", "Pages.To"},
		},
	}
	for _, bad := range badDocument {
		tests[bad.name] = struct {
			change func(*convert.TextRequest)
			want   []string
		}{func(r *convert.TextRequest) {
			r.URL, r.Filename, r.Password = bad.url, bad.filename, signing.NewSecret(bad.password)
		}, bad.want}
	}
	for name, test := range tests {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			service := &service{answers: []string{submitted}}
			req := text()
			test.change(&req)
			task, err := newClient(t, service, nil).SubmitText(t.Context(), req)
			if diff := cmp.Diff(test.want, fields(err)); diff != "" || task != (convert.Task{}) {
				t.Errorf("SubmitText = %v, %v; fields (-want +got):\n%s", task, err, diff)
			}
			for line := range strings.SplitSeq(err.Error(), "\n") {
				if !strings.HasPrefix(line, "convert: submit text: ") {
					t.Errorf("the error has the line %q, want package and operation first", line)
				}
			}
			if n := len(service.received()); n != 0 {
				t.Errorf("%d calls were sent, want none", n)
			}
		})
	}
}

func TestSubmitPDFRefusesWhatBreaksARule(t *testing.T) {
	t.Parallel()
	tests := map[string]struct {
		change func(*convert.PDFRequest)
		want   []string
	}{
		"pdf to pdf":            {func(r *convert.PDFRequest) { r.Filename = "a.PDF" }, []string{"Filename"}},
		"one page":              {func(r *convert.PDFRequest) { r.Pages = convert.Page(3) }, []string{"Pages.To"}},
		"ends before it starts": {func(r *convert.PDFRequest) { r.Pages = convert.Span{From: 3, To: 2} }, []string{"Pages.To"}},
		"negative":              {func(r *convert.PDFRequest) { r.Pages = convert.Span{From: -1} }, []string{"Pages.From"}},
	}
	for _, bad := range badDocument {
		tests[bad.name] = struct {
			change func(*convert.PDFRequest)
			want   []string
		}{func(r *convert.PDFRequest) {
			r.URL, r.Filename, r.Password = bad.url, bad.filename, signing.NewSecret(bad.password)
		}, bad.want}
	}
	for name, test := range tests {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			service := &service{answers: []string{submitted}}
			req := pdf()
			test.change(&req)
			task, err := newClient(t, service, nil).SubmitPDF(t.Context(), req)
			if diff := cmp.Diff(test.want, fields(err)); diff != "" || task != (convert.Task{}) {
				t.Errorf("SubmitPDF = %v, %v; fields (-want +got):\n%s", task, err, diff)
			}
			if n := len(service.received()); n != 0 {
				t.Errorf("%d calls were sent, want none", n)
			}
		})
	}
}

func TestSupportsIsTheTableOfProtocol21(t *testing.T) {
	t.Parallel()
	for _, ext := range []string{"pptx", "ppt", "docx", "doc", "xlsx", "xls", "pdf", "DOCX", "Pdf"} {
		isPDF := strings.EqualFold(ext, "pdf")
		if !convert.Supports(convert.Text, "a.b."+ext) {
			t.Errorf("Supports(Text, %q) = false", ext)
		}
		if got := convert.Supports(convert.PDF, "a.b."+ext); got == isPDF {
			t.Errorf("Supports(PDF, %q) = %v", ext, got)
		}
	}
	for _, name := range []string{"", "docx", "a.", "a.txt", "a.docx.zip", "a.docx/", "a.docx?b"} {
		if convert.Supports(convert.Text, name) || convert.Supports(convert.PDF, name) {
			t.Errorf("Supports(%q) = true", name)
		}
	}
	if convert.Supports("png", "a.docx") {
		t.Error(`Supports("png") = true: it is no target of the protocol`)
	}
}
