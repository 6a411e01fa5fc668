! spectra.F90 - a field that is smoothed along its rows, and turned, and again; a tree
! sums what is left of it, a server hands pieces of a table out, and a writer takes
! blocks for which it gives credit. FAULT chooses one of its faults; the line that has
! it is marked by its number. Nothing was chosen by it: it was written before, and only
! measured afterwards.
module fields
  use mpi
  implicit none
  integer, parameter :: edge = 22, tag_turn = 1, tag_sum = 40, tag_told = 41
  type field
    integer :: me, all, first, n
    double precision, allocatable :: row(:, :), turned(:, :)
  end type
contains
  subroutine share(total, all, me, first, n)
    integer, intent(in) :: total, all, me
    integer, intent(out) :: first, n
    integer :: rest
    n = total / all
    rest = mod(total, all)
    first = me * n + min(me, rest) + 1
    if (me < rest) n = n + 1
  end subroutine

  subroutine make_field(f)
    type(field), intent(inout) :: f
    integer :: i, j, ierr
    call MPI_Comm_rank(MPI_COMM_WORLD, f%me, ierr)
    call MPI_Comm_size(MPI_COMM_WORLD, f%all, ierr)
    call share(edge, f%all, f%me, f%first, f%n)
    allocate(f%row(edge, f%n), f%turned(edge, f%n))
    do j = 1, f%n
      do i = 1, edge
        f%row(i, j) = mod(i * 7 + (f%first + j) * 3, 11) / 11d0
      end do
    end do
#if FAULT == 1
    if (f%first > edge / 2 + 1) f%n = f%n - 1                   !! 1 memory
#endif
  end subroutine

  subroutine smooth(f)
    type(field), intent(inout) :: f
    double precision :: before, now
    integer :: i, j
    do j = 1, f%n
      before = f%row(edge, j)
      do i = 1, edge
        now = f%row(i, j)
        f%row(i, j) = 0.75d0 * now + 0.25d0 * before
        before = now
      end do
    end do
  end subroutine

  subroutine give_rows(f, to)
    type(field), intent(in) :: f
    integer, intent(in) :: to
    integer :: j, first, n, ierr
    call share(edge, f%all, to, first, n)
    do j = 1, f%n
      call MPI_Ssend(f%row(first, j), n, MPI_DOUBLE_PRECISION, to, tag_turn, &
          MPI_COMM_WORLD, ierr)
    end do
  end subroutine

  subroutine take_rows(f, from, step)
    type(field), intent(inout) :: f
    integer, intent(in) :: from, step
    double precision :: part(edge)
    integer :: j, first, n, last, ierr
    call share(edge, f%all, from, first, n)
#if FAULT == 2
    last = n + step / 3 * mod(first, 2)                         !! 2 local
#else
    last = n
#endif
    do j = 1, last
      call MPI_Recv(part, edge, MPI_DOUBLE_PRECISION, from, tag_turn, &
          MPI_COMM_WORLD, MPI_STATUS_IGNORE, ierr)
      f%turned(first + j - 1, :) = part(1:f%n)
    end do
  end subroutine

  subroutine turn(f, round)
    type(field), intent(inout) :: f
    integer, intent(in) :: round
    integer :: step, other, i, j
    do j = 1, f%n
      do i = 1, f%n
        f%turned(f%first + i - 1, j) = f%row(f%first + j - 1, i)
      end do
    end do
    do step = 1, f%all - 1
#if FAULT == 3
      other = ieor(f%me, step + round / 4 * mod(f%me, 2))       !! 3 local
#else
      other = ieor(f%me, step)
#endif
      if (f%me < other) then
        call give_rows(f, other)
        call take_rows(f, other, step)
      else
        call take_rows(f, other, step)
        call give_rows(f, other)
      end if
    end do
    f%row = f%turned
  end subroutine
end module

module sums
  use mpi
  use fields
  implicit none
contains
  ! Up a tree to task 0, and down again from it.
  subroutine sum_up(f, value, round)
    type(field), intent(in) :: f
    double precision, intent(inout) :: value
    integer, intent(in) :: round
    double precision :: part
    integer :: stride, ierr
    stride = 1
    do while (stride < f%all)
      if (mod(f%me, 2 * stride) /= 0) then
        call MPI_Send(value, 1, MPI_DOUBLE_PRECISION, f%me - stride, tag_sum, &
            MPI_COMM_WORLD, ierr)
        exit
      end if
      call MPI_Recv(part, 1, MPI_DOUBLE_PRECISION, f%me + stride, tag_sum, &
          MPI_COMM_WORLD, MPI_STATUS_IGNORE, ierr)
      value = value + part
#if FAULT == 4
      stride = stride + 1 + (round - 1) / 3                     !! 4 local
#else
      stride = 2 * stride
#endif
    end do
    call tell(f, value, stride)
  end subroutine

  subroutine tell(f, value, reached)
    type(field), intent(in) :: f
    double precision, intent(inout) :: value
    integer, intent(in) :: reached
    integer :: stride, ierr
    stride = reached
    if (f%me > 0) call MPI_Recv(value, 1, MPI_DOUBLE_PRECISION, f%me - stride, &
        tag_told, MPI_COMM_WORLD, MPI_STATUS_IGNORE, ierr)
    stride = stride / 2
    do while (stride > 0)
#if FAULT == 5
      if (f%n < 6 .and. value > 1) exit                           !! 5 branch
#endif
      call MPI_Send(value, 1, MPI_DOUBLE_PRECISION, f%me + stride, tag_told, &
          MPI_COMM_WORLD, ierr)
      stride = stride / 2
    end do
  end subroutine
end module

module pieces
  use mpi
  use fields
  implicit none
  integer, parameter :: tag_ask = 60, tag_piece = 61, none = 0
contains
  subroutine serve(f, pieces_left)
    type(field), intent(in) :: f
    integer, intent(in) :: pieces_left
    integer :: left, retired, piece, done, ierr, status(MPI_STATUS_SIZE)
    left = pieces_left
    retired = 0
    do while (retired < f%all - 1)
      call MPI_Recv(done, 1, MPI_INTEGER, MPI_ANY_SOURCE, tag_ask, MPI_COMM_WORLD, &
          status, ierr)
      piece = left
      if (left > none) then
        left = left - 1
      else
        retired = retired + 1
      end if
      call MPI_Send(piece, 1, MPI_INTEGER, status(MPI_SOURCE), tag_piece, &
          MPI_COMM_WORLD, ierr)
    end do
  end subroutine

  subroutine work(f, round, got)
    type(field), intent(in) :: f
    integer, intent(in) :: round
    integer, intent(out) :: got
    integer :: piece, tag, ierr
    got = 0
    tag = tag_piece
#if FAULT == 6
    if (f%first > 2 * round + 1) tag = tag_piece + mod(f%n, 5)  !! 6 local
#endif
    do
      call MPI_Send(got, 1, MPI_INTEGER, 0, tag_ask, MPI_COMM_WORLD, ierr)
      call MPI_Recv(piece, 1, MPI_INTEGER, 0, tag, MPI_COMM_WORLD, &
          MPI_STATUS_IGNORE, ierr)
#if FAULT == 7
      if (piece == none .or. got >= 2 * round) exit             !! 7 branch
#else
      if (piece == none) exit
#endif
      got = got + 1
    end do
  end subroutine
end module

module output
  use mpi
  use fields
  implicit none
  integer, parameter :: tag_block = 80, tag_credit = 90
  type credit
    integer :: window = 2, open = 0
  end type
contains
  subroutine spend(c, writer)
    type(credit), intent(inout) :: c
    integer, intent(in) :: writer
    integer :: more, ierr
    if (c%open == 0) then
      call MPI_Recv(more, 1, MPI_INTEGER, writer, tag_credit, MPI_COMM_WORLD, &
          MPI_STATUS_IGNORE, ierr)
      c%open = more
    end if
    c%open = c%open - 1
  end subroutine

  subroutine put(f, c, writer)
    type(field), intent(in) :: f
    type(credit), intent(inout) :: c
    integer, intent(in) :: writer
    integer :: j, ierr
    do j = 1, f%n
      call spend(c, writer)
      call MPI_Ssend(f%row(1, j), edge, MPI_DOUBLE_PRECISION, writer, tag_block, &
          MPI_COMM_WORLD, ierr)
    end do
  end subroutine

  subroutine write_all(f, c, sum)
    type(field), intent(in) :: f
    type(credit), intent(inout) :: c
    double precision, intent(inout) :: sum
    double precision :: block(edge)
    integer :: from, first, n, j, ierr
    do from = 0, f%all - 1
      if (from == f%me) cycle
      call share(edge, f%all, from, first, n)
      do j = 1, n
        if (mod(j - 1, c%window) == 0) call MPI_Send(min(c%window, n - j + 1), 1, &
            MPI_INTEGER, from, tag_credit, MPI_COMM_WORLD, ierr)
        call MPI_Recv(block, edge, MPI_DOUBLE_PRECISION, from, tag_block, &
            MPI_COMM_WORLD, MPI_STATUS_IGNORE, ierr)
        sum = sum + block(1)
#if FAULT == 9
        if (block(1) > 0.6d0) c%window = 3                      !! 9 memory
#endif
      end do
    end do
  end subroutine

  subroutine write_field(f, c, round, sum)
    type(field), intent(in) :: f
    type(credit), intent(inout) :: c
    integer, intent(in) :: round
    double precision, intent(inout) :: sum
    integer :: writer
    writer = mod(round, f%all)
#if FAULT == 8
    if (sum > 1d0 .and. round > 2) writer = mod(writer + f%first, f%all)  !! 8 local
#endif
    if (writer == f%me) then
      call write_all(f, c, sum)
    else
      call put(f, c, writer)
    end if
  end subroutine
end module

program spectra
  use mpi
  use fields
  use sums
  use pieces
  use output
  implicit none
  type(field) :: f
  type(credit) :: c
  double precision :: energy, total
  integer :: round, rounds, got, ierr
  logical :: again
  call MPI_Init(ierr)
  call make_field(f)
  total = 0
  rounds = 8
  again = .true.
  round = 0
  do while (again)
    round = round + 1
    call smooth(f)
    call turn(f, round)
    energy = sum(f%row)
    call sum_up(f, energy, round)
    if (f%me == 0) then
      call serve(f, 6 + round)
    else
      call work(f, round, got)
    end if
    call write_field(f, c, round, total)
#if FAULT == 10
    again = round < rounds .and. (energy > 0 .and. total < 6d0)   !! 10 local
#else
    again = round < rounds .and. energy > 0
#endif
  end do
  call MPI_Finalize(ierr)
  if (f%me == 0) print *, energy, total
end program
