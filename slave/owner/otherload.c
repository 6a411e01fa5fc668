/* otherload.c - see otherload.h.
 *
 * The time of a process that has ended, and was waited for, is its parent's; so what
 * we and all below us have used never grows less, but where tasks of others have
 * ended. */
#include "slave/owner/otherload.h"

#include <ctype.h>
#include <dirent.h>
#include <fcntl.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "proto/base/array.h"
#include "proto/base/clock.h"
#include "slave/proc/sample.h"
#include "slave/proc/smallfile.h"

enum { KIN_MAX = 4096 };         /* of more processes the rest is not ours */

static uint64_t ticks_in_ns(uint64_t ticks)
{
    static long hz;

    if (!hz)
        hz = sysconf(_SC_CLK_TCK);
    return ticks * (CLOCK_NS_PER_S / (uint64_t)(hz > 0 ? hz : 100));
}

/* user nice system idle iowait irq softirq steal; the time of guests is that of
 * user, too. */
uint64_t otherload_parse(const char *text)
{
    uint64_t v[7] = { 0 };

    if (sscanf(text, "cpu %" SCNu64 " %" SCNu64 " %" SCNu64 " %" SCNu64
               " %" SCNu64 " %" SCNu64 " %" SCNu64, &v[0], &v[1], &v[2], &v[3],
               &v[4], &v[5], &v[6]) < 4)
        return 0;
    return ticks_in_ns(v[0] + v[1] + v[2] + v[5] + v[6]);
}

double otherload_since(struct otherload *l, uint64_t busy_ns, uint64_t ours_ns,
                       uint64_t now_ns)
{
    const struct otherload was = *l;
    uint64_t busy, ours;

    *l = (struct otherload){ true, busy_ns, ours_ns, now_ns };
    if (!was.begun || now_ns <= was.at_ns)
        return -1;
    busy = busy_ns > was.busy_ns ? busy_ns - was.busy_ns : 0;
    ours = ours_ns > was.ours_ns ? ours_ns - was.ours_ns : 0;
    return busy > ours ? (double)(busy - ours) / (double)(now_ns - was.at_ns) : 0;
}

/* ------------------------------------------------------------------- ours */

/* Found, and not looked at from next on. */
struct kin { pid_t *v; size_t n, cap, next; };

static void add_kin(struct kin *k, pid_t pid)
{
    for (size_t i = 0; i < k->n; i++)
        if (k->v[i] == pid)
            return;
    if (k->n < KIN_MAX && array_reserve(&k->v, &k->cap, k->n + 1) == 0)
        k->v[k->n++] = pid;
}

/* A child is that of the thread that has made it. */
static void add_children(struct kin *k, const char *thread, int threads)
{
    char path[64], text[4096], *p = text, *end;
    ssize_t n;
    int fd;

    snprintf(path, sizeof(path), "%.20s/children", thread);
    fd = openat(threads, path, O_RDONLY | O_CLOEXEC);
    if (fd < 0)
        return;
    n = read(fd, text, sizeof(text) - 1);
    close(fd);
    text[n > 0 ? n : 0] = '\0';
    for (long pid; (pid = strtol(p, &end, 10)) > 0 && end != p; p = end)
        if (*end == ' ')                        /* else it may be cut off */
            add_kin(k, (pid_t)pid);
}

static void add_all_children(struct kin *k, pid_t pid)
{
    char path[64];
    struct dirent *e;
    DIR *d;

    snprintf(path, sizeof(path), "/proc/%d/task", (int)pid);
    d = opendir(path);
    while (d && (e = readdir(d)))
        if (isdigit((unsigned char)*e->d_name))
            add_children(k, e->d_name, dirfd(d));
    if (d)
        closedir(d);
}

uint64_t otherload_ours(const pid_t *ours, size_t n)
{
    struct kin k = { 0 };
    uint64_t sum_ns = 0;

    for (size_t i = 0; i < n; i++)
        add_kin(&k, ours[i]);
    for (; k.next < k.n; k.next++) {
        struct sample_proc p;

        if (sample_proc_read(k.v[k.next], true, &p) == 0)
            sum_ns += p.cpu_ns;
        add_all_children(&k, k.v[k.next]);
    }
    free(k.v);
    return sum_ns;
}

double otherload_look(struct otherload *l, const pid_t *ours, size_t n,
                      uint64_t now_ns)
{
    char text[1024];
    uint64_t busy_ns = smallfile_read("/proc/stat", text, sizeof(text))
                       ? otherload_parse(text) : 0;

    return busy_ns ? otherload_since(l, busy_ns, otherload_ours(ours, n), now_ns)
                   : -1;
}
