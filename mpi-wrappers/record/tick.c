/* tick.c - which clock the page uses. The kernel has tested the time-stamp
 * counter (invariant, in step on all cores) when it keeps time by it. */
#include "mpi-wrappers/record/tick.h"

#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <unistd.h>

bool tick_tsc;

enum page_clock tick_choose(void)
{
#if defined(__x86_64__)
    static const char path[] =
        "/sys/devices/system/clocksource/clocksource0/current_clocksource";
    char name[8] = "";
    int saved = errno;
    int fd = open(path, O_RDONLY | O_CLOEXEC);

    if (fd >= 0) {
        if (read(fd, name, sizeof(name)) < 4)
            name[0] = '\0';
        close(fd);
    }
    tick_tsc = memcmp(name, "tsc\n", 4) == 0;
    errno = saved;
#endif
    return tick_tsc ? PAGE_CLOCK_TSC : PAGE_CLOCK_MONOTONIC;
}
