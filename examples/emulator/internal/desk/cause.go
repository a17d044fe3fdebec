package desk

import (
	"bytes"
	"cmp"
	"encoding/base64"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"net/http"
	"net/url"
	"strings"
	"time"

	"github.com/weboffice-go/weboffice/signing"
)

// cause finds out why the signature was refused: it tries what senders usually do wrong,
// until package signing accepts one of them.
func (s signature) cause(refused *signing.Error) (cause, text string) {
	switch refused.Check {
	case signing.CheckDate:
		return s.causeOfDate(refused.Skew)
	case signing.CheckDigest:
		if len(s.body) > 0 {
			return s.causeOfBody()
		}
		return s.causeOfTarget()
	case signing.CheckShape:
		return s.causeOfShape()
	case signing.CheckCaller:
		return "app", "No app or robot here has this id: compare it with the credentials on the overview."
	default:
		return s.causeOfSignature()
	}
}

func (s signature) causeOfDate(skew time.Duration) (cause, text string) {
	switch date := s.header.Get("Date"); {
	case date == "":
		return "missing", "There is no Date header. Some HTTP libraries remove one that they are given: look for a setting."
	case skew == 0:
		return "zone", "Date cannot be read. It must look like " + signing.FormatDate(s.now) + "."
	}
	const half = 30 * time.Minute
	if zone := skew.Round(half); zone != 0 && zone.Abs() <= 14*time.Hour && (skew-zone).Abs() <= 2*time.Minute {
		return "zone", fmt.Sprintf("Date is %v off, which is a time zone: a local time was labelled GMT. Convert it to UTC before it is formatted.", zone)
	}
	return "clock", fmt.Sprintf("The clocks differ by %v. Set the clock of the sender, and look whether the clock here was moved.", skew.Round(time.Second))
}

// causeOfBody compares Content-Md5 with that of bodies that the sender may have had.
func (s signature) causeOfBody() (cause, text string) {
	sent := s.header.Get("Content-Md5")
	right := signing.ContentMD5(s.body)
	raw, _ := hex.DecodeString(right)
	switch {
	case sent == "":
		return "missing", "There is no Content-Md5 header."
	case strings.EqualFold(sent, right):
		return "encoding", "Content-Md5 is in upper case: write it in lower case."
	case sent == base64.StdEncoding.EncodeToString(raw):
		return "encoding", "Content-Md5 is in base64: write it in lowercase hexadecimal."
	case strings.EqualFold(sent, signing.ContentMD5(nil)):
		return "empty_body", "Content-Md5 is that of nothing: the body was read before it was signed, or was set after it."
	case strings.EqualFold(sent, signing.ContentMD5([]byte(s.target))):
		return "body", "Content-Md5 is that of the request target: with a body, it must be that of the body."
	}
	for what, body := range s.otherBodies() {
		if strings.EqualFold(sent, signing.ContentMD5(body)) {
			return "body", "Content-Md5 is that of the same body " + what + ": sign the bytes that are sent."
		}
	}
	return "body", "The body was changed after it was signed, or encoded a second time: encode it once, and sign and send those bytes."
}

// otherBodies are what the sender may have signed instead.
func (s signature) otherBodies() map[string][]byte {
	bodies := map[string][]byte{
		"without the white space around it": bytes.TrimSpace(s.body),
		"with a line feed at its end":       append(bytes.Clone(s.body), '\n'),
	}
	var compact, escaped, indented bytes.Buffer
	if json.Compact(&compact, s.body) == nil {
		bodies["without the white space in it"] = compact.Bytes()
		json.HTMLEscape(&escaped, s.body)
		bodies["with <, > and & escaped"] = escaped.Bytes()
		for _, indent := range []string{"  ", "    ", "\t"} {
			indented.Reset()
			_ = json.Indent(&indented, s.body, "", indent) // Compact has read it.
			bodies["indented by "+fmt.Sprintf("%q", indent)] = bytes.Clone(indented.Bytes())
		}
		spaced := bytes.ReplaceAll(bytes.ReplaceAll(compact.Bytes(), []byte(`":`), []byte(`": `)), []byte(`,"`), []byte(`, "`))
		bodies["with spaces after colons and commas, as Python's json.dumps writes them"] = spaced
		var value any
		if json.Unmarshal(s.body, &value) == nil {
			if sorted, err := json.Marshal(value); err == nil {
				bodies["with its members in another order"] = sorted
			}
		}
	}
	return bodies
}

// causeOfTarget compares Content-Md5 with that of targets that the sender may have had.
func (s signature) causeOfTarget() (cause, text string) {
	sent := s.header.Get("Content-Md5")
	path, rawQuery, _ := strings.Cut(s.target, "?")
	is := func(payload string) bool {
		return payload != "" && strings.EqualFold(sent, signing.ContentMD5([]byte(payload)))
	}
	switch {
	case sent == "":
		return "missing", "There is no Content-Md5 header: without a body it is the MD5 of the request target."
	case s.eaten:
		return "empty_body", "The request declares a body, and none arrived: something read it before."
	case strings.EqualFold(sent, signing.ContentMD5(nil)):
		return "empty_body", "Content-Md5 is that of nothing: without a body it must be that of the request target, path and query."
	case is(s.target), is(path):
		return "encoding", "Content-Md5 is in upper case: write it in lower case."
	}
	if values, err := url.ParseQuery(rawQuery); err == nil && rawQuery != "" && is(path+"?"+values.Encode()) {
		return "query", "Content-Md5 is that of the same query in another order or escaping: sign it as it is sent."
	}
	if plain, err := url.PathUnescape(s.target); err == nil && plain != s.target && is(plain) {
		return "encoding", "Content-Md5 is that of the target before it was escaped: sign it as it is sent."
	}
	for rest := path; ; {
		i := strings.IndexByte(rest[min(1, len(rest)):], '/')
		if i < 0 {
			break
		}
		rest = rest[i+1:]
		if is(rest) || is(rest+"?"+rawQuery) || is(strings.TrimPrefix(rest, "/")) {
			return "prefix", "Content-Md5 is that of " + rest + ": the sender left out the beginning of the path. Sign the whole path."
		}
	}
	return "prefix", "Content-Md5 is of another target than " + cmp.Or(path, "/") + ". Usually a proxy adds or removes a prefix, or the query differs."
}

func (s signature) causeOfShape() (cause, text string) {
	scheme, id, _ := s.parts()
	switch {
	case s.header.Get("Authorization") == "":
		return "missing", "There is no Authorization header."
	case id == "":
		return "shape", "Authorization must be " + s.scheme + ":<app id>:<signature>, or <robot key>:<signature>, without blanks or further colons."
	case scheme != "" && scheme != s.scheme:
		return "scheme", fmt.Sprintf("The scheme is %.40q, and must be %s. The flag -scheme of the emulator changes that.", scheme, s.scheme)
	default:
		return "scheme", "An app signs with three parts, a robot with two: these credentials are of the other kind."
	}
}

// causeOfSignature tries other Content-Types and other secrets.
func (s signature) causeOfSignature() (cause, text string) {
	who, known := s.identity()
	if !known {
		return "key", "No secret is known for this caller."
	}
	sent := s.header.Get("Content-Type")
	for _, other := range []string{"", signing.ContentType, "application/json; charset=utf-8", "application/json;charset=utf-8", "application/json; charset=UTF-8", "application/json;charset=UTF-8", "text/plain", "application/x-www-form-urlencoded"} {
		tried := s
		tried.header = s.header.Clone()
		tried.header.Set("Content-Type", other)
		if err := tried.verify(false, who.credentials()); err == nil && other != sent {
			return "charset", fmt.Sprintf("The signature is for the Content-Type %q, and %q was sent. Some libraries add a charset: send what was signed.", other, sent)
		}
	}
	for _, other := range s.known {
		if other.secret == "" || other == who {
			continue
		}
		if err := s.verify(false, who.with(other.secret)); err == nil {
			return "key", "The signature was made with the secret of " + other.name + "."
		}
	}
	if trimmed := strings.TrimSpace(s.header.Get("Date")); trimmed != s.header.Get("Date") {
		return "encoding", "Date has white space around it."
	}
	return "key", "The secret is another one, or Date, Content-Type and Content-Md5 were not joined in the order below: secret, Content-Md5, Content-Type, Date, without separators. It is a plain SHA-1, not an HMAC."
}

// explainIncoming explains a request to the service, if it is one that is signed.
func (d *Desk) explainIncoming(x Exchange, raw *rawRequest) *Explanation {
	switch x.Operation {
	case "submit", "query":
		return d.explanation(raw, d.clock.dateNow().Add(d.faults.skew(x.Area)), true)
	case "send":
		required := false
		if u, err := url.ParseRequestURI(raw.url); err == nil {
			required = d.chat.signs(u.Query().Get("key"))
		}
		if !required && raw.header.Get("Authorization") == "" {
			return nil
		}
		return d.explanation(raw, d.clock.dateNow().Add(d.faults.skew(x.Area)), required)
	default:
		return nil
	}
}

// explainOutgoing shows how the service signed a callback.
func (d *Desk) explainOutgoing(x Exchange, raw *rawRequest) *Explanation {
	if x.Operation == "bytes" || x.Area == areaChat || raw.header.Get("Authorization") == "" {
		return nil
	}
	u, err := url.Parse(raw.url)
	if err != nil {
		return nil
	}
	signed := *raw
	signed.url = u.RequestURI()
	return d.explanation(&signed, d.clock.dateNow(), true)
}

func (d *Desk) explanation(raw *rawRequest, now time.Time, required bool, further ...identity) *Explanation {
	s := signature{
		method: raw.method, target: raw.url, header: raw.header, body: raw.body, now: now, scheme: d.cfg.Scheme,
		known: append(d.identities(), further...),
	}
	if length := raw.header.Get("Content-Length"); len(raw.body) == 0 && length != "" && length != "0" && raw.method != http.MethodGet {
		s.eaten = true
	}
	return s.explain(required)
}
