# Programs with threads that may call MPI: those that deadlock are proven, with the
# place of the call, whichever thread has made it; those in which a thread that is
# outside of MPI frees the others after some seconds are left alone.
# limit: 240
. "${0%/*}/../lib/t.sh"

some='serialized-ring serialized-thread serialized-send serialized-regions
    serialized-single serialized-by-turns serialized-other-waits
    serialized-hands-over serialized-polite'
more='multiple-ring multiple-thread multiple-send multiple-waiters
    multiple-regions multiple-single multiple-by-turns multiple-other-waits
    multiple-other-call'
healthy='multiple-nap multiple-compute multiple-timed multiple-chain'
others='multiple-alarm multiple-pipe multiple-child multiple-early
    multiple-two-in'

# Mostly they wait: so several at a time.
for names in "$some" "$more" "$healthy" "$others"; do
    n=$((${n:-0} + 1))
    # shellcheck disable=SC2086 # several names
    sh "$top/tests/eval/deadlocks.sh" "$build" $names >"$T/$n" 2>&1 &
done
wait
for names in "$some" "$more" "$healthy" "$others"; do
    for name in $names; do
        ok "$name" grep -q "^ok .* threads $name\$" "$T"/[1-4]
    done
done
sed -n 's/^# \(status.*\)/# \1/p' "$T"/[1-4]
done_testing
