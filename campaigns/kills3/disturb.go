package main

import (
	"context"
	"math/rand/v2"
	"os"
	"path/filepath"
	"time"

	"github.com/weboffice-go/weboffice/preview/previews3"
)

// maxShift is how far -clock sets the clock in each direction. It is less than
// previews3.UploadLife: no save may be refused.
const maxShift = 12 * time.Hour

// disturb is what else goes wrong, by -clock and -full. letGo ends it.
func (w *work) disturb(ctx context.Context, random *rand.Rand) (letGo func(), err error) {
	letGo = func() {}
	if w.o.clock {
		// The objects get other times instead of the storage another clock.
		to := rand.N(2*maxShift) - maxShift
		if err := age(filepath.Join(w.o.dir, bucket), to-w.shifted); err != nil {
			return letGo, err
		}
		w.shifted = to
		s, _, err := newStore(w.o.storage)
		if err != nil {
			return letGo, err
		}
		swept, err := s.Sweep(ctx, previews3.SweepOptions{})
		if err != nil {
			return letGo, err
		}
		if swept.Uploads > 0 {
			w.problem("a sweep took %d uploads that are younger than a day", swept.Uploads)
		}
	}
	if w.o.full != "" {
		letGo = fillDisk(filepath.Join(w.o.dir, ".fill"))
		select {
		case <-ctx.Done():
		case <-time.After(time.Duration(20+random.IntN(150)) * time.Millisecond):
		}
	}
	return letGo, nil
}

// fillDisk takes the room of the disk until it is let go.
func fillDisk(name string) (letGo func()) {
	letGo = func() { _ = os.Remove(name) }
	file, err := os.Create(name)
	if err != nil { // There is no room as it is.
		return letGo
	}
	for block := make([]byte, 4096); err == nil; {
		_, err = file.Write(block)
	}
	_ = file.Close()
	return letGo
}
