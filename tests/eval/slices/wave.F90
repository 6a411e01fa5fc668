! wave.F90 - a wave on a line of tasks that swap their ends in parts, tell each other
! what they have found, and report to the first one. FAULT chooses one of its faults;
! the line that has it is marked by its number. What a step of a slice costs was not
! chosen by it, nor what is followed.
module wave_type
  use mpi
  implicit none
  type :: turn
    integer :: wanted, seen
  end type
  type :: wave
    integer :: me, all, left, right, parts, steps
    type(turn), pointer :: now
    double precision, allocatable :: u(:)
  end type
contains
  subroutine make(w)
    type(wave), intent(out) :: w
    integer :: ierr
    call MPI_Comm_rank(MPI_COMM_WORLD, w%me, ierr)
    call MPI_Comm_size(MPI_COMM_WORLD, w%all, ierr)
    w%left = w%me - 1
    w%right = merge(w%me + 1, -1, w%me + 1 < w%all)
    w%parts = 3
    w%steps = 12
    allocate(w%now)
    w%now%wanted = 0
    w%now%seen = 0
    allocate(w%u(0:65))
    w%u = w%me
  end subroutine

  subroutine begin(w, step)
    type(wave), intent(inout) :: w
    integer, intent(in) :: step
    type(turn), pointer :: t
    t => w%now
    t%seen = t%seen + 1
#if FAULT == 1
    if (step < 5 .or. w%me /= 2) t%wanted = step                !! 1 memory
#else
    t%wanted = step
#endif
  end subroutine
end module

module talks
  use mpi
  use wave_type
  implicit none
contains
  subroutine swap(w)
    type(wave), intent(inout) :: w
    double precision, asynchronous :: in(0:8)
    integer :: req(16), i, n, tag, ierr
    n = 0
    in = 0
    if (w%left >= 0) then
#if FAULT == 2
      do i = 0, w%parts                                         !! 2 branch
#else
      do i = 1, w%parts
#endif
#if FAULT == 3
        tag = 20 + mod(i, w%parts)                              !! 3 local
#else
        tag = 20 + i
#endif
        n = n + 1
        call MPI_Irecv(in(i), 1, MPI_DOUBLE_PRECISION, w%left, tag, &
            MPI_COMM_WORLD, req(n), ierr)
      end do
    end if
    do i = 1, w%parts
      if (w%right < 0) exit
      n = n + 1
      call MPI_Isend(w%u(64), 1, MPI_DOUBLE_PRECISION, w%right, 20 + i, &
          MPI_COMM_WORLD, req(n), ierr)
    end do
    call MPI_Waitall(n, req, MPI_STATUSES_IGNORE, ierr)
    w%u(0) = in(1)
  end subroutine

  ! Whose turn it is tells all others.
  subroutine tell(w)
    type(wave), intent(inout) :: w
    integer :: who, other, word, ierr
    who = mod(w%now%wanted, w%all)
    if (who == w%me) then
      do other = 0, w%all - 1
        word = w%now%seen
        if (other /= who) call MPI_Ssend(word, 1, MPI_INTEGER, other, 40, &
            MPI_COMM_WORLD, ierr)
      end do
    else
      call MPI_Recv(word, 1, MPI_INTEGER, who, 40, MPI_COMM_WORLD, &
          MPI_STATUS_IGNORE, ierr)
    end if
  end subroutine

  subroutine report(w, step)
    type(wave), intent(in) :: w
    integer, intent(in) :: step
    double precision :: x
    integer :: from, k, expected, ierr
    if (w%me > 0) then
      do k = 1, mod(w%me + step, 3)
        call MPI_Send(w%u(1), 1, MPI_DOUBLE_PRECISION, 0, 50, MPI_COMM_WORLD, &
            ierr)
      end do
    else
      do from = 1, w%all - 1
#if FAULT == 4
        expected = mod(from + step, 4)                          !! 4 local
#else
        expected = mod(from + step, 3)
#endif
        do k = 1, expected
          call MPI_Recv(x, 1, MPI_DOUBLE_PRECISION, from, 50, MPI_COMM_WORLD, &
              MPI_STATUS_IGNORE, ierr)
        end do
      end do
    end if
  end subroutine

  double precision function change_of(w)
    type(wave), intent(inout) :: w
    double precision :: new
    integer :: i
    change_of = 0
    do i = 1, 64
      new = 0.5d0 * (w%u(i - 1) + w%u(i + 1))
      change_of = change_of + abs(new - w%u(i))
      w%u(i) = new
    end do
  end function

  subroutine agree(w, total)
    type(wave), intent(inout) :: w
    double precision, intent(out) :: total
    double precision :: change
    integer :: ierr
    change = change_of(w)
    total = change
#if FAULT == 5
    if (change < 1d-9) return                                   !! 5 branch
#endif
    call MPI_Allreduce(change, total, 1, MPI_DOUBLE_PRECISION, MPI_SUM, &
        MPI_COMM_WORLD, ierr)
  end subroutine
end module

program waves
  use mpi
  use wave_type
  use talks
  implicit none
  type(wave) :: w
  double precision :: total
  integer :: step, ierr
  call MPI_Init(ierr)
  call make(w)
  do step = 1, w%steps
    call begin(w, step)
    call swap(w)
    call tell(w)
    call report(w, step)
    call agree(w, total)
  end do
  call MPI_Finalize(ierr)
  if (w%me == 0) print *, total
end program
