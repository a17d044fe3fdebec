package main

import (
	"context"
	"time"

	"go.opentelemetry.io/otel/attribute"
	"go.opentelemetry.io/otel/codes"
	"go.opentelemetry.io/otel/trace"

	"github.com/weboffice-go/weboffice"
)

// observer makes a metric and a span of every operation of the SDK. Nothing in an
// Operation or an Outcome is secret, so nothing is hidden here.
func observer(m *metrics, tracer trace.Tracer) weboffice.Observer {
	return func(ctx context.Context, op weboffice.Operation) (context.Context, func(weboffice.Outcome)) {
		start, kind := time.Now(), trace.SpanKindClient
		if op.Callback {
			kind = trace.SpanKindServer
		}
		ctx, span := tracer.Start(ctx, op.Name, trace.WithSpanKind(kind), trace.WithAttributes(
			attribute.Int("weboffice.attempt", op.Attempt), attribute.String("weboffice.caller_request_id", requestID(ctx))))
		return ctx, func(o weboffice.Outcome) {
			m.operations.WithLabelValues(op.Name, o.Error).Observe(time.Since(start).Seconds())
			if !op.Callback {
				m.waited.WithLabelValues(op.Name).Observe(o.Waited.Seconds())
			}
			if op.Attempt > 1 {
				m.attempts.WithLabelValues(op.Name).Inc()
			}
			span.SetAttributes(attribute.String("weboffice.app", o.App), attribute.String("weboffice.request_id", o.RequestID),
				attribute.Int("http.response.status_code", o.Status), attribute.Int("weboffice.code", o.Code),
				attribute.Float64("weboffice.waited_seconds", o.Waited.Seconds()))
			if o.Error != "" {
				span.SetAttributes(attribute.String("error.type", o.Error))
				span.SetStatus(codes.Error, o.Error)
			}
			span.End()
		}
	}
}
