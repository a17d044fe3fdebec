package tokenredis_test

import (
	"context"
	"fmt"
	"net"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/alicebob/miniredis/v2"
	"github.com/redis/go-redis/v9"
)

// redisServer is a redis-server of this test, in a folder of its own.
type redisServer struct {
	addr, dir string
	settings  []string
	process   *exec.Cmd
}

// startRedis starts a redis-server on a free port, and ends it after the test. If there
// is none on this machine, the test is skipped, or fails if WEBOFFICE_REQUIRE names it. It
// writes everything to its folder, unless settings say otherwise.
func startRedis(tb testing.TB, settings ...string) *redisServer {
	tb.Helper()
	if _, err := exec.LookPath("redis-server"); err != nil {
		if slices.Contains(strings.Split(os.Getenv("WEBOFFICE_REQUIRE"), ","), "redis-server") {
			tb.Fatalf("WEBOFFICE_REQUIRE has redis-server, and %v", err)
		}
		tb.Skip(err)
	}
	r := &redisServer{addr: freeAddr(tb), dir: tb.TempDir(), settings: settings}
	r.start(tb)
	tb.Cleanup(r.kill)
	return r
}

// freeAddr is an address on which nothing listens.
func freeAddr(tb testing.TB) string {
	tb.Helper()
	listener, err := net.Listen("tcp", "127.0.0.1:0") //nolint:noctx // It is closed immediately.
	if err != nil {
		tb.Fatal(err)
	}
	defer func() { _ = listener.Close() }()
	return listener.Addr().String()
}

// start starts it, also again after kill, with what was written to the folder.
func (r *redisServer) start(tb testing.TB) {
	tb.Helper()
	_, port, _ := net.SplitHostPort(r.addr)
	settings := append([]string{
		"--port", port, "--bind", "127.0.0.1", "--dir", r.dir, "--logfile", filepath.Join(r.dir, "log"),
		"--save", "", "--appendonly", "yes", "--appendfsync", "always",
	}, r.settings...)
	r.process = exec.CommandContext(context.WithoutCancel(tb.Context()), "redis-server", settings...)
	if err := r.process.Start(); err != nil {
		tb.Fatal(err)
	}
	client := r.client(tb)
	for range 200 {
		if client.Ping(tb.Context()).Err() == nil {
			return
		}
		time.Sleep(50 * time.Millisecond)
	}
	log, _ := os.ReadFile(filepath.Join(r.dir, "log"))
	tb.Fatalf("redis-server does not answer: %s", log)
}

func (r *redisServer) kill() {
	_ = r.process.Process.Kill()
	_ = r.process.Wait()
}

// client is a client of its own, as each replica has one.
func (r *redisServer) client(tb testing.TB) redis.UniversalClient {
	tb.Helper()
	return newClient(tb, r.addr)
}

func newClient(tb testing.TB, addr string) *redis.Client {
	tb.Helper()
	client := redis.NewClient(&redis.Options{Addr: addr})
	tb.Cleanup(func() { _ = client.Close() })
	return client
}

// engines are what the suites run on.
var engines = map[string]func(tb testing.TB) (addr string){
	"miniredis":    func(tb testing.TB) string { tb.Helper(); return miniredis.RunT(tb).Addr() },
	"redis-server": func(tb testing.TB) string { tb.Helper(); return startRedis(tb).addr },
}

// dump is every key and value of a server, as an operator sees them.
func dump(tb testing.TB, client redis.UniversalClient) string {
	tb.Helper()
	ctx := tb.Context()
	var b strings.Builder
	keys := client.Scan(ctx, 0, "*", 100).Iterator()
	for keys.Next(ctx) {
		key := keys.Val()
		fmt.Fprintf(&b, "%s %s\n", key, client.Dump(ctx, key).Val())
		fmt.Fprintln(&b, client.HGetAll(ctx, key).Val())
		if client.PTTL(ctx, key).Val() <= 0 {
			tb.Errorf("%s does not expire", key)
		}
	}
	if err := keys.Err(); err != nil {
		tb.Fatal(err)
	}
	return b.String()
}
