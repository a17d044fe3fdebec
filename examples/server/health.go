package main

import (
	"context"
	"net/http"
	"sync"
	"time"
)

// readyTimeout is how long a part may take to say that it is there.
const readyTimeout = 2 * time.Second

// readyz says whether this replica can do its work: its storage and its jobs are there, and
// it is not about to end. Redis is reported, and does not decide: without it documents open,
// and jobs are accepted and wait. The service is not asked, because its absence is no reason
// to take all replicas away.
func (a *app) readyz(w http.ResponseWriter, r *http.Request) {
	ctx, cancel := context.WithTimeout(r.Context(), readyTimeout)
	defer cancel()
	parts := map[string]func(context.Context) error{"storage": a.storage.ready, "jobs": a.queue.ready}
	if a.shared.ready != nil {
		parts["redis"] = a.shared.ready
	}
	var mu sync.Mutex
	var group sync.WaitGroup
	status, answer := http.StatusOK, map[string]string{}
	for name, ready := range parts {
		group.Go(func() {
			err := ready(ctx)
			mu.Lock()
			defer mu.Unlock()
			answer[name] = "ok"
			if err != nil {
				answer[name] = "unavailable"
				if name != "redis" {
					status = http.StatusServiceUnavailable
				}
				a.logger.WarnContext(ctx, "not ready", "part", name, "error", err)
			}
		})
	}
	group.Wait()
	if a.leaving.Load() {
		status, answer["process"] = http.StatusServiceUnavailable, "ending"
	}
	writeJSON(w, status, answer)
}
