package tokentest

import (
	"encoding/base64"
	"encoding/json"
	"strings"
	"time"

	"github.com/weboffice-go/weboffice/signing"
)

// statedEnd reads the expiry that a JWT states, its claim exp (RFC 7519 section 4.1.4).
// Access tokens are JWTs (protocol 2.11), but tests often use another text.
func statedEnd(t signing.Secret) (end time.Time, ok bool) {
	parts := strings.Split(t.Reveal(), ".")
	if len(parts) != 3 {
		return time.Time{}, false
	}
	payload, err := base64.RawURLEncoding.DecodeString(parts[1])
	if err != nil {
		return time.Time{}, false
	}
	var claims struct {
		Exp float64 `json:"exp"`
	}
	if err := json.Unmarshal(payload, &claims); err != nil || claims.Exp <= 0 {
		return time.Time{}, false
	}
	return time.Unix(int64(claims.Exp), 0), true
}
