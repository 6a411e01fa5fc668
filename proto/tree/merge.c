/* merge.c - the table of kinds. */
#include "proto/tree/merge.h"

#include <string.h>

static const struct merge_kind *const kinds[] = {
    &merge_who, &merge_tree, &merge_stack, &merge_model, &merge_scores,
    &merge_whereabouts,
};

const struct merge_kind *merge_find(const char *name)
{
    for (size_t i = 0; i < sizeof(kinds) / sizeof(kinds[0]); i++)
        if (strcmp(kinds[i]->name, name) == 0)
            return kinds[i];
    return NULL;
}
