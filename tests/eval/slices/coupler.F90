! coupler.F90 - two models, each of half of the tasks: each goes on by itself, and from
! time to time they exchange what is between them.
#ifndef FAULT
#define FAULT 0
#endif
module models
  use mpi
  implicit none
  integer, parameter :: tag_edge = 10, tag_flux = 100, tag_back = 200, tag_sum = 300
  type model
    integer :: me, all, which, local, peer, every, comm
    double precision :: field(0:33), total
  end type
contains
  subroutine start(m)
    type(model), intent(out) :: m
    integer :: ierr, half
    call MPI_Comm_rank(MPI_COMM_WORLD, m%me, ierr)
    call MPI_Comm_size(MPI_COMM_WORLD, m%all, ierr)
    half = m%all / 2
    m%which = m%me / half
    m%local = mod(m%me, half)
#if FAULT == 5
    m%peer = mod(m%me + half + m%me / 3, m%all)                 !! 5 memory
#else
    m%peer = mod(m%me + half, m%all)
#endif
#if FAULT == 2
    m%every = 2 + m%which                                       !! 2 memory
#else
    m%every = 2
#endif
    call MPI_Comm_split(MPI_COMM_WORLD, m%which, m%me, m%comm, ierr)
    m%field = m%me + 1
    m%total = 0
  end subroutine

  integer function pieces(step)
    integer, intent(in) :: step
    pieces = 1 + mod(step, 3)
  end function

  subroutine edges(m, step, sub)
    type(model), intent(inout) :: m
    integer, intent(in) :: step, sub
    integer :: partner, tag, ierr, status(MPI_STATUS_SIZE)
    partner = 1 - m%local
    tag = tag_edge + sub
#if FAULT == 1
    if (step == 9) tag = tag + m%local                          !! 1 local
#endif
    call MPI_Sendrecv(m%field(32), 1, MPI_DOUBLE_PRECISION, partner, tag, &
        m%field(0), 1, MPI_DOUBLE_PRECISION, partner, tag, m%comm, status, ierr)
  end subroutine

  subroutine advance(m, step)
    type(model), intent(inout) :: m
    integer, intent(in) :: step
    integer :: sub, subs, i
    subs = 2 - m%which
#if FAULT == 8
    subs = subs + m%local * (step / 8)                          !! 8 local
#endif
    do sub = 1, subs
      call edges(m, step, sub)
      do i = 1, 32
        m%field(i) = 0.5d0 * (m%field(i - 1) + m%field(i))
      end do
    end do
  end subroutine
end module

module between
  use mpi
  use models
  implicit none
contains
  subroutine give(m, step)
    type(model), intent(inout) :: m
    integer, intent(in) :: step
    integer :: p, n, tag, ierr, status(MPI_STATUS_SIZE)
    n = pieces(step)
#if FAULT == 4
    n = max(n - m%local, 1)                                     !! 4 local
#endif
    do p = 1, n
      tag = tag_flux + p
#if FAULT == 6
      tag = tag + step / 8                                      !! 6 local
#endif
      call MPI_Ssend(m%field(p), 8, MPI_DOUBLE_PRECISION, m%peer, tag, &
          MPI_COMM_WORLD, ierr)
    end do
    call MPI_Recv(m%field(1), 4, MPI_DOUBLE_PRECISION, m%peer, tag_back, &
        MPI_COMM_WORLD, status, ierr)
  end subroutine

  subroutine take(m, step)
    type(model), intent(inout) :: m
    integer, intent(in) :: step
    double precision :: flux(8)
    integer :: p, ierr, status(MPI_STATUS_SIZE)
    do p = 1, pieces(step)
      call MPI_Recv(flux, 8, MPI_DOUBLE_PRECISION, m%peer, tag_flux + p, &
          MPI_COMM_WORLD, status, ierr)
      m%field(1:8) = m%field(1:8) + 0.1d0 * flux
    end do
    call MPI_Ssend(m%field(1), 4, MPI_DOUBLE_PRECISION, m%peer, tag_back, &
        MPI_COMM_WORLD, ierr)
  end subroutine

  subroutine couple(m, step)
    type(model), intent(inout) :: m
    integer, intent(in) :: step
#if FAULT == 3
    if (m%me == 3 .and. step == 6) return                       !! 3 branch
#endif
    if (m%which == 0) then
      call give(m, step)
    else
      call take(m, step)
    end if
  end subroutine

  subroutine budget(m, step)
    type(model), intent(inout) :: m
    integer, intent(in) :: step
    double precision :: mine, others
    integer :: comm, ierr, status(MPI_STATUS_SIZE)
#if FAULT == 7
    if (mod(step, 3) /= 0 .or. (m%local == 1 .and. step > 8)) return  !! 7 branch
#else
    if (mod(step, 3) /= 0) return
#endif
    comm = m%comm
#if FAULT == 9
    if (m%me == 3 .and. step > 5) comm = MPI_COMM_WORLD         !! 9 local
#endif
    mine = sum(m%field(1:32))
    call MPI_Allreduce(mine, m%total, 1, MPI_DOUBLE_PRECISION, MPI_SUM, comm, ierr)
    if (m%local > 0) return
    call MPI_Sendrecv(m%total, 1, MPI_DOUBLE_PRECISION, m%peer, tag_sum, others, 1, &
        MPI_DOUBLE_PRECISION, m%peer, tag_sum, MPI_COMM_WORLD, status, ierr)
    m%total = m%total + others
  end subroutine

  subroutine write_out(m)
    type(model), intent(inout) :: m
    double precision :: part
    integer :: k, ierr, status(MPI_STATUS_SIZE)
    if (m%me > 0) then
      call MPI_Ssend(m%total, 1, MPI_DOUBLE_PRECISION, 0, 400, MPI_COMM_WORLD, ierr)
      return
    end if
    do k = 1, m%all - 1
#if FAULT == 10
      if (m%total > 1d0 .and. k == m%peer) cycle                !! 10 branch
#endif
      call MPI_Recv(part, 1, MPI_DOUBLE_PRECISION, k, 400, MPI_COMM_WORLD, status, &
          ierr)
      m%total = m%total + part
    end do
  end subroutine
end module

program coupler
  use mpi
  use models
  use between
  implicit none
  type(model) :: m
  integer :: ierr, step
  call MPI_Init(ierr)
  call start(m)
  do step = 1, 12
    call advance(m, step)
    if (mod(step, m%every) == 0) call couple(m, step)
    call budget(m, step)
  end do
  call write_out(m)
  call MPI_Finalize(ierr)
  if (m%me == 0) print *, m%total
end program
