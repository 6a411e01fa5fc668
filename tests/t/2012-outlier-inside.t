# The policy outlier and stacks: a task that computes inside of a call in which all others
# wait is named, with the function; an operator that MPI calls back is a hint, for who
# asks; whose part of a call is more is nothing.
# limit: 60
# shellcheck disable=SC2016,SC2154 # words are wanted; $status is t.sh's
. "${0%/*}/../lib/t.sh"
need sqlite3

# Of these alone: whom a busy machine makes slow is another matter.
by_stacks()
{
    sql "SELECT count(*) FROM verdicts WHERE job = $job AND why LIKE '% inside of %'"
}
policy=outlier:every=1,least=0.05
# OPTION...: a job that runs until it is ended; $job
begin()
{
    fresh out
    KERNEL_ROUNDS=100000000 hector-run -n 8 --oversubscribe --policy none \
        --policy "$policy" "$@" >"$T/out" 2>"$T/err" </dev/null &
    runner=$!
    job_runs
}
end()
{
    kill $runner
    wait $runner || :
}

# --------------------------------------------------------- computes in a call
begin --inject rank=5,call=MPI_Allreduce:50,fault=cpu,size=100,time=8s "$APPS/cg" 24
told="^hector: job $job has tasks unlike the others \\(.* sure, error in communication\\), \
odd: task 5: task 5 was in [a-z_]+ \\(libhector-inject.so\\), inside of MPI_Allreduce, while \
[4-7] others waited: for .*, [0-9.]* % of the time, in dot \\(cg.c:[0-9]+\\)\$"
wait_for 'grep -Eq "$told" "$T/err"'
wait_for 'hector why "$job" --outliers --method inside >"$T/lines" 2>&1 &&
    grep -qE "^ +1 +5 MPI_Allreduce +cg.c +[0-9]+ " "$T/lines" &&
    grep -q "^task 5 was in .*(libhector-inject.so), inside of MPI_Allreduce, at " \
        "$T/lines"'
end
like "$T/err" "$told" 'who computes in a call while all others wait, where, in which function'
is "$(sql "SELECT group_concat(DISTINCT ranks) FROM verdicts WHERE job = $job AND
    why LIKE '% inside of %'")" 5 '... and nobody else'
run hector why "$job"
like "$T/out" '^  task 5 on [^ ]+: was in [a-z_]+ \(libhector-inject.so\), inside of '\
'MPI_Allreduce, at [0-9]+ of [0-9]+ looks at stacks, no other task ever, .*in dot \(cg.c' \
    '... and hector why says why'
like "$T/lines" '^inside +1 +5 ' '... it is in the list'
like "$T/lines" '^ +1 +5 MPI_Allreduce +cg.c +[0-9]+ ' '... with its line'
like "$T/lines" '^task 5 was in .*\(libhector-inject.so\), inside of MPI_Allreduce, at ' \
    '... and its function'
hector replay "$job" --policy "$policy" >"$T/one" 2>&1
hector replay "$job" --policy "$policy" >"$T/two" 2>&1
like "$T/one" 'task 5 was in [a-z_]+ \(libhector-inject.so\), inside of MPI_Allreduce' \
    '... as a replay finds'
ok '... in the same bytes each time' cmp "$T/one" "$T/two"

# ------------------------------------------------------------ what MPI calls back
begin "$APPS/roles" 1 0 slow
first='"method":"inside","place":1,"rank":1,'
hint='"text":"task 1 was in [a-z_]+ \(roles.c:[0-9]+\), called back inside of MPI_Allreduce, '\
'at .*a hint'
wait_for 'hector why "$job" --outliers -j >"$T/now" 2>"$T/why"; grep -q "$first" "$T/now" &&
    grep -Eq "$hint" "$T/now"'
hector why "$job" --outliers >"$T/words" 2>&1
is "$(by_stacks)" 0 'an operator of the program that takes longer in one task: no verdict'
end
like "$T/now" "$first" '... but it is the first of the list'
like "$T/now" "$hint" '... with its line, as a hint'

# ------------------------------------------------------------------------ its part
begin "$APPS/roles" 200 0 reduce
wait_for '[ "$(sql "SELECT min(mpi_calls) FROM tasks WHERE job = $job")" -gt 100 ]'
ok 'tasks of which one adds up for all are compared' wait_for \
    'hector why "$job" --outliers --method inside >"$T/now" 2>"$T/why"'
wait_for 'hector why "$job" --outliers -j >"$T/now" 2>"$T/why"'
is "$(by_stacks)" 0 '... nobody is odd'
end
is "$(grep -cE '"method":"inside","place":[0-9]+,"rank":0,' "$T/now")" 0 \
    '... and it is not even a hint'
done_testing
