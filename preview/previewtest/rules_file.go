package previewtest

import (
	"context"
	"errors"
	"fmt"
	"time"
	"unicode/utf8"

	"github.com/weboffice-go/weboffice/preview"
)

// requestRules are about what happens before a store is asked.
func requestRules() []rule {
	return []rule{
		{"id-accepted", "Config.CheckID accepts the ids of documents that there are (protocol 2.4)", false, func(_ context.Context, s *subject) error {
			return s.each(func(d *document) error { return s.Config.CheckID(d.r.FileID) })
		}},
		{"user-identified", "Config.Identify knows the users of documents that there are", false, func(ctx context.Context, s *subject) error {
			if s.Config.Identify == nil {
				return skipped("there is no Identify")
			}
			return s.each(func(d *document) error { return d.identified(ctx) })
		}},
	}
}

// fileRules are about Store.File.
func fileRules() []rule {
	rules := []rule{{"file-answered", "File describes each document that there is (protocol 4.2)", false, func(ctx context.Context, s *subject) error {
		return s.each(func(d *document) error {
			if d.identified(ctx) != nil {
				return nil
			}
			_, err := d.File(ctx)
			return err
		})
	}}}
	for _, c := range fileChecks() {
		rules = append(rules, rule{c.name, c.explain, false, func(ctx context.Context, s *subject) error {
			return s.each(func(d *document) error {
				if f, err := d.File(ctx); err == nil { // Whether it gave anything is another rule.
					return c.check(d.r.FileID, f)
				}
				return nil
			})
		}})
	}
	return append(rules, rule{"file-steady", "File.Version changes by a save, and not by being asked for (protocol 2.4)", false, steady})
}

// fileCheck is a rule about one field of a File.
type fileCheck struct {
	name, explain string
	check         func(id string, f preview.File) error
}

func fileChecks() []fileCheck {
	return []fileCheck{
		{"file-id", "File.ID is the requested id, or empty (protocol 2.4)", func(id string, f preview.File) error {
			if f.ID != "" && f.ID != id {
				return fmt.Errorf("ID is %q", f.ID)
			}
			return nil
		}},
		{"file-name", "File.Name is a name that CheckName accepts (protocol 2.4)", func(_ string, f preview.File) error {
			return preview.CheckName(f.Name)
		}},
		{"file-version", "File.Version is from 1 on (protocol 2.4)", func(_ string, f preview.File) error {
			if f.Version == 0 {
				return errors.New("Version is 0")
			}
			return nil
		}},
		{"file-size", "File.Size is not negative (protocol 2.4)", func(_ string, f preview.File) error {
			if f.Size < 0 {
				return fmt.Errorf("Size is %d", f.Size)
			}
			return nil
		}},
		{"file-times", "File.CreatedAt and File.ModifiedAt are set, after the start of 1970 and not in milliseconds (protocol 2.4)", func(_ string, f preview.File) error {
			return errors.Join(timeProblem("CreatedAt", f.CreatedAt), timeProblem("ModifiedAt", f.ModifiedAt))
		}},
		{"file-users", "File.CreatorID and File.ModifierID are not empty, and UTF-8 (protocol 2.4)", func(_ string, f preview.File) error {
			if !isText(f.CreatorID) || !isText(f.ModifierID) {
				return fmt.Errorf("CreatorID is %q, ModifierID is %q", f.CreatorID, f.ModifierID)
			}
			return nil
		}},
	}
}

// fileProblem holds a File that another method than File gave to all of them.
func fileProblem(id string, f preview.File) error {
	var errs []error
	for _, c := range fileChecks() {
		errs = append(errs, c.check(id, f))
	}
	return errors.Join(errs...)
}

func isText(s string) bool { return s != "" && utf8.ValidString(s) }

// identified reports why the user of d is not known, which is a rule of its own.
func (d *document) identified(ctx context.Context) error {
	_, err := d.user.once(func() (struct{}, error) {
		return struct{}{}, d.s.with(ctx, d.r, func(context.Context, preview.Request) error { return nil })
	})
	return err
}

func timeProblem(name string, t time.Time) error {
	switch seconds := t.Unix(); {
	case t.IsZero():
		return errors.New(name + " is zero")
	case seconds <= 0:
		return fmt.Errorf("%s is %v", name, t)
	case seconds >= latest:
		return fmt.Errorf("%s is in the year %d: was it made of milliseconds?", name, t.Year())
	}
	return nil
}

// steady asks two more times. One difference may be a save by somebody else.
func steady(ctx context.Context, s *subject) error {
	return s.each(func(d *document) error {
		first, err := d.File(ctx)
		if err != nil {
			return nil // Another rule says it.
		}
		versions := []uint32{first.Version}
		for range 2 {
			again := &document{s: s, r: d.r}
			f, err := again.File(ctx)
			if err != nil {
				return fmt.Errorf("asked again: %w", err)
			}
			versions = append(versions, f.Version)
		}
		if versions[0] != versions[1] && versions[1] != versions[2] || versions[1] < versions[0] || versions[2] < versions[1] {
			return fmt.Errorf("Version was %d, then %d, then %d", versions[0], versions[1], versions[2])
		}
		return nil
	})
}
