! particles.F90 - particles that leave a box to either side: how many are told first,
! and what they are only if there are any. FAULT chooses one of its faults; the line
! that has it is marked by its number. It was written when all costs were chosen, and no
! cost was changed by it.
module boxes
  use mpi
  implicit none
  type box
    integer :: me, tasks, side(2)
    integer :: held
    double precision, allocatable :: at(:)
  end type
contains
  subroutine make(b)
    type(box), intent(inout) :: b
    integer :: ierr
    call MPI_Comm_rank(MPI_COMM_WORLD, b%me, ierr)
    call MPI_Comm_size(MPI_COMM_WORLD, b%tasks, ierr)
    b%side(1) = modulo(b%me - 1, b%tasks)
#if FAULT == 1
    b%side(2) = min(b%me + 1, b%tasks - 1)                      !! 1 memory
#else
    b%side(2) = modulo(b%me + 1, b%tasks)
#endif
    allocate(b%at(4000))
    b%held = 60 + b%me
    b%at = b%me
  end subroutine

  integer function leaving(b, step, way)
    type(box), intent(in) :: b
    integer, intent(in) :: step, way
    leaving = mod(step * 3 + b%me * way, 4)
  end function

  integer function label(b, step, way)
    type(box), intent(in) :: b
    integer, intent(in) :: step, way
    label = 100 + 10 * step + way
#if FAULT == 2
    if (b%me == 2 .and. step > 6) label = label + 1             !! 2 local
#endif
  end function
end module

module moves
  use mpi
  use boxes
  implicit none
contains
  subroutine announce(b, step, way, going, coming)
    type(box), intent(in) :: b
    integer, intent(in) :: step, way, going
    integer, intent(out) :: coming
    integer :: ierr, told, status(MPI_STATUS_SIZE)
    told = going
#if FAULT == 3
    if (step == 5) told = going / 3                             !! 3 local
#endif
    call MPI_Sendrecv(told, 1, MPI_INTEGER, b%side(way), 7, coming, 1, &
        MPI_INTEGER, b%side(3 - way), 7, MPI_COMM_WORLD, status, ierr)
  end subroutine

  subroutine shift(b, step, way)
    type(box), intent(inout) :: b
    integer, intent(in) :: step, way
    integer :: going, coming, ierr, request, status(MPI_STATUS_SIZE)
    integer :: from
    going = leaving(b, step, way)
    call announce(b, step, way, going, coming)
    from = b%side(3 - way)
#if FAULT == 4
    if (b%me == 0 .and. coming == 2) from = b%side(way)         !! 4 local
#endif
#if FAULT == 5
    if (coming > 1) then                                        !! 5 branch
#else
    if (coming > 0) then
#endif
      call MPI_Irecv(b%at(b%held + 1), coming, MPI_DOUBLE_PRECISION, from, &
          label(b, step, way), MPI_COMM_WORLD, request, ierr)
    else
      request = MPI_REQUEST_NULL
    end if
    if (going > 0) call MPI_Ssend(b%at, going, MPI_DOUBLE_PRECISION, &
        b%side(way), label(b, step, way), MPI_COMM_WORLD, ierr)
    call MPI_Wait(request, status, ierr)
    b%held = b%held + coming - going
  end subroutine
end module

program particles
  use mpi
  use moves
  implicit none
  type(box) :: b
  integer :: ierr, step, steps, way, everything
  call MPI_Init(ierr)
  call make(b)
  steps = 9
#if FAULT == 6
  steps = steps - (b%held - 60) / 3                             !! 6 local
#endif
  do step = 1, steps
    do way = 1, 2
      call shift(b, step, way)
    end do
#if FAULT == 7
    if (mod(step, 3) == 0 .and. b%held > 55) then               !! 7 branch
#else
    if (mod(step, 3) == 0) then
#endif
      call MPI_Allreduce(b%held, everything, 1, MPI_INTEGER, MPI_SUM, &
          MPI_COMM_WORLD, ierr)
    end if
  end do
  call MPI_Finalize(ierr)
  if (b%me == 0) print *, everything
end program
