# The npm package @halimede/client. It needs Rust with rustup, Node 20 and npm.

JAVASCRIPT := javascript/client
JAVASCRIPT_OUT := build/javascript
JAVASCRIPT_VERSION := $(shell sed -n 's/^  "version": "\(.*\)",$$/\1/p' $(JAVASCRIPT)/package.json)
JAVASCRIPT_PACKAGE := $(JAVASCRIPT_OUT)/halimede-client-$(JAVASCRIPT_VERSION).tgz
NODE_STAMP := $(JAVASCRIPT)/node_modules/.halimede-$(shell cksum < $(JAVASCRIPT)/package-lock.json | cut -d' ' -f1)
WASM := wasm32-unknown-unknown
CARGO_OUT := $(or $(CARGO_TARGET_DIR),target)
# SIMD=0 builds a module for engines without SIMD128. BLAKE3 then takes twice the time.
SIMD ?= 1
WASM_FEATURES := $(if $(filter 1,$(SIMD)),--features simd)
# The profile in Cargo.toml. Outside a sweep, the tests take one that compiles quickly.
WASM_PROFILE ?= wasm

# What `make test` runs: it does not demand Node. In a sweep, also Chromium.
JAVASCRIPT_TESTS = $(if $(shell command -v npm),test-javascript $(if $(filter 1,$(HALIMEDE_SWEEP)),test-browser),without-javascript)

.PHONY: javascript wasm-target test-javascript without-javascript browser-page test-browser

wasm-target:
	@rustc --print target-libdir --target $(WASM) | xargs test -d || rustup target add $(WASM)

javascript: export CARGO_TARGET_WASM32_UNKNOWN_UNKNOWN_RUSTFLAGS := $(if $(filter 1,$(SIMD)),-C target-feature=+simd128)
javascript: wasm-target $(NODE_STAMP) ## build the npm package @halimede/client in build/javascript
	cargo build $(CARGO_FLAGS) --profile $(WASM_PROFILE) --target $(WASM) -p halimede-javascript $(WASM_FEATURES)
	cargo run $(CARGO_FLAGS) --quiet --manifest-path javascript/bindings/Cargo.toml --target-dir $(CARGO_OUT) -- \
	    $(CARGO_OUT)/$(WASM)/$(WASM_PROFILE)/halimede_javascript.wasm $(JAVASCRIPT)/src/wasm
	rm -rf $(JAVASCRIPT)/dist $(JAVASCRIPT_OUT)
	mkdir -p $(JAVASCRIPT_OUT)
	cd $(JAVASCRIPT) && npm run --silent build
	mkdir -p $(JAVASCRIPT)/dist/wasm
	cp $(addprefix $(JAVASCRIPT)/src/wasm/halimede,.js .d.ts _bg.wasm) $(JAVASCRIPT)/dist/wasm
	cp LICENSE-APACHE LICENSE-MIT THIRD-PARTY-NOTICES.txt $(JAVASCRIPT)
	cd $(JAVASCRIPT) && npm pack --silent --pack-destination $(CURDIR)/$(JAVASCRIPT_OUT)
	rm $(addprefix $(JAVASCRIPT)/,LICENSE-APACHE LICENSE-MIT THIRD-PARTY-NOTICES.txt)

# In an empty folder, where only the packed package is installed.
INSTALLED := $(JAVASCRIPT_OUT)/installed
test-javascript: WASM_PROFILE = $(if $(filter 1,$(HALIMEDE_SWEEP)),wasm,wasm-test)
test-javascript: export HALIMEDE_TREE := $(CURDIR)
test-javascript: export HALIMEDE_PEER := $(abspath $(CARGO_OUT))/debug/examples/peer
test-javascript: javascript ## test the npm package in Node, against Rust
	cargo build $(CARGO_FLAGS) --workspace --example peer
	mkdir $(INSTALLED)
	cd $(INSTALLED) && npm init --yes > ../npm-init.log && npm pkg set type=module \
	    && npm install --silent --offline --no-audit --no-fund ../$(notdir $(JAVASCRIPT_PACKAGE))
	cp -r $(JAVASCRIPT)/tests $(INSTALLED)
	cd $(INSTALLED) && node --test tests/

without-javascript:
	@echo "npm is not installed: the tests of the npm package are skipped"

# The static page of examples/browser, with the package's files as `client`.
BROWSER_PAGE := build/browser-page
browser-page: javascript ## assemble the page of examples/browser in build/browser-page
	rm -rf $(BROWSER_PAGE)
	mkdir -p $(BROWSER_PAGE)
	cp $(addprefix examples/browser/,index.html page.js style.css) $(BROWSER_PAGE)
	cp -r $(JAVASCRIPT)/dist $(BROWSER_PAGE)/client

# Chromium must be installed on the system (Debian: apt install chromium).
test-browser: browser-page ## test that page in headless Chromium with a real service, with screenshots
	cargo build $(CARGO_FLAGS) --bin halimede
	$(PYTHON) -m venv $(BROWSER_VENV)
	$(BROWSER_VENV)/bin/pip install --quiet --disable-pip-version-check -r service/tests/browser/requirements.txt
	$(BROWSER_VENV)/bin/python -m pytest javascript/tests/browser

$(NODE_STAMP): $(JAVASCRIPT)/package.json $(JAVASCRIPT)/package-lock.json
	cd $(JAVASCRIPT) && npm ci --silent --no-audit --no-fund
	rm -f $(JAVASCRIPT)/node_modules/.halimede-*
	touch $@
