# Calls of some or all members of a communicator, on two nodes: one that never comes
# is a proven deadlock, whatever the network does; one that comes late is left alone.
# limit: 240
. "${0%/*}/../lib/t.sh"

start_master
start_slave n1
start_slave n2
ok 'two slaves join' wait_for \
    '[ "$(sql "SELECT count(*) FROM nodes WHERE state = '\''up'\''")" = 2 ]' 20

member()        # PROGRAM NAME TASKS: status, and the verdict, if there is one
{
    run hector-run --master "$master" -H n1:4,n2:4 --map-by node -n "$3" \
        --policy hang --on-hang kill "$build/deadlocks/$1" "$2"
    said=$status,$(sql "SELECT kind FROM verdicts WHERE kind <> 'notice' AND
        policy = 'hang' AND job = (SELECT max(job) FROM jobs)")
}

for p in group-missing:4 group-crossed:3 inter-leader:4 inter-wrong:4 \
    scan-missing:3 scan-freed:3 gather-type:3; do
    member stuck "${p%:*}" "${p#*:}"
    is "$said" 123,deadlock "${p%:*}"
done
for p in create-group-after:4 create-group-overlap:4 intercomm-after:3 \
    intercomm-ring:4 scan:4; do
    member fine_group "${p%:*}" "${p#*:}"
    is "$said" 0, "${p%:*}"
done
done_testing
