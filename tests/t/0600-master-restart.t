# kill -9 of a standing master in a run of tagged events: it is started again
# with the same configuration and database, the job runs on meanwhile, and in
# the end every event is recorded once.
# limit: 60
# shellcheck disable=SC2154 # $status and the like are t.sh's
. "${0%/*}/../lib/t.sh"

again()         # start the master that was killed once more
{
    wait "$master_pid" 2>/dev/null
    launch_master "master-$1"
}
exactly_once()  # JOB RANKS COUNT
{
    is "$(sql "SELECT count(*), count(DISTINCT rank * 100000000 + seq),
        count(exit_ns), min(seq), max(seq) FROM event WHERE job = $1")" \
        "$(($2 * $3))|$(($2 * $3))|$(($2 * $3))|0|$(($3 - 1))" \
        "job $1: every event once, none is missing"
}

start_master
start_slave n1
start_slave n2
wait_for '[ "$(sql "SELECT count(*) FROM nodes WHERE state = '\''up'\''")" = 2 ]'
R="hector-run --master $master --policy none"    # they do one thing for long

$R -H n1:2,n2:2 -n 4 --oversubscribe "$APPS/tagloop" 120000 >"$T/out" 2>"$T/err" &
runner=$!
for n in 1 2 3; do
    wait_for "[ \"\$(sql 'SELECT count(*) FROM event')\" -gt $((n * 40000)) ]"
    kill -KILL "$master_pid"
    again "$n"
done
status=0
wait $runner || status=$?
is "$status" 0 'the job ends as if nothing had been'
# of a master that takes more than 2 s to be back people hear
is "$(grep -v 'hector-master is' "$T/err")" '' '... without a word'
is "$(sql 'SELECT state, exit_code FROM job')" 'done|0' '... recorded as done'
exactly_once 1 4 120000
is "$(sql 'SELECT count(*) FROM resume')" 0 'what was kept for it is gone'
is "$(sql 'SELECT count(*) FROM master WHERE ended_ns IS NULL')" 1 \
    'masters that died are known to be dead'

# It dies, the tasks end in the meantime, and then it comes back.
$R -H n1,n2 -n 2 sh -c "[ \$HECTOR_RANK = 1 ] || exit 0
    while [ ! -e '$T/go' ]; do sleep 0.05; done; exit 7" >"$T/out" 2>"$T/err" &
runner=$!
wait_for 'sql "SELECT state FROM jobs WHERE job = 2" | grep -q running'
task=$(sql 'SELECT pid FROM tasks WHERE job = 2 AND rank = 1')
kill -KILL "$master_pid"
touch "$T/go"
wait_for '! kill -0 "$task" 2>/dev/null'
again 4
status=0
wait $runner || status=$?
is "$status" 7 'a task that failed while there was no master'
like "$T/err" 'task 1 on n2 exited with code 7' '... is named'
is "$(sql 'SELECT rank, state, exit_code FROM tasks WHERE job = 2' |
    tr '\n' ' ')" '0|exited|0 1|exited|7 ' '... and recorded'

# A slave dies with it: its job ends, soon, with a sentence. And a hector-run
# dies while there is no master: its job ends, and is recorded.
$R -H n1,n2 -n 2 sleep 100 >"$T/out" 2>"$T/err" &
runner=$!
wait_for 'sql "SELECT state FROM jobs WHERE job = 3" | grep -q running'
$R -H n1 -n 1 sleep 100 >"$T/out.4" 2>"$T/err.4" &
victim=$!
wait_for 'sql "SELECT state FROM jobs WHERE job = 4" | grep -q running'
kill -KILL "$master_pid" "$slave_pid" "$victim"
wait $victim 2>/dev/null
again 5
status=0
wait $runner || status=$?
is "$status" 125 'a slave that died with the master: 125'
like "$T/err" 'node n2 was lost' '... with a sentence'
ok 'hector-run dies with the master: its job ends' \
    wait_for 'sql "SELECT state FROM jobs WHERE job = 4" | grep -q killed'
is "$(sql 'SELECT why FROM job WHERE job = 4')" 'hector-run is gone' \
    '... with its reason'
run $R -H n1 -n 1 "$APPS/hello"
is "$status" 0 'the daemons go on'
done_testing
