/* merge_scores.c - scores of tasks on many slaves become one, see scores.h. A
 * part without a byte is a slave that has no task. */
#include "proto/tree/merge.h"

#include <errno.h>
#include <stdlib.h>

#include "proto/model/scores.h"

static void *create(uint32_t width, struct err *err)
{
    struct scores *s = calloc(1, sizeof(*s));

    if (!s)
        return err_memory(err), NULL;
    s->width = width;
    return s;
}

static int add(void *whole, const uint8_t *bytes, size_t n, uint32_t at,
               uint32_t width, struct err *err)
{
    struct scores *s = whole, *part;
    int rc;

    if (n == 0)
        return 0;
    if (at > s->width || width > s->width - at)
        return err_set(err, EBADMSG, "scores of %u tasks at %u of %u", width,
                       at, s->width);
    part = malloc(sizeof(*part));
    if (!part)
        return err_memory(err);
    rc = scores_read(part, bytes, n, width, err);
    if (rc == 0)
        scores_merge(s, part, at);
    free(part);
    return rc;
}

static int pack(const void *whole, struct str *out, struct err *err)
{
    return scores_write(whole, NULL, out, err);
}

static int finish(const void *whole, const uint32_t *rank_of, uint32_t ntasks,
                  struct str *out, struct err *err)
{
    (void)ntasks;
    return scores_write(whole, rank_of, out, err);
}

const struct merge_kind merge_scores = {
    "scores", create, free, add, pack, finish,
};
