/* bench_halt.c - how long a thread stands still for a copy of its stack, as it
 * sees it itself: a child reads the clock all the time and notes the longest
 * gap. Beside it the least that the kernel needs to stop a thread and to let
 * it go, with nothing in between, and with the registers only, from another
 * processor; and what a sample takes from the thread's own, where it goes.
 *
 *   bench_halt [SAMPLES] */
#include <elf.h>
#include <sched.h>
#include <signal.h>
#include <stdatomic.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/ptrace.h>
#include <sys/uio.h>
#include <sys/user.h>
#include <sys/wait.h>
#include <unistd.h>

#include "proto/base/clock.h"
#include "slave/stacks/halt.h"

struct shared { _Atomic uint64_t longest, turns; };

static struct shared *shared;
static pid_t child;

static void die(const char *why)
{
    fprintf(stderr, "bench_halt: %s\n", why);
    kill(child, SIGKILL);
    exit(1);
}

static void pin(int cpu)
{
    cpu_set_t set;

    CPU_ZERO(&set);
    CPU_SET(cpu, &set);
    sched_setaffinity(0, sizeof(set), &set);    /* else noise */
}

/* Has 64 KiB of stack below it, as real tasks have. */
static void stand(void)
{
    volatile char room[1 << 16];
    uint64_t before, now;

    memset((char *)room, 1, sizeof(room));
    for (before = clock_monotonic_ns();; before = now) {
        now = clock_monotonic_ns();
        if (now - before > atomic_load(&shared->longest))
            atomic_store(&shared->longest, now - before);
        atomic_fetch_add(&shared->turns, 1);
    }
}

static void wait_stop(void)
{
    siginfo_t info;

    do {
        info.si_pid = 0;
        if (waitid(P_PID, (id_t)child, &info, WSTOPPED | WNOHANG | __WALL))
            die("the child is gone");
    } while (!info.si_pid);
}

/* Nothing but the stop; with the registers. */
static void floor_of(bool registers)
{
    struct user_regs_struct regs;
    struct iovec iov = { &regs, sizeof(regs) };

    if (ptrace(PTRACE_SEIZE, child, NULL, NULL) ||
        ptrace(PTRACE_INTERRUPT, child, NULL, NULL))
        die("ptrace is not permitted");
    wait_stop();
    if (registers)
        ptrace(PTRACE_GETREGSET, child, (void *)(uintptr_t)NT_PRSTATUS, &iov);
    ptrace(PTRACE_DETACH, child, NULL, NULL);
}

static struct halt_copy copy;

static void whole(void)
{
    struct halt_quiet quiet;
    struct halt h;
    struct err err;

    halt_hush(&quiet);
    if (halt_begin(&h, child, child, &err))
        die(err.text);
    while (halt_wait(&quiet, &h, &copy, CLOCK_NS_PER_S) == HALT_WAIT)
        ;
    halt_unhush(&quiet);
    if (h.state != HALT_COPIED || copy.bytes < HALT_STACK)
        die("no copy");
}

static void stop_bare(void) { floor_of(false); }
static void stop_registers(void) { floor_of(true); }

static int by_size(const void *a, const void *b)
{
    const uint64_t *x = a, *y = b;

    return (*x > *y) - (*x < *y);
}

/* Sorts v: the gaps of n stops. */
static void measure(void (*stop)(void), uint64_t *v, int n)
{
    for (int i = 0; i < n; i++) {
        uint64_t turns;

        usleep(300);
        atomic_store(&shared->longest, 0);
        turns = atomic_load(&shared->turns);
        while (atomic_load(&shared->turns) == turns)
            ;
        stop();
        turns = atomic_load(&shared->turns);
        while (atomic_load(&shared->turns) < turns + 2)
            ;
        v[i] = atomic_load(&shared->longest);
    }
    qsort(v, (size_t)n, sizeof(*v), by_size);
}

int main(int argc, char **argv)
{
    static const struct { const char *what; void (*stop)(void); } ways[] = {
        { "stop and go only", stop_bare },
        { "with the registers", stop_registers },
        { "with 16 KiB of stack, as it is sampled", whole },
    };
    int n = argc > 1 ? atoi(argv[1]) : 2000;
    uint64_t *v = calloc((size_t)n, sizeof(*v));
    uint64_t floor_ns = 0;
    cpu_set_t all;

    shared = mmap(NULL, sizeof(*shared), PROT_READ | PROT_WRITE,
                  MAP_SHARED | MAP_ANONYMOUS, -1, 0);
    child = fork();
    if (child == 0) {
        prctl(PR_SET_PDEATHSIG, SIGKILL);
        pin(1);
        stand();
    }
    sched_getaffinity(0, sizeof(all), &all);
    pin(0);
    for (size_t i = 0; v && i < sizeof(ways) / sizeof(ways[0]); i++) {
        if (ways[i].stop == whole)      /* the parent goes where it is taken */
            sched_setaffinity(0, sizeof(all), &all);
        measure(ways[i].stop, v, n);
        if (i == 0)
            floor_ns = v[n / 10];
        printf("halt, %s: a thread stands for %.1f us (p10), %.1f us (p50), "
               "of the least %.2f\n", ways[i].what, (double)v[n / 10] / 1e3,
               (double)v[n / 2] / 1e3, (double)v[n / 10] / (double)floor_ns);
    }
    kill(child, SIGKILL);
    waitpid(child, NULL, 0);
    free(v);
    return 0;
}
