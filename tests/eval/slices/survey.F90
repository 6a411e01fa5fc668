! survey.F90 - stations whose readings belong to others: all tell each other how many
! they have for whom, post what they await, take it as it comes, and answer what the
! keeper of a table asks. FAULT chooses one of its faults; the line that has it is
! marked by its number. What decides how near a line of a slice is was chosen with it
! in view.
module readings
  use mpi
  implicit none
  integer, parameter :: most = 64, tag_reading = 1000, tag_ask = 2000, tag_answer = 3000
  type reading
    integer :: station, owner
    double precision :: value
  end type
  type book
    integer :: me, tasks, round
    integer :: n
    type(reading) :: page(most)
    integer, allocatable :: to_each(:), from_each(:), starts(:)
  end type
contains
  subroutine open_book(b)
    type(book), intent(inout) :: b
    integer :: ierr
    call MPI_Comm_rank(MPI_COMM_WORLD, b%me, ierr)
    call MPI_Comm_size(MPI_COMM_WORLD, b%tasks, ierr)
    allocate(b%to_each(0:b%tasks - 1), b%from_each(0:b%tasks - 1), &
        b%starts(0:b%tasks))
    b%starts = 0
    b%n = 0
  end subroutine

  subroutine observe(b, round)
    type(book), intent(inout) :: b
    integer, intent(in) :: round
    integer :: i
#if FAULT == 1
    b%round = min(round, 4 + b%me)                              !! 1 memory
#else
    b%round = round
#endif
    b%n = 12 + mod(5 * b%me + round, 4)
    do i = 1, b%n
      b%page(i)%station = b%me * most + i
      b%page(i)%owner = mod(b%me + i * (1 + mod(round, 2)), b%tasks)
      b%page(i)%value = sin(dble(b%page(i)%station))
    end do
  end subroutine
end module

module counting
  use mpi
  use readings
  implicit none
contains
  subroutine count_them(b)
    type(book), intent(inout) :: b
    integer :: i, last
    b%to_each = 0
    last = b%n
#if FAULT == 2
    if (b%round > 3) last = max(b%n, 14)                        !! 2 local
#endif
    do i = 1, last
      b%to_each(b%page(i)%owner) = b%to_each(b%page(i)%owner) + 1
    end do
  end subroutine

  subroutine tell_counts(b)
    type(book), intent(inout) :: b
    integer :: ierr
    call MPI_Alltoall(b%to_each, 1, MPI_INTEGER, b%from_each, 1, MPI_INTEGER, &
        MPI_COMM_WORLD, ierr)
#if FAULT == 3
    if (b%round == 2) b%from_each(b%me) = b%from_each(b%tasks - 1) !! 3 memory
#endif
  end subroutine

  subroutine lay_out(b)
    type(book), intent(inout) :: b
    integer :: k
    b%starts(0) = 0
    do k = 0, b%tasks - 1
#if FAULT == 4
      if (k == b%round) cycle                                   !! 4 branch
#endif
      b%starts(k + 1) = b%starts(k) + b%from_each(k)
    end do
  end subroutine
end module

module exchanges
  use mpi
  use readings
  use counting
  implicit none
contains
  integer function label(b, place)
    type(book), intent(in) :: b
    integer, intent(in) :: place
#if FAULT == 5
    label = tag_reading + place + b%round / 5 * mod(b%me, 2)    !! 5 local
#else
    label = tag_reading + place
#endif
  end function

  subroutine post(b, values, requests, n)
    type(book), intent(in) :: b
    double precision, asynchronous, intent(inout) :: values(:)
    integer, intent(out) :: requests(:), n
    integer :: k, i, ierr
    n = 0
    do k = 0, b%tasks - 1
      do i = 1, b%starts(k + 1) - b%starts(k)
        n = n + 1
        call MPI_Irecv(values(n), 1, MPI_DOUBLE_PRECISION, k, tag_reading + i, &
            MPI_COMM_WORLD, requests(n), ierr)
      end do
    end do
  end subroutine

  subroutine send_all(b)
    type(book), intent(in) :: b
    integer :: sent(0:15), i, k, ierr
    sent = 0
    do i = 1, b%n
      k = b%page(i)%owner
      sent(k) = sent(k) + 1
      call MPI_Ssend(b%page(i)%value, 1, MPI_DOUBLE_PRECISION, k, &
          label(b, sent(k)), MPI_COMM_WORLD, ierr)
    end do
  end subroutine

  subroutine take_all(values, requests, n, total)
    double precision, asynchronous, intent(inout) :: values(:)
    integer, intent(inout) :: requests(:)
    integer, intent(in) :: n
    double precision, intent(inout) :: total
    integer :: left, which, ierr, status(MPI_STATUS_SIZE)
    left = n
    do while (left > 0)
      call MPI_Waitany(n, requests, which, status, ierr)
      total = total + values(which)
      left = left - 1
    end do
  end subroutine

  subroutine exchange(b, total)
    type(book), intent(inout) :: b
    double precision, intent(inout) :: total
    double precision, asynchronous :: values(4 * most)
    integer :: requests(4 * most), n
    call count_them(b)
    call tell_counts(b)
    call lay_out(b)
    call post(b, values, requests, n)
    call send_all(b)
    call take_all(values, requests, n, total)
  end subroutine
end module

module keeping
  use mpi
  use readings
  implicit none
contains
  integer function keeper_of(b)
    type(book), intent(in) :: b
#if FAULT == 6
    keeper_of = mod(b%round + b%n / 15, b%tasks)                !! 6 local
#else
    keeper_of = mod(b%round, b%tasks)
#endif
  end function

  subroutine keep(b, total)
    type(book), intent(in) :: b
    double precision, intent(in) :: total
    double precision :: part, table
    integer :: k, who, asked, ierr, status(MPI_STATUS_SIZE)
    who = keeper_of(b)
    table = total
    if (b%me == who) then
      do k = 1, b%tasks - 1
        asked = mod(who + k, b%tasks)
#if FAULT == 7
        if (b%round == 3) asked = mod(who + 2 * k, b%tasks)     !! 7 local
#endif
        call MPI_Ssend(k, 1, MPI_INTEGER, asked, tag_ask, MPI_COMM_WORLD, ierr)
        call MPI_Recv(part, 1, MPI_DOUBLE_PRECISION, asked, tag_answer + k, &
            MPI_COMM_WORLD, status, ierr)
        table = table + part
      end do
    else
      call MPI_Recv(k, 1, MPI_INTEGER, who, tag_ask, MPI_COMM_WORLD, status, ierr)
#if FAULT == 8
      if (total < 4d0 .or. b%round < 2) &                       !! 8 branch
#endif
      call MPI_Ssend(total, 1, MPI_DOUBLE_PRECISION, who, tag_answer + k, &
          MPI_COMM_WORLD, ierr)
    end if
  end subroutine
end module

program survey
  use mpi
  use readings
  use exchanges
  use keeping
  implicit none
  type(book) :: b
  double precision :: total
  integer :: round, rounds, ierr
  call MPI_Init(ierr)
  call open_book(b)
  total = 0
  rounds = 7
#if FAULT == 9
  rounds = rounds - b%me / 3                                    !! 9 local
#endif
  do round = 1, rounds
    call observe(b, round)
    call exchange(b, total)
    call keep(b, total)
  end do
  call MPI_Finalize(ierr)
  if (b%me == 0) print *, total
end program
