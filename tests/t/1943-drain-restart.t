# The master is killed amid a drain: the next one goes on with it, to the nodes that were
# named, whoever waits can wait again, and the node can be undrained.
# limit: 60
# shellcheck disable=SC2016,SC2086,SC2154 # evaluated later; words; t.sh's
. "${0%/*}/../lib/t.sh"
need_moves
hosts 3
need sqlite3
. "$top/tests/lib/rounds.sh"

# Who is to become a task waits as long as it is to.
hold_back hector-restore
start_nodes
R="hector-run --master $master --oversubscribe --migratable"
masters=0
again()         # it is killed, and started again
{
    kill -KILL $master_pid
    wait $master_pid 2>/dev/null || :
    masters=$((masters + 1))
    launch_master "master-$masters"
}
is_on()         # NODE: how many tasks of all jobs are
{
    sql "SELECT count(*) FROM tasks t JOIN jobs j ON j.job = t.job
        WHERE node = '$1' AND j.ended_ns IS NULL"
}
stored()        # what a later master would go on with
{
    sql "SELECT drain_why FROM node WHERE name = 'n1'"
}

# -------------------------------------------- before, and while, its tasks are moved
# None of them is through before the master is killed, however late that is.
tasks=4
for state in begun checked apart; do
    [ $state = apart ] || more=ballast=40
    begin -H n1:4
    unset more
    fresh drain.out drain.err
    held=$(pid_of 3)
    if [ $state = apart ]; then : >"$T/hold"; else kill -STOP "$held"; fi
    hector drain n1 --wait >"$T/drain.out" 2>"$T/drain.err" &
    asker=$!
    case $state in
    begun) wait_for 'stored | grep -q hector' ;;
    *) wait_for "sql \"SELECT count(*) FROM transition WHERE job = $job AND
        machine = 'move' AND state_to = '$state'\" | grep -q 1" ;;
    esac
    again
    if [ $state = apart ]; then rm "$T/hold"; else kill -CONT "$held"; fi
    status=0
    wait $asker || status=$?
    is "$status $(grep -c 'hector drain n1 --wait waits for that' "$T/drain.err") $(
        wc -l <"$T/drain.err")" '1 1 1' "$state: who waited is told what to do"
    nodes_joined "master-$masters"
    run hector drain n1 --wait
    is "$status $(cat "$T/err")" '0 ' '... which waits for the next master'
    cat "$T/out" >&2
    is "$(is_on n1)" 0 '... that has let all tasks leave'
    wait_for '[ -z "$(stored)" ]'    # it is written a moment after the answer
    is "$(stored)" '' '... and has nothing more to do'
    # A node is empty a moment before the last move is over.
    wait_for '[ "$(sql "SELECT count(*) FROM moves WHERE job = $job AND result IS NULL")" = 0 ]'
    is "$(sql "SELECT count(*) > 0, count(*) FILTER (WHERE result IS NULL),
        count(*) FILTER (WHERE ranks = '') FROM moves WHERE job = $job")" '1|0|0' \
        '... each move has an end in the account'
    whole '... of a job that goes on'
    run hector undrain n1
    is "$status" 0 '... and the node can be used again'
done

# ------------------------------------------------------------------ where they go
begin -H n1:2
kill -STOP "$(pid_of 1)"
hector drain n1 --to n3 >"$T/drain.out"
again
kill -CONT "$(pid_of 1)"
wait_for '[ "$(is_on n1)" = 0 ]'
is "$(sql "SELECT DISTINCT node FROM tasks WHERE job = $job")" n3 \
    'nobody waits: all leave as well, for the node that was named'
wait_for '[ -z "$(stored)" ]'
again
nodes_joined "master-$masters"
run hector drain n1
is "$status $(cat "$T/err")" '1 hector: n1: node n1 is draining already' \
    'a drain that is over is not begun anew, and the node stays empty'
whole '... and the job goes on'

# ----------------------------------------------------------------------- undrained
run hector undrain n1
begin -H n1:2
slave=$(slave_on n1)
kill -STOP "$(pid_of 1)"
hector drain n1 >"$T/drain.out"
kill -STOP $slave
again
run hector undrain n1
is "$status $(cat "$T/out")" '0 n1: it takes tasks again' 'undrained before the tasks have left'
is "$(stored)" '' '... which is stored'
kill -CONT $slave "$(pid_of 1)"
nodes_joined "master-$masters"
further 3
is "$(is_on n1)" 4 '... so they stay'
whole '... and go on'
done_testing
