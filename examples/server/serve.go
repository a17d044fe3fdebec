package main

import (
	"context"
	"errors"
	"fmt"
	"net"
	"net/http"
	"time"
)

// serve works until ctx ends, and then finishes what was begun. ready is called when
// requests are answered.
func (a *app) serve(ctx context.Context, l *listeners, ready func()) error {
	failed := make(chan error, 2)
	start := func(listener net.Listener, h http.Handler) *http.Server {
		server := &http.Server{Handler: h, ReadHeaderTimeout: readHeader, IdleTimeout: 2 * time.Minute}
		go func() {
			if err := server.Serve(listener); !errors.Is(err, http.ErrServerClosed) {
				failed <- err
			}
		}()
		return server
	}
	public, internal := start(l.public, a.public()), start(l.internal, a.internal())
	err := a.begin(ctx)
	if err == nil {
		ready()
		a.logger.InfoContext(ctx, "ready", "public", a.settings.public, "internal", a.settings.internalURL)
		select {
		case err = <-failed:
		case <-ctx.Done():
		}
	}
	return errors.Join(err, a.end(context.WithoutCancel(ctx), public, internal))
}

// begin starts what works on its own.
func (a *app) begin(ctx context.Context) error {
	if err := a.queue.Start(context.WithoutCancel(ctx)); err != nil {
		return err
	}
	if a.local == nil {
		return nil
	}
	// The chat client checks the callback, as a person would register it there.
	if err := a.local.chat.Register(ctx, a.robot.Key(), a.settings.public+a.settings.robotPath.Reveal()); err != nil {
		return fmt.Errorf("the robot's callback: %w", err)
	}
	return nil
}

// end lets proxies look elsewhere, then takes no more requests, and then no more jobs.
// Jobs that wait for a limit, or are not finished in time, stay in the queue, for another
// replica or the next start.
func (a *app) end(ctx context.Context, public, internal *http.Server) error {
	a.leaving.Store(true)
	a.logger.InfoContext(ctx, "ending")
	time.Sleep(a.settings.drainDelay)
	ctx, cancel := context.WithTimeout(ctx, a.settings.drain)
	defer cancel()
	err := public.Shutdown(ctx)
	if a.receiver != nil {
		err = errors.Join(err, a.receiver.Shutdown(ctx))
	}
	close(a.ending)
	if stop := a.queue.Stop(ctx); stop != nil {
		// What is interrupted here is stored as begun, and continues elsewhere.
		hard, cancel := context.WithTimeout(context.WithoutCancel(ctx), storePatience)
		defer cancel()
		err = errors.Join(err, a.queue.StopAndCancel(hard))
	}
	last, cancel := context.WithTimeout(context.WithoutCancel(ctx), readyTimeout)
	defer cancel()
	return errors.Join(err, internal.Shutdown(last))
}
