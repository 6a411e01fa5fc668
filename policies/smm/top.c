/* top.c - see top.h. */
#include "policies/smm/top.h"

#include <stdbool.h>

static bool is_before(const struct top *a, const struct top *b)
{
    return a->score > b->score || (a->score == b->score && a->number < b->number);
}

size_t top_put(struct top *v, size_t n, size_t k, struct top new)
{
    size_t at;

    if (k == 0 || (n == k && !is_before(&new, &v[n - 1])))
        return n;
    at = n < k ? n++ : n - 1;
    for (; at > 0 && is_before(&new, &v[at - 1]); at--)
        v[at] = v[at - 1];
    v[at] = new;
    return n;
}
