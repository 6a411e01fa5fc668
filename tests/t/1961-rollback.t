# A job with checkpoints survives what kills one of its tasks: a signal, the end of a
# slave, of a host. It goes back to its last checkpoint, on the nodes that remain, and
# what people see is what they would have seen.
# limit: 80
# busy
# shellcheck disable=SC2016,SC2046,SC2086 # the tasks' shells expand; words are wanted
. "${0%/*}/../lib/t.sh"
need_moves
hosts 3
need sqlite3
. "$top/tests/lib/rounds.sh"

R="hector-run --launch-agent $AGENT -H n1:2,n2:2,n3:2 --oversubscribe --map-by node"
D=$T/saved
tasks=4
nodes()         # of the tasks, by rank
{
    sql "SELECT node FROM tasks WHERE job = $job ORDER BY rank" | xargs
}
returned()      # DESCRIPTION REGEXP TIMES: for that reason; so many times by now
{
    tap_d=$1
    wait_for "grep -Eq '$2.*: all tasks go back to checkpoint' '$T/rounds.err'"
    like "$T/rounds.err" "$2.*: all tasks go back to checkpoint [0-9]+ of [0-9:]+ in " "$tap_d"
    launched $(($3 + 1))
}
killed_host()   # HOST: all that runs there, and its cable
{
    ip link set "v$1" down
    kill_all_on "$1"
}

# -------------------------------------------------------------------------- a task
begin --checkpoint-dir "$D"
hector checkpoint "$job" >&2
further 5
kill -9 "$(pid_of 1)"
returned 'a task is killed' 'task 1 on n2 was killed by signal 9' 1
further 5
kill -SEGV "$(pid_of 3)"
returned 'another one crashes' 'task 3 on n1 was killed by signal 11' 2
further 5
hector checkpoint "$job" >&2
ok '... and there is a further checkpoint' [ -f "$D/2/checkpoint" ]
kill -9 "$(pid_of 0)"
returned 'and a third time' 'task 0 on n1 was killed by signal 9' 3
ok '... to the further one' grep -q 'back to checkpoint 2' "$T/rounds.err"
further 5
run hector migrate "$job.1" n3
is "$status" 0 '... its tasks are moved as ever'
further 3
whole 'nothing is missing and nothing twice'
is "$(sql "SELECT count(*) FROM actions WHERE job = $job AND action = 'rollback'")" 3 \
    '... the record says how often'
is "$(sql "SELECT count(*) FROM stays WHERE job = $job AND rank = 1")" 5 \
    '... and where its tasks were'
# One in which the task was ended has no end: of those that were entered since, all have.
is "$(sql "SELECT count(*) FROM events WHERE job = $job AND rank = 2 AND exit_ns IS NULL
    AND enter_ns > (SELECT max(at_ns) FROM transition WHERE job = $job AND
    machine = 'job' AND event = 'launched')")" 0 '... tagged calls have ended'

# ------------------------------------------------------------------- often enough
rm -rf "$D"
begin --checkpoint-dir "$D" --max-restarts 1
hector checkpoint "$job" >&2
kill -9 "$(pid_of 2)"
returned 'once' 'task 2 on n3 was killed' 1
further 2
kill -9 "$(pid_of 2)"
finish
is "$status $(tail -n 1 "$T/rounds.err" | grep -c 'task 2 on n3 was killed by signal 9')" \
    '137 1' 'and not once more than was said'
rm -rf "$D"
begin --checkpoint-dir "$D"
kill -9 "$(pid_of 2)"
finish
is "$status" 137 'without a checkpoint it ends as ever'
run $R -n 2 --checkpoint-dir "$T/none" sh -c 'exit 3'
is "$status" 3 'and as its tasks say'

# ------------------------------------------------------------------ a slave, a host
rm -rf "$D"
begin --checkpoint-dir "$D" --checkpoint-every 0.5
wait_for '[ -n "$(find "$D" -mindepth 2 -name checkpoint)" ]'
kill -9 "$(slave_on n2)"
returned 'a slave is killed' 'node n2 was lost' 1
is "$(nodes | grep -c n2)" 0 '... its node is left out'
further 5
killed_host n3
returned 'a host is lost' 'node n3 was lost' 2
is "$(nodes)" 'n1 n1 n1 n1' '... all tasks are on the one that remains'
further 5
whole 'nothing is missing and nothing twice'
# A host that is lost takes along what its processes had made.
on n3 sh -c 'rm -rf "$TMPDIR"/hector-* /dev/shm/hector-*'
done_testing
