# A slave that stands while its tasks are stopped, as where a batch system suspends a job
# with all its processes at once, knows afterwards for how long they stood. And of tasks
# of mpirun, whose parent is another, it sees for itself that they stand. hector-run
# --adopt that is stopped stops them, and its command.
# limit: 60
# shellcheck disable=SC2154 # $job is job_runs'
. "${0%/*}/../lib/t.sh"
calls() { sql "SELECT ifnull(min(mpi_calls), 0) FROM tasks WHERE job = $job"; }
hold() { sql "SELECT group_concat(DISTINCT hold) FROM tasks WHERE job = $job"; }
is_held() { [ "$(hold)" = "$1" ]; }
pids() { sql "SELECT pid FROM tasks WHERE job = $job" | xargs; }
stood()         # FROM TO DESCRIPTION: each task, for so many seconds, and is not held
{
    ok "$3" wait_for "[ \"\$(sql \"SELECT count(*) FROM tasks WHERE job = $job AND
        hold = 'going' AND held_ns BETWEEN ${1}e9 AND ${2}e9\")\" = 2 ]"
}
further()       # more calls than there were
{
    seen=$(calls)
    wait_for '[ "$(calls)" -gt $((seen + 300)) ]'
}
begin()         # ARGUMENT...: of hector-run; a job of two tasks that call MPI
{
    fresh out err
    hector-run --on-hang kill:age=1s "$@" "$APPS/stencil" 32 600 >"$T/out" 2>"$T/err" \
        </dev/null &
    runner=$!
    job_runs
    wait_for '[ "$(calls)" -gt 300 ]'
}
end()           # DESCRIPTION: nothing was said of it
{
    is "$(sql "SELECT count(*) FROM verdicts WHERE job = $job") $(cat "$T/err")" '0 ' "$1"
    hector kill "$job" >"$T/log" 2>&1
    wait $runner
}

# Whoever hears of it does not run: all of it is stopped, the slave before its tasks.
begin --oversubscribe -n 2
all=$(t_processes | grep -vx "$runner" | xargs)
tasks=$(pids)
slave=$(awk '/^PPid/ { print $2 }' "/proc/${tasks%% *}/status")
# shellcheck disable=SC2086 # pids
{
    kill -STOP "$slave"
    kill -STOP $all "$runner" 2>/dev/null
    sleep 5             # longer than what is no more than a slow machine
    kill -CONT $tasks
    kill -CONT $all "$runner" 2>/dev/null
}
stood 4 600 'all of a job stands for a while: for how long each task stood is known'
ok '... and it goes on' further
is "$(sql "SELECT group_concat(event || ':' || state_to, ' ') FROM transition
    WHERE job = $job AND machine = 'hold 1'")" 'stopped:suspended went:going' \
    '... every step of it is recorded'
end '... it is no hang'

begin --adopt -- mpirun --oversubscribe -n 2
for sig in TSTP STOP; do
    tasks=$(pids)
    # shellcheck disable=SC2086 # pids
    kill -$sig $tasks
    ok "$sig to tasks of mpirun: they are suspended" wait_for 'is_held suspended'
    sleep 2             # so that they stand for long
    # shellcheck disable=SC2086 # pids
    kill -CONT $tasks
    ok '... until they go on' wait_for 'is_held going'
    ok '... which they do' further
done
is_stopped() { grep -q '^State:.T' "/proc/$1/status"; }
kill -TSTP "$runner"
ok 'TSTP to hector-run --adopt: its tasks are suspended' wait_for 'is_held suspended'
ok '... it is stopped' wait_for 'is_stopped "$runner"'
kill -CONT "$runner"
ok '... until it goes on' wait_for 'is_held going'
ok '... with all of them' further
run hector ps "$job"
like "$T/out" ' SUSPENDED ' '... hector ps has it'
stood 3 600 '... for how long they stood is known'
end '... it is no hang'

# mpirun makes something of its own of TSTP; most commands stop.
fresh out err
hector-run --adopt -- sleep 1000 >"$T/out" 2>"$T/err" </dev/null &
runner=$!
wait_for 'command=$(pgrep -P "$runner" -x sleep)'
job=$(sql 'SELECT max(job) FROM jobs')
kill -TSTP "$runner"
ok 'a command stops with hector-run' wait_for 'is_stopped "$command" && is_stopped "$runner"'
kill -CONT "$runner"
ok '... and goes on with it' wait_for '! is_stopped "$command"'
hector kill "$job" >"$T/log" 2>&1
wait $runner
done_testing
