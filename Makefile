# Everything a contributor or CI runs. From a bare Python 3.11 each target builds what it needs.
PYTHON ?= $(shell command -v python3.11 || command -v python3)
VENV := .venv
BIN := $(VENV)/bin
PEERS := bench/.venv
PIP := $(BIN)/pip install --quiet --disable-pip-version-check
SHELL := /bin/bash

.PHONY: help demo test lint bench docs models corpus clean
help:
	@echo "demo    de-identify the sample notes and show them side by side"
	@echo "test    everything CI checks: lint, types, import contract, tests"
	@echo "lint    ruff, mypy and the import contract alone"
	@echo "bench   accuracy, speed and memory, beside other tools"
	@echo "docs    write the generated reference pages again"
	@echo "models  train the models that ship with incognote"
	@echo "corpus  the open corpus as JSONL, BRAT and i2b2 XML in one archive"
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

demo: $(VENV)/.installed
	@$(BIN)/python tools/demo.py

lint: $(VENV)/.installed-dev
	$(BIN)/ruff check --quiet .
	$(BIN)/ruff format --quiet --check .
	$(BIN)/mypy
	$(BIN)/lint-imports --no-logo

test: lint
	$(BIN)/python -m pytest -q -n 2

# Other tools live in an environment of their own; the bench says which it could not run.
$(PEERS)/.installed: bench/peers.txt
	$(PYTHON) -m venv $(PEERS)
	-$(PEERS)/bin/pip install --quiet --disable-pip-version-check -r bench/peers.txt
	@touch $@

bench: $(VENV)/.installed $(PEERS)/.installed
	$(BIN)/python -m bench --peers $(PEERS)/bin/python

docs: $(VENV)/.installed-dev
	$(BIN)/python tools/reference.py
	$(BIN)/python tools/surrogates_page.py

models: $(VENV)/.installed-train
	$(BIN)/python tools/train_models.py

corpus: $(VENV)/.installed
	$(BIN)/python tools/pack_corpus.py

clean:
	rm -rf $(VENV) $(PEERS) demo-out build dist site bench/out
	rm -rf .mypy_cache .ruff_cache .pytest_cache .hypothesis .import_linter_cache
	find src tests tools bench -name __pycache__ -type d -prune -exec rm -rf {} +
