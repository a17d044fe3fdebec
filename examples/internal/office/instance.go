package office

import (
	"bufio"
	"context"
	_ "embed" // the worker and the profile
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"sync"
	"time"
)

//go:embed worker.py
var worker []byte

// profile forbids LibreOffice all that a conversion does not need.
//
//go:embed profile.xcu
var profile []byte

// task is what LibreOffice does with one document, and what worker.py reads.
type task struct {
	In       string        `json:"in"`
	Out      string        `json:"out"`
	Filter   string        `json:"filter,omitempty"` // For LibreOffice to load it with if it does not know the type.
	Export   string        `json:"-"`                // To make the PDF with; the worker knows it from the document.
	Password string        `json:"password,omitempty"`
	Pages    string        `json:"pages,omitempty"`
	Comments bool          `json:"comments,omitempty"`
	Texts    string        `json:"texts,omitempty"` // If the PDF is read by a program: the file for texts that it has marks of.
	Name     string        `json:"-"`               // Of the document, for the log.
	Progress func(float64) `json:"-"`
}

// errCrashed is an instance that ended in the middle of a document.
var errCrashed = errors.New("LibreOffice crashed on the document")

// errNoExport is a document that LibreOffice loads but does not export.
var errNoExport = errors.New("LibreOffice cannot make a PDF of the document")

// instance is a LibreOffice that stays, and the worker that talks to it.
type instance struct {
	dir     string
	process *process
	in      io.WriteCloser
	answers *bufio.Scanner
	memory  int64
	broken  bool // It cannot take another document.

	removeSockets func()
}

// startWithin is how long the start of an instance may take.
const startWithin = 30 * time.Second

func startInstance(ctx context.Context, p programs, parent string, memory int64, unconfined bool) (_ *instance, err error) {
	dir, err := os.MkdirTemp(parent, "instance-")
	if err != nil {
		return nil, err
	}
	i := &instance{dir: dir, memory: memory}
	defer func() {
		if err != nil {
			i.stop()
		}
	}()
	if i.removeSockets, err = noteSockets(parent, dir); err != nil {
		return nil, err
	}
	script := filepath.Join(dir, "worker.py")
	if err := errors.Join(os.WriteFile(script, worker, 0o600), writeProfile(dir)); err != nil {
		return nil, err
	}
	cmd := exec.Command(p.python, script, p.soffice, dir) //nolint:noctx // It outlives the call.
	if i.in, err = cmd.StdinPipe(); err != nil {
		return nil, err
	}
	// Not StdoutPipe: the end of the process would close it before all is read.
	r, w, err := os.Pipe()
	if err != nil {
		return nil, err
	}
	cmd.Stdout = w
	i.answers = bufio.NewScanner(r)
	i.process, err = start(cmd, reach{home: dir, read: installation(p.soffice), write: []string{parent}, all: unconfined})
	if err := errors.Join(err, w.Close()); err != nil {
		return nil, errors.Join(err, r.Close())
	}
	go func() {
		<-i.process.done
		_ = r.SetReadDeadline(time.Now().Add(time.Second))
	}()
	ctx, cancel := context.WithTimeout(ctx, startWithin)
	defer cancel()
	return i, i.talk(ctx, nil, func(answer) {})
}

// writeProfile writes the profile of a LibreOffice whose home is dir.
func writeProfile(dir string) error {
	user := filepath.Join(dir, "profile", "user")
	if err := os.MkdirAll(user, 0o700); err != nil {
		return err
	}
	return os.WriteFile(filepath.Join(user, "registrymodifications.xcu"), profile, 0o600)
}

// stop kills the instance and removes what it left.
func (i *instance) stop() {
	if i.process != nil {
		i.process.kill()
	}
	if i.removeSockets != nil {
		i.removeSockets()
	}
	_ = os.RemoveAll(i.dir)
}

// answer is a line of worker.py.
type answer struct {
	Progress float64 `json:"progress"`
	Refused  string  `json:"refused"`
	Ready    bool    `json:"ready"`
	Done     bool    `json:"done"`
}

// convert has the instance do the task.
func (i *instance) convert(ctx context.Context, t task) error {
	var last answer
	if err := i.talk(ctx, &t, func(a answer) {
		last = a
		if t.Progress != nil && a.Progress > 0 { // the last line has none
			t.Progress(a.Progress)
		}
	}); err != nil {
		return err
	}
	if last.Refused != "" {
		return refusal(last.Refused)
	}
	return nil
}

// refusal is the error for a word of worker.py.
func refusal(word string) error {
	switch word {
	case "store":
		return errNoExport
	case "type":
		return ErrNotDocument
	default:
		return ErrDamaged
	}
}

// talk writes a task and reads answers up to the one that ends it. When ctx ends, or
// the memory is used up, the instance is killed, and the error is the reason.
func (i *instance) talk(ctx context.Context, t *task, said func(answer)) error {
	var reason error
	var once sync.Once
	kill := func(err error) {
		once.Do(func() {
			reason = err
			killAll(i.process.cmd)
		})
	}
	defer i.process.watch(ctx, i.memory, kill)()
	stop := context.AfterFunc(ctx, func() { kill(context.Cause(ctx)) })
	defer stop()
	ended, err := i.exchange(t, said)
	if ended {
		return nil
	}
	i.broken = true
	kill(errCrashed) // Orders this read of the reason after its write.
	if errors.Is(reason, errCrashed) && err != nil {
		return fmt.Errorf("%w: %w", errCrashed, err)
	}
	return reason
}

// exchange reports whether the worker has ended the task.
func (i *instance) exchange(t *task, said func(answer)) (bool, error) {
	if t != nil {
		line, err := json.Marshal(t) //nolint:gosec // The worker needs the password, and nothing else sees it.
		if err != nil {
			return false, err
		}
		if _, err := i.in.Write(append(line, '\n')); err != nil {
			return false, err
		}
	}
	for i.answers.Scan() {
		var a answer
		if err := json.Unmarshal(i.answers.Bytes(), &a); err != nil {
			return false, err
		}
		if said(a); a.Done || a.Ready || a.Refused != "" {
			return true, nil
		}
	}
	return false, i.answers.Err()
}
