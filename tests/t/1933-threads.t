# Tasks of which several threads call MPI are moved, saved and made again: at the same
# time (MPI_THREAD_MULTIPLE) and in turn (MPI_THREAD_SERIALIZED), with threads that come
# and go, that know nothing of MPI, and a first one that only waits for the others.
# limit: 60
# busy
# shellcheck disable=SC2016,SC2086,SC2154 # evaluated later; words; t.sh's
. "${0%/*}/../lib/t.sh"
need_moves
hosts 3
need sqlite3

R="hector-run --launch-agent $AGENT -H n1:2,n2:2,n3:2 --oversubscribe --map-by node"
begin()         # HOW WORD...: a job of $tasks tasks, which run when it is back
{
    how=$1
    shift
    rm -f "$T/enough" "$T/enough.crowd" "$T/out.run" "$T/err.run"
    $R "$@" -n $tasks --migratable "$build/apps/threads" "$T/enough" $how </dev/null \
        >"$T/out.run" 2>"$T/err.run" &
    runner=$!
    wait_for '[ "$(grep -c begun "$T/out.run" 2>/dev/null)" = $tasks ]'
    job=$(sql 'SELECT max(job) FROM jobs')
}
moved()         # DESCRIPTION RANKS NODE
{
    run hector migrate "$job.$2" $3
    is "$status $(sql "SELECT DISTINCT node FROM tasks WHERE job = $job AND
        rank IN ($2)")" "0 $3" "$1"
    cat "$T/err" >&2
}
finish()        # DESCRIPTION
{
    : >"$T/enough"
    status=0
    wait $runner || status=$?
    is "$status $(grep -c "of $tasks wrong 0 main 1 rounds" "$T/out.run")" "0 $tasks" "$1"
    [ "$status" = 0 ] || cat "$T/out.run" "$T/err.run" >&2
}

# ------------------------------------------------------------------- at a time
tasks=3
begin 3
moved 'a task with several threads in MPI' 1 n1
moved '... and on' 1 n3
moved '... two at once' 0,1 n2
moved '... and the others' 2 n1
finish '... and all that came was right'

# -------------------------------------------------------------------- in turn
begin '2 serialized'
moved 'with one thread in MPI at a time' 1 n3
moved '... and back' 1 n2
finish '... and all that came was right'

begin 1
moved 'with MPI_THREAD_MULTIPLE and one thread' 0 n3
finish '... and all that came was right'

# ------------------------------------------------------------------- too many
begin '1 crowd'
wait_for '[ "$(grep -c crowd "$T/out.run")" = $tasks ]'
run hector migrate $job.0 n3
is "$status $(grep -c 'task [0-2] cannot be moved: too many of its threads call MPI' \
    "$T/err")" '1 1' 'not with more threads than there are places'
cat "$T/err" >&2
: >"$T/enough.crowd"
wait_for '[ "$(grep -c left "$T/out.run")" = $tasks ]'
moved '... but when they have ended' 0 n3
finish '... and all that came was right'

# ------------------------------------------------------------------- in files
D=$T/saved
begin 2 --checkpoint-dir "$D"
run hector checkpoint $job
is "$status $(cat "$T/err")" '0 ' 'a checkpoint of such tasks'
kill -9 "$(sql "SELECT pid FROM tasks WHERE job = $job AND rank = 1")"
wait_for 'grep -q "all tasks go back to checkpoint" "$T/err.run"'
wait_for '[ "$(sql "SELECT away_ns > 0 FROM returns WHERE job = $job")" = 1 ]'
run hector suspend --to-disk $job
is "$status $(cat "$T/err")" '0 ' '... to which they go back, and are stored'
run hector resume $job
is "$status $(cat "$T/err")" '0 ' '... and go on'
finish '... and all that came was right'
done_testing
