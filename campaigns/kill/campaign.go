package main

import (
	"bytes"
	"context"
	"crypto/sha1"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"math/rand/v2"
	"net/http"
	"strings"
	"sync"
	"sync/atomic"
	"time"

	"github.com/weboffice-go/weboffice/preview"
	"github.com/weboffice-go/weboffice/preview/previewtest"
	"github.com/weboffice-go/weboffice/signing"
)

const firstContent = "the first version"

// campaign knows what was acknowledged.
type campaign struct {
	server  *folder
	names   []string
	ids     map[string]string
	gateway atomic.Pointer[string]

	mu    sync.Mutex
	acks  map[string]map[uint32]string // document, version: SHA-1
	tried map[string]map[string]bool   // document: the SHA-1 of all that was ever uploaded
	count struct {
		acknowledged, repeated, completedLater, refused, cut, opened, renames, filled int
		lost, doubled, unknown, gaps, half, changed, document, left                   int
	}
}

func newCampaign(s *folder, documents int) *campaign {
	c := &campaign{server: s, ids: map[string]string{}, acks: map[string]map[uint32]string{}, tried: map[string]map[string]bool{}}
	for n := range documents {
		name := fmt.Sprintf("document %d.docx", n)
		c.names = append(c.names, name)
		c.ids[name] = s.id(name)
		c.acks[name], c.tried[name] = map[uint32]string{}, map[string]bool{sum([]byte(firstContent)): true}
	}
	return c
}

func sum(b []byte) string {
	s := sha1.Sum(b)
	return hex.EncodeToString(s[:])
}

// play kills the server while the editors work.
func (c *campaign) play(ctx context.Context, kills, editors int, fill bool) error {
	ctx, cancel := context.WithCancel(ctx)
	defer cancel()
	var group sync.WaitGroup
	for n := range editors {
		group.Go(func() {
			for ctx.Err() == nil {
				c.edit(ctx, fmt.Sprintf("editor%d", n))
			}
		})
	}
	defer group.Wait()
	defer cancel()
	for n := range kills {
		letGo := func() {}
		gateway, process, wait, err := c.server.start(ctx, false)
		if err != nil {
			return fmt.Errorf("start %d: %w", n, err)
		}
		c.gateway.Store(&gateway)
		if fill && n%4 == 3 {
			time.Sleep(pause() / 2)
			if letGo, err = c.server.fill(); err != nil {
				return err
			}
			c.add(&c.count.filled)
		}
		time.Sleep(pause())
		if err := process.Kill(); err != nil {
			return err
		}
		wait()
		letGo()
		if ctx.Err() != nil {
			return ctx.Err()
		}
	}
	return nil
}

func (c *campaign) add(n *int) {
	c.mu.Lock()
	defer c.mu.Unlock()
	*n++
}

// errRefused is an answer that says no.
var errRefused = errors.New("refused")

// call makes one callback of the service.
func (c *campaign) call(ctx context.Context, user, method, target string, body, into any) error {
	gateway := c.gateway.Load()
	if gateway == nil {
		time.Sleep(10 * time.Millisecond)
		return errors.New("not started")
	}
	v, err := previewtest.NewViewer(previewtest.ViewerConfig{
		BaseURL: *gateway, Credentials: credentials(), WebOfficeToken: signing.NewSecret(user), HTTPClient: client,
	})
	if err != nil {
		return err
	}
	var text []byte
	if body != nil {
		if text, err = json.Marshal(body); err != nil {
			return err
		}
	}
	res, err := v.Do(ctx, method, preview.PathPrefix+"files/"+target, text)
	if err != nil {
		time.Sleep(5 * time.Millisecond)
		return err
	}
	defer func() { _ = res.Body.Close() }()
	answer := struct {
		Code int `json:"code"`
		Data any `json:"data"`
	}{Data: into}
	if err := json.NewDecoder(res.Body).Decode(&answer); err != nil {
		return err
	}
	if answer.Code != 0 {
		return errRefused
	}
	return nil
}

var client = &http.Client{Timeout: 20 * time.Second}

// file is what the campaign reads of file info.
type file struct {
	Version uint32 `json:"version"`
	Size    int64  `json:"size"`
}

// edit makes one save, or one renaming, or opens a document.
func (c *campaign) edit(ctx context.Context, user string) {
	name := c.names[rand.IntN(len(c.names))]
	id := c.ids[name]
	switch rand.IntN(10) {
	case 0:
		var f file
		if c.call(ctx, user, http.MethodGet, id, nil, &f) == nil {
			c.add(&c.count.opened)
		}
	case 1:
		// To the name that it has after the campaign, by way of another one.
		to := "renamed " + name
		if rand.IntN(2) == 0 {
			to = name
		}
		if c.call(ctx, user, http.MethodPut, id+"/name", map[string]string{"name": to}, nil) == nil {
			c.add(&c.count.renames)
		}
	default:
		c.save(ctx, user, name)
	}
}

// save makes the three steps. A complete that was cut is made again, until an answer
// comes; now and then one that was answered is repeated.
func (c *campaign) save(ctx context.Context, user, name string) {
	id := c.ids[name]
	body := []byte(fmt.Sprintf("%s of %s %s\n", user, name, strings.Repeat(fmt.Sprint(rand.Uint64(), " "), 1+rand.IntN(2000))))
	digest := sum(body)
	c.mu.Lock()
	c.tried[name][digest] = true
	c.mu.Unlock()
	request := map[string]any{"file_id": id, "name": name, "size": len(body), "digest": map[string]string{"sha1": digest}, "is_manual": true}
	var address struct {
		URL      string            `json:"url"`
		SendBack map[string]string `json:"send_back_params"`
	}
	if err := c.call(ctx, user, http.MethodPost, id+"/upload/address", request, &address); err != nil {
		c.failed(err)
		return
	}
	if status, err := put(ctx, address.URL, body); err != nil || status > 299 {
		c.failed(errors.Join(err, errIf(status > 299)))
		return
	}
	complete := map[string]any{
		"request": request, "response": map[string]any{"status_code": 201, "headers": map[string]string{}, "body": ""}, "send_back_params": address.SendBack,
	}
	cut := false
	for ctx.Err() == nil {
		var f file
		err := c.call(ctx, user, http.MethodPost, id+"/upload/complete", complete, &f)
		switch {
		case err == nil:
			c.acknowledge(name, f, digest, int64(len(body)), cut)
			if rand.IntN(5) == 0 {
				var again file
				if err := c.call(ctx, user, http.MethodPost, id+"/upload/complete", complete, &again); err == nil {
					c.add(&c.count.repeated)
					if again.Version != f.Version {
						c.add(&c.count.doubled)
					}
				}
			}
			return
		case errors.Is(err, errRefused):
			c.failed(err)
			return
		}
		if !cut {
			c.add(&c.count.cut)
		}
		cut = true
	}
}

func errIf(refused bool) error {
	if refused {
		return errRefused
	}
	return nil
}

func (c *campaign) failed(err error) {
	if errors.Is(err, errRefused) {
		c.add(&c.count.refused)
	}
}

func put(ctx context.Context, url string, body []byte) (int, error) {
	req, err := http.NewRequestWithContext(ctx, http.MethodPut, url, bytes.NewReader(body))
	if err != nil {
		return 0, err
	}
	res, err := client.Do(req)
	if err != nil {
		return 0, err
	}
	return res.StatusCode, res.Body.Close()
}

func (c *campaign) acknowledge(name string, f file, digest string, size int64, cut bool) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.count.acknowledged++
	if cut {
		c.count.completedLater++
	}
	if before, ok := c.acks[name][f.Version]; ok && before != digest || f.Size != size {
		c.count.doubled++
	}
	c.acks[name][f.Version] = digest
}
