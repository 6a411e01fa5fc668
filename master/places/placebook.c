/* placebook.c - see placebook.h. Sites and the names of their frames come
 * apart, in any order. A frame is known by what a place of that frame alone
 * would have as its number. */
#include "master/places/placebook.h"

#include <stdlib.h>
#include <string.h>

#include "proto/base/array.h"
#include "proto/base/idtable.h"
#include "proto/base/paths.h"
#include "proto/tree/placekey.h"

enum { SITES_MAX = 16384, FRAMES_MAX = 65536, DEPTH_MAX = 16 };
#define NONE UINT32_MAX

struct frame {
    uint64_t key;
    char *function, *file;      /* owned; NULL: not known */
    uint32_t line;
};

struct site {
    uint64_t key;
    uint32_t n, frame[DEPTH_MAX];       /* the caller of MPI first */
};

struct placebook {
    struct frame *frame;        /* owned, as the next */
    struct site *site;
    size_t nframes, nsites, frames_cap, sites_cap;
    struct idtable by_frame, by_site;
};

struct placebook *placebook_create(void)
{
    return calloc(1, sizeof(struct placebook));
}

void placebook_destroy(struct placebook *b)
{
    if (!b)
        return;
    for (size_t i = 0; i < b->nframes; i++) {
        free(b->frame[i].function);
        free(b->frame[i].file);
    }
    idtable_fini(&b->by_frame);
    idtable_fini(&b->by_site);
    free(b->frame);
    free(b->site);
    free(b);
}

/* ------------------------------------------------------------------- frames */

static uint64_t add_to(uint64_t key, const Hct__Profile *m, uint32_t frame)
{
    const Hct__Profile__Frame *f = m->frames[frame];
    const Hct__Profile__Module *in = f->module ? m->modules[f->module - 1] : NULL;

    return in ? placekey_frame(key, in->build_id.data, in->build_id.len, f->offset)
              : 0;
}

static uint32_t find_frame(const struct placebook *b, uint64_t key)
{
    size_t i = idtable_first(&b->by_frame, idtable_mix(key, 0));
    uint32_t id;

    for (; (id = idtable_at(&b->by_frame, idtable_mix(key, 0), &i)) !=
           IDTABLE_NONE; i++)
        if (b->frame[id].key == key)
            return id;
    return NONE;
}

/* NONE: there is no room for it, or no build to know it by. */
static uint32_t frame_of(struct placebook *b, const Hct__Profile *m,
                         uint32_t frame)
{
    uint64_t key = add_to(placekey_begin(0), m, frame);
    uint32_t id = find_frame(b, key);

    if (!key || id != NONE)
        return key ? id : NONE;
    if (b->nframes == FRAMES_MAX ||
        array_reserve(&b->frame, &b->frames_cap, b->nframes + 1) ||
        idtable_add(&b->by_frame, idtable_mix(key, 0), (uint32_t)b->nframes))
        return NONE;
    b->frame[b->nframes] = (struct frame){ .key = key };
    return (uint32_t)b->nframes++;
}

/* Of functions that are inlined there the innermost, depth 0, calls MPI. */
static void take_name(struct placebook *b, const Hct__Profile *m,
                      const Hct__Profile__Name *is)
{
    uint32_t id = is->depth || !*is->function ? NONE : frame_of(b, m, is->frame);
    struct frame *f = id == NONE ? NULL : &b->frame[id];

    if (!f || f->function)
        return;
    f->function = strdup(is->function);
    f->file = *is->file && is->line ? strdup(paths_base(is->file)) : NULL;
    f->line = f->file ? is->line : 0;
}

/* -------------------------------------------------------------------- sites */

static uint32_t find_site(const struct placebook *b, uint64_t key)
{
    size_t i = idtable_first(&b->by_site, idtable_mix(key, 0));
    uint32_t id;

    for (; (id = idtable_at(&b->by_site, idtable_mix(key, 0), &i)) !=
           IDTABLE_NONE; i++)
        if (b->site[id].key == key)
            return id;
    return NONE;
}

static void take_site(struct placebook *b, const Hct__Profile *m,
                      const Hct__Profile__Site *is)
{
    uint64_t key = placekey_begin(is->call);
    struct site s = { .n = 0 };

    for (size_t i = 0; i < is->n_frames && key; i++)
        key = add_to(key, m, is->frames[i]);
    if (!is->n_frames || !key || find_site(b, key) != NONE ||
        b->nsites == SITES_MAX)
        return;
    s.key = key;
    for (; s.n < is->n_frames && s.n < DEPTH_MAX; s.n++)
        s.frame[s.n] = frame_of(b, m, is->frames[s.n]);
    if (array_reserve(&b->site, &b->sites_cap, b->nsites + 1) == 0 &&
        idtable_add(&b->by_site, idtable_mix(key, 0), (uint32_t)b->nsites) == 0)
        b->site[b->nsites++] = s;
}

void placebook_take(struct placebook *b, const Hct__Profile *m)
{
    for (size_t i = 0; i < m->n_sites; i++)
        take_site(b, m, m->sites[i]);
    for (size_t i = 0; i < m->n_names; i++)
        take_name(b, m, m->names[i]);
}

bool placebook_find(const struct placebook *b, uint64_t place,
                    struct placebook_name *name)
{
    uint32_t id = b && place ? find_site(b, place) : NONE;
    const struct site *s = id == NONE ? NULL : &b->site[id];
    const struct frame *is = NULL;

    for (uint32_t i = 0; s && i < s->n && !(is && is->line); i++) {
        const struct frame *f = s->frame[i] == NONE ? NULL
                                                    : &b->frame[s->frame[i]];

        if (f && f->function && (!is || f->line))
            is = f;
    }
    if (!is)
        return false;
    *name = (struct placebook_name){ is->function, is->file, is->line };
    return true;
}
