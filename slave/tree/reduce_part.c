/* reduce_part.c - what the slaves below and above say, and what it means when
 * they fall silent. */
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
        reduction_settle(r, c->members - c->progress);
        return;
    }
    take_missing(r, c, m);
    if (m->own_ns > r->own_ns)
        r->own_ns = m->own_ns;
    if (m->merge_ns > r->below_ns)
        r->below_ns = m->merge_ns;
    c->settled = true;
    str_fini(&c->bytes);
    reduction_settle(r, c->members - c->progress);
}

/* How far the subtree has come; what it says counts only forwards. */
static void take_progress(struct reduction *r, struct child *c, uint32_t n)
{
    if (n <= c->progress || n > c->members)
        return;
    reduction_heard(r, n - c->progress);
    c->progress = n;
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
    if (c->link != l)
        return err_set(err, EPROTO, "member %u has another link", m->member);
    if (!c->heard)
        reduction_heard(r, 0);
    c->heard = true;
    if (c->bytes.n + m->piece.len > REDUCE_RESULT_MAX)
        return err_set(err, EMSGSIZE, "a part of more than %u bytes",
                       REDUCE_RESULT_MAX);
    if (m->last) {
        if (c->bytes.n)
            str_add_bytes(&c->bytes, m->piece.data, m->piece.len);
        if (str_failed(&c->bytes))
            return err_memory(err);
        take_part(r, c, m);
        return 0;
    }
    take_progress(r, c, m->settled);
    if (!m->piece.len)
        return 0;
    reduction_heard(r, 0);
    str_add_bytes(&c->bytes, m->piece.data, m->piece.len);
    return str_failed(&c->bytes) ? err_memory(err) : 0;
}

static int on_part(void *arg, struct reduce_link *l, const Hct__ReducePart *m,
                   struct err *err)
{
    struct reduction *r = reduce_find(arg, m->id);

    return r ? part_of(r, l, m, err) : 0;
}

static void on_child_lost(void *arg, struct reduce_link *l,
                          const struct err *why)
{
    struct reduce *rs = arg;

    for (struct reduction *r = rs->list, *next; r; r = next) {
        next = r->next;
        for (size_t i = 0; i < r->nchildren; i++) {
            struct child *c = &r->children[i];

            if (c->link != l)
                continue;
            reduce_link_put(c->link);
            c->link = NULL;
            if (c->settled || !reduction_gathering(r))
                continue;
            reduction_send_stray(r, c, HCT__LACK__LACK_LINK, why->text);
            reduction_lack_child(r, c, HCT__LACK__LACK_LINK, why->text);
            reduction_settle(r, c->members - c->progress);
        }
    }
}

/* Who hangs does not pass the question on. It is still waited for itself. */
void reduction_pass_silent(struct reduction *r)
{
    for (size_t i = 0; i < r->nchildren; i++) {
        struct child *c = &r->children[i];

        if (c->settled || c->heard || c->passed || c->members == 1)
            continue;
        c->passed = true;
        reduction_send_stray(r, c, HCT__LACK__LACK_LATE, "it says nothing");
    }
}

/* -------------------------------------------------------------- from above */

static int on_begin(void *arg, struct reduce_link *l, const Hct__Reduce *m,
                    struct err *err)
{
    return reduce_begin_from(arg, l, m, err);
}

/* Who has gone past us has no say any more. */
static int on_end(void *arg, struct reduce_link *l, const Hct__ReduceEnd *m)
{
    const struct reduction *r = reduce_find(arg, m->id);

    if (r && r->parent == l)
        reduce_end(arg, m);
    return 0;
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
    .begin = on_begin, .end = on_end, .part = on_part,
    .parent_lost = on_parent_lost, .child_lost = on_child_lost,
};
