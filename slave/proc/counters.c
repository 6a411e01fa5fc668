/* counters.c - see counters.h. */
#include "slave/proc/counters.h"

#include <dirent.h>
#include <errno.h>
#include <linux/perf_event.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/syscall.h>
#include <unistd.h>

struct counters {
    struct counters_source *source;     /* borrowed */
    pid_t pid;
    unsigned nthreads;
    int fd[COUNTERS_THREADS][COUNTERS_EVENTS];
};

static int kernel_open(struct perf_event_attr *attr, pid_t tid, int group)
{
    return (int)syscall(SYS_perf_event_open, attr, tid, -1, group,
                        PERF_FLAG_FD_CLOEXEC);
}

void counters_source_init(struct counters_source *s)
{
    struct rlimit files;

    *s = (struct counters_source){
        .event = { { PERF_TYPE_HARDWARE, PERF_COUNT_HW_INSTRUCTIONS },
                   { PERF_TYPE_HARDWARE, PERF_COUNT_HW_CPU_CYCLES } },
        .open = kernel_open };
    if (getrlimit(RLIMIT_NOFILE, &files) == 0)
        s->left = files.rlim_cur > 1 << 20 ? 1 << 18
                                           : (unsigned)files.rlim_cur / 4;
}

/* ------------------------------------------------------------------ opening */

static const char *why(int code)
{
    switch (code) {
    case ENOENT:
    case ENODEV:
    case EOPNOTSUPP:
    case ENXIO:
        return "this machine has none, as most virtual ones";
    case EACCES:
    case EPERM:
        return "kernel.perf_event_paranoid has to be 2 or less";
    case ENOSYS:
        return "this kernel has no perf_event_open";
    default:
        return strerror(code);
    }
}

/* The second one belongs to the first, so that both count at the same times. */
static int open_event(struct counters_source *s, unsigned i, pid_t tid,
                      int group)
{
    struct perf_event_attr attr = {
        .size = sizeof(attr), .type = s->event[i].type,
        .config = s->event[i].config, .exclude_kernel = 1, .exclude_hv = 1,
        .inherit = 1, .inherit_thread = !s->whole,
        .read_format = PERF_FORMAT_TOTAL_TIME_ENABLED |
                       PERF_FORMAT_TOTAL_TIME_RUNNING };
    int fd = s->open(&attr, tid, group);

    if (fd < 0 && (errno == EINVAL || errno == E2BIG) && !s->whole) {
        s->whole = true;        /* before 5.13 */
        return open_event(s, i, tid, group);
    }
    return fd;
}

/* Is it so of every process? Others are gone, are not to be looked at, or there
 * is no descriptor left. */
static bool is_for_all(struct counters_source *s, int code)
{
    int own;

    if (code == EACCES || code == EPERM) {
        own = open_event(s, 0, 0, -1);
        return own < 0 || close(own);
    }
    return code != ESRCH && code != EMFILE && code != ENFILE &&
           code != ENOMEM && code != EINTR && code != EBUSY;
}

static void close_thread(struct counters *c, const int *fd)
{
    for (unsigned i = 0; i < COUNTERS_EVENTS && fd[i] >= 0; i++)
        if (close(fd[i]) == 0)
            c->source->left++;
}

/* 0, or errno. */
static int open_thread(struct counters *c, pid_t tid)
{
    struct counters_source *s = c->source;
    int fd[COUNTERS_EVENTS] = { -1, -1 };

    if (c->nthreads == COUNTERS_THREADS || s->left < COUNTERS_EVENTS)
        return EMFILE;
    for (unsigned i = 0; i < COUNTERS_EVENTS; i++) {
        fd[i] = open_event(s, i, tid, fd[0]);
        if (fd[i] < 0) {
            int code = errno;

            close_thread(c, fd);
            return code;
        }
        s->left--;
    }
    memcpy(c->fd[c->nthreads++], fd, sizeof(fd));
    return 0;
}

/* 0, or errno; a thread that has ended in the meantime is no loss. */
static int open_threads(struct counters *c, DIR *dir)
{
    struct dirent *e;

    while ((e = readdir(dir))) {
        int tid = atoi(e->d_name);
        int code = tid > 0 ? open_thread(c, tid) : 0;

        if (code && code != ESRCH)
            return code;
    }
    return c->nthreads ? 0 : ESRCH;
}

struct counters *counters_open(struct counters_source *s, pid_t pid,
                               struct err *err)
{
    struct counters *c = s->none ? NULL : calloc(1, sizeof(*c));
    char path[48];
    DIR *dir;
    int code;

    if (!c)
        return err_set(err, s->none ? s->none : ENOMEM,
                       "counters of the processor cannot be read: %s",
                       why(s->none ? s->none : ENOMEM)), NULL;
    c->source = s;
    c->pid = pid;
    snprintf(path, sizeof(path), "/proc/%d/task", (int)pid);
    dir = opendir(path);
    code = dir ? open_threads(c, dir) : ESRCH;
    if (dir)
        closedir(dir);
    if (code == 0)
        return c;
    counters_close(c);
    if (is_for_all(s, code))
        s->none = code;
    return err_set(err, code, "counters of the processor cannot be read: %s",
                   why(code)), NULL;
}

void counters_close(struct counters *c)
{
    for (unsigned i = 0; c && i < c->nthreads; i++)
        close_thread(c, c->fd[i]);
    free(c);
}

pid_t counters_pid(const struct counters *c)
{
    return c->pid;
}

/* ------------------------------------------------------------------ reading */

static uint64_t read_event(int fd)
{
    struct { uint64_t value, enabled_ns, running_ns; } v;

    if (read(fd, &v, sizeof(v)) != (ssize_t)sizeof(v) || v.running_ns == 0)
        return 0;
    return v.running_ns == v.enabled_ns
               ? v.value
               : (uint64_t)((double)v.value * (double)v.enabled_ns /
                            (double)v.running_ns);
}

struct counters_value counters_read(const struct counters *c)
{
    struct counters_value sum = { 0 };

    for (unsigned i = 0; i < c->nthreads; i++) {
        sum.instructions += read_event(c->fd[i][0]);
        sum.cycles += read_event(c->fd[i][1]);
    }
    return sum;
}
