/* ownerhold.c - see ownerhold.h. */
#include "master/state/ownerhold.h"

#include <stdlib.h>

bool ownerhold_get(const struct job *j, struct taskset *ranks)
{
    return j->owner_ranks &&
           taskset_parse(ranks, j->owner_ranks, j->ntasks, NULL) == 0 &&
           ranks->n;
}

static int set(struct job *j, const struct taskset *ranks)
{
    char *text = ranks->n ? taskset_text(ranks) : NULL;

    if (ranks->n && !text)
        return -1;
    free(j->owner_ranks);
    j->owner_ranks = text;
    return 0;
}

int ownerhold_add(struct job *j, const struct taskset *ranks)
{
    struct taskset all = { 0 };
    int rc;

    ownerhold_get(j, &all);
    rc = taskset_union(&all, ranks) || set(j, &all) ? -1 : 0;
    taskset_fini(&all);
    return rc;
}

bool ownerhold_drop(struct job *j, const struct taskset *ranks)
{
    struct taskset all = { 0 };
    size_t before;
    bool changed = false;

    if (!ownerhold_get(j, &all))
        return false;
    before = taskset_count(&all);
    for (size_t i = 0; i < ranks->n; i++)
        if (taskset_remove(&all, ranks->v[i].first, ranks->v[i].last))
            break;
    if (taskset_count(&all) != before)
        changed = set(j, &all) == 0;
    taskset_fini(&all);
    return changed;
}
