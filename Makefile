# Halimede: `make run` needs Rust alone; `make test` needs Rust, Python 3.11 and g++ as well.

PYTHON ?= python3
VENV := build/venv
VENV_PYTHON := $(VENV)/bin/python
VENV_STAMP := $(VENV)/.halimede-$(shell cksum < requirements.txt | cut -d' ' -f1)
PACKAGE_STAMP := $(VENV)/.package-halimede
PACKAGE_SOURCES := pyproject.toml Cargo.toml Cargo.lock $(shell find arith engines card device files operations places python \
    -name Cargo.toml -o -name '*.rs' -o -name '*.json' -o -path 'python/halimede*/*.py*' ! -name '*.pyc')
# The peer of `halimede blake3`: its tests require the same answers of both.
B3SUM := build/b3sum/bin/b3sum
CARD_SIM := build/card-sim/halimede-card-sim
# The card of the engines that have a memory.
MEMORY_CARD_SIM := $(CARD_SIM)-memory
# That of BLS12-381 alone.
BLS_CARD_SIM := $(CARD_SIM)-bls12_381
# With the room that a bootstrap's keys take.
LARGE_CARD_SIM := $(CARD_SIM)-large-memory
CARGO_FLAGS ?= --locked
# The book's tools, and what the notebooks take.
BOOK_VENV := build/book-venv
BOOK_PYTHON := $(BOOK_VENV)/bin/python
BOOK_STAMP := $(BOOK_VENV)/.halimede-$(shell cksum < docs/book/requirements.txt | cut -d' ' -f1)

.DEFAULT_GOAL := help
include install.mk release/release.mk card/boards/boards.mk
.PHONY: help run test test-all test-changed lint lint-pure doc check-generated generate test-rust test-pure test-foreign \
        test-python test-package test-built-package built-package test-pages book notebooks test-ray test-torch \
        test-dashboard soak sanitize sanitize-rust sanitize-c miri mutants formal bench bench-document bench-criterion area \
        depth rtl rtl-table card-sim format clean

help: ## list the targets
	@grep -hE '^[a-z-]+:.*## ' $(MAKEFILE_LIST) | sed -E 's/:.*## /\t/' | expand -t 18

run: ## build and run the tour of every engine on this processor
	cargo run $(CARGO_FLAGS) --release --bin halimede -- tour

# The benches leave processors idle where they wait for one compiler or one simulation, and the Rust
# side where it checks one crate or waits for a card: they run side by side. The Rust side takes longer and
# cannot always use all processors: the benches have what it leaves. What they print comes at the end.
BENCH_LOG := build/test-python.log
test: check-generated $(CARD_SIM) ## every test, bench and lint (CI runs this)
	@echo "$(MAKE) test-python > $(BENCH_LOG)"; \
	nice -n 5 $(MAKE) test-python > $(BENCH_LOG) 2>&1 & benches=$$!; \
	$(MAKE) lint lint-pure test-rust test-built-package test-pages; failed=$$?; \
	wait $$benches || failed=1; \
	cat $(BENCH_LOG); exit $$failed

test-all: export HALIMEDE_SWEEP := 1
test-all: export PROPTEST_CASES := 4096
test-all: export PAGES_SELECTION = --nightly --limit 1800
test-all: $(LARGE_CARD_SIM) $(BLS_CARD_SIM) test test-pure test-package mutants book notebooks deny packages ## the same with ten times the cases on the card, sixteen times the properties, 10^6 mutated inputs, the mutants, the book and its notebooks, licenses and packages of the crates

SINCE ?= main
test-changed: ## only the tests that what has changed since SINCE=main can affect
	$(PYTHON) .ci/affected.py $(SINCE)

lint: ## formatting, lints and documentation of the Rust code
	cargo fmt --all --check
	cargo clippy $(CARGO_FLAGS) --workspace --all-targets -- -D warnings
	$(MAKE) doc

doc: export RUSTDOCFLAGS := -Dwarnings
doc: ## the Rust documentation, private items included; a warning is an error
	cargo doc $(CARGO_FLAGS) --workspace --no-deps --document-private-items

test-rust test-pure: export HALIMEDE_REQUIRE_PEERS := 1
test-rust test-pure: export HALIMEDE_B3SUM := $(CURDIR)/$(B3SUM)
test-rust test-pure: export HALIMEDE_REQUIRE_RTL := 1
test-rust test-pure: export HALIMEDE_REQUIRE_C := 1
test-rust test-pure: export HALIMEDE_CARD_SIM := $(CURDIR)/$(CARD_SIM)
# The libraries for C and Python are built with the tests, or cargo compiles what they depend on again
# with fewer features. Without the examples, of which Clippy checks that they compile.
TESTS_BUILD := cargo build $(CARGO_FLAGS) --workspace --lib --bins --tests
test-rust: export HALIMEDE_C_LIBRARIES := $(CURDIR)/target/debug
test-rust: $(CARD_SIM) $(MEMORY_CARD_SIM) $(B3SUM) ## the Rust tests, the simulated card included
	$(TESTS_BUILD)
	cargo test $(CARGO_FLAGS) --workspace --tests
	cargo test $(CARGO_FLAGS) --workspace --doc

# With all but portable Rust compiled out. `make test` checks that it compiles, since the portable kernels
# are compared with the others wherever there are some; `make test-all` runs all tests so.
PURE_FEATURES := --features halimede-blake3/pure,halimede-equihash/pure,halimede-ckks/pure
# In a sweep the tests too, which take what they depend on with features that nothing else has.
lint-pure: ## lints of the arithmetic, the hashes and CKKS, all but portable Rust compiled out
	cargo clippy $(CARGO_FLAGS) --lib $(if $(filter 1,$(HALIMEDE_SWEEP)),--tests) $(PURE_FEATURES) \
	    $(addprefix -p halimede-,arith poseidon blake3 equihash ckks) -- -D warnings

test-pure: $(CARD_SIM) $(MEMORY_CARD_SIM) $(B3SUM) ## all tests again, all but portable Rust compiled out (slow)
	cargo test $(CARGO_FLAGS) --workspace $(PURE_FEATURES)

# Needs qemu-user-static and the cross compilers gcc-aarch64-linux-gnu and gcc-s390x-linux-gnu.
FOREIGN_TARGETS := aarch64-unknown-linux-gnu s390x-unknown-linux-gnu
test-foreign: export CARGO_TARGET_AARCH64_UNKNOWN_LINUX_GNU_LINKER := aarch64-linux-gnu-gcc
test-foreign: export CARGO_TARGET_AARCH64_UNKNOWN_LINUX_GNU_RUNNER := \
    qemu-aarch64-static -L /usr/aarch64-linux-gnu
test-foreign: export CARGO_TARGET_S390X_UNKNOWN_LINUX_GNU_LINKER := s390x-linux-gnu-gcc
test-foreign: export CARGO_TARGET_S390X_UNKNOWN_LINUX_GNU_RUNNER := \
    qemu-s390x-static -L /usr/s390x-linux-gnu
test-foreign: ## the arithmetic and the hashes on emulated ARM and big-endian processors (slow)
	rustup target add $(FOREIGN_TARGETS)
	for target in $(FOREIGN_TARGETS); do \
	    cargo test $(CARGO_FLAGS) --target $$target \
	        -p halimede-arith -p halimede-blake3 -p halimede-poseidon \
	        --features halimede-poseidon/serde,halimede-poseidon/generate || exit 1; \
	done

# The crates with unsafe code under AddressSanitizer. RUSTC_BOOTSTRAP lets the stable compiler take
# -Zsanitizer; a named target keeps the flag from build scripts and macros. Examples in the
# documentation and the programs that capi's tests start are linked by others: left out. The sanitizer
# makes frames of kernels many times larger.
SANITIZE_TARGET ?= x86_64-unknown-linux-gnu
SANITIZE_RUST := RUST_MIN_STACK=67108864 RUSTC_BOOTSTRAP=1 RUSTFLAGS=-Zsanitizer=address \
    cargo test $(CARGO_FLAGS) --target $(SANITIZE_TARGET) --target-dir target/sanitize
sanitize: sanitize-rust sanitize-c ## the crates with unsafe code and the C programs under AddressSanitizer (slow)

sanitize-rust:
	$(SANITIZE_RUST) --lib --tests -p halimede-arith -p halimede-blake3 -p halimede-equihash -p halimede-device
	$(SANITIZE_RUST) --lib -p halimede-capi -p halimede-secp256k1
	$(SANITIZE_RUST) --lib --test batches -p halimede-poseidon
	$(SANITIZE_RUST) --lib --test arithmetic -p halimede-ckks

# The library itself is not instrumented here: what C and C++ do with what it hands out is.
sanitize-c:
	HALIMEDE_REQUIRE_C=1 HALIMEDE_C_FLAGS="-fsanitize=address,undefined -fno-sanitize-recover=all" \
	    cargo test $(CARGO_FLAGS) -p halimede-capi --test c_programs

# Miri interprets portable Rust: the lanes, in an emulation of their registers, and what is unsafe
# around them. It knows no AVX-512 and no assembly.
MIRI := cargo +nightly miri
# Threads of rayon hand out what only tree borrows allow, and end with the process.
miri: export MIRIFLAGS := -Zmiri-disable-isolation -Zmiri-tree-borrows -Zmiri-permissive-provenance -Zmiri-ignore-leaks
miri: export PROPTEST_CASES := 2
miri: ## the portable kernels with unsafe code under Miri (slow; needs a nightly Rust with Miri)
	@$(MIRI) --version > /dev/null 2>&1 || { \
	    echo "make miri needs: rustup toolchain install nightly --component miri,rust-src" >&2; exit 1; }
	$(MIRI) test --target-dir target/miri --features pure -p halimede-blake3 --lib
	$(MIRI) test --target-dir target/miri --features pure -p halimede-equihash --lib -- lanes
	$(MIRI) test --target-dir target/miri --features pure -p halimede-arith --lib -- backend level processor memory arx

# Chromium itself comes from the system (Debian: apt install chromium). The card is that of the hashes.
BROWSER_VENV := build/browser-venv
test-dashboard: $(CARD_SIM) ## the service's dashboard in headless Chromium, with screenshots in build/dashboard
	cargo build $(CARGO_FLAGS) --bin halimede
	$(PYTHON) -m venv $(BROWSER_VENV)
	$(BROWSER_VENV)/bin/pip install --quiet --disable-pip-version-check -r service/tests/browser/requirements.txt
	HALIMEDE_MEMORY_CARD_SIM=$(CURDIR)/$(CARD_SIM) $(BROWSER_VENV)/bin/python -m pytest service/tests/browser

MINUTES ?= 60
soak: ## honest and hostile clients at the service for MINUTES=60; the figures are in build/soak.json too
	cargo build $(CARGO_FLAGS) --profile bench --bin halimede
	mkdir -p build
	$(PYTHON) service/tests/soak --minutes $(MINUTES) --json build/soak.json

test-python: $(VENV_STAMP) ## golden models, microcode, RTL lints and benches
	HALIMEDE_REQUIRE_RTL=1 $(VENV_PYTHON) -m pytest --numprocesses auto --maxprocesses 4 \
	    --dist loadfile --no-loadscope-reorder

mutants: ## check that the simulation and the tests of files catch faults in the host's code (slow)
	$(PYTHON) simulation/mutants.py

formal: $(VENV_STAMP) ## prove the streams, and that each proof notices its mutants
	$(VENV_PYTHON) -m arith.formal

define TEST_PACKAGE
	HALIMEDE_REQUIRE_RTL=1 $(VENV_PYTHON) -m pytest python/tests python/halimede-ray/tests
	$(VENV_PYTHON) -m mypy --strict python/halimede python/halimede-ray/halimede_ray
	$(VENV_PYTHON) -m mypy.stubtest --mypy-config-file pyproject.toml halimede._native
endef
test-package: $(PACKAGE_STAMP) $(CARD_SIM) $(MEMORY_CARD_SIM) ## the Python package, as it is installed, and its types
	$(TEST_PACKAGE)

# The same package, put together from what the Rust tests have compiled.
BUILT_PACKAGE := $(CURDIR)/build/package
test-built-package: export PYTHONPATH := $(BUILT_PACKAGE)
test-built-package: export MYPYPATH := $(BUILT_PACKAGE)
test-built-package: $(VENV_STAMP) $(CARD_SIM) $(MEMORY_CARD_SIM) built-package ## the same tests without an installation
	$(TEST_PACKAGE)

built-package:
	$(TESTS_BUILD)
	rm -rf $(BUILT_PACKAGE)
	mkdir -p $(BUILT_PACKAGE)
	cp -r python/halimede python/halimede-ray/halimede_ray $(BUILT_PACKAGE)
	cp target/debug/libhalimede_native.so $(BUILT_PACKAGE)/halimede/_native.abi3.so

# `make test-all` runs the blocks too that take minutes.
PAGES_SELECTION ?=
test-pages: $(VENV_STAMP) $(CARD_SIM) built-package ## follow the book's first pages literally, and print the time of each
	$(VENV_PYTHON) -m docs.book.run_pages $(PAGES_SELECTION)

book: $(BOOK_STAMP) built-package ## the book, build/book/site, with the references of Python and C, and of Rust after `make doc`
	$(BOOK_PYTHON) -m docs.book.build --package $(BUILT_PACKAGE) \
	    $(if $(wildcard target/doc/halimede_device/index.html),--rustdoc target/doc)
	$(BOOK_PYTHON) -m docs.book.site_check build/book/site

notebooks: export PYTHONPATH := $(BUILT_PACKAGE)
notebooks: $(BOOK_STAMP) $(CARD_SIM) built-package ## run the notebooks of examples/, and print the time of each
	$(BOOK_PYTHON) -m docs.book.run_notebooks

$(BOOK_STAMP): docs/book/requirements.txt
	$(PYTHON) -m venv $(BOOK_VENV)
	$(BOOK_VENV)/bin/pip install --quiet --disable-pip-version-check -r docs/book/requirements.txt
	rm -f $(BOOK_VENV)/.halimede-*
	touch $@

# Each night: Ray takes seconds to start, and 70 MB. Two raylets on loopback, of which the tests kill some.
RAY_VENV := build/ray-venv
test-ray: export PYTHONPATH := $(BUILT_PACKAGE)
test-ray: built-package ## work spread over machines, on a Ray cluster of this machine (slow)
	$(PYTHON) -m venv --clear $(RAY_VENV)
	$(RAY_VENV)/bin/pip install --quiet --disable-pip-version-check -r python/halimede-ray/requirements.txt
	$(RAY_VENV)/bin/python -m pytest python/halimede-ray/tests
	MYPYPATH=$(BUILT_PACKAGE) $(RAY_VENV)/bin/python -m mypy --strict python/halimede python/halimede-ray/halimede_ray

# Each night: PyTorch takes gigabytes.
TORCH_VENV := build/torch-venv
test-torch: export PYTHONPATH := $(BUILT_PACKAGE)
test-torch: built-package ## modules of PyTorch, compiled for encrypted inputs (downloads gigabytes)
	$(PYTHON) -m venv $(TORCH_VENV)
	$(TORCH_VENV)/bin/pip install --quiet --disable-pip-version-check -r python/requirements-torch.txt
	HALIMEDE_REQUIRE_TORCH=1 $(TORCH_VENV)/bin/python -m pytest python/tests/test_nn_torch.py

GENERATORS := card.spec.generate arith.microcode.generate engines.ckks.card.generate \
    engines.bls12_381.coprocessor.generate engines.poseidon.microcode engines.secp256k1.microcode \
    engines.bls12_381.microcode arith.simulation.core_files card.boards.capacity docs.book.pictures \
    docs.book.plots docs.spread.model release.notices
generate: ## make the generated files anew
	cargo run $(CARGO_FLAGS) --quiet -p halimede-operations --example python
	cargo run $(CARGO_FLAGS) --quiet -p halimede-capi --example header
	cargo run $(CARGO_FLAGS) --quiet -p halimede-zcash --example rules > engines/zcash/RULES.md
	set -e; for generator in $(GENERATORS); do $(PYTHON) -m $$generator; done

check-generated: ## fail where a generated file is not what its generator makes
	set -e; for generator in $(GENERATORS); do $(PYTHON) -m $$generator --check; done

rtl: ## generate the RTL of which git has digests only, for tools that read the core files by themselves
	$(PYTHON) -m arith.simulation.generated

rtl-table: $(VENV_STAMP) ## measure the card's rates and area anew, and write the engines' tables (slow)
	set -e; for table in engines/*/rtl/table.py; do \
	    $(VENV_PYTHON) -m $$(echo $${table%.py} | tr / .); done

card-sim: $(CARD_SIM) $(MEMORY_CARD_SIM) $(BLS_CARD_SIM) ## build the simulated cards

.PHONY: $(CARD_SIM) $(MEMORY_CARD_SIM) $(BLS_CARD_SIM) $(LARGE_CARD_SIM)
$(CARD_SIM): $(VENV_STAMP)
	$(VENV_PYTHON) -m card.sim.build
$(MEMORY_CARD_SIM): $(VENV_STAMP)
	$(VENV_PYTHON) -m card.sim.build --memory
$(BLS_CARD_SIM): $(VENV_STAMP)
	$(VENV_PYTHON) -m card.sim.build --engine bls12_381
$(LARGE_CARD_SIM): $(VENV_STAMP)
	$(VENV_PYTHON) -m card.sim.build --memory --name large \
	    CkksMemoryBits=24 CkksLogLanes=4 CkksAddressBits=12

$(B3SUM):
	cargo install --quiet --locked --debug --root build/b3sum --version =1.8.7 b3sum

$(VENV_STAMP): requirements.txt
	$(PYTHON) -m venv $(VENV)
	$(VENV)/bin/pip install --quiet --disable-pip-version-check -r requirements.txt
	rm -f $(VENV)/.halimede-*
	touch $@

# What `pip install .` does, with the build tools that are in the environment already, and with the
# settings of the tests, which have compiled much of it.
$(PACKAGE_STAMP): $(VENV_STAMP) $(PACKAGE_SOURCES)
	PATH="$(CURDIR)/$(VENV)/bin:$$PATH" MATURIN_PEP517_ARGS="--profile dev" \
	    $(VENV)/bin/pip install --quiet \
	    --disable-pip-version-check --no-build-isolation --no-deps --force-reinstall .
	$(VENV)/bin/pip install --quiet --disable-pip-version-check --no-deps --force-reinstall ./python/halimede-ray
	touch $@

bench: ## side by side with the peers, in turns
	cargo run $(CARGO_FLAGS) --profile bench -p halimede-bench -- all

bench-document: ## the same, written into docs/benchmarks.md
	cargo run $(CARGO_FLAGS) --profile bench -p halimede-bench -- all --markdown docs/benchmarks.md
	$(PYTHON) -m docs.book.plots

bench-criterion: ## the same comparisons under Criterion
	cargo bench $(CARGO_FLAGS) -p halimede-bench --bench poseidon --bench blake3 --bench ecdsa --bench equihash

depth: $(VENV_STAMP) ## the deepest path of every block of the card, and clocks of the ECP5 (slow)
	$(VENV)/bin/pip install --quiet --disable-pip-version-check -r card/boards/requirements.txt
	$(VENV_PYTHON) -m arith.synthesis.depth

area: $(VENV_STAMP) ## area of mod_mul and field_core from Yosys (slow)
	$(VENV_PYTHON) -m arith.synthesis.area

format: ## format the Rust code
	cargo fmt --all

clean: ## remove everything built
	cargo clean
	rm -rf build engines/*/rtl/generated
