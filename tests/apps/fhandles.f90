! fhandles.f90 - what MPI has of its own for Fortran: arrays of requests,
! attributes of both kinds, functions that it calls. Two tasks or more, an even
! number of them.
module fhandles_op
  use mpi
  implicit none
  integer :: wrong = 0, deleted = 0, handled = 0, freed = 0
contains
  subroutine check(right, what)
    logical, intent(in) :: right
    character(len=*), intent(in) :: what
    if (.not. right) then
       wrong = wrong + 1
       write (0, *) 'fhandles: ', what, ' is wrong'
    end if
  end subroutine check

  subroutine greatest_of_all(a, b, n, type)
    integer :: n, type
    integer :: a(n), b(n)
    call check(type == MPI_INTEGER, 'the type of an operator')
    b = max(a, b)
  end subroutine greatest_of_all

  subroutine on_error(comm, code)
    integer :: comm, code
    if (code /= MPI_SUCCESS) handled = comm
  end subroutine on_error

  subroutine copy_address(comm, key, extra, in, out, flag, ierr)
    integer :: comm, key, ierr
    integer(kind=MPI_ADDRESS_KIND) :: extra, in, out
    logical :: flag
    if (comm == MPI_COMM_NULL .or. key == MPI_KEYVAL_INVALID) wrong = wrong + 1
    out = in + extra
    flag = .true.
    ierr = MPI_SUCCESS
  end subroutine copy_address

  subroutine delete_address(comm, key, value, extra, ierr)
    integer :: comm, key, ierr
    integer(kind=MPI_ADDRESS_KIND) :: value, extra
    if (comm == MPI_COMM_NULL .or. key == MPI_KEYVAL_INVALID) wrong = wrong + 1
    deleted = deleted + int(value) + 0 * int(extra)
    ierr = MPI_SUCCESS
  end subroutine delete_address

  subroutine query(extra, status, ierr)
    integer(kind=MPI_ADDRESS_KIND) :: extra
    integer :: status(MPI_STATUS_SIZE), ierr
    call MPI_Status_set_elements(status, MPI_INTEGER, int(extra), ierr)
    call MPI_Status_set_cancelled(status, .false., ierr)
    status(MPI_SOURCE) = 7
    status(MPI_TAG) = 8
    ierr = MPI_SUCCESS
  end subroutine query

  subroutine free_it(extra, ierr)
    integer(kind=MPI_ADDRESS_KIND) :: extra
    integer :: ierr
    freed = int(extra)
    ierr = MPI_SUCCESS
  end subroutine free_it

  subroutine cancel_it(extra, complete, ierr)
    integer(kind=MPI_ADDRESS_KIND) :: extra
    logical :: complete
    integer :: ierr
    if (complete .and. extra < 0) wrong = wrong + 1
    ierr = MPI_SUCCESS
  end subroutine cancel_it
end module fhandles_op

program fhandles
  use mpi
  use fhandles_op
  implicit none
  integer, parameter :: many = 50
  integer :: rank, size, peer, ierr, i, n, key, op, handler, dup, type, was
  integer :: r(2 * many), s(MPI_STATUS_SIZE, 2 * many), one(MPI_STATUS_SIZE)
  integer :: in(many), out(many), at(2 * many), left, answer, bytes
  integer(kind=MPI_ADDRESS_KIND) :: extra, value
  logical :: flag

  call MPI_Init(ierr)
  call MPI_Comm_rank(MPI_COMM_WORLD, rank, ierr)
  call MPI_Comm_size(MPI_COMM_WORLD, size, ierr)
  peer = ieor(rank, 1)
  out = [(1000 * rank + i, i = 1, many)]

  call exchange()
  call MPI_Waitall(2 * many, r, s, ierr)
  call check(all(r == MPI_REQUEST_NULL) .and. in(3) == 1000 * peer + 3, 'waitall')
  call check(s(MPI_SOURCE, 3) == peer .and. s(MPI_TAG, 3) == 3, 'a status')
  call exchange()
  call MPI_Waitany(2 * many, r, i, one, ierr)
  call check(r(i) == MPI_REQUEST_NULL, 'waitany')
  left = 2 * many - 1
  do while (left > 0)
     call MPI_Testsome(2 * many, r, n, at, s, ierr)
     if (n > 0) call check(r(at(1)) == MPI_REQUEST_NULL, 'testsome')
     left = left - n
     if (left == 0) exit
     call MPI_Waitsome(2 * many, r, n, at, MPI_STATUSES_IGNORE, ierr)
     left = left - n
  end do
  call MPI_Testall(2 * many, r, flag, MPI_STATUSES_IGNORE, ierr)
  call check(flag, 'testall')
  call MPI_Testany(2 * many, r, i, flag, MPI_STATUS_IGNORE, ierr)
  call check(flag .and. i == MPI_UNDEFINED, 'testany')
  do i = 1, many
     call MPI_Recv_init(in(i), 1, MPI_INTEGER, peer, i, MPI_COMM_WORLD, r(i), ierr)
     call MPI_Send_init(out(i), 1, MPI_INTEGER, peer, i, MPI_COMM_WORLD, r(many + i), ierr)
  end do
  in = 0
  call MPI_Startall(2 * many, r, ierr)
  call MPI_Waitall(2 * many, r, MPI_STATUSES_IGNORE, ierr)
  call check(all(r /= MPI_REQUEST_NULL) .and. in(many) == 1000 * peer + many, 'startall')
  do i = 1, 2 * many
     call MPI_Request_free(r(i), ierr)
  end do

  extra = 5
  call MPI_Comm_create_keyval(copy_address, delete_address, key, extra, ierr)
  value = 100
  call MPI_Comm_set_attr(MPI_COMM_WORLD, key, value, ierr)
  call MPI_Comm_dup(MPI_COMM_WORLD, dup, ierr)
  value = 0
  call MPI_Comm_get_attr(dup, key, value, flag, ierr)
  call check(flag .and. value == 105, 'an attribute that was copied')
  call MPI_Comm_free(dup, ierr)
  call check(deleted == 105, 'an attribute that was deleted')
  call MPI_Comm_get_attr(MPI_COMM_WORLD, MPI_TAG_UB, value, flag, ierr)
  call check(flag .and. value >= 32767, 'MPI_TAG_UB')
  call MPI_Keyval_create(MPI_DUP_FN, MPI_NULL_DELETE_FN, key, 0, ierr)
  call MPI_Attr_put(MPI_COMM_WORLD, key, 77, ierr)
  call MPI_Comm_dup(MPI_COMM_WORLD, dup, ierr)
  call MPI_Attr_get(dup, key, answer, flag, ierr)
  call check(flag .and. answer == 77, 'an attribute of MPI-1')
  call MPI_Attr_delete(dup, key, ierr)
  call MPI_Attr_get(dup, key, answer, flag, ierr)
  call check(.not. flag, 'one that is gone')

  call MPI_Op_create(greatest_of_all, .true., op, ierr)
  call MPI_Allreduce(rank, answer, 1, MPI_INTEGER, op, MPI_COMM_WORLD, ierr)
  call check(answer == size - 1, 'an operator')
  call MPI_Op_free(op, ierr)
  call check(op == MPI_OP_NULL, 'its end')
  call MPI_Comm_create_errhandler(on_error, handler, ierr)
  call MPI_Comm_set_errhandler(dup, handler, ierr)
  call MPI_Comm_get_errhandler(dup, was, ierr)
  call check(was == handler, 'an error handler')
  call MPI_Send(rank, 1, MPI_INTEGER, size + 3, 0, dup, ierr)
  call check(handled == dup, 'what it was called with')
  call MPI_Errhandler_free(handler, ierr)
  call MPI_Comm_free(dup, ierr)

  extra = 9
  call MPI_Grequest_start(query, free_it, cancel_it, extra, r(1), ierr)
  call MPI_Grequest_complete(r(1), ierr)
  call MPI_Wait(r(1), one, ierr)
  call MPI_Get_count(one, MPI_INTEGER, n, ierr)
  call check(n == 9 .and. freed == 9 .and. one(MPI_SOURCE) == 7, 'a generalized request')
  call MPI_Type_match_size(MPI_TYPECLASS_REAL, 8, type, ierr)
  call MPI_Type_size(type, bytes, ierr)
  call check(bytes == 8, 'a type by its size')
  call MPI_Allreduce(MPI_IN_PLACE, wrong, 1, MPI_INTEGER, MPI_SUM, MPI_COMM_WORLD, ierr)
  if (rank == 0 .and. wrong == 0) print '(a)', 'fhandles: all right'
  call MPI_Finalize(ierr)
  if (wrong /= 0) stop 1
contains
  subroutine exchange()
    in = 0
    do i = 1, many
       call MPI_Irecv(in(i), 1, MPI_INTEGER, peer, i, MPI_COMM_WORLD, r(i), ierr)
       call MPI_Isend(out(i), 1, MPI_INTEGER, peer, i, MPI_COMM_WORLD, r(many + i), ierr)
    end do
  end subroutine exchange
end program fhandles
