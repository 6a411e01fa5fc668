! f08.f90 - Fortran 2008 with the mpi_f08 module: typed handles, no ierror.
program f08
    use mpi_f08
    implicit none
    external :: HCT_RT_Tag
    type(MPI_Comm) :: dup
    type(MPI_Request) :: request
    type(MPI_Status) :: status
    integer :: rank, tasks, total, got
    character(32) :: text

    call MPI_Init()
    call MPI_Comm_rank(MPI_COMM_WORLD, rank)
    call MPI_Comm_size(MPI_COMM_WORLD, tasks)
    call MPI_Comm_dup(MPI_COMM_WORLD, dup)
    write (text, '(A,I0)') 'sum of rank ', rank
    call HCT_RT_Tag(rank, text)
    call MPI_Allreduce(rank, total, 1, MPI_INTEGER, MPI_SUM, dup)
    if (total /= tasks * (tasks - 1) / 2) call MPI_Abort(dup, 6)
    call MPI_Isend(rank, 1, MPI_INTEGER, mod(rank + 1, tasks), 1, dup, request)
    call HCT_RT_Tag(100, 'receive')
    call MPI_Recv(got, 1, MPI_INTEGER, MPI_ANY_SOURCE, 1, dup, status)
    call MPI_Wait(request, MPI_STATUS_IGNORE)
    if (status%MPI_SOURCE /= got) call MPI_Abort(dup, 6)
    call MPI_Comm_free(dup)
    if (rank == 0) write (*, '(A,I0,A)') 'fortran 2008: ', tasks, ' tasks agree'
    call MPI_Finalize()
end program
