# Calls of some or all members of a communicator, on two nodes: one that never comes
# is a proven deadlock, whatever the network does; one that comes late is left alone.
# limit: 60
# busy
. "${0%/*}/../lib/t.sh"

members()       # SET STATUS,VERDICT NAME:TASKS...: on two nodes
{
    set=$1 wanted=$2
    shift 2
    start_master
    start_slave n1
    start_slave n2
    ok "$set: two slaves join" wait_for \
        '[ "$(sql "SELECT count(*) FROM nodes WHERE state = '\''up'\''")" = 2 ]'
    for p; do
        run hector-run --master "$master" -H n1:4,n2:4 --map-by node -n "${p#*:}" \
            --policy hang --on-hang kill "$build/deadlocks/$set" "${p%:*}"
        # Where tasks get little of the processor, words may come before the proof.
        is "$status,$(sql "SELECT kind FROM verdicts WHERE kind <> 'notice' AND
            policy = 'hang' AND job = (SELECT max(job) FROM jobs)
            ORDER BY kind <> 'deadlock' LIMIT 1")" "$wanted" "${p%:*}"
    done
}
lane groups members stuck 123,deadlock group-missing:4 group-crossed:3 inter-leader:4 \
    inter-wrong:4
lane others members stuck 123,deadlock scan-missing:3 scan-freed:3 gather-type:3
lane fine members fine_group 0, create-group-after:4 create-group-overlap:4 \
    intercomm-after:3 intercomm-ring:4 scan:4
lanes
done_testing
