/* runkey.c - see runkey.h. */
#include "proto/model/runkey.h"

#include <stdlib.h>
#include <string.h>

#include "proto/base/paths.h"

enum { BUILDS_MAX = 64 };       /* of an MPMD job; more say nothing new */

static char *text_of(const Hct__Profile__Module *m)
{
    const char *base = paths_base(m->path);
    struct str s = { 0 };

    if (!*base || strstr(base, ".so"))
        return NULL;
    str_add(&s, m->build_id.len ? base : m->path);
    for (size_t i = 0; i < m->build_id.len; i++)
        str_addf(&s, "%s%02x", i ? "" : " ", m->build_id.data[i]);
    return str_take(&s);
}

static int by_text(const void *a, const void *b)
{
    return strcmp(*(char *const *)a, *(char *const *)b);
}

void runkey_builds(const Hct__Model *m, struct str *out)
{
    char *text[BUILDS_MAX];
    size_t n = 0;

    for (size_t i = 0; i < m->n_modules && n < BUILDS_MAX; i++)
        if ((text[n] = text_of(m->modules[i])))
            n++;
    if (n)
        qsort(text, n, sizeof(text[0]), by_text);
    for (size_t i = 0; i < n; i++) {
        str_addf(out, "%s%s", i ? "," : "", text[i]);
        free(text[i]);
    }
}

/* FNV-1a (G. Fowler, L. C. Noll, P. Vo). */
static uint64_t mix(uint64_t h, const void *bytes, size_t n)
{
    for (const unsigned char *p = bytes; n--; p++)
        h = (h ^ *p) * 0x100000001b3u;
    return h;
}

uint64_t runkey_make(const char *builds, const char *what, uint32_t ntasks)
{
    const unsigned char tasks[4] = { ntasks & 0xff, ntasks >> 8 & 0xff,
                                     ntasks >> 16 & 0xff, ntasks >> 24 };
    uint64_t h = mix(0xcbf29ce484222325u, builds, strlen(builds) + 1);

    h = mix(mix(h, what, strlen(what) + 1), tasks, sizeof(tasks));
    h = (h >> 52 ^ h) & ((UINT64_C(1) << 52) - 1);
    return h ? h : 1;
}
