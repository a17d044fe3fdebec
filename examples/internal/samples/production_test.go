package samples_test

import (
	"cmp"
	"context"
	"expvar"
	"net/http"
	"sync/atomic"
	"testing"
	"time"

	"github.com/weboffice-go/weboffice"
	"github.com/weboffice-go/weboffice/convert"
	"github.com/weboffice-go/weboffice/preview"
	"github.com/weboffice-go/weboffice/preview/previewtest"
	"github.com/weboffice-go/weboffice/signing"
	"github.com/weboffice-go/weboffice/webhook"
	"github.com/weboffice-go/weboffice/webhook/webhooktest"
)

// keys verifies with the keys that were loaded last.
type keys struct {
	current atomic.Pointer[signing.Verifier]
}

func (k *keys) load(credentials ...signing.Credentials) error {
	v, err := signing.NewVerifier(signing.VerifierConfig{Credentials: credentials})
	if err != nil {
		return err // the keys of before stay
	}
	k.current.Store(v)
	return nil
}

// verify is for Config.Auth.
func (k *keys) verify(r *http.Request) (signing.Caller, error) {
	return k.current.Load().VerifyRequest(r)
}

func TestRotation(t *testing.T) {
	t.Parallel()
	oldKey, newKey := signing.NewSecret("old key"), signing.NewSecret("new key")
	var k keys
	handler, err := preview.NewHandler(preview.Config{Store: previewtest.MapStore{"plan": {}}, Auth: k.verify, Logger: quiet()})
	if err != nil {
		t.Fatal(err)
	}
	opens := func(key signing.Secret) bool {
		viewer, err := previewtest.NewViewer(previewtest.ViewerConfig{Handler: handler, Credentials: signing.AppWithScheme("WPS-2", "SX2024", key)})
		if err != nil {
			t.Fatal(err)
		}
		_, err = viewer.File(t.Context(), "plan")
		return err == nil
	}
	if err := k.load(
		signing.AppWithScheme("WPS-2", "SX2024", newKey),
		signing.AppWithScheme("WPS-2", "SX2024", oldKey), // until the service signs with the new one
	); err != nil {
		t.Fatal(err)
	}
	if !opens(oldKey) || !opens(newKey) {
		t.Error("during the rotation one of the keys does not open the document")
	}
	if err := k.load(signing.AppWithScheme("WPS-2", "SX2024", newKey)); err != nil {
		t.Fatal(err)
	}
	if opens(oldKey) || !opens(newKey) {
		t.Error("after the rotation another key than the new one opens the document")
	}
}

func clients(baseURL, appID string, oldKey, newKey signing.Secret) (*convert.Client, *convert.Client, error) {
	limiter := convert.NewLimiter(convert.DefaultCallsPerSecond, time.Second) // outlives the clients
	before, err := convert.New(convert.Config{
		BaseURL: baseURL, Credentials: signing.AppWithScheme("WPS-2", appID, oldKey), Limiter: limiter,
	})
	if err != nil {
		return nil, nil, err
	}
	after, err := convert.New(convert.Config{
		BaseURL: baseURL, Credentials: signing.AppWithScheme("WPS-2", appID, newKey), Limiter: limiter,
	})
	return before, after, err
}

func TestClients(t *testing.T) {
	t.Parallel()
	if _, _, err := clients("https://office.example", "SX2024", signing.NewSecret("old"), signing.NewSecret("new")); err != nil {
		t.Error(err)
	}
}

// tenant is a customer with an app of its own.
type tenant struct{ key signing.Secret }

// tenantTable is a table in memory.
type tenantTable map[string]tenant

func (t tenantTable) byApp(ctx context.Context, appID string) (tenant, bool, error) {
	found, ok := t[appID]
	return found, ok, ctx.Err()
}

func tenantVerifier(tenants tenantTable) (*signing.Verifier, error) {
	return signing.NewVerifier(signing.VerifierConfig{
		Lookup: func(ctx context.Context, c signing.Caller) ([]signing.Credentials, error) {
			// Yours: a cache in front of a database.
			tenant, ok, err := tenants.byApp(ctx, c.AppID)
			if err != nil || !ok {
				return nil, err // no credentials and no error: the app is unknown
			}
			return []signing.Credentials{signing.AppWithScheme("WPS-2", c.AppID, tenant.key)}, nil
		},
	})
}

// tenantStore is a Store in which a document belongs to an app.
type tenantStore struct {
	previewtest.MapStore
	owners map[string]string
}

func (s tenantStore) File(ctx context.Context, r preview.Request) (preview.File, error) {
	if s.owners[r.FileID] != r.AppID { // also in Download and Permission
		return preview.File{}, preview.ErrNotFound
	}
	return s.MapStore.File(ctx, r)
}

func TestTenants(t *testing.T) {
	t.Parallel()
	v, err := tenantVerifier(tenantTable{"SX-1": {signing.NewSecret("one")}, "SX-2": {signing.NewSecret("two")}})
	if err != nil {
		t.Fatal(err)
	}
	store := tenantStore{previewtest.MapStore{"plan": {}}, map[string]string{"plan": "SX-1"}}
	handler, err := preview.NewHandler(preview.Config{Store: store, Auth: v.VerifyRequest, Logger: quiet()})
	if err != nil {
		t.Fatal(err)
	}
	for _, tt := range []struct {
		app, key string
		opens    bool
	}{{"SX-1", "one", true}, {"SX-1", "two", false}, {"SX-2", "two", false}, {"SX-3", "one", false}} {
		viewer, err := previewtest.NewViewer(previewtest.ViewerConfig{Handler: handler, Credentials: signing.AppWithScheme("WPS-2", tt.app, signing.NewSecret(tt.key))})
		if err != nil {
			t.Fatal(err)
		}
		if _, err := viewer.File(t.Context(), "plan"); (err == nil) != tt.opens {
			t.Errorf("app %s with key %s = %v, want a document: %t", tt.app, tt.key, err, tt.opens)
		}
	}
}

var (
	operations = expvar.NewMap("weboffice_operations") // a counter, by operation and error
	seconds    = expvar.NewMap("weboffice_seconds")    // better a histogram, by operation
)

func observe(
	ctx context.Context, op weboffice.Operation,
) (context.Context, func(weboffice.Outcome)) {
	start := time.Now() // a tracer starts its span here, and returns its context
	return ctx, func(out weboffice.Outcome) {
		operations.Add(op.Name+" "+cmp.Or(out.Error, "ok"), 1)
		seconds.AddFloat(op.Name, time.Since(start).Seconds())
	}
}

func TestObserve(t *testing.T) {
	t.Parallel()
	cfg := webhooktest.NewServer(nil).Config(webhooktest.TestKey())
	cfg.Observe = observe
	robot, err := webhook.NewRobot(cfg)
	if err != nil {
		t.Fatal(err)
	}
	if err := robot.Send(t.Context(), webhook.Text{Content: "hello"}); err != nil {
		t.Fatal(err)
	}
	if got := operations.Get("webhook.send ok"); got == nil || got.String() != "1" {
		t.Errorf("the counter of webhook.send is %v, want 1", got)
	}
}
