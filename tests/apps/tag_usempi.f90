! tag_usempi.f90 - Fortran 90, "use mpi": one-sided communication, allocated
! memory through a C pointer, MPI-IO with strings, derived types; with tags.
program tag_usempi
    use mpi
    use hct_rt
    use, intrinsic :: iso_c_binding
    implicit none
    integer :: ierr, rank, tasks, right, left, win, fh, got, length, i
    integer :: status(MPI_STATUS_SIZE), words(4), errors
    integer(MPI_ADDRESS_KIND) :: bytes, zero, base
    integer(MPI_OFFSET_KIND) :: offset
    integer, pointer :: memory(:)
    type(c_ptr) :: address
    character(len=MPI_MAX_ERROR_STRING) :: text
    character(len=200) :: name

    call MPI_Init(ierr)
    call MPI_Comm_rank(MPI_COMM_WORLD, rank, ierr)
    call MPI_Comm_size(MPI_COMM_WORLD, tasks, ierr)
    right = mod(rank + 1, tasks)
    left = mod(rank + tasks - 1, tasks)

    ! "use mpi" has a second MPI_Alloc_mem, for C pointers.
    bytes = 16
    call MPI_Alloc_mem(bytes, MPI_INFO_NULL, address, ierr)
    call check(ierr == MPI_SUCCESS .and. c_associated(address), 1)
    call c_f_pointer(address, memory, [4])
    memory = -1
    call MPI_Win_create(memory, bytes, 4, MPI_INFO_NULL, MPI_COMM_WORLD, win, ierr)
    call MPI_Win_fence(0, win, ierr)
    call HCT_RT_Tag(1, 'put to the right')
    zero = 0
    call MPI_Put(rank, 1, MPI_INTEGER, right, zero, 1, MPI_INTEGER, win, ierr)
    call HCT_RT_Tag(2, 'fence')
    call MPI_Win_fence(0, win, ierr)
    call check(memory(1) == left, 2)
    call MPI_Win_free(win, ierr)
    call MPI_Free_mem(memory, ierr)

    base = MPI_Aint_add(zero, bytes)
    call check(base == 16 .and. MPI_Aint_diff(base, zero) == 16, 3)

    call get_environment_variable('TMPDIR', name, length)
    if (length == 0) name = '/tmp'
    name = trim(name) // '/tag_usempi.data'
    call MPI_File_open(MPI_COMM_WORLD, name, &
        ior(MPI_MODE_CREATE, ior(MPI_MODE_RDWR, MPI_MODE_DELETE_ON_CLOSE)), &
        MPI_INFO_NULL, fh, ierr)
    call check(ierr == MPI_SUCCESS, 4)
    offset = 0
    call MPI_File_set_view(fh, offset, MPI_INTEGER, MPI_INTEGER, 'native', &
        MPI_INFO_NULL, ierr)
    words = [(rank * 10 + i, i = 1, 4)]
    offset = rank * 4
    call HCT_RT_Tag(3, 'write')
    call MPI_File_write_at_all(fh, offset, words, 4, MPI_INTEGER, status, ierr)
    call MPI_Get_count(status, MPI_INTEGER, got, ierr)
    call check(got == 4, 5)
    call MPI_File_sync(fh, ierr)
    call MPI_Barrier(MPI_COMM_WORLD, ierr)
    offset = left * 4
    call MPI_File_read_at(fh, offset, words, 4, MPI_INTEGER, status, ierr)
    call check(words(1) == left * 10 + 1 .and. words(4) == left * 10 + 4, 6)
    call MPI_File_close(fh, ierr)

    call MPI_Comm_set_errhandler(MPI_COMM_WORLD, MPI_ERRORS_RETURN, ierr)
    call MPI_Send(rank, 1, MPI_INTEGER, tasks + 5, 0, MPI_COMM_WORLD, errors)
    call MPI_Error_string(errors, text, length, ierr)
    call check(errors /= MPI_SUCCESS .and. index(text, 'MPI_ERR_RANK') > 0, 7)
    if (rank == 0) write (*, '(A,I0,A)') 'tag_usempi: ', tasks, ' tasks agree'
    call MPI_Finalize(ierr)

contains
    subroutine check(good, number)
        logical, intent(in) :: good
        integer, intent(in) :: number
        integer :: e

        if (good) return
        write (0, '(A,I0)') 'tag_usempi: failed at check ', number
        call MPI_Abort(MPI_COMM_WORLD, 6, e)
    end subroutine check
end program tag_usempi
