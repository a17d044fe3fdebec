package converttest_test

import (
	"net/http"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/weboffice-go/weboffice/convert"
	"github.com/weboffice-go/weboffice/convert/converttest"
	"github.com/weboffice-go/weboffice/signing/signingtest"
)

// with is document and one more field.
func with(field string) string { return document[:len(document)-1] + "," + field + "}" }

func named(filename string) string {
	return `{"url":"https://files.example/a","filename":"` + filename + `"}`
}

func at2(url string) string { return `{"url":` + url + `,"filename":"a.docx"}` }

// TestRulesOfProtocol21 breaks each rule on its own, in requests that are signed
// and right in all else.
func TestRulesOfProtocol21(t *testing.T) {
	t.Parallel()
	for name, tt := range map[string]struct{ target, body, want string }{
		"no object":                {toText, `[]`, "JSON object"},
		"null":                     {toText, `null`, "JSON object"},
		"a string":                 {toText, `"a"`, "JSON object"},
		"cut short":                {toText, document[:20], "JSON object"},
		"cut before the brace":     {toText, document[:len(document)-1], "JSON object"},
		"not UTF-8":                {toText, with(`"password":"` + "\xff" + `"`), "UTF-8"},
		"more after it":            {toText, document + "{}", "follows"},
		"a name twice":             {toText, with(`"url":"https://files.example/b"`), `"url" occurs twice`},
		"unknown field":            {toText, with(`"long_text":true`), `"long_text" is not a field of the txt target`},
		"case of a name":           {toText, with(`"Ranges":"1"`), `"Ranges" is not a field of the txt target`},
		"no url":                   {toText, `{"filename":"a.docx"}`, `"url" is required`},
		"url empty":                {toText, at2(`""`), `"url" must not be empty`},
		"url null":                 {toText, at2(`null`), `"url" must be a string`},
		"url a number":             {toText, at2(`1`), `"url" must be a string`},
		"url relative":             {toText, at2(`"/a.docx"`), `"url" must be an absolute`},
		"url without host":         {toText, at2(`"https:///a.docx"`), `"url" must be an absolute`},
		"url with a port only":     {toText, at2(`"https://:80/a.docx"`), `"url" must be an absolute`},
		"url of ftp":               {toText, at2(`"ftp://files.example/a.docx"`), `"url" must be an absolute`},
		"url of a file":            {toText, at2(`"file:///a.docx"`), `"url" must be an absolute`},
		"url no url":               {toText, at2(`"https://files.example/%zz"`), `"url" must be an absolute`},
		"no filename":              {toText, `{"url":"https://files.example/a.docx"}`, `"filename" is required`},
		"filename empty":           {toText, named(""), `"filename" must not be empty`},
		"filename a number":        {toText, `{"url":"https://files.example/a","filename":1}`, `"filename" must be a string`},
		"filename, no extension":   {toText, named("a"), `"filename" must end in`},
		"filename, dot at its end": {toText, named("a.docx."), `"filename" must end in`},
		"filename, other type":     {toText, named("a.odt"), `"filename" must end in`},
		"extension of the url":     {toText, `{"url":"https://files.example/a.docx","filename":"a"}`, `"filename" must end in`},
		"pdf to pdf":               {toPDF, named("a.pdf"), `"filename" must end in an extension that has a pdf target`},
		"PDF to pdf":               {toPDF, named("a.PDF"), `"filename" must end in an extension that has a pdf target`},
		"password a number":        {toText, with(`"password":1`), `"password" must be a string`},
		"password null":            {toPDF, with(`"password":null`), `"password" must be a string`},
		"from_page a string":       {toText, with(`"from_page":"1"`), `"from_page" must be an integer`},
		"from_page a fraction":     {toText, with(`"from_page":1.5`), `"from_page" must be an integer`},
		"from_page with exponent":  {toText, with(`"from_page":1e2`), `"from_page" must be an integer`},
		"from_page null":           {toText, with(`"from_page":null`), `"from_page" must be an integer`},
		"from_page too large":      {toText, with(`"from_page":2147483648`), `"from_page" must be an integer`},
		"from_page zero":           {toText, with(`"from_page":0`), `"from_page" must be at least 1`},
		"from_page negative":       {toPDF, with(`"from_page":-1`), `"from_page" must be at least 1`},
		"to_page zero":             {toPDF, with(`"to_page":0`), `"to_page" must be at least 1`},
		"to_page a bool":           {toPDF, with(`"to_page":true`), `"to_page" must be an integer`},
		"to_page equal":            {toPDF, with(`"from_page":3,"to_page":3`), `"to_page" must be greater than from_page`},
		"to_page before":           {toText, with(`"from_page":3,"to_page":2`), `"to_page" must be greater than from_page`},
		"ranges and from_page":     {toText, with(`"ranges":"1","from_page":1`), `"ranges" excludes`},
		"ranges and to_page":       {toText, with(`"ranges":"1","to_page":1`), `"ranges" excludes`},
		"ranges an array":          {toText, with(`"ranges":[1]`), `"ranges" must be a string`},
		"ranges a number":          {toText, with(`"ranges":1`), `"ranges" must be a string`},
		"ranges empty":             {toText, with(`"ranges":""`), `"ranges" must not be empty`},
		"ranges, empty item":       {toText, with(`"ranges":"1,,3"`), `"" is neither`},
		"ranges, comma at its end": {toText, with(`"ranges":"1,"`), `"" is neither`},
		"ranges, blank":            {toText, with(`"ranges":"1, 3"`), `" 3" is neither`},
		"ranges, zero":             {toText, with(`"ranges":"0"`), `"0" is neither`},
		"ranges, leading zero":     {toText, with(`"ranges":"01"`), `"01" is neither`},
		"ranges, from zero":        {toText, with(`"ranges":"0-3"`), `"0-3" is neither`},
		"ranges, open end":         {toText, with(`"ranges":"3-"`), `"3-" is neither`},
		"ranges, open start":       {toText, with(`"ranges":"-3"`), `"-3" is neither`},
		"ranges, three ends":       {toText, with(`"ranges":"1-2-3"`), `"1-2-3" is neither`},
		"ranges, sign":             {toText, with(`"ranges":"+1"`), `"+1" is neither`},
		"ranges, letter":           {toText, with(`"ranges":"a"`), `"a" is neither`},
		"ranges, other digits":     {toText, with(`"ranges":"１"`), `is neither`},
		"ranges, too large":        {toText, with(`"ranges":"2147483648"`), `is neither`},
		"ranges, backwards":        {toText, with(`"ranges":"1,5-3"`), `"5-3", whose end lies before its start`},
		"ranges to pdf":            {toPDF, with(`"ranges":"1"`), `"ranges" is not a field of the pdf target`},
		"long_txt an int":          {toText, with(`"long_txt":1`), `"long_txt" must be true or false`},
		"long_txt a string":        {toText, with(`"long_txt":"true"`), `"long_txt" must be true or false`},
		"long_txt null":            {toText, with(`"long_txt":null`), `"long_txt" must be true or false`},
		"long_txt to pdf":          {toPDF, with(`"long_txt":true`), `"long_txt" is not a field of the pdf target`},
		"hold_line_feed an int":    {toText, with(`"hold_line_feed":0`), `"hold_line_feed" must be true or false`},
		"hold_line_feed to pdf":    {toPDF, with(`"hold_line_feed":false`), `"hold_line_feed" is not a field of the pdf target`},
		"show_comments a bool":     {toPDF, with(`"show_comments":true`), `"show_comments" must be 0 or 1`},
		"show_comments false":      {toPDF, with(`"show_comments":false`), `"show_comments" must be 0 or 1`},
		"show_comments 2":          {toPDF, with(`"show_comments":2`), `"show_comments" must be 0 or 1`},
		"show_comments a string":   {toPDF, with(`"show_comments":"1"`), `"show_comments" must be 0 or 1`},
		"show_comments to txt":     {toText, with(`"show_comments":1`), `"show_comments" is not a field of the txt target`},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			s := newServer(t, &converttest.Options{Now: fixed})
			r := send(t, s, signingtest.Credentials(), http.MethodPost, tt.target, tt.body)
			if r.Status != http.StatusBadRequest || r.Code != convert.CodeInvalidArgument || !strings.Contains(r.Message, tt.want) {
				t.Errorf("submit %s = %d %s, want 400, code 10001 and %q", tt.body, r.Status, r.Raw, tt.want)
			}
			if subs := s.Submissions(); len(subs) != 0 {
				t.Errorf("Submissions() = %v, want none", subs)
			}
		})
	}
}

func TestEveryBrokenRuleIsNamed(t *testing.T) {
	t.Parallel()
	s := newServer(t, &converttest.Options{Now: fixed})
	r := send(t, s, signingtest.Credentials(), http.MethodPost, toText, `{"url":"a","from_page":0,"show_comments":1}`)
	for _, field := range []string{"url", "filename", "from_page", "show_comments"} {
		if !strings.Contains(r.Message, `"`+field+`"`) {
			t.Errorf("message %q does not name %q", r.Message, field)
		}
	}
}

// TestContentTypeIsFixed is protocol 5.1. The signature of such a request holds.
func TestContentTypeIsFixed(t *testing.T) {
	t.Parallel()
	s := newServer(t, nil)
	for _, contentType := range []string{"application/json; charset=utf-8", "text/json", ""} {
		req := signingtest.NewRequest(t, signingtest.Credentials(), http.MethodPost, toText, []byte(document))
		resign(t, req, contentType, document)
		if r := serve(t, s, req); r.Code != convert.CodeInvalidArgument || !strings.Contains(r.Message, "Content-Type") {
			t.Errorf("submit as %q = %s, want code 10001 for Content-Type", contentType, r.Raw)
		}
	}
}

func TestAcceptedSubmissions(t *testing.T) {
	t.Parallel()
	for name, tt := range map[string]struct {
		target, body string
		want         converttest.Submission
	}{
		"least":           {toText, document, converttest.Submission{}},
		"everything, txt": {toText, with(`"password":"p","long_txt":true,"hold_line_feed":true,"ranges":"1,3-5,9-9"`), converttest.Submission{MergePages: true, KeepLineBreaks: true, Pages: convert.Ranges{{From: 1, To: 1}, {From: 3, To: 5}, {From: 9, To: 9}}}},
		"everything, pdf": {toPDF, with(`"password":"p","show_comments":1,"from_page":2,"to_page":7`), converttest.Submission{ShowComments: true, Pages: convert.Span{From: 2, To: 7}}},
		"defaults, txt":   {toText, with(`"long_txt":false,"hold_line_feed":false`), converttest.Submission{}},
		"defaults, pdf":   {toPDF, with(`"show_comments":0`), converttest.Submission{}},
		"from_page alone": {toText, with(`"from_page":2`), converttest.Submission{Pages: convert.Span{From: 2}}},
		"to_page alone":   {toPDF, with(`"to_page":1`), converttest.Submission{Pages: convert.Span{To: 1}}},
		"blanks in JSON":  {toText, " {\n\"url\" : \"https://files.example/a.docx\" , \"filename\":\"a.docx\"}\n", converttest.Submission{}},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			s := newServer(t, &converttest.Options{Now: fixed})
			id := submit(t, s, tt.target, tt.body)
			got := s.Submissions()[0]
			tt.want.Task = convert.Task{ID: id, Target: convert.Target(tt.target[len(tt.target)-3:])}
			for what, values := range map[string][2]any{
				"Task":           {got.Task, tt.want.Task},
				"AppID":          {got.AppID, "test-app"},
				"URL":            {got.URL, "https://files.example/a.docx"},
				"Filename":       {got.Filename, "a.docx"},
				"Password":       {got.Password.Reveal() == "p", strings.Contains(tt.body, "password")},
				"Pages":          {got.Pages, tt.want.Pages},
				"MergePages":     {got.MergePages, tt.want.MergePages},
				"KeepLineBreaks": {got.KeepLineBreaks, tt.want.KeepLineBreaks},
				"ShowComments":   {got.ShowComments, tt.want.ShowComments},
				"Body":           {string(got.Body), tt.body},
			} {
				if diff := cmp.Diff(values[1], values[0]); diff != "" {
					t.Errorf("%s (-want +got):\n%s", what, diff)
				}
			}
		})
	}
}

func TestSupportedInputTypes(t *testing.T) {
	t.Parallel()
	for _, extension := range []string{".pptx", ".ppt", ".docx", ".doc", ".xlsx", ".xls", ".pdf", ".DOCX", ".Pdf"} {
		t.Run(extension, func(t *testing.T) {
			t.Parallel()
			s := newServer(t, &converttest.Options{Now: fixed})
			submit(t, s, toText, named("报告"+extension))
			if !strings.EqualFold(extension, ".pdf") {
				submit(t, s, toPDF, named("报告"+extension))
			}
		})
	}
}
