/* merge_whereabouts.c - where the tasks of many slaves are, and what their
 * models say, become one, see whereabouts.h. A part without a byte is a slave
 * that has no task. */
#include "proto/tree/merge.h"

#include <errno.h>
#include <stdlib.h>

#include "proto/model/whereabouts.h"

static void *create(uint32_t width, struct err *err)
{
    return whereabouts_create(width, err);
}

static int add(void *whole, const uint8_t *bytes, size_t n, uint32_t at,
               uint32_t width, struct err *err)
{
    struct whereabouts *w = whole, *part;

    if (n == 0)
        return 0;
    if (at > w->width || width > w->width - at)
        return err_set(err, EBADMSG, "whereabouts of %u tasks at %u of %u",
                       width, at, w->width);
    part = whereabouts_read(bytes, n, width, err);
    if (!part)
        return -1;
    whereabouts_merge(w, part, at);
    free(part);
    return 0;
}

static int pack(const void *whole, struct str *out, struct err *err)
{
    return whereabouts_write(whole, NULL, 0, out, err);
}

static int finish(const void *whole, const uint32_t *rank_of, uint32_t ntasks,
                  struct str *out, struct err *err)
{
    return whereabouts_write(whole, rank_of, ntasks, out, err);
}

const struct merge_kind merge_whereabouts = {
    "progress", create, free, add, pack, finish,
};
