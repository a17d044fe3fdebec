package main

import (
	"bufio"
	"context"
	"crypto/rand"
	"errors"
	"flag"
	"fmt"
	"log/slog"
	mathrand "math/rand/v2"
	"net"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"time"

	"github.com/weboffice-go/weboffice/preview"
	"github.com/weboffice-go/weboffice/preview/dirstore"
	"github.com/weboffice-go/weboffice/signing"
)

const (
	appID  = "SX2024"
	appKey = "the key of a campaign"
)

// folder is what the campaign kills: dirstore, served by a process of its own.
type folder struct {
	root  string
	clock bool
}

func (f *folder) create(name string) error {
	return os.WriteFile(filepath.Join(f.root, name), []byte(firstContent), 0o600)
}

// start starts a process, and returns the gateway URL at which it answers. The process
// sweeps abandoned uploads, also those of a moment ago, if all is true.
func (f *folder) start(ctx context.Context, all bool) (string, *os.Process, func(), error) {
	self, err := os.Executable()
	if err != nil {
		return "", nil, nil, err
	}
	shift := time.Duration(0)
	if f.clock {
		shift = time.Duration(mathrand.IntN(48*60)-24*60) * time.Minute
	}
	if all {
		shift = 72 * time.Hour
	}
	cmd := exec.CommandContext(ctx, self, "serve", "-root", f.root, "-shift", shift.String())
	cmd.Stderr = os.Stderr
	out, err := cmd.StdoutPipe()
	if err != nil {
		return "", nil, nil, err
	}
	if err := cmd.Start(); err != nil {
		return "", nil, nil, err
	}
	wait := func() { _ = cmd.Wait() }
	line, err := bufio.NewReader(out).ReadString('\n')
	if err != nil {
		wait()
		return "", nil, nil, errors.New("the server did not start")
	}
	return strings.TrimSpace(line), cmd.Process, wait, nil
}

// iD returns the id of a document that exists.
func (f *folder) id(name string) string {
	state := filepath.Join(os.TempDir(), ".weboffice-kill-"+rand.Text())
	defer func() { _ = os.Remove(state) }()
	s, err := dirstore.New(dirstore.Config{
		Root: f.root, PublicURL: "http://127.0.0.1/", LinkKey: signing.NewSecret(appKey), Allow: dirstore.ReadOnly, StateFile: state,
	})
	if err != nil {
		return ""
	}
	defer func() { _ = s.Close() }()
	return s.ID(name)
}

// fill takes the room from the storage, until it is let go.
func (f *folder) fill() (func(), error) {
	name := filepath.Join(f.root, ".fill")
	file, err := os.Create(name)
	if err != nil {
		return func() {}, nil // there is no room as it is
	}
	for block := make([]byte, 4096); err == nil; {
		_, err = file.Write(block)
	}
	return func() { _ = os.Remove(name) }, file.Close()
}

// left lists what is left of uploads.
func (f *folder) left() ([]string, error) {
	return filepath.Glob(filepath.Join(f.root, dirstore.HistoryFolderName, ".uploads", "*"))
}

// holds returns what other programs see of the newest version of a document.
func (f *folder) holds(name string) ([]byte, error) {
	return os.ReadFile(filepath.Join(f.root, name))
}

// serve is the process that is killed.
func serve(args []string) error {
	flags := flag.NewFlagSet("serve", flag.ContinueOnError)
	root := flags.String("root", "", "")
	shift := flags.Duration("shift", 0, "")
	if err := flags.Parse(args); err != nil {
		return err
	}
	listener, err := new(net.ListenConfig).Listen(context.Background(), "tcp", "127.0.0.1:0")
	if err != nil {
		return err
	}
	gateway := "http://" + listener.Addr().String()
	now := func() time.Time { return time.Now().Add(*shift) }
	store, err := dirstore.New(dirstore.Config{
		Root: *root, PublicURL: gateway + "/files", LinkKey: signing.NewSecret(appKey), Now: now,
		Editing: true, KeepVersions: -1,
		Allow: func(_ context.Context, r preview.Request) (preview.Permission, error) {
			return preview.Permission{UserID: r.UserID, Read: true, Update: true, Rename: true, History: true, Download: true}, nil
		},
	})
	if err != nil {
		return err
	}
	verifier, err := signing.NewVerifier(signing.VerifierConfig{Credentials: []signing.Credentials{credentials()}})
	if err != nil {
		return err
	}
	handler, err := preview.NewHandler(preview.Config{
		Store: store, Users: store, Saver: store, Renamer: store, History: store, Auth: verifier.VerifyRequest,
		Identify: func(_ context.Context, r preview.Request) (string, error) { return r.WebOfficeToken.Reveal(), nil },
		Logger:   slog.New(slog.DiscardHandler),
	})
	if err != nil {
		return err
	}
	mux := http.NewServeMux()
	mux.Handle(preview.PathPrefix, handler)
	mux.Handle("/files", store)
	fmt.Println(gateway)
	server := &http.Server{Handler: mux, ReadHeaderTimeout: 10 * time.Second}
	return server.Serve(listener)
}

func credentials() signing.Credentials { return signing.App(appID, signing.NewSecret(appKey)) }
