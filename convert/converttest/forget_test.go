package converttest_test

import (
	"context"
	"net/http"
	"testing"
	"time"

	"github.com/weboffice-go/weboffice/convert"
	"github.com/weboffice-go/weboffice/convert/converttest"
	"github.com/weboffice-go/weboffice/signing"
	"github.com/weboffice-go/weboffice/signing/signingtest"
)

func TestForgetRemovesATaskAndEndsItsJob(t *testing.T) {
	t.Parallel()
	ended := make(chan struct{})
	s := newServer(t, &converttest.Options{Now: fixed, Converter: converttest.Async(
		func(ctx context.Context, _ converttest.Submission, _ func(float64)) ([][]byte, error) {
			<-ctx.Done()
			close(ended)
			return nil, ctx.Err()
		})})
	id := submit(t, s, toText, document)
	s.Forget("unknown")
	if n := len(s.Submissions()); n != 1 {
		t.Fatalf("%d submissions, want 1", n)
	}
	s.Forget(id)
	<-ended
	if n := len(s.Submissions()); n != 0 {
		t.Errorf("%d submissions after Forget, want none", n)
	}
	if status, _ := rawQuery(t, s, id); status != http.StatusNotFound {
		t.Errorf("status of a forgotten task = %d, want 404", status)
	}
}

func TestDateNowIsTheClockOfDatesOnly(t *testing.T) {
	t.Parallel()
	s := newServer(t, &converttest.Options{
		Now:     func() time.Time { return at.Add(time.Hour) },
		DateNow: fixed,
	})
	req := signedBy(t, signingtest.Credentials(), at, http.MethodGet, converttest.PathPrefix+"tasks/none", "")
	if got := serve(t, s, req); got.Status != http.StatusNotFound {
		t.Errorf("status = %d, want 404: the signature is of DateNow", got.Status)
	}
}

func TestAdoptedTaskIsAnswered(t *testing.T) {
	t.Parallel()
	s := newServer(t, &converttest.Options{Now: fixed})
	task := convert.Task{ID: "open:of-another", Target: convert.Text}
	job, err := converttest.Script{converttest.Success([]byte("kept"))}.Start(t.Context(), converttest.Submission{})
	if err != nil {
		t.Fatal(err)
	}
	s.Adopt(converttest.Submission{Task: task, AppID: signingtest.Credentials().Caller().AppID}, job)
	got := query(t, s, task.ID)
	if got.Result == nil || len(got.Result.Texts) != 1 {
		t.Fatalf("the task is %+v", got)
	}
	if status, body := get(t, s, got.Result.Texts[0].URL); status != http.StatusOK || body != "kept" {
		t.Errorf("its result is %d %q", status, body)
	}
	s.Forget(task.ID)
	if status, _ := rawQuery(t, s, task.ID); status != http.StatusNotFound {
		t.Errorf("status of a forgotten task = %d, want 404", status)
	}
}

func TestLookupFindsApps(t *testing.T) {
	t.Parallel()
	late := signing.App("late", signing.NewSecret("late-key"))
	known := false
	s := newServer(t, &converttest.Options{Now: fixed, Lookup: func(_ context.Context, c signing.Caller) ([]signing.Credentials, error) {
		if known && c.AppID == "late" {
			return []signing.Credentials{late}, nil
		}
		return nil, nil
	}})
	for _, want := range []int{http.StatusUnauthorized, http.StatusOK} {
		if got := send(t, s, late, http.MethodPost, toText, document); got.Status != want {
			t.Errorf("status %d, want %d", got.Status, want)
		}
		known = true
	}
	if got := send(t, s, signingtest.Credentials(), http.MethodPost, toText, document); got.Status != http.StatusUnauthorized {
		t.Errorf("the default app is answered %d beside a Lookup, want 401", got.Status)
	}
}
