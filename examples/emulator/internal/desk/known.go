package desk

import (
	"cmp"
	"context"
	"crypto/rand"
	"net/http"
	"slices"
	"strings"
	"time"

	"github.com/weboffice-go/weboffice/signing"
)

// app is the app with that id; the first one if it is empty.
func (d *Desk) app(id string) (App, error) {
	d.mu.Lock()
	defer d.mu.Unlock()
	for _, app := range d.apps {
		if id == "" || app.ID == id {
			return app, nil
		}
	}
	return App{}, problem{"app_id", "there is no such app"}
}

func (d *Desk) firstApp() App {
	app, _ := d.app("")
	return app
}

func (d *Desk) allApps() []App {
	d.mu.Lock()
	defer d.mu.Unlock()
	return append([]App{}, d.apps...)
}

// credentials are how an app signs.
func (d *Desk) credentials(app App) signing.Credentials {
	return signing.AppWithScheme(d.cfg.Scheme, app.ID, signing.NewSecret(app.Key))
}

// lookup finds the credentials of an app.
func (d *Desk) lookup(_ context.Context, c signing.Caller) ([]signing.Credentials, error) {
	for _, app := range d.allApps() {
		if app.ID == c.AppID {
			return []signing.Credentials{d.credentials(app)}, nil
		}
	}
	return nil, nil
}

// identities are all whose secrets are known.
func (d *Desk) identities() []identity {
	var all []identity
	for _, app := range d.allApps() {
		all = append(all, identity{scheme: d.cfg.Scheme, id: app.ID, name: "app " + app.ID, secret: app.Key})
	}
	for _, robot := range d.chat.all() {
		if robot.SigningSecret != "" {
			all = append(all, identity{id: robot.Key, name: "robot " + robot.Name, secret: robot.SigningSecret})
		}
	}
	return all
}

// hider hides all secrets that the desk knows, and further ones.
func (d *Desk) hider(further ...string) hider {
	known := slices.Clone(further)
	for _, app := range d.allApps() {
		known = append(known, app.Key)
	}
	for _, robot := range d.chat.all() {
		known = append(known, robot.Key, robot.SigningSecret)
	}
	for _, client := range d.plugin.allClients() {
		known = append(known, client.Secret)
	}
	return newHider(known)
}

// await marks a request of the emulator to itself, and waits for its exchange.
func (d *Desk) await(req *http.Request, of func(Exchange) string) func() string {
	const patience = 5 * time.Second
	id := rand.Text()
	done := make(chan Exchange, 1)
	d.mu.Lock()
	d.expected[id] = done
	d.mu.Unlock()
	req.Header.Set(byHeader, d.self+" "+id)
	return func() string {
		timer := time.NewTimer(patience)
		defer timer.Stop()
		defer func() {
			d.mu.Lock()
			defer d.mu.Unlock()
			delete(d.expected, id)
		}()
		select {
		case x := <-done:
			return of(x)
		case <-timer.C:
			return ""
		}
	}
}

// own reports whether the emulator sent r itself, and takes the mark off. tell hands the
// exchange to who waits for it.
func (d *Desk) own(r *http.Request) (is bool, tell func(Exchange)) {
	mark := r.Header.Get(byHeader)
	r.Header.Del(byHeader)
	id, is := strings.CutPrefix(mark, d.self+" ")
	return is, func(x Exchange) {
		d.mu.Lock()
		defer d.mu.Unlock()
		if done := d.expected[id]; is && done != nil {
			done <- x
			delete(d.expected, id)
		}
	}
}

// version is what the overview says.
func (d *Desk) version() string { return cmp.Or(d.cfg.Version, "development") }
