# tests/rules.mk - test programs, how they are run, and what `make check`,
# `demo`, `bench` and `lint` do. Included by the Makefile at the top.
#
#   tests/apps/    programs for hector-run: C, Fortran, most of them MPI
#   tests/unit/    test_NOUN.c, one program each, TAP on stdout
#   tests/t/       NNNN-name.t, shell, real daemons in a private directory
#   tests/lint/    rules of the house style, shell, TAP
#   tests/fuzz/    fuzz_NAME.c for libFuzzer, NAME.corpus/ beside it
#   tests/soak/    hours of jobs with random faults
#   tests/eval/    how well policies find hangs: faults by lot, and clean runs
#   tests/sim/     a model of MPI, in which deadlocks are to be proven
#   tests/deadlocks/  small programs that deadlock, and look-alikes
#   tests/replay/  tapes of runs that were judged wrongly once
#   tests/bench/   measurements: scripts, and the programs they need
#
# A test program says by its includes what it needs: "slave/page/rings.h" links
# the slave's archive, <mpi.h> makes it an MPI program.

# One process reads all of them: each make begins with it.
includes := $(shell awk '/^.include "/ { \
        n = split(substr($$2, 2), in_path, "/"); room = in_path[1]; \
        if (n > 2 && (room "/" in_path[2]) ~ \
                /^(slave\/emulate|slave\/slice|master\/hector|tests\/sim)$$/) \
            room = room "/" in_path[2]; \
        if (n > 1 && !seen[FILENAME, room]++) print FILENAME ":" room }' \
    $(wildcard tests/unit/*.c tests/fuzz/*.c tests/bench/*.c tests/sim/*.c))
$(foreach i,$(includes),$(eval \
    includes_of_$(firstword $(subst :, ,$i)) += $(lastword $(subst :, ,$i))))
programs_of = $(foreach d,tests/sim policies redirector slave/emulate slave/slice slave \
    master/hector master,$(if $(filter $d,$(includes_of_$1)),$d))
archives_of = $(patsubst %,$(B)/obj/%.a,$(notdir $(call programs_of,$1))) \
    $(if $(filter master/hector,$(call programs_of,$1)),$(B)/obj/master.a) \
    $(if $(filter slave/emulate slave/slice,$(call programs_of,$1)),$(B)/obj/slave.a) \
    $(if $(filter slave/emulate slave/slice slave,$(call programs_of,$1)),$(B)/obj/policies.a) \
    $(if $(filter tests/sim,$(call programs_of,$1)),$(B)/obj/policies.a \
        $(B)/obj/master.a) $(B)/obj/proto.a
TEST_LIBS = $(call libs,$(DEP_PKGS)) -lpthread -ldl -lm

# ------------------------------------------------ programs for hector-run
# mpi4.c is built by its test, where there is an MPI-4.
apps_c   := $(filter-out tests/apps/mpi4.c,$(wildcard tests/apps/*.c))
apps_f   := $(wildcard tests/apps/*.f tests/apps/*.f90)
apps_all := $(patsubst tests/apps/%,$(B)/apps/%,$(basename $(apps_c) $(apps_f)))
apps_mpi := $(if $(apps_c),$(shell grep -l '<mpi.h>' $(apps_c)))
apps_use  = -I$(B)/include -I. -I$(B)/gen -L$(B)/lib -lhct -Wl,-rpath,'$$ORIGIN/../lib'
apps: $(apps_all)
$(apps_all): $(wildcard tests/apps/*.h) mpi-wrappers/page.h
$(B)/apps/omp $(B)/apps/helpers: private override CFLAGS += -fopenmp
apps: $(B)/apps/stuck_omp
$(B)/apps/stuck_omp: private override CFLAGS += -fopenmp
$(B)/apps/stuck_omp: tests/apps/stuck.c $(B)/.flags | $(B)/lib/libhct.so
	$(mpi_program)

mpi_program = $(call say,MPICC)mkdir -p $(@D); $(MPICC) -std=c11 \
    -D_GNU_SOURCE $(WARN) $(CFLAGS) -o $@ $< $(apps_use) -lpthread
$(apps_mpi:tests/apps/%.c=$(B)/apps/%): $(B)/apps/%: tests/apps/%.c \
    $(B)/.flags | $(B)/lib/libhct.so
	$(mpi_program)
$(B)/apps/%: tests/apps/%.c $(B)/.flags
	@mkdir -p $(@D)
	$(call say,CC)$(CC) $(HARD) $(CFLAGS) -o $@ $<
$(B)/apps/%: tests/apps/%.f $(B)/.flags | $(B)/lib/libhct.so
	@mkdir -p $(@D)
	$(call say,MPIFC)$(MPIFC) -O2 -g -Wall -o $@ $< $(apps_use)
$(B)/apps/%: tests/apps/%.f90 $(B)/.flags | $(B)/lib/libhct.so
	@mkdir -p $(@D)
	$(call say,MPIFC)$(MPIFC) -O2 -g -Wall -Wno-unused-dummy-argument -J$(@D) -o $@ $< $(apps_use)

# Deadlocks and their look-alikes: many small programs in each. Calls that the
# compiler puts together have no line of their own.
deadlocks := $(patsubst tests/%.c,$(B)/%,$(wildcard tests/deadlocks/*.c))
$(deadlocks): $(B)/deadlocks/%: tests/deadlocks/%.c tests/deadlocks/mini.h \
    $(B)/.flags | $(B)/lib/libhct.so
	$(mpi_program)
$(deadlocks): private override CFLAGS += -O1
$(B)/deadlocks/threads: private override CFLAGS += -fopenmp
apps: $(deadlocks)

# Who says what no peer would, for tests of the sockets.
$(B)/apps/stranger: $(B)/obj/tests/lib/stranger.o $(B)/obj/proto.a
	$(link) $(PROTO_LIBS)
apps: $(B)/apps/stranger

# Who stops jobs as the master does.
$(B)/apps/stopper: $(B)/obj/tests/lib/stopper.o $(B)/obj/master.a $(B)/obj/proto.a
	$(link) $(TEST_LIBS)
apps: $(B)/apps/stopper

# What the master says of a checkpoint.
$(B)/apps/kept: $(B)/obj/tests/lib/kept.o $(B)/obj/proto.a
	$(link) $(PROTO_LIBS)
apps: $(B)/apps/kept

# ------------------------------------------------------------- unit tests
# Tests of the wrapper library have their own rules in mpi-wrappers/rules.mk.
unit_c := $(filter-out $(WRAP_UNIT_C),$(wildcard tests/unit/test_*.c))
unit   := $(unit_c:tests/unit/%.c=$(B)/unit/%)
define unit_rule
$(1:tests/unit/%.c=$(B)/unit/%): $(1:%.c=$(B)/obj/%.o) $(call archives_of,$1)
	$$(link) $$(TEST_LIBS) -lcmocka
endef
$(foreach t,$(unit_c),$(eval $(call unit_rule,$t)))
units: $(unit) $(WRAP_UNITS)
# A policy that needs more than the others.
$(B)/unit/models.so: tests/lib/model_policy.c policies/hct_policy.h $(B)/.flags
	@mkdir -p $(@D)
	$(call say,SO)$(CC) -shared -fPIC -Ipolicies -o $@ $<
$(B)/unit/test_master_parts: | $(B)/unit/models.so
$(B)/unit/test_progress_looks: | $(B)/lib/policies/progress.so

# ------------------------------------------------------------- simulation
# Some 200,000 looks are a unit test; make sim takes 10,000,000.
$(B)/obj/sim.a: $(patsubst %.c,$(B)/obj/%.o,$(filter-out \
    tests/sim/soundness.c,$(wildcard tests/sim/*.c)))
$(B)/sim/soundness: $(B)/obj/tests/sim/soundness.o \
    $(patsubst %,$(B)/obj/%.a,sim policies master proto)
	$(link) $(TEST_LIBS)

# ---------------------------------------------------------------- fuzzing
# With clang, each fuzzer and what it exercises is compiled once more, with
# coverage and sanitizers; where all of it has been (check-sanitized), what is there
# will do. Without clang tests/fuzz/fuzz.t skips.
FUZZ_CC := $(firstword $(shell command -v clang 2>/dev/null))
fuzz_c  := $(wildcard tests/fuzz/fuzz_*.c)
fuzzers := $(if $(FUZZ_CC),$(fuzz_c:tests/fuzz/%.c=$(B)/fuzz/%))
FUZZ_SAN := -fsanitize=fuzzer-no-link,address,undefined \
    -fno-sanitize-recover=undefined -fno-omit-frame-pointer
fuzz_whole := $(findstring fuzzer-no-link,$(SANITIZE))
fuzz_by    := $(B)/$(if $(fuzz_whole),,fuzz/)obj
fuzz_archives := $(B)/$(if $(fuzz_whole),obj,fuzz)
$(B)/fuzz/obj/%.o: %.c | $(B)/gen/hct.pb-c.h $(B)/gen/messages.inc
	@mkdir -p $(@D)
	$(call say,FUZZ)$(FUZZ_CC) $(HARD) $(INC) $(PKG_CFLAGS) -O1 -g \
	    $(FUZZ_SAN) -MMD -MP -c -o $@ $<
fuzz_objs = $(patsubst %.c,$(B)/fuzz/obj/%.o,$(filter-out %/main.c,$1))
$(B)/fuzz/proto.a: $(call fuzz_objs,$(proto_c)) $(B)/obj/gen/hct.pb-c.o
$(B)/fuzz/master.a: $(call fuzz_objs,$(master_c))
$(B)/fuzz/hector.a: $(call fuzz_objs,$(hector_c))
$(B)/fuzz/slave.a: $(call fuzz_objs,$(slave_c))
$(B)/fuzz/slice.a: $(call fuzz_objs,$(slice_c))
$(B)/fuzz/emulate.a: $(call fuzz_objs,$(emulate_c))
$(B)/fuzz/redirector.a: $(call fuzz_objs,$(redirector_c))
$(B)/fuzz/policies.a: $(call fuzz_objs,$(policy_parts:%=policies/%.c))
$(B)/fuzz/%.a:
	$(call say,AR)rm -f $@; ar qcs $@ $^
define fuzz_rule
$(1:tests/fuzz/%.c=$(B)/fuzz/%): $(1:%.c=$(fuzz_by)/%.o) \
    $(patsubst $(B)/obj/%,$(fuzz_archives)/%,$(call archives_of,$1))
	$$(call say,LD)mkdir -p $$(@D); $$(FUZZ_CC) -fsanitize=fuzzer,address,undefined -o $$@ \
	    $$(filter %.o %.a,$$^) $$(TEST_LIBS)
endef
$(foreach f,$(fuzz_c),$(eval $(call fuzz_rule,$f)))
fuzzers: $(fuzzers)

# The policy that the fuzzed master asks, with the sanitizers of the fuzzer.
$(B)/fuzz/policies/hang.so: $(PARTS_hang:%=policies/%.c)
	$(call say,FUZZ)mkdir -p $(@D); $(FUZZ_CC) $(HARD) $(INC) -O1 -g -fPIC \
	    -fvisibility=hidden -fsanitize=address,undefined \
	    -fno-sanitize-recover=undefined -shared -o $@ $^ -lm
$(B)/fuzz/fuzz_master: | $(B)/fuzz/policies/hang.so

# Hours of it: make fuzz FUZZ_SECONDS=3600 [FUZZ=master]. Inputs that reach
# new code stay in $(B)/fuzz/NAME.found, those that crash in $(B)/fuzz/.
FUZZ_SECONDS ?= 60
FUZZ ?= $(fuzzers:$(B)/fuzz/fuzz_%=%)
fuzz: $(fuzzers)
	@set -e; for f in $(FUZZ); do mkdir -p $(B)/fuzz/$$f.found; \
	    echo "fuzz_$$f for $(FUZZ_SECONDS) s"; \
	    $(B)/fuzz/fuzz_$$f -max_total_time=$(FUZZ_SECONDS) -timeout=10 \
	        -close_fd_mask=3 -print_final_stats=1 -max_len=16384 \
	        -artifact_prefix=$(B)/fuzz/$$f. $(B)/fuzz/$$f.found \
	        $$(ls -d tests/fuzz/$$f.corpus 2>/dev/null) 2>&1 | tail -n 40 \
	        >$(B)/fuzz/$$f.log || { cat $(B)/fuzz/$$f.log; exit 1; }; done

# The corpora of conversations, from real messages.
$(B)/fuzz/seeds: $(patsubst %.c,$(B)/obj/%.o,$(wildcard tests/fuzz/seeds*.c)) \
    $(B)/obj/proto.a
	$(link) $(PROTO_LIBS) -lm
seeds: $(B)/fuzz/seeds
	$< tests/fuzz
.SECONDARY: $(fuzz_c:%.c=$(B)/fuzz/obj/%.o)

# ------------------------------------------------------------- benchmarks
bench_c := $(wildcard tests/bench/*.c)
bench_mpi := $(if $(bench_c),$(shell grep -l '<mpi.h>' $(bench_c)))
bench_own := $(filter-out $(bench_mpi),$(bench_c))
bench_all := $(bench_c:tests/bench/%.c=$(B)/bench/%)
$(bench_mpi:tests/bench/%.c=$(B)/bench/%): $(B)/bench/%: tests/bench/%.c \
    $(B)/.flags | $(B)/lib/libhct.so
	$(mpi_program)
define bench_rule
$(1:tests/bench/%.c=$(B)/bench/%): $(1:%.c=$(B)/obj/%.o) $(call archives_of,$1)
	$$(link) $$(TEST_LIBS)
endef
$(foreach t,$(bench_own),$(eval $(call bench_rule,$t)))

# ------------------------------------------------------- what people call
# Each of these first installs what is missing, then starts make afresh:
# only then pkg-config and the compilers are there to be asked.
JOBS := $(shell nproc 2>/dev/null || echo 1)
again = @$(MAKE) --no-print-directory \
    $(if $(filter -j% --jobserver%,$(MAKEFLAGS)),,-j$(JOBS))
.PHONY: apps units fuzzers fuzz seeds system
.PHONY: deps-build deps-check deps-world check-built check-world-built steady-built
.PHONY: check-unit-built check-sanitized-built demo-built bench-built eval-built lint-built soak-built sim-built
.PHONY: healthy-built moves-built

deps-build deps-check deps-world: deps-%:
	@sh config/deps.sh $*
demo: deps-build
check check-unit lint: deps-check
check-world steady bench eval healthy moves sim soak: deps-world
check check-world steady check-unit demo bench eval healthy lint moves sim soak:
	$(again) $@-built

# What tests run. Unit tests, fuzzers and benchmarks are built where a word wants them.
system: all-built
units_of = $(if $(filter unit unit/%,$1),units)
fuzz_of  = $(if $(filter fuzz fuzz/%,$1),fuzzers)
all_of   = $(if $(filter t t/% 0% 1% 2% world,$1),$(bench_all) $(WRAP_TSAN))
needs_of = system $(units_of) $(fuzz_of) $(all_of)
CHECK := lint unit check
WORLD := lint lint/world/* unit check world fuzz sanitized
TESTS ?= $(if $(filter check-world-built,$(MAKECMDGOALS)),$(WORLD),$(CHECK))
# What make check-sanitized does is for make.
words := $(filter-out sanitized,$(TESTS))
check-built check-world-built: begun := $(shell date +%s)
check-built check-world-built steady-built: $(call needs_of,$(words))
check-built:
	@echo "build: $$(($$(date +%s) - $(begun))) s"
	@sh tests/lib/run.sh $(B) $(words)
check-world-built:
	@status=0; \
	    $(if $(words),sh tests/lib/run.sh $(B) $(words) || status=$$?;) \
	    $(if $(filter sanitized,$(TESTS)),$(MAKE) --no-print-directory check-sanitized || status=$$?;) \
	    exit $$status
steady-built:
	@sh tests/lib/steady.sh $(B) $(or $(RUNS),20) $(or $(BURNERS),0) $(words)
check-unit-built: units all-built
	@sh tests/lib/run.sh $(B) unit
# As warnings and sanitizers of clang see it, unit tests with the programs that they run.
# Whatever does not compute much is compiled in a third of the time, LIGHT; a linker that
# takes half of it is taken where there is one.
check-sanitized: deps-world
	$(again) check-sanitized-built B=$(B)/sanitized CC=clang CFLAGS='-O1 -gline-tables-only' \
	    LDFLAGS='$(if $(shell command -v ld.lld 2>/dev/null),-fuse-ld=lld -Xlinker --build-id=sha1)' \
	    LIGHT=-O0 SANITIZE=fuzzer-no-link,address,undefined
$(foreach d,master slave redirector,$(B)/obj/$d/%.o): private override CFLAGS += $(LIGHT)
check-sanitized-built: units fuzzers policies \
    $(addprefix $(B)/bin/hector-,slave judge restore) $(B)/lib/libhector.so \
    $(LAYER_LIBS)
	@sh tests/lib/run.sh $(B) unit fuzz
lint-built: all-built
	@sh tests/lib/run.sh $(B) lint
demo-built: all-built
	@sh tests/demo.sh $(B)
soak-built: all-built
	@HECTOR_BUILD=$(abspath $(B)) MINUTES=$(or $(MINUTES),60) \
	    SEED=$(SEED) sh tests/soak/soak.sh
eval-built: all-built apps $(B)/unit/test_simulate $(B)/unit/test_slow
	@$(B)/unit/test_simulate $(or $(HOURS),1000) $(or $(RUNS),200) $(or $(SEED),1)
	@HECTOR_BUILD=$(abspath $(B)) SEED=$(or $(SEED),1) sh tests/eval/realtime.sh
	@HECTOR_BUILD=$(abspath $(B)) sh tests/eval/optimizer.sh
	@sh tests/eval/deadlocks.sh $(B)
	@sh tests/eval/slices.sh $(B)
	@HECTOR_BUILD=$(abspath $(B)) SEED=$(or $(SEED),1) sh tests/eval/slow.sh \
	    $(or $(RUNS),400)
	@HECTOR_BUILD=$(abspath $(B)) sh tests/eval/slow_healthy.sh
	@HECTOR_BUILD=$(abspath $(B)) SEED=$(or $(SEED),1) sh tests/eval/queue.sh
	@sh tests/eval/eval.sh $(B) $(or $(RUNS),200) $(or $(TASKS),8) $(or $(SEED),1)
	@SEED=$(or $(SEED),1) sh tests/eval/progress.sh $(B)
	@sh tests/eval/outliers_emulated.sh $(B) 4 512 $(or $(SEED),1)
	@sh tests/eval/outliers.sh $(B) 10 16 $(or $(SEED),1)
	@sh tests/eval/outliers_healthy.sh $(B) 60 10 $(or $(SEED),1)
	@sh tests/eval/diff.sh $(B) $(or $(PAIRS),20)
healthy-built: all-built apps
	@SEED=$(or $(SEED),1) sh tests/eval/healthy.sh $(B) $(or $(RUNS),200) \
	    $(or $(BURNERS),1 10)
moves-built: all-built apps
	@HECTOR_BUILD=$(abspath $(B)) RUNS=$(or $(RUNS),25) MOVES=$(or $(MOVES),20) \
	    SEED=$(or $(SEED),1) sh tests/eval/moves.sh
	@HECTOR_BUILD=$(abspath $(B)) sh tests/eval/moves_where.sh
	@HECTOR_BUILD=$(abspath $(B)) sh tests/eval/moves_faults.sh
	@HECTOR_BUILD=$(abspath $(B)) sh tests/eval/checkpoints_faults.sh
sim-built: $(B)/sim/soundness
	@$< -l $(or $(LOOKS),10000000) -s $(or $(SEED),1)
bench-built: all-built $(bench_all)
	@sh tests/lib/bench.sh $(B)
