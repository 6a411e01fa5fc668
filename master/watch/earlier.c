/* earlier.c - what earlier runs have stayed, see earlier.h. */
#include "master/watch/earlier.h"

#include <stdlib.h>

#include "master/store/journal.h"
#include "master/store/query.h"
#include "proto/base/array.h"
#include "proto/base/log.h"

enum { EARLIER_MAX = 1024 };    /* places; of more nothing is known */

static uint64_t earlier_ask(const struct earlier *e, uint64_t key)
{
    uint64_t longest_ns = 0;
    struct err err;

    if (query_longest_stay(journal_store(e->journal), key, &longest_ns, &err))
        log_info("earlier", "earlier runs are not known: %s", err.text);
    return longest_ns;
}

uint64_t earlier_longest(struct earlier *e, uint64_t key)
{
    if (!key || !e->journal)
        return 0;
    for (size_t i = 0; i < e->n; i++)
        if (e->v[i].key == key)
            return e->v[i].longest_ns;
    if (e->n == EARLIER_MAX || array_reserve(&e->v, &e->cap, e->n + 1))
        return 0;
    e->v[e->n] = (struct earlier_place){ key, earlier_ask(e, key) };
    return e->v[e->n++].longest_ns;
}

void earlier_fini(struct earlier *e)
{
    free(e->v);
    e->v = NULL;
    e->n = e->cap = 0;
}
