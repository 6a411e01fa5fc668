/* pattern.h - bytes that say where they stand, for tests of what is passed on. */
#ifndef HECTOR_TEST_PATTERN_H
#define HECTOR_TEST_PATTERN_H

#include <stddef.h>
#include <stdint.h>
#include <unistd.h>

static inline uint8_t byte_at(size_t i)
{
    return (uint8_t)(i ^ i >> 8 ^ i >> 16);
}

/* As much as goes in, behind the bytes that were written before, of all. */
static inline void write_pattern(int fd, size_t *written, size_t all)
{
    uint8_t piece[4096];
    ssize_t n = 1;

    while (n > 0 && *written < all) {
        size_t k = 0;

        for (; k < sizeof(piece) && *written + k < all; k++)
            piece[k] = byte_at(*written + k);
        n = write(fd, piece, k);
        *written += n > 0 ? (size_t)n : 0;
    }
}

#endif
