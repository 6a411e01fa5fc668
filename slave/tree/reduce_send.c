/* reduce_send.c - the result of a reduction on its way up, and who is not in
 * it. */
#include "slave/tree/reduce_private.h"

#include <stdlib.h>
#include <string.h>

#include "proto/base/array.h"

void reduction_lack(struct reduction *r, uint32_t first, uint32_t last,
                 Hct__Lack why, const char *text)
{
    if (array_reserve(&r->missing, &r->cap_missing, r->nmissing + 1))
        return;                 /* the master notices who did not come */
    r->missing[r->nmissing++] = (struct missing){
        first, last, why, strndup(text ? text : "", REDUCE_WHY_MAX) };
}

void reduction_lack_child(struct reduction *r, struct child *c, Hct__Lack why,
                       const char *text)
{
    c->settled = true;
    str_fini(&c->bytes);
    reduction_lack(r, c->member, c->member + c->members - 1, why, text);
}

static void send_one(struct reduction *r, const Hct__ReducePart *m)
{
    if (r->parent)
        reduce_link_send(r->parent, MESSAGE_REDUCE_PART, m);
    else
        r->all->conf->send(r->all->conf->send_arg, MESSAGE_REDUCE_PART, m);
}

void reduction_send_progress(struct reduction *r)
{
    Hct__ReducePart m = HCT__REDUCE_PART__INIT;

    m.id = r->id;
    m.member = r->member;
    m.settled = r->told = r->progress;
    send_one(r, &m);
}

/* That the subtree of this member is missing, for this reason. */
static void fill_missing(Hct__ReducePart *m, Hct__ReducePart__Missing *x,
                         Hct__ReducePart__Missing **list, uint32_t first,
                         uint32_t members, Hct__Lack why, const char *text)
{
    hct__reduce_part__missing__init(x);
    x->first = first;
    x->last = first + members - 1;
    x->lack = why;
    x->why = (char *)(uintptr_t)text;
    list[0] = x;
    m->missing = list;
    m->n_missing = 1;
}

void reduction_send_stray(struct reduction *r, const struct child *c,
                          Hct__Lack why, const char *text)
{
    Hct__ReducePart m = HCT__REDUCE_PART__INIT;
    Hct__ReducePart__Missing x, *list[1];

    m.id = r->id;
    m.member = r->member;
    m.settled = r->progress;
    fill_missing(&m, &x, list, c->member, c->members, why, text);
    r->all->conf->send(r->all->conf->send_arg, MESSAGE_REDUCE_PART, &m);
}

void reduction_send_refusal(struct reduce_link *l, const Hct__Reduce *from)
{
    Hct__ReducePart m = HCT__REDUCE_PART__INIT;
    Hct__ReducePart__Missing x, *list[1];

    m.id = from->id;
    m.member = from->member;
    m.last = true;
    fill_missing(&m, &x, list, from->member, (uint32_t)from->n_below + 1,
                 HCT__LACK__LACK_LINK, "it answers the master itself");
    reduce_link_send(l, MESSAGE_REDUCE_PART, &m);
}

static void send_end(struct reduction *r, Hct__ReducePart *m)
{
    Hct__ReducePart__Missing *v = calloc(r->nmissing + 1, sizeof(*v));
    Hct__ReducePart__Missing **list = calloc(r->nmissing + 1, sizeof(*list));

    for (size_t i = 0; v && list && i < r->nmissing; i++) {
        hct__reduce_part__missing__init(&v[i]);
        v[i].first = r->missing[i].first;
        v[i].last = r->missing[i].last;
        v[i].lack = r->missing[i].lack;
        v[i].why = r->missing[i].why ? r->missing[i].why : (char *)"";
        list[m->n_missing++] = &v[i];
    }
    m->missing = list;
    m->last = true;
    m->own_ns = r->own_ns;
    m->merge_ns = r->merge_ns + r->below_ns;
    if (v && list)              /* else the parent's time runs out */
        send_one(r, m);
    free(v);
    free(list);
}

void reduction_send_result(struct reduction *r)
{
    Hct__ReducePart m = HCT__REDUCE_PART__INIT;
    size_t n = r->result.n, at = 0;

    m.id = r->id;
    m.member = r->member;
    for (; n - at > REDUCE_PIECE; at += REDUCE_PIECE) {
        m.piece.data = (uint8_t *)(uintptr_t)str_text(&r->result) + at;
        m.piece.len = REDUCE_PIECE;
        send_one(r, &m);
    }
    m.piece.data = (uint8_t *)(uintptr_t)str_text(&r->result) + at;
    m.piece.len = n - at;
    send_end(r, &m);
}
