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

// Server is what the campaign kills: a store that is served by processes of its own.
// Another store, or one with several replicas, is another Server.
type Server interface {
	// Start starts a process, and returns the gateway address at which it answers. The
	// process sweeps abandoned uploads, also those of a moment ago, if all is true.
	Start(ctx context.Context, all bool) (gateway string, p *os.Process, wait func(), err error)
	// ID gives the id of a document that exists.
	ID(name string) string
	// Fill takes the room from the storage, until it is let go.
	Fill() (letGo func(), err error)
	// Left lists what is left of uploads, in words.
	Left() ([]string, error)
	// Holds gives what other programs see of the newest version of a document.
	Holds(name string) ([]byte, error)
}

const (
	appID  = "SX2024"
	appKey = "the key of a campaign"
)

// folderServer serves a folder with dirstore.
type folderServer struct {
	root  string
	clock bool
}

func (f *folderServer) create(name string) error {
	return os.WriteFile(filepath.Join(f.root, name), []byte(firstContent), 0o600)
}

// Start implements Server.
func (f *folderServer) Start(ctx context.Context, all bool) (string, *os.Process, func(), error) {
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

// ID implements Server.
func (f *folderServer) ID(name string) string {
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

// Fill implements Server.
func (f *folderServer) Fill() (func(), error) {
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

// Left implements Server.
func (f *folderServer) Left() ([]string, error) {
	return filepath.Glob(filepath.Join(f.root, dirstore.HistoryFolderName, ".uploads", "*"))
}

// Holds implements Server.
func (f *folderServer) Holds(name string) ([]byte, error) {
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
