// Serves fakes of the conversion API, a group chat and the token endpoint on this machine.
package main

import (
	"fmt"
	"log"
	"net/http"
	"time"

	"github.com/weboffice-go/weboffice/convert/converttest"
	"github.com/weboffice-go/weboffice/signing"
	"github.com/weboffice-go/weboffice/token/tokentest"
	"github.com/weboffice-go/weboffice/webhook"
	"github.com/weboffice-go/weboffice/webhook/webhooktest"
)

// settings are those of the programs that call the fakes.
const settings = `export WEBOFFICE_BASE_URL=http://127.0.0.1:9000 WEBOFFICE_SCHEME=WPS-2
export WEBOFFICE_APP_ID=SX2024 WEBOFFICE_APP_KEY=key
export WEBOFFICE_ROBOT_URL='http://127.0.0.1:9000/api/v1/webhook/send?key=robot-key'
export WEBOFFICE_AUTH_URL=http://127.0.0.1:9000/oauth2/token
export WEBOFFICE_CLIENT_ID=AK2024 WEBOFFICE_CLIENT_SECRET=client-secret`

func main() {
	handler, err := newHandler()
	if err != nil {
		log.Fatal(err)
	}
	fmt.Println(settings)
	server := &http.Server{
		Addr: "127.0.0.1:9000", Handler: handler, ReadHeaderTimeout: 10 * time.Second,
	}
	log.Fatal(server.ListenAndServe())
}

func newHandler() (http.Handler, error) {
	app := signing.AppWithScheme("WPS-2", "SX2024", signing.NewSecret("key"))
	office := converttest.NewServer(&converttest.Options{
		Credentials: []signing.Credentials{app},
		Converter: converttest.Script{
			converttest.Pending(40), converttest.Success([]byte("converted")),
		},
	})
	chat := webhooktest.NewServer(nil)
	if err := chat.Add(webhooktest.Robot{Key: signing.NewSecret("robot-key")}); err != nil {
		return nil, err
	}
	endpoint := tokentest.NewEndpoint(&tokentest.EndpointOptions{
		Clients: map[string]signing.Secret{"AK2024": signing.NewSecret("client-secret")},
	})
	mux := http.NewServeMux()
	mux.Handle(converttest.PathPrefix, office)
	mux.Handle(webhook.SendPath, chat)
	mux.Handle(tokentest.EndpointPath, endpoint)
	return mux, nil
}
