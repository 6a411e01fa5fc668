/* restore_hash.h - the hash of what has been read of the image.
 *
 * That of memory is made by a thread of its own, where there is a processor
 * more: what is to be hashed lies where the image wants it, and stays there, and
 * the next part is read meanwhile. */
#ifndef HECTOR_RESTORE_HASH_H
#define HECTOR_RESTORE_HASH_H

#include <stdatomic.h>

#include "mpi-wrappers/image/image_blake3.h"

enum {
    RESTORE_HASH_STACK = 64 << 10,
    RESTORE_HASH_PARTS = 256,   /* that may wait for the thread */
    RESTORE_HASH_SMALL = 16     /* bytes; so much is copied */
};

struct restore_part {
    const void *at;             /* NULL: in small; not with 0 bytes, the end */
    uint32_t bytes;
    uint8_t small[RESTORE_HASH_SMALL];
};

struct restore_hash {
    struct image_blake3 sum;    /* the thread's, while there is one */
    int thread;                 /* its number; 0: there is none */
    _Atomic uint32_t lives;     /* the same, until the kernel is done with it */
    uint32_t put, fresh;        /* parts; bytes that it has not been told of */
    _Atomic uint32_t told, done;        /* parts, counted as put is */
    struct restore_part part[RESTORE_HASH_PARTS];
};

void restore_hash_begin(struct restore_hash *h);
void restore_hash_add(struct restore_hash *h, const void *data, size_t bytes);

/* From now on there is a thread, whose stack ends at top: nothing of what is
 * added may change, or go away, before restore_hash_wait(), but what is SMALL.
 * Where one would be of no use, or is not to be had, nothing changes. */
void restore_hash_apart(struct restore_hash *h, char *top);
/* All that was added is in it. */
void restore_hash_wait(struct restore_hash *h);
/* ... and there is no such thread any more. */
void restore_hash_join(struct restore_hash *h);

#endif
