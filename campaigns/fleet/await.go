package main

import (
	"context"
	"net/http"
	"slices"
	"time"
)

// job is what the API tells of a job.
type job struct {
	State, Error string
	Repeated     int
	Files        []struct{ Name string }
}

// ended reports whether a job goes on.
func (j job) ended() bool { return slices.Contains([]string{"done", "sent", "failed"}, j.State) }

// await asks until all jobs of a kind but some have ended.
func (w *work) await(ctx context.Context, kind string, ids []string, but int) error {
	ended := make([]bool, len(ids))
	for {
		open := 0
		for i, id := range ids {
			var j job
			if ended[i] = ended[i] || id == "" || w.call(ctx, http.MethodGet, "/api/v1/"+kind+"/"+id, "", "", &j) == nil && j.ended(); !ended[i] {
				if open++; open > but {
					break // They end more or less in their order.
				}
			}
		}
		if open <= but || ctx.Err() != nil {
			return ctx.Err()
		}
		select {
		case <-ctx.Done():
			return ctx.Err()
		case <-time.After(500 * time.Millisecond):
		}
	}
}

// awaitChat waits until no message arrives any more.
func (w *work) awaitChat(ctx context.Context) error {
	want := w.options.messages + w.mentions
	for range 6000 {
		if len(w.service.chat.Sent()) >= want {
			break
		}
		select {
		case <-ctx.Done():
			return ctx.Err()
		case <-time.After(100 * time.Millisecond):
		}
	}
	return nil
}
