! jacobi.f90 - a kernel with "use mpi_f08": a plane of SIZE x SIZE points a
! task, tasks in a column, halo rows without blocking, the largest change as
! a global maximum in every round.
!
!   jacobi [SIZE [SECONDS]]
!
! The field is 3x + 5y + 7t, which "mean of the neighbours, and 7 more" keeps.
! KERNEL_ROUNDS in the environment as for the C kernels.
program jacobi
    use mpi_f08
    implicit none
    double precision, allocatable :: old(:, :), new(:, :)
    double precision :: seconds = 0, begin, change, largest, cpu, cpu_end
    integer :: rounds = 100, rank, tasks, n = 50, up, down, t = 0, i, bad, all
    type(MPI_Request) :: requests(4)
    character(32) :: word

    call MPI_Init()
    call MPI_Comm_rank(MPI_COMM_WORLD, rank)
    call MPI_Comm_size(MPI_COMM_WORLD, tasks)
    if (command_argument_count() >= 1) then
        call get_command_argument(1, word)
        read (word, *) n
    end if
    if (command_argument_count() >= 2) then
        call get_command_argument(2, word)
        read (word, *) seconds
    end if
    if (n < 1) then
        print '(a)', 'usage: jacobi [SIZE [SECONDS]]'
        call MPI_Abort(MPI_COMM_WORLD, 2)
    end if
    call get_environment_variable('KERNEL_ROUNDS', word)
    if (word /= ' ') read (word, *) rounds
    up = merge(rank - 1, MPI_PROC_NULL, rank > 0)
    down = merge(rank + 1, MPI_PROC_NULL, rank + 1 < tasks)
    allocate (old(0:n + 1, 0:n + 1), new(0:n + 1, 0:n + 1))
    call exact(old, 0)
    new = old
    begin = MPI_Wtime()
    call cpu_time(cpu)
    do while (more())
        call exact_border(old, t)
        call MPI_Irecv(old(:, 0), n + 2, MPI_DOUBLE_PRECISION, up, 1, &
            MPI_COMM_WORLD, requests(1))
        call MPI_Irecv(old(:, n + 1), n + 2, MPI_DOUBLE_PRECISION, down, 2, &
            MPI_COMM_WORLD, requests(2))
        call MPI_Isend(old(:, 1), n + 2, MPI_DOUBLE_PRECISION, up, 2, &
            MPI_COMM_WORLD, requests(3))
        call MPI_Isend(old(:, n), n + 2, MPI_DOUBLE_PRECISION, down, 1, &
            MPI_COMM_WORLD, requests(4))
        call MPI_Waitall(4, requests, MPI_STATUSES_IGNORE)
        new(1:n, 1:n) = 7 + 0.25d0*(old(0:n - 1, 1:n) + old(2:n + 1, 1:n) &
            + old(1:n, 0:n - 1) + old(1:n, 2:n + 1))
        change = maxval(abs(new(1:n, 1:n) - old(1:n, 1:n)))
        call MPI_Allreduce(change, largest, 1, MPI_DOUBLE_PRECISION, MPI_MAX, &
            MPI_COMM_WORLD)
        old(1:n, 1:n) = new(1:n, 1:n)
        t = t + 1
        if (abs(largest - 7) > 1d-6) exit
    end do
    call exact(new, t)
    bad = count(abs(old(1:n, 1:n) - new(1:n, 1:n)) > 1d-6)
    if (bad > 0) print '(a, i0, a, i0, a)', 'jacobi: task ', rank, ': ', bad, &
        ' points are wrong'
    call MPI_Allreduce(bad, all, 1, MPI_INTEGER, MPI_SUM, MPI_COMM_WORLD)
    if (rank == 0 .and. all == 0) print '(a)', 'jacobi: ok'
    call cpu_time(cpu_end)
    if (rank == 0 .and. word /= ' ') write (0, '(a, f0.6, a, f0.6)') &
        'jacobi: ', MPI_Wtime() - begin, ' ', cpu_end - cpu
    call MPI_Finalize()
    if (all > 0) stop 1
contains
    ! The whole field as it must be after so many rounds.
    subroutine exact(u, round)
        double precision, intent(out) :: u(0:, 0:)
        integer, intent(in) :: round
        integer :: x, y

        do y = 0, n + 1
            do x = 0, n + 1
                u(x, y) = 3d0*x + 5d0*(rank*n + y) + 7d0*round
            end do
        end do
    end subroutine

    subroutine exact_border(u, round)
        double precision, intent(inout) :: u(0:, 0:)
        integer, intent(in) :: round

        do i = 0, n + 1
            u(0, i) = 5d0*(rank*n + i) + 7d0*round
            u(n + 1, i) = 3d0*(n + 1) + 5d0*(rank*n + i) + 7d0*round
            if (up == MPI_PROC_NULL) u(i, 0) = 3d0*i + 7d0*round
            if (down == MPI_PROC_NULL) &
                u(i, n + 1) = 3d0*i + 5d0*(rank*n + n + 1) + 7d0*round
        end do
    end subroutine

    logical function more()
        more = t < rounds
        if (seconds > 0) then
            more = MPI_Wtime() - begin < seconds
            call MPI_Bcast(more, 1, MPI_LOGICAL, 0, MPI_COMM_WORLD)
        end if
    end function
end program
