# A priority and a class that are changed while a job is being prepared count from its
# tasks' first moment, on all of its nodes.
# limit: 30
# shellcheck disable=SC2016,SC2154 # tasks' shells expand; t.sh's
. "${0%/*}/../lib/t.sh"
need sqlite3

base=$(ps -o ni= -p $$ | tr -d ' ')
start_master
printf 'max_priority = 5\nrealtime = yes\n' >>"$T/master.conf"
kill "$master_pid"
wait "$master_pid" 2>/dev/null || :
launch_master again
start_slave one
start two hector-slave -d --master "$master" --name two
wait_for '[ "$(sql "SELECT count(*) FROM nodes WHERE state = '\''up'\''")" = 2 ]'
stopped=$(pgrep -P "$started" -x hector-slave)
state() { sql "SELECT state FROM jobs WHERE job = 1"; }

kill -STOP "$stopped"
fresh run.out run.err
hector-run --master "$master" -H one,two --priority -1 \
    sh -c 'echo "$LD_PRELOAD"' >"$T/run.out" 2>"$T/run.err" </dev/null &
runner=$!
wait_for '[ "$(state)" = preparing ]'
is "$(state)" preparing 'a job of two nodes, one of which does not answer'
run hector priority 1 -6 --class realtime
is "$status" 0 'its priority and its class are changed'
kill -CONT "$stopped"
wait $runner
is "$? $(grep -c 'libhector-yield.so' "$T/run.out")" '0 2' \
    'its tasks are started in that class on both'
is "$(sql "SELECT DISTINCT applied <> 'no' FROM tasks")" 1 \
    '... with that priority at least, as the record says'
done_testing
