/* times.c - see times.h */
#include "slave/stacks/times.h"

#include <stdlib.h>

int times_init(struct times *t)
{
    t->n = 0;
    t->ns = calloc(TIMES_MAX, sizeof(*t->ns));
    return t->ns ? 0 : -1;
}

void times_fini(struct times *t)
{
    free(t->ns);
    *t = (struct times){ 0 };
}

void times_add(struct times *t, uint64_t ns)
{
    if (t->ns && t->n < TIMES_MAX)
        t->ns[t->n++] = ns;
}

static int by_size(const void *a, const void *b)
{
    const uint64_t *x = a, *y = b;

    return *x < *y ? -1 : *x > *y;
}

uint64_t times_quantile(struct times *t, unsigned percent)
{
    if (t->n == 0)
        return 0;
    qsort(t->ns, t->n, sizeof(*t->ns), by_size);
    return t->ns[(uint64_t)(t->n - 1) * percent / 100];
}
