# rpcshell: build, test and measure. Every target works as the first command on a machine with only the Swift toolchain.

SHELL := /bin/bash
.SHELLFLAGS := -o pipefail -c
.DEFAULT_GOAL := build

# Fully static and stripped: the shortest start of all link modes (docs/PERFORMANCE.md). Tests link dynamically.
# Exclusive access is checked at run time in the debug builds that tests run, not in the release.
STATIC := -Xswiftc -static-executable -Xswiftc -enforce-exclusivity=unchecked -Xlinker --gc-sections -Xlinker -s
# What the linker says about name services and dlopen in static programs concerns parts of the libraries that are not used.
QUIET := | grep -vE 'in statically linked applications requires at runtime|`mktemp. is dangerous'
# A helper finds its library at run time, which is what keeps that up to date; with other flags than the shell's it needs a folder of its own.
HELPERS := .build/helpers
HELPER := --static-swift-stdlib --scratch-path $(HELPERS) -Xlinker --gc-sections -Xlinker -s
STRICT := --explicit-target-dependency-import-check error
SWIFT_BUILD := swift build $(STRICT)
BINARIES := RPCSHELL_BINARY=$(CURDIR)/.build/release/rpcshell TESTSHELL_BINARY=$(CURDIR)/.build/release/TestShell \
	TREETOOL_BINARY=$(CURDIR)/.build/release/TreeTool COUNTER_BINARY=$(CURDIR)/.build/release/CounterPlugin
# Tests end servers, but no machine.
WITH_POSTGRES := POSTGRES_OPTIONS='-c fsync=off' Tests/Servers/with-postgres
CLIENTS := Tests/Clients/install && Tests/Clients/run .build/release/rpcshell
PREFIX ?= /usr/local

.PHONY: demo build testshell treetool examples test test-clients lint bench scale asan tsan fuzz install clean deps

## What the package needs beside the toolchain, installed by name when missing.
deps:
	@scripts/install-dependencies libjansson-dev libsqlite3-dev libcurl4-openssl-dev libpq-dev

## Builds .build/release/rpcshell, and beside it the helpers that make calls over HTTP and speak to PostgreSQL servers.
build: deps
	$(SWIFT_BUILD) -c release --product rpcshell $(STATIC) $(QUIET)
	$(SWIFT_BUILD) -c release --product rpcshell-http $(HELPER)
	$(SWIFT_BUILD) -c release --product rpcshell-postgres $(HELPER)
	install -m 755 $(HELPERS)/release/rpcshell-http $(HELPERS)/release/rpcshell-postgres .build/release

## The shell with the plugin that tests need.
testshell: deps
	$(SWIFT_BUILD) -c release --product TestShell $(STATIC) $(QUIET)

## Measures a tree without the shell, as tests and benchmarks need it.
treetool: deps
	$(SWIFT_BUILD) -c release --product TreeTool $(STATIC) $(QUIET)

## The plugin in Swift that docs/PLUGINS.md is about.
examples: deps
	$(SWIFT_BUILD) -c release --product CounterPlugin $(STATIC) $(QUIET)

## Shows the main job: an upgrade that streams as state events.
demo: build
	@scripts/demo .build/release/rpcshell

## Lint, all tests, the end-to-end tests against the release binaries, and the release binary with real clients.
test: lint build testshell treetool examples
	@scripts/install-dependencies postgresql
	$(SWIFT_BUILD) --build-tests
	$(BINARIES) $(WITH_POSTGRES) scripts/test $(STRICT)
	@$(CLIENTS)
	@echo "rpcshell: lint clean, all tests passed against .build/release/rpcshell"

## Emacs, Neovim, Vim and three libraries drive the release binary; those that are missing are installed.
test-clients: build
	@$(CLIENTS)

lint:
	swift format lint --strict -r -p Sources Tests Fuzz Benchmarks Examples Package.swift
	@scripts/lint

## Ratios against C, and beside other programs, from one run; fails when a bar is missed.
bench: build testshell treetool
	@scripts/install-dependencies gdu ncdu
	Benchmarks/rpc.py
	Benchmarks/tree.py
	Benchmarks/storage.py
	Benchmarks/store.py

## The whole suite under the address sanitizer (leaks included) and the thread sanitizer.
asan: deps
	@scripts/install-dependencies postgresql
	$(WITH_POSTGRES) scripts/sanitize address

tsan: deps
	@scripts/install-dependencies postgresql
	$(WITH_POSTGRES) scripts/sanitize thread

## What a server and a file hold, and what limits them (docs/SCALE.md).
scale: build
	@scripts/install-dependencies postgresql
	Tests/Servers/with-postgres Benchmarks/scale.py

## Both fuzz targets, SECONDS each.
SECONDS_EACH ?= 300
fuzz: deps
	Fuzz/run.sh $(SECONDS_EACH)

install: build
	install -D -m 755 .build/release/rpcshell $(DESTDIR)$(PREFIX)/bin/rpcshell
	install -D -m 755 .build/release/rpcshell-http $(DESTDIR)$(PREFIX)/libexec/rpcshell/rpcshell-http
	install -D -m 755 .build/release/rpcshell-postgres $(DESTDIR)$(PREFIX)/libexec/rpcshell/rpcshell-postgres

clean:
	rm -rf .build
