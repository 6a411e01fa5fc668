# A receive of anybody has taken the message that is waited for by name afterwards: it is
# proven by whatever way the message was received, without a status as with one, in C and
# in Fortran, with Open MPI and with MPICH.
# limit: 150
. "${0%/*}/../lib/t.sh"

ways()
{
    # shellcheck disable=SC2046 # names
    sh "$top/tests/eval/deadlocks.sh" "$build" \
        $("$build/deadlocks/stuck_taken" | cut -f 1 | grep -e "$1")
}
lane status ways '-status$'
lane none ways 'taken-[^-]*$'

cat >"$T/taken.f90" <<'END'
program taken
  use MODULE
  implicit none
  integer :: rank, in(1), ierr
  character(len=10) :: way
  type_of_request :: q(1)
  type_of_status
  call get_command_argument(1, way)
  call MPI_Init(ierr)
  call MPI_Comm_rank(MPI_COMM_WORLD, rank, ierr)
  if (rank == 0) then
    if (way == 'recv') then
      call MPI_Recv(in, 1, MPI_INTEGER, MPI_ANY_SOURCE, 5, MPI_COMM_WORLD, &
                    MPI_STATUS_IGNORE, ierr)
    else
      call MPI_Irecv(in, 1, MPI_INTEGER, MPI_ANY_SOURCE, 5, MPI_COMM_WORLD, q(1), ierr)
      if (way == 'wait') call MPI_Wait(q(1), MPI_STATUS_IGNORE, ierr)
      if (way == 'waitall') call MPI_Waitall(1, q, MPI_STATUSES_IGNORE, ierr)
      if (way == 'status') call MPI_Wait(q(1), its, ierr)
    end if
  else if (rank == 1) then
    call MPI_Send(rank, 1, MPI_INTEGER, 0, 5, MPI_COMM_WORLD, ierr)
  end if
  call MPI_Barrier(MPI_COMM_WORLD, ierr)
  if (rank == 2) call MPI_Send(rank, 1, MPI_INTEGER, 0, 5, MPI_COMM_WORLD, ierr)
  if (rank == 0) call MPI_Recv(in, 1, MPI_INTEGER, 1, 5, MPI_COMM_WORLD, &
                               MPI_STATUS_IGNORE, ierr)
  call MPI_Barrier(MPI_COMM_WORLD, ierr)
  call MPI_Finalize(ierr)
end program
END
cd "$T" || exit
sed 's/MODULE/mpi/; s/type_of_request/integer/
    s/type_of_status/integer :: its(MPI_STATUS_SIZE)/' taken.f90 >mpi.f90
sed 's/MODULE/mpi_f08/; s/type_of_request/type(MPI_Request)/
    s/type_of_status/type(MPI_Status) :: its/' taken.f90 >f08.f90

proven()        # WORDS COMMAND...: of three tasks
{
    proven_of=$1
    shift
    run hector-run --on-hang kill --policy hang "$@"
    is "$status" 123 "$proven_of: it is ended"
    like err 'deadlock: ranks 0-1 wait for each other' '... with a proof'
    like err 'waits in MPI_Recv for a message from rank 1 .tag 5' '... of the named receive'
}
for kind in openmpi mpich; do
    if ! hash mpif90.$kind mpiexec.mpich 2>null; then
        skip "Fortran and $kind" 'it is not here'
        continue
    fi
    # mpiexec.mpich's tasks ask it who they are, others hector-run.
    set -- -n 3 --oversubscribe
    [ $kind = openmpi ] || set -- --adopt -- mpiexec.mpich -n 3
    for module in mpi f08; do
        mpif90.$kind -w -g -o $module-$kind $module.f90 || { fail "$kind: $module"; continue; }
        for way in recv wait waitall status; do
            proven "$kind, $module, $way" "$@" ./$module-$kind $way
        done
    done
    [ $kind = openmpi ] || ! mpicc.mpich -w -g -I"$top/tests/deadlocks" -o taken \
        "$top/tests/deadlocks/stuck_taken.c" ||
        for way in recv waitall testsome get_status improbe; do
            proven "$kind, $way" "$@" ./taken taken-$way
        done
done
lanes
done_testing
