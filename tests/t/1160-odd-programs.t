# Programs that do what a library in front of MPI might stumble over give the
# same output and status with it and without it, under the same launcher:
# threads, children, jumps, MPI loaded at run time, no MPI_Finalize, an
# LD_PRELOAD of their own.
# limit: 60
# shellcheck disable=SC2016 # scripts are for other shells
. "${0%/*}/../lib/t.sh"
need mpicc

same()          # DESCRIPTION TASKS PROGRAM [ARGUMENT...]
{
    same_what=$1 same_n=$2
    shift 2
    run hector-run -q --oversubscribe -n "$same_n" env -u LD_PRELOAD "$@"
    cp "$T/out" theirs
    # Open MPI 4.1 calls into a component that MPI_Finalize has unloaded, if PMIx
    # tells of the program's model only then: once in 1,200 programs this short, on
    # a busy machine, without anything of ours.
    same_status=$status
    [ "$status" != 139 ] || same_status=${same_dies:-0}
    run hector-run -q --oversubscribe -n "$same_n" "$@"
    is "$status" "$same_status" "$same_what: the same status"
    ok "$same_what: the same output" sh -c 'diff theirs out >&2'
}
seen()          # how many tasks of the last job were seen calling MPI
{
    sql 'SELECT count(*) FROM tasks WHERE mpi_calls > 0 AND job = (SELECT
        max(job) FROM jobs)'
}

same 'threads' 2 "$APPS/tag_threads" 4 2 20
is "$(seen)" 2 '... it was recorded'
same 'callbacks and jumps' 2 "$APPS/tag_nest"
same 'children' 2 "$APPS/tag_fork"
same 'a walk through MPI' 3 "$APPS/comms" "$T"
export MM="$top/tests/apps/mm.small"
same 'the example' 3 sh -c '"$APPS/mm" "$MM" 1000 | sed -n /product/p'
like out '^0: The product is right$' '... is right'
for p in names tag_mpif tag_usempi tag_f08 fhello fcomms f08 heat jacobi; do
    [ ! -x "$APPS/$p" ] || same "$p" 2 "$APPS/$p"
done
for p in ring stencil cg transpose wavefront farm imbalance phases poll omp; do
    same "$p" 3 "$APPS/$p"
done
for p in comms requests sites edges threads; do
    same "more $p than there is room for" 2 "$APPS/exhaust" $p
done
same 'no MPI_Finalize, status 0' 2 "$APPS/exits" all quick 0 late
same 'no MPI_Finalize' 2 "$APPS/exits" all quick 3
same 'exit inside' 2 "$APPS/exits" all exit 5
same_dies=139
same 'killed by a signal' 2 "$APPS/exits" all signal 11
same_dies=

cat >odd.c <<'END'
/* odd HOW: MPI in a program that does odd things first. */
#include <dlfcn.h>
#include <mpi.h>
#include <setjmp.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/time.h>
#include <unistd.h>

static sigjmp_buf out;
static volatile sig_atomic_t armed, ticks;
static sigset_t alarm_only;

static void on_alarm(int sig)
{
    (void)sig;
    ticks++;
    if (armed) {
        armed = 0;
        siglongjmp(out, 1);
    }
}

/* A time limit on each turn, by a handler that jumps: out of the program's
 * own work, and out of MPI_Wtime, which does not mind. */
static void jumps(void)
{
    struct itimerval often = { { 0, 300 }, { 0, 300 } }, never = { { 0, 0 }, { 0, 0 } };
    volatile double sum = 0;

    signal(SIGALRM, on_alarm);
    sigprocmask(SIG_UNBLOCK, &alarm_only, NULL);
    setitimer(ITIMER_REAL, &often, NULL);
    while (ticks < 500)
        if (sigsetjmp(out, 1) == 0) {
            armed = 1;
            for (;;)
                sum = sum + MPI_Wtime();
        }
    setitimer(ITIMER_REAL, &never, NULL);
}

int main(int argc, char **argv)
{
    const char *how = argc > 1 ? argv[1] : "";
    int rank, size, sum = 0;

    if (strcmp(how, "preload") == 0 && !getenv("AGAIN")) {
        setenv("AGAIN", "1", 1);
        setenv("LD_PRELOAD", argv[2], 1);
        execv(argv[0], argv);
        return 9;
    }
    if (strcmp(how, "append") == 0 && !getenv("AGAIN")) {
        const char *was = getenv("LD_PRELOAD");
        char all[8192];

        snprintf(all, sizeof(all), "%s%s%s", was ? was : "", was ? ":" : "",
                 argv[2]);
        setenv("AGAIN", "1", 1);
        setenv("LD_PRELOAD", all, 1);
        execv(argv[0], argv);
        return 9;
    }
    sigemptyset(&alarm_only);           /* not in MPI's own threads */
    sigaddset(&alarm_only, SIGALRM);
    sigprocmask(SIG_BLOCK, &alarm_only, NULL);
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &size);
    if (strcmp(how, "jumps") == 0)
        jumps();
    if (strcmp(how, "nulls") == 0) {
        MPI_Errhandler handler;
        int comm = MPI_Comm_c2f(MPI_COMM_NULL), win = MPI_Win_c2f(MPI_WIN_NULL);
        int file = MPI_File_c2f(MPI_FILE_NULL);
        int back = MPI_Comm_f2c(comm) == MPI_COMM_NULL &&
                   MPI_Win_f2c(win) == MPI_WIN_NULL &&
                   MPI_File_f2c(file) == MPI_FILE_NULL;

        MPI_File_set_errhandler(MPI_FILE_NULL, MPI_ERRORS_ARE_FATAL);
        MPI_File_get_errhandler(MPI_FILE_NULL, &handler);
        if (rank == 0)
            printf("nulls: %d\n", back && handler == MPI_ERRORS_ARE_FATAL);
    }
    MPI_Allreduce(&rank, &sum, 1, MPI_INT, MPI_SUM, MPI_COMM_WORLD);
    if (rank == 0)
        printf("odd: %d of %d, preloaded: %d\n", sum, size,
               dlsym(RTLD_DEFAULT, "a_library_of_its_own") != NULL);
    fflush(stdout);
    if (strcmp(how, "quick") == 0)
        _exit(0);
    return MPI_Finalize();
}
END
cat >own.c <<'END'
int a_library_of_its_own(void);
int a_library_of_its_own(void) { return 1; }
END
{ mpicc -w -D_GNU_SOURCE -o odd odd.c -ldl &&
    cc -shared -fPIC -o own.so own.c; } || skip_all 'no compiler here'
same 'LD_PRELOAD set by the program' 2 ./odd preload "$PWD/own.so"
like out '^odd: 1 of 2, preloaded: 1$' '... it ran'
same 'LD_PRELOAD added to by the program' 2 ./odd append "$PWD/own.so"
like out '^odd: 1 of 2, preloaded: 1$' '... it ran'
is "$(seen)" 2 '... and was recorded'
same 'a handler that jumps out' 2 ./odd jumps
is "$(seen)" 2 '... it was recorded'
same 'null handles' 2 ./odd nulls
like out '^nulls: 1$' '... are what they are'
same 'no MPI_Finalize, nor exit' 2 ./odd quick

# MPI in a library that the program loads, for itself alone.
cat >load.c <<'END'
#include <dlfcn.h>
int main(int argc, char **argv)
{
    void *module = dlopen("./module.so", RTLD_NOW | RTLD_LOCAL);
    int (*go)(int, char **) = module ?
        (int (*)(int, char **))dlsym(module, "main") : 0;

    return go ? go(argc, argv) : 9;
}
END
if mpicc -w -D_GNU_SOURCE -shared -fPIC -o module.so odd.c -ldl &&
    cc -o load load.c -ldl; then
    same 'MPI loaded by dlopen' 2 ./load
    like out '^odd: 1 of 2' '... it ran'
    is "$(seen)" 2 '... and was recorded'
else
    skip 'MPI loaded by dlopen' 'no compiler here'
fi
done_testing
