# Deadlocks are proven in programs of all kinds, and named for what they are;
# programs that look like them for a while are left alone. These are some of
# those that tests/eval/deadlocks.sh has.
# limit: 240
. "${0%/*}/../lib/t.sh"

exec sh "$top/tests/eval/deadlocks.sh" "$build" recv-ring send-send mismatch \
    orders waitany fence gone any-source comm-freed comm-freed-busy \
    win-free-skipped result-lost spin-iprobe lock group-missing inter-tag \
    mrecv-many imrecv-many fine-mrecv fine-imrecv fine-imrecv-before \
    amount-gather gatherv-nothing scatterv-much lock-order \
    fine-create-group-after fine-amounts-slow fine-gatherv-less \
    fine-ring fine-send fine-waitall fine-threads fine-put-transposed \
    fine-freed-tcp-1000000 fine-overlap-65537 fine-slow-operation fine-consensus
