! orchard.F90 - trees of an orchard grow and are picked in rows, neighbours lend each
! other ladders, baskets are weighed along a line of pickers, a cart goes round, and what
! was picked is sorted between the tasks. FAULT chooses one of its faults; the line that
! has it is marked by its number. Nothing was chosen by it: it was written before, and
! only measured afterwards.
module trees
  use mpi
  implicit none
  integer, parameter :: rows = 13, tag_row = 5, tag_ladder = 6, tag_back = 7
  type orchard
    integer :: me, all, low, high
    integer, allocatable :: fruit(:), owner(:)
  end type
  integer, save :: season = 0
contains
  subroutine plant(o)
    type(orchard), intent(out) :: o
    integer :: row, ierr
    call MPI_Comm_rank(MPI_COMM_WORLD, o%me, ierr)
    call MPI_Comm_size(MPI_COMM_WORLD, o%all, ierr)
    allocate(o%fruit(rows), o%owner(rows))
    do row = 1, rows
      o%owner(row) = mod(row * 7, o%all)
      o%fruit(row) = mod(row * 11, 9) + 1
#if FAULT == 1
      if (o%me == 2 .and. o%fruit(row) > 8) o%owner(row) = mod(row, o%all)   !! 1 memory
#endif
    end do
    o%low = o%me * rows / o%all + 1
    o%high = (o%me + 1) * rows / o%all
  end subroutine

  ! Each row is told by its owner to all who are in need of it.
  subroutine tell_rows(o)
    type(orchard), intent(inout) :: o
    integer :: row, to, ierr
    do row = 1, rows
      if (o%owner(row) == o%me) then
        do to = 0, o%all - 1
          if (to /= o%me) call MPI_Send(o%fruit(row), 1, MPI_INTEGER, to, &
              tag_row + 100 * row, MPI_COMM_WORLD, ierr)
        end do
      else
        call MPI_Recv(o%fruit(row), 1, MPI_INTEGER, o%owner(row), &
            tag_row + 100 * row, MPI_COMM_WORLD, MPI_STATUS_IGNORE, ierr)
      end if
    end do
  end subroutine

  subroutine grow(o)
    type(orchard), intent(inout) :: o
    integer :: row
    season = season + 1
    do row = 1, rows
      if (o%owner(row) == o%me) o%fruit(row) = mod(o%fruit(row) * 3 + season, 10) + 1
    end do
  end subroutine

  integer function partner_of(o, turn)
    type(orchard), intent(in) :: o
    integer, intent(in) :: turn
    integer :: k
    k = mod(turn, o%all)
#if FAULT == 2
    partner_of = mod(o%all + k - o%me * (1 + season / 3), o%all)  !! 2 local
#else
    partner_of = mod(o%all + k - o%me, o%all)
#endif
    if (partner_of < 0) partner_of = partner_of + o%all
  end function

  ! Whoever has more fruit in its part is lent ladders, and gives them back.
  subroutine lend(o)
    type(orchard), intent(in) :: o
    integer :: turn, with, mine, theirs, ladders, k, ierr
    mine = sum(o%fruit(o%low:o%high))
    do turn = 0, o%all - 1
      with = partner_of(o, turn)
      if (with == o%me) cycle
      call MPI_Sendrecv(mine, 1, MPI_INTEGER, with, tag_ladder, theirs, 1, &
          MPI_INTEGER, with, tag_ladder, MPI_COMM_WORLD, MPI_STATUS_IGNORE, ierr)
      ladders = abs(mine - theirs) / 4
#if FAULT == 3
      if (o%me > with .and. ladders > 1) ladders = ladders - 1    !! 3 local
#endif
      do k = 1, ladders
        if (mine < theirs) then
          call MPI_Ssend(k, 1, MPI_INTEGER, with, tag_back, MPI_COMM_WORLD, ierr)
        else
          call MPI_Recv(theirs, 1, MPI_INTEGER, with, tag_back, MPI_COMM_WORLD, &
              MPI_STATUS_IGNORE, ierr)
          theirs = -1
        end if
      end do
    end do
  end subroutine
end module

module baskets
  use mpi
  use trees
  implicit none
  integer, parameter :: tag_basket = 20, tag_cart = 30, tag_sort = 40, most = 64
  type basket
    integer :: weight = 0, pieces = 0
  end type
  type pile
    integer :: n = 0
    integer :: weights(most) = 0
  end type
contains
  ! Baskets go along the line: each adds what it has, the last one says it is full.
  subroutine weigh(o, limit)
    type(orchard), intent(in) :: o
    integer, intent(in) :: limit
    type(basket) :: b
    integer :: count, packed(2), ierr
    logical :: full
    full = .false.
    count = 0
    do while (.not. full)
      count = count + 1
      if (o%me > 0) then
        call MPI_Recv(packed, 2, MPI_INTEGER, o%me - 1, tag_basket, MPI_COMM_WORLD, &
            MPI_STATUS_IGNORE, ierr)
        b%weight = packed(1)
        b%pieces = packed(2)
      else
        b = basket()
      end if
      b%weight = b%weight + o%fruit(o%low)
      b%pieces = b%pieces + 1
      packed = [b%weight, b%pieces]
      if (o%me < o%all - 1) call MPI_Ssend(packed, 2, MPI_INTEGER, o%me + 1, &
          tag_basket, MPI_COMM_WORLD, ierr)
#if FAULT == 4
      full = count >= limit .or. b%weight > 18                  !! 4 local
#else
      full = count >= limit
#endif
    end do
  end subroutine

  ! A cart goes round until nobody has anything to load on it.
  subroutine cart(o, p)
    type(orchard), intent(in) :: o
    type(pile), intent(inout) :: p
    integer :: load, next, last, room, ierr
    logical :: more
    next = mod(o%me + 1, o%all)
    last = mod(o%me + o%all - 1, o%all)
    room = 3
    more = .true.
    if (o%me == 0) then
      load = 0
      call MPI_Send(load, 1, MPI_INTEGER, next, tag_cart, MPI_COMM_WORLD, ierr)
    end if
    do while (more)
      call MPI_Recv(load, 1, MPI_INTEGER, last, tag_cart, MPI_COMM_WORLD, &
          MPI_STATUS_IGNORE, ierr)
      if (o%me == 0 .and. load < 0) exit
      more = load >= 0
#if FAULT == 5
      if (load > 12 .and. o%me > 1) exit                        !! 5 branch
#endif
      if (o%me == 0 .and. p%n < room) load = -1
      if (load >= 0 .and. p%n >= room) then
        p%n = p%n - room
        load = load + room
      end if
      call MPI_Send(load, 1, MPI_INTEGER, next, tag_cart, MPI_COMM_WORLD, ierr)
    end do
  end subroutine

  subroutine pick(o, p)
    type(orchard), intent(in) :: o
    type(pile), intent(inout) :: p
    integer :: row, k
    p%n = 0
    do row = o%low, o%high
      do k = 1, o%fruit(row)
        if (p%n == most) exit
        p%n = p%n + 1
        p%weights(p%n) = mod(k * 17 + row * 5, 31)
      end do
    end do
  end subroutine

  pure integer function home_of(weight, all)
    integer, intent(in) :: weight, all
    home_of = min(weight * all / 31, all - 1)
  end function

  ! How many go where is told first, then they go one by one.
  subroutine sort(o, p)
    type(orchard), intent(in) :: o
    type(pile), intent(inout) :: p
    integer :: give(0:15), take(0:15), round, to, from, k, at, weight, ierr
    type(pile) :: new
    give = 0
    do k = 1, p%n
      at = home_of(p%weights(k), o%all)
      give(at) = give(at) + 1
    end do
    call MPI_Alltoall(give, 1, MPI_INTEGER, take, 1, MPI_INTEGER, MPI_COMM_WORLD, ierr)
#if FAULT == 6
    if (p%n > 2) take(mod(o%me + 1, o%all)) = p%n / 2 + 1       !! 6 memory
#endif
    do round = 1, o%all - 1
      to = mod(o%me + round, o%all)
#if FAULT == 7
      from = mod(o%me - round * (1 + season / 3) + 2 * o%all, o%all)   !! 7 local
#else
      from = mod(o%me - round + o%all, o%all)
#endif
      call swap(o, p, new, to, from, take(from))
    end do
    do k = 1, new%n
      weight = new%weights(k)
      p%weights(k) = weight
    end do
  end subroutine

  subroutine swap(o, p, new, to, from, due)
    type(orchard), intent(in) :: o
    type(pile), intent(in) :: p
    type(pile), intent(inout) :: new
    integer, intent(in) :: to, from, due
    integer :: requests(most), n, k, tag, ierr
    n = 0
    tag = tag_sort
#if FAULT == 8
    if (due > 1) tag = tag_sort + 1                             !! 8 local
#endif
    do k = 1, p%n
      if (home_of(p%weights(k), o%all) /= to) cycle
      n = n + 1
      call MPI_Isend(p%weights(k), 1, MPI_INTEGER, to, tag_sort, MPI_COMM_WORLD, &
          requests(n), ierr)
    end do
    do k = 1, due
      call MPI_Recv(new%weights(mod(new%n, most) + 1), 1, MPI_INTEGER, from, tag, &
          MPI_COMM_WORLD, MPI_STATUS_IGNORE, ierr)
      new%n = mod(new%n, most) + 1
    end do
    call MPI_Waitall(n, requests, MPI_STATUSES_IGNORE, ierr)
  end subroutine
end module

program main
  use mpi
  use trees
  use baskets
  implicit none
  type(orchard) :: o
  type(pile) :: p
  integer :: year, years, limit, picked, ierr
  logical :: ripe
  call MPI_Init(ierr)
  call plant(o)
  years = 6
  picked = 0
  do year = 1, years
    call grow(o)
    call tell_rows(o)
    call lend(o)
    limit = 4 + mod(year, 3)
#if FAULT == 9
    if (o%fruit(o%low) > 9) limit = limit + 1                   !! 9 local
#endif
    call weigh(o, limit)
    call pick(o, p)
    picked = picked + p%n
    call cart(o, p)
    ripe = maxval(o%fruit) > 3
#if FAULT == 10
    ripe = ripe .and. (o%low < 9 .or. year < 4)                 !! 10 local
#endif
    if (ripe) call sort(o, p)
    call MPI_Allreduce(MPI_IN_PLACE, picked, 1, MPI_INTEGER, MPI_MAX, MPI_COMM_WORLD, &
        ierr)
  end do
  if (o%me == 0) print *, picked, o%fruit
  call MPI_Finalize(ierr)
end program
