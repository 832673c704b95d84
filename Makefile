# Two commands do everything on a machine with Python 3.11 and make:
#   make eval   runs the main job on the bundled corpus
#   make test   runs the tests
PYTHON ?= python3.11
VENV := .venv
BIN := $(VENV)/bin

.PHONY: setup eval test lint corpus docs clean

$(VENV)/.core: requirements.lock pyproject.toml
	test -x $(BIN)/python || $(PYTHON) -m venv $(VENV)
	$(BIN)/python -m pip install --quiet --disable-pip-version-check -r requirements.lock
	$(BIN)/python -m pip install --quiet --disable-pip-version-check --no-deps --no-build-isolation -e .
	touch $@

$(VENV)/.dev: requirements-dev.lock $(VENV)/.core
	$(BIN)/python -m pip install --quiet --disable-pip-version-check -r requirements-dev.lock
	touch $@

setup: $(VENV)/.dev

eval: $(VENV)/.core
	$(BIN)/toolkit eval --config configs/paper.yaml

test: $(VENV)/.dev
	$(BIN)/python -m pytest

lint: $(VENV)/.dev
	$(BIN)/ruff check .
	$(BIN)/ruff format --check .
	$(BIN)/mypy

corpus: $(VENV)/.core
	$(BIN)/python corpora/mini/build.py --check

clean:
	rm -rf $(VENV) results .mypy_cache .ruff_cache .pytest_cache
