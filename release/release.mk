# The release artifacts: programs for every Linux with glibc 2.28, wheels, Debian packages, a container.
# TARGET=aarch64-unknown-linux-gnu builds them for ARM (after `rustup target add`). docs/install.md lists
# the requirements of each.

TARGET ?= x86_64-unknown-linux-gnu
GLIBC := 2.28
RELEASE_VENV := build/release-venv
RELEASE_STAMP := $(RELEASE_VENV)/.halimede-$(shell cksum < release/requirements.txt | cut -d' ' -f1)
RELEASE_PATH := PATH="$(CURDIR)/$(RELEASE_VENV)/bin:$$PATH"
CARGO_TARGET ?= $(or $(CARGO_TARGET_DIR),target)
DIST := $(CARGO_TARGET)/$(TARGET)/dist
DEB_ARCH := $(if $(filter aarch64-%,$(TARGET)),arm64,amd64)
WHEELS := build/wheels
MACHINE := $(firstword $(subst -, ,$(TARGET)))
WHEEL = $(WHEELS)/*_$(MACHINE).whl
# A check that only applies to uploads to Debian: a bug that requests the package.
NOT_OURS := initial-upload-closes-no-bugs
# A published block, which a job of the command verifies.
BLOCK := engines/zcash/vectors/zcash_block_346.hex
# The Debian release on which the packages are tested.
SUITE ?= bookworm
# The tests of a wheel run in an otherwise empty environment.
WHEEL_VENV := build/wheel-venv

# Debian 12 for ARM, with Python and the libraries for an emulator.
ARM_ROOT := build/arm-root
ARM_SITE := build/arm-site

.PHONY: dist archive wheels test-wheels test-wheels-arm deb test-deb container lint-container deny advisories packages \
        semver test-release oldest-rust

$(RELEASE_STAMP): release/requirements.txt
	$(PYTHON) -m venv $(RELEASE_VENV)
	$(RELEASE_VENV)/bin/pip install --quiet --disable-pip-version-check -r $<
	rm -f $(RELEASE_VENV)/.halimede-*
	touch $@

# One command for all crates; otherwise cargo compiles shared dependencies again with other features.
DIST_CRATES ?= cli capi python
DIST_cli := halimede
DIST_capi := libhalimede.so
DIST_python := libhalimede_native.so
dist: $(RELEASE_STAMP) ## build the command and the C and Python libraries for every Linux with glibc 2.28 (TARGET, DIST_CRATES; slow)
	$(RELEASE_PATH) cargo zigbuild $(CARGO_FLAGS) --profile dist \
	    --target $(TARGET).$(GLIBC) $(addprefix -p halimede-,$(DIST_CRATES))
	$(PYTHON) -m release.elf $(foreach crate,$(DIST_CRATES),$(DIST)/$(DIST_$(crate)))
	$(if $(filter cli,$(DIST_CRATES)),$(MAKE) archive)

# The archive for users without Rust.
RELEASED := halimede-$(C_VERSION)
archive:
	mkdir -p build/dist
	tar --create --gzip --file build/dist/$(RELEASED)-$(TARGET).tar.gz --owner 0 --group 0 --numeric-owner \
	    --transform 's|^|$(RELEASED)/|' --directory $(abspath $(DIST)) halimede \
	    --directory $(CURDIR) LICENSE-APACHE LICENSE-MIT THIRD-PARTY-NOTICES.txt

wheels: dist ## build a manylinux_2_28 wheel for Python 3.9 and later (TARGET; DIST_CRATES=python builds nothing else; slow)
	rm -f $(WHEEL)
	$(RELEASE_PATH) python -m release.wheel_pack --library $(DIST)/$(DIST_python) --target $(TARGET) $(WHEELS)
	$(RELEASE_PATH) pip wheel --quiet --no-deps --wheel-dir $(WHEELS) ./python/halimede-ray
	$(PYTHON) -m release.wheel $(WHEEL)
	$(RELEASE_PATH) twine check --strict $(WHEELS)/halimede_ray-*.whl $(WHEEL)
	$(RELEASE_PATH) abi3audit --strict --report $(WHEEL) > /dev/null
	$(RELEASE_PATH) auditwheel show $(WHEEL)

test-wheels: ## install the wheel in a clean environment, run every engine, also as on an old processor, and uninstall it
	$(PYTHON) -m venv --clear $(WHEEL_VENV)
	env -i PATH=/usr/bin:/bin sh release/check-wheel.sh $(CURDIR)/$(WHEEL_VENV) \
	    $$(ls $(CURDIR)/$(WHEELS)/*_$$(uname -m).whl)

$(ARM_ROOT):
	rm -rf $@.new
	mmdebstrap --arch=arm64 --variant=extract --include=python3,libpython3-stdlib,libstdc++6 bookworm $@.new
	mv $@.new $@

test-wheels-arm: $(RELEASE_STAMP) | $(ARM_ROOT) ## run every engine of the ARM wheel under qemu-aarch64-static (slow; needs mmdebstrap)
	rm -rf $(ARM_SITE)
	$(RELEASE_VENV)/bin/pip install --quiet --disable-pip-version-check --target $(ARM_SITE) \
	    --python-version 3.11 --only-binary=:all: --platform manylinux_2_28_aarch64 \
	    --platform manylinux_2_27_aarch64 --platform manylinux2014_aarch64 \
	    "halimede[nn] @ file://$$(ls $(CURDIR)/$(WHEELS)/*_aarch64.whl)"
	for backend in neon portable; do \
	    HALIMEDE_BACKEND=$$backend PYTHONPATH=$(ARM_SITE) qemu-aarch64-static -L $(ARM_ROOT) \
	        $(ARM_ROOT)/usr/bin/python3.11 release/smoke.py || exit 1; done

deb: ## build Debian packages from the output of `make dist` (TARGET)
	$(PYTHON) -m release.deb --built $(DIST) --arch $(DEB_ARCH) \
	    --command $(CARGO_TARGET)/x86_64-unknown-linux-gnu/dist/halimede build/deb
	if command -v lintian > /dev/null; then \
	    lintian --fail-on error,warning --suppress-tags $(NOT_OURS) build/deb/*_$(DEB_ARCH).deb; fi

test-deb: ## install the packages in a clean Debian, use them, and purge them (root; needs mmdebstrap)
	mmdebstrap --variant=apt --include=gcc,libc6-dev,pkg-config \
	    $(foreach deb,$(wildcard build/deb/*_$(DEB_ARCH).deb),--customize-hook="copy-in $(deb) /srv") \
	    --customize-hook="copy-in capi/README.md release/check-deb.sh release/try-command.sh $(BLOCK) /srv" \
	    --customize-hook='chroot "$$1" /srv/check-deb.sh' $(SUITE) /dev/null

container: ## build the container image of `halimede serve` (needs podman or buildah)
	$$(command -v podman || echo buildah) build --file release/Containerfile \
	    --build-arg COMMIT=$$(git rev-parse --short=12 HEAD) --tag halimede .

lint-container: $(RELEASE_STAMP) ## lint the Containerfile with hadolint
	$(RELEASE_PATH) hadolint release/Containerfile

deny: $(RELEASE_STAMP) ## check licenses, bans and sources of all dependencies
	$(RELEASE_PATH) cargo deny --locked check licenses bans sources

advisories: $(RELEASE_STAMP) ## check dependencies for vulnerabilities and yanked versions (rustsec.org)
	$(RELEASE_PATH) cargo deny --locked check advisories

# The unpublished crates (`publish = false`).
UNPUBLISHED := $(addprefix --exclude halimede-,bench ckks-card python simulation)
packages: ## package each crate for a registry, in target/package
	cargo package $(CARGO_FLAGS) --no-verify --workspace $(UNPUBLISHED)

# cargo-semver-checks reads rustdoc's JSON, whose format changes with Rust: 0.51.0 is tested with 1.95.
SEMVER_CHECKS := 0.51.0
SEMVER_CRATES ?= --workspace $(UNPUBLISHED)
semver: ## list breaking API changes since BASELINE=REV (needs cargo-semver-checks; SEMVER_CRATES)
	@git rev-parse --quiet --verify "$(BASELINE)^{commit}" > /dev/null || { \
	    echo "make semver needs a revision to compare with, such as BASELINE=main; got '$(BASELINE)'" >&2; exit 1; }
	@[ "$$(cargo semver-checks --version 2> /dev/null)" = "cargo-semver-checks $(SEMVER_CHECKS)" ] || { \
	    echo "make semver needs: cargo install --locked cargo-semver-checks@$(SEMVER_CHECKS)" >&2; exit 1; }
	cargo semver-checks $(SEMVER_CRATES) --baseline-rev $(BASELINE)

# `rust-version` of Cargo.toml, the documented minimum.
OLDEST_RUST := $(shell sed -n 's/^rust-version = "\(.*\)"$$/\1/p' Cargo.toml)
oldest-rust: ## compile everything, including tests, with the oldest supported Rust (rustup fetches it)
	rustup toolchain install --no-self-update --profile minimal $(OLDEST_RUST)
	cargo +$(OLDEST_RUST) check $(CARGO_FLAGS) --workspace --all-targets

test-release: ## build and test all releases for this kind of machine (slow; root; needs mmdebstrap)
	$(MAKE) deny packages dist deb test-deb wheels test-wheels
