# Tasks whose world in MPI is not the job's: said once, with ranks and what to
# do; the status is 125 where they were meant to be in it, and nobody is ended.
# limit: 60
# shellcheck disable=SC2016 # tasks expand
. "${0%/*}/../lib/t.sh"

said()          # how often
{
    grep -c 'is not one MPI program' "$T/err"
}
hello() { sort "$T/out" | tr '\n' ' '; }

# Each with a TMPDIR of its own: singletons of Open MPI make and remove one
# folder in it, and get in each other's way.
cat >own <<'END'
#!/bin/sh
export TMPDIR="$T/own.$OMPI_COMM_WORLD_RANK"
mkdir -p "$TMPDIR"
exec "$@"
END
chmod +x own
lost()          # what a variable of a batch system does to Open MPI that asks for it
{
    lose="$T/own env SLURM_JOBID=7 SLURM_NODELIST=login OMPI_MCA_schizo=^orte"
    # shellcheck disable=SC2086 # words
    run hector-run --oversubscribe -n 3 $lose "$APPS/hello"
    is "$status $(hello)" '125 task 0 of 1 task 0 of 1 task 0 of 1 ' \
        'each alone: 125, though each ends well'
    each='^hector: job 1 is not one MPI program: tasks 0-2 are each rank 0 of 1 in MPI'
    like "$T/err" "$each, not one of 3, so its results may be wrong; Open MPI did not ask" \
        '... a sentence says what, who and what to look at'
    is "$(said)" 1 '... once'
    like "$T/err" "^hector: tasks 0-2 did not enter the job's world of 3 in MPI" \
        '... and another one why it has failed'
    is "$(sql 'SELECT state, exit_code FROM jobs') $(sql "SELECT count(*) FROM tasks
        WHERE state = 'exited' AND exit_code = 0")" 'failed|125 3' \
        '... as the database says'

    # At MPI_Init, not in the end.
    # shellcheck disable=SC2086
    start loners hector-run --oversubscribe -n 2 $lose "$APPS/hello" \
        --wait-for "$T/go"
    wait_for 'grep -q "tasks 0-1 are each rank 0 of 1" "$T/loners.log"'
    ok 'it is said while they run' [ -s "$T/loners.log" ]
    touch "$T/go"
    wait_for '! kill -0 $started 2>/dev/null'

    # shellcheck disable=SC2086
    run hector-run --oversubscribe -n 2 sh -c \
        '[ $OMPI_COMM_WORLD_RANK = 0 ] || exec "$@"; "$@"; exit 9' - \
        $lose "$APPS/hello"
    is "$status $(said)" '9 1' 'a task that fails: its own status'
}
if open_mpi_5; then
    skip 'tasks that a setting keeps from asking who they are' 'Open MPI 5 has no such setting'
else
    lost
fi

# ---------------------------------------------------------------- by intention
alone="$T/own env -u PMIX_NAMESPACE -u OMPI_MCA_schizo"
# shellcheck disable=SC2086
run hector-run --oversubscribe -n 2 $alone "$APPS/hello"
is "$status $(hello)$(said)" '0 task 0 of 1 task 0 of 1 0' \
    'without our variables: meant, and no failure'
like "$T/err" '^hector: tasks 0-1 are each rank 0 of 1 .* of 2: programs of their own' \
    '... which is said'
# shellcheck disable=SC2086
run hector-run --oversubscribe -q -n 2 $alone "$APPS/hello"
is "$status $(cat "$T/err")" '0 ' '... but not to who wants quiet'
run hector-run --oversubscribe -n 2 "$T/own" sh -c '
    unset $(env | sed -n "s/^\(OMPI_[A-Za-z_]*\|PMIX_[A-Za-z_]*\)=.*/\1/p")
    export OMPI_ALLOW_RUN_AS_ROOT=1 OMPI_ALLOW_RUN_AS_ROOT_CONFIRM=1
    exec mpirun --oversubscribe -n 3 "$APPS/hello"'
is "$status $(sort "$T/out" | uniq -c | awk '{ print $1, $3 }' | xargs)" \
    '0 2 0 2 1 2 2' 'tasks with an mpirun of their own'
is "$(said)" 0 '... are no failure'
run hector-run -n 1 "$APPS/hello"
is "$status $(cat "$T/err")" '0 ' 'a job of one task: not a word'

# ------------------------------------------------------------------------ MPICH
if command -v mpicc.mpich >/dev/null &&
    mpicc.mpich -O2 -std=gnu11 -o "$T/hello" "$top/tests/apps/hello.c"; then
    run hector-run --oversubscribe -n 2 "$T/hello"
    is "$status $(said)" '125 1' 'a program of MPICH'
    like "$T/err" 'their library, MPICH, does not ask hector-run .*--adopt -- mpiexec' \
        '... is told what to do'
    run hector-run --oversubscribe -n 2 sh -c '"$APPS/hello"; "$T/hello"'
    is "$status $(said)" '0 0' 'a tool of MPICH after the program: no failure'
    run hector-run --oversubscribe -n 2 sh -c '"$T/hello"; "$APPS/hello"'
    is "$status" 0 '... nor before it'
    run hector-run --adopt -- mpirun --oversubscribe -n 2 "$T/hello"
    is "$status $(said)" '0 1' "adopted from mpirun: said, the status is its own"
    like "$T/err" 'their launcher is not the one of their MPI library' \
        '... with what to do'
else
    skip 'programs of MPICH' 'no mpicc.mpich here'
fi
run hector-run --adopt -- mpirun --oversubscribe -n 2 "$APPS/hello"
is "$status $(cat "$T/err")" '0 ' 'adopted as it should be: not a word'
done_testing
