package main

import (
	"context"
	"time"

	"go.opentelemetry.io/otel/exporters/otlp/otlptrace/otlptracehttp"
	"go.opentelemetry.io/otel/sdk/resource"
	sdktrace "go.opentelemetry.io/otel/sdk/trace"
	semconv "go.opentelemetry.io/otel/semconv/v1.40.0"
	"go.opentelemetry.io/otel/trace"
	"go.opentelemetry.io/otel/trace/noop"
)

// tracerName is the name under which spans are found.
const tracerName = "github.com/weboffice-go/weboffice/examples/server"

// newTracer sends spans to a collector. stop sends what is left.
func newTracer(ctx context.Context, url string) (_ trace.Tracer, stop func() error, err error) {
	if url == "" {
		return noop.NewTracerProvider().Tracer(tracerName), func() error { return nil }, nil
	}
	exporter, err := otlptracehttp.New(ctx, otlptracehttp.WithEndpointURL(url))
	if err != nil {
		return nil, nil, err
	}
	about, err := resource.New(ctx, resource.WithAttributes(semconv.ServiceName("weboffice-server")), resource.WithHost(), resource.WithFromEnv())
	if err != nil {
		return nil, nil, err
	}
	provider := sdktrace.NewTracerProvider(sdktrace.WithBatcher(exporter), sdktrace.WithResource(about))
	return provider.Tracer(tracerName), func() error {
		ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), 5*time.Second)
		defer cancel()
		return provider.Shutdown(ctx)
	}, nil
}
