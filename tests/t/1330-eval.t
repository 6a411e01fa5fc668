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
    '^  =all +1 +1( +[0-9.]+) +-( +[0-9.]+){2} +1\.000 +1\.000 +1 +0 +0\.776$' \
    'the sums, with the bound for no alarm in two'
like "$T/out" '^  =all +1 +0( +-){6} +1 +0 +0\.776$' '... and of the other'
like "$T/out" '^hang in at most half the time of .*, or of the wait for it: 1 of 1$' \
    '... and which was sooner'
like "$T/out" '^hang +hangs found mean s +sd median +max ' '... below their names'
is "$(sqlite3 "$EVAL_DB" "SELECT count(*), sum(right), sum(found IS NOT NULL)
    FROM run")" '4|1|1' 'all of it is in a database'

# The delays of three more rows, of which the standard deviation is known.
sqlite3 "$EVAL_DB" "INSERT INTO run(policy, seed, number, kind, hangs, fault,
    found, delay_s, right, blamed, early, back, status, ended) VALUES
    ('p', 4, 1, 'spin', 1, 'f', 'hang', 1, 1, 1, 0, 0, 0, 1),
    ('p', 4, 2, 'spin', 1, 'f', 'hang', 2, 1, 1, 0, 0, 0, 1),
    ('p', 4, 3, 'spin', 1, 'f', 'hang', 6, 1, 1, 0, 0, 0, 1)"
run sh "$top/tests/eval/table.sh" "$EVAL_DB" 4
like "$T/out" '^  spin +3 +3 +3\.00 +2\.65 +2\.00 +6\.00 +1\.000 ' \
    'mean, standard deviation, median and largest of the delays'
done_testing
