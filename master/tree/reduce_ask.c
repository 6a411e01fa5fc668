/* reduce_ask.c - the question on its way down: who is asked by the master, and
 * what it is told. */
#include "master/tree/reduce_private.h"

#include <stdlib.h>

#include "master/tree/treeshape.h"

/* All below member i, in the order of the tree. */
static int fill_below(const struct reducing *r, uint32_t i, Hct__Reduce *m,
                      Hct__Reduce__Below *v)
{
    uint32_t n = r->members[i].members - 1;

    m->below = calloc(n + 1, sizeof(Hct__Reduce__Below *));
    if (!m->below)
        return -1;
    for (uint32_t k = 0; k < n; k++) {
        const struct reduce_member *x = &r->members[i + 1 + k];

        hct__reduce__below__init(&v[k]);
        v[k].members = x->members;
        v[k].own = x->own;
        v[k].addresses = x->node->reduce_at ? x->node->reduce_at : (char *)"";
        m->below[k] = &v[k];
    }
    m->n_below = n;
    return 0;
}

static int tell_begin(struct reducing *r, uint32_t i)
{
    const struct reduce_member *x = &r->members[i];
    Hct__Reduce__Below *v = calloc(x->members, sizeof(*v));
    Hct__Reduce m = HCT__REDUCE__INIT;
    int rc = v ? fill_below(r, i, &m, v) : -1;

    m.id = r->id;
    m.kind = (char *)(uintptr_t)r->merge->name;
    m.argument.data = r->argument;
    m.argument.len = r->nargument;
    m.job = r->job;
    m.member = i;
    m.own = x->own;
    m.width = x->width;
    m.wait_ns = treeshape_wait_ns(r->levels, x->height, r->wait_ns);
    m.step_ns = treeshape_step_ns(r->levels, r->wait_ns);
    if (rc == 0)
        rc = conn_send(x->node->link, MESSAGE_REDUCE, &m);
    free(m.below);
    free(v);
    return rc;
}

/* Once; who is gone is asked by nobody, and those below it in its place. */
void reducing_ask(struct reducing *r, uint32_t i)
{
    struct reduce_member *x = &r->members[i];

    if (x->asked || x->told || x->state == REDUCE_IN || !x->node->link)
        return;
    x->asked = true;
    r->nmessages++;
    if (tell_begin(r, i) == 0)
        return;
    reducing_step(r, x, REDUCE_LOSE, "it could not be asked");
    reducing_ask_below(r, i);
}

/* Those at the heads of these subtrees are to answer us. */
void reducing_ask_range(struct reducing *r, uint32_t first, uint32_t last)
{
    for (uint32_t i = first; i <= last; i += r->members[i].members)
        reducing_ask(r, i);
}

/* And those below this one, who is not asked himself. */
void reducing_ask_below(struct reducing *r, uint32_t i)
{
    if (r->members[i].members > 1)
        reducing_ask_range(r, i + 1, i + r->members[i].members - 1);
}

void reducing_tell_end(const struct node *n, uint64_t id)
{
    Hct__ReduceEnd m = HCT__REDUCE_END__INIT;

    m.id = id;
    if (n->link)
        conn_send(n->link, MESSAGE_REDUCE_END, &m);
}

/* The most slaves below one of them, or below the master. */
uint32_t reducing_widest(const struct reducing *r)
{
    uint32_t most = 0, top = 0;

    for (uint32_t i = 0; i < r->nasked; i++) {
        uint32_t n = 0;

        for (uint32_t k = 1; k < r->members[i].members;
             k += r->members[i + k].members)
            n++;
        most = n > most ? n : most;
        top += r->members[i].parent == TREESHAPE_MASTER;
    }
    return top > most ? top : most;
}
