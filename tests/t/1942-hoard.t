# Tasks that have taken all address space there is move all the same: some is kept for
# Open MPI from the start, and by that for who makes a task of its image.
# limit: 60
# shellcheck disable=SC2016,SC2086,SC2154 # evaluated later; words; t.sh's
. "${0%/*}/../lib/t.sh"
need_moves
hosts 2
need sqlite3

hector-run --launch-agent $AGENT -H n1:2,n2:1 --oversubscribe --migratable -n 3 \
    "$build/apps/hoard" "$T/enough" </dev/null >"$T/hoard.out" 2>"$T/hoard.err" &
runner=$!
wait_for '[ "$(grep -c begun "$T/hoard.out")" = 3 ]'
cat "$T/hoard.out" "$T/hoard.err" >&2
is "$(grep -c 'begun .* the first of 2^46 bytes$' "$T/hoard.out")" 3 \
    'tasks with nothing left begin'
job=$(sql 'SELECT max(job) FROM jobs')
moved()         # DESCRIPTION TARGET NODE
{
    run hector migrate $2 $3
    is "$status $(grep -c "on $3 now" "$T/out")" '0 1' "$1"
    cat "$T/err" >&2
}
moved 'one moves' $job.0 n2
moved '... and back' $job.0 n1
moved '... and all of a host' $job.2 n1
ok 'images have nothing of what is reserved' \
    [ "$(sql "SELECT max(image_bytes) FROM moves WHERE job = $job")" -lt 50000000 ]
: >"$T/enough"
status=0
wait $runner || status=$?
is "$status $(grep -c 'wrong 0' "$T/hoard.out")" '0 3' 'each has what it had'
cat "$T/hoard.err" >&2
done_testing
