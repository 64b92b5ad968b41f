# What contributors run; CONTRIBUTING.md says when. The scripts are in .ci.

GOLANGCI = github.com/golangci/golangci-lint/v2/cmd/golangci-lint@v2.15.0
FUZZTIME ?= 20s

.PHONY: help test quick gate long fuzz bench lint fmt snapshot

help: ## this list
	@sed -n 's/^\([a-z]*\):.*## /\1\t/p' $(MAKEFILE_LIST) | expand -t 12

test: ## all tests that need no JVM
	go test ./...

quick: ## what the gate checks, in about two minutes
	.ci/run quick

gate: ## everything that must hold before a change lands
	.ci/run

long: ## what takes hours
	.ci/long

fuzz: ## every fuzz target for FUZZTIME (20s)
	.ci/fuzz $(FUZZTIME)

bench: ## the benchmarks of what is promised; JFR_BENCH_FILE names a large recording
	go test -run '^$$' -bench . ./bench

lint: ## golangci-lint, which the gate runs too
	go run $(GOLANGCI) run

fmt: ## format all Go files
	gofmt -w .

snapshot: ## binaries of all platforms in dist, with goreleaser
	goreleaser release --snapshot --clean
