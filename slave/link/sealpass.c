/* sealpass.c - see sealpass.h.
 *
 * One record at a time is here. Closing: it is written, all of it, before the next
 * one is read. Opening: it comes whole first. Whether all came is for who reads an
 * image to find, which ends with its own hash. */
#include "slave/link/sealpass.h"

#include <errno.h>
#include <stdlib.h>
#include <unistd.h>

#include "proto/link/seal.h"

enum { AT_ONCE = 256 << 10 };

struct sealpass {
    struct seal *seal;          /* borrowed; or NULL */
    bool closes;
    size_t at, end;             /* to be written */
    size_t plain;               /* of that, but for what the seal adds */
    size_t have;                /* opening: of the next record */
    uint8_t data[AT_ONCE + SEAL_OVER];
};

struct sealpass *sealpass_new(struct seal *s, bool closes)
{
    struct sealpass *p = malloc(sizeof(*p));

    if (!p)
        return NULL;
    p->seal = s;
    p->closes = closes;
    p->at = p->end = p->plain = p->have = 0;
    return p;
}

void sealpass_free(struct sealpass *p)
{
    free(p);
}

bool sealpass_holds(const struct sealpass *p)
{
    return p->at < p->end;
}

static ssize_t read_plain(struct sealpass *p, int from)
{
    ssize_t n = read(from, p->data, AT_ONCE);

    if (n <= 0)
        return n;
    p->at = 0;
    p->end = p->plain = (size_t)n;
    return n;
}

static ssize_t read_and_close(struct sealpass *p, int from)
{
    ssize_t n = read(from, p->data + SEAL_HEAD, AT_ONCE);

    if (n <= 0)
        return n;
    seal_close(p->seal, p->data, (size_t)n, false);
    p->at = 0;
    p->end = SEAL_OVER + (size_t)n;
    p->plain = (size_t)n;
    return 1;
}

/* 1 also when the record is not whole yet. */
static ssize_t read_and_open(struct sealpass *p, int from, struct err *err)
{
    struct seal_opened o;
    size_t need;
    long used;

    while (!(used = seal_open(p->seal, p->data, p->have, AT_ONCE, &o, &need, err))) {
        ssize_t n = read(from, p->data + p->have, need - p->have);

        if (n == 0 && p->have)
            return errno = ECONNRESET, -1;
        if (n <= 0)
            return n;
        p->have += (size_t)n;
    }
    if (used < 0)
        return errno = err->code, -1;
    p->have = 0;
    p->at = (size_t)(o.bytes - p->data);
    p->end = p->at + o.n;
    p->plain = o.n;
    return 1;
}

ssize_t sealpass_step(struct sealpass *p, int from, int to, size_t *moved,
                      struct err *err)
{
    ssize_t n = 1;

    *moved = 0;
    if (!sealpass_holds(p))
        n = !p->seal ? read_plain(p, from)
            : p->closes ? read_and_close(p, from) : read_and_open(p, from, err);
    if (n <= 0 || !sealpass_holds(p))
        return n;
    n = write(to, p->data + p->at, p->end - p->at);
    if (n <= 0)
        return n;
    p->at += (size_t)n;
    if (!sealpass_holds(p))
        *moved = p->plain;
    return n;
}
