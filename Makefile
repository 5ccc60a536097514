# make run    the quick set: figures, ledger, report, MLflow runs      make check  lint, types, configurations
# make test   the whole test suite                                     make bench  benchmarks, as ratios to a peer
# make ui     browse the runs in MLflow                                make docs   the documentation, docs/_build/html
# make lock   renew constraints.txt
#
# CORES=N sets the number of processors, CONFIG=FILE the configuration, ARGS=... goes to snakemake or pytest.
# Each command makes .venv first if it is missing or its requirements changed.
SHELL := /bin/bash
PYTHON ?= python3
VENV := .venv
READY := $(VENV)/.ready
# nproc would count the threads that OMP_NUM_THREADS allows instead.
CORES ?= $(shell env -u OMP_NUM_THREADS -u OMP_THREAD_LIMIT nproc 2>/dev/null || getconf _NPROCESSORS_ONLN)
CONFIG ?= config.yaml
PORT ?= 5000
export PATH := $(CURDIR)/$(VENV)/bin:$(PATH)

.PHONY: run test check docs bench ui lock format clean
.DEFAULT_GOAL := run

$(READY): pyproject.toml constraints.txt
	@$(PYTHON) -c 'import sys, venv; sys.exit(sys.version_info < (3, 11))' || \
	  { echo "make: $(PYTHON) must be Python 3.11 or newer with its venv module (PYTHON=... names another)" >&2; exit 2; }
	@echo "installing into $(VENV) (once; a few minutes)"
	@test -x $(VENV)/bin/python || $(PYTHON) -m venv $(VENV)
	@python -m pip install --quiet --disable-pip-version-check --constraint constraints.txt --editable '.[train,pipeline,cluster,dev,docs]'
	@touch $@

run: $(READY)
	@wassdp pipeline --config $(CONFIG) --cores $(CORES) -- $(ARGS)

# One thread for each worker: threads of several workers on the same processors take twice the time. One worker more than
# processors: some tests wait for minutes, as those of a cluster do.
test: $(READY)
	@OMP_NUM_THREADS=$${OMP_NUM_THREADS:-1} python -m pytest -n $$(($(CORES) + 1)) --dist worksteal $(ARGS)

check: $(READY)
	ruff check .
	ruff format --check .
	snakefmt --check Snakefile workflow
	mypy
	codespell
	snakemake --lint
	@for file in config.yaml workflow/presets/paper.yaml; do \
	  echo "wassdp plan --strict --config $$file; snakemake --dry-run --configfile $$file"; \
	  wassdp plan --strict --config $$file > /dev/null || exit; \
	  log=$$(snakemake --dry-run --cores 1 --configfile $$file 2>&1) || { echo "$$log"; exit 1; }; \
	done
	@$(MAKE) --no-print-directory docs

# Links that lead nowhere, tutorials that fail, and all other warnings are errors; nothing is fetched from a network.
docs: $(READY)
	@rm -rf docs/_build
	@OMP_NUM_THREADS=$${OMP_NUM_THREADS:-1} python -m sphinx --fresh-env --quiet --fail-on-warning --keep-going \
	  --jobs auto --builder html --doctree-dir docs/_build/doctrees docs docs/_build/html
	@echo "docs/_build/html/index.html"

bench: $(READY)
	@python -c 'import autodp, prv_accountant' 2> /dev/null || \
	  python -m pip install --quiet --disable-pip-version-check --constraint constraints.txt --editable '.[train,pipeline,peers]'
	@python -m bench $(ARGS)

ui: $(READY)
	@wassdp ui --port $(PORT)

lock:
	@rm -rf .lock && $(PYTHON) -m venv .lock
	@.lock/bin/pip install --quiet --disable-pip-version-check '.[train,pipeline,cluster,dev,docs,peers]'
	@{ echo '# Versions that resolve together: names and versions only. `make lock` renews this file.'; \
	  .lock/bin/pip freeze --exclude wassdp | sed -nE 's/^([A-Za-z0-9_.-]+==[^+ ]+).*/\1/p'; } > constraints.txt
	@rm -rf .lock

format: $(READY)
	ruff check --fix .
	ruff format .
	snakefmt Snakefile workflow

clean:
	rm -rf results/* .snakemake
	git checkout -- results
