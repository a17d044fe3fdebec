package main

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"net/url"
	"time"

	"github.com/weboffice-go/weboffice/token"
)

// users asks a service of yours whether a user may open a document: GET
// <URL>?file_id=<id> with the user's token as a bearer token. The answer is 204 for yes,
// 401 for an unknown user, 403 for no, and 404 for an unknown document. 200 is not a yes:
// a wrong URL or a login page would allow every user.
type users struct {
	url    *url.URL
	client *http.Client
}

func newUsers(address string) (*users, error) {
	u, err := url.Parse(address)
	if err != nil || u.Scheme != "http" && u.Scheme != "https" || u.Host == "" {
		return nil, errors.New("users_url must be an absolute http or https URL")
	}
	return &users{u, &http.Client{
		// One of its own: what else uses the default one may close connections.
		Transport:     &http.Transport{Proxy: http.ProxyFromEnvironment, ForceAttemptHTTP2: true, IdleConnTimeout: time.Minute},
		Timeout:       5 * time.Second,
		CheckRedirect: func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse },
	}}, nil
}

// mayOpen is Authorize of token.Config. An unexpected answer is an internal error to the
// caller, and is logged.
func (u *users) mayOpen(ctx context.Context, r token.Request) error {
	address := *u.url
	query := address.Query()
	query.Set("file_id", r.FileID) // not a part of the path: it may be ".."
	address.RawQuery = query.Encode()
	req, err := http.NewRequestWithContext(ctx, http.MethodGet, address.String(), http.NoBody)
	if err != nil {
		return err
	}
	req.Header.Set("Authorization", "Bearer "+r.WebOfficeToken.Reveal())
	resp, err := u.client.Do(req)
	if err != nil {
		return err
	}
	defer func() { _ = resp.Body.Close() }()
	switch resp.StatusCode {
	case http.StatusNoContent:
		return nil
	case http.StatusUnauthorized:
		return token.ErrUnauthorized
	case http.StatusForbidden:
		return token.ErrForbidden
	case http.StatusNotFound:
		return token.ErrNotFound
	default:
		return fmt.Errorf("the user service answered %s", resp.Status)
	}
}
