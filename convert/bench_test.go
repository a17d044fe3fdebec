package convert_test

import (
	"context"
	"strings"
	"testing"
	"time"

	"github.com/weboffice-go/weboffice/convert"
)

// result is an answer of the usual length, with two texts.
var result = []byte(`{"code":0,"data":{"status":"success","progress":100,"message":null,"result":{"task":{"elapsed":410,"resource_size":11884},"txts":[` +
	`{"url":"https://bucket.storage.example/a?Expires=1714373233&Signature=` + strings.Repeat("s", 60) + `","size":50790},` +
	`{"url":"https://bucket.storage.example/b?Expires=1714373233&Signature=` + strings.Repeat("s", 60) + `","size":50791}]}},"result":"ok"}`)

// Performance goal G19: one pass, at most 18 allocations.
func TestStatusAllocations(t *testing.T) {
	status, err := convert.DecodeStatus(result)
	if err != nil || len(status.Result.Files) != 2 {
		t.Fatal(status, err)
	}
	if n := testing.AllocsPerRun(100, func() { _, _ = convert.DecodeStatus(result) }); n > 21 {
		t.Errorf("reading a result allocates %v times, want at most 18 for decoding and 3 for the Status, its Result and its Files", n)
	}
}

func BenchmarkDecodeStatus(b *testing.B) {
	b.ReportAllocs()
	b.SetBytes(int64(len(result)))
	for b.Loop() {
		if _, err := convert.DecodeStatus(result); err != nil {
			b.Fatal(err)
		}
	}
}

func BenchmarkRangesString(b *testing.B) {
	ranges := convert.Ranges{convert.Page(1), {From: 3, To: 5}, convert.Page(9), {From: 100, To: 2000}}
	b.ReportAllocs()
	for b.Loop() {
		_ = ranges.String()
	}
}

func BenchmarkLimiter(b *testing.B) {
	limiter := convert.NewWindow(b.N+1, time.Nanosecond)
	b.ReportAllocs()
	for b.Loop() {
		if err := limiter.Wait(context.Background()); err != nil {
			b.Fatal(err)
		}
	}
}
