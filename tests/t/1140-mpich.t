# The same libraries with MPICH, whose handles are integers: programs get what
# they get without, in C and Fortran, and faults strike.
# limit: 60
# busy
# shellcheck disable=SC2016 # scripts are for other shells
. "${0%/*}/../lib/t.sh"
need mpiexec.mpich mpicc.mpich
build_c()       # PROGRAM: one of tests/apps
{
    mpicc.mpich -w -O2 -std=gnu11 -o "$T/$1" "$top/tests/apps/$1.c" \
        -I"$top" -I"$build/include" -L"$build/lib" -lhct -lpthread -lm \
        -Wl,-rpath,"$build/lib"
}
same()          # TASKS PROGRAM [ARGUMENT...]: output and status with and without
{
    same_n=$1
    shift
    run mpiexec.mpich -n "$same_n" "$@"
    cp "$T/out" "$T/theirs"
    same_status=$status
    run hector-run --adopt -- mpiexec.mpich -n "$same_n" "$@"
    is "$status" "$same_status" "${1##*/} on $same_n: the same status"
    ok "${1##*/} on $same_n: the same output" sh -c 'diff theirs out >&2'
}
for p in comms ring stencil cg transpose wavefront farm imbalance phases poll; do
    build_c $p || skip_all "mpicc.mpich cannot build $p.c"
done
same 1 "$T/comms" "$T"
like theirs '^comms: [1-9][0-9]* checks, all right$' 'it ran'
for n in 2 4; do
    same $n "$T/comms" "$T"
    like theirs '^comms: [1-9][0-9]* checks, all right$' '... and is right'
done
for p in ring stencil cg transpose wavefront farm imbalance phases poll; do
    same 2 "$T/$p"
done

# What stands beside MPI_IN_PLACE means nothing, also not to us.
cat >place.f90 <<'END'
program place
    include 'mpif.h'
    integer :: rank, tasks, i, ierr, all(64), r(2), s(MPI_STATUS_SIZE, 2)
    call MPI_Init(ierr)
    call MPI_Comm_rank(MPI_COMM_WORLD, rank, ierr)
    call MPI_Comm_size(MPI_COMM_WORLD, tasks, ierr)
    do i = 1, 3
        all(rank + 1) = rank
        call MPI_Allgather(MPI_IN_PLACE, 77, MPI_DATATYPE_NULL, all, 1, &
                           MPI_INTEGER, MPI_COMM_WORLD, ierr)
        if (sum(all(1:tasks)) /= tasks * (tasks - 1) / 2) stop 5
    end do
    call MPI_Irecv(i, 1, MPI_INTEGER, mod(rank + 1, tasks), 3, &
                   MPI_COMM_WORLD, r(1), ierr)
    call MPI_Isend(rank, 1, MPI_INTEGER, mod(rank + tasks - 1, tasks), 3, &
                   MPI_COMM_WORLD, r(2), ierr)
    call MPI_Waitall(2, r, s, ierr)
    if (i /= mod(rank + 1, tasks)) stop 6
    if (rank == 0) print '(A)', 'place: all right'
    call MPI_Finalize(ierr)
end program
END
if command -v mpif90.mpich >/dev/null && mpif90.mpich -w -o place place.f90; then
    same 2 "$T/place"
    like theirs 'place: all right' 'Fortran: it ran'
else
    skip 'Fortran' 'no mpif90.mpich here'
fi

# Faults, by hand. A blank in LD_PRELOAD would end the name of the library.
ln -s "$build/lib/libhector-inject.so" "$T"
export HECTOR_INJECT_LOG="$T/log"
cat >struck <<'END'
# COMMAND...: unless it ends itself, it is ended 3 s after a fault has struck, and 124
"$@" &
until [ -s "$T/log" ]; do sleep 0.1; done
sleep 3
case $(cut -d ' ' -f 3 "/proc/$!/stat") in
[!Z]) kill $! && ended=124 ;;
esac
wait $!
exit ${ended:-$?}
END
inject()        # RULE COMMAND...: in ring, by this
{
    : >"$T/log"
    rule=$1
    shift
    run timeout 200 hector-run --adopt -- sh -c 'export HECTOR_INJECT="$1" \
        LD_PRELOAD="$LD_PRELOAD:$2"; shift 2; exec "$@"' - "$rule" \
        "$T/libhector-inject.so" "$@" mpiexec.mpich -n 2 "$T/ring" 10
}
events()
{
    sql "SELECT rank, call, label FROM events WHERE job = (SELECT max(job) FROM
        jobs) AND label LIKE 'injected:%'"
}
inject 'exit in 1 MPI_Barrier 20 20 0 0 0 0 9' timeout 60
is "$status" 9 'exit: status'
is "$(events)" '1|MPI_Barrier|injected: exit in MPI_Barrier call 20' '... event'
inject 'drop in 1 MPI_Isend 5 5 0 0 0 0 0' sh "$T/struck"
is "$status" 124 'a dropped message: the receiver waits'
is "$(events)" '1|MPI_Isend|injected: drop in MPI_Isend call 5 to rank 0' '... event'
inject 'spin after 1 MPI_Waitall 5 5 0 0 0 0 0' sh "$T/struck"
is "$status $(events)" \
    '124 1|MPI_Waitall|injected: spin after MPI_Waitall call 5' 'spin'
is "$(sql 'SELECT rank FROM tasks WHERE job = (SELECT max(job) FROM jobs) AND
    mpi_calls > 10000')" 1 '... it polls'
done_testing
