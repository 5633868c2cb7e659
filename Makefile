.PHONY: demo test test-torch test-jax test-gpu gpu-bundle check lint stubs coverage fuzz bench docs pictures test-browser release-check clean
.DELETE_ON_ERROR:
# Bytecode is kept: a run of the tests starts a hundred processes, and none of them should compile the package.
unexport PYTHONDONTWRITEBYTECODE

VENV := .venv
BIN := $(VENV)/bin
PYTHON ?= python3
INSTALL = $(BIN)/python -m pip install --quiet --disable-pip-version-check --no-compile

demo: $(VENV)/core.stamp
	$(BIN)/closedform report iiwa14 --output iiwa14.html
	$(BIN)/closedform flexible --output flexible.html
	$(BIN)/closedform ik --output ik.html
	@echo "Look at iiwa14.html in a browser: a robot that moves. flexible.html and ik.html show more."

test: $(VENV)/test.stamp lint
	$(BIN)/python -m pytest

# The claims about PyTorch, which is too large for everybody's environment.
test-torch: $(VENV)/torch.stamp
	$(BIN)/python -m pytest tests/test_torch.py tests/test_applications_torch.py tests/test_loop_gradients.py tests/test_examples.py docs/arrays.md

# Every page in Chromium, wide and narrow, light and dark; the scenes and the viewer. Some minutes.
test-browser: $(VENV)/test.stamp
	CLOSEDFORM_BROWSER=all $(BIN)/python -m pytest tests/test_browser.py tests/test_scene.py tests/test_viewer.py

# What is claimed of GPUs, where there is one and PyTorch can use it: tests, then the bench with its figures.
# BUNDLE names an unpacked bundle where no registry can be reached; then nothing is installed. ROBOT is a URDF.
GPU_TESTS = $(wildcard tests/test_*_cuda.py tests/test_cupy.py tests/test_gpu_*.py)
BUNDLE ?=
ROBOT ?=
ifneq ($(BUNDLE),)
test-gpu:
	SOURCE=. sh $(BUNDLE)/run.sh
else
test-gpu: $(VENV)/gpu.stamp
	$(BIN)/python -m pytest -n 0 --junitxml=build/gpu-tests.xml $(GPU_TESTS)
	$(BIN)/python -m bench gpu $(addprefix --robot ,$(ROBOT))
endif

# What test-gpu needs on a machine without a registry, as a folder build/gpu: copy it there, and sh run.sh.
gpu-bundle:
	$(PYTHON) tools/gpu_bundle.py $(addprefix --robot ,$(ROBOT))

# The claims about JAX, on the CPU.
test-jax: $(VENV)/jax.stamp
	$(BIN)/python -m pytest tests/test_jax.py tests/test_applications_jax.py tests/test_loop_gradients.py tests/test_examples.py docs/arrays.md

# In less than a minute: the rules of the house, the conventions and the cheapest claims of the theory, and
# the tests that differ from BASE or are named after a room or file that does (BASE=main for a whole branch).
BASE ?= HEAD
CORE := $(addprefix tests/test_,$(addsuffix .py,architecture documentation documents hand_derived operations \
	bad_numbers bad_trees bad_xml trajectory integration saved_robots warnings))
DIFFER = $(shell git diff --name-only --diff-filter=d --merge-base $(BASE) -- src 'tests/test_*.py' 2>/dev/null; \
	git ls-files --others --exclude-standard -- src 'tests/test_*.py' 2>/dev/null)
PARTS = $(sort $(subst /, ,$(patsubst src/closedform/%,%,$(basename $(filter src/%.py,$(DIFFER))))))
CHANGED = $(filter tests/%,$(DIFFER)) $(wildcard $(foreach part,$(PARTS),tests/test_$(patsubst %s,%,$(part))*.py))

check: $(VENV)/test.stamp lint
	$(BIN)/python -m pytest $(sort $(CORE) $(CHANGED))

lint: $(VENV)/test.stamp
	$(BIN)/ruff check .
	$(BIN)/ruff format --check .
	$(BIN)/mypy

stubs: $(VENV)/test.stamp
	$(BIN)/python tools/write_stubs.py

coverage: $(VENV)/coverage.stamp
	$(BIN)/python -m pytest --cov --cov-report=term:skip-covered

fuzz: $(VENV)/test.stamp
	$(BIN)/python -m fuzz

bench: $(VENV)/bench.stamp
	$(BIN)/python -m bench

# The site, in build/docs: open build/docs/index.html. Strict: a warning, a dead link or a failing cell ends it.
docs: $(VENV)/docs.stamp
	$(BIN)/python -m sphinx -W --keep-going -n -q -E -j auto -d build/doctrees docs build/docs

# The pictures of docs/ anew, for hosts that show its files as they are; the site draws its own.
pictures: $(VENV)/docs.stamp
	$(BIN)/python -m tools.site.draw docs/pictures

# The wheel is made from the sdist and tried in an environment that holds nothing else, of every Python here.
release-check: $(VENV)/release.stamp
	rm -rf dist
	$(BIN)/python -m build --outdir dist
	$(BIN)/python tools/try_wheel.py dist/*.whl

$(VENV)/core.stamp: EXTRA :=
$(VENV)/test.stamp: EXTRA := [test]
$(VENV)/bench.stamp: EXTRA := [bench]
$(VENV)/coverage.stamp: EXTRA := [coverage]
$(VENV)/docs.stamp: EXTRA := [docs]
$(VENV)/release.stamp: EXTRA := [release]
$(VENV)/torch.stamp: EXTRA := [torch]
$(VENV)/gpu.stamp: EXTRA := [gpu]
$(VENV)/jax.stamp: EXTRA := [jax]
$(VENV)/%.stamp: pyproject.toml
	test -x $(BIN)/python || $(PYTHON) -m venv $(VENV)
	$(INSTALL) -e '.$(EXTRA)'
	touch $@

clean:
	rm -rf $(VENV) build dist .mypy_cache .ruff_cache .pytest_cache .coverage*
