package tokentest

import (
	"bytes"
	"context"
	"fmt"
	"slices"
	"strings"

	"github.com/weboffice-go/weboffice/token"
)

func checkOtherApp(ctx context.Context, s *session) error { return s.mustRefuse(ctx, s.OtherApp) }

func checkDenied(ctx context.Context, s *session) error { return s.mustRefuse(ctx, s.Denied) }

func checkUnknownUser(ctx context.Context, s *session) error { return s.mustRefuse(ctx, s.UnknownUser) }

// mustRefuse sends r, which must be refused, before and after another user gets a token.
func (s *session) mustRefuse(ctx context.Context, r token.Request) error {
	if !complete(r) {
		return errSkip
	}
	if _, err := s.refused(ctx, "the request", newCall(r)); err != nil {
		return err
	}
	if err := s.granted(ctx, newCall(s.Allowed)); err != nil {
		return err
	}
	_, err := s.refused(ctx, "the request, after another one was granted,", newCall(r))
	return err
}

func checkSilence(ctx context.Context, s *session) error {
	good := newCall(s.Allowed)
	calls := map[string]call{
		"a success":                   good,
		"a refusal":                   s.spoiled(strings.Replace(string(good.body), `"app_id":`, `"app":`, 1)),
		"a refusal of a partial body": s.spoiled(string(good.body[:len(good.body)-1])),
	}
	var users []string
	for what, r := range map[string]token.Request{
		"": s.Allowed, "a denied user": s.Denied, "an unknown user": s.UnknownUser, "another app": s.OtherApp,
	} {
		if !complete(r) {
			continue
		}
		users = append(users, r.WebOfficeToken.Reveal())
		if what != "" {
			calls["the refusal of "+what] = newCall(r)
		}
	}
	for what, c := range calls {
		a, err := s.plugin.send(ctx, c)
		if err != nil {
			return err
		}
		if slices.ContainsFunc(users, func(user string) bool { return bytes.Contains(a.body, []byte(user)) }) {
			return fmt.Errorf("%s repeats it", what)
		}
	}
	return nil
}
