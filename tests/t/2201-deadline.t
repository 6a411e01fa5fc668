# Deadlines of a running job: what is due and has not come is said while it is missing,
# what is in time is kept and not said, and it is over when it is met again; after a
# master was killed, and in a replay, the same.
# limit: 80
# shellcheck disable=SC2016,SC2154 # words are wanted; $status is t.sh's
. "${0%/*}/../lib/t.sh"
need sqlite3

order() { echo "$*" >"$T/order.new" && mv "$T/order.new" "$T/order"; }
# OPTION... : four tasks, until the order is to end; $job
begin()
{
    fresh job.out job.err
    rm -f "$T/order"
    hector-run --oversubscribe --policy none --policy "${policy:-deadline}" -n 4 "$@" \
        "$APPS/beat" 5 "$T/order" \
        >"$T/job.out" 2>"$T/job.err" </dev/null &
    runner=$!
    job_runs
}
end()
{
    order end
    status=0
    wait $runner || status=$?
}
said()          # WORDS of verdicts' text: how many there are
{
    sql "SELECT count(*) FROM verdicts WHERE job = $job AND kind = 'deadline' AND
        why LIKE '%$1%'" 2>/dev/null || echo 0
}
kept()          # CONDITION
{
    sql "SELECT count(*) FROM deadlines WHERE job = $job AND ($1)" 2>/dev/null || echo 0
}
beats() { sql "SELECT count(*) FROM events WHERE job = $job AND label = 'beat'"; }

# ------------------------------------------------------- in time, of each kind
begin --deadline 'beat<=300s' --deadline 'beat/300s,ranks=1-2' --deadline 'in..out<=300s' \
    --deadline 'beat@start+k*300s' --deadline 300s
wait_for '[ "$(kept "deadline LIKE '"'in..out%'"'")" -ge 20 ]'
order rest
wait_for 'grep -q rests "$T/job.out"'
wait_for '[ "$(kept "deadline LIKE '"'beat<=%'"'")" = "$(beats)" ]'
end
is "$status" 0 'what is due of it is nothing to the job'
is "$(cat "$T/job.err")" '' 'nothing is said of what is in time'
is "$(sql "SELECT count(*) FROM verdicts WHERE job = $job AND kind = 'deadline'")" 0 \
    '... and nothing found'
is "$(kept "deadline NOT LIKE 'beat@%' AND
    (margin_ns <= 0 OR done_ns > due_ns OR done_ns < release_ns)")" 0 \
    'every instance was done between release and due'
beats=$(beats)
is "$(kept "deadline LIKE 'beat<=%'")" "$beats" 'a call: each of each rank is kept'
is "$(sql "SELECT group_concat(DISTINCT rank) FROM deadlines
    WHERE job = $job AND deadline LIKE 'beat/%'")" '1,2' 'a period: of its ranks'
is "$(kept "deadline LIKE 'beat/%'")" $((beats / 2 - 2)) '... one less than there are calls'
is "$(kept "deadline LIKE 'in..out%' AND rank IS NULL")" $((beats / 4)) \
    'a span: one for each marker'
is "$(kept "deadline LIKE 'beat@%'")" "$beats" 'a clock: each call'
is "$(kept "deadline = '5m' AND rank IS NULL AND done_ns < due_ns")" 1 'the end: once'
# The span's times are those of the calls.
is "$(sql "SELECT count(*) FROM deadlines d
    JOIN events a ON a.job = d.job AND a.label = 'in' AND a.marker = d.instance
    JOIN events b ON b.job = d.job AND b.label = 'out' AND b.marker = d.instance
    WHERE d.job = $job AND d.deadline LIKE 'in..out%' AND
        abs(d.release_ns - a.enter_ns) < 50000000 AND
        abs(d.done_ns - b.exit_ns) < 50000000 AND
        abs(d.done_ns - d.release_ns - b.exit_ns + a.enter_ns) < 50000000")" \
    $((beats / 4)) '... from the first entry to the last exit'
run hector deadlines "$job"
is "$status" 0 'hector deadlines'
like "$T/out" "in..out<=5m +$((beats / 4)) +$((beats / 4)) +0 " '... says how many were met'

# --------------------------------------------- said while it is missing, and after
begin --deadline 'in..out<=3s' --deadline 'beat<=100s'
wait_for '[ "$(kept "deadline LIKE '"'in..out%'"'")" -ge 10 ]'
order stand 2
wait_for '[ "$(said ": missed")" -ge 1 ]'
ok 'missed, though nothing has come' test "$(said ': missed')" -ge 1
wait_for 'grep -q "is late" "$T/job.err"'
like "$T/job.err" "^hector: job $job is late.*deadline in\.\.out<=3s: missed" 'the user is told'
is "$(kept 'done_ns IS NULL AND margin_ns IS NULL')" 1 'one instance is open'
run hector deadlines "$job"
like "$T/out" 'in..out<=3s +[0-9]+ +[0-9]+ +1 ' 'hector deadlines counts it, live'
order none
wait_for '[ "$(said "met again")" -ge 1 ]'
end
is "$status" 0 'it has ended well'
is "$(kept 'done_ns IS NULL')" 0 'the instance has come to an end'
is "$(kept "done_ns > due_ns AND margin_ns < 0")" 1 '... late'
is "$(said ': missed')" 1 'said once'
is "$(grep -c 'is late' "$T/job.err")" 1 '... also to the user'
is "$(sql "SELECT count(*) FROM verdicts WHERE job = $job AND kind = 'deadline' AND
    why LIKE '%beat<=%'")" 0 'nothing of what was in time'
sql "SELECT detail FROM verdict WHERE job = $job AND policy = 'deadline' ORDER BY seq, rowid" |
    grep . >"$T/live"
run hector replay "$job" --policy deadline
is "$(cat "$T/out")" "$(cat "$T/live")" 'hector replay finds the same, byte for byte'

# ------------------------------------------------------------------ the job's end
begin --deadline 1s
wait_for '[ "$(said ": missed")" -ge 1 ]'
wait_for 'grep -q "is late" "$T/job.err"'
end
is "$status" 0 'late, and well'
is "$(kept 'rank IS NULL AND done_ns > due_ns')" 1 'the end came late'

# ------------------------------------------------------------------- what never comes
policy=deadline:never=1
begin --deadline 'absent<=10ms'
wait_for 'grep -q "absent" "$T/job.err"'
like "$T/job.err" 'absent<=10ms: no call' 'a label that does not come is said'
end

done_testing
