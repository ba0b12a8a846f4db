# Installing the C library: `make install PREFIX=/usr/local`, packages with DESTDIR as well.

PREFIX ?= /usr/local
LIBDIR ?= $(PREFIX)/lib
INCLUDEDIR ?= $(PREFIX)/include
# Where the libraries lie that are installed.
BUILT ?= target/release

C_VERSION := $(shell sed -n 's/^version = "\(.*\)"$$/\1/p' Cargo.toml)
# Before 1.0 a minor version may change the interface (capi/build.rs names the library so, too).
C_INTERFACE := $(shell echo $(C_VERSION) | cut -d. -f1,2)
C_LIBRARY := libhalimede.so
INSTALLED_LIBRARIES = "$(DESTDIR)$(LIBDIR)"
INSTALLED_HEADERS = "$(DESTDIR)$(INCLUDEDIR)"

.PHONY: install install-built uninstall

install: ## build the C library and install it with its header (PREFIX, DESTDIR)
	cargo build $(CARGO_FLAGS) --release -p halimede-capi
	$(MAKE) install-built

install-built:
	@case "$(PREFIX)" in /*) ;; \
	    *) echo "PREFIX must be an absolute path, got $(PREFIX)" >&2; exit 1;; esac
	install -d $(INSTALLED_HEADERS) $(INSTALLED_LIBRARIES)/pkgconfig
	install -m 644 capi/include/halimede.h $(INSTALLED_HEADERS)
	install -m 644 $(BUILT)/libhalimede.a $(INSTALLED_LIBRARIES)
	install -m 755 $(BUILT)/$(C_LIBRARY) $(INSTALLED_LIBRARIES)/$(C_LIBRARY).$(C_VERSION)
	ln -sf $(C_LIBRARY).$(C_VERSION) $(INSTALLED_LIBRARIES)/$(C_LIBRARY).$(C_INTERFACE)
	ln -sf $(C_LIBRARY).$(C_INTERFACE) $(INSTALLED_LIBRARIES)/$(C_LIBRARY)
	sed -e 's|@PREFIX@|$(PREFIX)|' -e 's|@VERSION@|$(C_VERSION)|' \
	    -e 's|@LIBDIR@|$(patsubst $(PREFIX)/%,$${prefix}/%,$(LIBDIR))|' \
	    -e 's|@INCLUDEDIR@|$(patsubst $(PREFIX)/%,$${prefix}/%,$(INCLUDEDIR))|' \
	    capi/halimede.pc.in > $(INSTALLED_LIBRARIES)/pkgconfig/halimede.pc

uninstall: ## remove what install put there
	rm -f $(INSTALLED_HEADERS)/halimede.h $(INSTALLED_LIBRARIES)/libhalimede.a \
	    $(INSTALLED_LIBRARIES)/$(C_LIBRARY) $(INSTALLED_LIBRARIES)/$(C_LIBRARY).$(C_INTERFACE) \
	    $(INSTALLED_LIBRARIES)/$(C_LIBRARY).$(C_VERSION) \
	    $(INSTALLED_LIBRARIES)/pkgconfig/halimede.pc
