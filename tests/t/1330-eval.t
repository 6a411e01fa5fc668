# A small part of make eval: the two ends of it, and that its sums are right.
# limit: 200
. "${0%/*}/../lib/t.sh"

export EVAL_DB="$T/eval.db"
KINDS='spin clean' CLEAN_SECONDS=3 run sh "$top/tests/eval/eval.sh" "$build" 2 4 3
is "$status" 0 'eval'
like "$T/out" '^spin [a-z]+ (deadlock|hang) of [0-9,-]+ after [0-9.]+ s, faulty is' \
    'a hang is found'
like "$T/out" '^clean [a-z]+ left alone$' 'a clean run is left alone'
like "$T/out" '^hang: accuracy 1 of 1; false alarms 0 of 1, rate below 0.950;' \
    'the sums, with the bound for none of one'
is "$(sqlite3 "$EVAL_DB" 'SELECT count(*), sum(right) FROM run')" '2|1' \
    'all of it is in a database'
done_testing
