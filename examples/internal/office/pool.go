package office

import (
	"context"
	"errors"
	"os"
	"sync/atomic"
)

// pool hands out slots, one for each document at once. A slot has an instance of
// LibreOffice, which starts with its first document.
type pool struct {
	cfg        Config
	programs   programs
	dir        string
	slots      chan *slot
	unconfined atomic.Bool  // See start.
	crashes    atomic.Int32 // Of instances, with documents that a process of their own converts.
}

// mostCrashes is how often an instance may die of a document that is none the worse
// for it, before each document gets a process of its own. LibreOffice without its .ui
// files (Debian's -nogui packages) crashes like that.
const mostCrashes = 3

type slot struct {
	pool     *pool
	instance *instance // Nil: not running.
	used     int       // Documents of the instance.
}

func newPool(cfg Config, programs programs, dir string) *pool {
	p := &pool{cfg: cfg, programs: programs, dir: dir, slots: make(chan *slot, cfg.Instances)}
	for range cfg.Instances {
		p.slots <- &slot{pool: p}
	}
	return p
}

// warm reports whether instances are kept.
func (p *pool) warm() bool {
	return p.programs.python != "" && !p.cfg.OneShot && p.crashes.Load() < mostCrashes
}

// acquire waits for a free slot, until ctx ends. Warm ones come first: the last that
// was used is not the next, so all become warm, and stay.
func (p *pool) acquire(ctx context.Context) (*slot, error) {
	select {
	case s := <-p.slots:
		return s, nil
	case <-ctx.Done():
		return nil, context.Cause(ctx)
	}
}

// done gives the slot back.
func (s *slot) done() { s.pool.slots <- s }

// close stops all instances. It waits for those in use.
func (p *pool) close() {
	for range p.cfg.Instances {
		s := <-p.slots
		s.stop()
	}
}

func (s *slot) stop() {
	if s.instance != nil {
		s.instance.stop()
		s.instance, s.used = nil, 0
	}
}

// start starts an instance. If LibreOffice is installed in a way that does not let it
// start while it is confined, which no document has a part in, it is not confined.
func (p *pool) start(ctx context.Context) (*instance, error) {
	unconfined := p.unconfined.Load()
	i, err := startInstance(ctx, p.programs, p.dir, p.cfg.Memory, unconfined)
	if err == nil || ctx.Err() != nil || unconfined || landlock() == 0 {
		return i, err
	}
	i, second := startInstance(ctx, p.programs, p.dir, p.cfg.Memory, true)
	if second != nil {
		return nil, err
	}
	p.unconfined.Store(true)
	p.cfg.Logger.WarnContext(ctx, "office: LibreOffice starts only if it may read all files", "error", err)
	return i, nil
}

// convert has the task done by the slot's instance, or by a process of its own.
func (s *slot) convert(ctx context.Context, t task, scratch string) error {
	if !s.pool.warm() {
		s.stop()
		return s.pool.oneShot(ctx, t, scratch)
	}
	if s.instance == nil {
		instance, err := s.pool.start(ctx)
		if err != nil {
			if ctx.Err() != nil {
				return context.Cause(ctx)
			}
			s.pool.cfg.Logger.WarnContext(ctx, "office: an instance of LibreOffice did not start", "error", err)
			s.pool.crashes.Add(1)
			return s.pool.oneShot(ctx, t, scratch)
		}
		s.instance = instance
	}
	err := s.instance.convert(ctx, t)
	s.used++
	if errors.Is(err, errMemory) && s.used > 1 { // Documents before it had their share.
		s.stop()
		return s.convert(ctx, t, scratch)
	}
	if s.instance.broken || s.used >= s.pool.cfg.DocumentsPerInstance {
		s.stop()
	}
	if errors.Is(err, errCrashed) {
		s.pool.cfg.Logger.WarnContext(ctx, "office: LibreOffice crashed on a document, which gets a process of its own", "document", t.Name, "error", err)
		_ = os.Remove(t.Out)
		if err = s.pool.oneShot(ctx, t, scratch); err == nil {
			s.pool.crashes.Add(1)
		}
	}
	return err
}
