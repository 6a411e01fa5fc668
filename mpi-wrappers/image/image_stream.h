/* image_stream.h - bytes on their way into the image: copied, hashed, written.
 *
 * They are copied first, since memory that belongs to whoever writes it changes
 * meanwhile, and the hash has to be of what is written. What nobody writes to until
 * the reader has it may be lent: a pipe gets the pages themselves (vmsplice(2)), and
 * so does the socket behind it, and only the host that they go to copies them. */
#ifndef HECTOR_IMAGE_STREAM_H
#define HECTOR_IMAGE_STREAM_H

#include "mpi-wrappers/image/image_blake3.h"

enum { IMAGE_STREAM_BYTES = 256 << 10 };

struct image_stream {
    int fd;
    bool lends;                 /* pages, into a pipe */
    char *buf;                  /* borrowed, of IMAGE_STREAM_BYTES */
    size_t used;
    uint64_t bytes;             /* put, all in all */
    long rc;                    /* the first error, negative; then nothing
                                   is written any more */
    uint64_t pending;           /* signals that waited before */
    int patience_ms;            /* -1: for ever */
    struct image_blake3 hash;
};

/* Where fd does not block and takes nothing for so long the rest is not written:
 * -ETIME. */
void image_stream_begin(struct image_stream *s, int fd, char *buf, int patience_ms,
                        bool lends);
void image_stream_put(struct image_stream *s, const void *data, size_t bytes);

/* Whole pages; as image_stream_put() where nothing can be lent. */
void image_stream_lend(struct image_stream *s, const void *data, size_t bytes);

/* The tail, which has the hash of all that was put; 0, or what went wrong. */
long image_stream_end(struct image_stream *s);

#endif
