# C and Fortran programs that use a good deal of MPI get from it what they
# get under mpirun.
# limit: 60
. "${0%/*}/../lib/t.sh"

same()          # TASKS PROGRAM [ARGUMENT...]: the same output under both
{
    n=$1
    shift
    run hector-run -n "$n" --oversubscribe "$@"
    is "$status" 0 "${1##*/} on $n: status 0"
    cp "$T/out" "$T/ours"
    if command -v mpirun >/dev/null 2>&1; then
        run mpirun --oversubscribe -n "$n" "$@"
        ok "${1##*/} on $n: the same as under mpirun" cmp "$T/ours" "$T/out"
    fi
}
same 1 "$APPS/comms" "$T"
same 4 "$APPS/comms" "$T"
same 5 "$APPS/comms" "$T" single
same 3 "$APPS/fhello"
same 3 "$APPS/fcomms"
same 3 "$APPS/f08"
same 2 "$APPS/names" service

is "$(sql "SELECT e.label, e.marker, count(*), count(exit_ns), e.call
    FROM events e JOIN jobs j USING(job) WHERE command LIKE '%fcomms%'
    GROUP BY marker ORDER BY marker" | tr '\n' ,)" "post a receive|1|3|3|\
MPI_Irecv,wait for both|2|3|3|MPI_Waitall,own reduction|3|3|3|MPI_Allreduce," \
    'tags of Fortran 90, by the names of the C functions'
is "$(sql "SELECT DISTINCT e.label FROM events e JOIN jobs j USING(job)
    WHERE command LIKE '%fhello%'")" 'fortran 77 sum' \
    'Fortran 77: blanks at the end of a text are dropped'
is "$(sql "SELECT marker, e.label FROM events e JOIN jobs j USING(job)
    WHERE command LIKE '%f08%' ORDER BY marker" | head -n 3 | tr '\n' ,)" \
    '0|sum of rank 0,1|sum of rank 1,2|sum of rank 2,' 'tags with mpi_f08'

run timeout 60 hector-run -n 2 --oversubscribe "$APPS/spawn"
is "$status" 0 'MPI_Comm_spawn: done, or refused without harm'
like "$T/out" '^(spawned, sum 1|refused: .+)' '... in words'
if grep -q refused "$T/out"; then
    like "$T/err" '^hector: .*spawn' '... and Hector says why'
    run timeout 60 hector-run -n 2 --oversubscribe "$APPS/spawn" --fatal
    ok '... the default error handler ends the job' \
        [ "$status" -ne 0 -a "$status" -ne 124 ]
fi

# A library that comes with its own LD_PRELOAD or MPI_T tools is not ours to
# test; but a program that never initialises MPI is, and one that does so late.
run hector-run -n 2 sh -c "sleep 0.3; exec '$APPS/hello'"
is "$status" 0 'MPI_Init in a program that a shell has become'
run hector-run -n 2 sh -c "'$APPS/stream' lines 1; '$APPS/hello'"
is "$status" 0 'MPI_Init in a child of the task'
done_testing
