# mpi-wrappers/rules.mk - the libraries that go into the user's program.
#
#   lib/libhector.so   preloaded into tasks: wrappers of all MPI functions
#   lib/libhector-inject.so  preloaded behind it: the fault injector
#   lib/libhector-yield.so   the same of tasks of class realtime: sched_yield(2)
#   lib/hector/libmpi.so.40  before an Open MPI in a namespace, which
#                      lib/hector/libhector-inside.so is the first library of
#   lib/libhct.so      what tagged programs link with; does nothing itself
#   pic/image.a        what writes a process as an image
#   bin/hector-restore what an image becomes a process by
#   include/           hct_rt.h, hct_rtf.h, the Fortran module hct_rt and its
#                      source, for compilers that cannot read gfortran's
#
# Built without sanitizers even when SANITIZE is set: the programs that they
# are loaded into are built without. Unit tests link objects with them.

WRAP_GEN  := call_ids.h call_names.inc wrap_c.inc wrap_f.inc \
             inject_c.inc inject_f.inc call_kinds.inc
WRAP_OWN  := table/calls table/real dial \
             $(addprefix record/,tick ring attach thread crew record stamp tag \
             hook model frames phase backtrace output)
WRAP_ASKS := $(addprefix handles/,handle comm matched meeting messages parcels \
             request polled status type)
SWAP      := $(addprefix swap/,swap rebuild $(addprefix rebuild_,buffer code comm group \
             handler info op request type))
WRAP_MPI  := record/wrap record/wrapf $(WRAP_ASKS) \
             $(addprefix inject/inject_,wrap wrapf poll call)
STOP      := $(addprefix stop/,comm drain gate kept make pending place stand threads waiter)
WRAP_MPI  += $(addprefix layer/,attribute call callback convert fortran_attribute \
             fortran_callback fortran_exchange fortran_request message probe start \
             wait wtime) inside/inside $(STOP) $(SWAP)
WRAP_LIBHECTOR := $(WRAP_OWN) $(WRAP_ASKS) record/wrap record/wrapf
WRAP_INJECT := table/calls table/real handles/handle inject/inject \
               $(addprefix inject/inject_,call fault return poll wrap wrapf)
WRAP_LIB   = -fvisibility=hidden -fno-plt -ftls-model=initial-exec \
             -fno-semantic-interposition
WRAP_HDRS := $(B)/include/hct_rt.h $(B)/include/hct_rtf.h \
             $(B)/include/hct_rt.f90 \
             $(if $(shell command -v $(MPIFC) 2>/dev/null),$(B)/include/hct_rt.mod)
# mpicc adds its own -I; an MPI header in a system directory is never ours to
# warn about.
MPI_INC   := $(MPI_DIRS:%=-isystem %)

wrap_gen = @mkdir -p $(B)/gen; $(if $(V),,printf '  %-5s %s\n' GEN '$(@:$(B)/%=%)';) \
    LC_ALL=C $(wrap_awk) -v what=$1 mpi-wrappers/table/wrap.def > $@
wrap_awk  := awk -f mpi-wrappers/table/gen.awk -f mpi-wrappers/table/about.awk
wrap_from := $(addprefix mpi-wrappers/table/,wrap.def gen.awk about.awk)
$(B)/gen/call_names.inc: $(wrap_from)
	$(call wrap_gen,names)
$(B)/gen/wrap_c.inc: $(wrap_from)
	$(call wrap_gen,c)
$(B)/gen/wrap_f.inc: $(wrap_from)
	$(call wrap_gen,f)
$(B)/gen/inject_%.inc: $(wrap_from)
	$(call wrap_gen,inject_$*)
$(B)/gen/call_kinds.inc: $(wrap_from)
	$(call wrap_gen,kinds)
$(B)/gen/call_ids.h: $(wrap_from)
	@mkdir -p $(B)/gen; $(if $(V),,printf '  %-5s %s\n' GEN '$(@:$(B)/%=%)';) \
	  { echo '#ifndef HECTOR_CALL_IDS_H'; echo '#define HECTOR_CALL_IDS_H'; \
	    echo 'enum call_id {'; \
	    LC_ALL=C $(wrap_awk) -v what=ids mpi-wrappers/table/wrap.def; \
	    echo '};'; echo '#endif'; } > $@

# Everything that may include mpi-wrappers/table/calls.h waits for the numbers,
# and who reads pages links the names. Processors are spoken of by all.
$(B)/gen/hct.pb-c.h: | $(WRAP_GEN:%=$(B)/gen/%)
WRAP_SHARED := $(addprefix mpi-wrappers/,table/calls.o cpu.o tunable.o)
$(B)/obj/slave.a $(B)/obj/master.a: $(WRAP_SHARED:%=$(B)/obj/%)
$(B)/fuzz/slave.a $(B)/fuzz/master.a: $(WRAP_SHARED:%=$(B)/fuzz/obj/%)

$(B)/pic/%.o: %.c $(B)/.flags | $(WRAP_GEN:%=$(B)/gen/%)
	@mkdir -p $(@D)
	$(call say,CC)$(CC) $(HARD) $(INC) $(CPPFLAGS) $(CFLAGS) $(WRAP_LIB) \
	    $(if $(filter $(WRAP_MPI:%=mpi-wrappers/%),$*),$(MPI_INC)) -MMD -MP -c -o $@ $<

# The unwinder comes along: every program of a task loads these.
wrap_library = $(call say,LD)mkdir -p $(@D); $(CC) -shared $(CFLAGS) $(LDFLAGS) \
    -static-libgcc -Wl,-soname,$(@F) -Wl,--version-script,$(filter %.map,$^) -Wl,--as-needed \
    -Wl,-z,defs -o $@ $(filter %.o %.a,$^) -lpthread -ldl
$(B)/lib/libhector.so: $(WRAP_LIBHECTOR:%=$(B)/pic/mpi-wrappers/%.o) \
    mpi-wrappers/record/libhector.map | $(WRAP_HDRS)
	$(wrap_library)
$(B)/lib/libhector-inject.so: $(WRAP_INJECT:%=$(B)/pic/mpi-wrappers/%.o) \
    mpi-wrappers/inject/libhector-inject.map
	$(wrap_library)
$(B)/lib/libhector-yield.so: $(B)/pic/mpi-wrappers/yield/yield.o \
    mpi-wrappers/yield/libhector-yield.map
	$(wrap_library)

# libmpi.so.40 of ours, and the first library of the namespace that Open MPI is
# in. Neither may be linked where the linker or the loader looks by itself.
LAYER     := $(addprefix layer/,attribute call callback convert fortran_attribute \
             fortran_callback fortran_exchange fortran_request foreign message probe \
             start wait wtime) \
             $(addprefix inside/,inside internals object opened reserve) $(STOP) $(SWAP) \
             $(addprefix swap/,disposition lease leaf) record/attach dial
LAYER_MPI := $(shell $(MPICC) -print-file-name=libmpi.so.40 2>/dev/null)
$(B)/gen/layer_c.inc: wrap_awk += -f mpi-wrappers/layer/layer.awk
$(B)/gen/layer_c.inc: $(wrap_from) mpi-wrappers/layer/layer.awk
	$(call wrap_gen,layer)
$(B)/gen/layer_predefined.inc: mpi-wrappers/inside/predefined.awk
	@mkdir -p $(B)/gen; $(if $(V),,printf '  %-5s %s\n' GEN '$(@:$(B)/%=%)';) \
	    nm -DS $(LAYER_MPI) | LC_ALL=C awk -f $< - \
	    $(MPI_H) > $@
$(B)/gen/layer_foreign.inc: mpi-wrappers/layer/foreign.awk
	@mkdir -p $(B)/gen; $(if $(V),,printf '  %-5s %s\n' GEN '$(@:$(B)/%=%)';) \
	    nm -D --defined-only $(LAYER_MPI) | LC_ALL=C awk -f $< > $@
$(LAYER:%=$(B)/pic/mpi-wrappers/%.o): $(B)/gen/layer_foreign.inc | $(B)/gen/layer_c.inc $(B)/gen/layer_predefined.inc
$(B)/lib/hector/libmpi.so.40: $(LAYER:%=$(B)/pic/mpi-wrappers/%.o) \
    $(B)/pic/mpi-wrappers/table/calls.o $(B)/pic/image.a \
    mpi-wrappers/layer/libmpi.map
	$(wrap_library)
# For tests, which make another one of it.
$(B)/pic/layer.a: $(LAYER:%=$(B)/pic/mpi-wrappers/%.o) $(B)/pic/mpi-wrappers/table/calls.o
	$(call say,AR)rm -f $@; ar qcs $@ $^
units system: $(if $(LAYER_LIBS),$(B)/pic/layer.a)
$(B)/lib/hector/libhector-inside.so: \
    $(addprefix $(B)/pic/mpi-wrappers/shell/,shell.o heap.o keys.o threads.o)
	@mkdir -p $(@D)
	$(call say,LD)$(CC) -shared $(CFLAGS) $(LDFLAGS) -Wl,-soname,$(@F) -o $@ $^ $(LAYER_MPI) -ldl
$(B)/pic/mpi-wrappers/shell/heap.o: WRAP_LIB += -fno-builtin
# There is little room for what stands in every thread from the start.
$(B)/pic/mpi-wrappers/shell/keys.o: WRAP_LIB += -ftls-model=global-dynamic

# Programs look for libhct.so.0, compilers for libhct.so.
$(B)/lib/libhct.so.0: $(B)/pic/mpi-wrappers/stub.o
	@mkdir -p $(@D)
	$(call say,LD)$(CC) -shared $(CFLAGS) $(LDFLAGS) -Wl,-soname,libhct.so.0 \
	    -fvisibility=default -o $@ $<
$(B)/lib/libhct.so: $(B)/lib/libhct.so.0 | $(WRAP_HDRS)
	$(call say,LN)ln -sf libhct.so.0 $@
$(B)/pic/mpi-wrappers/stub.o: WRAP_LIB = -fno-plt

$(B)/include/%: mpi-wrappers/%
	@mkdir -p $(@D)
	$(call say,CP)cp $< $@
$(B)/include/hct_rt.mod: mpi-wrappers/hct_rt.f90 mpi-wrappers/hct_rtf.h
	@mkdir -p $(@D)
	$(call say,FC)$(MPIFC) -Impi-wrappers -J$(@D) -fsyntax-only $< && touch $@

# Unit tests link the objects, sanitized if asked for, and bring MPI functions
# of their own: no MPI library, no launcher.
WRAP_UNIT_C := $(foreach t,page ring attach calls output record comm messages request model phase state awaited inject,tests/unit/test_$t.c)
WRAP_UNITS  := $(WRAP_UNIT_C:tests/unit/%.c=$(B)/unit/%)
$(patsubst %,$(B)/obj/mpi-wrappers/%.o,$(WRAP_MPI)) $(WRAP_UNIT_C:%.c=$(B)/obj/%.o): \
    PKG_CFLAGS += $(MPI_INC)
$(B)/unit/test_inject: $(B)/obj/tests/unit/test_inject.o \
    $(B)/obj/mpi-wrappers/inject/inject.o $(B)/obj/mpi-wrappers/table/calls.o \
    $(B)/obj/redirector.a $(B)/obj/proto.a
	$(link) $(PROTO_LIBS) -lcmocka
$(B)/unit/test_state $(B)/unit/test_awaited: $(B)/obj/slave.a $(B)/obj/proto.a
# Some of them once more, with every access of every thread looked at: run by
# t/1150-threads.t. With gcc, which brings the library along.
WRAP_TSAN_C := $(foreach t,ring record comm request model state,tests/unit/test_$t.c)
WRAP_TSAN   := $(if $(SANITIZE),,$(if $(filter /%,$(shell \
    $(CC) -print-file-name=libtsan.so)),$(WRAP_TSAN_C:tests/unit/%.c=$(B)/tsan/%)))
$(B)/tsan/%.o: %.c $(B)/.flags | $(WRAP_GEN:%=$(B)/gen/%)
	@mkdir -p $(@D)
	$(call say,TSAN)$(CC) $(HARD) $(INC) $(CPPFLAGS) -O2 -g -fsanitize=thread \
	    -Wno-unknown-warning-option -Wno-tsan $(MPI_INC) -MMD -MP -c -o $@ $<
$(WRAP_TSAN): $(B)/tsan/%: $(B)/tsan/tests/unit/%.o \
    $(WRAP_LIBHECTOR:%=$(B)/tsan/mpi-wrappers/%.o) \
    $(B)/tsan/slave/page/state.o $(B)/tsan/proto/base/err.o
	$(call say,LD)$(CC) -fsanitize=thread -o $@ $^ -lcmocka -lpthread -ldl -lm
.SECONDARY: $(WRAP_TSAN_C:%.c=$(B)/tsan/%.o)

$(filter-out %/test_inject,$(WRAP_UNITS)): $(B)/unit/%: $(B)/obj/tests/unit/%.o \
    $(WRAP_LIBHECTOR:%=$(B)/obj/mpi-wrappers/%.o)
	$(link) -lcmocka -lpthread -ldl

# ------------------------------------------------------- images of processes
IMAGE_C   := $(wildcard mpi-wrappers/image/*.c) mpi-wrappers/cpu.c \
             mpi-wrappers/tunable.c
IMAGE_TOO := $(addprefix mpi-wrappers/image/image_,text maps blake3 elf cpu)
RESTORE   := $(patsubst %.c,%,$(wildcard mpi-wrappers/restore/*.c)) $(IMAGE_TOO) \
             mpi-wrappers/cpu
$(B)/pic/image.a: $(IMAGE_C:%.c=$(B)/pic/%.o)
	$(call say,AR)rm -f $@; ar qcs $@ $^
$(B)/unit/test_image $(B)/bench/bench_hash: $(B)/pic/image.a
$(B)/bench/bench_hash: $(B)/restore/mpi-wrappers/restore/restore_owners.o
$(B)/unit/test_cpu: $(addprefix $(B)/obj/mpi-wrappers/,cpu.o tunable.o)

# A program without a library that runs wherever it is copied to: with nothing
# that a loader would have to set right first, which is looked for.
RESTORE_CFLAGS = -ffreestanding -fPIE -fvisibility=hidden -fno-stack-protector \
    -fno-asynchronous-unwind-tables -fno-jump-tables -fcf-protection=none \
    -U_FORTIFY_SOURCE
$(B)/restore/%.o: %.c $(B)/.flags
	@mkdir -p $(@D)
	$(call say,CC)$(CC) $(HARD) $(INC) $(CPPFLAGS) $(CFLAGS) \
	    $(RESTORE_CFLAGS) -MMD -MP -c -o $@ $<
$(B)/bin/hector-restore: $(RESTORE:%=$(B)/restore/%.o)
	@mkdir -p $(@D)
	$(call say,LD)$(CC) $(CFLAGS) $(RESTORE_CFLAGS) -static-pie -nostdlib \
	    -Wl,-z,text,-z,noexecstack,--build-id -o $@ $^ -lgcc
	@if readelf -rW $@ | grep R_X86; then rm -f $@; exit 1; fi
