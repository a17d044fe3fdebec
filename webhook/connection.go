package webhook

import (
	"context"
	"errors"
	"net"
	"net/http/httptrace"
	"strings"
	"sync/atomic"
)

// connection notes whether a call got a connection to send on.
type connection struct{ asked, made atomic.Bool }

func (c *connection) watch(ctx context.Context) context.Context {
	return httptrace.WithClientTrace(ctx, &httptrace.ClientTrace{
		GetConn: func(string) { c.asked.Store(true) },
		GotConn: func(httptrace.GotConnInfo) { c.made.Store(true) },
	})
}

// neverMade reports whether a call that failed with err certainly had no connection:
// name resolution, dialing, a proxy or the TLS handshake failed. A transport without
// httptrace proves it with the error of net alone.
func (c *connection) neverMade(err error) bool {
	var op *net.OpError
	return !c.made.Load() && (c.asked.Load() || errors.As(err, &op) && (op.Op == "dial" || strings.HasSuffix(op.Op, "connect")))
}
