/* image_sha256.h - SHA-256 (FIPS 180-4), with the instructions of the
 * processor where it has them. */
#ifndef HECTOR_IMAGE_SHA256_H
#define HECTOR_IMAGE_SHA256_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct image_sha256 {
    uint32_t state[8];
    uint64_t bytes;             /* so far */
    uint8_t block[64];          /* the last of them, that fill none */
    bool quick;                 /* with those instructions */
};

/* slowly: without those instructions, for comparison. */
void image_sha256_begin(struct image_sha256 *s, bool slowly);
void image_sha256_add(struct image_sha256 *s, const void *data, size_t bytes);
void image_sha256_end(struct image_sha256 *s, uint8_t hash[32]);

#endif
