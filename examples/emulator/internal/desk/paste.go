package desk

import (
	"errors"
	"net/http"
	"net/textproto"
	"slices"
	"strings"
	"time"

	"github.com/weboffice-go/weboffice/signing"
)

// handleExplain explains a request that was pasted.
func (d *Desk) handleExplain(r *http.Request) (any, error) {
	var body struct {
		Request       string    `json:"request"`
		Now           time.Time `json:"now"`
		AppID         string    `json:"app_id"`
		AppKey        string    `json:"app_key"`
		RobotKey      string    `json:"robot_key"`
		SigningSecret string    `json:"signing_secret"`
	}
	if err := readJSON(r, &body); err != nil {
		return nil, err
	}
	raw, err := readPasted(body.Request)
	if err != nil {
		return nil, describeRaw(err)
	}
	var further []identity
	if (body.AppID == "") != (body.AppKey == "") || (body.RobotKey == "") != (body.SigningSecret == "") {
		return nil, problem{"app_key", "an id and its secret go together: app_id and app_key, robot_key and signing_secret"}
	}
	if body.AppID != "" {
		further = append(further, identity{scheme: d.cfg.Scheme, id: body.AppID, name: "app " + body.AppID, secret: body.AppKey})
	}
	if body.RobotKey != "" {
		further = append(further, identity{id: body.RobotKey, name: "robot", secret: body.SigningSecret})
	}
	for _, i := range further {
		if _, err := signing.NewSigner(i.credentials()); err != nil {
			return nil, problem{"app_key", "these credentials cannot sign: an id and a secret have no white space around them"}
		}
	}
	if body.Now.IsZero() {
		body.Now = d.clock.dateNow()
	}
	return d.explanation(raw, body.Now, true, further...), nil
}

var errNoRequest = errors.New("it is neither a request line with headers, nor a curl command")

// readPasted reads a raw HTTP request, or a curl command.
func readPasted(s string) (*rawRequest, error) {
	s = strings.TrimLeft(s, " \t\r\n")
	if rest, ok := strings.CutPrefix(s, "curl "); ok {
		return readCurl(rest)
	}
	head, body, found := strings.Cut(s, "\r\n\r\n")
	if !found {
		head, body, _ = strings.Cut(s, "\n\n")
	}
	first, lines, _ := strings.Cut(head, "\n")
	parts := strings.Fields(first)
	if len(parts) < 2 || len(parts) > 3 || strings.ToUpper(parts[0]) != parts[0] {
		return nil, errNoRequest
	}
	raw := &rawRequest{method: parts[0], header: http.Header{}, body: []byte(body)}
	var err error
	if raw.url, err = pastedTarget(parts[1]); err != nil {
		return nil, err
	}
	for l := range strings.Lines(lines) {
		if l = strings.TrimRight(l, "\r\n"); l == "" {
			continue
		}
		name, value, ok := strings.Cut(l, ":")
		if !ok {
			return nil, errors.New("a header has no colon: " + cut(l, 100))
		}
		raw.header[textproto.CanonicalMIMEHeaderKey(strings.TrimSpace(name))] = append(raw.header[textproto.CanonicalMIMEHeaderKey(strings.TrimSpace(name))], strings.TrimSpace(value))
	}
	return raw, nil
}

// pastedTarget is the request target; a whole URL is cut.
func pastedTarget(s string) (string, error) {
	if strings.HasPrefix(s, "/") {
		return s, nil
	}
	return targetOf(s)
}

// readCurl reads the options of a curl command that make a request.
func readCurl(s string) (*rawRequest, error) {
	words, err := shellWords(s)
	if err != nil {
		return nil, err
	}
	raw := &rawRequest{header: http.Header{}}
	var data []string
	for len(words) > 0 {
		word := words[0]
		words = words[1:]
		if !strings.HasPrefix(word, "-") || word == "-" {
			if raw.url, err = pastedTarget(word); err != nil {
				return nil, err
			}
			continue
		}
		option, value := splitOption(word)
		if slices.Contains(optionsWithValue(), option) && value == "" {
			if len(words) == 0 {
				return nil, errors.New(option + " needs a value")
			}
			value, words = words[0], words[1:]
		}
		switch option {
		case "-H", "--header":
			name, text, _ := strings.Cut(value, ":")
			raw.header.Add(name, strings.TrimSpace(text))
		case "-d", "--data", "--data-raw", "--data-binary", "--data-ascii", "--json":
			if strings.HasPrefix(value, "@") && option != "--data-raw" {
				return nil, errors.New("the body is in the file " + value[1:] + ": paste it instead")
			}
			if option == "-d" || option == "--data" || option == "--data-ascii" {
				value = strings.NewReplacer("\r", "", "\n", "").Replace(value)
			}
			data = append(data, value)
		case "-X", "--request":
			raw.method = value
		case "--url":
			if raw.url, err = pastedTarget(value); err != nil {
				return nil, err
			}
		}
	}
	return raw.complete(data)
}

// optionsWithValue are those of curl that are followed by a value.
func optionsWithValue() []string {
	return []string{
		"-H", "--header", "-d", "--data", "--data-raw", "--data-binary", "--data-ascii", "--json", "-X", "--request", "--url",
		"-A", "--user-agent", "-o", "--output", "-m", "--max-time", "--connect-timeout", "-w", "--write-out",
	}
}

// splitOption splits -HName: x, -XPOST and --header=x.
func splitOption(word string) (option, value string) {
	if strings.HasPrefix(word, "--") {
		option, value, _ = strings.Cut(word, "=")
		return option, value
	}
	if len(word) > 2 && strings.ContainsRune("HdXAom", rune(word[1])) {
		return word[:2], word[2:]
	}
	return word, ""
}

// complete fills in what curl adds.
func (raw *rawRequest) complete(data []string) (*rawRequest, error) {
	if raw.url == "" {
		return nil, errors.New("the command has no URL")
	}
	raw.body = []byte(strings.Join(data, "&"))
	if raw.method == "" {
		raw.method = http.MethodGet
		if data != nil {
			raw.method = http.MethodPost
		}
	}
	if data != nil && raw.header.Get("Content-Type") == "" {
		raw.header.Set("Content-Type", "application/x-www-form-urlencoded")
	}
	return raw, nil
}

// shellWords splits a command as a POSIX shell does, without expanding anything.
func shellWords(s string) (words []string, err error) {
	var word strings.Builder
	in, quote, escaped := false, rune(0), false
	end := func() {
		if in {
			words = append(words, word.String())
		}
		word.Reset()
		in = false
	}
	for _, c := range s {
		switch {
		case escaped:
			escaped = false
			if c == '\n' {
				continue
			}
			if quote == '"' && !strings.ContainsRune("\"\\$`", c) {
				word.WriteRune('\\')
			}
			word.WriteRune(c)
			in = true
		case c == '\\' && quote != '\'':
			escaped = true
		case quote != 0 && c == quote:
			quote = 0
		case quote == 0 && (c == '\'' || c == '"'):
			quote, in = c, true
		case quote == 0 && strings.ContainsRune(" \t\r\n", c):
			end()
		default:
			word.WriteRune(c)
			in = true
		}
	}
	end()
	if quote != 0 {
		return nil, errors.New("a quote is not closed")
	}
	return words, nil
}
