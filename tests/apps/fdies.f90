! fdies.f90 - prints two records and is gone, without closing its units.
program fdies
  use mpi
  use iso_c_binding, only: c_int
  implicit none
  interface
     subroutine leave(status) bind(c, name='_exit')
       import :: c_int
       integer(c_int), value :: status
     end subroutine
  end interface
  integer :: ierr

  call MPI_Init(ierr)
  write(*, '(a)') ' first record'
  print *, 'second record'
  call leave(9_c_int)
end program
