# Halimede: `make run` needs only Rust; `make test` also needs Python 3.11 and g++.

PYTHON ?= python3
VENV := build/venv
VENV_PYTHON := $(VENV)/bin/python
VENV_STAMP := $(VENV)/.halimede-$(shell cksum < requirements.txt | cut -d' ' -f1)
PACKAGE_STAMP := $(VENV)/.package-halimede
PACKAGE_SOURCES := pyproject.toml Cargo.toml Cargo.lock $(shell find arith engines card device files operations places python \
    -name Cargo.toml -o -name '*.rs' -o -name '*.json' -o -path 'python/halimede*/*.py*' ! -name '*.pyc')
# The reference of `halimede blake3`: the tests compare their answers.
B3SUM := build/b3sum/bin/b3sum
CARD_SIM := build/card-sim/halimede-card-sim
# The card with the engines that have a memory.
MEMORY_CARD_SIM := $(CARD_SIM)-memory
# The card with only BLS12-381.
BLS_CARD_SIM := $(CARD_SIM)-bls12_381
# The card with enough memory for the keys of a bootstrap.
LARGE_CARD_SIM := $(CARD_SIM)-large-memory
CARGO_FLAGS ?= --locked
# The tools for the book and its notebooks.
BOOK_VENV := build/book-venv
BOOK_PYTHON := $(BOOK_VENV)/bin/python
BOOK_STAMP := $(BOOK_VENV)/.halimede-$(shell cksum < docs/book/requirements.txt | cut -d' ' -f1)

.DEFAULT_GOAL := help
include install.mk release/release.mk card/boards/boards.mk places/cuda/cuda.mk javascript/javascript.mk
.PHONY: help run test test-all test-changed lint lint-pure doc check-generated generate test-rust test-pure test-foreign \
        test-python test-package test-built-package built-package test-pages book notebooks test-ray test-torch exports \
        test-dashboard soak sanitize sanitize-rust sanitize-c miri mutants formal bench bench-document bench-criterion area \
        depth rtl rtl-table coverage random-start card-sim format clean

help: ## list the targets
	@grep -hE '^[a-z0-9-]+:.*## ' $(MAKEFILE_LIST) | sed -E 's/:.*## /\t/' | expand -t 18

# What is built for this machine has the kernels of its processor alone, which takes half the time. What is
# installed into another folder (DESTDIR) may run elsewhere.
run install install-command $(addprefix install-,$(OTHER_LIBRARIES)): export HALIMEDE_LANES ?= $(if $(DESTDIR),all,native)
run: ## build and run the tour of every engine on this processor
	cargo run $(CARGO_FLAGS) --release --bin halimede -- tour

# Three parts run in parallel, and all of them end even if one fails: each at times leaves processors idle,
# while it waits for a compiler, a simulation or a card. The Rust tests take longest, and have priority. The
# outputs of the other parts are printed at the end.
BENCH_LOG := build/test-python.log
OTHER_LOG := build/test-others.log
OTHER_TESTS = lint lint-pure test-built-package test-pages $(JAVASCRIPT_TESTS)
test: ## run every test, bench and lint (as in CI)
	@mkdir -p build; $(TESTS_BUILD) & built=$$!; \
	$(MAKE) $(VENV_STAMP) $(GPU_STAMP) || { wait $$built; exit 1; }; \
	echo "$(MAKE) check-generated test-python > $(BENCH_LOG)"; \
	nice -n 5 $(MAKE) check-generated test-python > $(BENCH_LOG) 2>&1 & benches=$$!; \
	wait $$built || { wait $$benches; cat $(BENCH_LOG); exit 1; }; \
	echo "$(MAKE) --keep-going $(OTHER_TESTS) > $(OTHER_LOG)"; \
	nice -n 2 $(MAKE) --keep-going $(OTHER_TESTS) > $(OTHER_LOG) 2>&1 & others=$$!; \
	$(MAKE) test-rust; failed=$$?; \
	wait $$others || failed=1; wait $$benches || failed=1; \
	cat $(OTHER_LOG) $(BENCH_LOG); exit $$failed

test-all: export HALIMEDE_SWEEP := 1
test-all: export PROPTEST_CASES := 4096
test-all: export PAGES_SELECTION = --nightly --limit 1800
test-all: $(LARGE_CARD_SIM) $(BLS_CARD_SIM) test test-pure test-package mutants book notebooks deny packages ## run `test` with many more cases, and the mutants, the book, its notebooks, licenses and packages (slow)

SINCE ?= main
test-changed: ## run only the tests that changes since SINCE=main can affect
	$(PYTHON) .ci/affected.py $(SINCE)

# Crates outside the workspace have lock files of their own, which a change of a dependency leaves behind.
LOCKED := $(addsuffix /Cargo.toml,engines/filecoin/peer engines/poseidon/neptune engines/poseidon/peer javascript/bindings)
lint: ## check the formatting, lints, lock files and documentation of the Rust code
	cargo fmt --all --check
	for crate in $(LOCKED); do cargo update --quiet --workspace --locked --manifest-path $$crate || exit 1; done
	cargo clippy $(CARGO_FLAGS) --workspace --all-targets -- -D warnings
	$(MAKE) doc

# Naming an example makes cargo use the features of tests too, so that what Clippy has checked serves here. The
# libraries without documentation, which it would then include, are left out.
DOCUMENTED := --workspace $(addprefix --exclude halimede-,capi ckzg c-secp256k1) \
    --lib --bin halimede --bin ckks-card --example coprocessor_trace
doc: export RUSTDOCFLAGS := -Dwarnings
doc: ## build the Rust documentation, including private items; warnings are errors
	cargo doc $(CARGO_FLAGS) $(DOCUMENTED) --no-deps --document-private-items

test-rust test-pure: export HALIMEDE_REQUIRE_PEERS := 1
test-rust test-pure: export HALIMEDE_B3SUM := $(CURDIR)/$(B3SUM)
test-rust test-pure: export HALIMEDE_REQUIRE_RTL := 1
test-rust test-pure: export HALIMEDE_REQUIRE_C := 1
test-rust test-pure: export HALIMEDE_CARD_SIM := $(CURDIR)/$(CARD_SIM)
# The libraries for C and Python are built together with the tests: otherwise cargo would compile their
# dependencies again with fewer features. Examples are not built: Clippy checks that they compile.
TESTS_BUILD := cargo build $(CARGO_FLAGS) --workspace --lib --bins --tests
test-rust: export HALIMEDE_C_LIBRARIES := $(CURDIR)/target/debug
test-rust: $(CARD_SIM) $(MEMORY_CARD_SIM) $(B3SUM) ## run the Rust tests, also on the simulated card
	$(TESTS_BUILD)
	cargo test $(CARGO_FLAGS) --workspace --tests --no-fail-fast
	cargo test $(CARGO_FLAGS) --workspace --doc

# Only portable Rust. `make test` checks that it compiles, and compares the portable kernels with the others;
# `make test-all` runs all tests with this configuration.
PURE_FEATURES := --features halimede-blake3/pure,halimede-equihash/pure,halimede-ckks/pure
# In a sweep also the tests, whose dependencies have features that nothing else uses.
lint-pure: ## lint the arithmetic, the hashes and CKKS with only portable Rust
	cargo clippy $(CARGO_FLAGS) --lib $(if $(filter 1,$(HALIMEDE_SWEEP)),--tests) $(PURE_FEATURES) \
	    $(addprefix -p halimede-,arith poseidon blake3 equihash ckks) -- -D warnings

test-pure: $(CARD_SIM) $(MEMORY_CARD_SIM) $(B3SUM) ## run all Rust tests with only portable Rust (slow)
	cargo test $(CARGO_FLAGS) --workspace $(PURE_FEATURES)

# Needs qemu-user-static and the cross compilers gcc-aarch64-linux-gnu and gcc-s390x-linux-gnu.
FOREIGN_TARGETS := aarch64-unknown-linux-gnu s390x-unknown-linux-gnu
test-foreign: export CARGO_TARGET_AARCH64_UNKNOWN_LINUX_GNU_LINKER := aarch64-linux-gnu-gcc
test-foreign: export CARGO_TARGET_AARCH64_UNKNOWN_LINUX_GNU_RUNNER := \
    qemu-aarch64-static -L /usr/aarch64-linux-gnu
test-foreign: export CARGO_TARGET_S390X_UNKNOWN_LINUX_GNU_LINKER := s390x-linux-gnu-gcc
test-foreign: export CARGO_TARGET_S390X_UNKNOWN_LINUX_GNU_RUNNER := \
    qemu-s390x-static -L /usr/s390x-linux-gnu
test-foreign: ## test the arithmetic and the hashes on emulated ARM and big-endian processors (slow)
	rustup target add $(FOREIGN_TARGETS)
	for target in $(FOREIGN_TARGETS); do \
	    cargo test $(CARGO_FLAGS) --target $$target \
	        -p halimede-arith -p halimede-blake3 -p halimede-poseidon \
	        --features halimede-poseidon/serde,halimede-poseidon/generate || exit 1; \
	done

# Runs the crates with unsafe code under AddressSanitizer. RUSTC_BOOTSTRAP lets the stable compiler accept
# -Zsanitizer; with a named target, the flag does not apply to build scripts and macros. Examples in the
# documentation and the programs that the tests of capi start are linked by other linkers, and left out.
# The sanitizer makes the stack frames of kernels many times larger.
SANITIZE_TARGET ?= x86_64-unknown-linux-gnu
SANITIZE_RUST := RUST_MIN_STACK=67108864 RUSTC_BOOTSTRAP=1 RUSTFLAGS=-Zsanitizer=address \
    cargo test $(CARGO_FLAGS) --target $(SANITIZE_TARGET) --target-dir target/sanitize
sanitize: sanitize-rust sanitize-c ## test the crates with unsafe code and the C programs under AddressSanitizer (slow)

sanitize-rust:
	$(SANITIZE_RUST) --lib --tests -p halimede-arith -p halimede-blake3 -p halimede-equihash -p halimede-device
	$(SANITIZE_RUST) --lib -p halimede-capi -p halimede-secp256k1
	$(SANITIZE_RUST) --lib --test batches -p halimede-poseidon
	$(SANITIZE_RUST) --lib --test arithmetic -p halimede-ckks

# Instruments the C and C++ programs that use the library, not the library itself.
sanitize-c:
	HALIMEDE_REQUIRE_C=1 HALIMEDE_C_FLAGS="-fsanitize=address,undefined -fno-sanitize-recover=all" \
	    cargo test $(CARGO_FLAGS) -p halimede-capi --test c_programs

# Miri interprets portable Rust: the lanes with emulated registers, and the unsafe code around them. It does
# not support AVX-512 and assembly.
MIRI := cargo +nightly miri
# rayon needs tree borrows, and its threads end only with the process.
miri: export MIRIFLAGS := -Zmiri-disable-isolation -Zmiri-tree-borrows -Zmiri-permissive-provenance -Zmiri-ignore-leaks
miri: export PROPTEST_CASES := 2
miri: ## test the portable kernels with unsafe code under Miri (slow; needs a nightly Rust with Miri)
	@$(MIRI) --version > /dev/null 2>&1 || { \
	    echo "make miri needs: rustup toolchain install nightly --component miri,rust-src" >&2; exit 1; }
	$(MIRI) test --target-dir target/miri --features pure -p halimede-blake3 --lib
	$(MIRI) test --target-dir target/miri --features pure -p halimede-equihash --lib -- lanes
	$(MIRI) test --target-dir target/miri --features pure -p halimede-arith --lib -- backend level processor memory arx

# Chromium must be installed on the system (Debian: apt install chromium). The card has the hashes.
BROWSER_VENV := build/browser-venv
test-dashboard: $(CARD_SIM) ## test the service's dashboard in headless Chromium, with screenshots in build/dashboard
	cargo build $(CARGO_FLAGS) --bin halimede
	$(PYTHON) -m venv $(BROWSER_VENV)
	$(BROWSER_VENV)/bin/pip install --quiet --disable-pip-version-check -r service/tests/browser/requirements.txt
	HALIMEDE_MEMORY_CARD_SIM=$(CURDIR)/$(CARD_SIM) $(BROWSER_VENV)/bin/python -m pytest service/tests/browser

MINUTES ?= 60
soak: ## run honest and hostile clients against the service for MINUTES=60; figures also in build/soak.json
	cargo build $(CARGO_FLAGS) --profile bench --bin halimede
	mkdir -p build
	$(PYTHON) service/tests/soak --minutes $(MINUTES) --json build/soak.json

test-python: $(VENV_STAMP) $(GPU_STAMP) ## run the tests of models, microcode, RTL and GPU kernels
	HALIMEDE_REQUIRE_RTL=1 HALIMEDE_REQUIRE_CUDA_TOOLKIT=1 $(VENV_PYTHON) -m pytest --numprocesses auto --maxprocesses 4 \
	    --dist loadfile --no-loadscope-reorder --durations 40

mutants: ## check that the simulation and the file tests detect faults in the host code (slow)
	$(PYTHON) simulation/mutants.py

formal: $(VENV_STAMP) ## run the formal proofs of the streams, and check that each proof detects its mutants
	$(VENV_PYTHON) -m arith.formal

define TEST_PACKAGE
	HALIMEDE_REQUIRE_RTL=1 $(VENV_PYTHON) -m pytest python/tests python/halimede-ray/tests
	$(VENV_PYTHON) -m mypy --strict python/halimede python/halimede-ray/halimede_ray
	$(VENV_PYTHON) -m mypy.stubtest --mypy-config-file pyproject.toml halimede._native
endef
test-package: $(PACKAGE_STAMP) $(CARD_SIM) $(MEMORY_CARD_SIM) ## test the installed Python package and its types
	$(TEST_PACKAGE)

# The same package, assembled from the output of the Rust tests.
BUILT_PACKAGE := $(CURDIR)/build/package
test-built-package: export PYTHONPATH := $(BUILT_PACKAGE)
test-built-package: export MYPYPATH := $(BUILT_PACKAGE)
test-built-package: $(VENV_STAMP) $(CARD_SIM) $(MEMORY_CARD_SIM) built-package ## test the Python package without installing it
	$(TEST_PACKAGE)

built-package:
	$(TESTS_BUILD)
	rm -rf $(BUILT_PACKAGE)
	mkdir -p $(BUILT_PACKAGE)
	cp -r python/halimede python/halimede-ray/halimede_ray $(BUILT_PACKAGE)
	cp target/debug/libhalimede_native.so $(BUILT_PACKAGE)/halimede/_native.abi3.so

# `make test-all` also runs the blocks that take minutes.
PAGES_SELECTION ?=
test-pages: $(VENV_STAMP) $(CARD_SIM) built-package ## run the commands of the book's first pages, and print the time of each page
	$(VENV_PYTHON) -m docs.book.run_pages $(PAGES_SELECTION)

book: $(BOOK_STAMP) built-package ## build the book in build/book/site, with the Python and C references (after `make doc` also Rust)
	$(BOOK_PYTHON) -m docs.book.build --package $(BUILT_PACKAGE) \
	    $(if $(wildcard target/doc/halimede_device/index.html),--rustdoc target/doc)
	$(BOOK_PYTHON) -m docs.book.site_check build/book/site

notebooks: export PYTHONPATH := $(BUILT_PACKAGE)
notebooks: $(BOOK_STAMP) $(CARD_SIM) built-package ## run the notebooks in examples/, and print the time of each
	$(BOOK_PYTHON) -m docs.book.run_notebooks

$(BOOK_STAMP): docs/book/requirements.txt
	$(PYTHON) -m venv $(BOOK_VENV)
	$(BOOK_VENV)/bin/pip install --quiet --disable-pip-version-check -r docs/book/requirements.txt
	rm -f $(BOOK_VENV)/.halimede-*
	touch $@

# Runs nightly: Ray needs seconds to start, and 70 MB. The tests use two raylets on loopback, and kill some.
RAY_VENV := build/ray-venv
test-ray: export PYTHONPATH := $(BUILT_PACKAGE)
test-ray: built-package ## test work spread over machines, on a local Ray cluster (slow)
	$(PYTHON) -m venv --clear $(RAY_VENV)
	$(RAY_VENV)/bin/pip install --quiet --disable-pip-version-check -r python/halimede-ray/requirements.txt
	$(RAY_VENV)/bin/python -m pytest python/halimede-ray/tests
	MYPYPATH=$(BUILT_PACKAGE) $(RAY_VENV)/bin/python -m mypy --strict python/halimede python/halimede-ray/halimede_ray

# Runs nightly: PyTorch takes gigabytes.
TORCH_VENV := build/torch-venv
test-torch: export PYTHONPATH := $(BUILT_PACKAGE)
test-torch: built-package ## test PyTorch modules, compiled for encrypted inputs (downloads gigabytes)
	$(PYTHON) -m venv $(TORCH_VENV)
	$(TORCH_VENV)/bin/pip install --quiet --disable-pip-version-check -r python/requirements-torch.txt
	HALIMEDE_REQUIRE_TORCH=1 $(TORCH_VENV)/bin/python -m pytest python/tests/test_nn_torch.py

# Runs nightly: the exporters take gigabytes. Their models must pass the tests, but need not have the same bits.
EXPORTS := engines/ckks_nn/tests/exports
EXPORTERS := sklearn hummingbird keras torch
exports: ## make the models of exporters for encrypted inputs again, and test them (downloads gigabytes)
	set -e; for group in $(EXPORTERS); do \
	    $(PYTHON) -m venv build/exports-$$group; \
	    sed -n "s/^    $$group  *\([a-z].*==.*\)/\1 numpy==2.4.6 onnxruntime==1.32.0/p" $(EXPORTS)/make.py \
	        | xargs build/exports-$$group/bin/pip install --quiet --disable-pip-version-check; \
	    build/exports-$$group/bin/python -W ignore $(EXPORTS)/make.py $(EXPORTS) $$group; \
	done
	cargo test $(CARGO_FLAGS) -p halimede-ckks-nn --test all exports

GENERATORS := card.spec.generate arith.microcode.generate engines.ckks.card.generate \
    engines.bls12_381.coprocessor.generate engines.poseidon.microcode engines.secp256k1.microcode \
    engines.bls12_381.microcode arith.simulation.core_files arith.simulation.coverage \
    card.boards.floorplan card.boards.capacity docs.book.pictures \
    docs.book.plots docs.spread.model release.notices
generate: ## regenerate the generated files
	cargo run $(CARGO_FLAGS) --quiet -p halimede-operations --example python
	cargo run $(CARGO_FLAGS) --quiet -p halimede-capi --example header
	cargo run $(CARGO_FLAGS) --quiet -p halimede-zcash --example rules > engines/zcash/RULES.md
	set -e; for generator in $(GENERATORS); do $(PYTHON) -m $$generator; done

check-generated: ## check that the generated files are up to date
	set -e; for generator in $(GENERATORS); do $(PYTHON) -m $$generator --check; done

rtl: ## generate the RTL that is not in git, for tools that read the core files directly
	$(PYTHON) -m arith.simulation.generated

COVERED ?= arith blake3 bls12_381 card ckks equihash loopback poseidon secp256k1
coverage: $(VENV_STAMP) ## measure line and toggle coverage of the RTL (hours): COVERED="NAME..."
	$(VENV_PYTHON) -m arith.simulation.coverage $(COVERED)

random-start: $(VENV_STAMP) ## run the RTL benches from random values of registers without a reset (hours)
	$(VENV_PYTHON) -m arith.simulation.coverage --starts $(COVERED)

rtl-table: $(VENV_STAMP) ## measure the rates and area of the card, and update the tables of the engines (slow)
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

# Like `pip install .`, but with the build tools of the environment, and with the settings of the tests, to
# reuse their output.
$(PACKAGE_STAMP): $(VENV_STAMP) $(PACKAGE_SOURCES)
	PATH="$(CURDIR)/$(VENV)/bin:$$PATH" MATURIN_PEP517_ARGS="--profile dev" \
	    $(VENV)/bin/pip install --quiet \
	    --disable-pip-version-check --no-build-isolation --no-deps --force-reinstall .
	$(VENV)/bin/pip install --quiet --disable-pip-version-check --no-deps --force-reinstall ./python/halimede-ray
	touch $@

bench: ## run the benchmarks against other libraries, interleaved
	cargo run $(CARGO_FLAGS) --profile bench -p halimede-bench -- all

bench-document: ## run the benchmarks, and write the results to docs/benchmarks.md
	cargo run $(CARGO_FLAGS) --profile bench -p halimede-bench -- all --markdown docs/benchmarks.md
	$(PYTHON) -m docs.book.plots

bench-criterion: ## run the benchmarks under Criterion
	cargo bench $(CARGO_FLAGS) -p halimede-bench --bench poseidon --bench blake3 --bench ecdsa --bench equihash

depth: $(VENV_STAMP) ## measure the logic depth of every block of the card, and clock rates on the ECP5 (slow)
	$(VENV)/bin/pip install --quiet --disable-pip-version-check -r card/boards/requirements.txt
	$(VENV_PYTHON) -m arith.synthesis.depth

area: $(VENV_STAMP) ## measure the area of mod_mul and field_core with Yosys (slow)
	$(VENV_PYTHON) -m arith.synthesis.area

format: ## format the Rust code
	cargo fmt --all

clean: ## remove all build output
	cargo clean
	rm -rf build engines/*/rtl/generated
