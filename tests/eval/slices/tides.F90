! tides.F90 - water on a ring of regions: levels go to both neighbours some times a day,
! gauges report to a clerk, who is another one each day, all write in turn, and agree how
! rough it is. FAULT chooses one of its faults; the line that has it is marked by its
! number. What decides how near a line of a slice is was chosen with it in view.
module regions
  use mpi
  implicit none
  integer, parameter :: west = 1, east = 2, cells = 40, most = 6
  integer, parameter :: tag_report = 50, tag_pen = 60
  type side
    integer :: peer = -1, out = 0, in = 0
  end type
  type gauge
    integer :: cell = 1, every = 1
  end type
  type region
    integer :: me = 0, all = 0, n = 0
    double precision :: roughest = 1
    type(side) :: sides(2)
    type(gauge) :: gauges(most)
    double precision, allocatable :: level(:), speed(:)
  contains
    procedure :: connect
    procedure :: substeps
  end type
contains
  subroutine connect(r)
    class(region), intent(inout) :: r
    integer :: s, way
    do s = west, east
      way = merge(-1, 1, s == west)
#if FAULT == 1
      r%sides(s)%peer = modulo(r%me + way * (1 + r%me / 3 * (s - 1)), r%all)    !! 1 memory
#else
      r%sides(s)%peer = modulo(r%me + way, r%all)
#endif
      r%sides(s)%out = 10 + s
      r%sides(s)%in = 10 + 3 - s
    end do
#if FAULT == 2
    if (r%n > 3) r%sides(west)%in = r%sides(east)%in            !! 2 memory
#endif
  end subroutine

  integer function gauges_of(rank)
    integer, intent(in) :: rank
    gauges_of = 2 + mod(rank, 3)
  end function

  integer function every_of(rank, k)
    integer, intent(in) :: rank, k
    every_of = 1 + mod(rank + k, 3)
  end function

  subroutine make(r)
    type(region), intent(inout) :: r
    integer :: i, ierr
    call MPI_Comm_rank(MPI_COMM_WORLD, r%me, ierr)
    call MPI_Comm_size(MPI_COMM_WORLD, r%all, ierr)
    r%n = gauges_of(r%me)
    do i = 1, r%n
      r%gauges(i) = gauge(5 * i, every_of(r%me, i))
    end do
    allocate(r%level(0:cells + 1), r%speed(0:cells + 1))
    do i = 0, cells + 1
      r%level(i) = sin(0.2d0 * (r%me * cells + i))
      r%speed(i) = 0
    end do
    call r%connect()
  end subroutine

  integer function substeps(r)
    class(region), intent(in) :: r
    double precision :: rough
#if FAULT == 3
    rough = maxval(abs(r%speed)) + 1                            !! 3 local
#else
    rough = r%roughest
#endif
    substeps = 1 + int(3 * rough)
  end function
end module

module waters
  use mpi
  use regions
  implicit none
contains
  subroutine exchange(r)
    type(region), intent(inout) :: r
    double precision, asynchronous :: from(2), to(2)
    integer :: s, n, request(4), ierr
    to = (/ r%level(1), r%level(cells) /)
    n = 0
    do s = west, east
      call MPI_Irecv(from(s), 1, MPI_DOUBLE_PRECISION, r%sides(s)%peer, &
          r%sides(s)%in, MPI_COMM_WORLD, request(n + 1), ierr)
      call MPI_Isend(to(s), 1, MPI_DOUBLE_PRECISION, r%sides(s)%peer, &
          r%sides(s)%out, MPI_COMM_WORLD, request(n + 2), ierr)
      n = n + 2
    end do
    call MPI_Waitall(n, request, MPI_STATUSES_IGNORE, ierr)
    r%level(0) = from(west)
    r%level(cells + 1) = from(east)
  end subroutine

  subroutine flow(r)
    type(region), intent(inout) :: r
    integer :: i
    do i = 1, cells
      r%speed(i) = 0.98d0 * r%speed(i) + 0.1d0 * (r%level(i - 1) - r%level(i + 1))
    end do
    do i = 1, cells
      r%level(i) = r%level(i) - 0.05d0 * r%speed(i)
    end do
  end subroutine

  integer function due_of(rank, day)
    integer, intent(in) :: rank, day
    integer :: k
    due_of = 0
    do k = 1, gauges_of(rank)
#if FAULT == 4
      if (mod(day, every_of(rank, k)) <= day / 4) due_of = due_of + 1   !! 4 branch
#else
      if (mod(day, every_of(rank, k)) == 0) due_of = due_of + 1
#endif
    end do
  end function

  subroutine report(r, day, clerk)
    type(region), intent(in) :: r
    integer, intent(in) :: day, clerk
    integer :: k, ierr
    do k = 1, r%n
#if FAULT == 5
      if (r%level(r%gauges(k)%cell) > 0.9d0 .and. day > 2) exit !! 5 branch
#endif
      if (mod(day, r%gauges(k)%every) /= 0) cycle
      call MPI_Send(r%level(r%gauges(k)%cell), 1, MPI_DOUBLE_PRECISION, clerk, &
          tag_report, MPI_COMM_WORLD, ierr)
    end do
  end subroutine

  subroutine collect(r, day, highest)
    type(region), intent(in) :: r
    integer, intent(in) :: day
    double precision, intent(inout) :: highest
    double precision :: x
    integer :: from, left, ierr
    do from = 0, r%all - 1
      if (from == r%me) cycle
      left = due_of(from, day)
#if FAULT == 6
      if (highest < 1 .and. day > 4) left = max(left, 2)        !! 6 local
#endif
      do while (left > 0)
        call MPI_Recv(x, 1, MPI_DOUBLE_PRECISION, from, tag_report, &
            MPI_COMM_WORLD, MPI_STATUS_IGNORE, ierr)
        highest = max(highest, x)
        left = left - 1
      end do
    end do
  end subroutine

  ! The clerk of the day has all reports, and tells what he has found.
  subroutine publish(r, day, highest)
    type(region), intent(in) :: r
    integer, intent(in) :: day
    double precision, intent(inout) :: highest
    integer :: clerk, ierr
    clerk = mod(day, r%all)
    highest = 0
    if (clerk == r%me) then
      call collect(r, day, highest)
    else
      call report(r, day, clerk)
    end if
#if FAULT == 7
    if (r%n == 4) clerk = mod(day + day / 5, r%all)             !! 7 local
#endif
    call MPI_Bcast(highest, 1, MPI_DOUBLE_PRECISION, clerk, MPI_COMM_WORLD, ierr)
  end subroutine

  subroutine write_in_turn(r, day, lines)
    type(region), intent(in) :: r
    integer, intent(in) :: day
    integer, intent(inout) :: lines
    integer :: ierr
    lines = 0
    if (r%me > 0) call MPI_Recv(lines, 1, MPI_INTEGER, r%sides(west)%peer, tag_pen, &
        MPI_COMM_WORLD, MPI_STATUS_IGNORE, ierr)
    lines = lines + gauges_of(r%me)
#if FAULT == 8
    if (lines > 8 .and. day > 3) return                         !! 8 branch
#endif
    if (r%me + 1 < r%all) call MPI_Ssend(lines, 1, MPI_INTEGER, r%sides(east)%peer, &
        tag_pen, MPI_COMM_WORLD, ierr)
  end subroutine

  subroutine measure(r, calm)
    type(region), intent(inout) :: r
    logical, intent(out) :: calm
    double precision :: mine
    integer :: ierr
    mine = maxval(abs(r%speed))
    call MPI_Allreduce(mine, r%roughest, 1, MPI_DOUBLE_PRECISION, MPI_MAX, &
        MPI_COMM_WORLD, ierr)
#if FAULT == 9
    calm = mine < 0.3d0 .and. r%level(1) < 0                    !! 9 local
#else
    calm = r%roughest < 1d-6
#endif
  end subroutine
end module

program tides
  use mpi
  use regions
  use waters
  implicit none
  type(region) :: r
  double precision :: highest
  integer :: day, last, step, lines, ierr
  logical :: calm
  call MPI_Init(ierr)
  call make(r)
  last = 9
#if FAULT == 10
  last = last - sum(r%gauges(1:r%n)%every) / 7                  !! 10 local
#endif
  do day = 1, last
    do step = 1, r%substeps()
      call exchange(r)
      call flow(r)
    end do
    call publish(r, day, highest)
    call write_in_turn(r, day, lines)
    call measure(r, calm)
    if (calm) exit
  end do
  call MPI_Finalize(ierr)
  if (r%me == 0) print *, day, highest, lines
end program
