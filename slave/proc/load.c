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

#include "slave/proc/cgroup.h"
#include "slave/proc/smallfile.h"

enum { LOAD_PATH = 4096, LOAD_MOUNTS = 64 * 1024 };

double load_parse_cpu_max(const char *text)
{
    double quota, period;

    if (sscanf(text, "%lf %lf", &quota, &period) != 2 || quota <= 0 ||
        period <= 0)
        return 0;               /* "max 100000" */
    return quota / period;
}

/* Path of our cgroup in the hierarchy of version 1 that has the controller, which
 * others may share ("cpu,cpuacct"), without the mount point. */
static bool old_group(const char *cgroup, const char *controller, char *path,
                      size_t size)
{
    const size_t n = strlen(controller);

    for (const char *line = cgroup; line && *line; ) {
        const char *names = strchr(line, ':'), *end = strchr(line, '\n');
        const char *at = names ? strchr(names + 1, ':') : NULL;

        for (const char *p = names; p && at && p < at; p = strpbrk(p + 1, ",:"))
            if (strncmp(p + 1, controller, n) == 0 && strchr(",:", p[1 + n]))
                return snprintf(path, size, "%.*s", (int)strcspn(at + 1, "\n"),
                                at + 1) < (int)size;
        line = end ? end + 1 : NULL;
    }
    return false;
}

double load_least_limit(const char *dir, const char *name,
                        double (*look)(const char *text))
{
    char group[LOAD_PATH], path[LOAD_PATH + 64], text[128];
    double least = 0, limit;
    char *slash;

    if ((size_t)snprintf(group, sizeof(group), "%s", dir) >= sizeof(group))
        return 0;
    do {
        snprintf(path, sizeof(path), "%s/%s", group, name);
        limit = smallfile_read(path, text, sizeof(text)) ? look(text) : 0;
        if (limit > 0 && (least == 0 || limit < least))
            least = limit;
        slash = strrchr(group, '/');
        if (slash)
            *slash = '\0';
    } while (slash && *group);
    return least;
}

static bool read_groups(char cgroup[LOAD_PATH], const char **mountinfo)
{
    static char mounts[LOAD_MOUNTS];

    *mountinfo = mounts;
    return smallfile_read("/proc/self/cgroup", cgroup, LOAD_PATH) &&
           smallfile_read("/proc/self/mountinfo", mounts, sizeof(mounts));
}

/* Of our cgroup of version 2 and its ancestors. */
static double own_limit(const char *name, double (*look)(const char *text))
{
    char cgroup[LOAD_PATH], dir[LOAD_PATH];
    const char *mounts;

    return read_groups(cgroup, &mounts) &&
           cgroup_find(cgroup, mounts, NULL, dir, sizeof(dir))
           ? load_least_limit(dir, name, look) : 0;
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
    double limit = own_limit("cpu.max", load_parse_cpu_max);

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

double load_parse_bytes(const char *text)
{
    return strtod(text, NULL);  /* "max" gives 0 */
}

uint64_t load_memory_bytes(void)
{
    uint64_t total = meminfo("MemTotal:");
    double limit = own_limit("memory.max", load_parse_bytes);

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

/* In version 1 memory is a hierarchy of its own. */
bool load_starved_file(const char *cgroup, const char *mountinfo, char *path,
                       size_t size)
{
    char group[LOAD_PATH];

    if (old_group(cgroup, "memory", group, sizeof(group)))
        return snprintf(path, size, "/sys/fs/cgroup/memory%s/memory.oom_control",
                        group) < (int)size;
    return cgroup_find(cgroup, mountinfo, NULL, group, sizeof(group)) &&
           snprintf(path, size, "%s/memory.events", group) < (int)size;
}

uint64_t load_starved(void)
{
    char cgroup[LOAD_PATH], path[LOAD_PATH + 64], text[512];
    const char *mounts;

    return read_groups(cgroup, &mounts) &&
           load_starved_file(cgroup, mounts, path, sizeof(path)) &&
           smallfile_read(path, text, sizeof(text)) ? load_parse_starved(text) : 0;
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
