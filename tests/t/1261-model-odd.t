# hector model of what is not as it should be: tables of tasks that were full, a
# task that writes all over its page, threads, and a job that others have started.
# limit: 60
# shellcheck disable=SC2016
. "${0%/*}/../lib/t.sh"
export OMPI_MCA_rmaps_base_oversubscribe=1
job=0
full()          # KIND SENTENCE: exhausts that
{
    job=$((job + 1))
    run hector-run -n 2 --oversubscribe "$APPS/exhaust" "$1"
    is "$status $(out)" '0 exhaust: ok' "too many $1"
    run hector model "$job"
    is "$status" 0 '... there is a model'
    like "$T/out" "^[0-9]+ $2" '... that says what is not in it'
}

full sites 'calls are from places that found no room: they are "other"$'
like "$T/out" ' other ' '... and these calls are a state'
full edges 'steps found no room in the tables of their tasks: they are not here$'
run hector model $job -j
is "$(sqlite3 :memory: "SELECT json_extract(j, '\$.edges_lost') > 1000,
    json_extract(j, '\$.edges_lost') = (SELECT sum(json_extract(value,
    '\$.lost')) FROM json_each(j, '\$.phases')) FROM
    (SELECT CAST(readfile('$T/out') AS TEXT) j)")" '1|1' '... counted by phase'
job=$((job + 1))
run hector-run -n 2 --oversubscribe "$APPS/exhaust" threads
run hector model $job
like "$T/out" '2 tasks, 1[0-9][0-9] threads' 'many threads'

# A program without names.
if command -v strip >/dev/null; then
    strip -o "$T/bare" "$APPS/ring"
    job=$((job + 1))
    run hector-run -n 2 --oversubscribe "$T/bare"
    run hector model $job
    like "$T/out" ' Waitall +bare\+0x[0-9a-f]+' 'a stripped program: offsets'
    like "$T/out" "^No names of $T/bare: it is stripped" '... and why'
else
    skip 'a stripped program' 'no strip here'
fi

# Whatever a task writes there, who reads it comes to no harm.
job=$((job + 1))
hector-run -n 2 --oversubscribe "$APPS/scribble" 30000 >"$T/run.out" 2>"$T/run.err" &
runner=$!
wait_for '[ "$(sql "SELECT state FROM jobs WHERE job = $job")" = running ]'
asked=0
while [ "$asked" -lt 10 ] && kill -0 $runner 2>/dev/null; do
    hector model $job -j >"$T/out" 2>"$T/err" || :
    [ ! -s "$T/out" ] || ok "a task that scribbles is looked at ($asked)" \
        sqlite3 :memory: "SELECT json_valid(CAST(readfile('$T/out') AS TEXT))"
    asked=$((asked + 1))
done
hector kill $job >/dev/null 2>&1
wait $runner
run hector-run -n 2 --oversubscribe "$APPS/scribble" 50
is "$status" 0 '... and runs on'
job=$((job + 1))

# A job of mpirun.
if command -v mpirun >/dev/null; then
    job=$((job + 1))
    hector-run --adopt -- mpirun -n 2 "$APPS/ring" 100 8 >"$T/run.out" \
        2>"$T/run.err" &
    runner=$!
    adopted() { hector model $job >"$T/out" 2>"$T/err" &&
        grep -Eq ' Isend +[0-9]+ Waitall .* 0-1$' "$T/out"; }
    ok 'a job of mpirun' wait_for adopted
    like "$T/out" ' Waitall +main ring.c:' '... with its lines'
    wait $runner
    run hector model $job
    like "$T/out" "^job $job at [0-9:]+: 2 tasks, " '... what was asked for is kept'
else
    skip 'a job of mpirun' 'no mpirun here'
fi
done_testing
