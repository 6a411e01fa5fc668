! tag_f08.f90 - Fortran 2008, "use mpi_f08": typed handles, error codes left
! out, strings, non-blocking and persistent requests, a user's operation.
module tag_f08_op
    use mpi_f08
    implicit none
contains
    subroutine add_up(in, inout, n, datatype)
        use, intrinsic :: iso_c_binding
        type(c_ptr), value :: in, inout
        integer :: n
        type(MPI_Datatype) :: datatype
        integer, pointer :: a(:), b(:)
        integer :: bytes

        call MPI_Type_size(datatype, bytes)
        call c_f_pointer(in, a, [n])
        call c_f_pointer(inout, b, [n])
        b = a + b
    end subroutine add_up
end module tag_f08_op

program tag_f08
    use mpi_f08
    use hct_rt
    use tag_f08_op
    implicit none
    type(MPI_Comm) :: half, dup
    type(MPI_Request) :: requests(2)
    type(MPI_Status) :: statuses(2)
    type(MPI_Info) :: info
    type(MPI_Op) :: op
    integer :: rank, tasks, right, left, total, length, i
    integer, asynchronous :: got
    logical :: flag
    character(len=MPI_MAX_OBJECT_NAME) :: name
    character(len=8) :: value
    double precision :: start

    call HCT_RT_Tag(0, 'init')
    call MPI_Init()
    start = MPI_Wtime()
    call MPI_Comm_rank(MPI_COMM_WORLD, rank)
    call MPI_Comm_size(MPI_COMM_WORLD, tasks)
    right = mod(rank + 1, tasks)
    left = mod(rank + tasks - 1, tasks)

    call MPI_Comm_split(MPI_COMM_WORLD, mod(rank, 2), rank, half)
    call MPI_Comm_set_name(half, 'half of all')
    call MPI_Comm_get_name(half, name, length)
    call check(name == 'half of all' .and. length == 11, 1)
    call MPI_Comm_free(half)

    call MPI_Comm_dup(MPI_COMM_WORLD, dup)
    call MPI_Op_create(add_up, .true., op)
    call HCT_RT_Tag(1, 'sum')
    call MPI_Allreduce(rank, total, 1, MPI_INTEGER, op, dup)
    call check(total == tasks * (tasks - 1) / 2, 2)
    call MPI_Op_free(op)

    call MPI_Recv_init(got, 1, MPI_INTEGER, left, 9, dup, requests(1))
    call MPI_Send_init(rank, 1, MPI_INTEGER, right, 9, dup, requests(2))
    do i = 1, 3
        got = -1
        call MPI_Startall(2, requests)
        call HCT_RT_Tag(10 + i, 'wait for the neighbour')
        call MPI_Waitall(2, requests, statuses)
        call check(got == left .and. statuses(1)%MPI_SOURCE == left, 3)
    end do
    call MPI_Request_free(requests(1))
    call MPI_Request_free(requests(2))

    call MPI_Info_create(info)
    call MPI_Info_set(info, 'key', 'value')
    call MPI_Info_get(info, 'key', len(value), value, flag)
    call check(flag .and. value == 'value', 4)
    call MPI_Info_free(info)
    call MPI_Comm_free(dup)
    call check(MPI_Wtime() >= start, 5)
    if (rank == 0) write (*, '(A,I0,A)') 'tag_f08: ', tasks, ' tasks agree'
    call MPI_Finalize()

contains
    subroutine check(good, number)
        logical, intent(in) :: good
        integer, intent(in) :: number

        if (good) return
        write (0, '(A,I0)') 'tag_f08: failed at check ', number
        call MPI_Abort(MPI_COMM_WORLD, 6)
    end subroutine check
end program tag_f08
