package office

import (
	"context"
	"errors"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"sync"
	"time"
)

// process is a program that works on a document: locked in, and killed with all
// that it started. [start] makes one.
type process struct {
	cmd  *exec.Cmd
	done chan struct{} // Closed when it has ended and its error is set.
	err  error
}

// reach is what a program has of this machine, beside the files of the system.
type reach struct {
	home        string // The folder that is its home and has its temporary files.
	read, write []string
	all         bool // Nothing is withheld.
}

// installation is where a program is installed, with its libraries.
func installation(program string) []string {
	if real, err := filepath.EvalSymlinks(program); err == nil {
		program = real
	}
	return []string{filepath.Dir(filepath.Dir(program))}
}

// start starts cmd.
func start(cmd *exec.Cmd, reach reach) (*process, error) {
	temp := filepath.Join(reach.home, "tmp")
	if err := os.MkdirAll(temp, 0o700); err != nil {
		return nil, err
	}
	cmd.Dir = reach.home
	cmd.Env = append(environment(), "HOME="+reach.home, "TMPDIR="+temp, "TMP="+temp, "TEMP="+temp, "XDG_RUNTIME_DIR="+temp,
		"XDG_CONFIG_HOME="+reach.home, "XDG_CACHE_HOME="+reach.home, "SAL_USE_VCLPLUGIN=svp", "LC_ALL=C.UTF-8", "PYTHONDONTWRITEBYTECODE=1")
	cmd.WaitDelay = 5 * time.Second // For grandchildren that hold the pipes.
	p := &process{cmd: cmd, done: make(chan struct{})}
	started := make(chan error)
	go func() {
		// On Linux, the end of the thread that started a process can be its end, and the
		// thread is confined: it ends with the goroutine, which does not unlock it.
		runtime.LockOSThread()
		err := confine(cmd, reach)
		if err == nil {
			err = startLocked(cmd)
		}
		started <- err
		if err == nil {
			p.err = cmd.Wait()
			close(p.done)
		}
	}()
	if err := <-started; err != nil {
		return nil, err
	}
	return p, nil
}

// environment is what a process needs of ours: the search paths and, on Windows, the
// system's.
func environment() []string {
	var env []string
	for _, name := range []string{"PATH", "SystemRoot", "SystemDrive", "ProgramFiles", "windir", "FONTCONFIG_FILE", "FONTCONFIG_PATH"} {
		if value, ok := os.LookupEnv(name); ok {
			env = append(env, name+"="+value)
		}
	}
	return env
}

// kill ends the process with all that it started, and waits.
func (p *process) kill() {
	killAll(p.cmd)
	<-p.done
}

// watch calls stop with the reason when ctx ends or the process takes more memory
// than limit. Call what it returns when the work is done.
func (p *process) watch(ctx context.Context, limit int64, stop func(error)) (end func()) {
	ctx, cancel := context.WithCancel(ctx)
	ended := make(chan struct{})
	go func() {
		defer close(ended)
		tick := time.NewTicker(watchEvery)
		defer tick.Stop()
		var m memory
		for {
			select {
			case <-ctx.Done():
				return
			case <-p.done:
				return
			case <-tick.C:
				if m.resident(p.cmd.Process.Pid) > limit {
					stop(tooMuchMemory(limit))
					return
				}
			}
		}
	}()
	return sync.OnceFunc(func() {
		cancel()
		<-ended
	})
}

// watchEvery is how often memory is measured.
const watchEvery = 25 * time.Millisecond

// runProgram runs a program to its end, or kills it when ctx ends or it takes more
// memory than limit.
func runProgram(ctx context.Context, limit int64, reach reach, stdout, stderr io.Writer, path string, args ...string) error {
	cmd := exec.Command(path, args...) //nolint:noctx // Its whole group is killed below.
	cmd.Stdout, cmd.Stderr = stdout, stderr
	p, err := start(cmd, reach)
	if err != nil {
		return err
	}
	ctx, cancel := context.WithCancelCause(ctx)
	defer cancel(nil)
	defer p.watch(ctx, limit, cancel)()
	select {
	case <-p.done:
		return p.err
	case <-ctx.Done():
		p.kill()
		return context.Cause(ctx)
	}
}

// exitCode is that of a program which ended by itself, or -1.
func exitCode(err error) int {
	var exit *exec.ExitError
	if errors.As(err, &exit) {
		return exit.ExitCode()
	}
	return -1
}
