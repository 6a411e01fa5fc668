# The policy progress with more tasks than models are read of: all are asked where they
# are, and what their models say; it is the same as where all models are read. A slave
# that stands is left out; a replay says the same.
# limit: 60
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
    job_runs
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
# Lines of the program come later than who is behind, and not at all to one who asks on
# a busy machine.
stay='behind MPI_Comm_size, stay (ways.c:[0-9]*)'
whole()
{
    graph >"$T/graph-$policy"
    grep -q "^. 1\. task $late: $stay, others wait for it: by the model\$" \
        "$T/graph-$policy" &&
        grep -q "^  2\. tasks 0-3,5-8: $stay, waits for 1\$" "$T/graph-$policy"
}

# ------------------------------------------------------------ the model decides
late=4
for policy in progress progress:models=0; do
    begin 9 "$APPS/ways" $late
    wait_for whole
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
wait_for 'grep -q "behind: task 7" "$T/run.err"'
like "$T/run.err" 'task 7 has made the least progress: 8 tasks wait for it, .*by the collective' \
    'of a hang, too, the exact goes first'
end
run hector replay "$job" --policy progress:models=3
is "$(out)$(cat "$T/err")" "$(sql "SELECT group_concat(detail, '') FROM verdict
    WHERE job = $job AND policy = 'progress'")" '... and a replay says the same bytes'

# -------------------------------------------- -------- a slave that stands
policy=progress:models=0
begin 9 "$APPS/ways" $late
wait_for stands
gone=$(sql "SELECT min(rank) || '-' || max(rank) FROM tasks WHERE job = $job AND node = 'n3'")
slave=$(slave_on n3)
kill -STOP "$slave"
run hector why "$job" --progress
kill -CONT "$slave"
like "$T/out" "^\\* 1\\. task $late: .*: by the model\$" \
    'a slave that stands: of the others it is said who is behind'
is "$(grep "tasks $gone:" "$T/out" | grep -v 'behind MPI_Comm_size$')" '' \
    '... of its tasks it is not known where in the program they are, and nothing else'
end
done_testing
