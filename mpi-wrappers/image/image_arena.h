/* image_arena.h - memory for the tables while an image is made: one mapping of
 * its own, which is not in the image. Nothing is given back but all of it. */
#ifndef HECTOR_IMAGE_ARENA_H
#define HECTOR_IMAGE_ARENA_H

#include <stddef.h>
#include <stdint.h>

struct image_arena {
    char *at;                   /* owned; NULL: none */
    size_t bytes, used;
    size_t name_bytes, name_room;       /* of the names, at its beginning */
};

/* 0 or -ENOMEM. */
int image_arena_open(struct image_arena *a, size_t bytes);
void image_arena_close(struct image_arena *a);

/* So many bytes, all 0; NULL if they do not fit, when a larger one is needed. */
void *image_arena_take(struct image_arena *a, size_t bytes);

/* Everything that was taken since is forgotten; names too. */
void image_arena_reset(struct image_arena *a);

/* Keeps a name; where it is in the names, or (uint64_t)-1: no room. */
uint64_t image_arena_name(struct image_arena *a, const char *name);
const char *image_arena_names(const struct image_arena *a);

/* A whole file below /proc as a string; NULL: no room, or none (*rc). */
char *image_arena_slurp(struct image_arena *a, const char *path, long *rc);

#endif
