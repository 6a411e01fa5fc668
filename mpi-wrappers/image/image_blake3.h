/* image_blake3.h - BLAKE3 with 32 bytes of hash and without a key: O'Connor,
 * Aumasson, Neves, Wilcox-O'Hearn, "BLAKE3: one function, fast everywhere"
 * (2021), section 2. Vectors of the processor are used where it has them; all
 * registers of those are left as in a program that has never used them. */
#ifndef HECTOR_IMAGE_BLAKE3_H
#define HECTOR_IMAGE_BLAKE3_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum { IMAGE_BLAKE3_CHUNK = 1024, IMAGE_BLAKE3_LEVELS = 54 };

struct image_blake3 {
    uint64_t chunks;            /* hashed: all but the last one, or a part */
    size_t have;                /* of the last one */
    int lanes;                  /* so many side by side: 16, 8, 4, or 1; who
                                   compares may take one that is less */
    uint8_t chunk[IMAGE_BLAKE3_CHUNK];
    /* The left child that waits for its sibling, where a bit of chunks is 1. */
    uint8_t left[IMAGE_BLAKE3_LEVELS][32];
};

/* slowly: without vectors, for comparison. */
void image_blake3_begin(struct image_blake3 *s, bool slowly);
void image_blake3_add(struct image_blake3 *s, const void *data, size_t bytes);
void image_blake3_end(struct image_blake3 *s, uint8_t hash[32]);

#endif
