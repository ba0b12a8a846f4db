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
C_LIBRARY := libhalimede.so
INSTALLED_LIBRARIES = "$(DESTDIR)$(LIBDIR)"
INSTALLED_HEADERS = "$(DESTDIR)$(INCLUDEDIR)"

.PHONY: install install-built uninstall

# Without -p: otherwise cargo would compile dependencies again, with fewer features than `make run`.
install: ## build the C library and install it with its header (PREFIX, DESTDIR)
	cargo build $(CARGO_FLAGS) --release --lib
	$(MAKE) install-built

install-built:
	@case "$(PREFIX)" in /*) ;; \
	    *) echo "PREFIX must be an absolute path, got $(PREFIX)" >&2; exit 1;; esac
	install -d $(INSTALLED_HEADERS) $(INSTALLED_LIBRARIES)/pkgconfig
	install -m 644 capi/include/halimede.h $(INSTALLED_HEADERS)
	install -m 644 $(BUILT)/libhalimede.a $(INSTALLED_LIBRARIES)
	install -m 755 $(BUILT)/$(C_LIBRARY) $(INSTALLED_LIBRARIES)/$(C_LIBRARY).$(C_VERSION)
	$(STRIP) --strip-debug --enable-deterministic-archives $(INSTALLED_LIBRARIES)/libhalimede.a
	$(STRIP) --strip-unneeded $(INSTALLED_LIBRARIES)/$(C_LIBRARY).$(C_VERSION)
	ln -sf $(C_LIBRARY).$(C_VERSION) $(INSTALLED_LIBRARIES)/$(C_LIBRARY).$(C_INTERFACE)
	ln -sf $(C_LIBRARY).$(C_INTERFACE) $(INSTALLED_LIBRARIES)/$(C_LIBRARY)
	sed -e 's|@PREFIX@|$(PREFIX)|' -e 's|@VERSION@|$(C_VERSION)|' \
	    -e 's|@LIBDIR@|$(patsubst $(PREFIX)/%,$${prefix}/%,$(LIBDIR))|' \
	    -e 's|@INCLUDEDIR@|$(patsubst $(PREFIX)/%,$${prefix}/%,$(INCLUDEDIR))|' \
	    capi/halimede.pc.in > $(INSTALLED_LIBRARIES)/pkgconfig/halimede.pc
	@[ -n "$(DESTDIR)" ] || { \
	    echo "Programs find the library in $(LIBDIR) after 'ldconfig' (as root, where /etc/ld.so.conf"; \
	    echo "names that folder), or if they are linked with -Wl,-rpath,$(LIBDIR)"; }

uninstall: ## remove the files of `make install`
	rm -f $(INSTALLED_HEADERS)/halimede.h $(INSTALLED_LIBRARIES)/libhalimede.a \
	    $(INSTALLED_LIBRARIES)/$(C_LIBRARY) $(INSTALLED_LIBRARIES)/$(C_LIBRARY).$(C_INTERFACE) \
	    $(INSTALLED_LIBRARIES)/$(C_LIBRARY).$(C_VERSION) \
	    $(INSTALLED_LIBRARIES)/pkgconfig/halimede.pc

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
	@case "$(PREFIX)" in /*) ;; \
	    *) echo "PREFIX must be an absolute path, got $(PREFIX)" >&2; exit 1;; esac
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
