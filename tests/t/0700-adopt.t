# Jobs of others: mpirun, scripts of several programs, programs without MPI;
# streams and status are those of the command, records those of a job.
# limit: 60
# shellcheck disable=SC2016,SC2086 # scripts are for other shells; $A is words
. "${0%/*}/../lib/t.sh"
need mpirun
export OMPI_MCA_rmaps_base_oversubscribe=1 PRTE_MCA_rmaps_default_mapping_policy=:oversubscribe
A='hector-run --adopt --'
jobs()          # COLUMNS: of the job of the last run, and those of its worlds
{
    sql "SELECT $1 FROM jobs WHERE job >= $job ORDER BY job" | tr '\n' ' '
}
adopt()         # COMMAND...
{
    job=$(($(sql 'SELECT ifnull(max(job), 0) FROM jobs' 2>/dev/null || echo 0) + 1))
    run $A "$@"
}

adopt mpirun -n 4 "$APPS/hello"
is "$status" 0 'mpirun -n 4'
is "$(sort "$T/out" | tr '\n' ' ')" 'task 0 of 4 task 1 of 4 task 2 of 4 task 3 of 4 ' \
    '... writes what it writes'
is "$(cat "$T/err")" '' '... and nothing else'
is "$(jobs 'name, ntasks, state, exit_code')" 'hello|4|done|0 ' '... is one job'
like "$T/hector.db" SQLite '... in the database'
is "$(sql 'SELECT command FROM jobs' | tr -d \')" \
    "hector-run --adopt -- mpirun -n 4 $APPS/hello" '... with its command'
# Older kernels may not tell how somebody else's child has ended.
is "$(sql 'SELECT rank, state, ifnull(exit_code, 0) FROM tasks' | xargs)" \
    '0|exited|0 1|exited|0 2|exited|0 3|exited|0' '... with its tasks'
is "$(sql 'SELECT count(DISTINCT pid), min(mpi_calls) > 3, min(in_mpi_ns) > 0
    FROM tasks')" '4|1|1' '... their processes and counters'
is "$(sql "SELECT group_concat(state_to) FROM transition WHERE machine = 'task 2'")" \
    running,in_mpi_init,connected,finalized,exited '... and their states'
is "$(sql "SELECT group_concat(state_to) FROM transition WHERE machine = 'job'
    AND state_to <> 'waiting'")" preparing,starting,running,done '... as those of the job'

adopt mpirun -n 2 "$APPS/tagloop" 5000
is "$(sql "SELECT rank, count(*), count(DISTINCT marker), count(exit_ns)
    FROM events WHERE job = $job GROUP BY rank" | tr '\n' ' ')" \
    '0|5000|5000|5000 1|5000|5000|5000 ' 'every event is there once'
hector-run --adopt --stdtim=times -- mpirun -n 2 "$APPS/tagloop" 5000 >/dev/null
is "$(grep -c '^Task [01] E' times)" 20000 '--stdtim shows all of them'
is "$(sort times | uniq -d | wc -l)" 0 '... once'

adopt sh -c 'mpirun -n 2 "$APPS/hello"; mpirun -n 3 "$APPS/where"; exit 5'
is "$status" 5 'two programs of a script'
is "$(jobs 'name, ntasks, state, ifnull(exit_code, 0)')" 'hello|2|failed|5 where|3|done|0 ' \
    '... are two jobs'
is "$(sql "SELECT why FROM job WHERE job = $job")" \
    'the launcher exited with code 5' '... the reason is recorded'
# Each with a folder of its own: of two that make it, one mpirun gives up.
mkdir "$T/one" "$T/two"
adopt sh -c 'mpirun --mca orte_tmpdir_base "$T/one" -n 2 "$APPS/tagloop" 100 &
    mpirun --mca orte_tmpdir_base "$T/two" -n 3 "$APPS/tagloop" 100
    wait'
is "$(jobs 'ntasks' | tr ' ' '\n' | sort | xargs)" '2 3' \
    'two at a time: a job each'
is "$(sql "SELECT count(*) FROM events WHERE job >= $job")" 500 \
    '... with its own events'
if mpirun -n 1 "$APPS/hello" : -n 2 "$APPS/hello" >/dev/null 2>&1; then
    adopt mpirun -n 1 "$APPS/hello" : -n 2 "$APPS/hello"
    is "$(jobs 'ntasks, state')" '3|done ' 'a ":" is the launcher'"'"'s own'
else
    skip 'a ":" is the launcher'"'"'s own' 'this mpirun fails with it alone'
fi
adopt "$APPS/hello"
is "$(jobs 'name, ntasks, state, exit_code')" 'hello|1|done|0 ' \
    'a program without a launcher'
adopt env OMPI_COMM_WORLD_SIZE=9 echo hi
is "$status $(cat "$T/out")" '0 hi' 'a program without MPI'
is "$(jobs 'name, ntasks, state, exit_code')" 'env|0|done|0 ' '... is a job'

adopt mpirun -n 2 "$APPS/exits" 1 signal 11
is "$status" "$(mpirun -n 2 "$APPS/exits" 1 signal 11 >/dev/null 2>&1
    echo $?)" 'a task that is killed: the status is mpirun'"'"'s'
is "$(jobs 'state, exit_code')" "failed|$status " '... and the job'"'"'s'
ends_told "$(sql "SELECT state, exit_code FROM tasks WHERE job = $job AND rank = 1")" \
    'killed|139' '... the task has its own'
ends_told "$(sql "SELECT why FROM job WHERE job = $job" | sed 's/, core dumped//')" \
    "the launcher exited with code $status: task 1 on $(uname -n) was killed by signal 11 \
(Segmentation fault)" '... and is named'
adopt sh -c 'mpirun -n 1 "$APPS/hello"; mpirun -n 2 "$APPS/exits" 1 exit 3 late; exit 0'
is "$(jobs 'name, state')" 'hello|done exits|failed ' 'a program of two that fails'
ends_told "$(jobs 'exit_code')" '0 3 ' '... with its exit code'
adopt /no/such
is "$status" 127 'no such command'
like "$T/err" '^hector: cannot start /no/such: No such file' '... in words'
adopt "$T"
is "$status" 126 'no command'
adopt sh -c 'kill -SEGV $$'
is "$status" 139 'a command that is killed'
status=0
printf 'a\nb\n' | hector-run --adopt -- cat >"$T/out" || status=$?
is "$status $(tr '\n' ' ' <"$T/out")" '0 a b ' 'the streams are the command'"'"'s'
fds='set -- /proc/$$/fd/*; echo $#'
bare=$(sh -c "$fds" </dev/null)
ours=$(hector-run --adopt -- sh -c "echo \$HECTOR_JOB \${LD_PRELOAD##*/}; $fds" </dev/null)
is "$ours" "$(sql 'SELECT max(job) FROM jobs') libhector.so
$bare" 'it has the variables, and no descriptor more'

for words in '-n 4' '-N 2' '--map-by node' '--stdin all' '-l' '--tag-output' \
    '--timestamp-output' '--output-dir x' '--merge-stderr-to-stdout' '-x A=b' \
    '--wdir /' '--oversubscribe'
do
    run hector-run --adopt $words -- mpirun -n 1 true
    ok "$words is refused in one sentence" [ "$status $(wc -l <"$T/err")" = '2 1' ]
done
like "$T/err" '^hector: --oversubscribe has no use with --adopt: ' '... that names it'

export LIAR="$APPS/register"
adopt sh -c 'mpirun -n 2 sh -c "\$LIAR 7 2; \$LIAR 1 0x7fffffff"; "$LIAR" 0 0'
is "$(grep -c '^refused: rank 7 of only 2' "$T/out")" 2 \
    'more ranks than announced: refused in words'
is "$(grep -c '^granted' "$T/out")" 3 '... whoever is within them is not'
adopt sh -c 'PMIX_NAMESPACE=x PMIX_RANK=0 "$LIAR" 0 2 go >first &
    until grep -qs granted first; do sleep 0.05; done
    PMIX_NAMESPACE=x PMIX_RANK=0 "$LIAR" 0 2; PMIX_NAMESPACE=x PMIX_RANK=1 "$LIAR" 1 2
    touch go; wait'
is "$(jobs 'ntasks, state')" '2|done 2|failed ' \
    'a rank that registers twice begins a job of its own'
is "$(sql "SELECT job - $job, count(*) FROM tasks WHERE job >= $job GROUP BY 1" |
    tr '\n' ' ')" '0|2 1|1 ' '... and leaves the first as it is'

# srun --mpi=pmi2 or none: no namespace of PMIx, but the names of Slurm. There
# is no Slurm here; this starts tasks as it does.
mkdir "$T/slurm"
cat >"$T/slurm/srun" <<'END'
#!/bin/sh
# srun -n N PROGRAM
n=$2 step=$(cat "$T/step" 2>/dev/null || echo 0) i=0
shift 2
echo $((step + 1)) >"$T/step"
while [ $i -lt "$n" ]; do
    SLURM_JOB_ID=7 SLURM_STEP_ID=$step SLURM_PROCID=$i SLURM_NTASKS=$n \
        "$@" $i "$n" &
    i=$((i + 1))
done
wait
END
chmod +x "$T/slurm/srun"
PATH=$T/slurm:$PATH adopt srun -n 3 "$APPS/register"
is "$status $(grep -c '^granted' "$T/out")" '0 3' 'tasks that srun starts'
is "$(jobs 'name, ntasks, state, exit_code')" 'register|3|done|0 ' \
    '... are one job'
is "$(sql "SELECT group_concat(rank) FROM (SELECT rank FROM tasks
    WHERE job = $job ORDER BY rank)")" '0,1,2' '... with its ranks'
PATH=$T/slurm:$PATH adopt sh -c 'srun -n 2 "$LIAR"; srun -n 1 "$LIAR"'
is "$(jobs ntasks | tr ' ' '\n' | sort | xargs)" '1 2' '... each step another one'

if [ "$(id -u)" = 0 ] && command -v setpriv >/dev/null; then
    chmod 755 "$T"
    adopt setpriv --reuid 65534 --clear-groups -- "$APPS/register" 0 1
    like "$T/out" "^refused: job $job is not of user 65534" \
        'nobody else gets in'
else
    skip 'nobody else gets in' 'not root'
fi
left_by_mpi
done_testing
