# Tasks whose first thread, the one that calls MPI, waits for threads that compute are
# moved, there and back, and saved: in each way in which the C library lets one wait.
# limit: 60
# shellcheck disable=SC2016,SC2086,SC2154 # evaluated later; words; t.sh's
. "${0%/*}/../lib/t.sh"
need_moves
hosts 2
need sqlite3

R="hector-run --launch-agent $AGENT -H n1:2,n2:2 --oversubscribe"
tasks=2
begin()         # WORD...: a job whose tasks wait in files of $T/go
{
    rm -rf "$T/go"
    mkdir "$T/go"
    fresh out.run
    $R "$@" -n $tasks "$build/apps/helpers" "$T/go" </dev/null >"$T/out.run" \
        2>"$T/err.run" &
    runner=$!
}
waits_in()      # PHASE: all do, or will in a moment
{
    wait_for "[ \"\$(grep -c '^phase $1\$' '$T/out.run')\" -ge $tasks ]"
}
begin --migratable
wait_for 'grep -q phase "$T/out.run"'
job=$(sql 'SELECT max(job) FROM jobs')
to=n2
for phase in pthread_join pthread_timedjoin_np thrd_join sem_wait sem_timedwait \
    pthread_barrier_wait pthread_cond_wait pthread_cond_timedwait cnd_wait \
    pthread_mutex_lock openmp recursive checking pthread_rwlock_rdlock \
    pthread_rwlock_wrlock nest; do
    waits_in $phase
    run hector migrate $job.1 $to
    is "$status $(sql "SELECT node FROM tasks WHERE job = $job AND rank = 1")" "0 $to" \
        "a task moves that waits in $phase"
    cat "$T/err" >&2
    [ $to = n1 ] && to=n2 || to=n1
    : >"$T/go/$phase"
done
# Who waits for that goes on with the number that he had before.
waits_in robust
run hector migrate --quiesce-timeout 1 $job.1 $to
is "$status $(grep -c 'nothing was moved, the job goes on: task [01] does not stand still' \
    "$T/err")" '1 1' '... but not one that waits for a robust mutex'
cat "$T/err" >&2
: >"$T/go/robust"
status=0
wait $runner || status=$?
is "$status $(grep -c "of $tasks wrong 0\$" "$T/out.run")" "0 $tasks" \
    '... and all goes on, and notices nothing'
cat "$T/err.run" >&2

begin --checkpoint-dir "$T/saved"
waits_in pthread_join
job=$(sql 'SELECT max(job) FROM jobs')
run hector suspend --to-disk $job
is "$status $(cat "$T/err")" '0 ' 'they are suspended to disk'
run hector resume --on n2 $job
is "$status $(cat "$T/err")" '0 ' '... and go on elsewhere'
for phase in pthread_join pthread_timedjoin_np thrd_join sem_wait sem_timedwait \
    pthread_barrier_wait pthread_cond_wait pthread_cond_timedwait cnd_wait \
    pthread_mutex_lock openmp recursive checking pthread_rwlock_rdlock \
    pthread_rwlock_wrlock nest robust; do
    : >"$T/go/$phase"
done
status=0
wait $runner || status=$?
is "$status $(grep -c "of $tasks wrong 0\$" "$T/out.run")" "0 $tasks" '... to the end'
cat "$T/err.run" >&2
done_testing
