/* taskset.h - a set of ranks, as ranges.
 *
 * One notation everywhere: "0-3,7", also in brackets "[0-3,7]", "all" where
 * the number of tasks is known. Ranges are kept sorted, disjoint and merged,
 * so two equal sets have equal memory and equal text. */
#ifndef HECTOR_TASKSET_H
#define HECTOR_TASKSET_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "proto/base/err.h"

struct taskset_range { uint32_t first, last; };         /* both inclusive */
struct taskset {
    struct taskset_range *v;    /* owned */
    size_t n, cap;
};

/* {0} is the empty set. */
void taskset_fini(struct taskset *s);           /* frees, leaves it empty */
int taskset_copy(struct taskset *to, const struct taskset *from);

/* Add or take away first..last. -1 only when memory runs out: taking from the
 * middle of a range makes two. */
int taskset_add(struct taskset *s, uint32_t first, uint32_t last);
int taskset_remove(struct taskset *s, uint32_t first, uint32_t last);
int taskset_union(struct taskset *into, const struct taskset *s);

bool taskset_has(const struct taskset *s, uint32_t rank);
bool taskset_equal(const struct taskset *a, const struct taskset *b);
size_t taskset_count(const struct taskset *s);

/* Walk: for (int64_t r = -1; (r = taskset_next(s, r)) >= 0; ) */
int64_t taskset_next(const struct taskset *s, int64_t after);

/* Parse text; every rank must be below limit, which "all" fills; "" is the
 * empty set. What *s held is gone. On error *s is empty and err names the
 * offending part. */
int taskset_parse(struct taskset *s, const char *text, uint32_t limit,
                  struct err *err);

/* The text form without brackets, "" for the empty set, as snprintf: returns
 * the length it needs. */
int taskset_format(const struct taskset *s, char *buf, size_t size);
/* The same in memory of its own, which the caller frees; NULL: there is none. */
char *taskset_text(const struct taskset *s);

/* Bit i of words[] (least significant first) is rank first + i. The set is
 * overwritten. */
int taskset_from_bits(struct taskset *s, uint32_t first,
                      const uint64_t *words, size_t nbits);

#endif
