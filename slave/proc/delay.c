/* delay.c - see delay.h. The kernel counts it in schedstat: ns on a processor, ns
 * in its queue (Documentation/scheduler/sched-stats.rst). */
#include "slave/proc/delay.h"

#include <dirent.h>
#include <inttypes.h>
#include <stdio.h>

#include "slave/proc/smallfile.h"

bool delay_parse(const char *text, struct delay *d)
{
    struct delay is;

    if (sscanf(text, "%" SCNu64 " %" SCNu64, &is.ran_ns, &is.kept_ns) != 2)
        return false;
    *d = is;
    return true;
}

static bool read_thread(pid_t pid, const char *tid, struct delay *d)
{
    char path[64], text[128];

    snprintf(path, sizeof(path), "/proc/%d/task/%.16s/schedstat", (int)pid,
             tid);
    return smallfile_read(path, text, sizeof(text)) && delay_parse(text, d);
}

void delay_read(struct delay *d, pid_t pid)
{
    char path[48];
    struct delay one;
    struct dirent *e;
    unsigned n = 0;
    DIR *dir;

    *d = (struct delay){ 0 };
    snprintf(path, sizeof(path), "/proc/%d/task", (int)pid);
    dir = opendir(path);
    while (dir && n < DELAY_THREADS && (e = readdir(dir))) {
        if (e->d_name[0] == '.')
            continue;
        n++;
        if (read_thread(pid, e->d_name, &one) && one.kept_ns >= d->kept_ns)
            *d = one;
    }
    if (dir)
        closedir(dir);
}
