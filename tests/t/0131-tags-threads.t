# Tags under MPI_THREAD_MULTIPLE: a tag belongs to the calling thread, no
# stamp is lost, doubled or given to another thread; also with more threads
# than the page has slots.
# limit: 60
. "${0%/*}/../lib/t.sh"

threads()       # THREADS COUNT
{
    run hector-run -n 2 --oversubscribe "$APPS/tagloop" "$2" --threads "$1"
    is "$status" 0 "$1 threads: status 0"
    job=$(sql 'SELECT max(job) FROM jobs')
    is "$(sql "SELECT count(*) FROM (SELECT rank, label, count(*) AS n,
        count(DISTINCT marker) AS d, min(marker) AS low, max(marker) AS high,
        sum(exit_ns >= enter_ns) AS good FROM events WHERE job = $job
        GROUP BY rank, label) WHERE n = $2 AND d = n AND low = 0
        AND high = n - 1 AND good = n")" $((2 * $1)) \
        "$1 threads on two tasks: each call of each thread once"
    is "$(sql "SELECT count(*) FROM (SELECT enter_ns, lag(exit_ns)
        OVER (PARTITION BY rank, label ORDER BY marker) AS before
        FROM events WHERE job = $job) WHERE enter_ns < before")" 0 \
        "$1 threads: calls of one thread do not overlap"
    is "$(sql "SELECT count(*) FROM (SELECT seq, lag(seq)
        OVER (PARTITION BY rank ORDER BY seq) AS before FROM event
        WHERE job = $job) WHERE seq <> ifnull(before, -1) + 1")" 0 \
        "$1 threads: the numbers of a task have no gap"
}
threads 2 20000
threads 8 5000
threads 80 200
done_testing
