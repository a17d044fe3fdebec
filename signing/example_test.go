package signing_test

import (
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"strings"
	"time"

	"github.com/weboffice-go/weboffice/signing"
)

// A request that another HTTP client sends is signed last, when its body is final.
func ExampleSigner_SignRequest() {
	signer, err := signing.NewSigner(signing.App("SX1001", signing.NewSecret("app-key-1")))
	if err != nil {
		fmt.Println(err)
		return
	}
	body := strings.NewReader(`{"url":"https://example.com/a.docx","filename":"a.docx"}`)
	req := httptest.NewRequest(http.MethodPost, "https://api.example.com/api/developer/v1/office/convert/to/txt", body)
	if err := signer.SignRequest(req, time.Date(2013, 1, 23, 6, 43, 8, 0, time.UTC)); err != nil {
		fmt.Println(err)
		return
	}
	for _, name := range []string{"Date", "Content-Type", "Content-Md5", "Authorization"} {
		fmt.Println(name+":", req.Header.Get(name))
	}
	// Output:
	// Date: Wed, 23 Jan 2013 06:43:08 GMT
	// Content-Type: application/json
	// Content-Md5: b2c5721898880ffdd35338ff2ff63979
	// Authorization: SVC-2:SX1001:106b5f5b509737ab7f1e91361e66fb41b033dd89
}

// While the key of an app rotates, both are accepted; behind a proxy that strips
// a path prefix, the verifier puts it back.
func ExampleNewVerifier() {
	verifier, err := signing.NewVerifier(signing.VerifierConfig{
		Credentials: []signing.Credentials{
			signing.App("SX1001", signing.NewSecret("new-key")),
			signing.App("SX1001", signing.NewSecret("app-key-1")),
		},
		PublicPrefix: "/office",
	})
	if err != nil {
		fmt.Println(err)
		return
	}
	hello := http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) { _, _ = io.WriteString(w, "hello") })
	handler := verifier.Middleware(hello, func(w http.ResponseWriter, _ *http.Request, err error) {
		var failed *signing.Error
		if errors.As(err, &failed) {
			fmt.Println("refused by the check of the", failed.Check)
		}
		w.WriteHeader(http.StatusUnauthorized)
	})
	handler.ServeHTTP(httptest.NewRecorder(), httptest.NewRequest(http.MethodGet, "/v3/3rd/files/1", nil))
	// Output: refused by the check of the date
}

func ExampleSecret() {
	key := signing.NewSecret("app-key-1")
	fmt.Printf("%v %+v %d\n", key, struct{ Key signing.Secret }{key}, key)
	fmt.Println(len(key.Reveal()))
	// Output:
	// [secret] {Key:[secret]} [secret]
	// 9
}
