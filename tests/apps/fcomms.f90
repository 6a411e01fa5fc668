! fcomms.f90 - Fortran 90 with the mpi module: communicators, requests,
! status arrays and a reduction of the user's own, with tagged calls.
module fcomms_op
    implicit none
contains
    subroutine larger(in, inout, n, datatype)
        integer :: n, datatype
        integer :: in(n), inout(n)
        inout = max(in, inout)
    end subroutine
end module

program fcomms
    use mpi
    use fcomms_op
    implicit none
    external :: HCT_RT_Tag
    integer :: ierr, rank, tasks, half, op, i, next, previous
    integer :: requests(2), statuses(MPI_STATUS_SIZE, 2)
    integer :: value, most, got
    logical :: flag
    real(8) :: x(10), y(10)

    call MPI_Init(ierr)
    call MPI_Comm_rank(MPI_COMM_WORLD, rank, ierr)
    call MPI_Comm_size(MPI_COMM_WORLD, tasks, ierr)
    next = mod(rank + 1, tasks)
    previous = mod(rank + tasks - 1, tasks)

    x = [(rank * 100d0 + i, i = 1, 10)]
    call HCT_RT_Tag(1, 'post a receive')
    call MPI_Irecv(y, 10, MPI_DOUBLE_PRECISION, previous, 3, MPI_COMM_WORLD, &
                   requests(1), ierr)
    call MPI_Isend(x, 10, MPI_DOUBLE_PRECISION, next, 3, MPI_COMM_WORLD, &
                   requests(2), ierr)
    call HCT_RT_Tag(2, 'wait for both')
    call MPI_Waitall(2, requests, statuses, ierr)
    if (nint(y(10)) /= previous * 100 + 10) call wrong('message')
    if (statuses(MPI_SOURCE, 1) /= previous) call wrong('status')

    call MPI_Op_create(larger, .true., op, ierr)
    value = rank
    call HCT_RT_Tag(3, 'own reduction')
    call MPI_Allreduce(value, most, 1, MPI_INTEGER, op, MPI_COMM_WORLD, ierr)
    if (most /= tasks - 1) call wrong('reduction')
    call MPI_Op_free(op, ierr)

    call MPI_Comm_split(MPI_COMM_WORLD, mod(rank, 2), rank, half, ierr)
    call MPI_Comm_size(half, got, ierr)
    if (got /= (tasks + 1 - mod(rank, 2)) / 2) call wrong('split')
    call MPI_Comm_free(half, ierr)
    call MPI_Iprobe(MPI_ANY_SOURCE, 99, MPI_COMM_WORLD, flag, &
                    MPI_STATUS_IGNORE, ierr)
    if (flag) call wrong('probe')

    if (rank == 0) write (*, '(A,I0,A)') 'fortran 90: ', tasks, ' tasks agree'
    call MPI_Finalize(ierr)
contains
    subroutine wrong(what)
        character(*), intent(in) :: what
        write (0, '(A,I0,2A)') 'fcomms: rank ', rank, ': wrong ', what
        call MPI_Abort(MPI_COMM_WORLD, 6, ierr)
    end subroutine
end program
