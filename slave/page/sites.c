/* sites.c - call sites and the frames and modules they are made of.
 *
 * Invariants: what an index holds is a number + 1 below the length of its
 * array; an index is at most half full. Nothing is ever removed. */
#include "slave/page/sites.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "proto/tree/placekey.h"

void sites_fini(struct sites *s)
{
    free(s->module);
    free(s->frame);
    free(s->site);
    free(s->by_frame.slot);
    free(s->by_site.slot);
    *s = (struct sites){ 0 };
}

/* Room for one more in an array. */
static int grow(void **v, size_t *cap, size_t n, size_t each)
{
    size_t more = *cap ? 2 * *cap : 64;
    void *bigger;

    if (n < *cap)
        return 0;
    bigger = realloc(*v, more * each);
    if (!bigger)
        return -1;
    *v = bigger;
    *cap = more;
    return 0;
}

static uint64_t mix(uint64_t h, uint64_t v)
{
    h = (h ^ v) * 0x9e3779b97f4a7c15ull;
    return h ^ h >> 29;
}

static uint64_t hash_frame(const struct sites_frame *f)
{
    return mix(mix(1, f->module), f->offset);
}

static uint64_t hash_site(const struct site *p)
{
    uint64_t h = mix(2, p->call);

    for (uint32_t i = 0; i < p->frames; i++)
        h = mix(h, p->frame[i]);
    return h;
}

static void put(struct sites_index *x, uint64_t hash, uint32_t number)
{
    size_t i = hash % x->cap;

    while (x->slot[i])
        i = (i + 1) % x->cap;
    x->slot[i] = number + 1;
}

/* Is there room for one more than n? If not, make it and fill it anew. */
static int widen(const struct sites *s, struct sites_index *x, size_t n)
{
    struct sites_index wide = { .cap = x->cap ? 2 * x->cap : 256 };

    if (2 * (n + 1) <= x->cap)
        return 0;
    wide.slot = calloc(wide.cap, sizeof(*wide.slot));
    if (!wide.slot)
        return -1;
    for (uint32_t i = 0; i < n; i++)
        put(&wide, x == &s->by_site ? hash_site(&s->site[i])
                                    : hash_frame(&s->frame[i]), i);
    free(x->slot);
    *x = wide;
    return 0;
}

/* -------------------------------------------------------------- modules */

/* What the kernel says of a program whose file has been replaced; whether the
 * one that is there now is the same its build id tells. */
static size_t path_bytes(const char *path)
{
    static const char gone[] = " (deleted)";
    size_t n = strlen(path), more = sizeof(gone) - 1;

    return n > more && !strcmp(path + n - more, gone) ? n - more : n;
}

/* 0: it has no number, and gets none any more. */
static uint32_t module_number(struct sites *s, const struct state_module *m)
{
    size_t bytes = path_bytes(m->path);
    struct sites_module *to;

    for (size_t i = 0; i < s->nmodules; i++) {
        const struct sites_module *is = &s->module[i];

        if (is->id_bytes == m->id_bytes &&
            memcmp(is->id, m->id, m->id_bytes) == 0 &&
            strncmp(is->path, m->path, bytes) == 0 && !is->path[bytes])
            return (uint32_t)i + 1;
    }
    if (s->nmodules == SITES_MODULES_MAX ||
        grow((void **)&s->module, &s->modules_cap, s->nmodules,
             sizeof(*s->module)))
        return 0;
    to = &s->module[s->nmodules++];
    memset(to, 0, sizeof(*to));
    memcpy(to->path, m->path, bytes);
    memcpy(to->id, m->id, m->id_bytes);
    to->id_bytes = m->id_bytes;
    return (uint32_t)s->nmodules;
}

/* --------------------------------------------------------------- frames */

static struct sites_frame locate(struct sites *s, uint64_t address,
                                 const struct state_module *v, unsigned n)
{
    struct sites_frame f = { .offset = address };

    for (unsigned i = 0; i < n; i++)
        if (address >= v[i].start && address < v[i].end && v[i].path[0]) {
            f.module = module_number(s, &v[i]);
            if (f.module)
                f.offset = address - v[i].base;
            return f;
        }
    return f;
}

/* -1: out of memory, or no room. */
static int64_t frame_number(struct sites *s, const struct sites_frame *f)
{
    uint64_t hash = hash_frame(f);

    for (size_t i = s->by_frame.cap ? hash % s->by_frame.cap : 0;
         s->by_frame.cap && s->by_frame.slot[i];
         i = (i + 1) % s->by_frame.cap) {
        uint32_t at = s->by_frame.slot[i] - 1;

        if (s->frame[at].module == f->module &&
            s->frame[at].offset == f->offset)
            return at;
    }
    if (s->nframes == SITES_FRAMES_MAX ||
        grow((void **)&s->frame, &s->frames_cap, s->nframes,
             sizeof(*s->frame)) || widen(s, &s->by_frame, s->nframes))
        return -1;
    s->frame[s->nframes] = *f;
    put(&s->by_frame, hash, (uint32_t)s->nframes);
    return (int64_t)s->nframes++;
}

/* ---------------------------------------------------------------- sites */

static uint32_t number_of(struct sites *s, const struct site *p)
{
    uint64_t hash = hash_site(p);

    for (size_t i = s->by_site.cap ? hash % s->by_site.cap : 0;
         s->by_site.cap && s->by_site.slot[i]; i = (i + 1) % s->by_site.cap) {
        uint32_t at = s->by_site.slot[i] - 1;

        if (s->site[at].call == p->call && s->site[at].frames == p->frames &&
            memcmp(s->site[at].frame, p->frame,
                   p->frames * sizeof(p->frame[0])) == 0)
            return at;
    }
    if (p->frames && s->nsites >= SITES_MAX - PAGE_CALLS)
        return sites_find_other(s, p->call);    /* for which there is room */
    if (grow((void **)&s->site, &s->sites_cap, s->nsites, sizeof(*s->site)) ||
        widen(s, &s->by_site, s->nsites))
        return SITES_NONE;
    s->site[s->nsites] = *p;
    put(&s->by_site, hash, (uint32_t)s->nsites);
    return (uint32_t)s->nsites++;
}

uint32_t sites_find_other(struct sites *s, uint32_t call)
{
    const struct site p = { .call = call % PAGE_CALLS };

    return number_of(s, &p);
}

uint32_t sites_find(struct sites *s, const struct state_site *p,
                    const struct state_module *modules, unsigned nmodules)
{
    struct site site = { .call = p->call };

    for (uint32_t i = 0; i < p->frames && i < PAGE_FRAMES; i++) {
        struct sites_frame f = locate(s, p->frame[i], modules, nmodules);
        int64_t number = frame_number(s, &f);

        if (number < 0)
            return sites_find_other(s, p->call);
        site.frame[site.frames++] = (uint32_t)number;
    }
    return number_of(s, &site);
}

static uint64_t key_frame(uint64_t key, uint64_t address,
                          const struct state_module *v, unsigned n)
{
    for (unsigned i = 0; i < n; i++)
        if (address >= v[i].start && address < v[i].end)
            return placekey_frame(key, v[i].id, v[i].id_bytes,
                                  address - v[i].base);
    return 0;
}

uint64_t sites_key(const struct state_site *p,
                   const struct state_module *modules, unsigned nmodules)
{
    uint64_t key = placekey_begin(p->call);

    for (uint32_t i = 0; i < p->frames && i < PAGE_FRAMES; i++)
        key = key_frame(key, p->frame[i], modules, nmodules);
    return p->frames ? key : 0;
}
