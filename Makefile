# Everything happens in .venv inside this checkout; nothing else on the machine is touched.
PYTHON ?= python3
VENV := .venv
LOWEST := .venv-lowest
DEMO := .venv-demo
BIN := $(VENV)/bin
PIP := $(BIN)/python -m pip --disable-pip-version-check --quiet
PROJECT := pyproject.toml

# Keep compiled modules: without them each process compiles the package again.
unexport PYTHONDONTWRITEBYTECODE

# Both workers get neighbouring tests, which share fixtures; who is done first takes from the other.
PYTEST := $(BIN)/python -m pytest -n auto --dist worksteal

.DEFAULT_GOAL := help
.PHONY: help demo app test test-all test-lowest test-readme test-engines test-torch test-machines fuzz lint coverage search reproduction bench bench-large docs wheel changelog clean

help: ## Show what can be made
	@grep -E '^[a-z-]+:.*## ' $(MAKEFILE_LIST) | sed 's/:.*## /\t/' | expand -t 14

$(VENV)/bin/python:
	@echo "Making an environment in $(VENV) ..."
	@$(PYTHON) -c 'import sys; sys.exit(sys.version_info < (3, 11))' \
	  || { echo "rocbands needs Python 3.11 or newer; $(PYTHON) is older. Try: make PYTHON=python3.12 ..."; exit 2; }
	@$(PYTHON) -m venv $(VENV)

# A stamp for each set of dependencies: installing again happens only when they change.
# With the studies, a distribution of their own: README and docs run them.
$(VENV)/.installed: $(PROJECT) studies/pyproject.toml | $(VENV)/bin/python
	@echo "Installing rocbands ..."
	@$(PIP) uninstall -y rocbands-papers >/dev/null 2>&1 || true  # what this distribution was called
	@$(PIP) install -e . -e ./studies
	@touch $@

$(VENV)/.installed-%: $(PROJECT) $(VENV)/.installed
	@echo "Installing what '$*' needs ..."
	@$(PIP) install -e ".[$*]"
	@touch $@

demo: $(VENV)/.installed ## Bands of two models on real data: a table here, a picture and a report in out/
	@mkdir -p out
	@$(BIN)/rocbands band --example --seed 1 --plot out/demo.png
	@$(BIN)/rocbands report --example --seed 1 -o out/report.html
	@echo && echo "The picture is in out/demo.png, the report in out/report.html: open it in a browser"

app: $(VENV)/.installed-app ## Open the analysis in a browser
	@$(BIN)/rocbands app

lint: $(VENV)/.installed-dev ## Format, lint, types and import rules
	$(BIN)/ruff format --check .
	$(BIN)/ruff check .
	$(BIN)/mypy
	$(BIN)/lint-imports --no-cache

# Lint, lowest versions and README need one processor each: they run beside the tests, and what they
# print follows. Without the word MAKE in the line, `make -n` shows it and runs nothing.
THIS := $(MAKE)
define run-tests
@mkdir -p out
@$(THIS) --no-print-directory --keep-going -j 2 lint test-lowest test-readme >out/checks.log 2>&1 & checks=$$!; \
  $(PYTEST) $(1); tests=$$?; wait $$checks; checks=$$?; cat out/checks.log; exit $$((tests + checks))
endef
ENVIRONMENTS := $(VENV)/.installed-dev $(LOWEST)/.installed $(DEMO)/.made

test: $(ENVIRONMENTS) ## Lint, types, import rules, README and the package's tests but simulations: about seven minutes
	$(call run-tests,tests -m "not simulation")

test-all: $(ENVIRONMENTS) ## The same with simulations, killed processes, accelerators, and the tests of the studies
	$(call run-tests)

# The environment that `make demo` makes, and nothing else: README's commands run in it.
$(DEMO)/.made: $(PROJECT) studies/pyproject.toml
	@$(MAKE) --no-print-directory VENV=$(DEMO) demo >/dev/null
	@touch $@

test-readme: $(DEMO)/.made ## Run the commands of the README in the environment of 'make demo'
	$(DEMO)/bin/python -m tools.run_readme

# The lowest versions that pyproject.toml allows: main commands, and tests that need nothing else.
LOWEST_TESTS := tests/core/test_roc.py tests/core/test_delong.py tests/plot/test_files.py tests/plot/test_forest.py \
  tests/auc/test_score_delong.py
$(LOWEST)/.installed: $(PROJECT) tools/lowest_versions.py
	@echo "Installing the lowest versions of all dependencies ..."
	@$(PYTHON) -m venv --clear $(LOWEST)
	@$(LOWEST)/bin/python -m pip --disable-pip-version-check --quiet install \
	  $$($(LOWEST)/bin/python -m tools.lowest_versions parquet sql) pytest hypothesis
	@$(LOWEST)/bin/python -m pip --disable-pip-version-check --quiet install --no-deps -e .
	@touch $@

test-lowest: $(LOWEST)/.installed ## Main commands and some tests with the lowest versions of all dependencies
	@mkdir -p out
	$(LOWEST)/bin/rocbands band --example --seed 1 --plot out/lowest.pdf >/dev/null
	$(LOWEST)/bin/rocbands auc --example >/dev/null
	$(LOWEST)/bin/rocbands points --example --score logistic --fpr 0.1 --format json >/dev/null
	$(LOWEST)/bin/rocbands compare --example >/dev/null
	$(LOWEST)/bin/rocbands methods >/dev/null
	$(LOWEST)/bin/rocbands report --example --seed 1 -o out/lowest.html
	$(LOWEST)/bin/python -m pytest -q -p no:cacheprovider -o filterwarnings=default --disable-warnings -m "not simulation" $(LOWEST_TESTS)

test-engines: $(VENV)/.installed-dev $(VENV)/.installed-spark ## Count on Spark, PostgreSQL and a Dask cluster (needs Java 17)
	@java -version >/dev/null 2>&1 \
	  || { echo "Spark needs Java 17 or newer, and there is no 'java'. Try: apt-get install openjdk-17-jre-headless"; exit 2; }
	$(BIN)/python -m pytest tests/engines tests/scale

test-torch: $(VENV)/.installed-dev $(VENV)/.installed-torch ## Count tensors of PyTorch and JAX (large downloads)
	$(PIP) install jax lightning
	$(PYTEST) tests/training tests/scale tests/repo/test_words.py

# ONLY=Nehalem runs the machines whose name contains it.
test-machines: $(VENV)/.installed-dev ## Test other BLAS kernels, vector instructions, locales and folders; compares their numbers
	$(BIN)/python -m tools.test_machines --only "$(ONLY)"

# SECONDS of work from the case SEED on, for example: make fuzz SECONDS=1800 SEED=1000000
SECONDS ?= 60
SEED ?= 0
fuzz: $(VENV)/.installed-dev ## Random calls, broken files and signals for SECONDS; prints the seed of what breaks
	$(BIN)/python -m rocbands_studies.campaigns --seconds $(SECONDS) --seed $(SEED)

coverage: $(VENV)/.installed-dev ## Measure how often bands and intervals hold; writes studies/docs/coverage*.md (hours)
	$(BIN)/python -m rocbands_studies.coverage
	$(BIN)/python -m rocbands_studies.tables.measured_table

search: $(VENV)/.installed-dev ## Search an hour for populations in which a statement fails; writes studies/docs/search.md
	$(BIN)/python -m rocbands_studies.search --minutes 60 --store studies/stores/search.store.gz
	$(BIN)/python -m rocbands_studies.search --write

DATA ?= $(ROCBANDS_DATA)
reproduction: $(VENV)/.installed-dev ## Measure the papers' tables again, draw their figures, write the pages (hours; DATA=FOLDER)
	ROCBANDS_DATA=$(DATA) $(BIN)/python -m rocbands_studies.papers.reproduction --measure --draw

bench: $(VENV)/.installed-dev $(VENV)/.installed-bench ## Time us against our peers, in ten minutes; writes docs/benchmarks.md and its history (BEFORE=FOLDER: an earlier version beside it)
	$(BIN)/python -m benchmarks.peers -o docs/benchmarks.md --history benchmarks/history.csv $(if $(BEFORE),--before $(BEFORE))

bench-large: $(VENV)/.installed-dev $(VENV)/.installed-bench ## Time counting and answers of 10^8 rows; writes docs/benchmarks-large.md (long)
	$(BIN)/python -m benchmarks.run count counted large profile views designs -o docs/benchmarks-large.md

docs: $(VENV)/.installed-docs ## Build the documentation into docs/_build
	$(BIN)/python -m sphinx -W --keep-going -q -b html docs docs/_build/html
	@echo "Open docs/_build/html/index.html"

wheel: $(VENV)/.installed-dev ## Build the wheel and the source distribution into dist/
	$(BIN)/python -m build --outdir dist

changelog: $(VENV)/.installed-release ## Move the files of changes/ to CHANGELOG.md (VERSION=1.2.0)
	$(BIN)/towncrier build --yes --name rocbands --version $(VERSION)

clean: ## Remove everything that was made, the environment too
	rm -rf $(VENV) $(LOWEST) $(DEMO) out build dist studies/dist docs/_build docs/_evidence docs/_made .mypy_cache .ruff_cache .pytest_cache .hypothesis
	find . -name __pycache__ -type d -prune -exec rm -rf {} +
