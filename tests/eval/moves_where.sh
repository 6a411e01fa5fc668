#!/bin/sh
# moves_where.sh - tasks move while they, or those that they talk to, are anywhere: in each call of
# MPI that waits, and in all that a program does besides. What they compute stays
# the same, and no policy says a word.
# limit: 600
# shellcheck disable=SC2016,SC2086 # conditions are evaluated later; words are wanted
. "${0%/*}/../lib/t.sh"
hosts 3
need sqlite3 mpicc mpicxx
fortran=$([ -x "$APPS/fwhere" ] && echo yes)

R="hector-run --launch-agent $AGENT -H n1:4,n2:4,n3:4 --oversubscribe --migratable"

begin()         # COMMAND...: a job of it in the background
{
    rm -rf "$T/told"
    mkdir "$T/told"
    : >"$T/job.out"
    $R "$@" </dev/null >"$T/job.out" 2>"$T/job.err" &
    runner=$!
    at=1 moves=0
}
elsewhere()     # RANK: the next host for it; in a job of 4, two are on n1 first
{
    at=$((at % 3 + 1))
    hector migrate "$job.$1" n$at >"$T/move" 2>&1 && return
    grep -q 'already' "$T/move" || return
    at=$((at % 3 + 1))
    hector migrate "$job.$1" n$at >"$T/move" 2>&1
}
phase()         # NAME RANK...: each of them moves while all are there
{
    tap_phase=$1 tap_bad=
    shift
    wait_for 'grep -qx "phase $tap_phase" "$T/job.out"'
    job=${job:-$(sql 'SELECT max(job) FROM jobs')}
    for r in "$@"; do
        elsewhere $r || tap_bad="$tap_bad task $r: $(cat "$T/move")"
        moves=$((moves + 1))
    done
    is "$tap_bad" '' "$tap_phase: moved there"
    : >"$T/told/$tap_phase"
}
refused()       # NAME EXTENDED-REGEXP RANK: it does not move, and the job goes on
{
    tap_phase=$1
    wait_for 'grep -qx "phase $tap_phase" "$T/job.out"'
    job=${job:-$(sql 'SELECT max(job) FROM jobs')}
    run hector migrate --quiesce-timeout 2 "$job.$3" n3
    ! grep -q already "$T/err" || run hector migrate --quiesce-timeout 2 "$job.$3" n2
    is "$status $(grep -Ec "nothing was moved, the job goes on: $2" "$T/err")" '1 1' \
        "$1: refused, and why"
    sed "s,^,# ," "$T/err"
    : >"$T/told/$1"
}
finish()        # TASKS: all has come as it should, and nobody was suspected
{
    status=0
    wait $runner || status=$?
    is "$status $(grep -c " of $1 wrong 0\$" "$T/job.out")" "0 $1" \
        "... after $moves moves nothing is wrong"
    grep 'wrong in' "$T/job.out"
    is "$(grep -v 'now, and the job stood' "$T/job.err")" '' '... and nobody suspects it'
    job=
}

job=
begin -n 4 "$APPS/blocked" "$T/told"
for p in $("$APPS/blocked"); do
    phase "$p" 1 0
done
finish 4

# ------------------------------------------------------------- and besides MPI
cat >"$T/library.c" <<'C'
long library_work(long n);
long library_work(long n)
{
    volatile long x = 0;
    for (long i = 0; i <= n; i++)
        x = x + 1;
    return x;
}
__attribute__((constructor)) static void comes(void) { library_work(100000); }
__attribute__((destructor)) static void goes(void) { library_work(100000); }
C
mpicc -shared -fPIC -o "$T/library.so" "$T/library.c"
mpicxx -std=c++11 -O1 -w -pthread -fopenmp -o "$T/elsewhere" \
    "$top/tests/apps/elsewhere.cc" -ldl
begin -n 3 "$T/elsewhere" "$T/told" "$T/library.so"
for p in $("$T/elsewhere"); do
    phase "$p" 1 0
done
finish 3

if [ "$fortran" ]; then
    begin -n 3 "$APPS/fwhere" "$T/told/fortran"
    wait_for 'grep -qx "phase fortran" "$T/job.out"'
    tap_bad=
    job=$(sql 'SELECT max(job) FROM jobs')
    for r in 0 1 2 0 1 2 0 1; do
        elsewhere $r || tap_bad="$tap_bad task $r: $(cat "$T/move")"
        moves=$((moves + 1))
    done
    is "$tap_bad" '' 'fortran: moved wherever it was'
    : >"$T/told/fortran"
    finish 3
fi

# ------------------------ where several threads may call MPI; and when it is too late
cat >"$T/level.c" <<'C'
#include <mpi.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>
int main(int argc, char **argv)
{
    int rank, size, level, want = strcmp(argv[1], "serialized") == 0
        ? MPI_THREAD_SERIALIZED : MPI_THREAD_MULTIPLE;
    char path[4096];
    MPI_Init_thread(&argc, &argv, argc > 3 ? MPI_THREAD_SINGLE : want, &level);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &size);
    MPI_Barrier(MPI_COMM_WORLD);
    if (rank == 0) {
        printf("phase %s\n", argv[1]);
        fflush(stdout);
    }
    snprintf(path, sizeof(path), "%s/%s", argv[2], argv[1]);
    while ((argc <= 3 || rank == 0) && access(path, F_OK))
        usleep(1000);
    printf("rank %d of %d wrong 0\n", rank, size);
    fflush(stdout);
    return MPI_Finalize();
}
C
mpicc -O1 -o "$T/level" "$T/level.c"
for level in serialized multiple; do
    begin -n 2 "$T/level" $level "$T/told"
    phase $level 1 0
    finish 2
done
begin -n 2 "$T/level" finalize "$T/told" late
wait_for 'grep -q "rank 1 of" "$T/job.out"'
refused finalize 'task 0 has not reached collective' 1
finish 2

done_testing
