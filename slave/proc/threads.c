/* threads.c - see threads.h. All threads are read twice: who sleeps both times,
 * and was not switched to between, slept at the moment between the two rounds,
 * as all the others did. */
#include "slave/proc/threads.h"

#include <dirent.h>
#include <inttypes.h>
#include <linux/futex.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/syscall.h>

#include "slave/proc/procmaps.h"
#include "slave/proc/procstate.h"
#include "slave/proc/smallfile.h"

enum { THREADS_MAX = 1024, STARTED = 22 };      /* STARTED: field of stat */

/* Not sent by what the process itself has set going: faults, which come to who
 * makes them; what people and batch systems send; and the two that glibc keeps
 * to itself. */
static const int harmless[] = {
    SIGABRT, SIGBUS, SIGFPE, SIGILL, SIGSEGV, SIGSYS, SIGTRAP, SIGHUP, SIGINT,
    SIGQUIT, SIGTERM, SIGTSTP, SIGCONT, SIGPIPE, SIGXCPU, SIGXFSZ, 32, 33
};

static uint64_t bit(uint32_t signal)
{
    return signal ? UINT64_C(1) << (signal - 1) : 0;
}

bool threads_signalled(const char *text, uint64_t but)
{
    const char *p = strstr(text, "\nSigCgt:");
    uint64_t caught = p ? strtoull(p + 8, NULL, 16) : ~UINT64_C(0);

    for (size_t i = 0; i < sizeof(harmless) / sizeof(harmless[0]); i++)
        caught &= ~bit((uint32_t)harmless[i]);
    return caught & ~but;
}

bool threads_waits(const char *text, bool *shared, uint64_t *address)
{
    unsigned long long arg[4];
    long number;
    unsigned op;

    if (sscanf(text, "%ld %llx %llx %llx %llx", &number, &arg[0], &arg[1],
               &arg[2], &arg[3]) != 5 || number != SYS_futex || arg[3])
        return false;
    *address = arg[0];
    *shared = !(arg[1] & FUTEX_PRIVATE_FLAG);
    op = (unsigned)arg[1] & FUTEX_CMD_MASK;
    return op == FUTEX_WAIT || op == FUTEX_WAIT_BITSET ||
           op == FUTEX_LOCK_PI || op == FUTEX_WAIT_REQUEUE_PI;
}

static bool thread_text(pid_t pid, pid_t tid, const char *name, char *buf,
                        size_t size)
{
    char path[64];

    snprintf(path, sizeof(path), "/proc/%d/task/%d/%s", (int)pid, (int)tid,
             name);
    return smallfile_read(path, buf, size);
}

/* The number behind a name in the text of a status. */
static uint64_t number_of(const char *text, const char *name)
{
    const char *p = strstr(text, name);

    return p ? strtoull(p + strlen(name), NULL, 10) : 0;
}

/* When it began, as the kernel counts; 0: not known. */
static uint32_t started(pid_t pid, pid_t tid)
{
    char text[1024];
    const char *p;

    if (!thread_text(pid, tid, "stat", text, sizeof(text)))
        return 0;
    p = strrchr(text, ')');             /* behind it field 3 comes */
    for (int field = 2; p && field < STARTED; field++)
        p = strchr(p + 1, ' ');
    return p ? (uint32_t)strtoull(p + 1, NULL, 10) : 0;
}

/* One of MPI's own, which never calls it for the program. A number may come
 * again, but not with the same time. */
static bool is_crew(const struct page_header *h, pid_t pid, pid_t tid)
{
    if (!h || atomic_load_explicit(&h->crew_known, memory_order_acquire) != 1)
        return false;
    for (unsigned i = 0; i < PAGE_CREW; i++)
        if (atomic_load_explicit(&h->crew[i].tid, memory_order_relaxed) ==
                (uint32_t)tid)
            return atomic_load_explicit(&h->crew[i].started,
                                        memory_order_relaxed) ==
                   started(pid, tid);
    return false;
}

bool threads_single(pid_t pid, const struct page_header *page)
{
    char path[40];
    DIR *dir;
    struct dirent *e;
    bool single = true;

    snprintf(path, sizeof(path), "/proc/%d/task", (int)pid);
    dir = opendir(path);
    if (!dir)
        return false;
    while (single && (e = readdir(dir))) {
        pid_t tid = atoi(e->d_name);

        single = tid <= 0 || tid == pid || is_crew(page, pid, tid);
    }
    closedir(dir);
    return single;
}

pid_t threads_left(pid_t pid)
{
    char path[40], text[1024];
    DIR *dir;
    struct dirent *e;
    pid_t left = 0;

    snprintf(path, sizeof(path), "/proc/%d/task", (int)pid);
    dir = opendir(path);
    while (dir && !left && (e = readdir(dir))) {
        pid_t tid = atoi(e->d_name);

        if (tid > 0 && tid != pid && thread_text(pid, tid, "stat", text, sizeof(text)) &&
            !strchr("ZX", procstate_letter(text)))
            left = tid;
    }
    if (dir)
        closedir(dir);
    return left;
}

static bool is_among(const struct threads_but *but, pid_t tid)
{
    for (unsigned i = 0; i < but->n; i++)
        if (but->tid[i] == tid)
            return true;
    return false;
}

/* How often a thread that sleeps has been switched away from, with what it
 * sleeps in; 0: it may go on by itself. */
static uint64_t asleep(pid_t pid, pid_t tid)
{
    char call[200], text[4096];
    const char *state;
    uint64_t address;
    bool shared;

    if (!thread_text(pid, tid, "syscall", call, sizeof(call)) ||
        !threads_waits(call, &shared, &address) ||
        !thread_text(pid, tid, "status", text, sizeof(text)))
        return 0;
    state = strstr(text, "\nState:\t");
    if (!state || state[8] != 'S' ||
        !strstr(text, "\nvoluntary_ctxt_switches:") ||
        (shared && !procmaps_private(pid, address)))
        return 0;
    return (number_of(text, "\nvoluntary_ctxt_switches:") +
            number_of(text, "\nnonvoluntary_ctxt_switches:") + 1) ^
           address << 20;
}

/* All of them, one after the other, in one number; 0: one is not asleep. */
static uint64_t round_of(pid_t pid, const struct threads_but *but)
{
    char path[40];
    DIR *dir;
    struct dirent *e;
    uint64_t all = 1, one = 1;
    unsigned n = 0;

    snprintf(path, sizeof(path), "/proc/%d/task", (int)pid);
    dir = opendir(path);
    while (dir && one && (e = readdir(dir))) {
        pid_t tid = atoi(e->d_name);

        if (tid <= 0 || is_among(but, tid) || is_crew(but->page, pid, tid))
            continue;
        one = n++ < THREADS_MAX ? asleep(pid, tid) : 0;
        all = (all ^ (uint64_t)tid ^ one << 24) * 0x9e3779b97f4a7c15u;
    }
    if (!dir)
        return 0;
    closedir(dir);
    return one ? all | 1 : 0;
}

bool threads_asleep(pid_t pid, const struct threads_but *but)
{
    char path[40], text[4096];
    uint64_t before = round_of(pid, but);

    snprintf(path, sizeof(path), "/proc/%d/status", (int)pid);
    return before && before == round_of(pid, but) &&
           smallfile_read(path, text, sizeof(text)) &&
           !threads_signalled(text, but->signals);
}
