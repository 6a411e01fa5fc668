# Adopted tasks while the link between their slave and the master is cut, and
# while the master is killed and started again.
# limit: 200
# shellcheck disable=SC2016,SC2154 # conditions are evaluated later
. "${0%/*}/../lib/t.sh"
hosts 1
need mpirun
export OMPI_MCA_rmaps_base_oversubscribe=1
start_master tcp:10.66.0.254:7117
start slave-n1 sh "$AGENT" n1 hector-slave -d -v --name n1 \
    --master tcp:10.66.0.254:7117
wait_for 'sql "SELECT state FROM nodes WHERE node = '\''n1'\''" | grep -q up' 10

# The command runs where the slave is, so that only the slave's link is cut.
cat >"$T/job" <<'END'
eval "$(hector-run --adopt-env=$$ --master "$MASTER")" || exit 9
sh "$AGENT" n1 mpirun -n 2 "$APPS/tagloop" 2000000
sh "$AGENT" n1 mpirun -n 3 "$APPS/hello"
END
MASTER=$master sh "$T/job" >"$T/out" 2>"$T/err" &
runner=$!
wait_for '[ "$(sql "SELECT count(*) FROM event" 2>/dev/null || echo 0)" \
    -gt 200000 ]' 30
ip link set vn1 down
sleep 5         # this is the fault itself
ip link set vn1 up
status=0
wait $runner || status=$?
is "$status" 0 '5 s without a network in a run of tagged events'
wait_for '[ "$(sql "SELECT count(*) FROM jobs WHERE ended_ns IS NULL")" = 0 ]' 20
is "$(sql "SELECT count(*), count(DISTINCT rank * 100000000 + seq),
    count(exit_ns), max(seq) FROM event WHERE job = 1")" \
    '4000000|4000000|4000000|1999999' 'every event once, none is missing'
is "$(sql 'SELECT sum(ring_lost) FROM task')" 0 'no wrapper gave up'
is "$(sql 'SELECT name, ntasks, state FROM jobs' | xargs)" \
    'tagloop|2|done hello|3|done' 'the jobs are what they are'
is "$(sql "SELECT count(*) FROM tasks WHERE state = 'exited'")" 5 \
    '... with all their tasks'

hector-run --adopt --master "$master" -- sh "$AGENT" n1 mpirun -n 2 \
    "$APPS/hello" --wait-for "$T/go" >"$T/out" 2>"$T/err" &
runner=$!
wait_for '[ "$(sql "SELECT count(*) FROM tasks WHERE state = '"'connected'"'")" = 2 ]' 20
kill -KILL "$master_pid"
wait_for '! kill -0 $master_pid 2>/dev/null' 5
start master2 hector-master -d -v -f "$T/master.conf"
wait_for 'grep -q "runs on unwatched" "$T/err"' 20
touch "$T/go"
status=0
wait $runner || status=$?
is "$status $(grep -c 'task . of 2' "$T/out")" '0 2' \
    'a master that is killed and comes back: the job runs on'
like "$T/err" '^hector: .*: the command runs on unwatched' '... which is said'
is "$(sql "SELECT count(*) FROM tasks WHERE state = 'lost'") $(sql \
    'SELECT state FROM jobs ORDER BY job DESC LIMIT 1')" '2 failed' \
    '... and recorded'
done_testing
