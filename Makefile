# Everything a contributor or CI runs. `make demo` and `make test` set themselves up.
PYTHON ?= python3
VENV := .venv
BIN := $(VENV)/bin
# Tracing every branch makes the tests half as long again; CI does it, and who asks: make test COVER=--cov
COVER := $(if $(CI),--cov --cov-report term)

.PHONY: help demo test lint types layers claims unit bench train torture soak conformance adapters textsearch clean

help: ## Show the targets
	@grep -E '^[a-z]+:.*## ' $(MAKEFILE_LIST) | sed -E 's/:.*## /\t/' | expand -t 10

demo: $(VENV)/.runtime ## Show what the memory does, offline, on a small project history
	@$(BIN)/hypermnesia demo

# Checking types keeps one core busy for a minute: the tests begin beside it.
test: lint layers ## Lint, type-check, check layers, run every test
	@$(MAKE) --no-print-directory --jobs 2 types unit

lint: $(VENV)/.dev
	$(BIN)/ruff check .
	$(BIN)/ruff format --check .

types: $(VENV)/.dev
	$(BIN)/pyright

layers: $(VENV)/.dev
	$(BIN)/lint-imports

claims: $(VENV)/.dev
	$(BIN)/hypermnesia eval verify

# Three processes for two cores: tests wait for servers, disks and browsers. They start hundreds
# more, each of which would compile every module anew where compiled ones are not to be kept.
unit: $(VENV)/.dev
	env -u PYTHONDONTWRITEBYTECODE $(BIN)/pytest --numprocesses 3 --dist worksteal $(COVER)

bench: $(VENV)/.dev ## Measure speed and size; writes docs/performance.md
	$(BIN)/python -m bench.performance --write docs/performance.md

train: $(VENV)/.dev ## Refit the local judge and the token-vector basis (seeded)
	$(BIN)/python -m training.late
	$(BIN)/python -m training.train

torture: $(VENV)/.dev ## Try to lose something: faults and racing processes, ten minutes
	$(BIN)/python -m torture

soak: $(VENV)/.dev ## Watch what grows in a run of twenty minutes
	$(BIN)/python -m torture --soak

conformance: $(VENV)/.dev ## Hold the MCP server to the official suite (npm and network needed)
	@sh tests/conformance/run.sh

adapters: $(VENV)/.dev ## Test the adapter whose library is too large for every machine
	$(BIN)/python -m pip install --quiet 'llama-index-core>=0.14'
	$(BIN)/pytest tests/adapters

textsearch: $(VENV)/.dev ## Test the store on a PostgreSQL that has pg_textsearch (npm and network needed)
	@sh tests/servers/textsearch.sh

clean: ## Remove the environment and every cache
	rm -rf $(VENV) .pytest_cache .ruff_cache .import_linter_cache .hypothesis .coverage* dist build

$(VENV)/bin/python:
	@$(PYTHON) -c 'import sys; sys.exit(not (3, 11) <= sys.version_info[:2] < (3, 14))' || \
	  { echo "Python 3.11 to 3.13 is needed; name one: make PYTHON=python3.12 $(MAKECMDGOALS)"; exit 1; }
	@$(PYTHON) -m venv $(VENV) || \
	  { echo "Python's venv module is missing; on Debian: apt-get install python3-venv"; rm -rf $(VENV); exit 1; }
	@$(BIN)/python -m pip install --quiet --upgrade 'pip>=25.1'

$(VENV)/.runtime: pyproject.toml | $(VENV)/bin/python
	@echo "Installing Hypermnesia into $(VENV) ..."
	@$(BIN)/python -m pip install --quiet --editable .
	@touch $@

$(VENV)/.dev: pyproject.toml | $(VENV)/bin/python
	@echo "Installing Hypermnesia and its development tools into $(VENV) ..."
	@$(BIN)/python -m pip install --quiet --editable . --group dev
	@touch $(VENV)/.runtime $@
