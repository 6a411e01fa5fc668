# The policy progress with more tasks than models are read of: all are asked where they
# are, and what their models say; it is the same as where all models are read. A slave
# that stands, and one that is gone, are left out, and that is said; a replay says the
# same.
# limit: 300
# shellcheck disable=SC2016,SC2154 # words are wanted; $status is t.sh's
. "${0%/*}/../lib/t.sh"
hosts 3
need sqlite3
start_nodes

begin()         # TASKS PROGRAM [ARGUMENT...]: with the policy of $policy
{
    tasks=$1
    shift
    fresh run.out
    KERNEL_ROUNDS=100000000 hector-run --master "$master" -n "$tasks" --oversubscribe \
        --policy none --policy hang --policy "$policy" "$@" >"$T/run.out" 2>"$T/run.err" \
        </dev/null &
    runner=$!
    wait_for 'sql "SELECT max(job) FROM jobs WHERE state = '\''running'\''" 2>/dev/null |
        grep -q "[1-9]"' 60
    job=$(sql 'SELECT max(job) FROM jobs')
}
end()
{
    kill $runner
    status=0
    wait $runner || status=$?
}
graph()         # without the times: who is where, and who waits for whom
{
    hector why "$job" --progress 2>&1 | sed '/^job /d'
}
stands()        # the late one is where it stays, and so is the last of the others
{
    graph | grep -q "^. 1. task $late: behind MPI_Comm_size"
}
said()
{
    sql "SELECT detail FROM verdict WHERE job = $job AND policy = 'progress'
        ORDER BY at_ns DESC LIMIT 1"
}

# ------------------------------------------------------------ the model decides
late=4
for policy in progress progress:models=0; do
    begin 9 "$APPS/ways" $late
    wait_for stands 90
    wait_for 'graph | grep -q "2\. tasks 0-3,5-8: behind MPI_Comm_size"' 90
    graph >"$T/graph-$policy"
    end
done
is "$(cat "$T/graph-progress:models=0")" "$(cat "$T/graph-progress")" \
    'what all tasks answer is what their models say in one place'
like "$T/graph-progress" '^\* 1\. task 4: .*, others wait for it: by the model$' \
    '... the model decides'
run hector replay "$job" --policy progress:models=0
like "$T/out" 'task 4 has made the least progress: 8 tasks wait for it, behind MPI_Comm_size' \
    '... and a replay says the same'

# -------------------------------------------------- iterations of loops, and a hang
policy=progress:models=3
begin 9 --inject rank=7,call=MPI_Allreduce:40,fault=hang-after "$APPS/cg" 32
wait_for 'grep -q "behind: task 7" "$T/run.err"' 90
like "$T/run.err" 'task 7 has made the least progress: 8 tasks wait for it, .*by the collective' \
    'of a hang, too, the exact goes first'
end
run hector replay "$job" --policy progress:models=3
is "$(out)$(cat "$T/err")" "$(sql "SELECT group_concat(detail, '') FROM verdict
    WHERE job = $job AND policy = 'progress'")" '... and a replay says the same bytes'

# -------------------------------------------- a slave that stands, one that is gone
policy=progress:models=0
begin 9 "$APPS/ways" $late
wait_for stands 90
of=$(sql "SELECT node FROM tasks WHERE job = $job AND rank = 8")
slave=$(slave_on "$of")
gone=$(sql "SELECT group_concat(rank) FROM tasks WHERE job = $job AND node = '$of'")
kill -STOP "$slave"
run hector why "$job" --progress
kill -CONT "$slave"
like "$T/out" "^. 1\. task $late: " 'a slave that stands: who is behind of the others is named'
is "$(grep -c "[ ,-]$(echo "$gone" | sed 's/.*,//')[:,]" "$T/out")" 0 \
    '... without the tasks that are there'
kill -KILL "$slave"
run hector why "$job" --progress
like "$T/out" "^. 1\. task $late: " 'one that is gone: the same'
end
done_testing
