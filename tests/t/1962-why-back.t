# hector why tells the checkpoints of a job, and each time that it went back to one:
# why, how much of its work was behind it, and how long that took.
# limit: 60
# shellcheck disable=SC2016,SC2086 # words are wanted
. "${0%/*}/../lib/t.sh"
need_moves
need sqlite3
. "$top/tests/lib/rounds.sh"

R='hector-run --oversubscribe'
tasks=3
D="$T/a place"
day='[0-9:]{8}'                 # a time of today
took='[0-9.]+ [mu]?s'
save()          # DESCRIPTION
{
    run hector checkpoint "$job"
    is "$status" 0 "$1"
    cat "$T/err" >&2
    further 2
}
shoot()         # a task; back when the job runs again
{
    tap_was=$(pid_of 1)
    further 5
    kill -KILL "$tap_was"
    wait_for '[ "$(sql "SELECT count(*) FROM transition WHERE job = $job AND
        event = '\''connect'\''")" = $((tasks * ('"$1"' + 1))) ]'
    further 5
}

# ---------------------------------------------------------------------- goes back
begin --checkpoint-dir "$D"
save 'a checkpoint'
run hector why "$job"
like "$T/out" "^$day checkpoint 1 in $D/1: images of [0-9.]+[KM]B, the job stood for $took\$" \
    'a checkpoint is told'
ok '... and no return' eval '! grep -q "went back" "$T/out"'
save 'another one'
shoot 1
save 'one more'
shoot 2
shoot 3
whole 'the job has gone on'
run hector why "$job"
like "$T/out" "^$day checkpoint 1 in $D/1: .*; removed since\$" \
    'of one that is gone that is said'
like "$T/out" "^$day went back to checkpoint 2 of $day: task 1 on .* was killed by signal 9.*; \
$took of work were done again, and it ran again after $took\$" 'a return'
is "$(grep -Ec "^$day went back to checkpoint 3 of $day: " "$T/out")" 2 '... and others'
is "$(grep -c rollback "$T/out")" 0 '... each once'
is "$(grep -c '^task . was on' "$T/out")" 0 'tasks that stayed on their node need no words'
run hector why -j "$job"
is "$(sqlite3 :memory: "SELECT json_array_length(j, '\$.checkpoints'),
    json_array_length(j, '\$.returns'), json_array_length(j, '\$.moves'),
    json_array_length(j, '\$.verdicts'), json_extract(j, '\$.returns[0].checkpoint'),
    json_extract(j, '\$.returns[2].checkpoint'),
    json_extract(j, '\$.returns[0].lost_ns') < json_extract(j, '\$.returns[2].at_ns') -
        json_extract(j, '\$.returns[0].saved_ns'),
    json_extract(j, '\$.returns[2].lost_ns') < json_extract(j, '\$.returns[2].at_ns') -
        json_extract(j, '\$.returns[1].at_ns')
    FROM (SELECT CAST(readfile('$T/out') AS TEXT) AS j)")" '3|3|0|0|2|3|1|1' '... as JSON'
is "$(sql "SELECT number, lost_ns > 0, away_ns > 0 FROM returns WHERE job = $job" | xargs)" \
    '1|1|1 2|1|1 3|1|1' '... and in the view'

# ------------------------------------------------------------------- and not again
rm -rf "$D"
begin --checkpoint-dir "$D" --max-restarts 1
for i in 1 2 3 4 5; do save "checkpoint $i of many"; done
for n in 4 5; do
    printf 'X' | dd of="$D/$n/rank-1.image" bs=1 seek=5000 conv=notrunc 2>/dev/null
done
kill -KILL "$(pid_of 1)"
status=0
wait $runner || status=$?
is "$status" 125 'images that are damaged'
cat "$T/rounds.err" >&2
run hector why "$job"
like "$T/out" "^5 checkpoints in $D, from 1 at $day to 5 at $day, damaged: 4, 5; images of \
[0-9.]+MB at most, and the job stood for $took at most, for checkpoint [1-5]\$" \
    'many have one line'
like "$T/out" "went back to checkpoint 5 of $day: task 1 .* was killed by signal 9.*; \
$took of work were lost, and it has not run since\$" 'a return that failed'
like "$T/out" "went back to checkpoint 4 of $day: task 1 on .* could not be started: .*; \
$took of work were lost, and it has not run since\$" '... and the next one'
done_testing
