/* alive.c - reads /proc to tell the living from the dead. */
#include "master/store/alive.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum { ALIVE_STARTED = 22 };    /* field of /proc/PID/stat, proc(5) */

static int alive_read(const char *path, char *buf, size_t size)
{
    int fd = open(path, O_RDONLY | O_CLOEXEC);
    ssize_t n = fd < 0 ? -1 : read(fd, buf, size - 1);

    if (fd >= 0)
        close(fd);
    buf[n > 0 ? n : 0] = '\0';
    return n > 0 ? 0 : -1;
}

/* This boot of this machine, and who numbers the processes: "ID:[4026...". */
static int alive_machine(char *buf, size_t size)
{
    char boot[64], space[64];
    ssize_t n = readlink("/proc/self/ns/pid", space, sizeof(space) - 1);

    if (n <= 0 || alive_read("/proc/sys/kernel/random/boot_id", boot,
                             sizeof(boot)))
        return -1;
    space[n] = '\0';
    boot[strcspn(boot, "\n")] = '\0';
    snprintf(buf, size, "%s %s", boot, space);
    return 0;
}

/* Name and time of start (ticks after boot); -1: cannot be read. A process
 * that only waits for its parent to take note has no name. */
static int alive_process(uint32_t pid, char name[32], unsigned long long *at)
{
    char path[64], stat[1024], *field, *open, *save = NULL;
    int i = 2;

    snprintf(path, sizeof(path), "/proc/%u/stat", pid);
    if (alive_read(path, stat, sizeof(stat)))
        return -1;
    open = strchr(stat, '(');
    field = strrchr(stat, ')');         /* a name may contain anything */
    if (!open || !field || field < open)
        return -1;
    snprintf(name, 32, "%.*s", (int)(field - open - 1), open + 1);
    field = strtok_r(field + 1, " ", &save);
    if (field && strchr("ZX", *field))
        *name = '\0';
    while (field && ++i < ALIVE_STARTED)
        field = strtok_r(NULL, " ", &save);
    if (!field)
        return -1;
    *at = strtoull(field, NULL, 10);
    return 0;
}

void alive_self(char *buf, size_t size)
{
    char machine[160], name[32];
    unsigned long long at;

    *buf = '\0';
    if (alive_machine(machine, sizeof(machine)) == 0 &&
        alive_process((uint32_t)getpid(), name, &at) == 0)
        snprintf(buf, size, "%s %llu", machine, at);
}

/* *same: it was on this boot and among these pids. Returns whether the boot
 * it ran in is over. */
static bool alive_other_boot(const char *process, bool *same,
                             unsigned long long *at)
{
    char machine[160];
    const char *last = strrchr(process, ' ');
    size_t boot;

    *same = false;
    if (!last || alive_machine(machine, sizeof(machine)))
        return false;
    *at = strtoull(last + 1, NULL, 10);
    *same = strlen(machine) == (size_t)(last - process) &&
            memcmp(machine, process, strlen(machine)) == 0;
    boot = strcspn(machine, " ") + 1;
    return strncmp(machine, process, boot) != 0;
}

bool alive_is_dead(const char *host, uint32_t pid, const char *process)
{
    char self[256] = "", name[32];
    unsigned long long at, wanted = 0;
    bool same = true, known = process && *process;

    if (gethostname(self, sizeof(self) - 1) || !host ||
        strcmp(host, self) != 0 || pid == 0)
        return false;
    if (known && alive_other_boot(process, &same, &wanted))
        return true;
    if (!same)
        return false;
    if (kill((pid_t)pid, 0) && errno == ESRCH)
        return true;
    if (alive_process(pid, name, &at))
        return false;
    if (!*name)
        return true;
    return known ? at != wanted : strcmp(name, "hector-master") != 0;
}
