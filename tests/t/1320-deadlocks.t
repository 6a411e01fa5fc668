# Deadlocks are proven in programs of all kinds, and named for what they are;
# programs that look like them for a while are left alone. These are some of
# those that tests/eval/deadlocks.sh has.
# limit: 100
. "${0%/*}/../lib/t.sh"

export LIMIT=600 PATIENCE=6
some()          # LANE NAME...
{
    some=$1
    shift
    lane "$some" sh "$top/tests/eval/deadlocks.sh" "$build" "$@"
}
some slow spin-iprobe fine-slow-operation fine-amounts-slow fine-gatherv-less \
    fine-consensus fine-threads
some matched mrecv-many imrecv-many fine-mrecv fine-imrecv fine-imrecv-before \
    fine-overlap-65537 fine-freed-tcp-1000000 fine-put-transposed \
    fine-create-group-after
some others recv-ring send-send mismatch orders waitany fence gone any-source \
    comm-freed comm-freed-busy win-free-skipped result-lost lock group-missing \
    inter-tag amount-gather gatherv-nothing scatterv-much lock-order fine-ring \
    fine-send fine-waitall
lanes
done_testing
