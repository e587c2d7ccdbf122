# Shortcuts, and the build that OpenBench runs: `make EXE=name [EVALFILE=net]`.
#
#   make          the program, built for this machine, as ./tabiya
#   make test     all tests
#   make ci       what every change must pass: format, lints, tests
#   make bench    the fingerprint of search and evaluation

EXE ?= tabiya
# A network to embed instead of the default one.
EVALFILE ?=

ifeq ($(OS),Windows_NT)
    SUFFIX := .exe
endif
PROGRAM := $(patsubst %$(SUFFIX),%,$(EXE))$(SUFFIX)
TARGET_DIR := $(or $(CARGO_TARGET_DIR),target)

build:
	EVALFILE="$(EVALFILE)" cargo build --release --locked --package tabiya-cli
	cp "$(TARGET_DIR)/release/tabiya$(SUFFIX)" "$(PROGRAM)"

test:
	cargo test --workspace --locked

ci:
	.ci/run

bench: build
	"./$(PROGRAM)" bench

.PHONY: build test ci bench
.DEFAULT_GOAL := build
