package converttest_test

import (
	"context"
	"net/http"
	"testing"
	"time"

	"github.com/weboffice-go/weboffice/convert/converttest"
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
