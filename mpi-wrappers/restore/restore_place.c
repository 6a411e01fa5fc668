/* restore_place.c - where there is room: see restore_place.h. */
#include "mpi-wrappers/restore/restore_place.h"

#include "mpi-wrappers/image/image_maps.h"
#include "mpi-wrappers/image/sys.h"

#define LOWEST  (1ull << 32)    /* programs at fixed addresses are below */
#define GAP     (2ull << 20)    /* between the stack and what is below it */

size_t restore_place_own(const struct restore *r, struct image_back *own,
                         size_t n)
{
    char *text = r->scratch;
    struct image_map m;
    size_t have = 0;

    if (sys_slurp("/proc/self/maps", text, RESTORE_SCRATCH) <= 0)
        restore_refuse(r, "cannot become a process: there is no "
                       "/proc/self/maps here", NULL);
    while (image_maps_next(&text, &m) > 0 && have < n)
        if (image_maps_kind(&m) != IMAGE_MAP_FIXED)
            own[have++] = (struct image_back){ m.start, m.end - m.start };
    return have;
}

/* Moves *at up, if need be, so that nothing of [start, end) is near. */
static bool move_on(uint64_t *at, uint64_t bytes, uint64_t start, uint64_t end)
{
    if (end + RESTORE_GUARD <= *at || *at + bytes + RESTORE_GUARD <= start)
        return false;
    *at = (end + RESTORE_GUARD + IMAGE_PAGE - 1) & ~(uint64_t)(IMAGE_PAGE - 1);
    return true;
}

uint64_t restore_place_find(const struct restore *r,
                            const struct image_back *taken, size_t n,
                            uint64_t bytes)
{
    const struct image_head *h = &r->head;
    uint64_t at = LOWEST;
    bool moved;

    do {
        moved = false;
        for (size_t i = 0; i < h->nregions; i++)
            moved |= move_on(&at, bytes, r->regions[i].start,
                             r->regions[i].end);
        for (size_t i = 0; i < n; i++)
            moved |= move_on(&at, bytes, taken[i].start,
                             taken[i].start + taken[i].bytes);
        if (h->vdso)
            moved |= move_on(&at, bytes, h->vdso - h->vvar_bytes,
                             h->vdso + h->vdso_bytes);
    } while (moved);
    return at + bytes + RESTORE_GUARD < IMAGE_ACROSS ? at : 0;
}

void restore_place_grow_stack(struct restore *r)
{
    for (size_t i = 0; i < r->head.nregions; i++) {
        struct image_region *s = &r->regions[i];
        uint64_t most = r->head.limit[3].soft;          /* RLIMIT_STACK */
        uint64_t below = i ? s[-1].end + GAP : GAP;

        if (s->kind != IMAGE_STACK)
            continue;
        if (most > RESTORE_STACK_ROOM)
            most = RESTORE_STACK_ROOM;
        most &= ~(uint64_t)(IMAGE_PAGE - 1);
        if (s->end - s->start < most && most < s->end &&
            below < s->start)
            s->start = s->end - most > below ? s->end - most : below;
    }
}
