# The master is killed while a job is written to files, and while it waits for nodes to
# be resumed on: the next master says that the one was not done, and does the other.
# limit: 60
# shellcheck disable=SC2016,SC2086,SC2154 # evaluated later; words; t.sh's
. "${0%/*}/../lib/t.sh"
need_moves
hosts 3
need sqlite3
. "$top/tests/lib/rounds.sh"

# Nothing is written as long as it is not to be.
hold_back hector-keep write
start_nodes
sed -i 's/^join_wait.*/join_wait = 60s/' "$T/master.conf"      # of the next ones
R="hector-run --master $master --oversubscribe"
tasks=4
masters=0
state() { sql "SELECT state FROM jobs WHERE job = $job"; }
nodes() { sql "SELECT DISTINCT node FROM tasks WHERE job = $job" | xargs; }
again()         # it is killed, and started again
{
    kill -KILL $master_pid
    wait $master_pid 2>/dev/null || :
    masters=$((masters + 1))
    launch_master "master-$masters"
}

# ------------------------------------------------------------ while it is written
begin -H n1:2,n2:2 --checkpoint-dir "$T/saved" --max-restarts 1
further 3
fresh suspend.out
: >"$T/hold"
hector suspend --to-disk $job >"$T/suspend.out" 2>&1 &
asker=$!
wait_for 'sql "SELECT count(*) FROM transition WHERE event = '\''apart'\''" | grep -q 1'
again
rm "$T/hold"
wait $asker || :
cat "$T/suspend.out" >&2
is "$(wc -l <"$T/suspend.out")" 1 'who has asked is told so'
nodes_joined "master-$masters"
further 3
is "$(state)" running 'a job that was being written goes on'
is "$(sql "SELECT result FROM actions WHERE job = $job AND action = 'checkpoint'")" \
    'not done: hector-master ended meanwhile' '... which is recorded'

# ------------------------------------------------------------ while it is resumed
run hector suspend --to-disk $job
is "$status" 0 'the next master stores it'
wait_for '[ "$(state)" = stored ]'
kill -STOP "$guard_n3" "$(slave_on n3)"
wait_for 'sql "SELECT state FROM nodes WHERE node = '\''n3'\''" | grep -qv up'
run hector resume --on n3 $job
is "$status" 0 'it is resumed on a node that is not there just now'
wait_for '[ "$(state)" = waiting ]'
again
kill -CONT "$guard_n3" "$(slave_on n3)"
wait_for '[ "$(state)" = running ]'
further 3
is "$(nodes)" n3 '... where it goes on, when that is'

# -------------------------------------------------------- to be resumed is no return
again
nodes_joined "master-$masters"
kill -KILL "$(pid_of 2)"
launched 3
further 3
is "$(grep -c 'all tasks go back to checkpoint' "$T/rounds.err")" 1 \
    'it may go back once, as it did not before'
whole 'nothing is missing and nothing twice'
done_testing
