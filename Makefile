# Shortcuts, and the build that OpenBench runs: `make EXE=name [EVALFILE=net]`, the engine alone.
#
#   make          the program, built for this machine, as ./tabiya
#   make portable the same for any 64-bit x86 processor since 2009; kernels are chosen when it runs
#   make pgo      the same, a little faster: optimised for what the engine does most (takes a while)
#   make test     all tests
#   make ci       what every change must pass: format, lints, tests
#   make bench    the fingerprint of search and evaluation
#   make serve    the web board: builds page and program, opens it (needs Node.js 20.19 or newer)
#   make web      only the page
#   make wasm     the engine as a WebAssembly module, in target/wasm (see scripts/wasm)
#   make site     the page with the engine inside, as a folder for any web server: target/site
#   make npm      the npm package, as target/npm/tabiya-*.tgz
#   make npm-test the npm package in Node.js and Chromium (TABIYA=program compares the bench of all networks with it)
#   make web-test the page, with the program and alone, in headless Chromium (CHROMIUM=path to choose one)
#   make dist     all that a release page holds, in dist/ (takes long; scripts/dist says more)
#   make book     the book as HTML, in target/book (installs mdbook into target/ if it is missing)
#   make wheel        the Python package, as target/wheels/*.whl
#   make python-test  builds the package into a fresh environment and tests it

EXE ?= tabiya
# How it is built; `fast` builds faster, for trials.
PROFILE ?= release
# A network to embed instead of the default one.
EVALFILE ?=

ifeq ($(OS),Windows_NT)
    SUFFIX := .exe
endif
PROGRAM := $(patsubst %$(SUFFIX),%,$(EXE))$(SUFFIX)
TARGET_DIR := $(or $(CARGO_TARGET_DIR),target)
# Who names the program, as OpenBench does, wants an engine and not a laboratory.
ifeq ($(origin EXE),command line)
    ENGINE_ONLY := --no-default-features
endif

build:
	EVALFILE="$(EVALFILE)" cargo build --profile $(PROFILE) --locked --package tabiya-cli $(ENGINE_ONLY)
	cp "$(TARGET_DIR)/$(PROFILE)/tabiya$(SUFFIX)" "$(PROGRAM)"

# For other machines than this one. The neural kernels use what the processor has all the same.
portable:
	EVALFILE="$(EVALFILE)" RUSTFLAGS="-C target-cpu=x86-64-v2" \
		cargo build --profile $(PROFILE) --locked --package tabiya-cli --target-dir "$(TARGET_DIR)/portable"
	cp "$(TARGET_DIR)/portable/$(PROFILE)/tabiya$(SUFFIX)" "$(PROGRAM)"

# Profile-guided optimisation: an instrumented build runs the bench with both evaluations, the second
# build knows the paths.
PGO_DIR := $(abspath $(TARGET_DIR))/pgo
RUST_BIN = $(shell rustc --print target-libdir)/../bin
pgo:
	rustup component add llvm-tools
	rm -rf "$(PGO_DIR)/raw"
	EVALFILE="$(EVALFILE)" RUSTFLAGS="-C target-cpu=native -C profile-generate=$(PGO_DIR)/raw" \
		cargo build --release --locked --package tabiya-cli --target-dir "$(PGO_DIR)"
	"$(PGO_DIR)/release/tabiya$(SUFFIX)" bench 13
	printf 'setoption name Use NNUE value false\nbench 13\nquit\n' | "$(PGO_DIR)/release/tabiya$(SUFFIX)"
	"$(RUST_BIN)/llvm-profdata" merge -o "$(PGO_DIR)/merged.profdata" "$(PGO_DIR)/raw"
	EVALFILE="$(EVALFILE)" RUSTFLAGS="-C target-cpu=native -C profile-use=$(PGO_DIR)/merged.profdata" \
		cargo build --release --locked --package tabiya-cli --target-dir "$(PGO_DIR)"
	cp "$(PGO_DIR)/release/tabiya$(SUFFIX)" "$(PROGRAM)"

test:
	cargo test --workspace --locked

ci:
	.ci/run

bench: build
	"./$(PROGRAM)" bench

WASM_DIR := $(abspath $(TARGET_DIR))/wasm
SITE_DIR := $(abspath $(TARGET_DIR))/site
NPM_DIR := $(abspath $(TARGET_DIR))/npm

# Without saving: the lock decides and stays as it is, whatever this version of npm would add to it or leave out.
NPM_INSTALL := npm install --no-save --no-audit --no-fund

# The page falls back to the engine inside, if that was built (`make wasm`).
web:
	cd web && $(NPM_INSTALL) && \
		INSIDE="$(if $(wildcard $(WASM_DIR)/tabiya.wasm),$(WASM_DIR))" npm run build
	touch web/package.json # the program watches it as long as it has no page

# The engine inside, for pages without a program behind them.
wasm:
	scripts/wasm

site: wasm
	cd web && $(NPM_INSTALL) && INSIDE="$(WASM_DIR)" SITE="$(SITE_DIR)" npm run build
	@echo "$(SITE_DIR): copy it to any web server"

npm: wasm
	cd web && $(NPM_INSTALL)
	scripts/npm-package "$(WASM_DIR)" "$(NPM_DIR)"

npm-test: npm
	cd npm && npm test

serve: web build
	"./$(PROGRAM)" serve

# The page with the program behind it, and the page alone.
web-test: site web
	cargo build --locked --package tabiya-cli
	cd web && TABIYA="$(abspath $(TARGET_DIR))/debug/tabiya$(SUFFIX)" \
		SITE_DIR="$(SITE_DIR)" npm test

# The Python package: its environment lies beside the other build products.
PYTHON ?= python3
VENV := $(abspath $(TARGET_DIR))/python
WHEELS := $(abspath $(TARGET_DIR))/wheels

$(VENV)/bin/maturin:
	$(PYTHON) -m venv "$(VENV)"
	"$(VENV)/bin/pip" install --quiet "maturin>=1.9,<2"

wheel: $(VENV)/bin/maturin
	"$(VENV)/bin/maturin" build --release --locked --manifest-path crates/python/Cargo.toml \
		--out "$(WHEELS)"

python-test: wheel
	"$(VENV)/bin/pip" install --quiet "pytest>=8" "mypy>=1.11" numpy chess matplotlib
	"$(VENV)/bin/pip" install --quiet "ray>=2.40"
	"$(VENV)/bin/pip" install --quiet --force-reinstall --no-deps "$(WHEELS)"/tabiya-*.whl
	cargo fmt --manifest-path crates/python/Cargo.toml --check
	cargo clippy --manifest-path crates/python/Cargo.toml --locked -- -D warnings
	cd crates/python && "$(VENV)/bin/python" -m pytest

# Everything for a release page.
dist:
	PROFILE="$(PROFILE)" scripts/dist

# The book. Its figures and numbers are kept in the repository: `cargo run -p tabiya-book -- figures`.
MDBOOK ?= $(shell command -v mdbook || echo "$(abspath $(TARGET_DIR))/mdbook/bin/mdbook")

$(abspath $(TARGET_DIR))/mdbook/bin/mdbook:
	PATH="$(@D):$$PATH" cargo install mdbook --version "^0.5" --locked --root "$(abspath $(TARGET_DIR))/mdbook"

# Where the engine for web pages was built (`make npm`), its boards can be played on.
book: $(MDBOOK)
	cargo run --quiet --locked --package tabiya-book -- check
	"$(MDBOOK)" build book --dest-dir "$(abspath $(TARGET_DIR))/book"
	cargo run --quiet --locked --package tabiya-book -- publish "$(abspath $(TARGET_DIR))/book"
	if [ -f npm/dist/tabiya.wasm ]; then cp -r npm/dist "$(abspath $(TARGET_DIR))/book/engine"; fi

.PHONY: build portable pgo test ci bench web wasm site npm npm-test serve web-test book wheel python-test dist
.DEFAULT_GOAL := build
