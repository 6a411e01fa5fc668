# A standing master with slaves that have joined it: hector-run submits and
# starts nothing; jobs come and go, the daemons stay.
# limit: 60
# shellcheck disable=SC2086 # $R is several words
. "${0%/*}/../lib/t.sh"

start_master
ok 'the master listens' [ -S "$T/master.sock" ]
start_slave n1
start_slave n2
ok 'two slaves join' wait_for \
    '[ "$(sql "SELECT count(*) FROM nodes WHERE state = '\''up'\''")" = 2 ]'

R="hector-run --master $master"
run $R -n 2 "$APPS/hello"
is "$status" 0 'a job'
is "$(grep -c . "$T/out")" 2 '... with its output'
run $R -H n2,n1 -n 2 --map-by node sh -c 'echo $HECTOR_RANK'
is "$(sort "$T/out" | tr '\n' ' ')" '0 1 ' 'chosen nodes'
is "$(sql "SELECT rank, node FROM tasks WHERE job = 2 ORDER BY rank" |
    tr '\n' ' ')" '0|n2 1|n1 ' '... in the order asked for'
HECTOR_MASTER=$master
export HECTOR_MASTER
echo through | hector-run -n 1 cat >"$T/out"
is "$(out)" through 'HECTOR_MASTER and a pipe'
unset HECTOR_MASTER
run $R -n 3 --oversubscribe "$APPS/exits" 1 exit 3
is "$status" 3 'exit status'
run $R -n 2 --stdtim=- "$APPS/tagloop" 1000
is "$(grep -c '^Task' "$T/out")" 4000 'stdtim'

$R -n 2 sleep 100 >"$T/1" 2>&1 &
a=$!
wait_for 'sql "SELECT state FROM jobs ORDER BY job DESC LIMIT 1" |
    grep -q running'
$R -n 2 --oversubscribe "$APPS/tagloop" 2000 >"$T/2" 2>&1 &
b=$!
wait $b
is "$?" 0 'a second job runs beside the first'
job=$(sql "SELECT max(job) FROM jobs WHERE state = 'running'")
run hector kill "$job"
is "$status" 0 'hector kill'
wait $a
is "$?" 143 '... ends the first'

$R -n 2 sleep 100 >"$T/1" 2>&1 &
a=$!
wait_for 'sql "SELECT state FROM jobs ORDER BY job DESC LIMIT 1" |
    grep -q running'
own=$(sed -n 's/.* \(.*\)\/stream\.sock$/\1/p' /proc/net/unix |
    grep "^$TMPDIR" | sort -u)
kill -KILL "$a"
wait $a 2>/dev/null
rm -rf "$own"   # which it could not remove any more
ok 'hector-run dies: its job is ended' wait_for 'sql "SELECT ended_ns FROM
    jobs ORDER BY job DESC LIMIT 1" | grep -q .'
run $R -n 2 "$APPS/hello"
is "$status" 0 'the daemons go on'

kill -KILL "$slave_pid"
ok 'a slave dies: its node is not up any more' wait_for \
    'sql "SELECT state FROM nodes WHERE node = '\''n2'\''" | grep -qv up'
run $R -n 2 --oversubscribe "$APPS/hello"
is "$status" 0 'the other one serves'
start_slave n2
ok 'it joins again' wait_for \
    '[ "$(sql "SELECT state FROM nodes WHERE node = '\''n2'\''")" = up ]'
run hector nodes
like "$T/out" '^n2 +up ' 'hector nodes'

run hector-run --master "unix:$T/nobody.sock" -n 1 true
is "$status" 125 'no master there: 125'
like "$T/err" '^hector: .*nobody\.sock' '... in words'
kill -TERM "$master_pid"
ok 'TERM ends the master' wait_for '! kill -0 $master_pid 2>/dev/null'
done_testing
