# A task that waits in MPI_Buffer_detach, until others have received what it has sent
# from there, is moved, and so are those: who stands receives it.
# limit: 60
# shellcheck disable=SC2016,SC2154 # the shell of a wait expands; $status is t.sh's
. "${0%/*}/../lib/t.sh"
need_moves
hosts 2
need sqlite3

mkdir "$T/told"
hector-run --launch-agent "$AGENT" -H n1:4,n2:4 --oversubscribe --migratable -n 4 \
    "$APPS/blocked" "$T/told" buffer_detach </dev/null >"$T/job.out" 2>"$T/job.err" &
runner=$!
wait_for 'grep -qx "phase buffer_detach" "$T/job.out"'
job=$(sql 'SELECT max(job) FROM jobs')
for what in '1 n2' '0 n2' '1 n1' '0 n1'; do
    # shellcheck disable=SC2086 # two words
    set -- $what
    run hector migrate "$job.$1" "$2"
    is "$status $(sql "SELECT node FROM tasks WHERE job = $job AND rank = $1")" \
        "0 $2" "task $1 to $2"
    cat "$T/err" >&2
done
: >"$T/told/buffer_detach"
status=0
wait $runner || status=$?
is "$status $(grep -c ' of 4 wrong 0$' "$T/job.out")" '0 4' '... and all that came was right'
cat "$T/job.err" >&2
done_testing
