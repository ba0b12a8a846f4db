# Halimede: `make run` needs Rust alone; `make test` needs Rust, Python 3.11 and g++ as well.

PYTHON ?= python3
VENV := build/venv
VENV_PYTHON := $(VENV)/bin/python
VENV_STAMP := $(VENV)/.halimede-$(shell cksum < requirements.txt | cut -d' ' -f1)
CARD_SIM := build/card-sim/halimede-card-sim
CARGO_FLAGS ?= --locked

.DEFAULT_GOAL := help
include capi/install.mk
.PHONY: help run test test-all lint check-generated generate test-rust test-python bench area card-sim \
        format clean

help: ## list the targets
	@grep -hE '^[a-z-]+:.*## ' $(MAKEFILE_LIST) | sed -E 's/:.*## /\t/' | expand -t 18

run: ## build and run the tour of every engine on this processor
	cargo run $(CARGO_FLAGS) --release --bin halimede -- tour

test: lint check-generated test-rust test-python ## every test, bench and lint (CI runs this)

test-all: export HALIMEDE_SWEEP := 1
test-all: export PROPTEST_CASES := 4096
test-all: test ## the same with ten times the cases on the card and sixteen times the properties

lint: ## formatting and lints of the Rust code
	cargo fmt --all --check
	cargo clippy $(CARGO_FLAGS) --workspace --all-targets -- -D warnings

test-rust: $(CARD_SIM) ## the Rust tests, the simulated card included
	HALIMEDE_REQUIRE_RTL=1 HALIMEDE_REQUIRE_C=1 HALIMEDE_CARD_SIM=$(CURDIR)/$(CARD_SIM) \
	    cargo test $(CARGO_FLAGS) --workspace

test-python: $(VENV_STAMP) ## golden models, microcode, RTL lints and benches
	HALIMEDE_REQUIRE_RTL=1 $(VENV_PYTHON) -m pytest

generate: ## make the generated files anew
	cargo run $(CARGO_FLAGS) --quiet -p halimede-capi --example header
	$(PYTHON) -m card.spec.generate
	$(PYTHON) -m arith.microcode.generate
	$(PYTHON) -m engines.poseidon.microcode

check-generated: ## fail where a generated file is not what its generator makes
	$(PYTHON) -m card.spec.generate --check
	$(PYTHON) -m arith.microcode.generate --check
	$(PYTHON) -m engines.poseidon.microcode --check

card-sim: $(CARD_SIM) ## build the simulated card

.PHONY: $(CARD_SIM)
$(CARD_SIM): $(VENV_STAMP)
	$(VENV_PYTHON) -m card.sim.build

$(VENV_STAMP): requirements.txt
	$(PYTHON) -m venv $(VENV)
	$(VENV)/bin/pip install --quiet --disable-pip-version-check -r requirements.txt
	rm -f $(VENV)/.halimede-*
	touch $@

bench: ## side by side with the peers
	cargo run $(CARGO_FLAGS) --release -p halimede-bench -- poseidon

area: $(VENV_STAMP) ## area of mod_mul and field_core from Yosys (slow)
	$(VENV_PYTHON) -m arith.synthesis.area

format: ## format the Rust code
	cargo fmt --all

clean: ## remove everything built
	cargo clean
	rm -rf build
