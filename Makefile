# The commands of a working day. CI runs the same ones: see .ci/run.

SHELL := bash
.SHELLFLAGS := -Eeuo pipefail -c
.DEFAULT_GOAL := all

# The tools that internal/tools pins are built into bin/, once.
BIN := $(CURDIR)/bin
LINT := $(BIN)/golangci-lint
PACKAGES := ./... ./examples/...
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
	$(LINT) fmt ./...
	cd examples && $(LINT) fmt ./...

.PHONY: lint
lint: $(LINT) ## Look for what a reviewer would say
	go vet $(PACKAGES)
	$(LINT) run ./...
	cd examples && $(LINT) run ./...
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
	GOWORK=off go -C internal/tools tool benchstat $(CURDIR)/bench.old.out $(CURDIR)/bench.out

.PHONY: goldens
goldens: ## Write the goldens anew, and fail where one differs from what is committed
	.ci/goldens

.PHONY: cover
cover: ## Show how much of the module its tests reach
	go test -coverpkg=./... -coverprofile=coverage.out $(PACKAGES)
	go tool cover -func=coverage.out | tail -n 1

.PHONY: tidy
tidy: ## Tidy the three modules
	go mod tidy
	cd examples && GOWORK=off go mod tidy
	cd internal/tools && GOWORK=off go mod tidy

.PHONY: vuln
vuln: ## Look for known vulnerabilities (needs the network)
	mkdir -p $(BIN)
	GOWORK=off go -C internal/tools build -o $(BIN)/govulncheck golang.org/x/vuln/cmd/govulncheck
	$(BIN)/govulncheck ./...
	cd examples && $(BIN)/govulncheck ./...

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
clean: ## Remove what the targets above leave behind
	rm -rf $(BIN) out *.out

$(LINT): internal/tools/go.mod
	mkdir -p $(BIN)
	.ci/tools $(BIN)
