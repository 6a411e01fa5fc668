/* key.h - the cluster key, the mutual proof that both ends of a link know it, and
 * the keys of that link, which nobody knows but them.
 *
 * The proof goes before the first frame on every TCP connection, in messages
 * of fixed size, so that nothing from a stranger is ever parsed:
 *
 *   connecting -> listening   KEY_MAGIC, half_c[32]
 *   listening  -> connecting  half_s[32], mac(key, "S", half_c, half_s)
 *   connecting -> listening   mac(key, "C", half_s, half_c)
 *
 * mac is libsodium's keyed BLAKE2b (crypto_generichash), 32 bytes. The halves are
 * public keys of X25519 whose secret ones are drawn for this link and forgotten
 * after it: who gets hold of the cluster key later cannot read what was recorded.
 * The keys of the link, one each way, are BLAKE2b with the cluster key, 64 bytes,
 * over "K", what both halves give, half_c and half_s. */
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

struct key_exchange { uint8_t secret[32], half_c[32], half_s[32]; };
void key_call(struct key_exchange *x, uint8_t out[KEY_CALL]);
int key_answer(struct key_exchange *x, const struct key *k,
               const uint8_t in[KEY_CALL], uint8_t out[KEY_ANSWER],
               struct err *err);
int key_prove(struct key_exchange *x, const struct key *k,
              const uint8_t in[KEY_ANSWER], uint8_t out[KEY_PROOF],
              struct err *err);
bool key_check(const struct key_exchange *x, const struct key *k,
               const uint8_t in[KEY_PROOF]);

/* After the proof, once: then the secret of x is forgotten. -1: the other half is
 * one that gives no secret. */
struct key_session { uint8_t send[KEY_BYTES], receive[KEY_BYTES]; };
int key_session(struct key_exchange *x, const struct key *k, bool listening,
                struct key_session *out, struct err *err);
void key_forget(struct key_exchange *x);

#endif
