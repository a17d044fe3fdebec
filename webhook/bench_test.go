package webhook_test

import (
	"net/http"
	"strings"
	"testing"
	"time"

	"github.com/weboffice-go/weboffice/internal/memhttp"
	"github.com/weboffice-go/weboffice/signing"
	"github.com/weboffice-go/weboffice/webhook"
)

func BenchmarkWindowAllow(b *testing.B) {
	b.Run("granted", func(b *testing.B) {
		w := webhook.NewWindow(1<<20, 0) // a place is as good as always free
		b.ReportAllocs()
		for b.Loop() {
			w.Allow()
		}
	})
	b.Run("denied", func(b *testing.B) {
		w := webhook.NewWindow(webhook.MessagesPerMinute, time.Hour)
		b.ReportAllocs()
		for b.Loop() {
			w.Allow()
		}
	})
}

func BenchmarkEncode(b *testing.B) {
	for name, m := range messages() {
		b.Run(name, func(b *testing.B) {
			b.ReportAllocs()
			for b.Loop() {
				if _, err := webhook.Encode(m); err != nil {
					b.Fatal(err)
				}
			}
		})
	}
}

func BenchmarkSend(b *testing.B) {
	ok := []byte(`{"result":"ok"}`)
	client := memhttp.Client(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) { _, _ = w.Write(ok) }))
	for name, secret := range map[string]string{"unsigned": "", "signed": "s"} {
		b.Run(name, func(b *testing.B) {
			r, err := webhook.NewRobot(webhook.Config{
				URL: signing.NewSecret(address), SigningSecret: signing.NewSecret(secret), HTTPClient: client, Limiter: free,
			})
			if err != nil {
				b.Fatal(err)
			}
			m := webhook.Markdown{Text: strings.Repeat("**word** ", 40)}
			b.ReportAllocs()
			for b.Loop() {
				if err := r.Send(b.Context(), m); err != nil {
					b.Fatal(err)
				}
			}
		})
	}
}

func BenchmarkSplit(b *testing.B) {
	text := strings.Repeat("## Title\n\nA **bold** word, a [link](http://h/x), and `code`.\n\n- one\n- two\n\n", 700)
	for name, m := range map[string]webhook.Message{"markdown": webhook.Markdown{Text: text}, "text": webhook.Text{Content: text}} {
		b.Run(name, func(b *testing.B) {
			b.SetBytes(int64(len(text)))
			b.ReportAllocs()
			for b.Loop() {
				if _, err := webhook.Split(m, nil); err != nil {
					b.Fatal(err)
				}
			}
		})
	}
}
