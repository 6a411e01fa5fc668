! relay.f90 - with "use mpi": a baton goes around all tasks, and each adds what it is to
! it by an operator of its own; groups, a type of columns and persistent requests. The
! same is said however often its tasks move.
!
!   relay [ROUNDS]
module relay_op
    implicit none
contains
    subroutine larger_and_sum(in, inout, n, kind)
        integer :: n, kind, i
        integer :: in(n), inout(n)

        do i = 1, n - 1, 2
            inout(i) = max(inout(i), in(i))
            inout(i + 1) = mod(inout(i + 1) + in(i + 1), 1000003)
        end do
        if (kind < 0) print '(a)', 'no type'
    end subroutine
end module

program relay
    use mpi
    use relay_op
    implicit none
    integer, parameter :: n = 40
    integer :: rounds = 1000, rank, tasks, ierr, op, column, requests(2), i, t, bad = 0
    integer :: out(n, n), in(n, n), pair(2), both(2), half, halves, total = 0
    integer :: statuses(MPI_STATUS_SIZE, 2)
    character(32) :: word

    call MPI_Init(ierr)
    call MPI_Comm_rank(MPI_COMM_WORLD, rank, ierr)
    call MPI_Comm_size(MPI_COMM_WORLD, tasks, ierr)
    if (command_argument_count() >= 1) then
        call get_command_argument(1, word)
        read (word, *) rounds
    end if
    call MPI_Op_create(larger_and_sum, .true., op, ierr)
    call MPI_Type_vector(n, 1, n, MPI_INTEGER, column, ierr)
    call MPI_Type_commit(column, ierr)
    call MPI_Comm_split(MPI_COMM_WORLD, mod(rank, 2), rank, half, ierr)
    call MPI_Send_init(out(3, 1), 1, column, mod(rank + 1, tasks), 7, MPI_COMM_WORLD, &
        requests(1), ierr)
    call MPI_Recv_init(in(5, 1), 1, column, mod(rank + tasks - 1, tasks), 7, &
        MPI_COMM_WORLD, requests(2), ierr)
    do t = 1, rounds
        do i = 1, n
            out(3, i) = t * 13 + rank * 101 + i
        end do
        call MPI_Startall(2, requests, ierr)
        call MPI_Waitall(2, requests, statuses, ierr)
        do i = 1, n
            if (in(5, i) /= t * 13 + mod(rank + tasks - 1, tasks) * 101 + i) bad = bad + 1
        end do
        pair = (/ mod(t * (rank + 3), 97), mod(t + rank, 1009) /)
        call MPI_Allreduce(pair, both, 2, MPI_INTEGER, op, MPI_COMM_WORLD, ierr)
        call MPI_Allreduce(both(1), halves, 1, MPI_INTEGER, MPI_SUM, half, ierr)
        total = mod(total + both(1) + both(2) + halves, 1000003)
    end do
    print '(a,i0,a,i0,a,i0)', 'relay: rank ', rank, ' total ', total, ' wrong ', bad
    call MPI_Request_free(requests(1), ierr)
    call MPI_Request_free(requests(2), ierr)
    call MPI_Comm_free(half, ierr)
    call MPI_Type_free(column, ierr)
    call MPI_Op_free(op, ierr)
    call MPI_Finalize(ierr)
end program
