# Everything works on a fresh machine with Python alone: each target sets up what it needs in .venv.

PYTHON ?= python3
VENV := .venv
BIN := $(VENV)/bin
READY := $(VENV)/.ready
ARGS ?=

.DEFAULT_GOAL := help
.PHONY: help demo test check format docs bench wheel-test clean

help: ## show this help
	@awk -F ':.*## ' '/^[a-z-]+:.*## / {printf "  make %-12s %s\n", $$1, $$2}' $(MAKEFILE_LIST)

demo: $(READY) ## watch a recorded session in this terminal
	@$(BIN)/mockbackend demo $(ARGS)

test: $(READY) ## run the whole suite (ARGS="-k name" for a part)
	$(BIN)/python -m pytest $(ARGS)

check: $(READY) ## format, lint, types, layers, coverage of the pure layers, docs, and the wheel
	$(BIN)/ruff format --check .
	$(BIN)/ruff check .
	$(BIN)/mypy
	$(BIN)/lint-imports
	$(BIN)/coverage run -m pytest -q -m "not e2e" tests/protocol tests/engine tests/redaction tests/recording
	$(BIN)/coverage report
	$(BIN)/python docs/build.py --check
	$(MAKE) wheel-test

format: $(READY) ## format the code
	$(BIN)/ruff format .
	$(BIN)/ruff check --fix .

docs: $(READY) ## write the generated parts of the docs anew
	$(BIN)/python docs/build.py

bench: $(READY) ## measure speed and memory beside two floors
	$(BIN)/python -m compileall -q mockbackend
	$(BIN)/python benchmarks/run.py --mockbackend $(BIN)/mockbackend $(ARGS)

wheel-test: $(READY) ## run the end-to-end tests against the built wheel
	rm -rf build/wheel
	$(BIN)/python -m build --wheel --outdir build/wheel . > build-wheel.log || (cat build-wheel.log; exit 1)
	rm -f build-wheel.log
	$(PYTHON) -m venv build/wheel/venv
	build/wheel/venv/bin/python -m pip install --quiet --disable-pip-version-check build/wheel/*.whl
	MOCKBACKEND_COMMAND="'$(CURDIR)/build/wheel/venv/bin/mockbackend'" $(BIN)/python -m pytest -q -m e2e -k "not real_trace and not killed_at and not any_bytes_pass" tests/e2e

# The sources are compiled once: without that, each start would compile them anew where the environment
# forbids Python to do it on the way.
$(READY): pyproject.toml
	test -x $(BIN)/python || $(PYTHON) -m venv $(VENV)
	$(BIN)/python -m pip install --quiet --disable-pip-version-check --upgrade "pip>=25.1"
	$(BIN)/python -m pip install --quiet --disable-pip-version-check --editable . --group dev
	$(BIN)/python -m compileall -q mockbackend
	touch $(READY)

clean: ## remove what was made
	rm -rf $(VENV) build dist .coverage .hypothesis .mypy_cache .pytest_cache .ruff_cache .import_linter_cache
