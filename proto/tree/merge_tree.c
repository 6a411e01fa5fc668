/* merge_tree.c - call graph prefix trees from many slaves become one. How many
 * samples there are the first part says; a part without a byte is a slave
 * that has no tree. */
#include "proto/tree/merge.h"

#include <errno.h>
#include <stdlib.h>

#include "proto/tree/prefixtree.h"

struct whole { uint32_t width; bool begun; struct prefixtree tree; };

static void *tree_create(uint32_t width, struct err *err)
{
    struct whole *w = calloc(1, sizeof(*w));

    if (!w)
        return err_memory(err), NULL;
    w->width = width;
    return w;
}

static void tree_destroy(void *whole)
{
    struct whole *w = whole;

    if (w)
        prefixtree_fini(&w->tree);
    free(w);
}

static int tree_add(void *whole, const uint8_t *bytes, size_t n, uint32_t at,
                    uint32_t width, struct err *err)
{
    struct whole *w = whole;
    struct prefixtree part;
    int rc = 0;

    if (n == 0)
        return 0;
    if (prefixtree_parse(&part, bytes, n, err))
        return -1;
    if (part.width != width)
        rc = err_set(err, EBADMSG, "a call tree over %u tasks in place of %u",
                     part.width, width);
    if (rc == 0 && w->begun && part.nsamples != w->tree.nsamples)
        rc = err_set(err, EBADMSG, "a call tree over %u samples in place of "
                     "%u", part.nsamples, w->tree.nsamples);
    if (rc == 0 && !w->begun)
        rc = prefixtree_init(&w->tree, w->width, part.nsamples, err);
    if (rc == 0) {
        w->begun = true;
        rc = prefixtree_merge(&w->tree, &part, at, err);
    }
    prefixtree_fini(&part);
    return rc;
}

static int tree_pack(const void *whole, struct str *out, struct err *err)
{
    const struct whole *w = whole;

    if (w->begun && prefixtree_pack(&w->tree, out))
        return err_memory(err);
    return 0;
}

static int tree_finish(const void *whole, const uint32_t *rank_of,
                       uint32_t ntasks, struct str *out, struct err *err)
{
    const struct whole *w = whole;
    struct prefixtree by_rank;
    int rc = 0;

    if (!w->begun)
        return 0;
    if (prefixtree_remap(&by_rank, &w->tree, rank_of, ntasks, err))
        return -1;
    if (prefixtree_pack(&by_rank, out))
        rc = err_memory(err);
    prefixtree_fini(&by_rank);
    return rc;
}

const struct merge_kind merge_tree = {
    "tree", tree_create, tree_destroy, tree_add, tree_pack, tree_finish,
};
