# Three strengths: what is proven, what a model with a history says, and what is
# only noticed. A task that writes, sleeps, or waits for a child, a lock or a
# pipe behind a loop that ran well does not hang, and nothing is done about it;
# what never ends and cannot be proven is named (make eval says within what time).
# limit: 100
# busy
. "${0%/*}/../lib/t.sh"

# They take seconds, mostly of waiting: several at a time, beside all that follows.
one='busy-loop-write busy-loop-inline busy-loop-system busy-loop-lock
    busy-loop-finalize'
two='lost-compute-once lost-never-init lost-exits-early lost-never-finalize
    lost-pauses-at-end'
three='lost-exchange lost-fetch-and-add lost-in-loop busy-solver'
four='lost-threads-asleep lost-threads-two-in lost-two-of-four lost-one-probes'
five='lost-ibarrier-computes lost-ibarrier-waits lost-threads-works'
for names in "$one" "$two" "$three" "$four" "$five"; do
    n=$((${n:-0} + 1))
    # shellcheck disable=SC2086 # several names
    LIMIT=600 LATE=600 PATIENCE=6 sh "$top/tests/eval/deadlocks.sh" "$build" $names \
        >"$T/all.$n" 2>&1 &
done

goes_on()       # WORDS COMMAND...: ten seconds after these have come it runs; $status
{
    words=$1 job=1
    shift
    fresh err
    hector-run -n 2 --oversubscribe --on-hang kill "$@" >"$T/out" 2>"$T/err" </dev/null &
    runner=$!
    wait_for 'grep -Eq "$words" "$T/err"'
    after_looks
    kill -TERM $runner
    status=0
    wait $runner || status=$?
}
young()         # a verdict that is not as old as is wished does nothing yet
{
    goes_on 'it is ended, as --on-hang kill wishes, if it still stands' \
        --inject 'rank=1,call=MPI_Bcast:200,fault=hang-after' "$APPS/stencil" 16 100
    is "$status" 143 'a verdict is not acted on when it is young'
    like "$T/err" 'it is ended, as --on-hang kill wishes, if it still stands when '\
'that has lasted for 60 s$' '... which is said'
}
spin()          # tasks that wait for each other, but ask in a loop, may give up: a notice
{
    goes_on 'asking in a loop for a message' "$build/deadlocks/stuck" spin-both
    is "$status" 143 'who asks in a loop is not ended by --on-hang kill'
    like "$T/err" '^hector: job 1: ranks 0-1 have waited for each other for [0-9.]+ s: '\
'rank [01] waits in MPI_I?[A-Za-z]+.*, asking in a loop for a message from rank [01] .*; '\
'nothing seen so far says whether that is wrong$' '... and named in one line'
    is "$(grep -cE '% sure|moves again|hangs' "$T/err")" 0 '... once and for all'
    is "$(sql "SELECT kind || ' ' || score FROM verdicts WHERE policy = 'hang'")" \
        'notice 0.0' '... recorded as a notice'
}
lane young young
lane spin spin

# A notice is one line, said once; what the task waits for stands in it. Asked for,
# it ends the job; and the record says the same again.
export BUSY=40
run hector-run -n 2 --oversubscribe --on-hang kill:patience=17s \
    "$build/deadlocks/busy" loop-system
is "$status" 123 'patience alone ends a job of who asked for it'
like "$T/err" '^hector: job 1: rank 0 has been outside of MPI for [1-9][0-9.]+ s, '\
'after MPI_Allreduce, and waits for a child process, pid [0-9]+ \((sh|sleep)\), and '\
'rank 1 waits for it in MPI_Barrier; nothing seen so far says whether that is wrong$' 'the words'
is "$(grep -c '% sure' "$T/err")" 0 '... with no percentage'
is "$(grep -c 'rank 0 has been' "$T/err")" 1 '... once'
is "$(sql "SELECT group_concat(kind || ' ' || ranks || ' ' || score) FROM verdicts
    WHERE policy = 'hang'")" \
    'notice 0 0.0' '... recorded as a notice'
is "$(sql "SELECT group_concat(action || ' ' || by || ' ' || result) FROM actions
    WHERE by = 'hang' AND why NOT LIKE 'it was busy when%'")" \
    'report hang done,kill hang done' '... and what was done'
run hector replay 1
is "$(out)" "$(sql "SELECT group_concat(detail, '') FROM verdict
    WHERE policy = 'hang'")" \
    '... a replay says the same'
run hector why 1
like "$T/out" 'hang: job 1: rank 0 has been outside of MPI' '... and hector why'

run hector-run -n 2 --oversubscribe --on-hang kill:patience=1s \
    "$build/deadlocks/stuck" spin-both
is "$status" 123 'who asks in a loop is ended with patience='

# hector.conf says the same for who says nothing; what is wrong is refused.
mkdir -p "$T/conf/hector"
printf '[run]\non_hang = kill:age=1s\n' >"$T/conf/hector/hector.conf"
XDG_CONFIG_HOME=$T/conf run hector-run -n 2 --oversubscribe \
    --inject 'rank=1,call=MPI_Bcast:200,fault=hang-after' "$APPS/stencil" 16 100
is "$status" 123 'hector.conf: on_hang'
printf '[run]\non_hang = kill:age=soon\n' >"$T/conf/hector/hector.conf"
XDG_CONFIG_HOME=$T/conf run hector-run -n 2 true
is "$status|$(cat "$T/err")" \
    '2|hector: hector.conf: on_hang: age=soon: a time is wanted, as 90s or 10m' \
    '... that is wrong'
for bad in kill: kill:age kill:sure=20 kill:sure=101 kill:colour=1 report:age=1s; do
    run hector-run --on-hang "$bad" -n 2 true
    is "$status|$(wc -l <"$T/err")" '2|1' "refused: --on-hang $bad"
done

lanes
wait
for names in "$one" "$two" "$three" "$four" "$five"; do
    for name in $names; do
        ok "${name%%-*}: ${name#*-}" \
            grep -q "^ok .* ${name%%-*} ${name#*-}\$" "$T"/all.[1-5]
    done
done
sed -n 's/^# \(status.*\)/# \1/p' "$T"/all.[1-5]
done_testing
