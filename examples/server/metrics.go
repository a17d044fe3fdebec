package main

import (
	"context"
	"log/slog"
	"net/http"
	"time"

	"github.com/prometheus/client_golang/prometheus"
	"github.com/prometheus/client_golang/prometheus/collectors"
	"github.com/prometheus/client_golang/prometheus/promhttp"
)

// metrics are listed in docs/server.md, with what to watch.
type metrics struct {
	registry *prometheus.Registry

	operations *prometheus.HistogramVec // operation, error
	waited     *prometheus.HistogramVec // operation
	attempts   *prometheus.CounterVec   // operation
	requests   *prometheus.HistogramVec // route, method, status

	conversions    *prometheus.CounterVec   // target, result
	duration       *prometheus.HistogramVec // target
	sourceBytes    *prometheus.CounterVec   // target
	resultBytes    *prometheus.CounterVec   // target
	pages          *prometheus.CounterVec   // target
	serviceSeconds *prometheus.CounterVec   // target
	messages       *prometheus.CounterVec   // result
	repeated       *prometheus.CounterVec   // kind
}

var (
	fast = []float64{.005, .01, .025, .05, .1, .25, .5, 1, 2.5, 5, 10, 30}
	slow = []float64{.1, .5, 1, 2.5, 5, 10, 20, 30, 60, 120, 300, 600, 1800, 3600}
)

func newMetrics() *metrics {
	registry := prometheus.NewRegistry()
	registry.MustRegister(collectors.NewGoCollector(), collectors.NewProcessCollector(collectors.ProcessCollectorOpts{}))
	counter := func(name, help string, labels ...string) *prometheus.CounterVec {
		c := prometheus.NewCounterVec(prometheus.CounterOpts{Name: "weboffice_" + name, Help: help}, labels)
		registry.MustRegister(c)
		return c
	}
	histogram := func(name, help string, buckets []float64, labels ...string) *prometheus.HistogramVec {
		h := prometheus.NewHistogramVec(prometheus.HistogramOpts{Name: "weboffice_" + name, Help: help, Buckets: buckets}, labels)
		registry.MustRegister(h)
		return h
	}
	return &metrics{
		registry:   registry,
		operations: histogram("operation_duration_seconds", "Attempts of calls to the service, and callbacks from it.", fast, "operation", "error"),
		waited:     histogram("limiter_wait_seconds", "Waits for the rate limits.", slow, "operation"),
		attempts:   counter("operation_repeats_total", "Attempts after the first of a call.", "operation"),
		requests:   histogram("http_request_duration_seconds", "Requests that were answered.", fast, "route", "method", "status"),

		conversions:    counter("conversions_total", "Conversions that have ended.", "target", "result"),
		duration:       histogram("conversion_duration_seconds", "From the request to the stored result.", slow, "target"),
		sourceBytes:    counter("conversion_source_bytes_total", "Size of the documents that were converted.", "target"),
		resultBytes:    counter("conversion_result_bytes_total", "Size of the results.", "target"),
		pages:          counter("conversion_pages_total", "Pages of the results, where they are known.", "target"),
		serviceSeconds: counter("conversion_service_seconds_total", "What conversions took, as the service measures it.", "target"),
		messages:       counter("messages_total", "Messages of the robot that have ended.", "result"),
		repeated:       counter("jobs_repeated_total", "Calls that were repeated without knowing what became of the first.", "kind"),
	}
}

// converted counts a conversion that succeeded, and its cost.
func (m *metrics) converted(target string, c cost) {
	m.conversions.WithLabelValues(target, "done").Inc()
	m.duration.WithLabelValues(target).Observe(c.TotalSeconds)
	m.sourceBytes.WithLabelValues(target).Add(float64(c.SourceBytes))
	m.resultBytes.WithLabelValues(target).Add(float64(c.ResultBytes))
	m.pages.WithLabelValues(target).Add(float64(c.Pages))
	m.serviceSeconds.WithLabelValues(target).Add(c.ServiceSeconds)
}

// watch adds the backlog, which is counted when somebody asks.
func (m *metrics) watch(count func(ctx context.Context) ([]backlog, error), logger *slog.Logger) {
	m.registry.MustRegister(&backlogCollector{count, logger, prometheus.NewDesc(
		"weboffice_jobs", "Jobs in the queue of all replicas, by their state.", []string{"kind", "state"}, nil)})
}

func (m *metrics) handler() http.Handler {
	return promhttp.HandlerFor(m.registry, promhttp.HandlerOpts{MaxRequestsInFlight: 4})
}

type backlogCollector struct {
	count  func(ctx context.Context) ([]backlog, error)
	logger *slog.Logger
	desc   *prometheus.Desc
}

// Describe implements prometheus.Collector.
func (c *backlogCollector) Describe(ch chan<- *prometheus.Desc) { ch <- c.desc }

// Collect implements prometheus.Collector. Without an answer of the database the other
// metrics are still there.
func (c *backlogCollector) Collect(ch chan<- prometheus.Metric) {
	ctx, cancel := context.WithTimeout(context.Background(), 2*time.Second)
	defer cancel()
	found, err := c.count(ctx)
	if err != nil {
		c.logger.WarnContext(ctx, "the backlog cannot be counted", "error", err)
		return
	}
	for _, b := range found {
		ch <- prometheus.MustNewConstMetric(c.desc, prometheus.GaugeValue, float64(b.count), b.kind, b.state)
	}
}
