package signing_test

import (
	"fmt"
	"log"
	"net/http"
	"net/http/httptest"
	"time"

	"github.com/weboffice-go/weboffice/signing"
)

// Any handler can be put behind a Verifier, such as a callback of your own.
func ExampleVerifier_Middleware() {
	app := signing.App("SX2024", signing.NewSecret("app key"))
	verifier, err := signing.NewVerifier(signing.VerifierConfig{Credentials: []signing.Credentials{app}})
	if err != nil {
		log.Fatal(err)
	}
	handler := verifier.Middleware(
		http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) { w.WriteHeader(http.StatusNoContent) }),
		func(w http.ResponseWriter, _ *http.Request, err error) {
			log.Println(err) // which check failed; the caller is not told
			http.Error(w, "unauthorized", http.StatusUnauthorized)
		},
	)

	signer, err := signing.NewSigner(app)
	if err != nil {
		log.Fatal(err)
	}
	signed := httptest.NewRequest(http.MethodGet, "/watermark", nil)
	if err := signer.SignRequest(signed, time.Now()); err != nil {
		log.Fatal(err)
	}
	for _, req := range []*http.Request{signed, httptest.NewRequest(http.MethodGet, "/watermark", nil)} {
		answer := httptest.NewRecorder()
		handler.ServeHTTP(answer, req)
		fmt.Println(answer.Code)
	}
	// Output:
	// 204
	// 401
}
