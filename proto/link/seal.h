/* seal.h - records on a TCP link that only its other end can read, or can have
 * written: none is changed, left out, doubled or put in another place
 * unnoticed.
 *
 *   0                  4
 *   last:1, length:31 | sealed[length] | tag[16]
 *
 * AES-256-GCM (NIST SP 800-38D, as libcrypto has it, which is four times as
 * quick as libsodium) with the keys of key_session(), one each way, of this link
 * alone; the nonce is the number of the record, big endian, and the tag covers
 * the first four bytes, too. All of it happens in place: what is sealed has
 * SEAL_HEAD bytes of room before it, and SEAL_TAG behind it. */
#ifndef HECTOR_SEAL_H
#define HECTOR_SEAL_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "proto/base/err.h"
#include "proto/link/key.h"

enum { SEAL_HEAD = 4, SEAL_TAG = 16, SEAL_OVER = SEAL_HEAD + SEAL_TAG };

struct seal;

/* Takes the keys over: they are cleared. NULL with err. */
struct seal *seal_new(struct key_session *keys, struct err *err);
void seal_free(struct seal *s);         /* NULL is fine */

/* The n bytes at record + SEAL_HEAD become a record of SEAL_OVER + n bytes. */
void seal_close(struct seal *s, uint8_t *record, size_t n, bool last);

struct seal_opened {
    uint8_t *bytes;             /* borrowed: in the record */
    size_t n;
    bool last;
};
/* The record that begins at in, if it is here: returns the bytes it took, 0 if
 * more are needed (*need then says how many in all, at least), -1 with err if
 * it is none of the other end's (EKEYREJECTED), or has more than max bytes in
 * it (EMSGSIZE). */
long seal_open(struct seal *s, uint8_t *in, size_t n, size_t max,
               struct seal_opened *out, size_t *need, struct err *err);

#endif
