package main

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"net/http"
	"path"
	"slices"
	"strings"
	"time"

	"github.com/weboffice-go/weboffice/preview"
	"github.com/weboffice-go/weboffice/webhook/webhooktest"
)

// verify compares what the service got with what was asked for, and prints figures.
func (w *work) verify(ctx context.Context) error {
	all := time.Since(w.began)
	w.line("%d replicas, %d kills, redis too, %v in all; %d requests went to another replica", len(w.replicas), w.kills, all.Round(time.Second), w.service.proxy.repeats.Load())
	w.verifyConversions(ctx)
	w.verifyChat(ctx)
	w.verifySaves(ctx)
	w.verifyTokens(all)
	w.verifyQueue(ctx)
	w.verifyLogs()
	slices.Sort(w.problems)
	w.line("problems: %d", len(w.problems))
	for _, p := range w.problems[:min(len(w.problems), 20)] {
		w.line("  %s", p)
	}
	if len(w.problems) > 0 {
		return errors.New("something was lost, was done twice, or is wrong")
	}
	return nil
}

func (w *work) line(format string, args ...any) { fmt.Fprintf(w.out, format+"\n", args...) }

// verifyConversions: each is done, has its file, and was submitted once, unless the
// server says that it repeated the submit.
func (w *work) verifyConversions(ctx context.Context) {
	submits := map[string]int{}
	for _, s := range w.service.convert.Submissions() {
		submits[strings.TrimSuffix(path.Base(s.Filename), ".docx")]++
	}
	repeated, twice := 0, 0
	for i, id := range w.conversions {
		var j job
		var file []byte
		if err := w.call(ctx, http.MethodGet, "/api/v1/conversions/"+id, "", "", &j); err != nil || j.State != "done" || len(j.Files) != 1 {
			w.problem("conversion %d (job %s): %+v, %v", i, id, j, err)
			continue
		}
		if err := w.call(ctx, http.MethodGet, "/api/v1/conversions/"+id+"/files/"+j.Files[0].Name, "", "", &file); err != nil || string(file) != "%PDF converted" {
			w.problem("conversion %d: the result is %q, %v", i, file, err)
		}
		n := submits[converted(i)]
		if n < 1 || n > 1+j.Repeated {
			w.problem("conversion %d was submitted %d times, and the server says that it repeated %d", i, n, j.Repeated)
		}
		repeated += j.Repeated
		twice += max(0, n-1)
	}
	nearly := w.took["nearly all conversions"]
	w.line("conversions: %d, the first 95 %% in %v (%.1f a second), all in %v; %d submits, %d cut off and repeated, %d tasks twice; %d calls over the limit",
		len(w.conversions), nearly.Round(time.Second), .95*float64(len(w.conversions))/nearly.Seconds(), w.took["all conversions"].Round(time.Second),
		len(w.service.convert.Submissions()), repeated, twice, w.service.limited.n.Load())
}

// verifyChat: each message and each answer is there once, unless the server says that it
// posted one again, and no minute has more than it may.
func (w *work) verifyChat(ctx context.Context) {
	sent := w.service.chat.Sent()
	count := map[string]int{}
	var times []time.Time
	refused := 0
	for _, m := range sent {
		if m.Refused != "" {
			refused++
			continue
		}
		times = append(times, m.At)
		for word := range strings.FieldsSeq(string(bytes.Map(letters, m.Body))) {
			count[word]++
		}
	}
	if refused > 0 {
		w.problem("the chat refused %d messages, such as one too many in its minute", refused)
	}
	repeated, err := w.logged("a message is posted again")
	if err != nil {
		w.problem("logs: %v", err)
	}
	twice := 0
	for i, id := range w.messages {
		var j job
		if err := w.call(ctx, http.MethodGet, "/api/v1/messages/"+id, "", "", &j); err != nil || j.State != "sent" {
			w.problem("message %d (job %s): %+v, %v", i, id, j, err)
		}
		n := count[note(i)]
		if n < 1 || n > 1+j.Repeated {
			w.problem("message %d is %d times in the chat, and the server says that it repeated %d", i, n, j.Repeated)
		}
		twice += max(0, n-1)
	}
	for i := range w.mentions {
		n := count[said(i)]
		if n < 1 {
			w.problem("mention %d has no answer", i)
		}
		twice += max(0, n-1)
	}
	if twice > repeated {
		w.problem("%d messages are twice in the chat, and the server says that it repeated %d", twice, repeated)
	}
	w.line("chat: %d messages and %d answers to %d deliveries, at most %d in a minute (%d allowed), %d refused; %d cut off and repeated, %d there twice",
		len(w.messages), w.mentions, 2*w.mentions, most(times, time.Minute), w.perMinute, refused, repeated, twice)
}

// letters makes words of a body, as note and said write them.
func letters(r rune) rune {
	if r >= '0' && r <= '9' || r >= 'a' && r <= 'z' {
		return r
	}
	return ' '
}

// most returns how many of times lie in one period, at most.
func most(times []time.Time, period time.Duration) int {
	slices.SortFunc(times, time.Time.Compare)
	n, first := 0, 0
	for i := range times {
		for times[i].Sub(times[first]) >= period {
			first++
		}
		n = max(n, i-first+1)
	}
	return n
}

// verifySaves: every version is what was acknowledged, and there is no other.
func (w *work) verifySaves(ctx context.Context) {
	total := 0
	for _, id := range edited {
		v, _, err := w.viewer(ctx, id)
		if err != nil {
			w.problem("%s: %v", id, err)
			continue
		}
		files, err := v.Versions(ctx, id, preview.Page{})
		if err != nil || len(files) != len(w.saved[id]) {
			w.problem("%s has %d versions, %v, and %d were acknowledged", id, len(files), err, len(w.saved[id]))
		}
		for _, f := range files {
			var got bytes.Buffer
			d, err := v.DownloadVersion(ctx, id, f.Version)
			if err == nil {
				err = v.Fetch(ctx, f, d, &got)
			}
			if err != nil || got.String() != w.saved[id][f.Version] {
				w.problem("version %d of %s has other bytes than were acknowledged: %v", f.Version, id, err)
			}
		}
		total += len(files) - 1
	}
	w.line("saves: %d acknowledged, %d versions, in %v", w.saves, total, w.took["saves"].Round(100*time.Millisecond))
}

// verifyTokens: a token is fetched again when half of its life is over, by one replica.
func (w *work) verifyTokens(all time.Duration) {
	fetched := w.service.endpoint.Issued(appID)
	if allowed := int(all/(w.tokenLife/2)) + 1; fetched < 1 || fetched > allowed {
		w.problem("the token was fetched %d times, and it lives %v: at most %d in %v", fetched, w.tokenLife, allowed, all)
	}
	w.line("tokens: %d asked for, %d fetched in %v; each lives %v, and is replaced in the middle", w.tokens.Load(), fetched, all.Round(time.Second), w.tokenLife)
}

// verifyQueue: every job has ended, as the metrics of any replica tell.
func (w *work) verifyQueue(ctx context.Context) {
	var metrics []byte
	if err := w.call(ctx, http.MethodGet, "/metrics", "", "", &metrics); err != nil {
		w.problem("metrics: %v", err)
	}
	for kind, n := range map[string]int{"conversion": len(w.conversions), "message": len(w.messages) + w.mentions} {
		if want := fmt.Sprintf(`weboffice_jobs{kind="%s",state="completed"} %d`, kind, n); n > 0 && !bytes.Contains(metrics, []byte(want)) {
			w.problem("the metrics of a replica do not say %s", want)
		}
	}
}

// verifyLogs: no replica has written a secret, whatever was killed around it.
func (w *work) verifyLogs() {
	for _, secret := range []string{
		appKey, apiToken, linkKey, robotPath, webhooktest.TestKey().Reveal(), secretKey, "X-Amz-Signature", appID + "-token-",
	} {
		if n, err := w.logged(secret); err != nil || n > 0 {
			w.problem("the logs have %q %d times, %v", secret, n, err)
		}
	}
}
