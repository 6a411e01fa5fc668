C     fhello.f - Fortran 77 with mpif.h: a tagged call, a sum, a greeting.
C
      PROGRAM FHELLO
      INCLUDE 'mpif.h'
      INTEGER IERR, RANK, TASKS, TOTAL
      EXTERNAL HCT_RT_TAG
      CALL MPI_INIT(IERR)
      CALL MPI_COMM_RANK(MPI_COMM_WORLD, RANK, IERR)
      CALL MPI_COMM_SIZE(MPI_COMM_WORLD, TASKS, IERR)
      CALL HCT_RT_TAG(7, 'fortran 77 sum  ')
      CALL MPI_ALLREDUCE(RANK, TOTAL, 1, MPI_INTEGER, MPI_SUM,
     &                   MPI_COMM_WORLD, IERR)
      IF (TOTAL .NE. TASKS * (TASKS - 1) / 2) THEN
          CALL MPI_ABORT(MPI_COMM_WORLD, 6, IERR)
      END IF
      IF (RANK .EQ. 0) THEN
          WRITE (*, '(A,I0,A)') 'fortran 77: ', TASKS, ' tasks agree'
      END IF
      CALL MPI_FINALIZE(IERR)
      END
