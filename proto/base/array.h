/* array.h - room in an array that grows.
 *
 * The array is a pointer (owned: free() it; NULL at first) and how many
 * elements there is room for (0 at first); who owns it knows how many are in
 * use:
 *
 *     if (array_reserve(&t->v, &t->cap, t->n + 1))
 *         return -1;
 *     t->v[t->n++] = x;
 *
 * Room at least doubles, so that one more costs the same however many there
 * are. There is no bound but that of memory: a number that a peer has sent is
 * compared with one first. */
#ifndef HECTOR_ARRAY_H
#define HECTOR_ARRAY_H

#include <stdbool.h>
#include <stddef.h>

/* Room for want elements in all. -1, errno ENOMEM: there is none, and pointer
 * and room are as they were. */
#define array_reserve(v, cap, want) \
    array_reserve_each((v), (cap), (want), sizeof(**(v)), false)

/* The same, and what room there is more is zeros. */
#define array_reserve_zeros(v, cap, want) \
    array_reserve_each((v), (cap), (want), sizeof(**(v)), true)

/* v: the address of the pointer. */
int array_grow(void *v, size_t *cap, size_t want, size_t each, bool zeros);

static inline int array_reserve_each(void *v, size_t *cap, size_t want,
                                     size_t each, bool zeros)
{
    return want <= *cap ? 0 : array_grow(v, cap, want, each, zeros);
}

#endif
