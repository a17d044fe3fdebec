package convert

import (
	"net/http"
	"time"

	"github.com/weboffice-go/weboffice/internal/httpx"
)

// NewWindow is the default Limiter, with another rate.
func NewWindow(n int, period time.Duration) Limiter { return NewLimiter(n, period) }

// DecodeStatus reads the answer to a task query, without its sending.
func DecodeStatus(body []byte) (*Status, error) {
	a := attempt{e: &exchange{}, c: &Client{}, response: &httpx.Response{StatusCode: http.StatusOK, Body: body}}
	var data statusData
	if err := a.decode(&data); err != nil {
		return nil, err
	}
	return data.status(time.Time{})
}

// Clean hides what gives access in what the service wrote.
func Clean(text string, secrets ...string) string { return clean(text, secrets) }

// StallTimeout is how long a download may go without a byte.
const StallTimeout = stallTimeout
