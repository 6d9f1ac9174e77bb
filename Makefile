# Every target sets up what it needs; Python 3.11+ and make are all a machine must have.
PYTHON ?= python3
VENV := .venv
BIN := $(VENV)/bin
TSID := .venv-tsid
# Tests compile the kernels anew: numba's cache does not see edits in functions of other files.
TEST_CACHE := $(abspath .cache/test-kernels)

.PHONY: demo test test-fast test-real check bench format clean

$(BIN)/python:
	$(PYTHON) -m venv $(VENV)
	$(BIN)/python -m pip install --quiet --upgrade pip

$(VENV)/.run: pyproject.toml | $(BIN)/python
	$(BIN)/python -m pip install --quiet -e .
	@touch $@

$(VENV)/.test: pyproject.toml | $(BIN)/python
	$(BIN)/python -m pip install --quiet -e '.[test]'
	@touch $@ $(VENV)/.run

$(VENV)/.dev: pyproject.toml | $(BIN)/python
	$(BIN)/python -m pip install --quiet -e '.[test,dev]'
	@touch $@ $(VENV)/.test $(VENV)/.run

$(VENV)/.real: $(VENV)/.test
	$(BIN)/python -m pip install --quiet -e '.[robots]'
	@touch $@

$(VENV)/.bench: $(VENV)/.real
	$(BIN)/python -m pip install --quiet -e '.[bench]'
	@touch $@

demo: $(VENV)/.run  ## the main job: which step height gets a quadruped over a curb, if it is not quite as modelled?
	rm -rf demo-curb
	$(BIN)/surefoot falsify curb --out demo-curb
	@echo "Look at demo-curb/report.html"

test: $(VENV)/.test  ## all tests that need no downloads of robots
	rm -rf $(TEST_CACHE)
	SUREFOOT_CACHE_DIR=$(TEST_CACHE) $(BIN)/python -m pytest -n 2 --dist loadfile -m "not real"

test-fast: $(VENV)/.test  ## leave out the slow ones
	SUREFOOT_CACHE_DIR=$(TEST_CACHE) $(BIN)/python -m pytest -m "not real and not slow"

test-real: $(VENV)/.real  ## with the URDFs of real robots
	SUREFOOT_CACHE_DIR=$(TEST_CACHE) $(BIN)/python -m pytest -n 2 --dist loadfile -m real

check: $(VENV)/.dev  ## lint, format, types, architecture
	$(BIN)/ruff check .
	$(BIN)/ruff format --check .
	$(BIN)/pyright
	$(BIN)/lint-imports

# TSID's wheels need older ones of Pinocchio than ours, so they live apart; without them the report says so.
$(TSID)/.done:
	$(PYTHON) -m venv $(TSID)
	-$(TSID)/bin/python -m pip install --quiet tsid==1.7.1 pin==3.4.0 'cmeel-urdfdom<4.1' 'cmeel-tinyxml2<10.1' numpy
	@touch $@

bench: $(VENV)/.bench $(TSID)/.done  ## ours beside the peers, one run, one table
	$(BIN)/python -m benchmarks

format: $(VENV)/.dev
	$(BIN)/ruff check --fix .
	$(BIN)/ruff format .

clean:
	rm -rf $(VENV) $(TSID) .cache build dist
