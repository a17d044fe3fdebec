package previews3

import (
	"context"
	"errors"
	"strings"
	"time"

	"github.com/aws/aws-sdk-go-v2/service/s3"
)

// SweepOptions says which old versions [Store.Sweep] removes.
type SweepOptions struct {
	_ [0]func()

	// How many versions of each document stay at least, the newest included. If zero,
	// all of them stay.
	KeepVersions int

	// How long a version stays at least after the next one was saved. Less than
	// twice UploadLife counts as that.
	KeepFor time.Duration
}

// Swept is what [Store.Sweep] removed.
type Swept struct {
	Uploads  int   // Uploads that nobody completed.
	Versions int   // Old versions.
	Bytes    int64 // Size of both.
}

// Sweep removes uploads that were not completed for twice [UploadLife], and the old
// versions that opts names. It uses the clock of the storage. Any number of replicas
// may sweep at once, while documents are edited. After an error the rest is left for
// the next Sweep.
func (s *Store) Sweep(ctx context.Context, opts SweepOptions) (Swept, error) {
	w := &sweep{s: s, opts: opts}
	pages := s3.NewListObjectsV2Paginator(s.cfg.Client, &s3.ListObjectsV2Input{Bucket: &s.cfg.Bucket, Prefix: &s.cfg.Prefix})
	for pages.HasMorePages() {
		out, err := pages.NextPage(ctx, s.options...)
		if err != nil {
			return w.swept, fail("list", err)
		}
		w.now = serverTime(out.ResultMetadata)
		for _, o := range out.Contents {
			if o.Key == nil || o.LastModified == nil || o.Size == nil {
				continue
			}
			dir, rest, _ := strings.Cut(strings.TrimPrefix(*o.Key, s.cfg.Prefix), "/")
			if dir != w.dir {
				if err := w.document(ctx); err != nil {
					return w.swept, err
				}
				w.dir = dir
			}
			name, isData := strings.CutPrefix(rest, dataDir)
			switch n := versionOf(*o.Key); {
			case dir == checkDir && w.now.Sub(*o.LastModified) > UploadLife: // Of a Check that was killed.
				if err := s.remove(ctx, *o.Key); err != nil {
					return w.swept, err
				}
			case isData && uploadName.MatchString(name):
				w.data = append(w.data, listed{name: name, size: *o.Size, modified: *o.LastModified})
			case n > 0 && rest == versionKey(n):
				w.versions = append(w.versions, listed{name: rest, modified: *o.LastModified})
			}
		}
	}
	return w.swept, w.document(ctx)
}

// sweep collects the keys of one document at a time: a listing gives them together.
type sweep struct {
	s     *Store
	opts  SweepOptions
	now   time.Time
	swept Swept

	dir      string
	data     []listed
	versions []listed // The newest first.
}

type listed struct {
	name     string
	size     int64
	modified time.Time
}

// document sweeps the document that was collected.
func (w *sweep) document(ctx context.Context) error {
	data, versions := w.data, w.versions
	w.data, w.versions = nil, nil
	dir := w.s.cfg.Prefix + w.dir + "/"

	// Each version has one upload of its own, which is older than it. So equal counts of
	// what is old enough mean that none is abandoned, and no manifest has to be read.
	used := map[string]bool{}
	abandoned := w.expired(data) > w.expired(versions)
	for i, v := range versions {
		// An upload that was announced before a version was followed by the next may be
		// completed for UploadLife after it arrived: its version numbers must stay.
		old := w.opts.KeepVersions > 0 && i >= w.opts.KeepVersions && w.now.Sub(versions[i-1].modified) > max(w.opts.KeepFor, 2*UploadLife)
		if !old && !abandoned {
			continue
		}
		var m manifest
		switch err := w.s.get(ctx, dir+v.name, &m); {
		case errors.Is(err, errMissing): // Another replica has removed it.
			continue
		case err != nil:
			return err
		}
		used[m.Data] = true
		if !old {
			continue
		}
		// The manifest first: bytes without it are abandoned, and the next Sweep finds them.
		for _, key := range []string{dir + v.name, dir + dataDir + m.Data} {
			if err := w.s.remove(ctx, key); err != nil {
				return err
			}
		}
		w.swept.Versions++
		w.swept.Bytes += m.Size
	}
	for _, d := range data {
		if !abandoned || used[d.name] || !w.isExpired(d) {
			continue
		}
		if err := w.s.remove(ctx, dir+dataDir+d.name); err != nil {
			return err
		}
		w.swept.Uploads++
		w.swept.Bytes += d.size
	}
	return nil
}

// isExpired reports whether an upload as old as l can no longer be completed.
func (w *sweep) isExpired(l listed) bool { return w.now.Sub(l.modified) > 2*UploadLife }

func (w *sweep) expired(all []listed) (n int) {
	for _, l := range all {
		if w.isExpired(l) {
			n++
		}
	}
	return n
}
