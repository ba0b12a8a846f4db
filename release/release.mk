# What is handed out: programs for every Linux with glibc 2.28, Debian packages, a container.
# docs/install.md says what each needs.

TARGET ?= x86_64-unknown-linux-gnu
GLIBC := 2.28
RELEASE_VENV := build/release-venv
RELEASE_STAMP := $(RELEASE_VENV)/.halimede-$(shell cksum < release/requirements.txt | cut -d' ' -f1)
RELEASE_PATH := PATH="$(CURDIR)/$(RELEASE_VENV)/bin:$$PATH"
CARGO_TARGET ?= $(or $(CARGO_TARGET_DIR),target)
DIST := $(CARGO_TARGET)/$(TARGET)/dist
DEB_ARCH := $(if $(filter aarch64-%,$(TARGET)),arm64,amd64)
# What Debian asks of uploads to itself alone: a bug that asked for the package.
NOT_OURS := initial-upload-closes-no-bugs
# The Debian that the packages are tried on.
SUITE ?= bookworm

.PHONY: dist deb test-deb container lint-container packages

$(RELEASE_STAMP): release/requirements.txt
	$(PYTHON) -m venv $(RELEASE_VENV)
	$(RELEASE_VENV)/bin/pip install --quiet --disable-pip-version-check -r $<
	rm -f $(RELEASE_VENV)/.halimede-*
	touch $@

dist: $(RELEASE_STAMP) ## the command and the C library, for every Linux with glibc 2.28 (TARGET; slow)
	$(RELEASE_PATH) HALIMEDE_COMMIT=$(COMMIT) cargo zigbuild $(CARGO_FLAGS) --profile dist \
	    --target $(TARGET).$(GLIBC) -p halimede-cli -p halimede-capi
	$(PYTHON) -m release.elf $(DIST)/halimede $(DIST)/libhalimede.so

deb: ## Debian packages of what `make dist` has built (TARGET)
	$(PYTHON) -m release.deb --built $(DIST) --arch $(DEB_ARCH) \
	    --command $(CARGO_TARGET)/x86_64-unknown-linux-gnu/dist/halimede build/deb
	if command -v lintian > /dev/null; then \
	    lintian --fail-on error,warning --suppress-tags $(NOT_OURS) build/deb/*_$(DEB_ARCH).deb; fi

test-deb: ## install the packages in a clean Debian, use them, and purge them (root; needs mmdebstrap)
	mmdebstrap --variant=apt --include=gcc,libc6-dev,pkg-config \
	    $(foreach deb,$(wildcard build/deb/*_$(DEB_ARCH).deb),--customize-hook="copy-in $(deb) /srv") \
	    --customize-hook="copy-in capi/README.md release/check-deb.sh /srv" \
	    --customize-hook='chroot "$$1" /srv/check-deb.sh' $(SUITE) /dev/null

container: ## the image of `halimede serve` (needs podman or buildah)
	$$(command -v podman || echo buildah) build --file release/Containerfile \
	    --build-arg COMMIT=$(COMMIT) --tag halimede .

lint-container: $(RELEASE_STAMP) ## hadolint over the container's file
	$(RELEASE_PATH) hadolint release/Containerfile

packages: ## each crate as a registry would take it, in target/package
	cargo package $(CARGO_FLAGS) --no-verify --workspace \
	    $(addprefix --exclude halimede-,bench python simulation)
