/* gather_part.c - see gather_part.h. */
#include "slave/gather/gather_part.h"

void gather_part_begin(struct gather_part *p, struct gather *g,
                       struct reduction *r, void (*end)(struct gather_part *p))
{
    p->all = g;
    p->reduction = r;
    p->free = end;
    LIST_INSERT_HEAD(&g->parts, p, place);
}

void gather_part_end(struct gather_part *p)
{
    LIST_REMOVE(p, place);
    p->free(p);
}

void gather_part_fail(struct gather_part *p, const char *why)
{
    struct reduction *r = p->reduction;

    gather_part_end(p);
    reduction_fail(r, why);
}

void gather_part_finish(struct gather_part *p, int rc, struct str *bytes,
                        const struct err *err)
{
    struct reduction *r = p->reduction;

    gather_part_end(p);
    if (rc)
        reduction_fail(r, err->text);
    else
        reduction_own(r, str_text(bytes), bytes->n);
    str_fini(bytes);
}

void gather_part_stop(void *arg, struct reduction *r)
{
    const struct gather *g = arg;
    struct gather_part *p;

    LIST_FOREACH(p, &g->parts, place)
        if (p->reduction == r) {
            gather_part_end(p);
            return;
        }
}
