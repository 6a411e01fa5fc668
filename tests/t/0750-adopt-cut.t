# Adopted tasks while the link between their slave and the master is cut, and
# while the master is killed and started again.
# limit: 70
# shellcheck disable=SC2016,SC2154 # conditions are evaluated later
. "${0%/*}/../lib/t.sh"
hosts 1
need mpirun
export OMPI_MCA_rmaps_base_oversubscribe=1 PRTE_MCA_rmaps_default_mapping_policy=:oversubscribe
# Where hector-run puts a link to libhector.so if that lies behind a blank, both hosts
# have to see it: the tasks are the other one's.
export TMPDIR="$T/shared"
mkdir "$TMPDIR"
start_master tcp:10.66.0.254:7117
start slave-n1 sh "$AGENT" n1 hector-slave -d -v --name n1 \
    --master tcp:10.66.0.254:7117
wait_for 'sql "SELECT state FROM nodes WHERE node = '\''n1'\''" | grep -q up'

# The command runs where the slave is, so that only the slave's link is cut.
cat >"$T/job" <<'END'
eval "$(hector-run --adopt-env=$$ --master "$MASTER")" || exit 9
sh "$AGENT" n1 mpirun -n 2 "$APPS/tagloop" 1000000
sh "$AGENT" n1 mpirun -n 3 "$APPS/hello"
END
MASTER=$master sh "$T/job" >"$T/out" 2>"$T/err" &
runner=$!
wait_for '[ "$(sql "SELECT count(*) FROM event" 2>/dev/null || echo 0)" \
    -gt 200000 ]'
before_others           # it is cut for no longer than is wanted
$now sh -c 'ip link set vn1 down; sleep 5; ip link set vn1 up'  # the fault itself
status=0
wait $runner || status=$?
is "$status" 0 '5 s without a network in a run of tagged events'
wait_for '[ "$(sql "SELECT count(*) FROM jobs WHERE ended_ns IS NULL")" = 0 ]'
is "$(sql "SELECT count(*), count(DISTINCT rank * 100000000 + seq),
    count(exit_ns), max(seq) FROM event WHERE job = 1")" \
    '2000000|2000000|2000000|999999' 'every event once, none is missing'
is "$(sql 'SELECT sum(ring_lost) FROM task')" 0 'no wrapper gave up'
is "$(sql 'SELECT name, ntasks, state FROM jobs' | xargs)" \
    'tagloop|2|done hello|3|done' 'the jobs are what they are'
is "$(sql "SELECT count(*) FROM tasks WHERE state = 'exited'")" 5 \
    '... with all their tasks'

# The master is killed, and started again with the same database.
again()
{
    kill -KILL "$master_pid"
    wait_for '! kill -0 $master_pid 2>/dev/null'
    [ $# = 0 ] || "$@"
    launch_master "master$((n += 1))"
}
n=1
events() { sql "SELECT count(*) FROM event WHERE job >= $job" 2>/dev/null || echo 0; }
begin()         # COMMAND...: adopted, in the background; its job is $job
{
    job=$(($(sql 'SELECT max(job) FROM job') + 1))
    fresh out err
    hector-run --adopt --master "$master" -- "$@" >"$T/out" 2>"$T/err" &
    runner=$!
}
end()
{
    status=0
    wait $runner || status=$?
}

begin sh "$AGENT" n1 mpirun -n 2 "$APPS/tagloop" 500000
for more in 100000 300000; do
    wait_for "[ \"\$(events)\" -gt $more ]"
    again
done
end
# of a master that takes more than 2 s to be back people hear
words() { grep -v 'hector-master is' "$T/err"; }
is "$status $(words)" '0 ' 'a master that is killed twice: not a word'
is "$(sql "SELECT count(*), count(DISTINCT rank * 100000000 + seq),
    count(exit_ns), max(seq) FROM event WHERE job >= $job")" \
    '1000000|1000000|1000000|499999' '... every event once, none is missing'
is "$(sql "SELECT name, ntasks, state, exit_code FROM jobs WHERE job >= $job")" \
    'tagloop|2|done|0' '... the job is one, with its end'
is "$(sql "SELECT rank, node, state, mpi_calls > 500000 FROM tasks
    WHERE job = $job" | xargs)" '0|n1|exited|1 1|n1|exited|1' '... and its tasks'
is "$(sql "SELECT count(*) FROM calls WHERE job = $job AND call = 'MPI_Init_thread'")" 2 \
    '... and what its calls have cost'

# Two worlds, one after the other; the second one lives when the master dies,
# and ends, as the launcher does, when there is none.
begin sh "$AGENT" n1 sh -c "mpirun -n 2 $APPS/hello
    mpirun -n 3 $APPS/hello --wait-for $T/go; exit 6"
wait_for '[ "$(sql "SELECT count(*) FROM tasks WHERE job > $job
    AND state = '"'connected'"'")" = 3 ]'
ended()
{
    touch "$T/go"
    wait_for '[ "$(grep -c "task . of 3" "$T/out")" = 3 ]'
}
again ended
end
is "$status" 6 'the launcher ends while there is no master: its status'
is "$(words)" '' '... without a word'
wait_for '[ "$(sql "SELECT count(*) FROM jobs WHERE ended_ns IS NULL")" = 0 ]'
is "$(sql "SELECT name, ntasks, state, ifnull(exit_code, 0) FROM jobs
    WHERE job >= $job" | xargs)" 'hello|2|failed|6 hello|3|done|0' '... both jobs are recorded'
is "$(sql "SELECT count(*) FROM tasks WHERE job >= $job AND state = 'exited'")" 5 \
    '... with the ends of their tasks'
is "$(sql 'SELECT count(*) FROM resume')" 0 'what was kept for them is gone'

# It takes its time to say whose tasks they are: they wait with what they write.
rm "$T/go"
begin sh -c "touch $T/begun; while [ ! -e $T/go ]; do sleep 0.05; done
    exec sh $AGENT n1 mpirun -n 2 $APPS/tagloop 100000"
wait_for '[ -e "$T/begun" ]'
kill -STOP "$master_pid"
touch "$T/go"
wait_for '[ "$(t_processes | while read -r p; do cat "/proc/$p/comm"; done |
    grep -c tagloop)" = 2 ]'
sleep 5         # this is the fault itself
kill -CONT "$master_pid"
end
is "$status $(words)" '0 ' 'a master that is stopped while tasks come: not a word'
is "$(sql "SELECT count(*), count(exit_ns) FROM event WHERE job = $job")" \
    '200000|200000' '... every event is there'

# hector-run dies with the master: the tasks are let go.
rm "$T/go"
begin sh "$AGENT" n1 mpirun -n 2 "$APPS/hello" --wait-for "$T/go"
wait_for '[ "$(sql "SELECT count(*) FROM tasks WHERE job = $job
    AND state = '"'connected'"'")" = 2 ]'
again kill -KILL $runner
ok 'hector-run dies as well: the job ends' wait_for \
    'sql "SELECT state FROM jobs WHERE job = $job" | grep -q done'
is "$(sql "SELECT why FROM job WHERE job = $job")" 'hector-run is gone' \
    '... with its reason'
touch "$T/go"
wait $runner 2>/dev/null
rm -rf "$TMPDIR"/hector-*       # the link of one that could not remove it

# A master of its own is started again.
rm -f "$T/go"
fresh out err
hector-run --adopt -- sh -c "mpirun -n 2 $APPS/tagloop 300000
    while [ ! -e $T/go ]; do sleep 0.05; done" >"$T/out" 2>"$T/err" &
runner=$!
job=$((job + 1))
wait_for '[ "$(events)" -gt 100000 ]'
for p in $(t_processes); do
    grep -qs -e --private "/proc/$p/cmdline" &&
        [ "$(cat "/proc/$p/comm")" = hector-master ] && kill -KILL "$p"
done
wait_for 'grep -q "was killed" "$T/err"'
touch "$T/go"
end
is "$status" 0 'the same with a master of its own'
like "$T/err" 'hector-master was killed by signal 9 .* the job runs on$' \
    '... which is said'
is "$(sql "SELECT count(*), count(DISTINCT rank * 100000000 + seq),
    count(exit_ns), max(seq) FROM event WHERE job = $job")" \
    '600000|600000|600000|299999' '... every event once, none is missing'
is "$(sql "SELECT name, state, exit_code FROM jobs WHERE job >= $job")" \
    'tagloop|done|0' '... and the job is one'
done_testing
