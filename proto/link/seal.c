/* seal.c - see seal.h.
 *
 * A nonce is used once: the keys are of one link and one direction, and the number
 * of a record grows. What does not open ends the link, so there is no second try
 * with the same number either. */
#include "proto/link/seal.h"

#include <endian.h>
#include <errno.h>
#include <openssl/crypto.h>
#include <openssl/evp.h>
#include <stdlib.h>
#include <string.h>

#define SEAL_LAST 0x80000000u

enum { NONCE = 12 };

struct way {
    EVP_CIPHER_CTX *cipher;     /* owned; has the key */
    uint64_t records;           /* so far */
};

struct seal { struct way out, in; };

static bool way_open(struct way *w, const uint8_t key[KEY_BYTES], bool closes)
{
    w->cipher = EVP_CIPHER_CTX_new();
    return w->cipher && EVP_CipherInit_ex(w->cipher, EVP_aes_256_gcm(), NULL, key,
                                          NULL, closes) == 1;
}

struct seal *seal_new(struct key_session *keys, struct err *err)
{
    struct seal *s = calloc(1, sizeof(*s));

    if (s && (!way_open(&s->out, keys->send, true) ||
              !way_open(&s->in, keys->receive, false))) {
        seal_free(s);
        s = NULL;
    }
    if (!s)
        err_set(err, ENOMEM, "out of memory for the cipher of a link");
    OPENSSL_cleanse(keys, sizeof(*keys));
    return s;
}

void seal_free(struct seal *s)
{
    if (!s)
        return;
    EVP_CIPHER_CTX_free(s->out.cipher);         /* and clears the keys */
    EVP_CIPHER_CTX_free(s->in.cipher);
    free(s);
}

/* The nonce of the next record, and what its tag covers besides. */
static bool way_begin(struct way *w, const uint8_t head[SEAL_HEAD])
{
    uint64_t number = htobe64(w->records++);
    uint8_t nonce[NONCE] = { 0 };
    int n;

    memcpy(nonce + NONCE - sizeof(number), &number, sizeof(number));
    return EVP_CipherInit_ex(w->cipher, NULL, NULL, NULL, nonce, -1) == 1 &&
           EVP_CipherUpdate(w->cipher, NULL, &n, head, SEAL_HEAD) == 1;
}

static bool encrypt(struct way *w, uint8_t *record, size_t n)
{
    uint8_t *at = record + SEAL_HEAD;
    int got;

    return way_begin(w, record) &&
           EVP_EncryptUpdate(w->cipher, at, &got, at, (int)n) == 1 &&
           EVP_EncryptFinal_ex(w->cipher, at + n, &got) == 1 &&
           EVP_CIPHER_CTX_ctrl(w->cipher, EVP_CTRL_AEAD_GET_TAG, SEAL_TAG,
                               at + n) == 1;
}

/* Where it should ever fail nothing leaves that is not sealed: what does is none of
 * the records that the other end takes. */
void seal_close(struct seal *s, uint8_t *record, size_t n, bool last)
{
    uint32_t head = htobe32((uint32_t)n | (last ? SEAL_LAST : 0));

    memcpy(record, &head, SEAL_HEAD);
    if (!encrypt(&s->out, record, n))
        memset(record + SEAL_HEAD, 0, n + SEAL_TAG);
}

static bool decrypt(struct way *w, uint8_t *record, size_t n)
{
    uint8_t *at = record + SEAL_HEAD;
    int got;

    return way_begin(w, record) &&
           EVP_DecryptUpdate(w->cipher, at, &got, at, (int)n) == 1 &&
           EVP_CIPHER_CTX_ctrl(w->cipher, EVP_CTRL_AEAD_SET_TAG, SEAL_TAG,
                               at + n) == 1 &&
           EVP_DecryptFinal_ex(w->cipher, at + n, &got) == 1;
}

long seal_open(struct seal *s, uint8_t *in, size_t n, size_t max,
               struct seal_opened *out, size_t *need, struct err *err)
{
    uint32_t head;
    size_t length;

    *need = SEAL_HEAD;
    if (n < SEAL_HEAD)
        return 0;
    memcpy(&head, in, SEAL_HEAD);
    head = be32toh(head);
    length = head & ~SEAL_LAST;
    if (length > max)
        return err_set(err, EMSGSIZE, "sealed record of %zu bytes, at most %zu "
                       "may come", length, max);
    *need = SEAL_OVER + length;
    if (n < *need)
        return 0;
    *out = (struct seal_opened){ in + SEAL_HEAD, length,
                                 (head & SEAL_LAST) != 0 };
    if (!decrypt(&s->in, in, length))
        return err_set(err, EKEYREJECTED, "a record that is not what the peer "
                       "has sealed: the link is tampered with, or damaged");
    return (long)*need;
}
