package previewtest_test

import (
	"context"
	"errors"
	"maps"
	"slices"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/weboffice-go/weboffice/preview"
	"github.com/weboffice-go/weboffice/preview/previewtest"
	"github.com/weboffice-go/weboffice/signing"
)

// TestRun checks a store with every capability, and nothing is left out.
func TestRun(t *testing.T) {
	t.Parallel()
	previewtest.Run(t, func(*testing.T) previewtest.Fixture { return newOffice().fixture() })
	_, notChecked := previewtest.Broken(t.Context(), func() previewtest.Fixture { return newOffice().fixture() })
	if len(notChecked) > 0 {
		t.Errorf("a full fixture leaves rules unchecked: %v", notChecked)
	}
	if err := previewtest.Check(t.Context(), newOffice().fixture()); err != nil {
		t.Error(err)
	}
}

// TestNotChecked skips what a fixture has nothing for, and says so.
func TestNotChecked(t *testing.T) {
	t.Parallel()
	alone := func() previewtest.Fixture {
		return previewtest.Fixture{
			Config:   preview.Config{Store: previewtest.MapStore{"plan": {Content: []byte("a plan")}}},
			Existing: []preview.Request{{FileID: "plan"}},
			Missing:  preview.Request{FileID: "nothing"},
		}
	}
	withoutFlag := func() previewtest.Fixture {
		o := newOffice()
		f := o.fixture()
		permission(func(p *preview.Permission) { p.History = false })(o, &f)
		return f
	}
	for name, tc := range map[string]struct {
		fixture     func() previewtest.Fixture
		not, checks []string
	}{
		"a Store alone": {alone, []string{
			"user-identified", "users-", "history-", "save-", "rename-", "missing-elsewhere", "denied-", "nobody-",
			"bytes-fetched", "bytes-again", "bytes-size", "bytes-digest", // its host is reserved
		}, nil},
		"no Permission of History": {withoutFlag, []string{"history-"}, []string{"history-denied"}},
	} {
		broken, notChecked := previewtest.Broken(t.Context(), tc.fixture)
		if len(broken) > 0 {
			t.Errorf("%s: broken rules: %v", name, broken)
		}
		all, _ := previewtest.RuleNames()
		for _, rule := range all {
			skips := slices.ContainsFunc(tc.not, func(prefix string) bool { return strings.HasPrefix(rule, prefix) }) && !slices.Contains(tc.checks, rule)
			if _, skipped := notChecked[rule]; skipped != skips {
				t.Errorf("%s: %s is not checked: %v, want %v", name, rule, skipped, skips)
			}
		}
	}
}

// TestRulesBite breaks the office in at least one way for each rule. Exactly that rule
// finds it. A second way is named after the rule and a colon.
func TestRulesBite(t *testing.T) {
	t.Parallel()
	all, reading := previewtest.RuleNames()
	ways := brokenOffices()
	broken := map[string]bool{}
	for way := range ways {
		name, _, _ := strings.Cut(way, ":")
		broken[name] = true
	}
	if diff := cmp.Diff(slices.Sorted(slices.Values(all)), slices.Sorted(maps.Keys(broken))); diff != "" {
		t.Errorf("rules and broken stores differ (-rules +stores):\n%s", diff)
	}
	for way, breaks := range ways {
		name, _, _ := strings.Cut(way, ":")
		t.Run(way, func(t *testing.T) {
			t.Parallel()
			synctest.Test(t, func(t *testing.T) {
				newFixture := func() previewtest.Fixture {
					o := newOffice()
					f := o.fixture()
					breaks(o, &f)
					return f
				}
				defer time.Sleep(time.Hour) // for the store that does not return
				broken, _ := previewtest.Broken(t.Context(), newFixture)
				if diff := cmp.Diff([]string{name}, slices.Sorted(maps.Keys(broken))); diff != "" {
					t.Errorf("broken rules (-want +got):\n%s\n%v", diff, broken)
				}
				err := previewtest.Check(t.Context(), newFixture())
				if want := slices.Contains(reading, name); want != (err != nil) {
					t.Errorf("Check = %v, want an error: %v", err, want)
				}
				if err != nil && (!strings.Contains(err.Error(), name) || strings.Contains(err.Error(), "CANARY")) {
					t.Errorf("Check = %v, want the rule %s in it, and no query", err, name)
				}
			})
		})
	}
}

// TestExplanations wants a sentence for each rule, and no name twice.
func TestExplanations(t *testing.T) {
	t.Parallel()
	all, _ := previewtest.RuleNames()
	sentences := previewtest.Explanations()
	if len(all) != len(sentences) {
		t.Errorf("%d rules have %d names", len(all), len(sentences))
	}
	for name, sentence := range sentences {
		if strings.Count(sentence, " ") < 4 {
			t.Errorf("%s is explained as %q", name, sentence)
		}
	}
}

// TestCheckOnlyReads counts what Check changes: nothing.
func TestCheckOnlyReads(t *testing.T) {
	t.Parallel()
	o := newOffice()
	before := len(o.docs["plan"].contents)
	if err := previewtest.Check(t.Context(), o.fixture()); err != nil {
		t.Fatal(err)
	}
	if len(o.puts) != 0 || len(o.docs["plan"].contents) != before || o.docs["plan"].name != "Plan.docx" {
		t.Error("Check changed something")
	}
}

// TestCheckFetchesFew of a long history: each document twice, and of each the two
// newest versions and the oldest.
func TestCheckFetchesFew(t *testing.T) {
	t.Parallel()
	o := newOffice()
	for range 200 {
		o.docs["plan"].save([]byte("a plan"), "ann")
	}
	f := o.fixture()
	f.Existing = f.Existing[:1]
	if err := previewtest.Check(t.Context(), f); err != nil || o.gets != 5 {
		t.Errorf("Check = %v after %d fetches, want 5", err, o.gets)
	}
}

// TestCheckHidesTokens that a store repeats.
func TestCheckHidesTokens(t *testing.T) {
	t.Parallel()
	o := newOffice()
	f := o.fixture()
	f.Config.Identify = nil
	f.Existing = []preview.Request{{FileID: "plan", WebOfficeToken: signing.NewSecret("CANARY-token")}}
	f.Config.Store = hooks{
		office: o,
		permission: func(r preview.Request, _ preview.Permission, _ error) (preview.Permission, error) {
			return preview.Permission{}, errors.New("who is " + r.WebOfficeToken.Reveal() + "?")
		},
	}
	err := previewtest.Check(t.Context(), f)
	if err == nil || !strings.Contains(err.Error(), "who is") || strings.Contains(err.Error(), "CANARY") {
		t.Errorf("Check = %v, want the error of the store without the token", err)
	}
}

// TestCheckShowsUsers whose tokens are their names.
func TestCheckShowsUsers(t *testing.T) {
	t.Parallel()
	f := newOffice().fixture()
	f.NoUser.WebOfficeToken = signing.NewSecret("user")
	f.Missing.WebOfficeToken = signing.NewSecret("ann.of.green.gables")
	f.UserIDs = []string{"ann.of.green.gables"}
	f.Config.Users = users(func([]string, []preview.User) ([]preview.User, error) { return nil, nil })
	err := previewtest.Check(t.Context(), f)
	for _, want := range []string{`there is no user "ann"`, `"ann.of.green.gables"`} {
		if err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("Check = %v, want %s in it", err, want)
		}
	}
}

// TestCheckFixture reports every problem of a fixture at once.
func TestCheckFixture(t *testing.T) {
	t.Parallel()
	err := previewtest.Check(t.Context(), previewtest.Fixture{})
	for _, want := range []string{"Existing", "Store"} {
		if err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("Check = %v, want %s in it", err, want)
		}
	}
}

// TestCheckEnds stops with the context.
func TestCheckEnds(t *testing.T) {
	t.Parallel()
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	if err := previewtest.Check(ctx, newOffice().fixture()); !errors.Is(err, context.Canceled) {
		t.Errorf("Check = %v, want context.Canceled", err)
	}
}

// TestRunMapStore runs the contract on the store of literals.
func TestRunMapStore(t *testing.T) {
	t.Parallel()
	previewtest.Run(t, func(*testing.T) previewtest.Fixture {
		return previewtest.Fixture{
			Config: preview.Config{Store: previewtest.MapStore{
				"plan": {Content: []byte("a plan"), Permission: map[string]preview.Permission{
					"ann": {Read: true}, "eve": {},
				}},
				"memo": {},
			}},
			Existing: []preview.Request{{FileID: "plan", WebOfficeToken: signing.NewSecret("ann")}, {FileID: "memo"}},
			Missing:  preview.Request{FileID: "nothing"},
			Denied:   preview.Request{FileID: "plan", WebOfficeToken: signing.NewSecret("eve")},
			NoUser:   preview.Request{FileID: "plan", WebOfficeToken: signing.NewSecret("bob")},
		}
	})
}
