# A standing master with 200 slaves, and slaves that come late, leave in
# order, are killed and come back.
# limit: 60
# busy
# shellcheck disable=SC2086 # $R is several words
. "${0%/*}/../lib/t.sh"

[ "$(awk '/^MemAvailable/ { print int($2 / 1024) }' /proc/meminfo)" -ge 4000 ] ||
    skip_all 'less than 4 GB of memory: 200 slaves do not fit'
nodes()         # STATE: how many are in it
{
    sql "SELECT count(*) FROM nodes WHERE state = '$1'"
}
state() { sql "SELECT state FROM nodes WHERE node = '$1'"; }
job() { sql "SELECT state FROM jobs ORDER BY job DESC LIMIT 1"; }

# With sanitizers: what has been freed is not kept, it would count.
export ASAN_OPTIONS="$ASAN_OPTIONS:quarantine_size_mb=0:thread_local_quarantine_size_kb=0"
master=unix:$T/master.sock
printf '[master]\nlisten = %s\ndatabase = %s\njoin_wait = 60s\n' "$master" \
    "$HECTOR_DB" >"$T/master.conf"
launch_master master
R="hector-run --master $master"

# ------------------------------------------------------- late, gone and back
start_slave a1
fresh err
$R -H a1,a2 -n 2 --map-by node sh -c 'echo $HECTOR_RANK' >"$T/out" 2>"$T/err" &
runner=$!
ok 'a job waits for a host that has not joined' \
    wait_for '[ "$(job)" = waiting ]'
ok '... and says for which' wait_for 'grep -q "a2" "$T/err"'
start_slave a2
wait $runner
is "$? $(sort "$T/out" | tr '\n' ' ')" '0 0 1 ' '... and runs when it joins'

kill -TERM "$slave_pid"
ok 'a slave leaves' wait_for '[ "$(state a2)" != up ]'
run $R -H a1 -n 1 echo here
is "$status $(out)" '0 here' '... the others go on'
run $R -n 2 --oversubscribe sh -c 'echo $HECTOR_RANK'
is "$(sql 'SELECT DISTINCT node FROM tasks WHERE job =
    (SELECT max(job) FROM jobs)')" a1 '... without it'
$R -H a2 -n 1 echo back >"$T/out" 2>"$T/err" &
runner=$!
wait_for '[ "$(job)" = waiting ]'
start_slave a2
wait $runner
is "$? $(out)" '0 back' '... and the slave comes back'

$R -H a2 -n 1 sleep 1000 >"$T/out" 2>"$T/err" &
runner=$!
wait_for '[ "$(job)" = running ]'
kill -KILL "$slave_pid"
status=0
wait $runner || status=$?
ok 'a slave is killed: its job ends, long before its task would' [ "$status" -ne 0 ]
like "$T/err" '^hector: .*a2' '... with a sentence that names the node'
start_slave a2
ok '... and the node can come back' wait_for '[ "$(state a2)" = up ]'
run $R -H a2 -n 1 "$APPS/hello"
is "$status" 0 '... and serve'

# ----------------------------------------------------------------------- 200
i=1
while [ $i -le 198 ]; do
    start_slave "s$i"
    i=$((i + 1))
done
ok '200 slaves join one master' wait_for '[ "$(nodes up)" = 200 ]'
run $R -n 200 --map-by node --oversubscribe sh -c 'echo $HECTOR_RANK'
is "$status" 0 'a job of 200 tasks'
is "$(sort -n "$T/out" | tr '\n' ' ')" "$(seq 0 199 | tr '\n' ' ')" \
    '... all of whose output arrives'
is "$(sql 'SELECT count(DISTINCT node) FROM tasks WHERE job =
    (SELECT max(job) FROM jobs)')" 200 '... one on each node'
run $R -H 's[1-20]' -N 1 "$APPS/hello"
is "$status $(wc -l <"$T/out")" '0 20' 'an MPI job on 20 of them'
run $R -n 200 --map-by node --oversubscribe sh -c \
    '[ $HECTOR_RANK != 123 ] || exit 9; sleep 100'
is "$status" 9 'one of 200 fails: its status'
like "$T/err" '^hector: task 123 .*9' '... named, and the others are ended'
rss=$(awk '/^VmRSS/ { print $2 }' "/proc/$master_pid/status")
ok "the master is small ($rss kB)" [ "$rss" -lt 65536 ]
pids=$(t_processes | while read -r p; do
    [ "$(cat "/proc/$p/comm")" != hector-slave ] || echo "$p"; done)
kill -TERM $pids
ok 'all leave' wait_for '[ "$(nodes up)" = 0 ]'
done_testing
