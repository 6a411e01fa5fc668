/* step.h - what inputs of fuzzers of conversations are made of: a list of
 * steps, each
 *
 *   0     1      2         4
 *   who   what   length    body[length] ...     length is little endian
 *
 * who is a peer of the fuzzer's own; what is the number of a message type or
 * one of the STEP_ words. */
#ifndef STEP_H
#define STEP_H

#include <stdint.h>

enum {
    STEP_CLOSE = 252,           /* the peer hangs up */
    STEP_RAW = 253,             /* bytes that are no frame */
    STEP_SPECIAL = 254,         /* as the fuzzer likes */
    STEP_MAX = 48, STEP_HEAD = 4, STEP_BODY = 4096,
};

struct step { uint8_t who, what; uint16_t n; const uint8_t *body; };

#endif
