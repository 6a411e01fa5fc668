! fstuck.f90 - stuck.c in Fortran: a ring in which one task is stuck before
! its send. Arguments: the task, and a file that it makes when it is.
module ring_parts
  use mpi
  implicit none
  logical, volatile :: forever = .true.
contains
  subroutine do_receive(from, what, request)
    integer, intent(in) :: from
    integer, intent(inout) :: what
    integer, intent(out) :: request
    integer :: ierr
    call MPI_Irecv(what, 1, MPI_INTEGER, from, 7, MPI_COMM_WORLD, request, ierr)
  end subroutine

  subroutine do_send_or_stall(rank, stuck, to, what, mark, request)
    integer, intent(in) :: rank, stuck, to
    integer, intent(inout) :: what
    character(len=*), intent(in) :: mark
    integer, intent(out) :: request
    integer :: ierr
    if (rank == stuck) then
       open(10, file=mark, status='new')
       close(10)
       do while (forever)
          call execute_nothing()
       end do
    end if
    call MPI_Isend(what, 1, MPI_INTEGER, to, 7, MPI_COMM_WORLD, request, ierr)
  end subroutine

  subroutine execute_nothing()
    integer, volatile :: i
    i = 0
  end subroutine
end module

program fstuck
  use mpi
  use ring_parts
  implicit none
  integer :: rank, n, ierr, got, mine, stuck, requests(2)
  character(len=1000) :: word, mark

  call MPI_Init(ierr)
  call MPI_Comm_rank(MPI_COMM_WORLD, rank, ierr)
  call MPI_Comm_size(MPI_COMM_WORLD, n, ierr)
  call get_command_argument(1, word)
  read(word, *) stuck
  call get_command_argument(2, mark)
  mine = rank
  got = 0
  call do_receive(mod(rank + n - 1, n), got, requests(1))
  call do_send_or_stall(rank, stuck, mod(rank + 1, n), mine, trim(mark), requests(2))
  call MPI_Waitall(2, requests, MPI_STATUSES_IGNORE, ierr)
  call MPI_Barrier(MPI_COMM_WORLD, ierr)
  print *, rank, 'got', got
  call MPI_Finalize(ierr)
end program
