/* mapped.c - what is mapped in a process, read again only when it may be
 * another thing. */
#include "slave/proc/mapped.h"

#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "proto/base/clock.h"
#include "slave/proc/procmaps.h"
#include "slave/proc/smallfile.h"

#define OLD_NS (30 * CLOCK_NS_PER_S)

enum { KEPT_FD = 512, STAT_START_STACK = 28, STAT_BYTES = 1024, STATM_DATA = 5 };

void mapped_init(struct mapped *m)
{
    *m = (struct mapped){ .statm = -1 };
}

static const char *proc_path(char path[40], pid_t pid, const char *name)
{
    snprintf(path, 40, "/proc/%d/%s", (int)pid, name);
    return path;
}

/* Of what is not the process's own data: that comes and goes with malloc(), but
 * there is no code in it. 0: the process is ending. The file stays open where
 * there are not too many, for finding it takes longer than reading it. */
static uint64_t pages_of(const struct mapped *m, pid_t pid)
{
    char path[40], text[200] = "", *p = text;
    uint64_t size, data = 0;

    if (m->statm < 0)
        smallfile_read(proc_path(path, pid, "statm"), text, sizeof(text));
    else if (pread(m->statm, text, sizeof(text) - 1, 0) < 0)
        return 0;
    size = strtoull(p, &p, 10);
    for (int i = 1; i <= STATM_DATA; i++)
        data = strtoull(p, &p, 10);
    return size - data;
}

/* Above that there are arguments and environment. */
static uint64_t stack_end_of(pid_t pid)
{
    char path[40], text[STAT_BYTES], *p;

    if (!smallfile_read(proc_path(path, pid, "stat"), text, sizeof(text)))
        return 0;
    p = strrchr(text, ')');     /* of field 2 */
    for (int i = 2; p && i < STAT_START_STACK; i++)
        p = strchr(p + 1, ' ');
    return p ? strtoull(p, NULL, 10) : 0;
}

/* ------------------------------------------------------------------ lines */

/* What is mapped from one file follows each other; of it the first line and
 * the last one count (libdwfl reads no others). */
struct lines {
    char *to;                   /* where the next one is written */
    const char *file;           /* the last one written, from its device on */
    size_t file_bytes;
    char *second;               /* where the file's second line is, or NULL */
};

static const char *field(const char *p, const char *end, int n)
{
    while (n > 0 && p < end)
        if (*p++ == ' ')
            n--;
    return p;
}

static void put_line(struct lines *w, const char *p, const char *end)
{
    const char *file = field(p, end, 3), *path = memchr(p, '/', end - p);
    size_t n = (size_t)(end - p), bytes = (size_t)(end - file);

    if (!path && !(n >= 7 && memcmp(end - 7, "[vdso]\n", 7) == 0))
        return;
    if (w->file && w->file_bytes == bytes && !memcmp(w->file, file, bytes)) {
        if (w->second)
            w->to = w->second;
        w->second = w->to;
    } else {
        w->second = NULL;
    }
    memmove(w->to, p, n);
    w->file = w->to + (file - p);
    w->file_bytes = bytes;
    w->to += n;
}

/* In place: text becomes the lines about files. */
static size_t digest(char *text, struct mapped_range *v)
{
    struct lines w = { .to = text };
    size_t n = 0;

    for (char *p = text, *end; (end = strchr(p, '\n')); p = end + 1, n++) {
        char *at;

        v[n].from = strtoull(p, &at, 16);
        v[n].to = *at == '-' ? strtoull(at + 1, NULL, 16) : 0;
        put_line(&w, p, end + 1);
    }
    *w.to = '\0';
    return n;
}

static size_t count_lines(const char *text)
{
    size_t n = 0;

    for (const char *p = text; (p = strchr(p, '\n')); p++)
        n++;
    return n;
}

/* ---------------------------------------------------------------- reading */

int mapped_read(struct mapped *m, pid_t pid, uint64_t now_ns, char *room,
                size_t size)
{
    struct mapped_range *v;
    uint64_t pages;
    char path[40];
    ssize_t n;

    if (m->statm < 0)
        m->statm = open(proc_path(path, pid, "statm"), O_RDONLY | O_CLOEXEC);
    if (m->statm >= KEPT_FD) {
        close(m->statm);
        m->statm = -1;
    }
    pages = pages_of(m, pid);
    n = procmaps_read(pid, room, size);
    if (n <= 0)
        return -1;
    v = realloc(m->ranges, (count_lines(room) + 1) * sizeof(*v));
    if (!v)
        return -1;
    m->ranges = v;
    m->nranges = digest(room, v);
    if (!m->files || strcmp(m->files, room) != 0) {
        char *files = strdup(room);

        if (!files)
            return -1;
        free(m->files);
        m->files = files;
        m->fresh = true;
        m->stack_end = stack_end_of(pid);
    }
    m->pages = pages;
    m->read_ns = now_ns;
    return 0;
}

int mapped_look(struct mapped *m, pid_t pid, uint64_t now_ns, char *room,
                size_t size)
{
    if (m->files && m->pages && now_ns - m->read_ns < OLD_NS &&
        pages_of(m, pid) == m->pages)
        return 0;
    return mapped_read(m, pid, now_ns, room, size);
}

bool mapped_is_of(const struct mapped *m, pid_t pid)
{
    return m->files && m->stack_end && stack_end_of(pid) == m->stack_end;
}

bool mapped_has(const struct mapped *m, uint64_t address)
{
    size_t low = 0, high = m->nranges;

    while (low < high) {
        size_t mid = (low + high) / 2;

        if (address >= m->ranges[mid].to)
            low = mid + 1;
        else
            high = mid;
    }
    return low < m->nranges && address >= m->ranges[low].from;
}

void mapped_fini(struct mapped *m)
{
    free(m->files);
    free(m->ranges);
    if (m->statm >= 0)
        close(m->statm);
    mapped_init(m);
}
