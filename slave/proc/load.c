/* load.c - what this node has and how busy it is.
 *
 * All from /proc and /sys; what cannot be read counts as not limited. The
 * cgroup's own limit and those of its ancestors all hold: the least wins. */
#include "slave/proc/load.h"

#include <dirent.h>
#include <inttypes.h>
#include <sched.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "slave/proc/smallfile.h"

double load_parse_cpu_max(const char *text)
{
    double quota, period;

    if (sscanf(text, "%lf %lf", &quota, &period) != 2 || quota <= 0 ||
        period <= 0)
        return 0;               /* "max 100000" */
    return quota / period;
}

/* Path of our cgroup in the hierarchy of that controller, without the mount
 * point; "": the unified one. */
static bool own_cgroup(const char *controller, char *path, size_t size)
{
    char text[4096], *save = NULL;

    if (!smallfile_read("/proc/self/cgroup", text, sizeof(text)))
        return false;
    for (char *line = strtok_r(text, "\n", &save); line;
         line = strtok_r(NULL, "\n", &save)) {
        char *name = strchr(line, ':'), *at = name ? strchr(name + 1, ':') : NULL;

        if (!at)
            continue;
        *at = '\0';
        if (strcmp(name + 1, controller) == 0)
            return (size_t)snprintf(path, size, "%s", at + 1) < size;
    }
    return false;
}

/* Call look(text) with the file name of our cgroup and of each ancestor. */
static double least_limit(const char *name, double (*look)(const char *))
{
    char group[1024], path[1280], text[128];
    double least = 0, limit;

    if (!own_cgroup("", group, sizeof(group)))
        return 0;
    for (;;) {
        char *slash;

        snprintf(path, sizeof(path), "/sys/fs/cgroup%s/%s", group, name);
        limit = smallfile_read(path, text, sizeof(text)) ? look(text) : 0;
        if (limit > 0 && (least == 0 || limit < least))
            least = limit;
        slash = strrchr(group, '/');
        if (!slash || !*group)
            return least;
        *slash = '\0';
    }
}

/* The older hierarchy, as seen inside a container. */
static double old_quota(void)
{
    char quota[32], period[32], both[80];

    if (!smallfile_read("/sys/fs/cgroup/cpu/cpu.cfs_quota_us", quota,
                   sizeof(quota)) ||
        !smallfile_read("/sys/fs/cgroup/cpu/cpu.cfs_period_us", period,
                   sizeof(period)))
        return 0;
    snprintf(both, sizeof(both), "%s %s", quota, period);
    return load_parse_cpu_max(both);
}

static unsigned affinity(void)
{
    unsigned n = 0;

    /* The kernel's mask may be larger than cpu_set_t. */
    for (int cpus = CPU_SETSIZE; !n && cpus <= 64 * CPU_SETSIZE; cpus *= 2) {
        size_t bytes = CPU_ALLOC_SIZE(cpus);
        cpu_set_t *set = CPU_ALLOC(cpus);

        if (set && sched_getaffinity(0, bytes, set) == 0)
            n = (unsigned)CPU_COUNT_S(bytes, set);
        CPU_FREE(set);
    }
    return n ? n : 1;
}

unsigned load_cpus(void)
{
    unsigned cpus = affinity(), quota;
    double limit = least_limit("cpu.max", load_parse_cpu_max);

    if (limit == 0)
        limit = old_quota();
    if (limit <= 0 || limit >= cpus)
        return cpus;
    quota = (unsigned)limit;
    return quota < limit ? quota + 1 : quota;
}

static uint64_t meminfo(const char *name)
{
    char text[4096];
    const char *line;
    uint64_t kib = 0;

    if (!smallfile_read("/proc/meminfo", text, sizeof(text)) ||
        !(line = strstr(text, name)) ||
        sscanf(line + strlen(name), " %" SCNu64, &kib) != 1)
        return 0;
    return kib * 1024;
}

static double parse_bytes_or_max(const char *text)
{
    return strtod(text, NULL);  /* "max" gives 0 */
}

uint64_t load_memory_bytes(void)
{
    uint64_t total = meminfo("MemTotal:");
    double limit = least_limit("memory.max", parse_bytes_or_max);

    return limit > 0 && limit < (double)total ? (uint64_t)limit : total;
}

uint64_t load_available_bytes(void)
{
    return meminfo("MemAvailable:");
}

uint64_t load_parse_starved(const char *text)
{
    static const char name[] = "oom_kill ";
    const char *p = strncmp(text, name, strlen(name)) == 0
                    ? text - 1 : strstr(text, "\noom_kill ");

    return p ? strtoull(p + 1 + strlen(name), NULL, 10) : 0;
}

/* Of version 1, where memory is a hierarchy of its own, or of version 2. */
uint64_t load_starved(void)
{
    char group[1024], path[1280], text[512];

    if (own_cgroup("memory", group, sizeof(group)))
        snprintf(path, sizeof(path), "/sys/fs/cgroup/memory%s/memory.oom_control",
                 group);
    else if (own_cgroup("", group, sizeof(group)))
        snprintf(path, sizeof(path), "/sys/fs/cgroup%s/memory.events", group);
    else
        return 0;
    return smallfile_read(path, text, sizeof(text)) ? load_parse_starved(text) : 0;
}

static bool has_entries(const char *dir)
{
    DIR *d = opendir(dir);
    struct dirent *e;
    bool found = false;

    while (d && !found && (e = readdir(d)))
        found = e->d_name[0] != '.';
    if (d)
        closedir(d);
    return found;
}

bool load_fast_fabric(void)
{
    return has_entries("/sys/class/infiniband") ||
           has_entries("/sys/class/cxi") || has_entries("/sys/class/hfi1");
}

void load_read(struct load *l)
{
    char text[512];
    uint64_t v[8] = { 0 }, idle, total = 0;

    if (smallfile_read("/proc/loadavg", text, sizeof(text)))
        l->load = strtod(text, NULL);
    l->available_bytes = load_available_bytes();
    if (!smallfile_read("/proc/stat", text, sizeof(text)) ||
        sscanf(text, "cpu %" SCNu64 " %" SCNu64 " %" SCNu64 " %" SCNu64
               " %" SCNu64 " %" SCNu64 " %" SCNu64 " %" SCNu64, &v[0], &v[1],
               &v[2], &v[3], &v[4], &v[5], &v[6], &v[7]) < 5)
        return;
    for (int i = 0; i < 8; i++)
        total += v[i];
    idle = v[3] + v[4];
    if (total > l->total && idle >= l->idle)
        l->busy = 1 - (double)(idle - l->idle) / (double)(total - l->total);
    l->idle = idle;
    l->total = total;
}
