# rules.mk - policies and optimizers: shared objects of one exported symbol each.
#
# A policy is a name, a folder of that name, and its parts, of which some may
# be in rooms below it (lib, deadlock, pace). The file with its name has hct_policy,
# the others are also what unit tests link.

POLICIES    := null deadline hang outlier progress slow
PARTS_null  := null/null
PARTS_deadline := $(addprefix deadline/,deadline course evidence instance margin \
               outcome say span) lib/words
PARTS_hang  := $(addprefix hang/,hang parastack still still_again still_limit \
               still_moves still_notice still_prove still_say) \
               $(addprefix deadlock/,account deadlock deadlock_say \
               graph_collective graph_meeting graph_message \
               graph_requests graph_threads graph_window group parcels \
               summands transit wanted) \
               $(addprefix lib/,lot phasebook runs sout words)
PARTS_outlier := $(addprefix outlier/,outlier outlier_remark outlier_say agenda \
               alone ask earlier groups habits inside learnt oddphase pauses stands \
               works) $(addprefix smm/,chains dictionary isolate lknorm medoids polish score smm) \
               $(addprefix lib/,lot words)
PARTS_progress := $(addprefix progress/,progress bymodel decide decide_waits \
               dependence hitting least loops nodes question reach rows say \
               witness) \
               $(addprefix deadlock/,account deadlock graph_collective \
               graph_meeting graph_message graph_requests graph_threads \
               graph_window group parcels summands transit wanted) \
               smm/dictionary smm/smm smm/lknorm lib/words
PARTS_slow  := $(addprefix slow/,slow alike attendance crowd models nodes odd region \
               rise slow_say suspects suspicion told watch) \
               $(addprefix pace/,bocpd effort iterations load onset pace share speed \
               windows) \
               smm/polish $(addprefix lib/,phasebook words)


# An optimizer is built alike: its one symbol is hct_optimizer.
OPTIMIZERS  := balance stay
PARTS_balance := $(addprefix balance/,balance faster field gain nearer ranking seating \
    still)
PARTS_stay  := stay/stay

POLICY_SO   := $(POLICIES:%=$(B)/lib/policies/%.so) $(OPTIMIZERS:%=$(B)/lib/optimizers/%.so)
policy_parts := $(sort $(foreach p,$(POLICIES) $(OPTIMIZERS),$(filter-out $p/$p,$(PARTS_$p))))
$(B)/obj/policies.a: $(policy_parts:%=$(B)/obj/policies/%.o)

# Nothing of ours and no library but libc and libm.
$(B)/obj/policies/%.o: private PKG_CFLAGS = -fvisibility=hidden
define policy_rule
$(B)/lib/$2/$1.so: $(PARTS_$1:%=$(B)/obj/policies/%.o)
	$$(call say,LD)mkdir -p $$(@D); $$(CC) -shared $$(CFLAGS) $$(LDFLAGS) $$(SAN) \
	    $$(if $$(SANITIZE),,-Wl,-z,defs) -o $$@ $$^ -lm
endef
$(foreach p,$(POLICIES),$(eval $(call policy_rule,$p,policies)))
$(foreach p,$(OPTIMIZERS),$(eval $(call policy_rule,$p,optimizers)))

# Tests that load one.
$(B)/unit/test_optimizer $(B)/unit/test_deadline $(B)/unit/test_deadline_runs $(B)/bench/bench_optimizer $(B)/unit/test_simulate $(B)/unit/test_slow $(B)/unit/test_hang $(B)/unit/test_phasebook $(B)/unit/test_judge: | $(POLICY_SO)
