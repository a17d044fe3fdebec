package main

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"math/rand/v2"
	"net/http"
	"strings"
	"sync"
	"sync/atomic"
	"syscall"
	"time"

	"github.com/weboffice-go/weboffice/webhook"
)

// work is what the product and its users did, and what they were told.
type work struct {
	*fleet
	conversions []string // ids of jobs
	messages    []string
	tokens      atomic.Int64
	took        map[string]time.Duration

	mu       sync.Mutex
	saved    map[string]map[uint32]string // text by document and version, as acknowledged
	problems []string
}

func newWork(f *fleet) *work {
	w := &work{
		fleet: f, conversions: make([]string, f.conversions), messages: make([]string, f.messages),
		saved: map[string]map[uint32]string{}, took: map[string]time.Duration{},
	}
	for _, id := range edited {
		w.saved[id] = map[uint32]string{1: "first " + id}
	}
	return w
}

func (w *work) problem(format string, args ...any) {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.problems = append(w.problems, fmt.Sprintf(format, args...))
}

// do does everything at the same time while replicas are killed, and then waits until
// what the dead ones were doing is done by others.
func (w *work) do(ctx context.Context) error {
	var group, disturbing sync.WaitGroup
	quiet := make(chan struct{})
	disturbing.Go(func() { w.disturb(ctx, quiet) })
	disturbing.Go(func() { w.fetchTokens(ctx, quiet) })
	for what, do := range map[string]func(context.Context){
		"conversions": w.convert, "messages": w.post, "mentions": w.mention, "saves": w.save,
	} {
		group.Go(func() {
			do(ctx)
			w.mu.Lock()
			w.took[what] = time.Since(w.began)
			w.mu.Unlock()
		})
	}
	group.Wait()
	err := w.await(ctx, "conversions", w.conversions, len(w.conversions)/20)
	w.took["nearly all conversions"] = time.Since(w.began)
	close(quiet)
	disturbing.Wait()
	if err != nil {
		return err
	}
	// A job of a dead replica is free after 1.25 times the time that a step may take. One
	// replica looks for such jobs when it takes that duty over, and then twice a minute.
	select {
	case <-ctx.Done():
		return ctx.Err()
	case <-time.After(jobTimeout + jobTimeout/4 + time.Second):
	}
	if err := w.roll(ctx); err != nil {
		return err
	}
	if err := w.await(ctx, "conversions", w.conversions, 0); err != nil {
		return err
	}
	w.took["all conversions"] = time.Since(w.began)
	return errors.Join(w.await(ctx, "messages", w.messages, 0), w.awaitChat(ctx))
}

// disturb kills one replica after the other, and once Redis.
func (w *work) disturb(ctx context.Context, quiet <-chan struct{}) {
	for w.kill > 0 && (w.mostKills == 0 || w.kills < w.mostKills) {
		select {
		case <-quiet:
			return
		case <-ctx.Done():
			return
		case <-time.After(w.kill/2 + rand.N(w.kill)):
		}
		r := w.replicas[w.kills%len(w.replicas)]
		r.kill()
		if w.kills++; w.kills == 3 {
			w.redis.kill()
			time.Sleep(time.Second)
			if err := w.redis.start(ctx); err != nil {
				w.problem("redis: %v", err)
			}
		}
		if err := r.start(ctx); err != nil {
			w.problem("after kill %d: %v", w.kills, err)
			return
		}
	}
}

// roll ends every replica as a deployment does, and starts it again.
func (w *work) roll(ctx context.Context) error {
	for _, r := range w.replicas {
		if err := r.end(syscall.SIGTERM); err != nil {
			w.problem("a replica ends by SIGTERM with %v: see %s", err, r.log)
		}
		if err := r.start(ctx); err != nil {
			return err
		}
	}
	return nil
}

// each calls do for 0 to n-1, several at once.
func each(n, atOnce int, do func(i int)) {
	var next atomic.Int64
	var group sync.WaitGroup
	for range atOnce {
		group.Go(func() {
			for i := int(next.Add(1)) - 1; i < n; i = int(next.Add(1)) - 1 {
				do(i)
			}
		})
	}
	group.Wait()
}

// call calls the API of the server.
func (w *work) call(ctx context.Context, method, path, key, body string, out any) error {
	req, err := http.NewRequestWithContext(ctx, method, api+path, strings.NewReader(body))
	if err != nil {
		return err
	}
	req.Header.Set("Authorization", "Bearer "+apiToken)
	if key != "" {
		req.Header.Set("Idempotency-Key", key)
	}
	resp, err := w.service.client.Do(req)
	if err != nil {
		return err
	}
	defer func() { _ = resp.Body.Close() }()
	text, err := io.ReadAll(resp.Body)
	if err != nil {
		return err
	}
	if resp.StatusCode/100 != 2 {
		return fmt.Errorf("HTTP %d: %s", resp.StatusCode, text)
	}
	if raw, ok := out.(*[]byte); ok {
		*raw = text
		return nil
	}
	return json.Unmarshal(text, out)
}

// submit makes a job. An answer that breaks off is asked for again, under the same key.
func (w *work) submit(ctx context.Context, path, key, body string) string {
	var answer struct{ ID string }
	var err error
	for range 5 {
		if err = w.call(ctx, http.MethodPost, path, key, body, &answer); err == nil || ctx.Err() != nil {
			return answer.ID
		}
	}
	w.problem("%s was not accepted: %v", key, err)
	return ""
}

func (w *work) convert(ctx context.Context) {
	each(len(w.conversions), 4, func(i int) {
		body := fmt.Sprintf(`{"file_id":"%s","target":"pdf"}`, converted(i))
		id := w.submit(ctx, "/api/v1/conversions", fmt.Sprintf("conversion %d", i), body)
		w.mu.Lock()
		w.conversions[i] = id
		w.mu.Unlock()
	})
}

// note is the text of a message.
func note(i int) string { return fmt.Sprintf("note%05d", i) }

func (w *work) post(ctx context.Context) {
	each(len(w.messages), 2, func(i int) {
		id := w.submit(ctx, "/api/v1/messages", fmt.Sprintf("message %d", i), `{"text":"`+note(i)+`"}`)
		w.mu.Lock()
		w.messages[i] = id
		w.mu.Unlock()
	})
}

// said is the text of a mention, which is in its answer.
func said(i int) string { return fmt.Sprintf("question%05d", i) }

// mention delivers every event twice, to different replicas, and again until it is
// accepted.
func (w *work) mention(ctx context.Context) {
	each(w.mentions, 4, func(i int) {
		var both sync.WaitGroup
		for copy := range 2 {
			both.Go(func() {
				e := webhook.Event{Content: "@robot " + said(i), CTime: int64(i + 1)}
				if err := w.service.chat.Mention(first(ctx, i+copy), e); err != nil && ctx.Err() == nil {
					w.problem("mention %d: %v", i, err)
				}
			})
		}
		both.Wait()
	})
}
