# The policy outlier over several nodes, with more tasks than it takes for a sample: a
# question goes to all slaves and its answers are merged; a slave that says nothing is
# left out, a master that is killed amid questions asks again.
# limit: 100
# busy
# shellcheck disable=SC2016,SC2154 # words are wanted; $status is t.sh's
. "${0%/*}/../lib/t.sh"
hosts 3
need sqlite3
start_nodes

outliers()      # RANK
{
    sql "SELECT count(*) FROM verdicts WHERE job = $job AND kind = 'outlier' AND
        ranks = '$1'" 2>/dev/null
}
# RANK OPTION...: a job in which it is slow
begin()
{
    slow=$1
    shift
    fresh out
    KERNEL_ROUNDS=100000000 hector-run --master "$master" -n 66 --oversubscribe \
        --policy none --policy outlier:every=1,least=0.02 --inject \
        "rank=$slow,call=MPI_Waitall:5,fault=slow-after,time=100ms" "$@" \
        "$APPS/stencil" 32 >"$T/out" 2>"$T/err" </dev/null &
    runner=$!
    job_runs
}
end()
{
    kill $runner
    status=0
    wait $runner || status=$?
}

# ------------------------------------------------------------ who is on another node
begin 65
told='task 65 is slower than 6[0-9] others like it between MPI_Waitall.*, in exchange '\
'\(stencil.c:[0-9]+\)'
wait_for 'grep -Eq "$told" "$T/err"'
# Whom the machine keeps from its processor is another matter.
is "$(sql "SELECT count(*) FROM verdicts WHERE job = $job AND ranks <> '65' AND
    why NOT LIKE '%its node has too much to do%'")" 0 \
    'one of 66 on three nodes is named, and nobody else'
like "$T/err" "$told" \
    '... and all were compared, not the sample alone'

end

# ------------------------------------------------------ a master killed before that
begin 65
kill -KILL "$master_pid"
wait "$master_pid" 2>/dev/null || :
is "$(outliers 65)" 0 'a master is killed that has named nobody yet'
launch_master master-2
nodes_joined master-2
wait_for '[ "$(outliers 65)" -gt 0 ]'
end
run hector why "$job"
like "$T/out" 'task 65 is slower than 6[0-9] others like it' '... and the next one does'

# ------------------------------------------------------------- a slave that stands
begin 40
slave=$(slave_on "$(sql "SELECT node FROM tasks WHERE job = $job AND rank = 65")")
# Not for so long that its node is taken to be lost, which is 6 s.
for i in $(seq 60); do
    kill -STOP "$slave"
    wait_only '[ "$(outliers 40)" -gt 0 ]' 2 2>/dev/null && break
    kill -CONT "$slave"
    wait_only '[ "$(outliers 40)" -gt 0 ]' 1 2>/dev/null && break
    kill -0 $runner 2>/dev/null || break
done
kill -CONT "$slave"
end
run hector why "$job"
like "$T/out" 'task 40 is slower than [0-9]+ others like it' \
    'who is slow is named though a slave says nothing'
done_testing
