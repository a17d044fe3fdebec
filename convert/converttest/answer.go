package converttest

import (
	"bytes"
	"encoding/json"
	"errors"
	"math"
	"net/http"
	"strconv"
	"time"

	"github.com/weboffice-go/weboffice/convert"
)

// nameOf gives the word that the service has for a code (public reference 2).
func nameOf(code int) string {
	switch code {
	case convert.CodeInvalidArgument:
		return "InvalidArgument"
	case convert.CodeRateLimiter:
		return "RateLimiter"
	case convert.CodeInvalidSignature:
		return "InvalidSignature"
	case convert.CodeInternalError:
		return "InternalError"
	case convert.CodeNoImpl:
		return "NoImpl"
	case convert.CodeDownloadFail:
		return "DownloadFail"
	case convert.CodeTooManyTask:
		return "TooManyTask"
	case convert.CodeFileNotExists:
		return "FileNotExists"
	default:
		return "code " + strconv.Itoa(code)
	}
}

// envelope is the form of every answer (protocol 7).
type envelope struct {
	Code    int    `json:"code"`
	Message string `json:"message,omitempty"`
	Data    any    `json:"data,omitempty"`
	Result  string `json:"result,omitempty"`
}

type submitData struct {
	TaskID string `json:"task_id"`
}

// queryData is protocol 2.3.
type queryData struct {
	Status   string  `json:"status"`
	Progress float64 `json:"progress"`
	Message  string  `json:"message,omitempty"`
	Result   *result `json:"result,omitempty"`
}

type result struct {
	Task struct {
		Elapsed      int64 `json:"elapsed"`
		ResourceSize int64 `json:"resource_size"`
	} `json:"task"`
	Texts []resultFile `json:"txts,omitempty"`
	PDFs  []resultFile `json:"pdfs,omitempty"`
}

type resultFile struct {
	URL  string `json:"url"`
	Size int    `json:"size"`
}

// answer writes v as JSON.
func answer(w http.ResponseWriter, status int, v any) {
	var body bytes.Buffer
	e := json.NewEncoder(&body)
	e.SetEscapeHTML(false)              // addresses go out as they are
	if err := e.Encode(v); err != nil { // no type of this package fails
		status, body = http.StatusInternalServerError, *bytes.NewBufferString(`{"code":30004,"message":"InternalError"}`)
	}
	answerBytes(w, status, bytes.TrimSuffix(body.Bytes(), []byte("\n")))
}

func answerBytes(w http.ResponseWriter, status int, body []byte) {
	w.Header().Set("Content-Type", "application/json")
	w.Header().Set("Content-Length", strconv.Itoa(len(body)))
	w.WriteHeader(status)
	_, _ = w.Write(body)
}

// refuse writes an error, with why after its name where there is more to say.
func refuse(w http.ResponseWriter, status, code int, why string) {
	message := nameOf(code)
	if why != "" {
		message += ": " + why
	}
	answer(w, status, envelope{Code: code, Message: message})
}

// refuseStart writes the error of a Converter.
func refuseStart(w http.ResponseWriter, err error) {
	var e *convert.APIError
	if !errors.As(err, &e) {
		refuse(w, http.StatusInternalServerError, convert.CodeInternalError, err.Error())
		return
	}
	if e.RetryAfter > 0 {
		w.Header().Set("Retry-After", seconds(e.RetryAfter))
	}
	status := e.StatusCode
	if status == 0 {
		status = http.StatusOK
	}
	switch {
	case e.Body != nil:
		answerBytes(w, status, e.Body)
	case e.Code == 0:
		refuse(w, status, convert.CodeInternalError, e.Message)
	default:
		message := e.Message
		if message == "" {
			message = nameOf(e.Code)
		}
		answer(w, status, envelope{Code: e.Code, Message: message})
	}
}

// seconds is d for Retry-After, which knows no fractions.
func seconds(d time.Duration) string { return strconv.Itoa(int(math.Ceil(d.Seconds()))) }

// finite is f as JSON can have it.
func finite(f float64) float64 {
	if math.IsNaN(f) || math.IsInf(f, 0) {
		return 0
	}
	return f
}
