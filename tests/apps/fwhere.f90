! fwhere.f90 - a program in Fortran that does all that Fortran has with requests,
! memory and formatted files, again and again until there is a file.
!
! usage: fwhere FILE
program fwhere
  use mpi_f08
  implicit none
  integer, parameter :: n = 60000
  integer :: rank, size, next, before, round, wrong, i, count, over, unit, got
  integer :: indices(3)
  logical :: flag
  character(len=200) :: path, text
  integer, allocatable :: from(:), to(:), grows(:), ones(:), offsets(:)
  type(MPI_Request) :: r(3), kept(2)
  type(MPI_Status) :: s(3)
  type(MPI_Datatype), allocatable :: types(:)
  type(MPI_Comm) :: twin

  call MPI_Init()
  call MPI_Comm_rank(MPI_COMM_WORLD, rank)
  call MPI_Comm_size(MPI_COMM_WORLD, size)
  call MPI_Comm_dup(MPI_COMM_WORLD, twin)
  call get_command_argument(1, path)
  next = mod(rank + 1, size)
  before = mod(rank + size - 1, size)
  allocate (from(n), to(n), ones(size), offsets(size), types(size))
  ones = 1
  offsets = [(4 * (i - 1), i = 1, size)]
  types = MPI_INTEGER
  call MPI_Recv_init(to, n, MPI_INTEGER, before, 3, twin, kept(1))
  call MPI_Send_init(from, n, MPI_INTEGER, next, 3, twin, kept(2))
  write (text, '(a,a,i0)') trim(path), '.', rank
  open (newunit=unit, file=trim(text), status='replace', action='readwrite')
  round = 0
  wrong = 0
  over = 0
  do while (over == 0)
     round = round + 1
     from = rank + round
     allocate (grows(round * 100))
     grows = round
     write (unit, '(i8,f12.3,a)') round, 0.5 * round, ' formatted'
     call MPI_Startall(2, kept)
     select case (mod(round, 8))
     case (0)
        call MPI_Waitall(2, kept, MPI_STATUSES_IGNORE)
     case (1)
        call MPI_Waitany(2, kept, i, s(1))
        call MPI_Waitany(2, kept, i, s(1))
     case (2)
        got = 0
        do while (got < 2)
           call MPI_Waitsome(2, kept, count, indices, s)
           got = got + count
        end do
     case (3)
        flag = .false.
        do while (.not. flag)
           call MPI_Testall(2, kept, flag, s)
        end do
     case (4)
        got = 0
        do while (got < 2)
           call MPI_Testany(2, kept, i, flag, s(1))
           if (flag) got = got + 1
        end do
     case (5)
        got = 0
        do while (got < 2)
           call MPI_Testsome(2, kept, count, indices, s)
           got = got + count
        end do
     case (6)
        call MPI_Wait(kept(1), s(1))
        call MPI_Wait(kept(2), s(2))
     case default
        do i = 1, 2
           flag = .false.
           do while (.not. flag)
              call MPI_Test(kept(i), flag, s(1))
           end do
        end do
     end select
     if (any(to /= before + round)) wrong = wrong + 1
     to = -1
     call MPI_Irecv(to, n, MPI_INTEGER, MPI_ANY_SOURCE, 4, MPI_COMM_WORLD, r(1))
     call MPI_Issend(from, n, MPI_INTEGER, next, 4, MPI_COMM_WORLD, r(2))
     call MPI_Ibarrier(twin, r(3))
     call MPI_Waitall(3, r, s)
     if (s(1)%MPI_SOURCE /= before .or. any(to /= before + round)) wrong = wrong + 1
     from(:size) = rank * size + [(i, i = 1, size)]
     call MPI_Alltoallw(from, ones, offsets, types, to, ones, offsets, types, twin)
     if (any(to(:size) /= [((i - 1) * size + rank + 1, i = 1, size)])) wrong = wrong + 1
     to = -1
     call MPI_Ialltoallw(from, ones, offsets, types, to, ones, offsets, types, twin, r(1))
     call MPI_Wait(r(1), MPI_STATUS_IGNORE)
     if (any(to(:size) /= [((i - 1) * size + rank + 1, i = 1, size)])) wrong = wrong + 1
     if (any(grows /= round)) wrong = wrong + 1
     deallocate (grows)
     inquire (file=trim(path), exist=flag)
     i = merge(1, 0, flag)
     call MPI_Allreduce(i, over, 1, MPI_INTEGER, MPI_MIN, MPI_COMM_WORLD)
     if (rank == 0 .and. round == 1) then
        write (*, '(a)') 'phase fortran'
        flush (6)
     end if
  end do
  rewind (unit)
  do i = 1, round
     read (unit, '(i8,12x,a)') got, text
     if (got /= i .or. text /= ' formatted') wrong = wrong + 1
  end do
  close (unit)
  call MPI_Request_free(kept(1))
  call MPI_Request_free(kept(2))
  call MPI_Comm_free(twin)
  write (*, '(a,i0,a,i0,a,i0)') 'rank ', rank, ' of ', size, ' wrong ', wrong
  call MPI_Finalize()
end program fwhere
