# What policies see of tasks that stand: who waits for input, is stopped by
# somebody, by us, or in the kernel; and of a real hang: who it is, where in the
# source, that the same comes out of a replay, and that nothing is said of the
# run without it.
# limit: 120
. "${0%/*}/../lib/t.sh"
need cc

cc -shared -fPIC -I "$top/policies" -o odd.so "$top/tests/lib/odd_policy.c"
flags() { sed -n "s/.*task $1 on .*flags=\([0-9a-f]*\) .*/\1/p" "$T/err" | head -n 1; }
running() { [ "$(sql "SELECT count(*) FROM tasks WHERE job = 1 AND
    state = 'running'" 2>/dev/null)" = 4 ]; }

# Tasks that are no MPI programs: one reads a terminal or pipe, the others
# sleep, one of them stopped, one suspended.
mkfifo in
hector-run --stdin 0 --policy none --policy "$T/odd.so:mode=1,at=90,every=0.03" \
    -n 1 cat : -n 3 sleep 8 <in >"$T/out" 2>"$T/err" &
runner=$!
exec 3>in
wait_for running 10
kill -STOP "$(sql 'SELECT pid FROM tasks WHERE rank = 2')"
hector suspend 1.3 >/dev/null
wait_for 'grep -q "task 3 on" "$T/err"' 20
is "$(flags 0) $(flags 1) $(flags 2) $(flags 3)" '80 0 100 10' \
    'waits for input, sleeps, is stopped, is suspended'
kill -CONT "$(sql 'SELECT pid FROM tasks WHERE rank = 2')"
hector kill 1 >/dev/null
exec 3>&-
wait $runner
rm -f in

# A hang: found, the right task, at once where it can be proven.
hang()          # FAULT SECONDS: status 123 within that time
{
    job=$((job + 1))
    from=$(date +%s)
    run hector-run -n 4 --oversubscribe --on-hang kill --timeout 100 \
        --inject "rank=2,call=MPI_$1" "$APPS/stencil" 16 100
    is "$status" 123 "$1: found and ended"
    ok "... within $2 s" [ $(($(date +%s) - from)) -le "$2" ]
    is "$(sql "SELECT count(*) FROM verdicts WHERE job = $job AND kind = '$3'
        AND policy = 'hang'")" 1 "... as $3"
    run hector replay "$job"
    is "$(out)" "$(sql "SELECT group_concat(detail, '') FROM verdict
        WHERE job = $job")" '... and so by the replay'
}
job=1
hang 'Waitall:200,fault=spin' 60 deadlock

run hector-run -n 4 --oversubscribe --on-hang kill "$APPS/stencil" 16 3
is "$status|$(cat "$T/err")" '0|' 'without a fault nothing is said'
job=$((job + 1))
is "$(sql "SELECT count(*) FROM verdicts WHERE job = $job")" 0 '... or found'
ok '... and what was seen is kept' [ "$(sql "SELECT sum(length(data)) FROM look
    WHERE job = $job")" -gt 100 ]
done_testing
