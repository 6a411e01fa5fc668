/* roomlook.c - see roomlook.h. */
#include "slave/move/roomlook.h"

#include <fcntl.h>
#include <inttypes.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum {
    LEAST = 1 << 20,            /* less is made while the image comes */
    SAMPLES = 16,               /* pages of a piece that are looked at */
    LACK = 1,                   /* so many of them may be missing */
    PAGE = 4096
};
#define PAGE_THERE (UINT64_C(3) << 62)  /* in memory, or swapped out: pagemap */

/* A line of /proc/PID/maps: private memory without a file that can be written to? */
static bool parse(const char *line, struct room_span *s)
{
    char access[5] = "", name[2] = "";
    uint64_t inode = 1;

    if (sscanf(line, "%" SCNx64 "-%" SCNx64 " %4s %*s %*s %" SCNu64 " %1s", &s->start,
               &s->end, access, &inode, name) < 4)
        return false;
    return inode == 0 && strcmp(access, "rw-p") == 0 &&
           (!*name || strstr(line, "[heap]")) && s->end - s->start >= LEAST;
}

static bool is_full(int pagemap, const struct room_span *s)
{
    uint64_t pages = (s->end - s->start) / PAGE, page;
    unsigned lack = 0;

    for (uint64_t i = 0; i < SAMPLES; i++) {
        uint64_t at = s->start / PAGE + pages * i / SAMPLES + pages / SAMPLES / 2;

        if (pread(pagemap, &page, sizeof(page), (off_t)(at * sizeof(page))) !=
            (ssize_t)sizeof(page))
            return false;
        lack += !(page & PAGE_THERE);
    }
    return lack <= LACK;
}

/* Keeps the largest ones, in that order. */
static size_t insert(struct room_span *v, size_t n, size_t max,
                     const struct room_span *s)
{
    size_t at = n;

    while (at > 0 && v[at - 1].end - v[at - 1].start < s->end - s->start)
        at--;
    if (at == max)
        return n;
    n -= n == max;
    memmove(v + at + 1, v + at, (n - at) * sizeof(*v));
    v[at] = *s;
    return n + 1;
}

size_t roomlook(pid_t pid, struct room_span *v, size_t max)
{
    char path[40], *line = NULL;
    struct room_span s;
    size_t n = 0, room = 0;
    int pagemap;
    FILE *maps;

    snprintf(path, sizeof(path), "/proc/%d/maps", (int)pid);
    maps = fopen(path, "re");
    snprintf(path, sizeof(path), "/proc/%d/pagemap", (int)pid);
    pagemap = open(path, O_RDONLY | O_CLOEXEC);
    while (maps && pagemap >= 0 && max && getline(&line, &room, maps) > 0)
        if (parse(line, &s) && is_full(pagemap, &s))
            n = insert(v, n, max, &s);
    free(line);
    if (maps)
        fclose(maps);
    if (pagemap >= 0)
        close(pagemap);
    return n;
}
