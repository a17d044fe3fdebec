package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"

	"github.com/weboffice-go/weboffice/examples/internal/demo"
	"github.com/weboffice-go/weboffice/examples/internal/office"
)

// tour is what the steps share.
type tour struct {
	out       io.Writer
	dir       string
	temporary bool // The folder goes at the end.
	side      *demo.Side
	engine    *office.Engine
}

func newTour(ctx context.Context, out io.Writer, dir string) (t *tour, err error) {
	t = &tour{out: out, dir: dir, temporary: dir == ""}
	if t.temporary {
		t.dir, err = os.MkdirTemp("", "weboffice-quickstart-")
	} else {
		err = os.MkdirAll(dir, 0o755)
	}
	if err != nil {
		return nil, err
	}
	defer func() {
		if err != nil {
			err = errors.Join(err, t.close())
		}
	}()
	if t.engine, err = office.New(office.Config{}); err != nil {
		return nil, err
	}
	t.side, err = demo.Start(ctx, t.engine.Converter(0))
	return t, err
}

// close ends what runs, and removes what is temporary.
func (t *tour) close() (err error) {
	if t.side != nil {
		err = t.side.Close()
	}
	if t.engine != nil {
		err = errors.Join(err, t.engine.Close())
	}
	if t.temporary {
		err = errors.Join(err, os.RemoveAll(t.dir))
	}
	return err
}

// say prints one line.
func (t *tour) say(what, format string, args ...any) {
	fmt.Fprintf(t.out, "   %-10s %s\n", what, fmt.Sprintf(format, args...))
}
