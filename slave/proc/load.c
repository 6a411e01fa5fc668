/* load.c - what this node has and how busy it is.
 *
 * All from /proc and /sys; what cannot be read counts as not limited. The
 * cgroup's own limit and those of its ancestors all hold: the least wins. */
#include "slave/proc/load.h"

#include <dirent.h>
#include <inttypes.h>
#include <math.h>
#include <sched.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
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

static bool limit_text(const char *dir, const char *name, char *text,
                       size_t size)
{
    char path[LOAD_PATH + 64];

    snprintf(path, sizeof(path), "%s/%s", dir, name);
    return smallfile_read(path, text, size);
}

double load_cpu_max(const char *dir)
{
    char text[128];

    return limit_text(dir, "cpu.max", text, sizeof(text))
           ? load_parse_cpu_max(text) : 0;
}

/* The older hierarchy. */
static double old_cpu_max(const char *dir)
{
    char quota[32], period[32], both[80];

    if (!limit_text(dir, "cpu.cfs_quota_us", quota, sizeof(quota)) ||
        !limit_text(dir, "cpu.cfs_period_us", period, sizeof(period)))
        return 0;
    snprintf(both, sizeof(both), "%s %s", quota, period);
    return load_parse_cpu_max(both);
}

double load_memory_max(const char *dir)
{
    char text[128];

    return limit_text(dir, "memory.max", text, sizeof(text))
           ? strtod(text, NULL) : 0;    /* "max" gives 0 */
}

double load_least_limit(const char *dir, double (*look)(const char *dir))
{
    char group[LOAD_PATH];
    double least = 0, limit;
    char *slash;

    if ((size_t)snprintf(group, sizeof(group), "%s", dir) >= sizeof(group))
        return 0;
    do {
        limit = look(group);
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

/* Of our cgroup and its ancestors: of version 1 for a controller, or (NULL) of
 * version 2. */
static double own_limit(const char *controller, double (*look)(const char *dir))
{
    char dir[LOAD_PATH];

    return cgroup_own(controller, dir, sizeof(dir)) ? load_least_limit(dir, look)
                                                    : 0;
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

static double quota(void)
{
    double limit = own_limit(NULL, load_cpu_max);

    return limit > 0 ? limit : own_limit("cpu", old_cpu_max);
}

static unsigned usable(double limit)
{
    unsigned cpus = affinity(), whole = (unsigned)limit;

    if (limit <= 0 || limit >= cpus)
        return cpus;
    return whole < limit ? whole + 1 : whole;
}

unsigned load_cpus(void)
{
    return usable(quota());
}

unsigned load_processors(void)
{
    long n = sysconf(_SC_NPROCESSORS_ONLN);

    return n > 0 ? (unsigned)n : 1;
}

/* What depends on what came before, as most programs do: no compiler makes it
 * shorter, and no two processors of one kind differ by much. */
static uint64_t some_work(void)
{
    enum { STEPS = 100000 };
    uint64_t x = 88172645463325252ull;
    double sum = 0;

    for (int i = 0; i < STEPS; i++) {
        x ^= x << 13;
        x ^= x >> 7;
        x ^= x << 17;
        sum += (double)(x >> 11) * 0x1p-53;
    }
    return x + (uint64_t)sum;
}

/* The shortest of some times: others may have had the processor. In steps of
 * 19 %, as nobody is to move for what was measured by chance. */
double load_speed(void)
{
    enum { TIMES = 7 };
    static const double usual_ns = 240000, steps = 4;
    volatile uint64_t kept;
    double least_ns = 0;

    for (int i = 0; i < TIMES; i++) {
        struct timespec a, b;
        double ns;

        clock_gettime(CLOCK_THREAD_CPUTIME_ID, &a);
        kept = some_work();
        clock_gettime(CLOCK_THREAD_CPUTIME_ID, &b);
        ns = (double)(b.tv_sec - a.tv_sec) * 1e9 +
             (double)(b.tv_nsec - a.tv_nsec);
        if (ns > 0 && (least_ns == 0 || ns < least_ns))
            least_ns = ns;
    }
    (void)kept;
    return least_ns > 0
           ? exp2(round(log2(usual_ns / least_ns) * steps) / steps) : 1;
}

double load_quota_part(double limit, unsigned cpus)
{
    return limit > 0 && limit < cpus ? limit / cpus : 1;
}

double load_part(unsigned cpus)
{
    return load_quota_part(quota(), cpus);
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

uint64_t load_memory_bytes(void)
{
    uint64_t total = meminfo("MemTotal:");
    double limit = own_limit(NULL, load_memory_max);

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
