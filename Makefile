# Everything a contributor or CI runs. From a bare Python 3.11 each target builds what it needs.
PYTHON ?= $(shell command -v python3.11 || command -v python3)
VENV := .venv
BIN := $(VENV)/bin
PEERS := bench/.venv
# Which builds we develop with: see the file for reasons.
PIP := PIP_CONSTRAINT=$(CURDIR)/constraints.txt $(BIN)/pip install --quiet --disable-pip-version-check
SHELL := /bin/bash

.PHONY: help demo release-demo check test lint bench docs site dist lock locked models corpus clean
help:
	@echo "demo    de-identify the sample notes and show them side by side"
	@echo "release-demo   how safe is this release? people, classes, attacks, a certificate"
	@echo "check   a quick answer while you work: lint, import contract, the tests of the pipeline and API"
	@echo "test    everything CI checks: lint, types, import contract, tests"
	@echo "lint    ruff, mypy, tsc and the import contract alone"
	@echo "bench   accuracy, speed and memory, beside other tools"
	@echo "docs    write the generated reference pages again"
	@echo "pictures  take the pictures of the workbench again, with its browser tests"
	@echo "site    the documentation as a web site in site/"
	@echo "dist    build wheel and sdist, and try the wheel in a new environment"
	@echo "locked  an environment of exactly the versions in requirements-dev.txt, checked by their hashes"
	@echo "lock    choose those versions again (needs uv)"
	@echo "models  train the models that ship with incognote"
	@echo "corpus  the open corpus in one archive: JSONL, BRAT, i2b2 XML, CoNLL, Hugging Face datasets"
	@echo "clean   remove what these targets made"

# Stamps say what is installed; a change of pyproject.toml installs again.
$(VENV)/bin/python:
	$(PYTHON) -m venv $(VENV)

$(VENV)/.installed: pyproject.toml | $(VENV)/bin/python
	$(PIP) --editable .
	@touch $@

$(VENV)/.installed-%: pyproject.toml | $(VENV)/bin/python
	$(PIP) --editable '.[$*]'
	@touch $@

demo: $(VENV)/.installed-web
	@$(BIN)/python tools/demo.py
	@$(BIN)/python tools/demo_workbench.py

release-demo: $(VENV)/.installed-all
	@$(BIN)/python tools/demo_release.py

lint: $(VENV)/.installed-dev
	$(BIN)/ruff check --quiet .
	$(BIN)/ruff format --quiet --check .
	$(BIN)/mypy
	$(BIN)/lint-imports --no-logo
	@if command -v tsc >/dev/null; then tsc -p src/incognote/web/static/jsconfig.json; \
	elif [ "$$CI" = true ]; then echo "tsc is missing: the scripts of the workbench go unchecked"; exit 1; \
	else echo "tsc is not installed: the scripts of the workbench are not type-checked"; fi

# An answer in a minute and a half; types and the other tests are for `make test`.
QUICK := tests/core tests/policy tests/resolve tests/prepare tests/test_pipeline.py tests/test_api.py \
	tests/laws/test_imports.py tests/laws/test_independence.py
check: $(VENV)/.installed-dev
	$(BIN)/ruff check --quiet .
	$(BIN)/ruff format --quiet --check .
	$(BIN)/lint-imports --no-logo
	timeout 90 $(BIN)/python -m pytest -q -n 2 -m 'not slow' $(QUICK)

# Training is tested, too: torch comes in its build for the CPU (constraints.txt).
test: lint $(VENV)/.installed-train
	$(BIN)/python -m pytest -q -n 2

# Other tools live in an environment of their own; the bench says which it could not run.
$(PEERS)/.installed: bench/peers.txt
	$(PYTHON) -m venv $(PEERS)
	-$(PEERS)/bin/pip install --quiet --disable-pip-version-check -r bench/peers.txt
	@touch $@

bench: $(VENV)/.installed-dev $(PEERS)/.installed
	$(BIN)/python -m bench --peers $(PEERS)/bin/python

pictures: $(VENV)/.installed-dev
	INCOGNOTE_PICTURES=docs/pictures $(BIN)/python -m pytest -q tests/web/browser/test_loop.py

docs: $(VENV)/.installed-dev
	$(BIN)/python tools/reference.py
	$(BIN)/python tools/surrogates_page.py
	$(BIN)/python tools/openapi.py

site: $(VENV)/.installed-site
	$(BIN)/mkdocs build --quiet --strict

dist: $(VENV)/.installed-dev
	rm -rf dist
	$(BIN)/python -m build --no-isolation --outdir dist .
	$(BIN)/python tools/try_wheel.py dist/*.whl

# The header of the file is ours; where packages come from is the business of whoever installs.
LOCK := requirements-dev.txt
lock:
	head -2 $(LOCK) > $(LOCK).new
	uv pip compile --quiet --universal --python-version 3.11 --generate-hashes --extra dev \
	  --constraint constraints.txt --no-emit-index-url --no-emit-find-links --no-header \
	  --no-annotate pyproject.toml >> $(LOCK).new
	mv $(LOCK).new $(LOCK)

locked: | $(VENV)/bin/python
	$(BIN)/pip install --quiet --disable-pip-version-check --no-deps --require-hashes -r $(LOCK)
	$(BIN)/pip install --quiet --disable-pip-version-check --no-deps --no-build-isolation --editable .
	@touch $(VENV)/.installed $(VENV)/.installed-dev $(VENV)/.installed-web $(VENV)/.installed-all

models: $(VENV)/.installed-train
	$(BIN)/python tools/train_models.py

corpus: $(VENV)/.installed
	$(BIN)/python tools/pack_corpus.py

clean:
	rm -rf $(VENV) $(PEERS) demo-out demo-release build dist site bench/out
	rm -rf .mypy_cache .ruff_cache .pytest_cache .hypothesis .import_linter_cache
	find src tests tools bench -name __pycache__ -type d -prune -exec rm -rf {} +
