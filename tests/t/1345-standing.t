# Tasks that stand still for a reason that is not the program's. One that a
# debugger holds does not hang, for as long as it takes, and hector why says who
# holds it. One in uninterruptible sleep is named, with the function of the
# kernel that it waits in.
# limit: 60
# shellcheck disable=SC2086 # several words
. "${0%/*}/../lib/t.sh"
need cc

debugger=$T/debugger
cc -o "$debugger" "$top/tests/lib/debugger.c"
running() { [ "$(sql "SELECT count(*) FROM tasks WHERE job = $job AND
    state = 'connected'" 2>/dev/null)" = 2 ]; }
why() { hector why "$job" 2>/dev/null | grep -E "$1" >"$T/why"; }
begin()         # COMMAND...
{
    job=$((${job:-0} + 1))
    "$@" >"$T/job.out" 2>"$T/job.err" </dev/null &
    runner=$!
    wait_for running
}
end() { status=0; wait $runner || status=$?; }

# With an eye that is much quicker than usual, and would call it a hang five times
# over; with the library and by stacks.
held()          # NAME COMMAND...
{
    name=$1
    shift
    rm -f "$T/go" "$T/let"
    begin hector-run -n 2 --oversubscribe --policy none \
        --policy hang:least=1,sure=1,still=0.2,alpha=0.05 \
        --on-hang kill:age=1s,sure=90 "$@"
    pid=$(sql "SELECT pid FROM tasks WHERE job = $job AND rank = 1")
    start "debugger-$job" "$debugger" "$pid" 8 "$T/let"
    holder=$started
    ok "$name: hector why says who is held by a debugger" \
        wait_for 'why "ago: task 1 is held by a debugger$"'
    run hector why "$job"
    like "$T/out" '^no policy has found anything$' '... that there is no hang'
    like "$T/out" '^no hang is looked for meanwhile$' '... and why not'
    : >"$T/let"
    wait "$holder"
    is $? 0 '... it is let go'
    touch "$T/go"
    end
    is "$status|$(sed 's/ [a-z]* rounds//' "$T/job.out")|$(cat "$T/job.err")" \
        '0|halfway: ok,|' \
        '... and goes on, as if nothing had happened'
    is "$(sql "SELECT count(*) FROM verdicts WHERE job = $job AND
        kind <> 'slowdown'")" 0 '... nothing was found'
}
by_counters() { held 'by its counters' "$APPS/halfway" 1000 -1 "$T/go"; }
by_stack() { held 'by its stack' env -u LD_PRELOAD "$APPS/halfway" 1000 -1 "$T/go"; }
lane by_counters by_counters
lane by_stack by_stack

# The kernel does not say everywhere where somebody waits.
start sleeper sleep 100
sleeping() { [ "$(cat "/proc/$started/wchan" 2>/dev/null || echo 0)" != 0 ]; }
wait_only sleeping 2 && says=yes || says=
begin hector-run -n 2 --oversubscribe "$APPS/vfork" 8 "$T/woken"
ok 'in uninterruptible sleep: hector why says so' \
    wait_for 'why "ago: task 1 is in uninterruptible sleep in the kernel"'
if [ "$says" ]; then
    like "$T/why" 'in the kernel, in [a-z_0-9]*(vfork|fork|clone)[a-z_0-9]*$' \
        '... and where'
else
    skip '... and where' 'this kernel does not say it'
fi
: >"$T/woken"
end
is "$status|$(cat "$T/job.out")|$(cat "$T/job.err")" '0|vfork: ok|' '... that is no hang'
is "$(sql "SELECT count(*) FROM verdicts WHERE job = $job")" 0 '... nothing was found'

# Who is not as patient as one should be has it named.
begin hector-run -n 2 --oversubscribe --policy none --policy hang:patience=0.5 \
    --on-hang kill:patience=4s "$APPS/vfork" 300
end
is "$status" 123 'in uninterruptible sleep for too long: it is ended, if one asks for it'
like "$T/job.err" \
    'rank 1 has been outside of MPI for .*, in uninterruptible sleep( in [a-z_0-9]+)?' \
    '... of this kind'
# So soon others may be noticed, too, where a task has to wait for a processor.
is "$(sql "SELECT group_concat(DISTINCT kind) FROM verdicts WHERE job = $job AND
    kind <> 'progress'")" notice '... which is no verdict'
[ -z "$says" ] ||
    like "$T/job.err" 'in uninterruptible sleep in [a-z_0-9]*(vfork|fork|clone)' '... and where'
lanes
done_testing
