# Programs with threads that may call MPI: those that deadlock are proven, with the
# place of the call, whichever thread has made it, or several threads at once; those
# in which a thread that is outside of MPI frees the others after some seconds are
# left alone.
# limit: 80
# busy
. "${0%/*}/../lib/t.sh"

some='serialized-ring serialized-thread serialized-send serialized-regions
    serialized-single serialized-by-turns serialized-other-waits
    serialized-hands-over serialized-polite'
more='multiple-ring multiple-thread multiple-send multiple-waiters
    multiple-regions multiple-single multiple-by-turns multiple-other-waits
    multiple-other-call'
several='multiple-both-take multiple-takes-and-meets multiple-meets-and-takes
    multiple-joins-both funneled-spinner serialized-spinner'
healthy='multiple-nap multiple-compute multiple-timed multiple-chain
    funneled-raised'
others='multiple-alarm multiple-pipe multiple-child multiple-early
    multiple-two-in'
thirds='multiple-third multiple-third-naps multiple-third-is-posted
    multiple-served multiple-raised'

# Mostly they wait: so several at a time, for as long as it takes.
export LIMIT=600
for names in "$some" "$more" "$several" "$healthy" "$others" "$thirds"; do
    n=$((${n:-0} + 1))
    # shellcheck disable=SC2086 # several names
    sh "$top/tests/eval/deadlocks.sh" "$build" $names >"$T/$n" 2>&1 &
done
WITH=--migratable sh "$top/tests/eval/deadlocks.sh" "$build" serialized-ring \
    multiple-send multiple-nap >"$T/moves" 2>&1 &
wait
for names in "$some" "$more" "$several" "$healthy" "$others" "$thirds"; do
    for name in $names; do
        ok "$name" grep -q "^ok .* threads $name\$" "$T"/[1-6]
    done
done
ok 'tasks that can be moved: the same' grep -q '^# 3 of 3 are right' "$T/moves"
cat "$T/moves" >&2
sed -n 's/^# \(status.*\)/# \1/p' "$T"/[1-6]
done_testing
