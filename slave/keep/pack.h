/* pack.h - images that take less room: one frame of zstd each (RFC 8878), which says how
 * many bytes it was made of. For those that are kept where all nodes see them; those that
 * move go as they are. hector-restore has a packed one unpacked as it reads it. */
#ifndef HECTOR_KEEP_PACK_H
#define HECTOR_KEEP_PACK_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "proto/base/err.h"

/* Is it worth it, of a file of so many bytes? By some of its parts, which have to become
 * less than three quarters of what they are. */
bool pack_pays(int image, uint64_t bytes);

/* The original size, of a packed file; 0: it is none. */
uint64_t pack_original(int image);

struct pack;

/* Of so many bytes, neither more nor less, that are put. NULL: no memory. */
struct pack *pack_open(uint64_t bytes);
/* Writes what has become of them by now, if anything; after the last ones all of it.
 * *written grows by that. -1: errno says why. */
int pack_put(struct pack *p, int to, const void *data, size_t bytes, bool last,
             uint64_t *written);
void pack_close(struct pack *p);

/* All that comes from a packed file, or pipe, to another one. */
int pack_undo(int from, int to, struct err *err);

#endif
