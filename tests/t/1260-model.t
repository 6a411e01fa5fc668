# hector model: the steps of a ring with known counts, on two hosts; phases with
# steps of their own, by tags and by MPI_Pcontrol; while the job runs, and what is
# kept of it; as a graph; a job that ends by itself; tasks without the wrapper
# library, and bad input.
# limit: 60
# shellcheck disable=SC2016,SC2154
. "${0%/*}/../lib/t.sh"
hosts 2

job=0
run_job()       # OPTION... PROGRAM: four tasks on two hosts
{
    job=$((job + 1))
    hector-run --launch-agent "$AGENT" -H n1:2,n2:2 -n 4 --oversubscribe "$@" \
        >"$T/run.out" 2>"$T/run.err" </dev/null &
    runner=$!
}
finish() { kill -TERM "$runner"; wait "$runner"; }
query()         # QUERY: over steps(phase, a, b, n, ranks, im, isd), by name
{
    sqlite3 -separator ' ' :memory: "
    WITH d(j) AS (SELECT CAST(readfile('$T/out') AS TEXT)),
    s AS (SELECT json_extract(value, '\$.id') id,
                 json_extract(value, '\$.call') call,
                 json_extract(value, '\$.place') place
          FROM d, json_each(j, '\$.states')),
    p AS (SELECT json_extract(value, '\$.id') id,
                 json_extract(value, '\$.phase') phase,
                 json_extract(value, '\$.label') label,
                 json_extract(value, '\$.merged') merged,
                 json_extract(value, '\$.steps') n,
                 json_extract(value, '\$.ranks') ranks
          FROM d, json_each(j, '\$.phases')),
    e AS (SELECT json_extract(value, '\$.phase_id') pid,
                 json_extract(value, '\$.from') f, json_extract(value, '\$.to') t,
                 json_extract(value, '\$.count') n,
                 json_extract(value, '\$.ranks') ranks,
                 json_extract(value, '\$.in_mean_ns') im,
                 json_extract(value, '\$.in_sd_ns') isd
          FROM d, json_each(j, '\$.edges')),
    steps AS (SELECT p.phase, a.call a, b.call b, e.n, e.ranks, im, isd,
                     a.place pa, b.place pb
              FROM e JOIN p ON p.id = pid JOIN s a ON a.id = e.f
              JOIN s b ON b.id = e.t)
    $1"
}
waits()         # CALL: all tasks have come to the call where they stay
{
    hector model "$job" -j >"$T/out" 2>"$T/err" &&
        [ "$(query "SELECT sum(n) FROM steps WHERE b = '$1'")" = "$2" ]
}

# Each of 20 rounds is Irecv, Isend, Waitall, Barrier; then one task hangs in a
# sum, and the others wait for it there.
export KERNEL_ROUNDS=20
run_job --inject 'rank=0,call=MPI_Allreduce,fault=hang' "$APPS/ring"
ok 'a ring of four tasks on two hosts' wait_for 'waits MPI_Allreduce 4'
is "$(query "SELECT a, b, sum(n), ranks FROM steps WHERE a IN ('MPI_Irecv',
    'MPI_Isend', 'MPI_Waitall', 'MPI_Barrier') GROUP BY a, b, ranks ORDER BY 1, 2")" \
    'MPI_Barrier MPI_Allreduce 4 0-3
MPI_Barrier MPI_Irecv 76 0-3
MPI_Irecv MPI_Isend 80 0-3
MPI_Isend MPI_Waitall 80 0-3
MPI_Waitall MPI_Barrier 80 0-3' '... all steps of both hosts, each counted once'
line_of() { grep -n "$2" "$top/tests/apps/$1" | head -n 1 | cut -d : -f 1; }
is "$(query "SELECT DISTINCT pa FROM steps WHERE a = 'MPI_Waitall'")" \
    "main ring.c:$(line_of ring.c 'MPI_Waitall(')" '... and their lines'
is "$(query "SELECT count(*) FROM steps WHERE a = 'MPI_Waitall' AND im > 0
    AND isd > 0")" 1 '... with a mean and a deviation'
run hector model "$job.1"
like "$T/out" '^job 1.1: 1 task, ' 'one task'
like "$T/out" '[0-9] Waitall +[0-9]+ Barrier +[0-9.]+ +20 ' '... and its steps'
like "$T/out" ' Waitall +main ring.c:' '... and its states'
run hector model "$job.7"
is "$status,$(cat "$T/err")" '1,hector: job 1 has 4 tasks: there is no task 7' \
    'no such task'
run hector model "$job" -n 2 -j
is "$(query 'SELECT count(*) FROM steps')" 2 'the first steps only'
run hector model "$job" -n 2
like "$T/out" '^and [0-9]+ more$' '... and how many there are'
run hector model "$job" --histogram
like "$T/out" 'Waitall +[0-9]+ Barrier +in MPI +.*\[.*[.:=+*#@-].*\]$' 'histograms'
run script -qec "stty cols 80; hector model $job" /dev/null
is "$status" 0 'on a terminal'
is "$(tr -d '\r' <"$T/out" | awk 'length($0) > 80')" '' \
    '... 80 columns are enough'
if command -v dot >/dev/null; then
    run hector model "$job" --dot
    ok 'Graphviz draws it' dot -Tsvg -o "$T/dot.svg" "$T/out"
    like "$T/dot.svg" '>80 x [0-9.]+ [mun]?s \+ [0-9.]+ [mun]?s<' \
        '... with counts and means on the edges'
else
    skip 'Graphviz draws it' 'no dot here'
fi

# What somebody asked for is kept; in the end, what they have come to.
counts() { query 'SELECT a, b, n, ranks FROM steps ORDER BY a, b'; }
hector model "$job" -j >"$T/out"
before=$(counts)
run hector model "$job" -j --last
is "$(counts)" "$before" 'what is kept is what was asked for'
finish
run hector model "$job" -j
is "$status" 0 'a job that has ended'
is "$(counts)" "$before" '... has made the same steps'
like "$T/out" '"title":"job 1 at [0-9:]+"' '... until then'
run hector model "$job.0"
is "$status,$(wc -l <"$T/err")" 1,1 '... and only all of it is kept'

# Three phases by tags. Only the last two stand by themselves.
export KERNEL_ROUNDS=1
run_job --phase tag --inject 'rank=0,call=MPI_Allreduce:11,fault=hang' \
    "$APPS/phases"
collected() { hector model "$job" -j >"$T/out" 2>"$T/err" &&
    [ "$(query "SELECT n FROM steps WHERE phase = 3 AND a = 'MPI_Bcast' AND
        b = 'MPI_Allreduce'")" = 4 ]; }
ok 'a program with phases' wait_for collected
is "$(query "SELECT a, b, n FROM steps WHERE phase = 2 AND a = b")" \
    'MPI_Allreduce MPI_Allreduce 36' 'the steps of one phase'
is "$(query "SELECT a, b, n FROM steps WHERE phase = 3 AND b = 'MPI_Bcast'")" \
    'MPI_Gather MPI_Bcast 40' '... and of the next'
is "$(query "SELECT count(*) FROM steps WHERE phase = 3 AND a = b")" 0 \
    '... which has no other'
is "$(query "SELECT phase, merged, ranks FROM p ORDER BY phase")" ' 2 0-3
2  0-3
3  0-3' 'the phases, with those that are over'
run hector model "$job" --phase 2
like "$T/out" '^Steps of phase 2,' 'one phase'
is "$(grep -c 'Gather' "$T/out")" 0 '... without the steps of another'
run hector model "$job" --phase earlier
like "$T/out" 'Sendrecv_replace' 'those that are over'
run hector model "$job" --phases
like "$T/out" '^earlier \(2\) +- +-' 'the list of phases'
is "$(grep -c Steps "$T/out")" 0 '... alone'
run hector model "$job" --phase 9
is "$status,$(wc -l <"$T/err")" 1,1 'no such phase'
like "$T/err" 'there is no phase 9' '... in words'
steps3=$(hector model "$job" -j >"$T/out" && query 'SELECT a, b, n FROM steps WHERE phase = 3
    ORDER BY 1, 2')
run hector model "$job" --window phase -j
is "$(query 'SELECT phase, merged, ranks FROM p')" '3  0-3' 'since the phase of each task began'
is "$(query 'SELECT a, b, n FROM steps ORDER BY 1, 2')" "$steps3" '... there are its steps'
run hector model "$job" --window phase
like "$T/out" "^job $job, since its phase began, [0-9.]+ [a-z]+: 4 tasks" '... and since when'
run hector model "$job" --window last -j
is "$(query 'SELECT count(*), min(merged), ranks FROM p')" '1 1 0-3' 'the last minutes: no phases'
is "$(query "SELECT a, b, n FROM steps WHERE a = b AND a = 'MPI_Allreduce'")" \
    'MPI_Allreduce MPI_Allreduce 36' '... but all steps, of a job that began in them'
run hector model "$job.1" --window last
like "$T/out" "^job $job.1, the last [0-9.]+ [a-z]+: 1 task" '... of one task'
finish
run hector model "$job" --window last
is "$status,$(cat "$T/err")" "1,hector: $job: what is kept of a job is the model of all its time" \
    '... and when it has ended there is none'
run hector model "$job" -j
is "$(query "SELECT a, b, n FROM steps WHERE phase = 2 AND a = b")" \
    'MPI_Allreduce MPI_Allreduce 36' '... also when it has ended'

run_job --phase pcontrol --inject 'rank=0,call=MPI_Allreduce:11,fault=hang' \
    "$APPS/phases"
ok 'phases by MPI_Pcontrol' wait_for 'waits MPI_Allreduce 44'
is "$(query "SELECT phase, label FROM p WHERE phase > 1 ORDER BY 1")" '2 2
3 3' '... with its levels as labels'
finish

# A job that ends before anybody asks.
unset KERNEL_ROUNDS
run hector-run --oversubscribe -n 2 "$APPS/ring"
job=$((job + 1))
run hector model "$job" -j
is "$status" 0 'nobody has asked while it ran'
is "$(query "SELECT a, b, n, ranks FROM steps WHERE a = 'MPI_Allreduce'")" \
    'MPI_Allreduce MPI_Finalize 2 0-1' '... and it is there to the end'

# Nobody calls MPI by way of the library.
run_job env -u LD_PRELOAD sleep 100
wait_for '[ "$(sql "SELECT count(*) FROM tasks WHERE job = $job AND pid > 0")" = 4 ]'
run hector model "$job"
is "$status,$(cat "$T/err")" "1,hector: job $job [0-3]: it has no model: it has \
not called MPI_Init, or not by way of the wrapper library" \
    'without the wrapper library: one sentence'
finish
run hector model "$job"
is "$status" 1 'and when it has ended'
like "$T/err" "no model of job $job is kept" '... in words'
run hector model 99
is "$status,$(wc -l <"$T/err")" 1,1 'no such job'
for bad in '' '1 2' '--phase x 1' '--phase 1 --phases 1' '-j --dot 1' \
    '--svg 1' 'x' '--window x 1' '--window last --phase 1 1' '--window phase --last 1' \
    '--window last --histogram 1'; do
    # shellcheck disable=SC2086 # words are wanted
    run hector model $bad
    is "$status,$(wc -l <"$T/err")" 2,1 "bad input: $bad"
done
done_testing
