# Two commands for a newcomer: `make run` opens the app, `make test` checks everything.
# Needed beside them: Python 3.11 or newer with venv, git, make. Everything else is set up in .venv.

SHELL := /bin/bash
.DEFAULT_GOAL := help
.PHONY: help run test test-slow check bench lock clean python chromium

WORKSPACE ?=
PORT ?= 8765
VENV := .venv
BIN := $(VENV)/bin
MODERN = -c 'import sys; sys.exit(sys.version_info < (3, 11))'
# The first interpreter that is new enough. `PYTHON=/path/to/python` chooses another.
PYTHON ?= $(shell for name in python3 python3.13 python3.12 python3.11; do \
	if $$name $(MODERN) >/dev/null 2>&1; then command -v $$name; break; fi; done)
PIP_INSTALL := PYTHONWARNINGS=ignore $(BIN)/python -m pip install --quiet --disable-pip-version-check
COMPILE := CUSTOM_COMPILE_COMMAND="make lock" $(BIN)/pip-compile --quiet --generate-hashes --allow-unsafe \
	--all-build-deps --strip-extras --no-emit-index-url --no-emit-find-links --no-emit-trusted-host --no-emit-options

help: ## say what can be asked for
	@grep -E '^[a-z-]+:.*##' $(MAKEFILE_LIST) | sed -E 's/:.*## /\t/' | expand -t 12

run: $(VENV)/.run-ready ## open the app on the demo, or on WORKSPACE=path; PORT=8765
ifeq ($(strip $(WORKSPACE)),)
	@$(BIN)/yoimemory demo --port $(PORT)
else
	@$(BIN)/yoimemory serve "$(WORKSPACE)" --port $(PORT)
endif

test: check chromium ## check style, types, layers, migrations; then run the tests
	$(BIN)/python -m pytest -n 2 --dist loadscope -m "not slow"

test-slow: $(VENV)/.test-ready chromium ## run the tests that take more than ten seconds
	$(BIN)/python -m pytest -n 2 --dist loadscope -m slow

check: $(VENV)/.test-ready ## check style, types, layers and migrations only
	$(BIN)/ruff check .
	$(BIN)/ruff format --check .
	$(BIN)/mypy
	$(BIN)/lint-imports --no-cache
	@home=$$(mktemp -d); trap 'rm -rf "$$home"' EXIT; export YOIMEMORY_HOME="$$home"; \
	for database in default index; do \
		$(BIN)/python manage.py migrate --database $$database --verbosity 0 && \
		$(BIN)/python manage.py migrate --database $$database --check && \
		$(BIN)/python manage.py makemigrations --check --dry-run || exit 1; \
	done

bench: $(VENV)/.test-ready ## measure how well and how fast search answers, and how well quotes are followed
	$(BIN)/python -m bench.run
	$(BIN)/python -m bench.anchors
	$(BIN)/python -m bench.sources
	$(BIN)/python -m bench.matrix
	$(BIN)/python -m bench.workers

lock: $(VENV)/.test-ready ## choose the newest allowed versions anew and write the lock files
	$(COMPILE) --upgrade --output-file requirements.lock pyproject.toml
	$(COMPILE) --upgrade --constraint requirements.lock --extra dev --extra zstd --output-file requirements-dev.lock pyproject.toml

clean: ## take the environment and the caches away
	rm -rf $(VENV) .pytest_cache .mypy_cache .ruff_cache .import_linter_cache .hypothesis *.egg-info build dist

python:
	@if [ -z "$(PYTHON)" ] || ! "$(PYTHON)" $(MODERN) 2>/dev/null; then \
		echo "yoimemory needs Python 3.11 or newer, and none was found: install it, or name it with PYTHON=/path/to/python." >&2; exit 1; fi
	@if ! "$(PYTHON)" -c 'import ensurepip, venv' 2>/dev/null; then \
		echo "$(PYTHON) cannot make virtual environments; on Debian and Ubuntu: sudo apt-get install python3-venv" >&2; exit 1; fi
	@if ! command -v git >/dev/null; then \
		echo "yoimemory needs git; on Debian and Ubuntu: sudo apt-get install git" >&2; exit 1; fi

$(BIN)/python: | python
	@echo "Making $(VENV) with $(PYTHON)"
	@"$(PYTHON)" -m venv $(VENV)

$(VENV)/.run-ready: requirements.lock pyproject.toml | $(BIN)/python
	@echo "Installing what the app needs (once, about half a minute)"
	@$(PIP_INSTALL) --require-hashes --requirement requirements.lock
	@$(PIP_INSTALL) --no-deps --no-build-isolation --editable .
	@touch $@

$(VENV)/.test-ready: requirements-dev.lock pyproject.toml | $(BIN)/python
	@echo "Installing what the app and its tests need (once, about a minute)"
	@$(PIP_INSTALL) --require-hashes --requirement requirements-dev.lock
	@$(PIP_INSTALL) --no-deps --no-build-isolation --editable .
	@touch $@

# Debian's Chromium drives the browser tests. Where we may not install it they are skipped with a sentence,
# except under CI=true, where its absence is a failure.
chromium:
	@if command -v chromium >/dev/null || [ -n "$$CHROMIUM" ]; then \
		if fc-list :lang=ja 2>/dev/null | grep -q .; then exit 0; fi; fi; \
	if [ "$$(id -u)" = 0 ] && command -v apt-get >/dev/null; then \
		echo "Installing chromium and fonts-noto-cjk for the browser tests"; \
		export DEBIAN_FRONTEND=noninteractive; \
		apt-get update -qq >/dev/null && apt-get install -qq -y --no-install-recommends chromium fonts-noto-cjk fontconfig >/dev/null || \
			echo "They could not be installed." >&2; fi; \
	if ! command -v chromium >/dev/null && [ -z "$$CHROMIUM" ]; then \
		echo "Browser tests need Chromium; on Debian and Ubuntu: sudo apt-get install chromium fonts-noto-cjk" >&2; \
		if [ "$$CI" = true ]; then exit 1; fi; fi
