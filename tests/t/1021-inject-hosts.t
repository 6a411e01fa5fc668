# Faults on several hosts: each strikes on the host that its task is on, the
# event and the log agree; and with the other MPI, by hand.
# limit: 60
# busy
. "${0%/*}/../lib/t.sh"
hosts 2
export HECTOR_INJECT_LOG="$T/log"
HECTOR_KEY_FILE="$T/key"
export HECTOR_KEY_FILE

inject()        # DESCRIPTION [OPTION...]: ring, tasks 0 and 2 on n1, others on n2
{
    in_what=$1
    shift
    : >"$T/log"
    run hector-run --launch-agent "$AGENT" -H n1:2,n2:2 -n 4 --map-by node \
        --oversubscribe --inject "$in_what" "$@" "$APPS/ring" 10
}
events()        # COLUMNS: of the faults in the last job
{
    sql "SELECT $1 FROM events WHERE job = (SELECT max(job) FROM jobs) AND
        label LIKE 'injected:%' ORDER BY rank" | tr '\n' ' ' | sed 's/ $//'
}
logged()        # the log, as rank|host
{
    sed 's/.* rank \([0-9]*\) pid [0-9]* on \([^:]*\): .*/\1|\2/' "$T/log" |
        sort | tr '\n' ' ' | sed 's/ $//'
}

inject rank=0-3,call=MPI_Isend:9,fault=stall,time=1ms
is "$status" 0 'all tasks on two hosts'
is "$(events 'rank, node')" '0|n1 1|n2 2|n1 3|n2' '... the events say where'
is "$(logged)" "$(events 'rank, node')" '... the log agrees'

: >"$T/log"
hector-run --launch-agent "$AGENT" -H n1:2,n2:2 -n 4 --map-by node \
    --oversubscribe --inject rank=3,call=MPI_Barrier:7,fault=hang "$APPS/ring" 10 \
    >"$T/out" 2>"$T/err" </dev/null &
runner=$!
wait_for '[ -s "$T/log" ]'
kill -TERM $runner
status=0
wait $runner || status=$?
is "$status $(events 'rank, node, call, label')" \
    '143 3|n2|MPI_Barrier|injected: hang in MPI_Barrier call 7' \
    'a hang on the second host'
is "$(logged)" '3|n2' '... the log agrees'

inject rank=1,call=MPI_Waitall:7,fault=exit-after,code=9
is "$status $(events 'rank, node')" '9 1|n2' 'an exit on the second host'

inject rank=random,call=MPI_*:random,fault=stall,time=1ms,seed=11
first=$(events 'rank, node, label')
inject rank=random,call=MPI_*:random,fault=stall,time=1ms,seed=11
is "$(events 'rank, node, label')" "$first" 'a seed means the same everywhere'
done_testing
