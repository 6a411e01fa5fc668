# Tagged calls, up to a million of them: in the database is each enter and exit exactly
# once, in order.
# limit: 60
. "${0%/*}/../lib/t.sh"

exactly()       # JOB RANKS COUNT WHAT: markers 0..COUNT-1 of each rank
{
    is "$(sql "SELECT rank, count(*), count(DISTINCT marker), min(marker),
        max(marker) FROM events WHERE job = $1 GROUP BY rank" | tr '\n' ' ')" \
        "$(for r in $2; do printf '%s|%s|%s|0|%s ' "$r" "$3" "$3" \
            $(($3 - 1)); done)" "$4: each call once"
    is "$(sql "SELECT count(*) FROM (SELECT rank, seq, marker,
        lag(seq) OVER (PARTITION BY rank ORDER BY id) AS before
        FROM event WHERE job = $1)
        WHERE seq <> ifnull(before, -1) + 1 OR seq <> marker")" 0 \
        "$4: in order"
    is "$(sql "SELECT count(*) FROM (SELECT enter_ns, exit_ns,
        lag(exit_ns) OVER (PARTITION BY rank ORDER BY marker) AS before
        FROM events WHERE job = $1)
        WHERE exit_ns IS NULL OR exit_ns < enter_ns OR enter_ns < before")" 0 \
        "$4: enter and exit do not overlap"
}
last() { sql 'SELECT max(job) FROM jobs'; }

run hector-run -n 4 --oversubscribe "$APPS/tagloop" 20000
is "$status" 0 '20,000 on each of four'
exactly "$(last)" '0 1 2 3' 20000 'four tasks'
run hector-run -n 1 "$APPS/tagloop" 1000000
is "$status" 0 'a million'
exactly "$(last)" 0 1000000 'a million'
is "$(sql 'SELECT sum(ring_lost) FROM task')" 0 'no record was lost'
is "$(sql "SELECT mpi_calls >= 1000000 FROM tasks WHERE job = $(last)")" 1 \
    'the calls are counted as well'
run hector-run -n 1 --stdtim=- "$APPS/tagloop" 100000
is "$(grep -c '^Task 0 E' "$T/out")" 200000 'all of 100,000 on stdtim'
is "$(sed -n 's/^Task 0 Exit :thread 0\t\([0-9]*\)\t.*/\1/p' "$T/out" |
    awk '$1 != NR - 1' | wc -l)" 0 '... in order'
done_testing
