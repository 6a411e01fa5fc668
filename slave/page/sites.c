/* sites.c - call sites and the frames and modules they are made of.
 *
 * Invariants: a table has the numbers below the length of its array. Nothing
 * is ever removed. */
#include "slave/page/sites.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "proto/base/array.h"
#include "proto/tree/placekey.h"

void sites_fini(struct sites *s)
{
    free(s->module);
    free(s->frame);
    free(s->site);
    idtable_fini(&s->by_frame);
    idtable_fini(&s->by_site);
    *s = (struct sites){ 0 };
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
        array_reserve(&s->module, &s->modules_cap, s->nmodules + 1))
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
    uint64_t hash = idtable_mix(f->offset, f->module);
    size_t i = idtable_first(&s->by_frame, hash);
    uint32_t at;

    for (; (at = idtable_at(&s->by_frame, hash, &i)) != IDTABLE_NONE; i++)
        if (s->frame[at].module == f->module &&
            s->frame[at].offset == f->offset)
            return at;
    if (s->nframes == SITES_FRAMES_MAX ||
        array_reserve(&s->frame, &s->frames_cap, s->nframes + 1) ||
        idtable_add(&s->by_frame, hash, (uint32_t)s->nframes))
        return -1;
    s->frame[s->nframes] = *f;
    return (int64_t)s->nframes++;
}

/* ---------------------------------------------------------------- sites */

static uint32_t number_of(struct sites *s, const struct site *p)
{
    uint64_t hash = p->call;
    size_t i;
    uint32_t at;

    for (uint32_t f = 0; f < p->frames; f++)
        hash = idtable_mix(hash, p->frame[f]);
    hash = idtable_mix(hash, p->frames);
    i = idtable_first(&s->by_site, hash);
    for (; (at = idtable_at(&s->by_site, hash, &i)) != IDTABLE_NONE; i++)
        if (s->site[at].call == p->call && s->site[at].frames == p->frames &&
            memcmp(s->site[at].frame, p->frame,
                   p->frames * sizeof(p->frame[0])) == 0)
            return at;
    if (p->frames && s->nsites >= SITES_MAX - PAGE_CALLS)
        return sites_find_other(s, p->call);    /* for which there is room */
    if (array_reserve(&s->site, &s->sites_cap, s->nsites + 1) ||
        idtable_add(&s->by_site, hash, (uint32_t)s->nsites))
        return SITES_NONE;
    s->site[s->nsites] = *p;
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

uint64_t sites_key_of(const struct sites *s, uint32_t site)
{
    const struct site *p = &s->site[site];
    uint64_t key = placekey_begin(p->call);

    for (uint32_t i = 0; i < p->frames; i++) {
        const struct sites_frame *f = &s->frame[p->frame[i]];
        const struct sites_module *m = f->module ? &s->module[f->module - 1]
                                                 : NULL;

        key = m ? placekey_frame(key, m->id, m->id_bytes, f->offset) : 0;
    }
    return p->frames ? key : 0;
}
