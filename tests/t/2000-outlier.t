# The policy outlier: a task that is slow in one step of the program is named, with
# the step, its line and what it costs; nobody is where all are alike.
# limit: 70
# shellcheck disable=SC2016,SC2154 # words are wanted; $status is t.sh's
. "${0%/*}/../lib/t.sh"
need sqlite3

least=0.05
# OPTION...: a job that runs until it is ended; $job
begin()
{
    fresh out
    KERNEL_ROUNDS=100000000 hector-run -n 8 --oversubscribe --policy none \
        --policy outlier:every=0.2,least=$least "$@" "$APPS/stencil" 32 \
        >"$T/out" 2>"$T/err" </dev/null &
    runner=$!
    job_runs
}
end()
{
    kill $runner
    status=0
    wait $runner || status=$?
}

# ------------------------------------------------- longer between two calls
begin --inject rank=3,call=MPI_Waitall:5,fault=slow-after,time=5ms
told="^hector: job $job has tasks unlike the others \\(.* sure, error in computation\\), \
odd: task 3: task 3 is slower than 7 others like it between MPI_Waitall and MPI_Irecv: by \
.*, [0-9.]* % of its time, in exchange \\(stencil.c:[0-9]+\\)(, most in .*)?\$"
# On a busy machine something else may be told first; it is news again at twice the cost.
wait_for 'grep -Eq "$told" "$T/err"'
# Where steps are comes a little later.
lines='^ +1 +3 MPI_Waitall +stencil.c +[0-9]+ MPI_Irecv +stencil.c +[0-9]+ '
wait_for 'hector why "$job" --outliers -k 1 >"$T/lines" 2>&1 && grep -qE "$lines" "$T/lines"'
end
like "$T/err" "$told" 'who is slow, where, and by how much'
# Whom the machine keeps from its processor is another matter.
is "$(sql "SELECT group_concat(DISTINCT policy || ' ' || kind || ' ' || ranks)
    FROM verdicts WHERE job = $job AND why NOT LIKE '%its node has too much to do%'")" \
    'outlier outlier 3' '... in the view of verdicts'
run hector why "$job"
like "$T/out" '^  task 3 on [^ ]+: .* longer between MPI_Waitall and MPI_Irecv, [0-9.]+ times '\
'as long as 7 others, .*[0-9]\. by its group, [0-9]\. by its neighbours.*, in exchange '\
'\(stencil.c' \
    '... and hector why has all ways'
run hector replay "$job" --policy outlier:every=0.2,least=0.05
like "$T/out" 'task 3 is slower than 7 others like it between MPI_Waitall' \
    '... as a replay finds'

like "$T/lines" '^polish +1 +3 ' '... and the task and its step are first in the list'
like "$T/lines" "$lines" '... from line to line'
run hector why "$job" --outliers -k 1
like "$T/out" '^polish +1 +3 ' '... and kept, when the job is over'
is "$(sql "SELECT count(*) > 0 FROM steps WHERE job = $job AND rank = 3 AND place = 1 AND
    from_call = 'MPI_Waitall' AND to_call = 'MPI_Irecv' AND out_ns > 2 * normal_out_ns AND
    from_line > 0 AND to_line > 0")" 1 '... and in the view of steps'
is "$(sql "SELECT count(*) FROM steps WHERE job = $job AND (from_call IS NOT NULL AND
    from_line IS NULL OR to_call IS NOT NULL AND to_line IS NULL)")" 0 \
    '... each with its lines, whenever the tasks were compared'

# -------------------------------------------------------------- in a call
begin --inject rank=5,call=MPI_Isend:5,fault=slow,time=5ms
told="job $job has tasks unlike the others .*error in communication.*: task 5 is \
slower than 7 others like it (in all it does, most )?in MPI_Isend"
wait_for 'grep -Eq "$told" "$T/err"'
end
like "$T/err" "$told" \
    'one that is slow in a call that need not wait'

# ----------------------------------- and the function that it is busy in meanwhile
# Tasks that sleep in place of computing, few, for those that wait use processors.
fresh out
echo slow 4 1 1 >"$T/order"
hector-run -n 5 --oversubscribe --policy none --policy outlier:every=0.2,least=0.05 \
    "$APPS/paced" 10 "$T/order" >"$T/out" 2>"$T/err" </dev/null &
runner=$!
job_runs
told="task 1 is slower than 4 others like it.* in main \\(paced.c:[0-9]+\\), most in \
work \\(paced.c:[0-9]+\\): seen there [0-9]+ times of 48, task 2 [0-9]+ times\$"
wait_for 'grep -Eq "$told" "$T/err"'
end
like "$T/err" "$told" \
    'the function that a task is in longer than its like, from stacks of both'
run hector why "$job"
like "$T/out" '^  task 1 on .*, most in work \(paced.c:[0-9]+\): seen there ' \
    '... and hector why has it'

# ---------------------------------------------------------------- healthy
# A second one, with bounds that anybody is above, says that they were compared. The
# other one has some more than what the first moments of a job may cost one task.
low=outlier:every=0.2,score=2,share=0,least=0
least=0.5
begin --policy $low
wait_for 'grep -q "is slower than 7 others like it" "$T/err"'
end
like "$T/err" 'is slower than 7 others like it' 'healthy tasks are compared: one is the slowest'
is "$(sql "SELECT count(*) FROM verdicts WHERE job = $job AND kind = 'outlier' AND
    policy NOT LIKE '%score=2%'")" 0 '... which is no outlier'

# ------------------------------------------------------- of a job that runs, now
begin
wait_for 'hector why "$job" --outliers -j >"$T/now" 2>"$T/why"'
end
like "$T/now" '"method":"neighbour","place":1,"rank":[0-7],' \
    'somebody is furthest in a healthy job, too'
is "$(sql "SELECT count(*) FROM verdicts WHERE job = $job AND kind = 'outlier'")" 0 \
    '... which is no verdict'
run hector why "$job" --outliers --method neighbour -k 2
is "$status $(grep -c '^neighbour' "$T/out") $(grep -c '^polish' "$T/out")" '0 2 0' \
    '... and is kept'
for wrong in '-k 3' '--method polish' '--outliers --method best' '--outliers -k 0' \
    '--outliers --progress'; do
    # shellcheck disable=SC2086 # words
    run hector why "$job" $wrong
    is "$status $(wc -l <"$T/err")" '2 1' "refused: $wrong"
done
KERNEL_ROUNDS=100000000 hector-run -n 3 --oversubscribe "$APPS/stencil" 32 \
    >"$T/few" 2>&1 </dev/null &
runner=$!
job=$((job + 1))
wait_for '[ "$(sql "SELECT min(mpi_calls) > 0 FROM tasks WHERE job = $job")" = 1 ]'
run hector why "$job" --outliers
is "$status $(cat "$T/err")" '1 hector: only 3 of the tasks have a model: who is odd is '\
'not to be said of less than 4' 'of three tasks nobody is odd'
end
hector-run -n 4 --oversubscribe sleep 100 >"$T/few" 2>&1 </dev/null &
runner=$!
job=$((job + 1))
wait_for '[ "$(sql "SELECT state FROM jobs WHERE job = $job")" = running ]'
run hector why "$job" --outliers
is "$status $(grep -c 'no task has a model to be compared' "$T/err")" '1 1' \
    '... nor of what is no MPI'
end
hector-run -n 1 --policy none true
run hector why $((job + 1)) --outliers
is "$status $(grep -c 'were not compared' "$T/err")" '1 1' 'a job that nobody has compared'
run hector why 99 --outliers
is "$status $(cat "$T/err")" '1 hector: there is no job 99' 'no job'

# ------------------------------------------------------------ wrong figures
for wrong in score=1 groups=11 share=101 every=0; do
    run hector-run --policy outlier:$wrong true
    is "$status $(wc -l <"$T/err")" '2 1' "refused: $wrong"
done
done_testing
