/* glance.c - see glance.h. */
#include "master/watch/glance.h"

#include <stdlib.h>

#include "hct.pb-c.h"
#include "proto/base/log.h"

static int take_tree(struct glance *g, const Hct__CallTree *m,
                     uint32_t ntasks, struct err *err)
{
    struct prefixtree tree;
    int rc;

    if (prefixtree_parse(&tree, m->tree.data, m->tree.len, err))
        return -1;
    g->seen = malloc(sizeof(*g->seen));
    rc = !g->seen ? err_memory(err)
         : tree.width > ntasks ? err_set(err, 1, "it is of other tasks")
                               : incall_of(g->seen, &tree, err);
    prefixtree_fini(&tree);
    if (rc == 0)
        return 0;
    free(g->seen);
    g->seen = NULL;
    return -1;
}

/* With ranks in place of positions. */
static int take(struct glance *g, const struct reduce_result *r,
                struct err *err)
{
    struct str bytes = { 0 };
    Hct__CallTree *m = NULL;
    int rc = r->merge->finish(r->whole, r->rank_of, r->ntasks, &bytes, err);

    if (rc == 0) {
        m = hct__call_tree__unpack(NULL, bytes.n,
                                   (const uint8_t *)str_text(&bytes));
        rc = m ? take_tree(g, m, r->ntasks, err) : err_memory(err);
    }
    if (m)
        hct__call_tree__free_unpacked(m, NULL);
    str_fini(&bytes);
    return rc;
}

static void on_done(void *arg, const struct reduce_result *r)
{
    struct glance *g = arg;
    struct err err = { .text = "no slave has answered" };

    g->id = 0;
    if (!r->whole || take(g, r, &err))
        log_info("watcher", "a policy's look at stacks has failed: %s job=%llu",
                 err.text, (unsigned long long)g->job->id);
}

static void forget(struct glance *g)
{
    free(g->seen);
    g->seen = NULL;
}

void glance_start(struct glance *g, const struct judge *asker)
{
    Hct__Stack how = HCT__STACK__INIT;
    uint8_t bytes[64];
    struct reduce_ask ask = { .kind = "stack", .argument = bytes,
                              .job = g->job };
    struct err err;

    if (g->id || !g->reducer)
        return;
    forget(g);
    how.samples = 1;
    how.lines = true;
    how.unasked = true;
    ask.nargument = hct__stack__pack(&how, bytes);
    g->asker = asker;
    g->id = reducer_start(g->reducer, &ask, on_done, g, &err);
    if (!g->id)
        log_info("watcher", "a policy cannot look at stacks: %s job=%llu",
                 err.text, (unsigned long long)g->job->id);
}

void glance_fini(struct glance *g)
{
    if (g->id)
        reducer_cancel(g->reducer, g->id);
    g->id = 0;
    forget(g);
}

bool glance_has(const struct glance *g, const struct judge *asker)
{
    return g->seen && g->asker == asker;
}

void glance_show(struct glance *g, struct looks *l)
{
    struct hct_inside *row;

    if (!g->seen)
        return;
    l->stacks = g->seen->stacks;
    l->waiting = g->seen->waiting;
    for (uint32_t i = 0; i < g->seen->n; i++)
        if ((row = looks_add_inside(l)))
            *row = g->seen->v[i];
    l->parts |= HCT_NEED_STACKS;
    forget(g);
}
