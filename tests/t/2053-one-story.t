# A job has one story: when a deadlock is proven, who is behind is told of nobody else, nor
# once more of those that the proof names; of some of them it is.
# limit: 80
. "${0%/*}/../lib/t.sh"
need sqlite3

job=0
stuck()         # NAME TASKS: until the proof is told, and for ten seconds more
{
    job=$((job + 1))
    hector-run -n "$2" --oversubscribe --policy none --policy hang --policy progress \
        --on-hang report "$build/deadlocks/stuck" "$1" >"$T/out" 2>"$T/err" </dev/null &
    runner=$!
    wait_for 'grep -q "is deadlocked" "$T/err"'
    after_looks
    kill $runner
    wait $runner
}
said()          # whom sentences of the policy progress name
{
    sql "SELECT group_concat(DISTINCT ranks) FROM verdicts WHERE job = $job
        AND policy = 'progress'"
}
stuck pair-beside 6
like "$T/err" 'deadlocked.*faulty: tasks 4-5: deadlock: ranks 4-5 all wait for messages' \
    'two of six wait for each other'
is "$(said)" '' '... and none of the others is behind'
is "$(grep -c behind "$T/err")" 0 '... nor said to be'

# What task 1 has sent does not fit, and is not what task 0 waits for.
stuck answer-tag 2
like "$T/err" 'deadlocked.*tasks 0-1: deadlock: ranks 0-1 all wait' 'two wait for each other'
is "$(sql "SELECT place, ranks FROM progress WHERE job = $job ORDER BY place LIMIT 1")" \
    '1|0' '... who of them is behind is known'
is "$(grep -c 'are behind.*: task 0: ' "$T/err")" 1 '... and told'

# Both are at the same point.
stuck recv-cycle 2
like "$T/err" 'deadlocked.*tasks 0-1: deadlock: ranks 0-1 all wait' 'two do the same'
is "$(grep -c 'are behind' "$T/err")" 0 '... and that is told once'
done_testing
