package httpx_test

import (
	"bytes"
	"context"
	"crypto/md5"
	"crypto/sha1"
	"encoding/hex"
	"encoding/json"
	"io"
	"net/http"
	"net/http/httptest"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/go-resty/resty/v2"

	"github.com/weboffice-go/weboffice/convert"
	"github.com/weboffice-go/weboffice/internal/httpx"
	"github.com/weboffice-go/weboffice/signing"
)

// The same submit three ways, for the performance goals G5 and G6: as an engineer
// writes it with net/http, with resty, and with this module.

const submitted = `{"code":0,"data":{"task_id":"open:zqoxjlisjijqscyhuzvmmwlydetrcqf"},"result":"ok","message":"","trace":"0123456789abcdef"}`

type document struct {
	URL      string `json:"url"`
	Filename string `json:"filename"`
	Password string `json:"password,omitempty"`
}

type envelope struct {
	Code int `json:"code"`
	Data struct {
		TaskID string `json:"task_id"`
	} `json:"data"`
}

var source = "https://bucket.storage.example/reports/2024/annual-report.docx?Expires=1714373233&Signature=" + strings.Repeat("s", 160)

// sign is what one finds in the samples of the service: every step by itself.
func sign(body []byte) (sum, date, authorization string) {
	digest := md5.Sum(body)
	sum = hex.EncodeToString(digest[:])
	date = time.Now().UTC().Format(http.TimeFormat)
	signature := sha1.Sum([]byte("key" + sum + signing.ContentType + date))
	return sum, date, "SVC-2:app:" + hex.EncodeToString(signature[:])
}

func plainSubmit(ctx context.Context, hc *http.Client, base string) (string, error) {
	body, err := json.Marshal(document{URL: source, Filename: "annual-report.docx"})
	if err != nil {
		return "", err
	}
	req, err := http.NewRequestWithContext(ctx, http.MethodPost, base+"/api/developer/v1/office/convert/to/txt", bytes.NewReader(body))
	if err != nil {
		return "", err
	}
	sum, date, authorization := sign(body)
	req.Header.Set("Content-Type", signing.ContentType)
	req.Header.Set("Content-Md5", sum)
	req.Header.Set("Date", date)
	req.Header.Set("Authorization", authorization)
	resp, err := hc.Do(req)
	if err != nil {
		return "", err
	}
	defer func() { _ = resp.Body.Close() }()
	answer, err := io.ReadAll(resp.Body)
	if err != nil {
		return "", err
	}
	var out envelope
	err = json.Unmarshal(answer, &out)
	return out.Data.TaskID, err
}

func restySubmit(ctx context.Context, rc *resty.Client, base string) (string, error) {
	body, err := json.Marshal(document{URL: source, Filename: "annual-report.docx"})
	if err != nil {
		return "", err
	}
	sum, date, authorization := sign(body)
	var out envelope
	_, err = rc.R().SetContext(ctx).SetBody(body).SetResult(&out).
		SetHeader("Content-Type", signing.ContentType).SetHeader("Content-Md5", sum).
		SetHeader("Date", date).SetHeader("Authorization", authorization).
		Post(base + "/api/developer/v1/office/convert/to/txt")
	return out.Data.TaskID, err
}

// unlimited is a convert.Limiter that never waits.
type unlimited struct{}

func (unlimited) Wait(context.Context) error { return nil }

// submitters gives the three ways over one http.Client.
func submitters(tb testing.TB, hc *http.Client, base string) map[string]func(context.Context) (string, error) {
	tb.Helper()
	ours, err := convert.New(convert.Config{
		BaseURL: base, Credentials: signing.App("app", signing.NewSecret("key")), HTTPClient: hc, Limiter: unlimited{},
	})
	if err != nil {
		tb.Fatal(err)
	}
	raw := resty.NewWithClient(httpx.Copy(hc)) // a copy: resty writes into it
	return map[string]func(context.Context) (string, error){
		"net-http": func(ctx context.Context) (string, error) { return plainSubmit(ctx, hc, base) },
		"resty":    func(ctx context.Context) (string, error) { return restySubmit(ctx, raw, base) },
		"convert": func(ctx context.Context) (string, error) {
			task, err := ours.SubmitText(ctx, convert.TextRequest{URL: source, Filename: "annual-report.docx"})
			return task.ID, err
		},
	}
}

// instant answers in no time: what is left is the client.
type instant struct{}

func (instant) RoundTrip(req *http.Request) (*http.Response, error) {
	_, _ = io.Copy(io.Discard, req.Body)
	_ = req.Body.Close()
	return &http.Response{
		StatusCode: http.StatusOK, Proto: "HTTP/1.1", ProtoMajor: 1, ProtoMinor: 1,
		Header:        http.Header{"Content-Type": {"application/json"}},
		Body:          io.NopCloser(strings.NewReader(submitted)),
		ContentLength: int64(len(submitted)), Request: req,
	}, nil
}

// BenchmarkSubmit is G5: at most 1.25 times resty, and 2.2 times net/http.
func BenchmarkSubmit(b *testing.B) {
	ways := submitters(b, &http.Client{Transport: instant{}}, "https://office.example")
	for _, name := range []string{"net-http", "resty", "convert"} {
		submit := ways[name]
		b.Run(name, func(b *testing.B) {
			b.ReportAllocs()
			for b.Loop() {
				if id, err := submit(b.Context()); err != nil || id == "" {
					b.Fatal(id, err)
				}
			}
		})
	}
}

// BenchmarkSubmitParallel is the other half of G6: at least 0.92 of resty's calls.
func BenchmarkSubmitParallel(b *testing.B) {
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		_, _ = io.Copy(io.Discard, r.Body)
		w.Header().Set("Content-Type", "application/json")
		_, _ = io.WriteString(w, submitted)
	}))
	defer server.Close()
	hc := httpx.Copy(nil)
	defer hc.CloseIdleConnections()
	ways := submitters(b, hc, server.URL)
	for _, name := range []string{"net-http", "resty", "convert"} {
		submit := ways[name]
		b.Run(name, func(b *testing.B) {
			b.SetParallelism(32)
			b.RunParallel(func(pb *testing.PB) {
				for pb.Next() {
					if id, err := submit(b.Context()); err != nil || id == "" {
						b.Error(id, err)
					}
				}
			})
		})
	}
}

// Performance goal G6 permits ten allocations over resty; it is pinned at what is reached.
func TestSubmitAllocations(t *testing.T) {
	got := map[string]float64{}
	for name, submit := range submitters(t, &http.Client{Transport: instant{}}, "https://office.example") {
		got[name] = testing.AllocsPerRun(200, func() {
			if id, err := submit(t.Context()); err != nil || id == "" {
				t.Error(id, err)
			}
		})
	}
	if got["convert"] > got["resty"]+6 {
		t.Errorf("a submit allocates %v times, and resty %v (net/http %v): want at most six more", got["convert"], got["resty"], got["net-http"])
	}
}

// BenchmarkDownload is G9: 64 MiB, beside net/http with a buffer of 256 KiB.
func BenchmarkDownload(b *testing.B) {
	const size = 64 << 20
	block := bytes.Repeat([]byte("0123456789abcdef"), 16<<10)
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
		w.Header().Set("Content-Length", strconv.Itoa(size))
		for range size / len(block) {
			_, _ = w.Write(block)
		}
	}))
	defer server.Close()
	client, err := convert.New(convert.Config{BaseURL: server.URL, Credentials: signing.App("app", signing.NewSecret("key"))})
	if err != nil {
		b.Fatal(err)
	}
	defer client.CloseIdleConnections()
	b.Run("net-http", func(b *testing.B) {
		b.SetBytes(size)
		for b.Loop() {
			req, err := http.NewRequestWithContext(b.Context(), http.MethodGet, server.URL, nil)
			if err != nil {
				b.Fatal(err)
			}
			resp, err := server.Client().Do(req)
			if err != nil {
				b.Fatal(err)
			}
			_, err = io.CopyBuffer(struct{ io.Writer }{io.Discard}, resp.Body, make([]byte, 256<<10))
			_ = resp.Body.Close()
			if err != nil {
				b.Fatal(err)
			}
		}
	})
	b.Run("convert", func(b *testing.B) {
		b.SetBytes(size)
		for b.Loop() {
			if err := client.Download(b.Context(), convert.File{URL: server.URL, Size: size}, io.Discard); err != nil {
				b.Fatal(err)
			}
		}
	})
}
