.PHONY: demo test lint fuzz bench clean
.DELETE_ON_ERROR:

VENV := .venv
BIN := $(VENV)/bin
PYTHON ?= python3

demo: $(VENV)/core.stamp
	$(BIN)/closedform flexible --output flexible.html
	$(BIN)/closedform ik --output ik.html
	$(BIN)/closedform report iiwa14 --output iiwa14.html
	@echo "Open iiwa14.html, flexible.html and ik.html in a browser."

test: $(VENV)/test.stamp lint
	$(BIN)/python -m pytest

lint: $(VENV)/test.stamp
	$(BIN)/ruff check .
	$(BIN)/ruff format --check .
	$(BIN)/mypy

fuzz: $(VENV)/test.stamp
	$(BIN)/python -m fuzz

bench: $(VENV)/bench.stamp
	$(BIN)/python -m bench

$(VENV)/core.stamp: pyproject.toml
	test -x $(BIN)/python || $(PYTHON) -m venv $(VENV)
	$(BIN)/python -m pip install --quiet --disable-pip-version-check -e .
	touch $@

$(VENV)/test.stamp: pyproject.toml
	test -x $(BIN)/python || $(PYTHON) -m venv $(VENV)
	$(BIN)/python -m pip install --quiet --disable-pip-version-check -e '.[test]'
	touch $@

$(VENV)/bench.stamp: pyproject.toml
	test -x $(BIN)/python || $(PYTHON) -m venv $(VENV)
	$(BIN)/python -m pip install --quiet --disable-pip-version-check -e '.[bench]'
	touch $@

clean:
	rm -rf $(VENV) build dist .mypy_cache .ruff_cache .pytest_cache
