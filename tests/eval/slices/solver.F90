! solver.F90 - a solver on slabs. FAULT chooses one of its faults; the line that
! has it is marked by its number.
module decomposition
  use mpi
  implicit none
  integer :: rank, ranks, up, down, cells, every, base
contains
  subroutine decompose(n)
    integer, intent(in) :: n
    integer :: ierr
    call MPI_Comm_rank(MPI_COMM_WORLD, rank, ierr)
    call MPI_Comm_size(MPI_COMM_WORLD, ranks, ierr)
    cells = n / ranks
#if FAULT == 1
    up = mod(rank + 1 + rank / 3, ranks)                        !! 1 memory
#else
    up = mod(rank + 1, ranks)
#endif
    down = mod(rank + ranks - 1, ranks)
#if FAULT == 2
    every = 5 + rank / 2                                        !! 2 memory
#else
    every = 5
#endif
#if FAULT == 3
    base = 50 + mod(rank, 2)                                    !! 3 memory
#else
    base = 50
#endif
  end subroutine

  integer function tag_of(iteration)
    integer, intent(in) :: iteration
    tag_of = base + mod(iteration, 7)
#if FAULT == 4
    if (rank == 2) tag_of = base + mod(iteration, 8)            !! 4 local
#endif
  end function
end module

module halo
  use mpi
  use decomposition
  implicit none
contains
  subroutine exchange(u, n, iteration)
    integer, intent(in) :: n, iteration
    double precision, intent(inout) :: u(0:n + 1)
    integer :: ierr, to, from, tag
    integer :: status(MPI_STATUS_SIZE)
    to = up
    from = down
    tag = tag_of(iteration)
#if FAULT == 5
    if (iteration > 8) from = mod(down + 1, ranks)              !! 5 local
#endif
    call MPI_Send(u(n), 1, MPI_DOUBLE_PRECISION, to, tag, MPI_COMM_WORLD, ierr)
#if FAULT == 6
    call MPI_Recv(u(0), 1, MPI_DOUBLE_PRECISION, from, tag + iteration / 6, &
        MPI_COMM_WORLD, status, ierr)                           !! 6 local
#else
    call MPI_Recv(u(0), 1, MPI_DOUBLE_PRECISION, from, tag, &
        MPI_COMM_WORLD, status, ierr)
#endif
  end subroutine

  subroutine sweep(u, n, change)
    integer, intent(in) :: n
    double precision, intent(inout) :: u(0:n + 1)
    double precision, intent(out) :: change
    double precision :: new
    integer :: i
    change = 0
    do i = 1, n
      new = 0.5d0 * (u(i - 1) + u(i + 1))
      change = change + abs(new - u(i))
      u(i) = new
    end do
  end subroutine
end module

subroutine solve(u, n, iterations)
  use mpi
  use halo
  implicit none
  integer, intent(in) :: n, iterations
  double precision, intent(inout) :: u(0:n + 1)
  double precision :: change, total
  logical :: converged
  integer :: iteration, ierr
  converged = .false.
  iteration = 0
  do while (.not. converged)
    iteration = iteration + 1
    call sweep(u, n, change)
    call exchange(u, n, iteration)
#if FAULT == 7
    converged = iteration >= iterations - rank / 3              !! 7 local
#else
    converged = iteration >= iterations
#endif
    if (mod(iteration, every) == 0) then
      call MPI_Allreduce(change, total, 1, MPI_DOUBLE_PRECISION, MPI_SUM, &
          MPI_COMM_WORLD, ierr)
#if FAULT == 8
      if (change < total / 4) converged = .true.                !! 8 local
#else
      if (total < 1d-9) converged = .true.
#endif
    end if
  end do
end subroutine

program solver
  use mpi
  use decomposition
  implicit none
  double precision, allocatable :: u(:)
  integer :: ierr, iterations
  call MPI_Init(ierr)
  call decompose(400)
  allocate(u(0:cells + 1))
  u = rank + 1
  if (rank == 0) u = 0
  iterations = 60
#if FAULT == 9
  if (rank == 1) iterations = 58                                !! 9 local
#endif
  call solve(u, cells, iterations)
#if FAULT == 10
  if (u(1) < 2) call MPI_Barrier(MPI_COMM_WORLD, ierr)          !! 10 branch
#else
  call MPI_Barrier(MPI_COMM_WORLD, ierr)
#endif
  call MPI_Finalize(ierr)
  if (rank == 0) print *, u(1)
end program
