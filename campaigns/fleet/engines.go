package main

import (
	"context"
	"errors"
	"fmt"
	"net"
	"os"
	"os/exec"
	"os/user"
	"path/filepath"
	"strconv"
	"syscall"
	"time"
)

// errMissing is in the error of an engine that is not installed.
var errMissing = errors.New("not installed")

// freeAddr is an address that nobody listens on.
func freeAddr(ctx context.Context) (addr, port string, err error) {
	l, err := new(net.ListenConfig).Listen(ctx, "tcp", "127.0.0.1:0")
	if err != nil {
		return "", "", err
	}
	addr = l.Addr().String()
	_, port, err = net.SplitHostPort(addr)
	return addr, port, errors.Join(err, l.Close())
}

// answers waits until somebody listens on addr.
func answers(ctx context.Context, addr string) error {
	for range 3000 {
		conn, err := new(net.Dialer).DialContext(ctx, "tcp", addr)
		if err == nil {
			return conn.Close()
		}
		if ctx.Err() != nil {
			return ctx.Err()
		}
		time.Sleep(10 * time.Millisecond)
	}
	return fmt.Errorf("nobody listens on %s", addr)
}

// command is a program that ends with this one, and logs into a file.
func command(ctx context.Context, log string, who *account, name string, args ...string) (*exec.Cmd, error) {
	file, err := os.OpenFile(log, os.O_CREATE|os.O_APPEND|os.O_WRONLY, 0o644)
	if err != nil {
		return nil, err
	}
	cmd := exec.CommandContext(context.WithoutCancel(ctx), name, args...)
	cmd.Stdout, cmd.Stderr = file, file
	cmd.SysProcAttr = attributes(who)
	return cmd, nil
}

// begin starts a command, which has the log file for itself from then on.
func begin(cmd *exec.Cmd) error {
	err := cmd.Start()
	if file, ok := cmd.Stdout.(*os.File); ok {
		err = errors.Join(err, file.Close())
	}
	return err
}

// redisServer is a redis-server that writes everything to the disk at once.
type redisServer struct {
	addr, dir string
	cmd       *exec.Cmd
}

func startRedis(ctx context.Context, dir string) (*redisServer, error) {
	if _, err := exec.LookPath("redis-server"); err != nil {
		return nil, fmt.Errorf("redis-server: %w", errMissing)
	}
	addr, _, err := freeAddr(ctx)
	if err != nil {
		return nil, err
	}
	r := &redisServer{addr: addr, dir: dir}
	return r, errors.Join(os.Mkdir(dir, 0o755), r.start(ctx))
}

func (r *redisServer) start(ctx context.Context) (err error) {
	_, port, err := net.SplitHostPort(r.addr)
	if err != nil {
		return err
	}
	r.cmd, err = command(ctx, r.dir+".log", nil, "redis-server", "--port", port, "--bind", "127.0.0.1", "--dir", r.dir,
		"--appendonly", "yes", "--appendfsync", "always", "--save", "", "--maxmemory-policy", "noeviction")
	if err != nil {
		return err
	}
	if err := begin(r.cmd); err != nil {
		return err
	}
	return answers(ctx, r.addr)
}

func (r *redisServer) kill() {
	if r.cmd != nil && r.cmd.Process != nil {
		_ = r.cmd.Process.Kill()
		_ = r.cmd.Wait()
	}
}

// postgresServer is a cluster of its own.
type postgresServer struct {
	url string
	cmd *exec.Cmd
}

// binary finds a program of PostgreSQL, which Debian does not put on the path.
func binary(name string) (string, error) {
	if found, err := exec.LookPath(name); err == nil {
		return filepath.EvalSymlinks(found)
	}
	found, _ := filepath.Glob("/usr/lib/postgresql/*/bin/" + name)
	if len(found) == 0 {
		return "", fmt.Errorf("postgresql (%s): %w", name, errMissing)
	}
	return found[len(found)-1], nil
}

// account is a user of the machine.
type account struct{ uid, gid int }

// unprivileged is who runs PostgreSQL, which refuses to run as root; nil is the user of
// this process.
func unprivileged() (*account, error) {
	if os.Getuid() != 0 {
		return nil, nil //nolint:nilnil // As the comment says.
	}
	for _, name := range []string{"postgres", "nobody"} {
		if u, err := user.Lookup(name); err == nil {
			uid, uidErr := strconv.Atoi(u.Uid)
			gid, gidErr := strconv.Atoi(u.Gid)
			return &account{uid, gid}, errors.Join(uidErr, gidErr)
		}
	}
	return nil, errors.New("postgresql: neither a user postgres nor nobody")
}

func startPostgres(ctx context.Context, dir string) (*postgresServer, error) {
	initdb, err := binary("initdb")
	if err != nil {
		return nil, err
	}
	server, err := binary("postgres")
	if err != nil {
		return nil, err
	}
	who, err := unprivileged()
	if err != nil {
		return nil, err
	}
	if err := os.Mkdir(dir, 0o700); err != nil {
		return nil, err
	}
	if who != nil {
		if err := os.Chown(dir, who.uid, who.gid); err != nil {
			return nil, err
		}
	}
	init, err := command(ctx, dir+".log", who, initdb, "-D", dir, "-U", "fleet", "--auth=trust", "-E", "UTF8", "--no-sync")
	if err != nil {
		return nil, err
	}
	init.Dir = "/"
	if err := errors.Join(begin(init), init.Wait()); err != nil {
		return nil, fmt.Errorf("initdb: %w: see %s.log", err, dir)
	}
	addr, port, err := freeAddr(ctx)
	if err != nil {
		return nil, err
	}
	p := &postgresServer{url: "postgres://fleet@" + addr + "/postgres?sslmode=disable&pool_max_conns=12"}
	// Only replicas are killed, so PostgreSQL need not wait for the disk.
	p.cmd, err = command(ctx, dir+".log", who, server, "-D", dir, "-p", port, "-c", "listen_addresses=127.0.0.1",
		"-c", "unix_socket_directories=", "-c", "fsync=off", "-c", "shared_buffers=32MB")
	if err != nil {
		return nil, err
	}
	p.cmd.Dir = "/"
	if err := begin(p.cmd); err != nil {
		return nil, err
	}
	return p, answers(ctx, addr)
}

func (p *postgresServer) stop() {
	if p.cmd != nil && p.cmd.Process != nil {
		_ = p.cmd.Process.Signal(syscall.SIGQUIT) // Its children end too.
		_ = p.cmd.Wait()
	}
}
