# The Open MPI of a job is dropped and another one loaded, as a member of a new
# generation of the job; programs go on with all that they have of MPI, and of
# the old one nothing stays.
# limit: 70
# shellcheck disable=SC2016,SC2086 # for another shell; options are words
. "${0%/*}/../lib/t.sh"
need_moves
need mpicc mpirun cc
[ "$(uname -m)" = x86_64 ] || skip_all 'images are of x86-64 only'

export OMPI_ALLOW_RUN_AS_ROOT=1 OMPI_ALLOW_RUN_AS_ROOT_CONFIRM=1
export OMPI_MCA_mpi_yield_when_idle=1 OMPI_MCA_hwloc_base_binding_policy=none

# A library that a program can ask, and that asks for its place elsewhere.
mkdir "$T/hector"
sed 's/global:/global: test_*;/' "$top/mpi-wrappers/layer/libmpi.map" >"$T/map"
mpicc -std=c11 -D_GNU_SOURCE -fPIC -fvisibility=hidden -I"$top" -I"$build/gen" -c \
    -o "$T/lent.o" "$top/tests/lib/lent.c" || exit 1
cc -shared -static-libgcc -Wl,-soname,libmpi.so.40 -Wl,--version-script,"$T/map" \
    -Wl,--wrap=dial -o "$T/hector/libmpi.so.40" "$T/lent.o" -Wl,--whole-archive \
    "$build/pic/layer.a" -Wl,--no-whole-archive "$build/pic/image.a" -lpthread -ldl || exit 1
ln -s "$build/lib/hector/libhector-inside.so" "$T/hector/"
cc -std=c11 -D_GNU_SOURCE -I"$top" -o "$T/lender" "$top/tests/lib/lender.c" || exit 1
with=$T/with            # PROGRAM...: with it, behind what is preloaded already
printf '#!/bin/sh
LD_PRELOAD="${LD_PRELOAD:+$LD_PRELOAD:}%s" exec "$@"\n' "$T/hector/libmpi.so.40" >"$with"
chmod +x "$with"

lend()          # TASKS: places in a job, until the end of lent()
{
    mkfifo "$T/lend"
    LENDER=@swap.$$.$tap_n
    "$T/lender" "${LENDER#@}" "$1" <"$T/lend" >"$T/lender.out" 2>"$T/lender.err" &
    lender=$!
    exec 8>"$T/lend"
    export LENDER
    wait_for '[ -s "$T/lender.out" ]'
}

lent()
{
    exec 8>&-
    wait "$lender"
    rm -f "$T/lend"
    unset LENDER
}

swaps()         # TASKS PROGRAM...: with places that are lent
{
    lend "$1"
    n=$1
    shift
    run hector-run -n "$n" --oversubscribe "$with" "$@" 8>&-
    lent
}

# Of each rank: is what it has after each swap what it had after the first?
same_size()     # FILE
{
    awk '/ swap [0-9]+: / {
        gsub(/:/, "")
        if ($4 == 1)
            split("", none)
        if ($4 == 1) {
            fds[$2] = $5; maps[$2] = $7; threads[$2] = $9; kb[$2] = $11
        } else if ($4 > 1 && ($5 != fds[$2] || $7 > maps[$2] + 2 ||
                 $9 != threads[$2] || $11 > kb[$2] * 1.1))
            print "rank " $2 " swap " $4 ": " $0
    }' "$1"
}

# ------------------------------------------------------------ one task alone
cat >"$T/alone.c" <<'C'
#define _GNU_SOURCE
#include <dlfcn.h>
#include <mpi.h>
#include <pthread.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
static volatile int quit;
static volatile unsigned long turns;
static void *work(void *arg)
{
    while (!quit)
        free(malloc(1000)), turns++;
    return arg;
}
static void on_usr1(int n) { (void)n; }
static const char *whose(int n)
{
    struct sigaction a;
    Dl_info info;
    sigaction(n, NULL, &a);
    return a.sa_handler == SIG_DFL ? "default" : a.sa_handler == SIG_IGN ? "ignored" :
        a.sa_handler == on_usr1 ? "program" :
        dladdr((void *)a.sa_handler, &info) && strstr(info.dli_fname, "open") ? "MPI" : "?";
}
int main(int argc, char **argv)
{
    int (*swap)(unsigned) = (int (*)(unsigned))dlsym(RTLD_DEFAULT, "test_swap");
    int (*refused)(char *, int) = (int (*)(char *, int))dlsym(RTLD_DEFAULT, "test_refused");
    int level, n = atoi(argv[1]), *memory;
    char why[256] = "";
    unsigned long before;
    pthread_t t;
    MPI_Win win;
    MPI_Comm dup;
    MPI_Request r;
    MPI_Init_thread(&argc, &argv, MPI_THREAD_FUNNELED, &level);
    signal(SIGUSR1, on_usr1);
    signal(SIGUSR2, SIG_IGN);
    pthread_create(&t, NULL, work, NULL);
    printf("level %d, signals %s %s %s\n", level, whose(SIGUSR1), whose(SIGUSR2), whose(SIGSEGV));
    for (int i = 1; i <= n; i++) {
        if (swap((unsigned)i))
            return 1;
        before = turns;
        while (turns == before)
            ;
    }
    MPI_Query_thread(&level);
    printf("level %d, signals %s %s %s\n", level, whose(SIGUSR1), whose(SIGUSR2), whose(SIGSEGV));
    quit = 1;
    pthread_join(t, NULL);
    MPI_Win_allocate(4, 4, MPI_INFO_NULL, MPI_COMM_WORLD, &memory, &win);
    printf("%d %s\n", refused(why, sizeof(why)), why);
    MPI_Win_free(&win);
    MPI_Comm_dup(MPI_COMM_WORLD, &dup);
    MPI_Irecv(&n, 1, MPI_INT, 0, 0, dup, &r);
    MPI_Cancel(&r);
    MPI_Wait(&r, MPI_STATUS_IGNORE);
    MPI_Recv_init(&n, 1, MPI_INT, 0, 0, dup, &r);
    MPI_Comm_free(&dup);
    printf("%d %s\n", refused(why, sizeof(why)), why);
    MPI_Request_free(&r);
    why[0] = 0;
    printf("%d %s\n", refused(why, sizeof(why)), why);
    return MPI_Finalize();
}
C
mpicc -pthread -o "$T/alone" "$T/alone.c" -ldl || exit 1
swaps 1 "$T/alone" 20
is "$status" 0 'one task, 20 swaps, while a thread of it works'
is "$(sort -u "$T/out" | grep -c level)" 1 'threads and signals are as they were'
like "$T/out" '^level 1, signals program ignored' '... those that the program has said'
like "$T/out" '^1 it has a window' 'refused: a window'
like "$T/out" '^1 it has a request on a communicator that it has freed' \
    '... a request on a communicator that was freed'
like "$T/out" '^0 $' '... and nothing when they are gone'

# ---------------------------------------------------- all that a program has
swaps 4 "$APPS/swapped" 10
is "$status" 0 'all kinds of objects, ten swaps'
like "$T/out" '^swapped: 10 swaps, all right' '... and all work'
is "$(same_size "$T/out")" '' '... and nothing grows'

# ---------------------------------------------------------------- Fortran
cat >"$T/turn.c" <<'C'
#define _GNU_SOURCE
#include <dlfcn.h>
void turn_(int *n, int *rc);
void turn_(int *n, int *rc)
{
    *rc = ((int (*)(unsigned))dlsym(RTLD_DEFAULT, "test_swap"))((unsigned)*n);
}
C
cat >"$T/fswap.f90" <<'F'
module things
  use mpi
  implicit none
  integer :: handled = 0
contains
  subroutine add(a, b, n, t)
    integer :: n, t, i
    integer :: a(2 * n), b(2 * n)
    if (t == MPI_INTEGER) print *, 'wrong type'
    do i = 1, 2 * n
      b(i) = b(i) + a(i)
    end do
  end subroutine
  subroutine on_error(comm, code)
    integer :: comm, code
    handled = comm
    if (code == 0) print *, 'wrong code'
  end subroutine
end module
program fswap
  use things
  implicit none
  integer :: rank, n, ierr, half, pair, plus, req, lasting, group, handler, info, i
  integer :: a(2), b(2), got, sent, members, st(MPI_STATUS_SIZE), key, rc
  integer(MPI_ADDRESS_KIND) :: value, extra
  logical :: flag
  integer(MPI_ADDRESS_KIND) :: bound
  call MPI_Init(ierr)
  call MPI_Comm_rank(MPI_COMM_WORLD, rank, ierr)
  call MPI_Comm_size(MPI_COMM_WORLD, n, ierr)
  call MPI_Comm_split(MPI_COMM_WORLD, mod(rank, 2), -rank, half, ierr)
  call MPI_Type_contiguous(2, MPI_INTEGER, pair, ierr)
  call MPI_Type_commit(pair, ierr)
  call MPI_Op_create(add, .true., plus, ierr)
  call MPI_Comm_create_errhandler(on_error, handler, ierr)
  call MPI_Comm_set_errhandler(half, handler, ierr)
  call MPI_Comm_group(half, group, ierr)
  call MPI_Info_create(info, ierr)
  call MPI_Info_set(info, 'name', 'value', ierr)
  extra = 0
  value = 4711
  call MPI_Comm_create_keyval(MPI_COMM_NULL_COPY_FN, MPI_COMM_NULL_DELETE_FN, key, extra, ierr)
  call MPI_Comm_set_attr(half, key, value, ierr)
  call MPI_Recv_init(got, 1, MPI_INTEGER, mod(rank + n - 1, n), 1, MPI_COMM_WORLD, lasting, ierr)
  do i = 1, 4
    call MPI_Irecv(b, 1, pair, mod(rank + n - 1, n), 2, MPI_COMM_WORLD, req, ierr)
    call turn(i, rc)
    if (rc /= 0) stop 1
    a = (/ rank, i /)
    call MPI_Send(a, 1, pair, mod(rank + 1, n), 2, MPI_COMM_WORLD, ierr)
    call MPI_Wait(req, st, ierr)
    if (b(1) /= mod(rank + n - 1, n) .or. b(2) /= i .or. req /= MPI_REQUEST_NULL) &
      print *, 'wrong message'
    call MPI_Allreduce(a, b, 1, pair, plus, MPI_COMM_WORLD, ierr)
    if (b(1) /= n * (n - 1) / 2 .or. b(2) /= i * n) print *, 'wrong sum'
    call MPI_Comm_size(half, members, ierr)
    if (members /= n / 2) print *, 'wrong size'
    call MPI_Group_size(group, members, ierr)
    if (members /= n / 2) print *, 'wrong group'
    handled = 0
    call MPI_Send(a, 1, pair, n + 7, 0, half, ierr)
    if (handled /= half) print *, 'wrong handler'
    call MPI_Info_get_nkeys(info, members, ierr)
    if (members /= 1) print *, 'wrong info'
    call MPI_Comm_get_attr(half, key, value, flag, ierr)
    if (.not. flag .or. value /= 4711) print *, 'wrong attribute'
    call MPI_Comm_get_attr(MPI_COMM_WORLD, MPI_TAG_UB, bound, flag, ierr)
    if (.not. flag .or. bound < 32767) print *, 'wrong bound'
    call MPI_Start(lasting, ierr)
    sent = 100 * rank + i
    call MPI_Send(sent, 1, MPI_INTEGER, mod(rank + 1, n), 1, MPI_COMM_WORLD, ierr)
    call MPI_Wait(lasting, st, ierr)
    if (got /= 100 * mod(rank + n - 1, n) + i) print *, 'wrong persistent'
  end do
  call MPI_Request_free(lasting, ierr)
  call MPI_Barrier(MPI_COMM_WORLD, ierr)
  if (rank == 0) print *, 'fswap is done'
  call MPI_Finalize(ierr)
end program
F
if command -v mpifort >"$T/null" && cc -c -o "$T/turn.o" "$T/turn.c" &&
    (cd "$T" && mpifort -o fswap fswap.f90 turn.o -ldl); then
    swaps 4 "$T/fswap"
    is "$status $(tr -s ' ' <"$T/out")" '0  fswap is done' 'Fortran, with its numbers'
else
    skip 'Fortran, with its numbers' 'no Fortran'
fi

# ------------------------------------- at any moment, by the word in the pages
moments()       # TASKS SWAPS SEED
{
    run hector-run -n "$1" --oversubscribe "$APPS/skew" 150 "$3"
    plain=$(sort "$T/out")
    lend "$1"
    rm -f "$T/end"
    HECTOR_T=$T STOPPER_SWAP=1 "$APPS/stopper" "$1" "$2" 50 400 "$3" "$T/end" \
        >"$T/stopped" 2>"$T/stopped.err" 8>&- &
    stopper=$!
    run hector-run -n "$1" --oversubscribe "$with" "$APPS/skew" 150 "$3" 8>&-
    lent
    wait $stopper
    is "$status $(sort "$T/out")" "0 $plain" "$1 tasks that are far from each other: $(
        cat "$T/stopped" "$T/stopped.err")"
    like "$T/stopped" '^[1-9][0-9]* stops' '... with swaps at any moment'
}
moments 4 6 1
moments 5 6 2
done_testing
