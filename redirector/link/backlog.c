/* backlog.c - bytes first .. first + n of a stream in one piece of memory. When it
 * is full the last `keep` of them go to its beginning: as there is room for as many
 * again, each byte is copied twice at most. */
#include "redirector/link/backlog.h"

#include <assert.h>
#include <stdlib.h>
#include <string.h>

struct backlog {
    char *v;                    /* owned */
    size_t n, cap, keep;
    uint64_t first;
};

struct backlog *backlog_create(size_t keep)
{
    struct backlog *b = calloc(1, sizeof(*b));

    if (!b)
        return NULL;
    b->keep = keep;
    b->cap = 2 * keep + BACKLOG_ADD_MAX;
    b->v = malloc(b->cap);
    if (!b->v)
        return free(b), NULL;
    return b;
}

void backlog_destroy(struct backlog *b)
{
    if (!b)
        return;
    free(b->v);
    free(b);
}

void backlog_add(struct backlog *b, const void *p, size_t n)
{
    assert(n <= BACKLOG_ADD_MAX);
    if (n > b->cap - b->n) {
        size_t old = b->n - b->keep;

        memmove(b->v, b->v + old, b->keep);
        b->first += old;
        b->n = b->keep;
    }
    memcpy(b->v + b->n, p, n);
    b->n += n;
}

uint64_t backlog_end(const struct backlog *b)
{
    return b->first + b->n;
}

uint64_t backlog_first(const struct backlog *b)
{
    return b->first;
}

const void *backlog_from(const struct backlog *b, uint64_t at, size_t *n)
{
    assert(at >= b->first && at - b->first <= b->n);
    *n = b->n - (size_t)(at - b->first);
    return b->v + (at - b->first);
}
