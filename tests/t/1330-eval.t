# A small part of make eval: one run that hangs and one that does not, two
# policies that look at both, and that the sums are right.
# limit: 200
. "${0%/*}/../lib/t.sh"

export EVAL_DB="$T/eval.db"
KINDS='hang-after clean' POLICIES='hang hang:mode=3,times=1000' BEFORE=2 WAIT=10 \
    CLEAN_SECONDS=3 run sh "$top/tests/eval/eval.sh" "$build" 2 4 3
is "$status" 0 'eval'
like "$T/out" '^0 hang-after [a-z]+: hang [0-9.]+ s, hang:mode=3,times=1000 NOT FOUND$' \
    'a hang is found, the right task named; a patient policy finds none'
like "$T/out" '^1 clean [a-z]+: hang quiet, hang:mode=3,times=1000 quiet$' \
    'a clean run is left alone'
like "$T/out" \
    '^  =all +1 +1( +[0-9.]+){3} +1\.000 +1\.000 +1 +0 +0\.776$' \
    'the sums, with the bound for no alarm in two'
like "$T/out" '^  =all +1 +0( +-){5} +1 +0 +0\.776$' '... and of the other'
like "$T/out" '^hang in at most half the time of .*, or of the wait for it: 1 of 1$' \
    '... and which was sooner'
is "$(sqlite3 "$EVAL_DB" "SELECT count(*), sum(right), sum(found IS NOT NULL)
    FROM run")" '4|1|1' 'all of it is in a database'
done_testing
