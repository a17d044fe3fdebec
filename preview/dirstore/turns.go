package dirstore

import (
	"context"
	"sync"
)

// turns lets one caller at a time do something about one document, so that a large
// file is not read by all who ask for it.
type turns struct {
	mu   sync.Mutex
	byID map[string]*turn
}

type turn struct {
	taken   chan struct{} // holds one
	callers int
}

func newTurns() *turns { return &turns{byID: map[string]*turn{}} }

// take waits until id is free, or ctx ends.
func (t *turns) take(ctx context.Context, id string) (release func(), err error) {
	mine := t.enter(id)
	select {
	case mine.taken <- struct{}{}:
		return func() {
			<-mine.taken
			t.leave(id)
		}, nil
	case <-ctx.Done():
		t.leave(id)
		return nil, ctx.Err()
	}
}

func (t *turns) enter(id string) *turn {
	t.mu.Lock()
	defer t.mu.Unlock()
	mine := t.byID[id]
	if mine == nil {
		mine = &turn{taken: make(chan struct{}, 1)}
		t.byID[id] = mine
	}
	mine.callers++
	return mine
}

func (t *turns) leave(id string) {
	t.mu.Lock()
	defer t.mu.Unlock()
	mine := t.byID[id]
	if mine.callers--; mine.callers == 0 {
		delete(t.byID, id)
	}
}
