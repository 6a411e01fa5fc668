# Recorded runs that were judged wrongly once (tests/replay) are judged rightly,
# and always the same.
# limit: 60
. "${0%/*}/../lib/t.sh"

run hector-run -n 1 true
is "$status" 0 'a database'
job=100
says()          # TAPE WANTED: kind and ranks of each verdict on it
{
    job=$((job + 1))
    sqlite3 "$HECTOR_DB" "INSERT INTO look(job, seq, at_ns, data) VALUES($job, 1, 0,
        readfile('$top/tests/replay/$1.tape'))"
    run hector replay $job
    is "$status" 0 "$1 is replayed"
    is "$(sed -n 's/^look .*: hang, \([a-z]*\), .* ranks \(.*\)$/\1 \2/p' "$T/out")" \
        "$2" '... with the right verdicts'
    cp "$T/out" "$T/before"
    run hector replay $job
    ok '... and the same bytes each time' cmp -s "$T/before" "$T/out"
    # a policy that knows nothing sees as many looks, so that the tape is whole
    run hector replay --policy null $job
    is "$status|$(cat "$T/err")" '0|' '... to its end'
}
says network-stands-still ''
says buffered-50-megabytes ''
says overlap ''
says sleep-behind-loop ''
says command-behind-loop ''
says bcast-without-processor ''
says bcast-starved-longer ''
says freed-without-processor ''
says long-messages-starved ''
says thread-without-processor 'notice 0-2'
says put-transposed 'notice 0'
says mismatch 'deadlock 0-1'
like "$T/before" 'rank 1 entered MPI_Allreduce as the same call' '... and says why'
done_testing
