package previewtest

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net/http"
	"slices"

	"github.com/weboffice-go/weboffice/internal/redact"
	"github.com/weboffice-go/weboffice/preview"
)

// Open opens a document as the service does (public reference 3.3): it asks for users,
// permission, file and download, fetches the bytes into w as Fetch does, and asks for the
// user of the permission.
//
// It continues after a broken rule if it can. A permission without read is
// preview.ErrForbidden. If another user saves meanwhile, it returns the version whose bytes
// were fetched, or an error that is not an AnswerError.
func (v *Viewer) Open(ctx context.Context, fileID string, w io.Writer) (preview.File, error) {
	var errs []error
	note := func(err error) (goOn bool) {
		errs = append(errs, err)
		return !refused(err)
	}
	_, _ = v.Users(ctx, "nobody") // The service ignores the answer.
	p, err := v.Permission(ctx, fileID)
	if !note(err) {
		return preview.File{}, err
	}
	if !p.Read {
		return preview.File{}, errors.Join(err, fmt.Errorf("previewtest: open: the permission has read 0: %w", preview.ErrForbidden))
	}
	f, err := v.File(ctx, fileID)
	if !note(err) {
		return preview.File{}, errors.Join(errs...)
	}
	d, err := v.Download(ctx, fileID)
	if !note(err) {
		return f, errors.Join(errs...)
	}
	if absolute(d.URL) {
		f, err = v.fetchOpened(ctx, fileID, f, d, w)
		note(err)
	}
	note(v.knows(ctx, p))
	return f, errors.Join(errs...)
}

// saves is how many saves by others Open bears before it has read a byte.
const saves = 10

var errSaved = errors.New("previewtest: open: the document was saved while it was read; open it again")

// fetchOpened is Fetch for a document that others may save between the callbacks.
func (v *Viewer) fetchOpened(ctx context.Context, fileID string, f preview.File, d preview.Download, w io.Writer) (preview.File, error) {
	for range saves {
		got, problem := fetch(ctx, overHTTP(v.bytes), d, w)
		err := compared(ctx, f, d, got, problem)
		if err == nil {
			return f, nil
		}
		now, fileErr := v.File(ctx, fileID)
		download, downloadErr := v.Download(ctx, fileID)
		if fileErr != nil || downloadErr != nil || now.Version <= f.Version {
			return f, err
		}
		if got.size > 0 || problem == nil {
			if compared(ctx, now, d, got, problem) == nil || compared(ctx, now, download, got, problem) == nil {
				return now, nil
			}
			return now, errSaved
		}
		f, d = now, download
	}
	return f, errSaved
}

// refused reports whether err leaves nothing of an answer to go on with.
func refused(err error) bool {
	var e *AnswerError
	if !errors.As(err, &e) {
		return err != nil
	}
	return e.Rule == "" || slices.Contains([]string{RuleJSON, RuleStatus}, e.Rule) && e.StatusCode != http.StatusOK
}

// Fetch gets the bytes of d into w, which may be nil. It compares them with f.Size, unless
// negative, and with d.Digest, unless zero.
func (v *Viewer) Fetch(ctx context.Context, f preview.File, d preview.Download, w io.Writer) error {
	got, problem := fetch(ctx, overHTTP(v.bytes), d, w)
	return compared(ctx, f, d, got, problem)
}

// compared holds what was fetched, unless problem says why it was not, to f and d.
func compared(ctx context.Context, f preview.File, d preview.Download, got fetched, problem error) error {
	call := http.MethodGet + " " + redact.URL(d.URL)
	if problem != nil {
		if ctx.Err() != nil {
			return fmt.Errorf("previewtest: %s: %w", call, ctx.Err())
		}
		return wrong(call, RuleFetch, "url", problem.Error())
	}
	var errs []error
	if err := got.sized(f.Size); err != nil {
		errs = append(errs, wrong(call, RuleFetchSize, "size", err.Error()))
	}
	if err := got.summed(d.Digest); err != nil {
		errs = append(errs, wrong(call, RuleFetchDigest, "digest", err.Error()))
	}
	return errors.Join(errs...)
}

// knows asks who the user of p is (protocol 2.6 rules 1, 2, 6). If users are not served,
// that breaks a rule with update and print only, and over the network only.
func (v *Viewer) knows(ctx context.Context, p preview.Permission) error {
	if p.UserID == "" || !(p.Update || p.Print || p.Download) {
		return nil
	}
	users, err := v.Users(ctx, p.UserID)
	var refusal *AnswerError
	switch needed := (p.Update || p.Print) && !v.inMemory; {
	case refused(err) && !needed && ctx.Err() == nil:
		return nil
	case refused(err) && errors.As(err, &refusal):
		broken := *refusal
		broken.Rule, broken.Field, broken.Detail = RuleUserKnown, "", fmt.Sprintf("is answered with HTTP %d, code %d", broken.StatusCode, broken.Code)
		return errors.Join(&broken, err)
	case err == nil && !slices.ContainsFunc(users, func(u preview.User) bool { return u.ID == p.UserID }):
		return wrong(http.MethodGet+" "+preview.PathPrefix+"users", RuleUserKnown, "data", "does not have the user_id of the permission")
	}
	return err
}
