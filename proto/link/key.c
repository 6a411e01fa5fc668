/* key.c - the key file and the arithmetic of the mutual proof; see key.h.
 *
 * A proof covers both halves and a letter for the direction, so neither side
 * can be made to produce the other side's proof by sending its own words
 * back. */
#include "proto/link/key.h"

#include <errno.h>
#include <fcntl.h>
#include <sodium.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "proto/base/paths.h"

static const uint8_t key_magic[KEY_MAGIC_BYTES] = "HECTOR2\n";

static void key_need_sodium(void)
{
    /* Fails only without any source of randomness; then nothing is safe. */
    if (sodium_init() < 0)
        sodium_misuse();
}

struct key *key_new(struct err *err)
{
    struct key *k;

    key_need_sodium();
    k = sodium_malloc(sizeof(*k));
    if (!k)
        err_set(err, ENOMEM, "no memory for the key");
    return k;
}

void key_free(struct key *k)
{
    sodium_free(k);
}

/* The file is made under another name and linked into place, so that of two
 * programs starting at once both use the same key, and none reads half a
 * file. Some file systems have no links; there the last one wins. */
static int key_publish(const char *tmp, const char *path)
{
    if (link(tmp, path) == 0 || errno == EEXIST)
        return 0;
    if (errno == EPERM || errno == EOPNOTSUPP || errno == ENOSYS)
        return rename(tmp, path);
    return -1;
}

static int key_make(const char *path, struct err *err)
{
    struct key k;
    char hex[KEY_HEX], tmp[1100];
    int n = snprintf(tmp, sizeof(tmp), "%s.XXXXXX", path);

    if (n < 0 || (size_t)n >= sizeof(tmp))
        return err_set(err, ENAMETOOLONG, "key file %.80s...: name too long",
                       path);
    key_need_sodium();
    randombytes_buf(k.bytes, sizeof(k.bytes));
    key_to_hex(&k, hex);
    hex[KEY_HEX - 1] = '\n';

    int fd = mkostemp(tmp, O_CLOEXEC);
    int rc = 0;

    if (fd < 0)
        return err_sys(err, "cannot make the key file %s", path);
    if (fchmod(fd, 0600) < 0 || write(fd, hex, KEY_HEX) != KEY_HEX ||
        fsync(fd) < 0 || key_publish(tmp, path) < 0)
        rc = err_sys(err, "cannot write the key file %s", path);
    close(fd);
    unlink(tmp);
    sodium_memzero(&k, sizeof(k));
    sodium_memzero(hex, sizeof(hex));
    return rc;
}

static int key_open(const char *path, struct err *err)
{
    int fd = open(path, O_RDONLY | O_CLOEXEC | O_NOCTTY | O_NONBLOCK);

    if (fd < 0 && errno == ENOENT) {
        if (key_make(path, err) < 0)
            return -1;
        fd = open(path, O_RDONLY | O_CLOEXEC | O_NOCTTY | O_NONBLOCK);
    }
    if (fd < 0)
        return err_sys(err, "cannot read the key file %s", path);
    return fd;
}

static int key_read(struct key *k, int fd, const char *path, struct err *err)
{
    struct stat st;
    char hex[KEY_HEX + 8];

    if (fstat(fd, &st) < 0)
        return err_sys(err, "cannot read the key file %s", path);
    if (!S_ISREG(st.st_mode))
        return err_set(err, EINVAL, "key file %s is not a plain file", path);
    if (st.st_uid != geteuid() && st.st_uid != 0)
        return err_set(err, EPERM, "key file %s belongs to uid %u, not to you "
                       "(uid %u)", path, (unsigned)st.st_uid,
                       (unsigned)geteuid());
    if (st.st_mode & 077)
        return err_set(err, EPERM, "key file %s can be used by others: "
                       "chmod 600 %s", path, path);
    ssize_t n = read(fd, hex, sizeof(hex) - 1);

    if (n < 0)
        return err_sys(err, "cannot read the key file %s", path);
    while (n > 0 && (hex[n - 1] == '\n' || hex[n - 1] == ' '))
        n--;
    hex[n] = '\0';
    int rc = key_from_hex(k, hex, err);

    sodium_memzero(hex, sizeof(hex));
    if (rc < 0)
        err_prefix(err, "key file %s", path);
    return rc;
}

int key_load(struct key *k, const char *path, struct err *err)
{
    int fd = key_open(path, err);

    if (fd < 0)
        return -1;
    int rc = key_read(k, fd, path, err);

    close(fd);
    return rc;
}

struct key *key_own(struct err *err)
{
    char path[PATHS_MAX];
    struct key *k = key_new(err);

    if (k && paths_key_file(path, sizeof(path), err) == 0 &&
        key_load(k, path, err) == 0)
        return k;
    key_free(k);
    return NULL;
}

int key_from_hex(struct key *k, const char *hex, struct err *err)
{
    struct key got;
    size_t n = 0;

    if (strlen(hex) != KEY_HEX - 1 ||
        sodium_hex2bin(got.bytes, sizeof(got.bytes), hex, KEY_HEX - 1, NULL,
                       &n, NULL) != 0 || n != sizeof(got.bytes))
        return err_set(err, EINVAL, "a key is %d hexadecimal digits",
                       KEY_HEX - 1);
    *k = got;
    sodium_memzero(&got, sizeof(got));
    return 0;
}

void key_to_hex(const struct key *k, char hex[KEY_HEX])
{
    sodium_bin2hex(hex, KEY_HEX, k->bytes, sizeof(k->bytes));
}

static void key_mac(const struct key *k, char direction,
                    const uint8_t first[32], const uint8_t second[32],
                    uint8_t out[32])
{
    crypto_generichash_state st;

    crypto_generichash_init(&st, k->bytes, sizeof(k->bytes), 32);
    crypto_generichash_update(&st, (const uint8_t *)&direction, 1);
    crypto_generichash_update(&st, first, 32);
    crypto_generichash_update(&st, second, 32);
    crypto_generichash_final(&st, out, 32);
}

static void key_draw(struct key_exchange *x, uint8_t half[32])
{
    key_need_sodium();
    randombytes_buf(x->secret, sizeof(x->secret));
    crypto_scalarmult_base(half, x->secret);
}

void key_call(struct key_exchange *x, uint8_t out[KEY_CALL])
{
    key_draw(x, x->half_c);
    memcpy(out, key_magic, KEY_MAGIC_BYTES);
    memcpy(out + KEY_MAGIC_BYTES, x->half_c, sizeof(x->half_c));
}

bool key_begins_call(const uint8_t *in, size_t n)
{
    return memcmp(in, key_magic,
                  n < KEY_MAGIC_BYTES ? n : KEY_MAGIC_BYTES) == 0;
}

int key_answer(struct key_exchange *x, const struct key *k,
               const uint8_t in[KEY_CALL], uint8_t out[KEY_ANSWER],
               struct err *err)
{
    if (!key_begins_call(in, KEY_CALL))
        return err_set(err, EPROTO, "not a peer of Hector's, or one of a version "
                       "whose links are not encrypted");
    memcpy(x->half_c, in + KEY_MAGIC_BYTES, sizeof(x->half_c));
    key_draw(x, x->half_s);
    memcpy(out, x->half_s, sizeof(x->half_s));
    key_mac(k, 'S', x->half_c, x->half_s, out + sizeof(x->half_s));
    return 0;
}

int key_prove(struct key_exchange *x, const struct key *k,
              const uint8_t in[KEY_ANSWER], uint8_t out[KEY_PROOF],
              struct err *err)
{
    uint8_t want[32];

    key_mac(k, 'S', x->half_c, in, want);
    if (sodium_memcmp(want, in + sizeof(x->half_s), sizeof(want)) != 0)
        return err_set(err, EACCES, "the listener does not know our key");
    memcpy(x->half_s, in, sizeof(x->half_s));
    key_mac(k, 'C', x->half_s, x->half_c, out);
    return 0;
}

bool key_check(const struct key_exchange *x, const struct key *k,
               const uint8_t in[KEY_PROOF])
{
    uint8_t want[32];

    key_mac(k, 'C', x->half_s, x->half_c, want);
    return sodium_memcmp(want, in, sizeof(want)) == 0;
}

void key_forget(struct key_exchange *x)
{
    sodium_memzero(x->secret, sizeof(x->secret));
}

int key_session(struct key_exchange *x, const struct key *k, bool listening,
                struct key_session *out, struct err *err)
{
    const uint8_t *theirs = listening ? x->half_c : x->half_s;
    uint8_t shared[crypto_scalarmult_BYTES], keys[2][KEY_BYTES];
    int rc = crypto_scalarmult(shared, x->secret, theirs);
    crypto_generichash_state st;

    crypto_generichash_init(&st, k->bytes, sizeof(k->bytes), sizeof(keys));
    crypto_generichash_update(&st, (const uint8_t *)"K", 1);
    crypto_generichash_update(&st, shared, sizeof(shared));
    crypto_generichash_update(&st, x->half_c, sizeof(x->half_c));
    crypto_generichash_update(&st, x->half_s, sizeof(x->half_s));
    crypto_generichash_final(&st, keys[0], sizeof(keys));
    memcpy(out->send, keys[listening], KEY_BYTES);
    memcpy(out->receive, keys[!listening], KEY_BYTES);
    key_forget(x);
    sodium_memzero(shared, sizeof(shared));
    sodium_memzero(keys, sizeof(keys));
    sodium_memzero(&st, sizeof(st));
    return rc ? err_set(err, EPROTO, "the peer's half of the key is none") : 0;
}
