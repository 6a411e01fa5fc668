C     heat.f - a kernel in fixed form, with mpif.h: heat on a line, SIZE
C     points a task, halo by MPI_SENDRECV.
C
C       heat [SIZE [SECONDS]]
C
C     The field is 3x + 5t, which "mean of the neighbours, and 5 more"
C     keeps exactly. As the C kernels: a fixed number of rounds, or as
C     many as SECONDS allow, which task 0 decides; KERNEL_ROUNDS as there.
      PROGRAM HEAT
      IMPLICIT NONE
      INCLUDE 'mpif.h'
      INTEGER MOST, ROUNDS
      PARAMETER (MOST = 100000)
      DOUBLE PRECISION OLD(0:MOST+1), NEW(0:MOST+1), SECS, BEGIN
      DOUBLE PRECISION CPU, CPUEND
      INTEGER RANK, TASKS, N, IERR, LEFT, RIGHT, T, I, BAD, ALL, OFF
      LOGICAL MORE
      INTEGER STATUS(MPI_STATUS_SIZE)
      CHARACTER*32 WORD

      CALL MPI_INIT(IERR)
      CALL MPI_COMM_RANK(MPI_COMM_WORLD, RANK, IERR)
      CALL MPI_COMM_SIZE(MPI_COMM_WORLD, TASKS, IERR)
      N = 100
      SECS = 0
      IF (IARGC() .GE. 1) THEN
        CALL GETARG(1, WORD)
        READ (WORD, *) N
      END IF
      IF (IARGC() .GE. 2) THEN
        CALL GETARG(2, WORD)
        READ (WORD, *) SECS
      END IF
      IF (N .LT. 1 .OR. N .GT. MOST) THEN
        PRINT *, 'usage: heat [SIZE [SECONDS]]'
        CALL MPI_ABORT(MPI_COMM_WORLD, 2, IERR)
      END IF
      ROUNDS = 200
      CALL GETENV('KERNEL_ROUNDS', WORD)
      IF (WORD .NE. ' ') READ (WORD, *) ROUNDS
      LEFT = RANK - 1
      IF (RANK .EQ. 0) LEFT = MPI_PROC_NULL
      RIGHT = RANK + 1
      IF (RANK .EQ. TASKS - 1) RIGHT = MPI_PROC_NULL
      OFF = RANK * N
      DO I = 1, N
        OLD(I) = 3D0 * (OFF + I)
      END DO
      BEGIN = MPI_WTIME()
      CALL CPU_TIME(CPU)
      T = 0
   10 CONTINUE
      MORE = T .LT. ROUNDS
      IF (SECS .GT. 0) THEN
        MORE = MPI_WTIME() - BEGIN .LT. SECS
        CALL MPI_BCAST(MORE, 1, MPI_LOGICAL, 0, MPI_COMM_WORLD, IERR)
      END IF
      IF (MORE) THEN
        OLD(0) = 3D0 * OFF + 5D0 * T
        OLD(N+1) = 3D0 * (OFF + N + 1) + 5D0 * T
        CALL MPI_SENDRECV(OLD(1), 1, MPI_DOUBLE_PRECISION, LEFT, 1,
     &    OLD(N+1), 1, MPI_DOUBLE_PRECISION, RIGHT, 1,
     &    MPI_COMM_WORLD, STATUS, IERR)
        CALL MPI_SENDRECV(OLD(N), 1, MPI_DOUBLE_PRECISION, RIGHT, 2,
     &    OLD(0), 1, MPI_DOUBLE_PRECISION, LEFT, 2,
     &    MPI_COMM_WORLD, STATUS, IERR)
        DO I = 1, N
          NEW(I) = 5 + 0.5D0 * (OLD(I-1) + OLD(I+1))
        END DO
        DO I = 1, N
          OLD(I) = NEW(I)
        END DO
        T = T + 1
        GOTO 10
      END IF
      BAD = 0
      DO I = 1, N
        IF (ABS(OLD(I) - 3D0 * (OFF + I) - 5D0 * T) .GT. 1D-6)
     &    BAD = BAD + 1
      END DO
      IF (BAD .GT. 0) PRINT *, 'heat: task', RANK, ':', BAD, ' wrong'
      CALL MPI_ALLREDUCE(BAD, ALL, 1, MPI_INTEGER, MPI_SUM,
     &  MPI_COMM_WORLD, IERR)
      IF (RANK .EQ. 0 .AND. ALL .EQ. 0) PRINT '(A)', 'heat: ok'
      CALL CPU_TIME(CPUEND)
      IF (RANK .EQ. 0 .AND. WORD .NE. ' ')
     &  WRITE (0, '(A, F0.6, A, F0.6)') 'heat: ',
     &  MPI_WTIME() - BEGIN, ' ', CPUEND - CPU
      CALL MPI_FINALIZE(IERR)
      IF (ALL .GT. 0) CALL EXIT(1)
      END
