/* reduce_part.c - what the slaves below say, and what it means when they, or
 * the one above, fall silent. */
#include "slave/tree/reduce_private.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "proto/base/clock.h"
#include "proto/base/log.h"

struct child *reduction_child(struct reduction *r, uint32_t member)
{
    for (size_t i = 0; i < r->nchildren; i++)
        if (r->children[i].member == member)
            return &r->children[i];
    return NULL;
}

static void take_missing(struct reduction *r, const struct child *c,
                         const Hct__ReducePart *m)
{
    for (size_t i = 0; i < m->n_missing && i < c->members; i++) {
        const Hct__ReducePart__Missing *x = m->missing[i];

        if (x->first >= c->member && x->last >= x->first &&
            x->last - c->member < c->members)
            reduction_lack(r, x->first, x->last, x->lack, x->why);
    }
}

static void take_part(struct reduction *r, struct child *c,
                      const Hct__ReducePart *m)
{
    struct err err;
    const void *bytes = c->bytes.n ? (void *)c->bytes.s : m->piece.data;
    size_t n = c->bytes.n ? c->bytes.n : m->piece.len;

    if (reduction_take(r, bytes, n, c->at, c->width, &err)) {
        reduction_lack_child(r, c, HCT__LACK__LACK_FAILED, err.text);
        reduction_settle(r);
        return;
    }
    take_missing(r, c, m);
    if (m->own_ns > r->own_ns)
        r->own_ns = m->own_ns;
    if (m->merge_ns > r->below_ns)
        r->below_ns = m->merge_ns;
    c->settled = true;
    str_fini(&c->bytes);
    reduction_settle(r);
}

static int part_of(struct reduction *r, struct reduce_link *l,
                   const Hct__ReducePart *m, struct err *err)
{
    struct child *c = reduction_child(r, m->member);

    if (!c)
        return err_set(err, EPROTO, "member %u is not below this slave",
                       m->member);
    if (c->settled || !reduction_gathering(r))
        return 0;                       /* too late */
    if (c->link && c->link != l)
        return err_set(err, EPROTO, "member %u has another link", m->member);
    c->link = l;
    if (c->bytes.n + m->piece.len > REDUCE_RESULT_MAX)
        return err_set(err, EMSGSIZE, "a part of more than %u bytes",
                       REDUCE_RESULT_MAX);
    if (!m->last || c->bytes.n)
        str_add_bytes(&c->bytes, m->piece.data, m->piece.len);
    if (str_failed(&c->bytes))
        return err_set(err, ENOMEM, "out of memory");
    if (m->last)
        take_part(r, c, m);
    return 0;
}

static int keep_early(struct reduce *rs, struct reduce_link *l,
                      const Hct__ReducePart *m, struct err *err)
{
    size_t n = hct__reduce_part__get_packed_size(m);
    struct early *e;

    if (rs->early_bytes + n + sizeof(*e) > REDUCE_EARLY_MAX)
        return err_set(err, ENOBUFS, "too much for reductions that the master "
                       "has not begun");
    e = calloc(1, sizeof(*e));
    if (!e || !(e->packed = malloc(n + 1)))
        return free(e), err_set(err, ENOMEM, "out of memory");
    hct__reduce_part__pack(m, e->packed);
    e->n = n;
    e->id = m->id;
    e->link = l;
    *rs->early_end = e;
    rs->early_end = &e->next;
    rs->early_bytes += n + sizeof(*e);
    return 0;
}

/* Of this reduction (NULL: of any), or of this link. They are handed on to
 * r, or dropped. */
void reduce_drain_early(struct reduce *rs, struct reduction *r,
                        const struct reduce_link *l)
{
    struct early **p = &rs->early, *e;

    while ((e = *p)) {
        Hct__ReducePart *m;
        struct err err;

        if (r ? e->id != r->id : l && e->link != l) {
            p = &e->next;
            continue;
        }
        *p = e->next;
        if (!*p)
            rs->early_end = p;
        rs->early_bytes -= e->n + sizeof(*e);
        m = r ? hct__reduce_part__unpack(NULL, e->n, e->packed) : NULL;
        if (m && part_of(r, e->link, m, &err))
            log_warn("reduce", "%s", err.text);
        if (m)
            hct__reduce_part__free_unpacked(m, NULL);
        free(e->packed);
        free(e);
    }
}

static int on_part(void *arg, struct reduce_link *l, const Hct__ReducePart *m,
                   struct err *err)
{
    struct reduce *rs = arg;
    struct reduction *r = reduce_find(rs, m->id);

    if (r)
        return part_of(r, l, m, err);
    return m->id > rs->last_id ? keep_early(rs, l, m, err) : 0;
}

static void on_child_lost(void *arg, struct reduce_link *l)
{
    struct reduce *rs = arg;

    reduce_drain_early(rs, NULL, l);
    for (struct reduction *r = rs->list, *next; r; r = next) {
        next = r->next;
        for (size_t i = 0; i < r->nchildren; i++) {
            struct child *c = &r->children[i];

            if (c->link != l)
                continue;
            c->link = NULL;
            if (c->settled)
                continue;
            reduction_lack_child(r, c, HCT__LACK__LACK_LINK, "its link was lost");
            reduction_settle(r);
        }
    }
}

static void on_parent_lost(void *arg, struct reduce_link *l,
                           const struct err *why)
{
    struct reduce *rs = arg;

    for (struct reduction *r = rs->list, *next; r; r = next) {
        next = r->next;
        if (r->parent != l)
            continue;
        log_info("reduce", "the slave above is gone, going on to the master: "
                 "%s", why->text);
        reduction_step(r, REDUCE_PARENT_LOST);
    }
}

const struct reduce_links_ops reduce_links_ops = {
    .part = on_part, .child_lost = on_child_lost,
    .parent_lost = on_parent_lost,
};
