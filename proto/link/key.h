/* key.h - the cluster key and the mutual proof that both ends know it.
 *
 * The proof goes before the first frame on every TCP connection, in messages
 * of fixed size, so that nothing from a stranger is ever parsed:
 *
 *   connecting -> listening   KEY_MAGIC, nonce_c[32]
 *   listening  -> connecting  nonce_s[32], mac(key, "S", nonce_c, nonce_s)
 *   connecting -> listening   mac(key, "C", nonce_s, nonce_c)
 *
 * mac is libsodium's keyed BLAKE2b (crypto_generichash), 32 bytes. */
#ifndef HECTOR_KEY_H
#define HECTOR_KEY_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "proto/base/err.h"

enum { KEY_BYTES = 32, KEY_HEX = 2 * KEY_BYTES + 1,
       KEY_MAGIC_BYTES = 8,
       KEY_CALL = KEY_MAGIC_BYTES + 32, KEY_ANSWER = 64, KEY_PROOF = 32 };

struct key { uint8_t bytes[KEY_BYTES]; };

/* A place for a key that stays: not in core dumps, not in swap, cleared when
 * it is freed. */
struct key *key_new(struct err *err);
void key_free(struct key *k);           /* NULL is fine */

/* Read the key file; make it (mode 0600) if it does not exist. A file that
 * others can read, or of another owner, is refused with the way to mend it. */
int key_load(struct key *k, const char *path, struct err *err);
/* The user's, from the file that paths_key_file() names. */
struct key *key_own(struct err *err);
int key_from_hex(struct key *k, const char *hex, struct err *err);
void key_to_hex(const struct key *k, char hex[KEY_HEX]);

/* Could these first n bytes be the beginning of a call? A stranger is known
 * by them, before a whole call has come. */
bool key_begins_call(const uint8_t *in, size_t n);

struct key_exchange { uint8_t nonce_c[32], nonce_s[32]; };
void key_call(struct key_exchange *x, uint8_t out[KEY_CALL]);
int key_answer(struct key_exchange *x, const struct key *k,
               const uint8_t in[KEY_CALL], uint8_t out[KEY_ANSWER],
               struct err *err);
int key_prove(struct key_exchange *x, const struct key *k,
              const uint8_t in[KEY_ANSWER], uint8_t out[KEY_PROOF],
              struct err *err);
bool key_check(const struct key_exchange *x, const struct key *k,
               const uint8_t in[KEY_PROOF]);

#endif
