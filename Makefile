# SPDX-License-Identifier: GPL-3.0-or-later
# tracesh: build, test, install. `make help` lists the targets.
B ?= build
CC ?= gcc
PREFIX ?= /usr/local
# fixed places: the kernel, systemd and initramfs-tools look there
SBINDIR ?= /sbin
UNITDIR ?= /lib/systemd/system
INITRAMFSDIR ?= /usr/share/initramfs-tools
CFLAGS ?= -O2 -g
PKGS := libtracefs libtraceevent libtracecmd libpcre2-8 libzstd
# recursive on purpose: pkg-config may only be installed by `make deps` in the same run
PKG_CFLAGS = $(shell pkg-config --cflags $(PKGS) 2>/dev/null)
PKG_LIBS = $(shell pkg-config --libs $(PKGS) 2>/dev/null) -lreadline -lelf -lm
VERSION := $(shell cat VERSION)
WARN := -Wall -Wextra -Wshadow
OBJCFLAGS = -std=gnu11 -D_GNU_SOURCE -DTRACESH_VERSION='"$(VERSION)"' -Isrc -Iinclude $(WARN) $(PKG_CFLAGS) \
	-ffunction-sections -fdata-sections -MMD -MP $(CFLAGS)
LINK = -Wl,--gc-sections
ifneq ($(SAN),)
OBJCFLAGS += -fsanitize=$(SAN) -fno-omit-frame-pointer -fno-sanitize-recover=undefined
LINK += -fsanitize=$(SAN)
override B := $(B)-san
endif

SRC := $(shell find src -name '*.c' | sort)
OBJ := $(SRC:%.c=$(B)/%.o)
LIBOBJ := $(filter-out $(B)/src/main.o,$(OBJ))
PROG := $(patsubst tests/prog/%.c,$(B)/tests/prog/%,$(wildcard tests/prog/*.c)) $(B)/tests/prog/work
UNIT := $(patsubst tests/unit/%.c,$(B)/tests/unit/%,$(wildcard tests/unit/*.c))

.PHONY: all deps demo test check lint bench install clean help unit golden fuzz test-vm man
all: $(B)/tracesh ## build $(B)/tracesh

$(B)/tracesh: $(B)/src/main.o $(B)/libtracesh.a
	$(CC) $(CFLAGS) $(LINK) -rdynamic -o $@ $< $(B)/libtracesh.a $(PKG_LIBS) -ldl

$(B)/libtracesh.a: $(LIBOBJ)
	@rm -f $@
	ar rcs $@ $(LIBOBJ)

$(B)/%.o: %.c
	@mkdir -p $(@D)
	$(CC) $(OBJCFLAGS) -c -o $@ $<

$(B)/tests/unit/%: tests/unit/%.c $(B)/libtracesh.a
	@mkdir -p $(@D)
	$(CC) $(OBJCFLAGS) -Itests/unit $(LINK) -o $@ $< $(B)/libtracesh.a $(PKG_LIBS) -lcmocka

$(B)/tests/prog/%: tests/prog/%.c
	@mkdir -p $(@D)
	$(CC) -O1 -g -Wall -o $@ $< -lpthread

$(B)/tests/prog/work: tests/data/work.c
	@mkdir -p $(@D)
	$(CC) -O1 -g -Wall -o $@ $<

unit: $(UNIT) $(PROG) ## build the unit test programs

deps: ## install the packages that are missing (root), or print the one apt-get line
	@sh tests/deps.sh

demo: ## install what is missing, build, and show this machine's system calls and wake-up latencies
	@sh tests/deps.sh build
	@$(MAKE) --no-print-directory -s all
	@sh examples/demo.sh $(B)/tracesh

test: ## everything: check, live tests, VM tests; ends with "N passed, N failed, N skipped"
	@sh tests/deps.sh
	@$(MAKE) --no-print-directory -s all unit
	@B=$(B) bash tests/run.sh all

check: ## the fast tests only
	@sh tests/deps.sh
	@$(MAKE) --no-print-directory -s all unit
	@B=$(B) bash tests/run.sh fast

test-vm: all ## boot Debian kernels in QEMU and run the cases; KERNELS="6.1 6.12" chooses
	@B=$(B) bash tests/run.sh vm

golden: all ## rewrite the expected outputs of tests/golden, tests/diag, tests/offline
	@B=$(B) REWRITE=1 bash tests/run.sh golden

lint: ## clang-format, layers, -Werror
	@bash tests/lint.sh

bench: all ## speed side by side with trace-cmd and a libtracecmd loop, as ratios
	@B=$(B) bash tests/bench/run.sh

fuzz: ## libFuzzer targets for FUZZ_S seconds each, 60 if not given (needs clang)
	@B=$(B) bash tests/fuzz/run.sh

man: $(B)/tracesh ## reference parts of the man pages from the tables
	@sh man/make.sh $(B)/tracesh $(B)/man

install: all man ## install the program, man pages and examples below PREFIX (/usr/local); DESTDIR for packages
	install -D -m 755 $(B)/tracesh $(DESTDIR)$(PREFIX)/bin/tracesh
	install -d $(DESTDIR)$(PREFIX)/share/man/man1 $(DESTDIR)$(PREFIX)/share/man/man7
	install -m 644 $(B)/man/*.1 $(DESTDIR)$(PREFIX)/share/man/man1/
	install -m 644 $(B)/man/*.7 $(DESTDIR)$(PREFIX)/share/man/man7/
	install -d $(DESTDIR)$(SBINDIR) $(DESTDIR)$(UNITDIR) $(DESTDIR)$(INITRAMFSDIR)/hooks $(DESTDIR)$(INITRAMFSDIR)/scripts/init-top
	sed 's|@BINDIR@|$(PREFIX)/bin|' boot/tracesh-init >$(DESTDIR)$(SBINDIR)/tracesh-init
	for f in boot/*.service boot/*.timer; do sed 's|@BINDIR@|$(PREFIX)/bin|' $$f >$(DESTDIR)$(UNITDIR)/$${f#boot/} || exit 1; done
	sed 's|@BINDIR@|$(PREFIX)/bin|' boot/initramfs-hook >$(DESTDIR)$(INITRAMFSDIR)/hooks/tracesh
	cp boot/initramfs-script $(DESTDIR)$(INITRAMFSDIR)/scripts/init-top/tracesh
	chmod 755 $(DESTDIR)$(SBINDIR)/tracesh-init $(DESTDIR)$(INITRAMFSDIR)/hooks/tracesh $(DESTDIR)$(INITRAMFSDIR)/scripts/init-top/tracesh
	chmod 644 $(DESTDIR)$(UNITDIR)/tracesh*
	install -d $(DESTDIR)$(PREFIX)/share/tracesh/examples
	install -m 644 examples/*.tsh $(DESTDIR)$(PREFIX)/share/tracesh/examples/

clean: ## remove the build
	rm -rf $(B) $(B)-san

help: ## this list
	@sed -n 's/^\([a-z-]*\):.*## \(.*\)/  \1\t\2/p' Makefile | sed 's/[$$](B)/build/; s/[$$](\([A-Z]*\))/\1/g' | expand -t 12

-include $(OBJ:.o=.d)
