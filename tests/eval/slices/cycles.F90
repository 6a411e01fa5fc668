! cycles.F90 - V-cycles on a line of tasks: half of them rest on each coarser level, and
! who is left has neighbours twice as far away. FAULT chooses one of its faults; the
! line that has it is marked by its number. What decides how near a line of a slice is
! was chosen with it in view.
module levels
  use mpi
  implicit none
  integer, parameter :: tag_down = 300, tag_up = 400, tag_edge = 500
  type level
    integer :: number, stride
    logical :: rests
    integer :: left, right
    integer :: points
    double precision, allocatable :: u(:), f(:)
  end type
  type(level), allocatable :: all_levels(:)
  integer :: me, tasks, nlevels
contains
  subroutine make_levels()
    integer :: ierr, l, stride
    call MPI_Comm_rank(MPI_COMM_WORLD, me, ierr)
    call MPI_Comm_size(MPI_COMM_WORLD, tasks, ierr)
    nlevels = 1
    do while (2**(nlevels - 1) < tasks)
      nlevels = nlevels + 1
    end do
    allocate(all_levels(nlevels))
    stride = 1
    do l = 1, nlevels
      call make_level(all_levels(l), l, stride)
#if FAULT == 1
      stride = stride * 2 + me / 3                              !! 1 local
#else
      stride = stride * 2
#endif
    end do
  end subroutine

  subroutine make_level(v, number, stride)
    type(level), intent(out) :: v
    integer, intent(in) :: number, stride
    v%number = number
    v%stride = stride
    v%rests = mod(me, stride) /= 0
    v%left = me - stride
    if (v%left < 0) v%left = MPI_PROC_NULL
#if FAULT == 2
    v%right = me + max(stride, me)                              !! 2 memory
#else
    v%right = me + stride
#endif
    if (v%right >= tasks) v%right = MPI_PROC_NULL
    v%points = 32
    allocate(v%u(0:v%points + 1), v%f(v%points))
    v%u = 0
    v%f = 1d0 / (1 + me)
  end subroutine
end module

module sweeps
  use mpi
  use levels
  implicit none
contains
  subroutine swap_edges(v, tag)
    type(level), intent(inout) :: v
    integer, intent(in) :: tag
    integer :: ierr, status(MPI_STATUS_SIZE)
    call MPI_Sendrecv(v%u(v%points), 1, MPI_DOUBLE_PRECISION, v%right, tag, &
        v%u(0), 1, MPI_DOUBLE_PRECISION, v%left, tag, MPI_COMM_WORLD, status, ierr)
    call MPI_Sendrecv(v%u(1), 1, MPI_DOUBLE_PRECISION, v%left, tag + 1, &
        v%u(v%points + 1), 1, MPI_DOUBLE_PRECISION, v%right, tag + 1, &
        MPI_COMM_WORLD, status, ierr)
  end subroutine

  subroutine relax(v, change)
    type(level), intent(inout) :: v
    double precision, intent(out) :: change
    double precision :: new
    integer :: i
    change = 0
    do i = 1, v%points
      new = 0.5d0 * (v%u(i - 1) + v%u(i + 1) + v%f(i))
      change = change + abs(new - v%u(i))
      v%u(i) = new
    end do
  end subroutine

  subroutine smooth(v, sweeps_wanted)
    type(level), intent(inout) :: v
    integer, intent(in) :: sweeps_wanted
    double precision :: change
    integer :: k, n
    n = sweeps_wanted
#if FAULT == 3
    if (v%number == 2) n = n + me / 2                           !! 3 local
#endif
    do k = 1, n
#if FAULT == 4
      call swap_edges(v, tag_edge + 10 * v%number + v%left * (v%number / 2)) !! 4 local
#else
      call swap_edges(v, tag_edge + 10 * v%number)
#endif
      call relax(v, change)
    end do
  end subroutine
end module

module transfers
  use mpi
  use levels
  implicit none
contains
  ! To whoever stays on the coarser level.
  integer function partner_of(v)
    type(level), intent(in) :: v
    if (mod(me, 2 * v%stride) == 0) then
      partner_of = me + v%stride
    else
#if FAULT == 5
      partner_of = abs(me - 2 * v%stride)                       !! 5 local
#else
      partner_of = me - v%stride
#endif
    end if
  end function

  subroutine restrict(v, coarse)
    type(level), intent(inout) :: v, coarse
    double precision :: half(64)
    integer :: i, n, ierr, status(MPI_STATUS_SIZE)
    n = v%points / 2
    do i = 1, n
      half(i) = v%f(2 * i) - v%u(2 * i)
    end do
    if (mod(me, 2 * v%stride) /= 0) then
      call MPI_Ssend(half, n, MPI_DOUBLE_PRECISION, partner_of(v), &
          tag_down + v%number, MPI_COMM_WORLD, ierr)
    else
      coarse%f(1:n) = half(1:n)
      call MPI_Recv(coarse%f(n + 1), n, MPI_DOUBLE_PRECISION, partner_of(v), &
          tag_down + v%number, MPI_COMM_WORLD, status, ierr)
    end if
  end subroutine

  subroutine prolong(v, coarse)
    type(level), intent(inout) :: v, coarse
    double precision :: half(64)
    integer :: i, n, ierr, tag, status(MPI_STATUS_SIZE)
    n = v%points / 2
    tag = tag_up + v%number
#if FAULT == 6
    if (mod(me, 2 * v%stride) == 0 .and. coarse%u(1) > 0.6d0) tag = tag_down !! 6 local
#endif
    if (mod(me, 2 * v%stride) == 0) then
      call MPI_Ssend(coarse%u(n + 1), n, MPI_DOUBLE_PRECISION, partner_of(v), tag, &
          MPI_COMM_WORLD, ierr)
      half(1:n) = coarse%u(1:n)
    else
      call MPI_Recv(half, n, MPI_DOUBLE_PRECISION, partner_of(v), tag, &
          MPI_COMM_WORLD, status, ierr)
    end if
    do i = 1, n
      v%u(2 * i) = v%u(2 * i) + 0.5d0 * half(i)
    end do
  end subroutine
end module

module cycles
  use mpi
  use levels
  use sweeps
  use transfers
  implicit none
contains
  recursive subroutine cycle(l)
    integer, intent(in) :: l
    if (all_levels(l)%rests) return
    call smooth(all_levels(l), 2)
    if (l == nlevels) return
    call restrict(all_levels(l), all_levels(l + 1))
    call cycle(l + 1)
#if FAULT == 7
    if (all_levels(l + 1)%u(1) < 3d-1 .or. l < 2) &             !! 7 branch
#endif
    call prolong(all_levels(l), all_levels(l + 1))
    call smooth(all_levels(l), 1)
  end subroutine

  logical function is_done(total, limit)
    double precision, intent(in) :: total, limit
    is_done = total < limit
  end function

  subroutine solve(most)
    integer, intent(in) :: most
    double precision :: mine, total
    integer :: turn, ierr
    do turn = 1, most
      call cycle(1)
      mine = sum(abs(all_levels(1)%u))
      call MPI_Allreduce(mine, total, 1, MPI_DOUBLE_PRECISION, MPI_SUM, &
          MPI_COMM_WORLD, ierr)
#if FAULT == 8
      if (is_done(mine, total / 4) .and. turn > 2) exit         !! 8 branch
#else
      if (is_done(total, 1d-3)) exit
#endif
    end do
  end subroutine
end module

program v_cycles
  use mpi
  use levels
  use cycles
  implicit none
  integer :: ierr
  call MPI_Init(ierr)
  call make_levels()
  call solve(8)
  call MPI_Barrier(MPI_COMM_WORLD, ierr)
  call MPI_Finalize(ierr)
  if (me == 0) print *, all_levels(1)%u(1)
end program
