# Commands for development. CI runs .ci/run, which has the same steps.

SHELL := bash
.SHELLFLAGS := -Eeuo pipefail -c
.DEFAULT_GOAL := all

# The tools of .ci/versions; golangci-lint is built into bin/, once.
include .ci/versions
BIN := $(CURDIR)/bin
LINT := $(BIN)/golangci-lint
PACKAGES := work
MODULES := $(dir $(shell git ls-files go.mod '*/go.mod'))
FUZZTIME := 10s
BENCH := .

.PHONY: all
all: fmt lint test ## Format, lint and test: before each commit

.PHONY: help
help: ## Show this list
	@grep -hE '^[a-z-]+:.*## ' $(MAKEFILE_LIST) | sort | awk -F ':.*## ' '{ printf "  %-12s %s\n", $$1, $$2 }'

.PHONY: quickstart
quickstart: ## Run the quickstart
	go run ./examples/quickstart

.PHONY: fmt
fmt: $(LINT) ## Format all code
	for module in $(MODULES); do (cd $$module && $(LINT) fmt ./...); done

.PHONY: lint
lint: $(LINT) ## Run golangci-lint and .ci/words
	$(LINT) run $(MODULES:%=%...)
	.ci/words

.PHONY: test
test: ## Run all tests
	go test $(PACKAGES)

.PHONY: race
race: ## Run all tests in random order, with the race detector
	go test -race -shuffle=on $(PACKAGES)

.PHONY: fuzz
fuzz: ## Fuzz every target for FUZZTIME (10s)
	.ci/fuzz $(FUZZTIME)

.PHONY: bench
bench: ## Run the benchmarks that match BENCH (all), six times, for benchstat
	go test -run '^$$' -bench '$(BENCH)' -benchmem -count 6 $(PACKAGES) | tee bench.out

.PHONY: compare
compare: ## Compare bench.out with an earlier one, renamed to bench.old.out
	go run $(BENCHSTAT) bench.old.out bench.out

.PHONY: goldens
goldens: ## Rewrite the goldens, and fail if one differs from what is committed
	.ci/goldens

.PHONY: cover
cover: ## Show the test coverage
	go test -coverpkg=./... -coverprofile=coverage.out $(PACKAGES)
	go tool cover -func=coverage.out | tail -n 1

.PHONY: vuln
vuln: ## Check for known vulnerabilities (needs the network)
	for module in $(MODULES); do (cd $$module && go run $(GOVULNCHECK) ./...); done

.PHONY: api
api: ## Compare the exported API with that of the commit BASE (origin/main)
	.ci/api $(or $(BASE),origin/main)

.PHONY: doc
doc: ## Show the documentation in a browser
	go doc -http

.PHONY: ci
ci: ## Run everything that CI runs
	.ci/run

.PHONY: clean
clean: ## Remove the files that the other targets make
	rm -rf $(BIN) out *.out

$(LINT): .ci/versions
	mkdir -p $(BIN)
	.ci/tools $(BIN)
