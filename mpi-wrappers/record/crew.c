/* crew.c - MPI's own threads: see crew.h. */
#include "mpi-wrappers/record/crew.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

#include "mpi-wrappers/record/self.h"

/* Threads that were there before have not run meanwhile if they were not switched
 * to. */
enum { BEFORE = 128, STARTED = 22 };    /* STARTED: field of stat */

struct one { int tid; unsigned long long switches; };

static struct one before[BEFORE];
static int nbefore = -1;        /* -1: not known */

/* Not below /proc/self/task: names that were found there are held by the thread,
 * and a kernel may take milliseconds to let go of them when it ends. */
static COLD bool read_text(int tid, const char *name, char *buf, size_t size)
{
    char path[64];
    ssize_t n;
    int fd;

    snprintf(path, sizeof(path), "/proc/%d/%s", tid, name);
    fd = open(path, O_RDONLY | O_CLOEXEC);
    if (fd < 0)
        return false;
    n = read(fd, buf, size - 1);
    close(fd);
    buf[n > 0 ? n : 0] = '\0';
    return n > 0;
}

static unsigned long long number_of(const char *text, const char *name)
{
    const char *p = strstr(text, name);

    return p ? strtoull(p + strlen(name), NULL, 10) : 0;
}

/* Of one that sleeps; ~0: of any other. */
static unsigned long long switches_of(int tid)
{
    char text[4096];
    const char *state;

    if (!read_text(tid, "status", text, sizeof(text)) ||
        !(state = strstr(text, "\nState:\t")) || state[8] != 'S')
        return ~0ull;
    return number_of(text, "\nvoluntary_ctxt_switches:") +
           number_of(text, "\nnonvoluntary_ctxt_switches:");
}

static uint32_t started(int tid)
{
    char text[1024];
    const char *p;

    if (!read_text(tid, "stat", text, sizeof(text)))
        return 0;
    p = strrchr(text, ')');             /* behind it field 3 comes */
    for (int field = 2; p && field < STARTED; field++)
        p = strchr(p + 1, ' ');
    return p ? (uint32_t)strtoull(p + 1, NULL, 10) : 0;
}

/* All threads but this one; false: that cannot be found out. */
static bool each(bool (*step)(void *arg, int tid), void *arg)
{
    DIR *dir = opendir("/proc/self/task");
    int me = (int)syscall(SYS_gettid);
    struct dirent *e;
    bool good = dir != NULL;

    while (good && (e = readdir(dir))) {
        int tid = atoi(e->d_name);

        if (tid > 0 && tid != me)
            good = step(arg, tid);
    }
    if (dir)
        closedir(dir);
    return good;
}

static bool note(void *arg, int tid)
{
    (void)arg;
    if (nbefore == BEFORE)
        return false;
    before[nbefore].tid = tid;
    before[nbefore].switches = switches_of(tid);
    return before[nbefore++].switches != ~0ull;
}

void crew_begin(void)
{
    int saved = errno;

    nbefore = 0;
    if (!each(note, NULL))
        nbefore = -1;
    errno = saved;
}

struct after { struct page_header *h; unsigned n; int old; };

static bool take(void *arg, int tid)
{
    struct after *a = arg;

    for (int i = 0; i < nbefore; i++)
        if (before[i].tid == tid) {
            a->old++;
            return before[i].switches == switches_of(tid);
        }
    if (a->n == PAGE_CREW)
        return false;
    SET(a->h->crew[a->n].started, started(tid));
    SET(a->h->crew[a->n].tid, (uint32_t)tid);
    return GET(a->h->crew[a->n++].started) != 0;
}

void crew_end(struct page_header *h)
{
    struct after a = { .h = h };
    int saved = errno;

    if (nbefore >= 0 && each(take, &a) && a.old == nbefore)
        atomic_store_explicit(&h->crew_known, 1, memory_order_release);
    nbefore = -1;
    errno = saved;
}

/* All of the crew, as they are now, in one number; 0: one of them runs, or
 * waits for a processor. */
static unsigned long long crew_asleep(const struct page_header *h)
{
    unsigned long long all = 1, n;

    for (unsigned i = 0; i < PAGE_CREW && GET(h->crew[i].tid); i++) {
        n = switches_of((int)GET(h->crew[i].tid));
        if (n == ~0ull)
            return 0;
        all += n;
    }
    return all;
}

COLD void crew_settle(const struct page_header *h)
{
    const struct timespec a_little = { .tv_nsec = 1000000 };
    int saved = errno;
    unsigned long long last, now = 0;

    if (atomic_load_explicit(&h->crew_known, memory_order_acquire) == 1)
        for (int i = 0; i < CREW_SETTLE_MS; i++) {
            last = now;
            now = crew_asleep(h);
            if (now && now == last)
                break;
            if (i)
                nanosleep(&a_little, NULL);
        }
    errno = saved;
}
