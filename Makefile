# Hector: one non-recursive makefile.
#
#   make            programs in build/bin, libraries and policies in build/lib
#   make demo       the paper's example under hector-run
#   make check      what every change has to pass (TESTS='0100 lint' for parts)
#   make check-world  that and all other tests, in half an hour or more (TESTS= as well)
#   make check-unit the unit tests alone
#   make check-sanitized  these and the fuzzers, by clang with its sanitizers
#   make steady     tests again and again (RUNS=20 BURNERS=3 TESTS='1930 2202')
#   make bench      measurements against the peers, as ratios
#   make eval       how well policies find hangs (RUNS=200 TASKS=8 SEED=1)
#   make healthy    is any healthy program called hung? (RUNS=200 BURNERS='1 10')
#   make moves      do programs say the same when their tasks move? (RUNS=25 MOVES=20)
#   make sim        deadlock proofs in a model of MPI (LOOKS=10000000 SEED=1)
#   make soak       jobs with random faults for an hour (MINUTES=60 SEED= KINDS=)
#   make deps       which packages are needed for what, and which are missing
#   make install    PREFIX=/usr/local DESTDIR=
#
# Options: B=dir V=1 CC= CFLAGS= LDFLAGS= WERROR=1 SANITIZE=address,undefined

SRC    := $(dir $(lastword $(MAKEFILE_LIST)))
B      ?= build
PREFIX ?= /usr/local
CFLAGS ?= -O2 -g
VERSION := 0.1

ifneq ($(SRC),./)
$(error run make in the folder of the makefile; B=dir chooses where to build)
endif

# ------------------------------------------------------------------- tools
PKG_CONFIG ?= pkg-config
PROTOC     ?= protoc-c
MPICC      ?= mpicc
MPIFC      ?= mpifort
DEP_PKGS := libevent_core libevent_extra sqlite3 libprotobuf-c libsodium libcrypto \
            pmix jansson smartcols inih libdw libelf capstone libzstd
WARN := -Wall -Wextra -Wshadow -Wstrict-prototypes -Wmissing-prototypes \
        -Wwrite-strings -Wpointer-arith -Wvla -Wundef
HARD := -std=c11 -D_GNU_SOURCE -fPIC $(WARN) $(if $(WERROR),-Werror)
SAN  := $(if $(SANITIZE),-fsanitize=$(SANITIZE) -fno-sanitize-recover=undefined \
        -fno-omit-frame-pointer)
INC  := -I. -I$(B)/gen -DHECTOR_VERSION='"$(VERSION)"'
# Tasks that can be moved have a library before Open MPI that knows the inside of its
# version 4. Where the compiler's is another one, Hector does without.
MPI_DIRS   := $(patsubst -I%,%,$(filter -I%,$(shell $(MPICC) -show 2>/dev/null)))
MPI_H      := $(firstword $(wildcard $(addsuffix /mpi.h,$(MPI_DIRS))))
OPEN_MPI   := $(if $(MPI_H),$(shell awk '$$2 == "OMPI_MAJOR_VERSION" { print $$3 }' $(MPI_H)))
LAYER_LIBS := $(if $(filter 4,$(or $(OPEN_MPI),4)),\
              $(addprefix $(B)/lib/hector/,libmpi.so.40 libhector-inside.so))
ifneq ($(MAKECMDGOALS),deps)
PKG_CFLAGS := $(shell $(PKG_CONFIG) --cflags $(DEP_PKGS) 2>/dev/null)
endif

say = $(if $(V),,@printf '  %-5s %s\n' '$1' '$(@:$(B)/%=%)';)
FLAGS := $(CC) $(CPPFLAGS) $(CFLAGS) $(LDFLAGS) $(SANITIZE) $(WERROR)
ifneq ($(FLAGS),$(file <$(B)/.flags))
$(shell mkdir -p $(B))$(file >$(B)/.flags,$(FLAGS))
endif
ifneq ($(PREFIX),$(file <$(B)/.prefix))
$(shell mkdir -p $(B))$(file >$(B)/.prefix,$(PREFIX))
endif

.SUFFIXES:
.DELETE_ON_ERROR:
.PHONY: all all-built policies deps demo check check-world steady check-unit check-sanitized bench eval \
    healthy moves sim soak install uninstall clean lint

# ----------------------------------------------------------------- sources
# A program has a folder, and in it rooms: folders of what belongs together.
rooms_of      = $(wildcard $1/*.c $1/*/*.c)
proto_c      := $(call rooms_of,proto)
hector_c     := $(call rooms_of,master/hector)
master_c     := $(filter-out master/hector/%,$(call rooms_of,master))
emulate_c    := $(call rooms_of,slave/emulate)
slice_c      := $(call rooms_of,slave/slice)
slave_c      := $(filter-out slave/emulate/% slave/slice/%,$(call rooms_of,slave))
redirector_c := $(call rooms_of,redirector)
obj = $(patsubst %.c,$(B)/obj/%.o,$(filter-out %/main.c,$1))

PROGRAMS := hector-run hector hector-master hector-judge hector-slave hector-emulate hector-keep \
    hector-slice
all: deps-build
	@$(MAKE) --no-print-directory all-built
all-built: $(PROGRAMS:%=$(B)/bin/%) $(B)/lib/libhector.so \
    $(B)/lib/libhector-inject.so $(B)/lib/libhector-yield.so $(B)/lib/libhct.so \
    $(LAYER_LIBS) policies apps \
    $(B)/bin/hector-restore $(B)/pic/image.a \
    $(B)/proto/hector-proto.7

# Generated protocol code: not ours to warn about, never committed.
$(B)/gen/hct.pb-c.c: proto/hct.proto
	@mkdir -p $(@D)
	$(call say,GEN)$(PROTOC) --proto_path=proto --c_out=$(@D) $<
$(B)/gen/hct.pb-c.h: $(B)/gen/hct.pb-c.c ;
$(B)/obj/gen/hct.pb-c.o: $(B)/gen/hct.pb-c.c
	@mkdir -p $(@D)
	$(call say,CC)$(CC) -w $(CFLAGS) $(SAN) -fPIC -I$(B)/gen -c -o $@ $<

# The lists of messages, and the page that has the same as a table.
$(B)/gen/messages.inc: proto/messages.def proto/gen.awk
	@mkdir -p $(@D)
	$(call say,GEN)awk -f proto/gen.awk -v make=inc $< >$@
$(B)/proto/hector-proto.7: proto/messages.def proto/hector-proto.7 proto/gen.awk
	@mkdir -p $(@D)
	$(call say,GEN)awk -f proto/gen.awk -v make=page $(wordlist 1,2,$^) >$@

$(B)/obj/%.o: %.c $(B)/.flags | $(B)/gen/hct.pb-c.h $(B)/gen/messages.inc
	@mkdir -p $(@D)
	$(call say,CC)$(CC) $(HARD) $(INC) $(PKG_CFLAGS) $(CPPFLAGS) $(CFLAGS) \
	    $(SAN) -MMD -MP -c -o $@ $<

# The page of hector stack --html, as a list of bytes.
$(B)/gen/stack_page.inc: master/hector/stack/stack_page.html
	@mkdir -p $(@D)
	$(call say,GEN)od -An -v -tu1 $< | sed 's/ *\([0-9][0-9]*\)/\1,/g' > $@
$(B)/obj/master/hector/stack/stack_html.o $(B)/fuzz/obj/master/hector/stack/stack_html.o: $(B)/gen/stack_page.inc

# What calls of MPI do with their arguments, for slices.
$(B)/gen/slice_args.inc: mpi-wrappers/table/wrap.def slave/slice/args.awk
	@mkdir -p $(@D)
	$(call say,GEN)awk -f slave/slice/args.awk $< >$@
$(B)/obj/slave/slice/calls.o: $(B)/gen/slice_args.inc

$(B)/obj/slave/launch/site.o $(B)/fuzz/obj/slave/launch/site.o: \
    private override INC += -DHECTOR_OPEN_MPI=$(or $(OPEN_MPI),4)

# One archive a program, without its main.c: what unit tests link. Files of two
# rooms may have one name, hence q, which replaces nothing.
$(B)/obj/proto.a: $(call obj,$(proto_c)) $(B)/obj/gen/hct.pb-c.o
$(B)/obj/master.a: $(call obj,$(master_c))
$(B)/obj/hector.a: $(call obj,$(hector_c))
$(B)/obj/slave.a: $(call obj,$(slave_c))
$(B)/obj/emulate.a: $(call obj,$(emulate_c))
$(B)/obj/slice.a: $(call obj,$(slice_c))
$(B)/obj/redirector.a: $(call obj,$(redirector_c))
$(B)/obj/%.a:
	$(call say,AR)rm -f $@; ar qcs $@ $^

libs = $(shell $(PKG_CONFIG) --libs $1)
PROTO_LIBS = $(call libs,libevent_core libevent_extra libprotobuf-c libsodium libcrypto inih)
link = $(call say,LD)mkdir -p $(@D); $(CC) $(CFLAGS) $(LDFLAGS) $(SAN) -o $@ $(filter %.o %.a,$^)

$(B)/bin/hector-master: $(B)/obj/master/main.o $(B)/obj/master.a $(B)/obj/proto.a
	$(link) $(PROTO_LIBS) $(call libs,sqlite3) -ldl -lm
$(B)/bin/hector-judge: $(B)/obj/master/judge/main.o $(B)/obj/master.a $(B)/obj/proto.a
	$(link) $(call libs,libprotobuf-c) -ldl
$(B)/bin/hector: $(B)/obj/master/hector/main.o $(B)/obj/hector.a $(B)/obj/master.a $(B)/obj/proto.a
	$(link) $(PROTO_LIBS) $(call libs,sqlite3 jansson smartcols) -lm
$(B)/bin/hector-slave: $(B)/obj/slave/main.o $(B)/obj/slave.a $(B)/obj/policies.a $(B)/obj/proto.a
	$(link) $(PROTO_LIBS) $(call libs,pmix libdw libelf) -lpthread -ldl -lm
$(B)/bin/hector-emulate: $(B)/obj/slave/emulate/main.o \
    $(B)/obj/policies/outlier/outlier.o $(B)/obj/emulate.a $(B)/obj/slave.a $(B)/obj/policies.a $(B)/obj/proto.a
	$(link) $(PROTO_LIBS) $(call libs,libdw libelf) -ldl -lm
$(B)/bin/hector-keep: $(B)/obj/slave/keep/main.o $(B)/obj/slave.a $(B)/obj/proto.a
	$(link) $(call libs,libprotobuf-c libsodium libzstd)
$(B)/bin/hector-slice: $(B)/obj/slave/slice/main.o $(B)/obj/slice.a $(B)/obj/slave.a $(B)/obj/proto.a
	$(link) $(call libs,libdw libelf capstone) -ldl
$(B)/bin/hector-run: $(B)/obj/redirector/main.o $(B)/obj/redirector.a $(B)/obj/proto.a
	$(link) $(PROTO_LIBS) $(call libs,jansson)

# --------------------------------------------------- wrappers (own fragment)
include mpi-wrappers/rules.mk

# ----------------------------------------------------------------- policies
include policies/rules.mk
policies: $(POLICY_SO)

# ------------------------------------------------------------------- tests
include tests/rules.mk

deps:
	@sh config/deps.sh

# ----------------------------------------------------------------- install
# A list of source:destination below $(PREFIX):mode; uninstall walks the same.
man_pages := $(wildcard $(addsuffix /*.[1-8],config master master/hector master/judge \
    mpi-wrappers mpi-wrappers/inject mpi-wrappers/restore policies proto redirector slave \
    slave/emulate slave/keep slave/move slave/slice))
made = $(if $(filter proto/%,$1),$(B)/$1,$1)
section = $(lastword $(subst ., ,$1))
INSTALLED = \
    $(foreach p,$(PROGRAMS) hector-restore,$(B)/bin/$p:bin/$p:755) \
    $(foreach l,libhector.so libhector-inject.so libhector-yield.so,$(B)/lib/$l:lib/hector/$l:644) \
    $(foreach l,$(LAYER_LIBS),$l:lib/hector/$(notdir $l):644) \
    $(foreach p,$(POLICIES),$(B)/lib/policies/$p.so:lib/hector/policies/$p.so:644) \
    $(foreach p,$(OPTIMIZERS),$(B)/lib/optimizers/$p.so:lib/hector/optimizers/$p.so:644) \
    $(foreach h,hct_policy.h hct_optimizer.h,policies/$h:include/$h:644) \
    $(B)/lib/libhct.so.0:lib/libhct.so.0:644 libhct.so.0:lib/libhct.so:link \
    $(B)/config/hct.pc:lib/pkgconfig/hct.pc:644 \
    $(foreach h,hct_rt.h hct_rtf.h hct_rt.mod,$(B)/include/$h:include/$h:644) \
    $(foreach m,$(man_pages),$(call made,$m):share/man/man$(call section,$m)/$(notdir $m):644) \
    config/hector.conf:share/doc/hector/hector.conf:644 \
    $(foreach s,$(wildcard config/batch/*.sh),$s:share/doc/hector/batch/$(notdir $s):644) \
    $(foreach u,$(wildcard config/*.service config/*.socket),$(B)/$u:lib/systemd/system/$(notdir $u):644)
with_prefix := $(patsubst config/%,$(B)/config/%,$(wildcard config/*.service \
    config/*.socket config/*.pc))
$(with_prefix): $(B)/config/%: config/% $(B)/.prefix
	@mkdir -p $(@D)
	$(call say,GEN)sed 's|@PREFIX@|$(PREFIX)|g; s|@VERSION@|$(VERSION)|' $< >$@

# Programs that are linked with -lhct alone find it in the folders that the
# loader knows, once its cache does; else they have to be told where it is.
LDCONFIG := PATH="$$PATH:/usr/sbin:/sbin" ldconfig
searched = [ -z "$(DESTDIR)" ] && $(LDCONFIG) -NXv 2>/dev/null | \
    grep -q "^$(PREFIX)/lib:"

install: all-built $(with_prefix)
	@set -e; for f in $(INSTALLED); do IFS=:; set -- $$f; unset IFS; \
	    to="$(DESTDIR)$(PREFIX)/$$2"; \
	    if [ $$3 = link ]; then ln -sf "$$1" "$$to"; \
	    else install -D -m $$3 "$$1" "$$to"; fi; done
	@if $(searched) && $(LDCONFIG) 2>/dev/null; then :; \
	elif [ -z "$(DESTDIR)" ]; then echo "The loader does not search" \
	    "$(PREFIX)/lib: link programs that tag with" \
	    "-L$(PREFIX)/lib -lhct -Wl,-rpath,$(PREFIX)/lib," \
	    "as pkg-config --libs hct says it"; fi

uninstall:
	@for f in $(INSTALLED); do IFS=:; set -- $$f; unset IFS; \
	    rm -f "$(DESTDIR)$(PREFIX)/$$2"; done
	@if $(searched); then $(LDCONFIG) 2>/dev/null || true; fi
	@rmdir "$(DESTDIR)$(PREFIX)/lib/hector/policies" \
	    "$(DESTDIR)$(PREFIX)/lib/hector/optimizers" \
	    "$(DESTDIR)$(PREFIX)/lib/hector" \
	    "$(DESTDIR)$(PREFIX)/share/doc/hector" 2>/dev/null || true

clean:
	rm -rf $(B)

-include $(shell find $(B) -name '*.d' 2>/dev/null)
