# How adopted jobs end: killed by name, by signals, by the time-out, with one
# of Hector's own processes. What is watched is never harmed.
# limit: 60
# shellcheck disable=SC2016 # scripts are for other shells
. "${0%/*}/../lib/t.sh"
need mpirun
export OMPI_MCA_rmaps_base_oversubscribe=1 PRTE_MCA_rmaps_default_mapping_policy=:oversubscribe

job=0
begin()         # NTASKS COMMAND...: start it, wait until so many tasks run
{
    tap_want=$1
    shift
    rm -f "$T/go"
    job=$(($(sql 'SELECT ifnull(max(job), 0) FROM jobs' 2>/dev/null || echo 0) + 1))
    fresh out err
    env --default-signal=INT "$@" >"$T/out" 2>"$T/err" </dev/null &
    runner=$!
    wait_for '[ "$(sql "SELECT count(*) FROM tasks WHERE job >= $job AND
        state = '"'connected'"'" 2>/dev/null)" = $tap_want ]'
}
end()
{
    status=0
    wait $runner || status=$?
}
state() { sql "SELECT state FROM jobs WHERE job = $job"; }
child()         # NAME: pid of that process of this test
{
    for p in $(t_processes); do
        [ "$(cat "/proc/$p/comm" 2>/dev/null)" = "$1" ] && echo "$p"
    done | head -n 1
}
H="$APPS/hello" W="--wait-for $T/go"
export H W

begin 2 hector-run --adopt -- sh -c 'mpirun -n 2 $H $W; echo next'
is "$(sql "SELECT state, started_ns > 0 FROM jobs")" 'running|1' \
    'running when a task has come'
run hector kill $job
is "$status" 0 'hector kill'
end
is "$status" 143 '... ends the command'
is "$(state) $(grep -c next "$T/out")" 'killed 0' '... at once'
is "$(sql "SELECT count(*) FROM tasks WHERE state IN ('exited', 'killed')")" 2 \
    '... and the tasks'

begin 3 hector-run --adopt -- sh -c 'mpirun -n 1 $H $W & mpirun -n 2 $H $W; wait'
two=$(sql "SELECT job FROM jobs WHERE ntasks = 2 AND job >= $job")
one=$(sql "SELECT job FROM jobs WHERE ntasks = 1 AND job >= $job")
if [ "$two" = "$job" ]; then other=$one; else other=$two; fi
run hector kill "$other"
is "$status" 0 'hector kill of a world'
wait_for '[ "$(sql "SELECT state FROM jobs WHERE job = $other")" = killed ]'
is "$(sql "SELECT state FROM jobs WHERE job = $other")" killed '... ends it'
is "$(state)" running '... and no other'
touch "$T/go"
end
is "$status $(state)" '0 done' '... which come to their end'

begin 2 hector-run --adopt -- mpirun -n 2 "$APPS/hello" --wait-for "$T/go"
kill -TERM $runner
end
is "$(state)" failed 'TERM is handed on'
begin 2 hector-run --adopt -- sh -c 'trap "echo got it" USR1; mpirun -n 2 $H $W &
    wait; wait'
kill -USR1 $runner
wait_for 'grep -q "got it" "$T/out"'
touch "$T/go"
end
is "$status $(grep -c 'got it' "$T/out")" '0 1' '... and so is USR1, once'
run hector-run --adopt --timeout 1 -- sh -c 'trap "" TERM; while :; do sleep 1; done'
is "$status" 124 'the time-out kills'
is "$(sql 'SELECT exit_code FROM jobs ORDER BY job DESC LIMIT 1')" 124 \
    '... and is recorded'

begin 2 hector-run --adopt -- mpirun -n 2 "$APPS/hello" --wait-for "$T/go"
kill -KILL "$(child hector-slave)"
touch "$T/go"
end
is "$status" 0 'without its slave the job runs on'
is "$(grep -c 'task . of 2' "$T/out")" 2 '... to its end'
# Suspended tasks are no children of ours: whom we leave goes on.
held() { [ "$(sql "SELECT count(*) FROM tasks WHERE job = $job AND
    hold = 'suspended'")" = "$1" ]; }
begin 2 hector-run --adopt -- mpirun -n 2 "$APPS/hello" --wait-for "$T/go"
hector suspend $job >/dev/null
wait_for 'held 2'
ok 'adopted tasks are suspended' \
    wait_for "grep -q '^State:.T' /proc/$(child hello)/status"
kill -KILL "$(child hector-slave)"
touch "$T/go"
end
is "$status $(grep -c 'task . of 2' "$T/out")" '0 2' \
    '... and go on when their slave is killed'
begin 1 hector-run --adopt -- sh -c '$H $W >/dev/null & while :; do sleep 0.1
    [ -e "$T/leave" ] && exit 0; done'
hector suspend $job >/dev/null
wait_for 'held 1'
task=$(child hello)
touch "$T/leave"
end
rm -f "$T/leave"
ok '... or when their launcher has ended' \
    wait_for "! grep -q '^State:.T' /proc/$task/status"
touch "$T/go"
wait_for '[ -z "$(child hello)" ]'
begin 2 hector-run --adopt -- mpirun -n 2 "$APPS/hello" --wait-for "$T/go"
master=$(child hector-master)
kill -KILL "$master"
another()       # that is not the dead one, which may be listed yet
{
    case $(child hector-master) in ''|"$master") false ;; esac
}
wait_for another
kill -KILL "$(child hector-master)"
wait_for 'grep -q "runs on unwatched" "$T/err"'
ok 'without its master as well, in words' grep -q '^hector: .*unwatched' "$T/err"
touch "$T/go"
end
is "$status $(grep -c 'task . of 2' "$T/out")" '0 2' '... to its end'
begin 2 hector-run --adopt -- mpirun -n 2 "$APPS/hello" --wait-for "$T/go"
kill -KILL $runner
wait $runner 2>/dev/null
ok 'a hector-run that is killed: the command ends' \
    wait_for '[ -z "$(t_processes)" ]'
is "$(sql "SELECT count(*) FROM tasks WHERE job = $job AND
    state IN ('exited', 'killed')") $(state)" '2 done' '... and its record is complete'

begin 1 hector-run --adopt -- sh -c '$H $W >/dev/null & while :; do sleep 0.1
    [ -e "$T/leave" ] && exit 0; done'
touch "$T/leave"
end
is "$status" 0 'a task outlives its launcher'
like "$T/err" '^hector: 1 task on .* runs on unwatched: their launcher has ended' \
    '... which is said'
is "$(state) $(sql "SELECT state FROM tasks WHERE job = $job")" 'done lost' \
    '... and recorded'
ok '... and it runs on' [ -n "$(child hello)" ]
touch "$T/go"
left_by_mpi
done_testing
