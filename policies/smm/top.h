/* top.h - the k largest of many scores, largest first; of equal ones the lower
 * number, so that the order they come in changes nothing. */
#ifndef HCT_TOP_H
#define HCT_TOP_H

#include <stddef.h>
#include <stdint.h>

struct top {
    double score;               /* a number, never NaN */
    uint32_t number;
};

/* Puts it where it belongs among the n that v has, of k that fit. Returns how many
 * v has then. */
size_t top_put(struct top *v, size_t n, size_t k, struct top new);

#endif
