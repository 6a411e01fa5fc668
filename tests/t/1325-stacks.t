# Tasks without the wrapper library are watched by their stacks: a hang is
# found by ParaStack's model, the right task named, the same comes out of a
# replay; a run without it is left alone; where ptrace is refused one sentence
# says so.
# limit: 80
. "${0%/*}/../lib/t.sh"
need cc

bare="env -u LD_PRELOAD $APPS/halfway"
cc -shared -fPIC -I "$top/policies" -o odd.so "$top/tests/lib/odd_policy.c"
cc -o noptrace "$top/tests/lib/noptrace.c"

# The computation of one task does not end. A model that neither doubles its
# interval nor has to be very sure, so that it does not take minutes.
quick='--policy none --policy hang:interval_max=0.4,alpha=0.05'
# WHAT COMMAND...: found, rank 2 named. It hangs when $T/go is there, which is when a run
# that is well has been looked at for long enough, however busy the machine is.
hang()
{
    what=$1
    shift
    job=$((job + 1))
    rm -f "$T/go"
    { wait_for '[ "$(pieces)" -ge 2 ]' && : >"$T/go"; } &
    waiter=$!
    # shellcheck disable=SC2086 # several words
    run hector-run --oversubscribe $quick --on-hang kill:age=1s,sure=90 --timeout 600 "$@"
    wait $waiter
    is "$status" 123 "$what: a hang is found"
    is "$(sql "SELECT kind || ' ' || phase || ' ' || ranks FROM verdicts
        WHERE job = $job AND kind = 'hang'")" 'hang computation 2' \
        '... where it is, and in which task'
    like "$T/err" '^hector:   task 2 on [^ ]+ is outside of MPI,( after MPI_[A-Z][a-z]+,)? '\
'in work_for_ever \(halfway\.c:[0-9]+\)' '... its function, file and line'
    is "$(sql "SELECT sum(mpi_calls) FROM tasks WHERE job = $job AND
        ${uncounted:-rank > 1}")" 0 \
        '... and nothing has counted its calls'
    run hector why "$job"
    like "$T/out" "^  states come from stacks, .*: ${who:-ranks 0-3 have} no wrapper library" \
        '... hector why says how that is known'
    run hector replay "$job" --policy "${quick##* }"
    is "$(out)" "$(sql "SELECT group_concat(detail, '') FROM verdict
        WHERE job = $job")" '... and a replay says the same'
}

# They sleep for the most part: several at a time.
all_bare()
{
    job=0
    # shellcheck disable=SC2086
    hang 'no library' -n 4 $bare 1000 2 "$T/go"
    # The program is the child of a script.
    hang 'in a script' -n 4 sh -c "unset LD_PRELOAD; $APPS/halfway 1000 2 '$T/go'; exit \$?"
}
mixed()         # only some tasks have none
{
    job=0
    # shellcheck disable=SC2086
    who='ranks 2-3 have' hang 'mixed' \
        -n 2 "$APPS/halfway" 1000 2 "$T/go" : -n 2 $bare 1000 2 "$T/go"
}
other_way()     # ... and the one that hangs has it
{
    job=0
    # shellcheck disable=SC2086
    who='ranks 0-1 have' uncounted='rank < 2' hang 'mixed, the other way' \
        -n 2 $bare 1000 2 "$T/go" : -n 2 "$APPS/halfway" 1000 2 "$T/go"
}
published()     # the model as it was
{
    job=0
    quick='--policy none --policy hang:mode=1,interval_max=0.4,alpha=0.05'
    # shellcheck disable=SC2086
    hang 'two random sets' -n 4 $bare 1000 2 "$T/go"
}
for what in all_bare mixed other_way published; do
    lane $what $what
done

# Left alone.
job=1
# shellcheck disable=SC2086
run hector-run -n 4 --oversubscribe --on-hang kill:age=1s $bare 10 -1
is "$status|$(out)|$(cat "$T/err")" '0|halfway: ok, many rounds|' \
    'no hang: nothing is said'
is "$(sql "SELECT count(*) FROM verdicts WHERE job = $job AND
    kind <> 'slowdown'")" 0 '... or found'

# ptrace is refused.
if "$T/noptrace" true; then
    job=$((job + 1))
    # shellcheck disable=SC2086
    run "$T/noptrace" hector-run -n 4 --oversubscribe --on-hang kill:age=1s $bare 3 -1
    is "$status|$(out)" '0|halfway: ok, many rounds' 'a kernel that refuses ptrace'
    is "$(grep -c 'tasks without the wrapper library, and their stacks '\
'cannot be read: ptrace is not permitted' "$T/err")|$(wc -l <"$T/err")" '1|1' \
        '... is named in one sentence'
else
    skip 'a kernel that refuses ptrace' 'no seccomp here'
fi

# Programs that are not of MPI are not stopped, nor are those linked statically.
echo '#include <unistd.h>
int main(void) { sleep(300); return 0; }' >still.c
cc -static -o still still.c 2>/dev/null || cc -o still still.c
job=$((job + 1))
fresh err
hector-run --policy none --policy "$T/odd.so:mode=1,at=20,every=0.05,tagged=0" \
    -n 2 sleep 300 : -n 2 "$T/still" >"$T/out" 2>"$T/err" &
runner=$!
wait_for 'grep -q "task 3 on" "$T/err"'
hector kill "$job" >/dev/null
wait $runner
is "$(sed -n 's/.*flags=\([0-9a-f]*\) .*/\1/p' "$T/err" | sort -u)" 0 \
    'who does not use MPI is not looked at'
lanes
done_testing
