# Every target sets up what it needs in .venv, and nothing outside the repository.
# Stamps in .venv remember what is done; a change in cpp/, CMakeLists.txt or pyproject.toml rebuilds.

VENV := .venv
BIN := $(VENV)/bin
LOWEST := .venv-lowest
INSTALL := build/install
PYTHON ?= python3
PIP_OPTIONS := -m pip --disable-pip-version-check -q
PIP := $(BIN)/python $(PIP_OPTIONS)
LOWEST_PIP := $(LOWEST)/bin/python $(PIP_OPTIONS)
INSTALL_PIP := $(INSTALL)/venv/bin/python $(PIP_OPTIONS)
PACKAGE_SOURCES := $(shell find src/cliquepool -type f -not -path '*/__pycache__/*')
CORE_SOURCES := $(shell find cpp -name tests -prune -o -name '*.[ch]pp' -print)
TEST_SOURCES := $(shell find cpp/tests -name '*.[ch]pp')
CMAKE := $(BIN)/cmake -G Ninja -DCMAKE_MAKE_PROGRAM=$(CURDIR)/$(BIN)/ninja -S . -DCLIQUEPOOL_TESTS=ON

# On Linux, the usual torch brings gigabytes of CUDA. TORCH_INDEX names the index of another build, which is then
# installed first: see docs/install.md.
TORCH_INDEX ?=
TORCH_FIRST = install --no-deps --index-url $(TORCH_INDEX) torch

# Data sets and fonts that are read are cached here too, not in the home folder.
export CLIQUEPOOL_CACHE := $(CURDIR)/$(VENV)/cache
export MPLCONFIGDIR := $(CURDIR)/$(VENV)/matplotlib

.DEFAULT_GOAL := help
.DELETE_ON_ERROR:
.NOTPARALLEL:
.PHONY: web help demo test test-slow test-all test-core test-python coverage test-numerics test-lowest test-install bench fuzz sanitize check-libcxx check-aarch64 lint tidy format build docs test-docs clean

help:
	@echo "make demo      train a classifier on real molecules, and draw what it sees"
	@echo "make test      the tests, C++ and Python, without those marked slow"
	@echo "make test-slow the tests marked slow"
	@echo "make test-all  both"
	@echo "make coverage  the Python tests, and the lines of the package that they do not run (build/coverage)"
	@echo "make test-numerics  the tests of what computes in floats, as other processors compute, with 1 and 2 threads"
	@echo "make test-lowest   the Python tests with the lowest versions of all dependencies, on Python 3.11"
	@echo "make test-install  README and docs, block by block, with an installed wheel and no network"
	@echo "make bench     speed beside networkx, igraph and networkit"
	@echo "make fuzz      mutated files of every kind for every loader (MINUTES=5)"
	@echo "make sanitize  the C++ tests under address, undefined-behaviour and thread sanitizers"
	@echo "make check-libcxx   the C++ tests with clang and libc++, as on macOS; skipped where they are not installed"
	@echo "make check-aarch64  the C++ tests for 64-bit ARM, in qemu where it is installed"
	@echo "make lint      ruff, mypy, import-linter, clang-format"
	@echo "make tidy      clang-tidy on the C++ core; takes minutes"
	@echo "make format    rewrite the sources as lint wants them"
	@echo "make build     (re)build the compiled core in place, nothing else"
	@echo "make web       build the script of the interactive page from web/ (needs node and npm), and test it"
	@echo "make docs      the documentation, in docs/_build/html; its gallery is run"
	@echo "make test-docs the documentation, then its pages in a browser"
	@echo "make clean     remove everything these made, .venv too"

# ---- set-up ----

$(VENV)/.created:
	$(PYTHON) -m venv $(VENV)
	@touch $@

$(VENV)/.tools: $(VENV)/.created constraints.txt
	$(PIP) install -c constraints.txt scikit-build-core nanobind cmake ninja
	@touch $@

$(VENV)/.core: $(VENV)/.tools $(CORE_SOURCES) CMakeLists.txt pyproject.toml
	$(PIP) install -c constraints.txt --no-build-isolation --no-deps -e .
	@touch $@

$(VENV)/.torch: $(VENV)/.created constraints.txt
	$(if $(TORCH_INDEX),$(PIP) $(TORCH_FIRST) -c constraints.txt)
	@touch $@

$(VENV)/.extra-%: pyproject.toml constraints.txt | $(VENV)/.core $(VENV)/.torch
	$(PIP) install -c constraints.txt --no-build-isolation -e ".[$*]"
	@touch $@

build: $(VENV)/.core

# ---- commands ----

demo: $(VENV)/.core $(VENV)/.extra-demo
	$(BIN)/python -m cliquepool.demo

test: test-core test-python
	@echo "Tests marked slow were left out: make test-slow runs them."

# In random order, so that no test depends on what another one left behind. The seed is printed, and
# `pytest --random-order-seed=N` repeats its order. TEST_PROCESSES=2 runs two tests at a time.
TEST_PROCESSES ?= 0
PYTEST := $(BIN)/python -m pytest --random-order

test-python: $(VENV)/.core $(VENV)/.extra-dev
	$(PYTEST) -n $(TEST_PROCESSES)

test-slow: $(VENV)/.core $(VENV)/.extra-dev
	$(PYTEST) -n $(TEST_PROCESSES) -m slow

test-all: test test-slow

coverage: $(VENV)/.core $(VENV)/.extra-dev
	$(PYTEST) -n $(TEST_PROCESSES) --cov --cov-report=term --cov-report=html

# Processors differ in how they round. These variables make torch (ATen), oneDNN and MKL compute as on an older
# x86-64 processor; on other processors they are ignored. Two tests run at a time.
NUMERICS_OLD := ATEN_CPU_CAPABILITY=default ONEDNN_MAX_CPU_ISA=SSE41 MKL_ENABLE_INSTRUCTIONS=SSE4_2
NUMERICS_AVX2 := ATEN_CPU_CAPABILITY=avx2 ONEDNN_MAX_CPU_ISA=AVX2 MKL_ENABLE_INSTRUCTIONS=AVX2
NUMERICS_TESTS := --hypothesis-profile=few tests/nn tests/training tests/pyg tests/models tests/evaluate
# Left out: tests of processes, locks, files, tables and integers, which numerics do not change, and of compilation, which is
# slow. Properties are tried on few examples, since there are four runs.
NUMERICS_TESTS += --ignore=tests/nn/test_compiled_ops.py --ignore=tests/models/kernel_features \
	--ignore-glob='tests/models/test_*kernel*' \
	$(foreach name,cluster_workers comparison_page comparison_table comparisons costs locks protocols records split_files workers,\
	--ignore=tests/evaluate/test_$(name).py)
# What computes on several threads.
THREADS_TESTS := --hypothesis-profile=few tests/nn tests/training tests/pyg --ignore=tests/nn/test_compiled_ops.py

test-numerics: $(VENV)/.core $(VENV)/.extra-dev
	$(NUMERICS_OLD) OMP_NUM_THREADS=1 $(PYTEST) -n 2 $(NUMERICS_TESTS)
	$(NUMERICS_OLD) OMP_NUM_THREADS=2 $(PYTEST) -n 2 $(THREADS_TESTS)
	$(NUMERICS_AVX2) OMP_NUM_THREADS=1 $(PYTEST) -n 2 $(NUMERICS_TESTS)
	$(NUMERICS_AVX2) OMP_NUM_THREADS=2 $(PYTEST) -n 2 $(THREADS_TESTS)

# Without doctests, which print as NumPy 2 does. Old versions of the dependencies warn about each other.
test-lowest: $(LOWEST)/.installed
	$(LOWEST)/bin/python -m pytest $(addprefix -W ignore::,DeprecationWarning FutureWarning ImportWarning) tests

$(LOWEST)/.installed: constraints-lowest.txt constraints.txt pyproject.toml CMakeLists.txt $(CORE_SOURCES) $(PACKAGE_SOURCES)
	$(PYTHON) -m venv $(LOWEST)
	$(LOWEST_PIP) install -c constraints.txt scikit-build-core nanobind cmake ninja
	$(if $(TORCH_INDEX),$(LOWEST_PIP) $(TORCH_FIRST) -c constraints-lowest.txt)
	$(LOWEST_PIP) install -c constraints-lowest.txt --no-build-isolation -Cbuild-dir=build/lowest ".[test]"
	@touch $@

# The wheel in a fresh environment: first without extras, then as the README installs it. It is linked from the objects of
# the editable install where there are some.
test-install: $(VENV)/.tools
	rm -rf $(INSTALL)
	mkdir -p $(INSTALL)/pages
	$(PIP) wheel --no-build-isolation --no-deps -Cbuild-dir=build/editable -w $(INSTALL) .
	$(PYTHON) -m venv $(INSTALL)/venv
	$(INSTALL_PIP) install -c constraints.txt $(INSTALL)/*.whl
	cd $(INSTALL) && venv/bin/cliquepool info
	$(if $(TORCH_INDEX),$(INSTALL_PIP) $(TORCH_FIRST) -c constraints.txt)
	$(INSTALL_PIP) install -c constraints.txt "$$(echo $(INSTALL)/*.whl)[all]"
	cp -r README.md docs/*.md tests/helpers/pages.py tests/helpers/no_network $(INSTALL)/pages
	cd $(INSTALL) && venv/bin/python pages/pages.py run pages/*.md

# Optimised, but with the debug asserts.
test-core: build/core/.built
	build/core/core_tests

bench: $(VENV)/.core $(VENV)/.extra-bench
	$(BIN)/python -m benchmarks

MINUTES ?= 5
fuzz: $(VENV)/.core $(VENV)/.extra-dev
	$(BIN)/python -m tests.fuzz --minutes $(MINUTES)

# A test asks for more memory than there is: the allocator then returns null, as it does without sanitizers.
sanitize: build/asan/.built build/tsan/.built
	ASAN_OPTIONS=allocator_may_return_null=1 build/asan/core_tests
	TSAN_OPTIONS=allocator_may_return_null=1 build/tsan/core_tests

# The first clang++ that finds a libc++ with C++20's <span>; empty if there is none.
LIBCXX_COMPILER = $(shell for compiler in clang++ $(addprefix clang++-,21 20 19 18 17 16 15 14); do \
	echo 'int main() {}' | $$compiler -std=c++20 -stdlib=libc++ -include span -x c++ - -o /dev/null 2>/dev/null && echo $$compiler && break; done)
AARCH64_COMPILER = $(shell command -v aarch64-linux-gnu-g++)
AARCH64_EMULATOR = $(shell command -v qemu-aarch64 || command -v qemu-aarch64-static)

check-libcxx:
	@$(if $(LIBCXX_COMPILER),$(MAKE) build/libcxx/.built && build/libcxx/core_tests,echo "skipped: clang++ with libc++ is not installed")

check-aarch64:
	@$(if $(AARCH64_COMPILER),$(MAKE) build/aarch64/.built,echo "skipped: aarch64-linux-gnu-g++ is not installed")
	@$(if $(AARCH64_COMPILER),$(if $(AARCH64_EMULATOR),$(AARCH64_EMULATOR) build/aarch64/core_tests,echo "built only: qemu-aarch64 is not installed"))

build/core/.built: FLAGS := -DCMAKE_BUILD_TYPE=Debug -DCMAKE_CXX_FLAGS_DEBUG="-O2 -g"
build/asan/.built: FLAGS := -DCMAKE_BUILD_TYPE=Debug -DCMAKE_CXX_FLAGS_DEBUG="-O1 -g" -DCLIQUEPOOL_SANITIZE=address,undefined
build/tsan/.built: FLAGS := -DCMAKE_BUILD_TYPE=Debug -DCMAKE_CXX_FLAGS_DEBUG="-O1 -g" -DCLIQUEPOOL_SANITIZE=thread
build/libcxx/.built: FLAGS = -DCMAKE_BUILD_TYPE=Debug -DCMAKE_CXX_FLAGS_DEBUG="-O1" -DCMAKE_CXX_COMPILER=$(LIBCXX_COMPILER) -DCMAKE_CXX_FLAGS=-stdlib=libc++
build/aarch64/.built: FLAGS = -DCMAKE_BUILD_TYPE=Debug -DCMAKE_CXX_FLAGS_DEBUG="-O1" -DCMAKE_CXX_COMPILER=$(AARCH64_COMPILER) -DCMAKE_SYSTEM_NAME=Linux -DCMAKE_SYSTEM_PROCESSOR=aarch64 -DCMAKE_EXE_LINKER_FLAGS=-static

build/%/.built: $(VENV)/.tools $(CORE_SOURCES) $(TEST_SOURCES) CMakeLists.txt
	$(CMAKE) -B build/$* $(FLAGS)
	$(BIN)/cmake --build build/$*
	@touch $@

lint: $(VENV)/.core $(VENV)/.extra-dev
	$(BIN)/ruff check .
	$(BIN)/ruff format --check .
	$(BIN)/mypy
	$(BIN)/lint-imports --no-cache
	$(BIN)/clang-format --dry-run --Werror $(CORE_SOURCES) $(TEST_SOURCES)

# The bindings are left out: their findings are those of nanobind's macros.
TIDY_SOURCES := $(filter-out cpp/python/%,$(filter %.cpp,$(CORE_SOURCES)))

tidy: $(VENV)/.tools $(VENV)/.extra-dev
	$(CMAKE) -B build/tidy -DCMAKE_BUILD_TYPE=Debug
	printf '%s\n' $(TIDY_SOURCES) | xargs -n 1 -P 2 $(BIN)/clang-tidy -p build/tidy --quiet

format: $(VENV)/.core $(VENV)/.extra-dev
	$(BIN)/ruff check --fix .
	$(BIN)/ruff format .
	$(BIN)/clang-format -i $(CORE_SOURCES) $(TEST_SOURCES)

# Users never need this: the bundle is committed, and a test fails if it is older than its sources.
web:
	cd web && npm ci --no-audit --no-fund && npm run check && npm test && npm run build

# Pages of names that are gone would be warnings, so the pages of names are made anew. The networks of the gallery are small:
# more than one thread would cost time.
docs: $(VENV)/.core $(VENV)/.extra-docs
	rm -rf docs/generated/reference
	OMP_NUM_THREADS=1 $(BIN)/python -m sphinx -W --keep-going -b html -d docs/_build/doctrees docs docs/_build/html

test-docs: docs $(VENV)/.extra-dev
	$(BIN)/python -m pytest tests/test_site.py

clean:
	rm -rf $(VENV) $(LOWEST) build dist wheelhouse out docs/_build docs/generated
	rm -rf web/node_modules web/build .pytest_cache .mypy_cache .ruff_cache .hypothesis
	find src tests benchmarks docs -name __pycache__ -type d -prune -exec rm -rf {} + 2>/dev/null || true
