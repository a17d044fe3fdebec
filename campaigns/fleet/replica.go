package main

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"sync"
	"syscall"
	"time"

	"github.com/weboffice-go/weboffice/token/tokentest"
	"github.com/weboffice-go/weboffice/webhook/webhooktest"
)

// build makes the program of the replicas from this repository.
func build(ctx context.Context, out string) error {
	cmd := exec.CommandContext(ctx, "go", "build", "-o", out, "github.com/weboffice-go/weboffice/examples/server")
	cmd.Env = append(os.Environ(), "GOFLAGS=") // Not -race, which go test may have set.
	if text, err := cmd.CombinedOutput(); err != nil {
		return fmt.Errorf("go build: %w: %s", err, text)
	}
	return nil
}

// Secrets that all replicas share.
const (
	apiToken = "fleet-api-token-0123456789"
	linkKey  = "fleet-link-key-0123456789"
)

// jobTimeout is short, so that another replica soon takes what a dead one was doing.
const jobTimeout = 5 * time.Second

// replica is one process.
type replica struct {
	public, internal string // addresses
	program, log     string
	env              []string

	mu  sync.Mutex
	cmd *exec.Cmd
}

func newReplica(ctx context.Context, f *fleet, i int) (*replica, error) {
	r := &replica{program: f.server, log: filepath.Join(f.dir, fmt.Sprintf("replica%d.log", i))}
	var err, internalErr error
	r.public, _, err = freeAddr(ctx)
	r.internal, _, internalErr = freeAddr(ctx)
	env := map[string]string{
		"ADDR": r.public, "INTERNAL_ADDR": r.internal, "PUBLIC": gateway, "DRAIN": "10s", "LOG_FORMAT": "json",
		"API_TOKEN": apiToken, "LINK_KEY": linkKey, "ROBOT_PATH": robotPath,
		"SERVICE": f.service.url, "APP_ID": appID, "APP_KEY": appKey, "CALLS_PER_SECOND": strconv.Itoa(f.calls),
		"POLL": "1s", "JOB_TIMEOUT": jobTimeout.String(), "MESSAGES_PER_MINUTE": strconv.Itoa(f.perMinute),
		"ROBOT_URL": f.service.chat.Address(f.service.url, webhooktest.TestKey()).Reveal(),
		"TOKEN_URL": f.service.url + tokentest.EndpointPath,
		"BUCKET":    bucket, "BUCKET_PREFIX": prefix, "S3_ENDPOINT": f.storage.url, "S3_PATH_STYLE": "true",
		"REDIS_URL": "redis://" + f.redis.addr, "POSTGRES_URL": f.postgres.url,
	}
	r.env = append(os.Environ(), "TMPDIR="+f.dir, "AWS_ACCESS_KEY_ID="+accessKey, "AWS_SECRET_ACCESS_KEY="+secretKey, "AWS_REGION="+region)
	if f.bug == "apart" {
		env["REDIS_URL"] += "/" + strconv.Itoa(i)
	}
	for name, value := range env {
		r.env = append(r.env, "WEBOFFICE_"+name+"="+value)
	}
	return r, errors.Join(err, internalErr)
}

// start starts the process and waits until it is ready.
func (r *replica) start(ctx context.Context) error {
	cmd, err := command(ctx, r.log, nil, r.program)
	if err != nil {
		return err
	}
	cmd.Env = r.env
	if err := begin(cmd); err != nil {
		return err
	}
	r.mu.Lock()
	r.cmd = cmd
	r.mu.Unlock()
	for range 1500 {
		req, err := http.NewRequestWithContext(ctx, http.MethodGet, "http://"+r.internal+"/readyz", http.NoBody)
		if err != nil {
			return err
		}
		if resp, err := http.DefaultTransport.RoundTrip(req); err == nil {
			_ = resp.Body.Close()
			return nil // Ready or not: Redis may be away.
		}
		if ctx.Err() != nil {
			return ctx.Err()
		}
		time.Sleep(20 * time.Millisecond)
	}
	return fmt.Errorf("a replica does not start: see %s", r.log)
}

func (r *replica) kill() { _ = r.end(syscall.SIGKILL) }

// end ends the process by a signal. Its error is that of the process.
func (r *replica) end(by syscall.Signal) error {
	r.mu.Lock()
	defer r.mu.Unlock()
	if r.cmd == nil {
		return nil
	}
	_ = r.cmd.Process.Signal(by)
	err := r.cmd.Wait()
	r.cmd = nil
	return err
}

// content reads the body of a request, to send it again.
func content(req *http.Request) ([]byte, error) {
	if req.Body == nil || req.Body == http.NoBody {
		return nil, nil
	}
	defer func() { _ = req.Body.Close() }()
	return io.ReadAll(req.Body)
}

func reader(body []byte) io.ReadCloser { return io.NopCloser(bytes.NewReader(body)) }

// logged counts the lines of all replicas that contain a text.
func (f *fleet) logged(text string) (n int, err error) {
	for _, r := range f.replicas {
		log, readErr := os.ReadFile(r.log)
		err = errors.Join(err, readErr)
		n += strings.Count(string(log), text)
	}
	return n, err
}
