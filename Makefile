.PHONY: demo test lint bench clean
.DELETE_ON_ERROR:

VENV := .venv
BIN := $(VENV)/bin
PYTHON ?= python3

demo: $(VENV)/core.stamp
	$(BIN)/closedform report iiwa14 --output iiwa14.html
	@echo "Open iiwa14.html in a browser."

test: $(VENV)/test.stamp lint
	$(BIN)/python -m pytest

lint: $(VENV)/test.stamp
	$(BIN)/ruff check .
	$(BIN)/ruff format --check .
	$(BIN)/mypy

bench: $(VENV)/test.stamp
	$(BIN)/python -m bench

$(VENV)/core.stamp: pyproject.toml
	test -x $(BIN)/python || $(PYTHON) -m venv $(VENV)
	$(BIN)/python -m pip install --quiet --disable-pip-version-check -e .
	touch $@

$(VENV)/test.stamp: pyproject.toml
	test -x $(BIN)/python || $(PYTHON) -m venv $(VENV)
	$(BIN)/python -m pip install --quiet --disable-pip-version-check -e '.[test]'
	touch $@

clean:
	rm -rf $(VENV) build dist .mypy_cache .ruff_cache .pytest_cache
