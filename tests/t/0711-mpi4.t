# What MPI-4.0 adds is seen: persistent collectives, MPI_Isendrecv, partitioned
# messages, large counts, sessions; and a wait for a collective call that others
# never make is proven.
# limit: 60
. "${0%/*}/../lib/t.sh"
cc=mpicc
launch='-n 3'
if open_mpi_5; then
    hosts 2
    launch="--launch-agent $AGENT -H n1:2,n2:1 -n 3"
else
    need mpiexec.mpich mpicc.mpich
    cc=mpicc.mpich
    launch='--adopt -- mpiexec.mpich -n 3'
fi
"$cc" -O2 -std=gnu11 -w -o "$T/mpi4" "$top/tests/apps/mpi4.c" ||
    skip_all 'no MPI-4 here'

start()         # [ARGUMENT [OPTIONS]]: three tasks of the program
{
    # shellcheck disable=SC2086 # several words
    run hector-run ${2:-} $launch "$T/mpi4" ${1:-}
}

called()        # JOB CALL: how often, over all tasks
{
    sql "SELECT coalesce(sum(calls), 0) FROM calls
        WHERE job = $1 AND call = '$2'"
}

start
is "$status|$(out)" '0|sum 6' 'the program runs as ever'
for is in Barrier_init=3 Start=9 Isendrecv=3 Sendrecv=3 Psend_init=3 \
          Precv_init=3 Pready=12 Request_free=9 Alltoallv=9; do
    is "$(called 1 "MPI_${is%=*}")" "${is#*=}" "MPI_${is%=*} is counted"
done
# 1 + 2 + 3 numbers of each of three tasks, three times.
is "$(sql "SELECT sum(bytes) FROM calls WHERE job = 1 AND call = 'MPI_Alltoallv'")" \
    $((3 * 3 * 6 * 4)) '... with counts of 64 bits'
is "$(sql 'SELECT count(*) FROM verdicts WHERE job = 1')" 0 '... and nothing is wrong'

start session
is "$status|$(out)" '0|sum 6' 'sessions without MPI_Init'
is "$(called 2 MPI_Session_init) $(called 2 MPI_Comm_create_from_group)" '3 9' \
    '... are counted'
is "$(sql "SELECT DISTINCT state FROM tasks WHERE job = 2")" exited '... and end'

# Between nodes what MPI_Wait sends may be under way: that is a notice.
! open_mpi_5 || launch="--launch-agent $AGENT -H n1:3 -n 3"
start stuck '--on-hang kill'
is "$status" 123 'a wait for what the others never make is ended'
like "$T/err" 'MPI_Wait by MPI_Barrier_init for rank 1' '... and why is said'
done_testing
