package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net/http"
	"os"
)

// check starts the server a last time, lets it sweep, and looks at everything.
func (c *campaign) check(ctx context.Context) error {
	ctx, cancel := context.WithCancel(ctx)
	defer cancel()
	gateway, process, wait, err := c.server.start(ctx, true)
	if err != nil {
		return err
	}
	defer wait()
	defer func() { _ = process.Kill() }()
	c.gateway.Store(&gateway)
	for _, name := range c.names {
		if err := c.checkDocument(ctx, name); err != nil {
			return fmt.Errorf("%s: %w", name, err)
		}
	}
	left, err := c.server.left()
	c.count.left = len(left)
	return err
}

func (c *campaign) checkDocument(ctx context.Context, name string) error {
	id := c.ids[name]
	// A renaming that was cut may have left either name.
	if err := c.call(ctx, "check", http.MethodPut, id+"/name", map[string]string{"name": name}, nil); err != nil {
		return fmt.Errorf("rename: %w", err)
	}
	var all []file
	if err := c.call(ctx, "check", http.MethodGet, id+"/versions", nil, &all); err != nil {
		return fmt.Errorf("versions: %w", err)
	}
	there := map[uint32]string{}
	for i, f := range all {
		var d struct {
			URL    string `json:"url"`
			Digest string `json:"digest"`
		}
		if err := c.call(ctx, "check", http.MethodGet, fmt.Sprintf("%s/versions/%d/download", id, f.Version), nil, &d); err != nil {
			return fmt.Errorf("version %d: %w", f.Version, err)
		}
		body, err := get(ctx, d.URL)
		if err != nil {
			return fmt.Errorf("version %d: %w", f.Version, err)
		}
		there[f.Version] = sum(body)
		switch {
		case int64(len(body)) != f.Size || sum(body) != d.Digest:
			c.count.half++
		case !c.tried[name][sum(body)]:
			c.count.unknown++
		}
		if i > 0 && all[i-1].Version != f.Version+1 {
			c.count.gaps++
		}
	}
	seen := map[string]bool{}
	for version, digest := range there {
		if seen[digest] && version > 1 {
			c.count.doubled++
		}
		seen[digest] = true
	}
	for version, digest := range c.acks[name] {
		switch got, ok := there[version]; {
		case !ok:
			c.count.lost++
		case got != digest:
			c.count.changed++
		}
	}
	held, err := c.server.holds(name)
	if err != nil {
		return err
	}
	if len(all) == 0 || sum(held) != there[all[0].Version] {
		c.count.document++
	}
	return nil
}

func get(ctx context.Context, url string) ([]byte, error) {
	req, err := http.NewRequestWithContext(ctx, http.MethodGet, url, nil)
	if err != nil {
		return nil, err
	}
	res, err := client.Do(req)
	if err != nil {
		return nil, err
	}
	defer func() { _ = res.Body.Close() }()
	if res.StatusCode != http.StatusOK {
		return nil, errors.New(res.Status)
	}
	return io.ReadAll(res.Body)
}

// print shows the figures, and reports whether all is well.
func (c *campaign) print() bool {
	n := &c.count
	for _, row := range []struct {
		what  string
		count int
	}{
		{"saves acknowledged", n.acknowledged},
		{"  of them after a kill had cut complete", n.completedLater},
		{"complete repeated after a success", n.repeated},
		{"completes cut by a kill", n.cut},
		{"saves refused", n.refused},
		{"renamed", n.renames},
		{"opened", n.opened},
		{"times the disk was full", n.filled},
	} {
		fmt.Fprintf(os.Stdout, "%-45s %6d\n", row.what, row.count)
	}
	bad := 0
	for _, row := range []struct {
		what  string
		count int
	}{
		{"lost", n.lost},
		{"number with other bytes", n.changed},
		{"two numbers for one save, or two saves", n.doubled},
		{"gaps in the numbers", n.gaps},
		{"partial or with another digest", n.half},
		{"bytes that nobody uploaded", n.unknown},
		{"document that is not its newest version", n.document},
		{"left over after the sweep", n.left},
	} {
		fmt.Fprintf(os.Stdout, "%-45s %6d  must be 0\n", row.what, row.count)
		bad += row.count
	}
	return bad == 0
}
