// Command kills3 kills the replicas of a document server again and again while
// eight editors save, and then looks for what was lost:
//
//	go run ./campaigns/kills3 -kills 600
//
// One process is the storage, a real S3 implementation over a folder, and survives.
// Two replicas serve the callbacks of one bucket over HTTP; in turn, at random
// moments, each is ended by SIGKILL and started again. The editors repeat what
// failed, as the service may. At the end every acknowledged save has to be there
// with its bytes, no number twice or left out, each rename that was acknowledged
// last, and nothing that no version needs after a sweep. The exit code is 1 if
// something is wrong, and 2 for a wrong call.
//
// With -clock the clock of the storage is set back or ahead between the kills, by up to
// twelve hours, and every editor sees objects from the past or the future. With -full DIR
// the storage is on a small file system, such as a tmpfs, which the program fills up now
// and then.
//
// With -bug the replicas have a known mistake, which shows that the campaign finds it.
package main

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"math/rand/v2"
	"net"
	"net/http"
	"os"
	"os/exec"
	"os/signal"
	"path/filepath"
	"sync/atomic"
	"syscall"
	"time"
)

type options struct {
	role    string
	kills   int
	editors int
	dir     string
	addr    string
	storage string
	bug     string
	seed    uint64
	clock   bool
	full    string
}

func main() {
	var o options
	flag.StringVar(&o.role, "role", "campaign", "what this process is: campaign, or what it starts: storage, replica")
	flag.IntVar(&o.kills, "kills", 600, "how many times a replica is killed")
	flag.IntVar(&o.editors, "editors", 8, "how many editors save at once")
	flag.StringVar(&o.dir, "dir", "", "folder of the storage, which is not removed; empty: a temporary one")
	flag.StringVar(&o.addr, "addr", "", "role storage or replica: where it listens")
	flag.StringVar(&o.storage, "storage", "", "role replica: where the storage listens")
	flag.StringVar(&o.bug, "bug", "", "a mistake of the replicas: ack (answers before the save is stored), repeat (saves a repeated call again)")
	flag.BoolVar(&o.clock, "clock", false, "set the clock of the storage back or ahead after every fourth kill, and sweep")
	flag.StringVar(&o.full, "full", "", "put the storage into this `folder` of a small file system, and fill it up now and then: saves may be refused, and none may be lost")
	flag.Uint64Var(&o.seed, "seed", 1, "of the random moments")
	flag.Parse()

	roles := map[string]func(context.Context, options) error{"campaign": campaign, "storage": serveStorage, "replica": serveReplica}
	role := roles[o.role]
	if role == nil {
		fmt.Fprintf(os.Stderr, "kills3: unknown role %q\n", o.role)
		os.Exit(2)
	}
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	err := role(ctx, o)
	stop()
	if err != nil {
		fmt.Fprintln(os.Stderr, "kills3:", err)
		os.Exit(1)
	}
}

// campaign runs it all.
func campaign(ctx context.Context, o options) error {
	if o.dir == "" {
		dir, err := os.MkdirTemp(o.full, "kills3-*")
		if err != nil {
			return err
		}
		defer func() { _ = os.RemoveAll(dir) }()
		o.dir = dir
	}
	ports, err := freeAddrs(ctx, 3)
	if err != nil {
		return err
	}
	o.storage = ports[0]
	storage, err := start(ctx, o, "storage", ports[0])
	if err != nil {
		return err
	}
	defer storage.stop()
	if err := fill(ctx, o.storage); err != nil {
		return err
	}
	var replicas [2]*process
	for i := range replicas {
		if replicas[i], err = start(ctx, o, "replica", ports[1+i]); err != nil {
			return err
		}
		defer func() { replicas[i].stop() }()
	}

	w := newWork(ports[1:], o)
	editing, stop := context.WithCancel(ctx)
	defer stop()
	done := w.edit(editing, o.editors)
	began := time.Now()
	random := rand.New(rand.NewPCG(o.seed, 0))
	for kill := range o.kills {
		select {
		case <-ctx.Done():
			return ctx.Err()
		case <-time.After(time.Duration(20+random.IntN(150)) * time.Millisecond):
		}
		i := kill % 2
		letGo := func() {}
		if kill%4 == 3 {
			if letGo, err = w.disturb(ctx, random); err != nil {
				return err
			}
		}
		replicas[i].stop()
		letGo()
		if replicas[i], err = start(ctx, o, "replica", ports[1+i]); err != nil {
			return fmt.Errorf("after kill %d: %w", kill+1, err)
		}
	}
	w.ending.Store(true) // The editors finish what they have begun.
	<-done
	fmt.Printf("%d kills in %v\n", o.kills, time.Since(began).Round(time.Second))
	return w.verify(ctx, filepath.Join(o.dir, bucket))
}

// process is a child.
type process struct {
	cmd *exec.Cmd
	end atomic.Bool
}

// start starts a child and waits until it answers.
func start(ctx context.Context, o options, role, addr string) (*process, error) {
	self, err := os.Executable()
	if err != nil {
		return nil, err
	}
	p := &process{cmd: exec.CommandContext(ctx, self, "-role", role, "-addr", addr, "-storage", o.storage, "-dir", o.dir, "-bug", o.bug)}
	p.cmd.Stderr = os.Stderr
	if err := p.cmd.Start(); err != nil {
		return nil, err
	}
	for range 2000 {
		if conn, err := new(net.Dialer).DialContext(ctx, "tcp", addr); err == nil {
			return p, conn.Close()
		}
		time.Sleep(5 * time.Millisecond)
	}
	p.stop()
	return nil, fmt.Errorf("the %s did not start", role)
}

// stop kills p, which has no time to clean up.
func (p *process) stop() {
	if p.end.CompareAndSwap(false, true) {
		_ = p.cmd.Process.Kill()
		_ = p.cmd.Wait()
	}
}

func freeAddrs(ctx context.Context, n int) (addrs []string, err error) {
	for range n {
		l, err := new(net.ListenConfig).Listen(ctx, "tcp", "127.0.0.1:0")
		if err != nil {
			return nil, err
		}
		defer func() { _ = l.Close() }()
		addrs = append(addrs, l.Addr().String())
	}
	return addrs, nil
}

func serve(ctx context.Context, addr string, h http.Handler) error {
	server := &http.Server{Addr: addr, Handler: h, ReadHeaderTimeout: 10 * time.Second}
	go func() {
		<-ctx.Done()
		_ = server.Close()
	}()
	if err := server.ListenAndServe(); !errors.Is(err, http.ErrServerClosed) {
		return err
	}
	return nil
}
