# The policy outlier where others wait: a task that stands inside of a call that all
# are in for as long is named, with its line; one that has more work, by what it sends,
# is not said to be slow, and one that is slow with the same work is.
# limit: 60
# busy
# shellcheck disable=SC2016,SC2154 # words are wanted; $status is t.sh's
. "${0%/*}/../lib/t.sh"
need sqlite3

every=1
# OPTION...: a job that runs until it is ended; $job
begin()
{
    fresh out
    KERNEL_ROUNDS=100000000 hector-run -n 8 --oversubscribe --policy none \
        --policy "outlier:every=$every,least=0.05" "$@" >"$T/out" 2>"$T/err" </dev/null &
    runner=$!
    job_runs
}
end()
{
    kill $runner
    wait $runner || :
}

# ------------------------------------------------------------- stands in a call
begin --inject rank=5,call=MPI_Allreduce:50,fault=stall,time=8s "$APPS/cg" 24
told="^hector: job $job has tasks unlike the others \\(.* sure, error in communication\\), \
odd: task 5: task 5 stood in MPI_Allreduce while [4-7] others waited: for .*, [0-9.]* % of \
the time, in dot \\(cg.c:[0-9]+\\)\$"
wait_for 'grep -Eq "$told" "$T/err"'
# Where that is comes a little later, and not of what is compared at the end.
line='^ +1 +5 MPI_Allreduce +cg.c +[0-9]+ '
wait_for 'hector why "$job" --outliers --method stands >"$T/lines" 2>&1 &&
    grep -qE "$line" "$T/lines"'
end
like "$T/err" "$told" 'who stands while all others wait'
# Whom the machine keeps from its processor is another matter.
is "$(sql "SELECT group_concat(DISTINCT ranks) FROM verdicts WHERE job = $job AND
    why NOT LIKE '%its node has too much to do%'")" 5 '... and nobody else'
run hector why "$job"
like "$T/out" '^  task 5 on [^ ]+: slept in MPI_Allreduce for .*, once for .*, while [4-7] '\
'others that waited asked for messages, .*in dot \(cg.c' '... and hector why says why'
run hector why "$job" --outliers --method stands
like "$T/out" '^stands +1 +5 ' '... and it is in the list'
like "$T/lines" "$line" '... with its line'
run hector replay "$job" --policy outlier:every=1,least=0.05
like "$T/out" 'task 5 stood in MPI_Allreduce while [4-7] others waited' '... as a replay finds'

# ------------------------------------------------------------------- more work
# On a busy machine it is said to be the node's fault, and is of another kind.
begin "$APPS/uneven" 10 0 equal
told='task 1 is slower than 7 others like it .*between MPI_Waitall and MPI_Irecv'
wait_for 'grep -q "$told" "$T/err"'
end
like "$T/err" "$told" \
    'who is slow with as much work as the others'
# The sizes of types are not known of the first calls.
every=3600
begin "$APPS/uneven" 10
wait_for '[ "$(sql "SELECT min(mpi_calls) FROM tasks WHERE job = $job")" -gt 3000 ]'
slowest='"method":"polish","place":1,"rank":1,'
wait_for 'hector why "$job" --outliers -j >"$T/now" 2>"$T/why"; grep -q "$slowest" "$T/now"'
end
like "$T/now" "$slowest" 'who has more work is slowest, too'
is "$(sql "SELECT group_concat(why) FROM verdicts WHERE job = $job AND ranks = '1' AND
    why NOT LIKE '%its node has too much to do%'")" '' '... which is no verdict'

# ------------------------------------------------------------ several threads
begin --inject rank=3,call=MPI_Sendrecv:20,fault=slow-after,time=5ms "$APPS/omp" 100
wait_for '[ "$(sql "SELECT min(mpi_calls) FROM tasks WHERE job = $job")" -gt 1000 ]'
wait_for 'hector why "$job" --outliers -j >"$T/now" 2>"$T/why"; grep -q polish "$T/now"'
end
is "$(sql "SELECT group_concat(why) FROM verdicts WHERE job = $job")" '' \
    'a thread out of MPI may wait for another one: nothing is said'

# --------------------------------------------------------------- who names none
fresh out
KERNEL_ROUNDS=100000000 hector-run -n 4 --oversubscribe "$APPS/ring" >"$T/out" 2>"$T/err" \
    </dev/null &
runner=$!
job_runs
wait_for 'hector why "$job" --outliers -j >"$T/now" 2>"$T/why"'
end
like "$T/now" '"method":"neighbour","place":1,' 'it watches a job that names no policy'
done_testing
