# Deadlines over two hosts, whose clocks are known within a bound: a pipeline from the one
# to the other, and a master that is killed while something is due.
# limit: 60
# shellcheck disable=SC2016,SC2154 # words are wanted; $status is t.sh's
. "${0%/*}/../lib/t.sh"
hosts 2
need sqlite3

order() { echo "$*" >"$T/order.new" && mv "$T/order.new" "$T/order"; }
said()          # WORDS
{
    sql "SELECT count(*) FROM verdicts WHERE job = $job AND kind = 'deadline' AND
        why LIKE '%$1%'" 2>/dev/null || echo 0
}
kept() { sql "SELECT count(*) FROM deadlines WHERE job = $job AND ($1)" 2>/dev/null || echo 0; }
master_of()     # PID of hector-run: its private master
{
    tr ' ' '\n' <"/proc/$1/task/$1/children" | while read -r p; do
        [ "$(cat "/proc/$p/comm" 2>/dev/null)" != hector-master ] || echo "$p"
    done
}

fresh job.out job.err
hector-run --launch-agent "$AGENT" -H n1:2,n2:2 --oversubscribe --policy none \
    --policy deadline -n 4 --deadline 'in..out<=4s' --deadline 'beat/100s' \
    "$APPS/beat" 5 "$T/order" >"$T/job.out" 2>"$T/job.err" </dev/null &
runner=$!
job_runs
is "$(sql "SELECT count(DISTINCT node) FROM tasks WHERE job = $job")" 2 'on two hosts'
wait_for '[ "$(kept "rank IS NULL AND done_ns <= due_ns")" -ge 10 ]'
is "$(kept 'bound_ns = 0 AND rank IS NULL')" 0 \
    'what clocks may be off by is kept with each'
is "$(said missed)" 0 'nothing is late'

order stand 3
wait_for '[ "$(said ": missed")" -ge 1 ]'
before=$(kept 'rank IS NULL')
kill -9 "$(master_of $runner)"
wait_for 'grep -q "started again" "$T/job.err"'
order none
wait_for '[ "$(kept "rank IS NULL")" -ge $((before + 10)) ]'
order end
wait $runner
is $? 0 'the job has ended well, and a master was killed'
is "$(sql "SELECT count(*) FROM (SELECT deadline, rank, instance FROM deadlines
    WHERE job = $job GROUP BY 1, 2, 3 HAVING count(*) > 1)")" 0 'no instance is there twice'
is "$(kept "rank IS NULL AND done_ns > due_ns")" 1 'one was late, as it came'
is "$(kept "deadline LIKE 'beat/%' AND late")" 0 'nothing else was, whoever watched'
done_testing
