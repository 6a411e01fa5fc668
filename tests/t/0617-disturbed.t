# Somebody else stops a task, freezes it, holds it in a debugger, or takes the
# processor from it, for some seconds each; and a task's file is kept from it:
# no job is called hung or deadlocked, and all go on.
# limit: 60
# busy
. "${0%/*}/../lib/t.sh"

hector-run -n 3 --oversubscribe --on-hang kill "$APPS/ring" 100000 600 \
    >"$T/out" 2>"$T/err" &
runner=$!
hector-run -n 4 --oversubscribe --on-hang kill "$APPS/stencil" 16 600 \
    >"$T/out2" 2>"$T/err2" &
runner2=$!
ok 'two jobs run' wait_for '[ "$(sql "SELECT count(*) FROM tasks WHERE mpi_calls > 100" \
    2>/dev/null || echo 0)" = 7 ]'

calls() { sql "SELECT min(mpi_calls) FROM tasks WHERE job = $1"; }
goes_on()       # DESCRIPTION: nothing was said, and both move
{
    was1=$(calls 1) was2=$(calls 2)
    ok "$1: both jobs go on" wait_for '[ "$(calls 1)" -gt "$was1" ] &&
        [ "$(calls 2)" -gt "$was2" ]'
    is "$(sql "SELECT group_concat(kind || ': ' || why) FROM verdicts WHERE kind IN
        ('hang', 'deadlock')")" '' '... and nobody is called hung'
}
pids=$(sql "SELECT pid FROM tasks WHERE rank = 1")

for seconds in 1 2.5 5; do
    # shellcheck disable=SC2086 # several
    kill -STOP $pids
    sleep $seconds
    # shellcheck disable=SC2086 # several
    kill -CONT $pids
    goes_on "stopped for $seconds s"
done

group=/sys/fs/cgroup/freezer/hector-test.$$
if mkdir "$group" 2>/dev/null; then
    for p in $pids; do echo "$p" >"$group/cgroup.procs"; done
    echo FROZEN >"$group/freezer.state"
    sleep 4
    echo THAWED >"$group/freezer.state"
    for p in $pids; do echo "$p" >"${group%/*}/cgroup.procs"; done
    rmdir "$group"
    goes_on 'frozen for 4 s'
else
    skip 'frozen for 4 s' 'no freezer here'
fi

if command -v gdb >/dev/null; then
    gdbs=
    for p in $pids; do
        timeout -k 5 60 gdb -q -batch -nx -p "$p" -ex 'shell sleep 3' -ex detach \
            >/dev/null 2>&1 </dev/null &
        gdbs="$gdbs $!"
    done
    # shellcheck disable=SC2086 # several
    wait $gdbs
    goes_on 'held by gdb for 3 s each'
else
    skip 'held by gdb for 3 s each' 'no gdb here'
fi

# shellcheck disable=SC2086 # several
renice -n 19 -p $pids >/dev/null
for n in 1 2 3 4; do
    start "burner$n" sh -c 'while :; do :; done'
done
sleep 6
goes_on 'without a processor'
t_stop_started

hector kill 1 >&2
hector kill 2 >&2
wait $runner
wait $runner2
done_testing
