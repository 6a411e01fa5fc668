# A small part of make eval: one run that hangs and two that do not, two
# policies that look at all, that the sums are right, and what the runs of a whole
# one are.
# limit: 80
. "${0%/*}/../lib/t.sh"

export EVAL_DB="$T/eval.db"
KINDS='hang-after clean imbalance' POLICIES='hang hang:mode=3,times=1000' BEFORE=2 WAIT=20 \
    CLEAN_SECONDS=3 run sh "$top/tests/eval/eval.sh" "$build" 3 3-4 3
is "$status" 0 'eval'
like "$T/out" '^0 hang-after [a-z]+: hang [0-9.]+ s, hang:mode=3,times=1000 NOT FOUND$' \
    'a hang is found, the right task named; a patient policy finds none'
like "$T/out" '^1 clean [a-z]+: hang quiet, hang:mode=3,times=1000 quiet$' \
    'a clean run is left alone'
like "$T/out" '^2 imbalance imbalance: hang quiet, ' '... and one that is uneven'
like "$T/out" \
    '^  =all +1 +1( +[0-9.]+) +-( +[0-9.]+){2} +1\.000 +1\.000 +2 +0 +0\.632$' \
    'the sums, with the bound for no alarm in three'
like "$T/out" '^  =all +1 +0( +-){6} +2 +0 +0\.632$' '... and of the other'
like "$T/out" '^hang in at most half the time of .*, or of the wait for it: 1 of 1$' \
    '... and which was sooner'
like "$T/out" '^hang +hangs found mean s +sd median +max ' '... below their names'
is "$(sqlite3 "$EVAL_DB" "SELECT count(*), sum(right), sum(found IS NOT NULL)
    FROM run")" '6|1|1' 'all of it is in a database'

# The delays of three more rows, of which the standard deviation is known.
sqlite3 "$EVAL_DB" "INSERT INTO run(policy, seed, number, kind, hangs, fault,
    found, delay_s, right, blamed, early, back, status, ended) VALUES
    ('p', 4, 1, 'spin', 1, 'f', 'hang', 1, 1, 1, 0, 0, 0, 1),
    ('p', 4, 2, 'spin', 1, 'f', 'hang', 2, 1, 1, 0, 0, 0, 1),
    ('p', 4, 3, 'spin', 1, 'f', 'hang', 6, 1, 1, 0, 0, 0, 1)"
run sh "$top/tests/eval/table.sh" "$EVAL_DB" 4
like "$T/out" '^  spin +3 +3 +3\.00 +2\.65 +2\.00 +6\.00 +1\.000 ' \
    'mean, standard deviation, median and largest of the delays'

# Of who asks in a loop there is a notice, and no more.
KINDS=spin POLICIES='hang:patience=1' BEFORE=1 WAIT=12 run sh "$top/tests/eval/eval.sh" \
    "$build" 1 3 5
like "$T/out" '^0 spin farm: hang:patience=1 noticed after [0-9.]+ s$' \
    'a task that asks in a loop is noticed'
like "$T/out" '^  of 1 that were not found a notice names the task in 1, after [0-9.]+ s ' \
    '... and counted'

# What is drawn: a run is the same again, and where the number of tasks is drawn,
# it is in its range, and even for hpcc.
list() { LIST=1 EVAL_DB="$T/none" run sh "$top/tests/eval/eval.sh" "$build" "$@"; }
list 200 8 1
is "$(awk '$7 == "none" || $2 ~ /^(stall|slow)/ { n[$2]++ } { all++ } END {
    print all, n["clean"], n["imbalance"], n["io"], n["slow"], n["stall"],
    n["stall-after"] }' "$T/out")" '200 20 10 5 5 5 5' '200 runs: 50 do not hang'
is "$(sed -n '5p;8p' "$T/out")" \
    '4 loop-after cg 8 150 30 rank=3,call=MPI_*,after=16.7,fault=cpu-after,time=10m
7 stall transpose 8 26 0 rank=7,call=MPI_*,after=16.1,fault=stall,time=5' 'a seed means what it did'
list 400 8-16 1
is "$(awk '$4 < 8 || $4 > 16 || ($3 == "hpcc" && $4 % 2) { bad++ } {
    split($7, f, /[=,]/); if ($7 != "none" && f[2] >= $4) bad++; seen[$4] }
    END { for (i in seen) n++; print n, bad + 0 }' "$T/out")" '9 0' 'a range of tasks'
list 1 8-x 1
is "$status|$(cat "$T/err")" '2|eval.sh: TASKS is a number from 2, or a range such as 8-16' \
    '... that is none'
ok '... and nothing was written' [ ! -e "$T/none" ]
done_testing
