# --on-hang migrate, and the master is killed: after the verdict, before the move is
# due; and at steps of the move. The next master sees to it that the task to blame is
# moved, once.
# limit: 60
# shellcheck disable=SC2016,SC2086,SC2154 # evaluated later; words; t.sh's
. "${0%/*}/../lib/t.sh"
need_moves
hosts 3
need sqlite3
. "$top/tests/lib/rounds.sh"
cc -shared -fPIC -I "$top/policies" -o "$T/odd.so" "$top/tests/lib/odd_policy.c"

start_nodes
tasks=2
next_master()   # in place of one that is killed
{
    kill -9 $master_pid
    wait $master_pid 2>/dev/null || :
    mv "$T/master.log" "$T/master.log.$job"
    launch_master master
    nodes_joined master
}
hangs()         # AGE: a job of which task 1 is to blame
{
    R="hector-run --master $master --oversubscribe --map-by node
        --policy $T/odd.so:mode=9,at=10 --on-hang migrate:age=$1"
    begin -H n1:1,n2:1,n3:1 --migratable
}
moved_once()    # DESCRIPTION
{
    wait_for '[ "$(sql "SELECT node FROM tasks WHERE job = $job AND rank = 1")" = n3 ] &&
        [ "$(sql "SELECT count(*) FROM actions WHERE job = $job AND action = '"'migrate'"'
        AND result = '"'done'"'")" = 1 ]' || cat "$T/rounds.err" "$T/master.log" >&2
    finish
    is "$status $(grep -c 'of 2 wrong 0' "$T/rounds.out") $(sql "SELECT node, count(*)
        FROM stays WHERE job = $job AND rank = 1 GROUP BY node ORDER BY node" |
        xargs)" '0 2 n2|1 n3|1' "$1"
    cat "$T/rounds.err" >&2
}
hangs 4s
wait_for '[ "$(sql "SELECT count(*) FROM verdicts WHERE job = $job AND kind = '"'hang'"'")" \
    -ge 1 ]'
next_master
moved_once 'a verdict of a master that is killed leads to the move'

for step in checked quiet apart imaged restored; do
    hangs 1s
    wait_for "[ \"\$(sql \"SELECT count(*) FROM transition WHERE job = $job AND
        machine = 'move' AND event = '$step'\")\" -ge 1 ]"
    next_master
    moved_once "a move that a master has ordered, which is killed when all is $step"
done
done_testing
