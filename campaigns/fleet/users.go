package main

import (
	"context"
	"fmt"
	"math/rand/v2"
	"net/http"
	"strings"
	"time"

	"github.com/weboffice-go/weboffice/preview/previewtest"
	"github.com/weboffice-go/weboffice/signing"
	"github.com/weboffice-go/weboffice/token"
	"github.com/weboffice-go/weboffice/token/tokentest"
)

// viewer is the viewer of a user who edits a document.
func (w *work) viewer(ctx context.Context, id string) (*previewtest.Viewer, signing.Secret, error) {
	var answer struct {
		Token string `json:"weboffice_token"`
	}
	if err := w.call(ctx, http.MethodPost, "/api/v1/viewers", "", `{"user":"ann","file_id":"`+id+`","edit":true}`, &answer); err != nil {
		return nil, signing.Secret{}, err
	}
	text := signing.NewSecret(answer.Token)
	v, err := previewtest.NewViewer(previewtest.ViewerConfig{
		BaseURL: gateway, Credentials: signing.App(appID, signing.NewSecret(appKey)), WebOfficeToken: text, HTTPClient: w.service.client,
	})
	return v, text, err
}

func (w *work) save(ctx context.Context) {
	each(w.saves, 3, func(i int) {
		id := edited[i%len(edited)]
		v, _, err := w.viewer(ctx, id)
		if err != nil {
			w.problem("save %d: %v", i, err)
			return
		}
		text := fmt.Sprintf("text %d %s", i, strings.Repeat("x", rand.N(20000)))
		file, err := v.Save(ctx, id, id+".docx", []byte(text))
		if err != nil {
			w.problem("save %d: %v", i, err)
			return
		}
		w.mu.Lock()
		if other := w.saved[id][file.Version]; other != "" {
			w.problems = append(w.problems, fmt.Sprintf("version %d of %s was acknowledged twice", file.Version, id))
		}
		w.saved[id][file.Version] = text
		w.mu.Unlock()
	})
}

// fetchTokens plays presentations that are open all the time.
func (w *work) fetchTokens(ctx context.Context, quiet <-chan struct{}) {
	_, who, err := w.viewer(ctx, edited[0])
	if err != nil {
		w.problem("tokens: %v", err)
		return
	}
	plugin, err := tokentest.NewPlugin(tokentest.PluginConfig{
		URL: gateway, Credentials: signing.App(appID, signing.NewSecret(appKey)), HTTPClient: w.service.client,
	})
	if err != nil {
		w.problem("tokens: %v", err)
		return
	}
	for {
		if _, err := plugin.Token(ctx, token.Request{AppID: appID, FileID: edited[0], WebOfficeToken: who}); err != nil && ctx.Err() == nil {
			w.problem("token: %v", err)
		}
		w.tokens.Add(1)
		select {
		case <-quiet:
			return
		case <-ctx.Done():
			return
		case <-time.After(200 * time.Millisecond):
		}
	}
}
