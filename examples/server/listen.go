package main

import (
	"context"
	"errors"
	"net"
	"strings"
)

// listeners are open before anything else is, because links need to know the port.
type listeners struct {
	public, internal net.Listener
}

// listen opens both addresses, and fills in what the settings leave to them.
func listen(ctx context.Context, s *settings) (*listeners, error) {
	public, err := new(net.ListenConfig).Listen(ctx, "tcp", s.addr)
	if err != nil {
		return nil, err
	}
	internal, err := new(net.ListenConfig).Listen(ctx, "tcp", s.internalAddr)
	if err != nil {
		return nil, errors.Join(err, public.Close())
	}
	if s.public == "" {
		s.public = reached(public)
	}
	s.public = strings.TrimSuffix(s.public, "/")
	s.internalURL = reached(internal)
	return &listeners{public, internal}, nil
}

// reached is a URL of a listener on this machine.
func reached(l net.Listener) string {
	return "http://" + strings.Replace(l.Addr().String(), "[::]", "localhost", 1)
}

// close is for listeners that no server has closed yet.
func (l *listeners) close() {
	_ = l.public.Close()
	_ = l.internal.Close()
}
