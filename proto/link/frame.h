/* frame.h - framing without I/O: bytes in, frames out.
 *
 * A frame is a 12-byte header, all numbers big endian, and a protobuf body:
 *
 *   0      4       6         7       8          12
 *   length | type  | version | zero  | sequence | body[length] ...
 *
 * The sequence counts the frames of one direction of one connection from 0,
 * so a frame that is replayed, lost or out of order is noticed. */
#ifndef HECTOR_FRAME_H
#define HECTOR_FRAME_H

#include <stddef.h>
#include <stdint.h>

#include "proto/base/err.h"

enum {
    FRAME_HEADER = 12,
    FRAME_VERSION = 1,          /* must grow when the header changes */
};
#define FRAME_BODY_MAX (16u << 20)      /* a fence of 250,000 tasks fits */

struct frame {
    uint16_t type;
    uint32_t sequence;
    const uint8_t *body;        /* borrowed: points into the input */
    size_t length;
};

/* Decode one frame from n bytes. Returns the bytes it took, 0 if more are
 * needed (*need then says how many in all, at least), -1 if these bytes can
 * never be a frame. Looks at nothing behind the n bytes. */
long frame_decode(const uint8_t *in, size_t n, struct frame *f, size_t *need,
                  struct err *err);

/* Write the header of a frame; length must not exceed FRAME_BODY_MAX. */
void frame_header(uint8_t out[FRAME_HEADER], uint16_t type,
                  uint32_t sequence, uint32_t length);

#endif
