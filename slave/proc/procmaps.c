/* procmaps.c - what is mapped in a process. */
#include "slave/proc/procmaps.h"

#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

ssize_t procmaps_read(pid_t pid, char *text, size_t size)
{
    char path[40];
    size_t n = 0;
    ssize_t got;
    int fd;

    snprintf(path, sizeof(path), "/proc/%d/maps", (int)pid);
    fd = open(path, O_RDONLY | O_CLOEXEC);
    if (fd < 0)
        return -1;
    while (n < size - 1 && (got = read(fd, text + n, size - 1 - n)) > 0)
        n += (size_t)got;
    close(fd);
    text[n] = '\0';
    return (ssize_t)n;
}

bool procmaps_private(pid_t pid, uint64_t address)
{
    unsigned long long from, to;
    char path[40], line[512], access[5] = "";
    bool found = false;
    FILE *f;

    snprintf(path, sizeof(path), "/proc/%d/maps", (int)pid);
    f = fopen(path, "re");
    while (f && !found && fgets(line, sizeof(line), f))
        found = sscanf(line, "%llx-%llx %4s", &from, &to, access) == 3 &&
                address >= from && address < to;
    if (f)
        fclose(f);
    return found && access[3] == 'p';
}
