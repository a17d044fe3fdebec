// Fleet runs replicas of examples/server on a real redis-server, PostgreSQL and an S3
// implementation, kills one every few seconds while they convert, post, answer mentions
// and save, and then looks for what was lost or done twice:
//
//	go run ./campaigns/fleet -replicas 3
//
// The service and its users are played by this process, which counts what arrives. Each
// mention is delivered twice, to different replicas, and Redis is killed in the middle. At
// the end nothing may be missing, and nothing may have happened twice but what the server
// itself reports as repeated: a call that was cut off by a kill, whose answer nobody
// knows. The chat must never get more messages in any minute than it permits.
//
// With -bug the replicas are wired wrongly, which shows that the campaign finds it.
//
// It needs redis-server, PostgreSQL (initdb and postgres) and the go command. As root it
// runs PostgreSQL as the user postgres or nobody. The exit code is 1 if something is wrong.
package main

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"io"
	"os"
	"os/signal"
	"path/filepath"
	"sync"
	"syscall"
	"time"
)

// options are the size of a run.
type options struct {
	replicas    int
	conversions int
	messages    int
	mentions    int
	saves       int
	kill        time.Duration // between two kills
	mostKills   int
	calls       int // a second
	perMinute   int
	tokenLife   time.Duration
	server      string // the program; empty: it is built
	bug         string
	keep        bool
	out         io.Writer
}

func main() {
	o := options{out: os.Stdout}
	flag.IntVar(&o.replicas, "replicas", 3, "replicas of the server")
	flag.IntVar(&o.conversions, "conversions", 2000, "documents to convert")
	flag.IntVar(&o.messages, "messages", 300, "messages that the product posts")
	flag.IntVar(&o.mentions, "mentions", 500, "mentions of the robot, each delivered twice and answered by a message")
	flag.IntVar(&o.saves, "saves", 200, "saves in the editor")
	flag.DurationVar(&o.kill, "kill", 3*time.Second, "pause between two kills; 0: none")
	flag.IntVar(&o.mostKills, "kills", 0, "most kills; 0: until nearly all conversions are done")
	flag.IntVar(&o.calls, "calls", 50, "calls that the service permits in any second")
	flag.IntVar(&o.perMinute, "per-minute", 400, "messages that the chat permits in any minute; the service permits 20")
	flag.DurationVar(&o.tokenLife, "token-life", time.Minute, "how long an access token is valid; it is fetched again at half of it")
	flag.StringVar(&o.server, "server", "", "the program examples/server, already built")
	flag.StringVar(&o.bug, "bug", "", "a mistake that must be found: apart (each replica has a Redis of its own)")
	flag.BoolVar(&o.keep, "keep", false, "keep the folder with the logs")
	flag.Parse()
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	err := run(ctx, o)
	stop()
	if err != nil {
		fmt.Fprintln(os.Stderr, "fleet:", err)
		os.Exit(1)
	}
}

// fleet is everything that runs.
type fleet struct {
	options
	dir      string
	redis    *redisServer
	postgres *postgresServer
	storage  *storage
	service  *service
	replicas []*replica
	began    time.Time
	kills    int
}

// run starts a fleet, works it, and checks what became of the work.
func run(ctx context.Context, o options) (err error) {
	f := &fleet{options: o}
	if f.dir, err = os.MkdirTemp("", "fleet-*"); err != nil {
		return err
	}
	defer func() {
		f.stop()
		if !o.keep && err == nil {
			err = os.RemoveAll(f.dir)
		} else {
			fmt.Fprintln(o.out, "logs:", f.dir)
		}
	}()
	if err := os.Chmod(f.dir, 0o755); err != nil { // PostgreSQL is another user.
		return err
	}
	if err := f.start(ctx); err != nil {
		return err
	}
	w := newWork(f)
	if err := w.do(ctx); err != nil {
		return err
	}
	return w.verify(ctx)
}

func (f *fleet) start(ctx context.Context) (err error) {
	if f.redis, err = startRedis(ctx, filepath.Join(f.dir, "redis")); err != nil {
		return err
	}
	if f.postgres, err = startPostgres(ctx, filepath.Join(f.dir, "postgres")); err != nil {
		return err
	}
	if f.server == "" { // Before the storage, which changes the working directory.
		f.server = filepath.Join(f.dir, "server")
		if err := build(ctx, f.server); err != nil {
			return err
		}
	}
	if f.storage, err = startStorage(ctx, filepath.Join(f.dir, "storage")); err != nil {
		return err
	}
	if f.service, err = startService(ctx, f); err != nil {
		return err
	}
	for i := range f.options.replicas {
		r, err := newReplica(ctx, f, i)
		if err != nil {
			return err
		}
		f.replicas = append(f.replicas, r)
	}
	started := make([]error, len(f.replicas))
	var group sync.WaitGroup
	for i, r := range f.replicas { // At once: one of them makes the tables.
		group.Go(func() { started[i] = r.start(ctx) })
	}
	group.Wait()
	err = errors.Join(append(started, f.storage.fill(ctx, f.conversions), f.service.connect(ctx))...)
	f.began = time.Now()
	return err
}

func (f *fleet) stop() {
	for _, r := range f.replicas {
		r.kill()
	}
	if f.service != nil {
		f.service.close()
	}
	if f.postgres != nil {
		f.postgres.stop()
	}
	if f.redis != nil {
		f.redis.kill()
	}
}
