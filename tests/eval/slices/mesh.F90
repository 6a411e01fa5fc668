! mesh.F90 - slices of a mesh in a derived type, which exchange their edges by
! requests, gather a sum now and then, and pass a word along at the end. FAULT
! chooses one of its faults; the line that has it is marked by its number. What a
! step of a slice costs was not chosen by it.
module mesh_type
  use mpi
  implicit none
  integer, parameter :: sides = 2
  type :: mesh
    integer :: me, all, cells, steps
    integer :: near(sides), tag_out(sides), tag_in(sides)
    double precision, allocatable :: u(:)
  end type
contains
  subroutine make(m, cells)
    type(mesh), intent(out) :: m
    integer, intent(in) :: cells
    integer :: ierr
    call MPI_Comm_rank(MPI_COMM_WORLD, m%me, ierr)
    call MPI_Comm_size(MPI_COMM_WORLD, m%all, ierr)
    m%cells = cells / m%all
    m%steps = 30
    m%near(1) = mod(m%me + m%all - 1, m%all)
#if FAULT == 1
    m%near(2) = mod((m%me + 1) * 2, m%all)                      !! 1 memory
#else
    m%near(2) = mod(m%me + 1, m%all)
#endif
    m%tag_out = (/ 10, 11 /)
#if FAULT == 2
    m%tag_in = (/ 10, 11 /)                                     !! 2 memory
#else
    m%tag_in = (/ 11, 10 /)
#endif
    allocate(m%u(0:m%cells + 1))
    m%u = m%me
  end subroutine
end module

module moves
  use mpi
  use mesh_type
  implicit none
contains
  subroutine edges(m, step)
    type(mesh), intent(inout) :: m
    integer, intent(in) :: step
    double precision :: in(sides + 1)
    integer :: req(2 * sides + 1), side, last, n, ierr
    n = 0
    last = sides
#if FAULT == 3
    if (step == 11 .and. m%me == 2) last = sides - 1            !! 3 local
#endif
    do side = 1, sides
      n = n + 1
      call MPI_Irecv(in(side), 1, MPI_DOUBLE_PRECISION, m%near(side), &
          m%tag_in(side), MPI_COMM_WORLD, req(n), ierr)
    end do
    do side = 1, last
      n = n + 1
      call MPI_Isend(m%u(merge(1, m%cells, side == 1)), 1, &
          MPI_DOUBLE_PRECISION, m%near(side), m%tag_out(side), &
          MPI_COMM_WORLD, req(n), ierr)
    end do
    call MPI_Waitall(n, req, MPI_STATUSES_IGNORE, ierr)
    m%u(0) = in(1)
    m%u(m%cells + 1) = in(2)
  end subroutine

  integer function last_step(m)
    type(mesh), intent(in) :: m
#if FAULT == 4
    last_step = m%steps - m%me / 3                              !! 4 local
#else
    last_step = m%steps
#endif
  end function

  subroutine smooth(m, change)
    type(mesh), intent(inout) :: m
    double precision, intent(out) :: change
    double precision :: new
    integer :: i
    change = 0
    do i = 1, m%cells
      new = 0.5d0 * (m%u(i - 1) + m%u(i + 1))
      change = max(change, abs(new - m%u(i)))
      m%u(i) = new
    end do
  end subroutine

  subroutine look(m, step, change)
    type(mesh), intent(in) :: m
    integer, intent(in) :: step
    double precision, intent(in) :: change
    double precision :: every(64)
    integer :: root, ierr
#if FAULT == 5
    root = merge(1, 0, m%me > 1 .and. step > 10)                !! 5 local
#else
    root = 0
#endif
    call MPI_Gather(change, 1, MPI_DOUBLE_PRECISION, every, 1, &
        MPI_DOUBLE_PRECISION, root, MPI_COMM_WORLD, ierr)
    call MPI_Barrier(MPI_COMM_WORLD, ierr)
  end subroutine

  subroutine pass_on(m, word)
    type(mesh), intent(in) :: m
    integer, intent(inout) :: word
    logical :: arrived
    integer :: wanted, ierr
    wanted = 30
#if FAULT == 6
    if (m%me > 1) wanted = 30 + m%me / 3                        !! 6 local
#endif
    if (m%me > 0) then
      arrived = .false.
      do while (.not. arrived)
        call MPI_Iprobe(m%me - 1, wanted, MPI_COMM_WORLD, arrived, &
            MPI_STATUS_IGNORE, ierr)
      end do
      call MPI_Recv(word, 1, MPI_INTEGER, m%me - 1, wanted, MPI_COMM_WORLD, &
          MPI_STATUS_IGNORE, ierr)
    end if
    word = word + 1
    if (m%me + 1 < m%all) &
      call MPI_Send(word, 1, MPI_INTEGER, m%me + 1, 30, MPI_COMM_WORLD, ierr)
  end subroutine
end module

program meshes
  use mpi
  use mesh_type
  use moves
  implicit none
  type(mesh) :: m
  double precision :: change
  integer :: step, word, ierr
  call MPI_Init(ierr)
  call make(m, 256)
  word = 0
  do step = 1, last_step(m)
    call edges(m, step)
    call smooth(m, change)
#if FAULT == 7
    if (mod(step + m%me / 2, 5) == 0) call look(m, step, change)        !! 7 branch
#else
    if (mod(step, 5) == 0) call look(m, step, change)
#endif
  end do
  call pass_on(m, word)
  call MPI_Barrier(MPI_COMM_WORLD, ierr)
  call MPI_Finalize(ierr)
  if (m%me == 0) print *, word
end program
