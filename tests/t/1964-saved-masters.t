# The master is killed while a checkpoint is being made: the job goes on, the next
# master makes the next one, and the job can go back to it.
# limit: 60
# busy
# shellcheck disable=SC2016,SC2086,SC2154 # the shell of a wait expands; $status is t.sh's
. "${0%/*}/../lib/t.sh"
need_moves
hosts 3
need sqlite3
. "$top/tests/lib/rounds.sh"

start_nodes
R="hector-run --master $master --oversubscribe"
tasks=3
begin -H n1:2,n2:2,n3:1 --map-by node --checkpoint-dir "$T/saved"
hector checkpoint "$job" >&2
n=1
# By the steps that the master notes: the first one comes with the order.
for step in checked quiet drained apart imaged restored; do
    n=$((n + 1))
    seen=$(sql "SELECT count(*) FROM transition WHERE event = '$step'")
    hector checkpoint "$job" >"$T/lost" 2>&1 &
    asker=$!
    wait_for "[ \"\$(sql \"SELECT count(*) FROM transition WHERE event = '$step'\")\" -gt \
        $seen ]"
    kill -9 $master_pid
    wait $master_pid 2>/dev/null || :
    mv "$T/master.log" "$T/master.log.before"
    launch_master master
    wait $asker || :
    cat "$T/lost" >&2
    nodes_joined master
    further 3
    run hector checkpoint "$job"
    is "$status $(grep -c 'checkpoint .* is in ' "$T/out")" '0 1' \
        "a master that is killed when the tasks are $step"
    cat "$T/err" >&2
    is "$(find "$T/saved" -mindepth 2 -name checkpoint | wc -l)" 2 \
        '... the last two checkpoints are there'
done
kill -9 "$(pid_of 1)"
launched 2
further 3
whole 'nothing is missing and nothing twice'
done_testing
