package dirstore

import (
	"context"
	"time"
)

// waitForLock tries until it has the lock, or ctx ends.
func waitForLock(ctx context.Context, try func() (bool, error)) error {
	for wait := time.Millisecond; ; wait = min(2*wait, 20*time.Millisecond) {
		if done, err := try(); done || err != nil {
			return err
		}
		select {
		case <-time.After(wait):
		case <-ctx.Done():
			return ctx.Err()
		}
	}
}
