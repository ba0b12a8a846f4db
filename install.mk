# Installs the C library (`make install`) and the command (`make install-command`). PREFIX is /usr/local by
# default; DESTDIR is for packages.

PREFIX ?= /usr/local
LIBDIR ?= $(PREFIX)/lib
INCLUDEDIR ?= $(PREFIX)/include
# The folder of the built libraries.
BUILT ?= $(or $(CARGO_TARGET_DIR),target)/release
# Removes debug information from installed files.
STRIP ?= strip

C_VERSION := $(shell sed -n 's/^version = "\(.*\)"$$/\1/p' Cargo.toml)
# Before 1.0 a minor version may change the interface (capi/build.rs sets the same soname).
C_INTERFACE := $(shell echo $(C_VERSION) | cut -d. -f1,2)
INSTALLED_LIBRARIES = "$(DESTDIR)$(LIBDIR)"
INSTALLED_HEADERS = "$(DESTDIR)$(INCLUDEDIR)"

# Libraries with the interface of another one, each with its headers: `make install-ckzg`.
OTHER_LIBRARIES := ckzg secp256k1
HEADERS_ckzg := capi/ckzg/include/ckzg.h
HEADERS_secp256k1 := $(addprefix capi/secp256k1/include/,halimede_secp256k1.h secp256k1.h \
    secp256k1_extrakeys.h secp256k1_recovery.h secp256k1_schnorrsig.h)

CHECK_PREFIX = @case "$(PREFIX)" in /*) ;; \
	    *) echo "PREFIX must be an absolute path, got $(PREFIX)" >&2; exit 1;; esac

# $(call install-library,NAME,HEADERS) installs libNAME.so, libNAME.a and the headers.
define install-library
	$(CHECK_PREFIX)
	install -d $(INSTALLED_HEADERS) $(INSTALLED_LIBRARIES)
	install -m 644 $(2) $(INSTALLED_HEADERS)
	install -m 644 $(BUILT)/lib$(1).a $(INSTALLED_LIBRARIES)
	install -m 755 $(BUILT)/lib$(1).so $(INSTALLED_LIBRARIES)/lib$(1).so.$(C_VERSION)
	$(STRIP) --strip-debug --enable-deterministic-archives $(INSTALLED_LIBRARIES)/lib$(1).a
	$(STRIP) --strip-unneeded $(INSTALLED_LIBRARIES)/lib$(1).so.$(C_VERSION)
	ln -sf lib$(1).so.$(C_VERSION) $(INSTALLED_LIBRARIES)/lib$(1).so.$(C_INTERFACE)
	ln -sf lib$(1).so.$(C_INTERFACE) $(INSTALLED_LIBRARIES)/lib$(1).so
endef

define uninstall-library
	rm -f $(foreach header,$(notdir $(2)),$(INSTALLED_HEADERS)/$(header)) \
	    $(INSTALLED_LIBRARIES)/lib$(1).a \
	    $(INSTALLED_LIBRARIES)/lib$(1).so $(INSTALLED_LIBRARIES)/lib$(1).so.$(C_INTERFACE) \
	    $(INSTALLED_LIBRARIES)/lib$(1).so.$(C_VERSION)
endef

.PHONY: install install-built uninstall $(OTHER_LIBRARIES:%=install-%) \
        $(OTHER_LIBRARIES:%=install-built-%) $(OTHER_LIBRARIES:%=uninstall-%)

# Without -p: otherwise cargo would compile dependencies again, with fewer features than `make run`.
install: ## build the C library and install it with its header (PREFIX, DESTDIR)
	cargo build $(CARGO_FLAGS) --release --lib
	$(MAKE) install-built

install-built:
	$(call install-library,halimede,capi/include/halimede.h)
	install -d $(INSTALLED_LIBRARIES)/pkgconfig
	sed -e 's|@PREFIX@|$(PREFIX)|' -e 's|@VERSION@|$(C_VERSION)|' \
	    -e 's|@LIBDIR@|$(patsubst $(PREFIX)/%,$${prefix}/%,$(LIBDIR))|' \
	    -e 's|@INCLUDEDIR@|$(patsubst $(PREFIX)/%,$${prefix}/%,$(INCLUDEDIR))|' \
	    capi/halimede.pc.in > $(INSTALLED_LIBRARIES)/pkgconfig/halimede.pc
	@[ -n "$(DESTDIR)" ] || { \
	    echo "Programs find the library in $(LIBDIR) after 'ldconfig' (as root, where /etc/ld.so.conf"; \
	    echo "names that folder), or if they are linked with -Wl,-rpath,$(LIBDIR)"; }

uninstall: ## remove the files of `make install`
	$(call uninstall-library,halimede,halimede.h)
	rm -f $(INSTALLED_LIBRARIES)/pkgconfig/halimede.pc

install-ckzg: ## build the library with the names of c-kzg-4844 and install it (PREFIX, DESTDIR)
install-secp256k1: ## build the library with the names of libsecp256k1 and install it (PREFIX, DESTDIR)
$(OTHER_LIBRARIES:%=install-%): install-%:
	cargo build $(CARGO_FLAGS) --release --lib
	$(MAKE) install-built-$*

$(OTHER_LIBRARIES:%=install-built-%): install-built-%:
	$(call install-library,halimede_$*,$(HEADERS_$*))

$(OTHER_LIBRARIES:%=uninstall-%): uninstall-%:
	$(call uninstall-library,halimede_$*,$(HEADERS_$*))

# The command, its manual pages, and completions for shells.
BINDIR ?= $(PREFIX)/bin
SHAREDIR ?= $(PREFIX)/share
ZSHDIR ?= $(SHAREDIR)/zsh/site-functions
# A command that runs on this machine and writes the pages and completions.
MANUAL ?= $(BUILT)/halimede
INSTALLED_COMMAND = "$(DESTDIR)$(BINDIR)/halimede"
INSTALLED_PAGES = "$(DESTDIR)$(SHAREDIR)/man/man1"
INSTALLED_BASH = "$(DESTDIR)$(SHAREDIR)/bash-completion/completions"
INSTALLED_ZSH = "$(DESTDIR)$(ZSHDIR)"
INSTALLED_FISH = "$(DESTDIR)$(SHAREDIR)/fish/vendor_completions.d"

.PHONY: install-command install-built-command uninstall-command

install-command: ## build the command and install it with man pages and completions (PREFIX, DESTDIR)
	cargo build $(CARGO_FLAGS) --release --bin halimede
	$(MAKE) install-built-command

install-built-command:
	$(CHECK_PREFIX)
	install -D -m 755 $(BUILT)/halimede $(INSTALLED_COMMAND)
	$(STRIP) $(INSTALLED_COMMAND)
	install -d $(INSTALLED_PAGES) $(INSTALLED_BASH) $(INSTALLED_ZSH) $(INSTALLED_FISH)
	pages=$$(mktemp -d) && $(MANUAL) man "$$pages/man" > /dev/null && \
	    install -m 644 "$$pages"/man/*.1 $(INSTALLED_PAGES) && rm -r "$$pages"
	$(MANUAL) completions bash > $(INSTALLED_BASH)/halimede
	$(MANUAL) completions zsh > $(INSTALLED_ZSH)/_halimede
	$(MANUAL) completions fish > $(INSTALLED_FISH)/halimede.fish

uninstall-command: ## remove the files of `make install-command`
	rm -f $(INSTALLED_COMMAND) $(INSTALLED_PAGES)/halimede.1 $(INSTALLED_PAGES)/halimede-*.1 \
	    $(INSTALLED_BASH)/halimede $(INSTALLED_ZSH)/_halimede $(INSTALLED_FISH)/halimede.fish
