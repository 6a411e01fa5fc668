# What others start in allocations of an ordinary user in a real Slurm, and Hector
# watches: steps of srun, one or several, of one program or of several, of Open MPI and
# of MPICH, and mpirun. Each is a job with the ranks that its launcher gave, and each
# task has the exit status that it had.
# limit: 240
# shellcheck disable=SC2016,SC2086 # scripts are for other shells; $A and $as are words
. "${0%/*}/../lib/t.sh"
. "$top/tests/lib/slurm.sh"
. "$top/tests/lib/nobody.sh"
slurm 3
nobody_rather
A='hector-run --adopt --'
adopt()         # ARGUMENT...: of salloc, and of hector-run
{
    job=$(($(sql 'SELECT ifnull(max(job), 0) FROM jobs' 2>/dev/null || echo 0) + 1))
    alloc "$@"
}
jobs() { sql "SELECT $1 FROM jobs WHERE job >= $job ORDER BY job" | xargs; }
tasks()         # of the job of the last run, or of one begun so many later
{
    sql "SELECT rank, node, state, exit_code FROM tasks
        WHERE job = $job + ${1:-0} ORDER BY rank" | xargs
}
hello() { sort "$T/out" | xargs; }
cat >ends <<'END'
#!/bin/sh
OMPI_COMM_WORLD_RANK=$SLURM_PROCID exec "$APPS/exits" "$@"
END
chmod +x ends

# --------------------------------------------------------------- exit statuses
adopt -N2 -n3 $A srun --mpi=pmix "$APPS/hello"
ends_told "$status $(tasks)" '0 0|n1|exited|0 1|n1|exited|0 2|n2|exited|0' \
    'tasks of srun that end well'
adopt -N2 -n2 $A srun --mpi=pmix ./ends 1 exit 7 late
is "$status $(jobs 'state, exit_code')" '7 failed|7' \
    'one that fails: the status is that of srun'
ends_told "$(tasks)" '0|n1|exited|0 1|n2|exited|7' '... and each task has its own'
ends_told "$(sql "SELECT why FROM job WHERE job = $job")" \
    'the launcher exited with code 7: task 1 on n2 exited with code 7' \
    '... which the job names'
adopt -N2 -n2 $A srun --mpi=pmix ./ends 1 signal 11 late
is "$status $(jobs 'state, exit_code')" '139 failed|139' 'one that is killed'
ends_told "$(tasks)" '0|n1|exited|0 1|n2|killed|139' '... likewise'

# srun waits for the others, which wait for one that a signal has ended: that is it,
# and not the network.
cat >killed <<'END'
#!/bin/sh
[ "$SLURM_PROCID" != 3 ] || { (until [ -e "$T/kill" ]; do sleep 0.1; done; kill -KILL $$) & }
exec "$APPS/stencil" 32 600
END
chmod +x killed
slurm_over
job=$((job + 1))
$as salloc -Q -N2 -n4 --ntasks-per-node=2 hector-run --adopt --on-hang kill -- \
    srun --mpi=pmix --kill-on-bad-exit=0 ./killed >"$T/out" 2>"$T/err" </dev/null &
runner=$!
wait_for '[ "$(sql "SELECT min(mpi_calls) > 500 FROM tasks WHERE job = $job
    HAVING count(*) = 4")" = 1 ]'
: >"$T/kill"
status=0
wait $runner || status=$?
# Slurm's PMIx may hear of it from Open MPI, and end the step before anybody waits.
if grep -q '_errhandler: ' "$T/err" && ! grep -q 'on-hang kill wishes' "$T/err"; then
    skip 'a task that a signal ends, while srun waits' 'Slurm has ended the others'
else
    # The status is that of the task, or of the hang, whichever srun is asked for first.
    [ $status != 123 ] || status=137
    is "$status $(grep -c 'it is ended, as --on-hang kill wishes' "$T/err")" '137 1' \
        'a task that a signal ends, while srun waits for the others: they hang, and are ended'
    like "$T/err" "^hector: job $job hangs .*, faulty: task 3: .* rank 3 was killed by signal 9\$|^\
hector: job $job is deadlocked .*, which was killed by signal 9\$" '... and it is named'
    like "$T/err" '^hector:   task 3 on n2 was killed by signal 9$' '... with its node'
    is "$(grep -c network "$T/err")" 0 '... the network is not blamed'
fi

# --------------------------------------------------------------- several steps
adopt -N2 -n3 $A sh -c 'srun --mpi=pmix -n2 "$APPS/hello"
    srun --mpi=pmix -n3 ./ends 2 exit 5 late; srun --mpi=pmix -n1 "$APPS/where"'
is "$status $(jobs 'name, ntasks, state')" \
    '0 hello|2|done exits|3|failed where|1|done' 'each step of a script is a job'
ends_told "$(jobs exit_code)" '0 5 0' '... that ends as its tasks do'
ends_told "$(tasks 1)" '0|n1|exited|0 1|n1|exited|0 2|n2|exited|5' '... each of them'

adopt -N2 -n3 sh -c 'eval "$(hector-run --adopt-env=$$)"
    srun --mpi=pmix -n2 "$APPS/hello"; srun --mpi=pmix "$APPS/where"; exit 4'
is "$status" 4 'the steps of a script that knows it: its own status'
wait_for '[ "$(sql "SELECT count(*) FROM jobs WHERE ended_ns IS NULL")" = 0 ]'
is "$(jobs 'name, ntasks, state')" 'hello|2|done where|3|done' '... and each is a job'

# ------------------------------------------------- several programs, libraries
cat >programs <<END
0 $APPS/hello
1-2 sh -c "$APPS/hello"
END
adopt -N2 -n3 $A srun --mpi=pmix --multi-prog programs
is "$status $(hello)" '0 task 0 of 3 task 1 of 3 task 2 of 3' \
    'several programs of one step'
is "$(jobs 'name, ntasks, state, exit_code')" 'hello|3|done|0' '... are one job'
adopt -N2 -n3 $A mpirun "$APPS/hello"
is "$status $(hello) $(jobs 'ntasks, state')" \
    '0 task 0 of 3 task 1 of 3 task 2 of 3 3|done' 'mpirun in an allocation'
is "$(sql "SELECT node FROM tasks WHERE job = $job ORDER BY rank" | xargs)" \
    'n1 n1 n2' '... on the nodes of it'

if mpicc.mpich -O2 -std=gnu11 -o "$T/mpich" "$top/tests/apps/hello.c"; then
    adopt -N2 -n3 $A srun --mpi=pmi2 "$T/mpich"
    is "$status $(hello) $(jobs 'name, ntasks, state')" \
        '0 task 0 of 3 task 1 of 3 task 2 of 3 mpich|3|done' \
        'MPICH under --mpi=pmi2'
    ends_told "$(tasks)" '0|n1|exited|0 1|n1|exited|0 2|n2|exited|0' \
        '... with the ranks that it has'
    is "$(cat "$T/err")" '' '... of which there is nothing to say'
else
    skip 'MPICH under --mpi=pmi2' 'no mpicc.mpich here'
fi
adopt -N2 -n3 $A srun --mpi=pmi2 "$APPS/hello"
is "$status $(jobs 'ntasks, state, exit_code')" '1 3|failed|1' \
    'Open MPI under --mpi=pmi2 fails'
is "$(sed -n 's/^\(hector: .* of Open MPI\) v[^,]*/\1/p' "$T/err")" "hector: job \
$job: no task has come out of MPI_Init; the first one ended in MPI_Init of Open MPI, \
which srun connects with --mpi=pmix only" '... in one sentence of ours that says why'

# ------------------------------------------------------------------------ root
slurm_over
run env HOME="$T/home" HECTOR_DB="$T/hector.db" \
    salloc -Q -N2 -n3 $A srun --mpi=pmix "$APPS/hello"
ends_told "$status $(job=1 HECTOR_DB=$T/hector.db tasks)" \
    '0 0|n1|exited|0 1|n1|exited|0 2|n2|exited|0' 'tasks of root'

is "$(sql "SELECT count(*) FROM jobs WHERE state NOT IN ('done', 'failed', 'killed')")" 0 \
    'the database knows how all of them ended'
slurm_clear 'nothing of them is left'
done_testing
