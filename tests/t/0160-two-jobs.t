# Two jobs at once on one machine and one database: each its own number, its
# own tasks and its own events.
# limit: 60
. "${0%/*}/../lib/t.sh"

hector-run -n 2 --oversubscribe --name one "$APPS/tagloop" 30000 --text one \
    >"$T/1" 2>&1 &
a=$!
hector-run -n 2 --oversubscribe --name two "$APPS/tagloop" 30000 --text two \
    >"$T/2" 2>&1 &
b=$!
wait $a
is "$?" 0 'the first ends well'
wait $b
is "$?" 0 'the second too'
is "$(sql 'SELECT count(*), count(DISTINCT job) FROM jobs')" '2|2' \
    'two jobs with two numbers'
is "$(sql "SELECT j.name, e.label, rank, count(*), max(marker)
    FROM jobs j JOIN events e USING(job) GROUP BY j.name, e.label, rank
    ORDER BY 1, 2, 3" | tr '\n' ' ')" \
    'one|one|0|30000|29999 one|one|1|30000|29999 two|two|0|30000|29999 two|two|1|30000|29999 ' \
    'events belong to their job'

# Many short ones.
for i in 1 2 3 4 5 6; do
    hector-run -n 1 "$APPS/tagloop" 100 >/dev/null 2>>"$T/many" &
done
wait
is "$(cat "$T/many")" '' 'six at once: nobody complains'
is "$(sql "SELECT count(*), sum(exit_code) FROM jobs WHERE job > 2")" '6|0' \
    '... all are recorded'
is "$(sql 'SELECT count(*) FROM events WHERE job > 2')" 600 '... with all events'
done_testing
