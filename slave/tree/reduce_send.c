/* reduce_send.c - the result of a reduction on its way up, and who is not in
 * it. */
#include "slave/tree/reduce_private.h"

#include <stdlib.h>
#include <string.h>

void reduction_lack(struct reduction *r, uint32_t first, uint32_t last,
                 Hct__Lack why, const char *text)
{
    if (r->nmissing == r->cap_missing) {
        size_t cap = r->cap_missing * 2 + 8;
        struct missing *v = realloc(r->missing, cap * sizeof(*v));

        if (!v)
            return;             /* the master notices who did not come */
        r->missing = v;
        r->cap_missing = cap;
    }
    r->missing[r->nmissing++] = (struct missing){
        first, last, why, strndup(text ? text : "", REDUCE_WHY_MAX) };
}

void reduction_lack_child(struct reduction *r, struct child *c, Hct__Lack why,
                       const char *text)
{
    c->settled = true;
    c->link = NULL;
    str_fini(&c->bytes);
    reduction_lack(r, c->member, c->member + c->members - 1, why, text);
}

static void send_one(struct reduction *r, const Hct__ReducePart *m)
{
    if (r->parent)
        reduce_link_send(r->parent, m);
    else
        r->all->conf->send(r->all->conf->send_arg, MESSAGE_REDUCE_PART, m);
}

void reduction_send_presence(struct reduction *r)
{
    Hct__ReducePart m = HCT__REDUCE_PART__INIT;

    m.id = r->id;
    m.member = r->member;
    reduce_link_send(r->parent, &m);
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
