/* console.c - see console.h.
 *
 * The kernel keeps the time of the last input of a terminal as its access time, to
 * some eight seconds; what programs write changes the other time. */
#include "slave/owner/console.h"

#include <glob.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/sysmacros.h>

#include "proto/base/clock.h"

enum { PTS_FIRST = 136, PTS_LAST = 143 };       /* majors of pseudo terminals */

struct seen {
    int n;
    uint64_t last_ns;           /* wall clock */
    char path[64];
};

static bool is_pts(const struct stat *st)
{
    unsigned kind = major(st->st_rdev);

    return S_ISCHR(st->st_mode) && kind >= PTS_FIRST && kind <= PTS_LAST;
}

/* A time to come is none: clocks are set back. */
static void look_at(struct seen *s, const char *path, sessions_passes_f *passes,
                    void *arg, uint64_t wall_ns)
{
    struct stat st;
    uint64_t at_ns;

    if (stat(path, &st) || S_ISDIR(st.st_mode))
        return;
    s->n++;
    if (is_pts(&st) && passes(arg, st.st_uid))
        return;
    at_ns = (uint64_t)st.st_atim.tv_sec * CLOCK_NS_PER_S +
            (uint64_t)st.st_atim.tv_nsec;
    if (st.st_atim.tv_sec < 0 || at_ns > wall_ns || at_ns < s->last_ns)
        return;
    s->last_ns = at_ns;
    snprintf(s->path, sizeof(s->path), "%s", path);
}

int console_look(const char *devices, sessions_passes_f *passes, void *arg,
                 uint64_t wall_ns, uint64_t *ago_ns, char *why, size_t size)
{
    struct seen seen = { 0 };

    for (const char *p = devices + strspn(devices, " "); *p; ) {
        size_t n = strcspn(p, " ");
        char pattern[256];
        glob_t g = { 0 };

        snprintf(pattern, sizeof(pattern), "%.*s", (int)n, p);
        p += n + strspn(p + n, " ");
        if (glob(pattern, GLOB_NOSORT, NULL, &g) == 0)
            for (size_t i = 0; i < g.gl_pathc; i++)
                look_at(&seen, g.gl_pathv[i], passes, arg, wall_ns);
        globfree(&g);
    }
    if (seen.n == 0)
        return -1;
    *ago_ns = seen.last_ns ? wall_ns - seen.last_ns : UINT64_MAX;
    snprintf(why, size, "there was input at %s", seen.path);
    return 0;
}
