/* splice.h - bytes that go from a descriptor to another one past this process:
 * from a pipe to a socket to another host, or back. The kernel passes the pages
 * on by splice(2), and what may be under way is what the two of them hold;
 * where the link is sealed they pass through this process (sealpass.h).
 *
 * The peer at the other end of the socket sends nothing back: that it has
 * closed, or has vanished, ends the splice, also while there is nothing to be
 * passed on. The same where another process reads the socket, a Unix one, and
 * this one only looks at its peer. */
#ifndef HECTOR_SPLICE_H
#define HECTOR_SPLICE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "proto/base/err.h"

struct event_base;
struct seal;
struct splice;

struct splice_conf {            /* copied */
    int from, to;               /* borrowed; neither blocks, one is a pipe; to -1:
                                 * another process takes what comes */
    int socket;                 /* from or to */
    struct seal *seal;          /* borrowed; not NULL: what is on the socket is
                                 * sealed, and to is not -1 */
    uint64_t dead_ns;           /* as conn_conf has it; on TCP a peer that is not
                                 * heard of for three times that has vanished:
                                 * so a cut of some seconds is none */
};

struct splice_ops {
    /* So many bytes of the image more. It must not close the splice. */
    void (*moved)(void *arg, size_t bytes);     /* may be NULL */
    /* Once. why NULL: from has come to its end, and all of it is in to, if there
     * is one. EPIPE: nobody reads what to is. Else the socket is worth nothing
     * any more. It may be closed in this call. */
    void (*over)(void *arg, const struct err *why);
};

/* NULL with err. */
struct splice *splice_open(struct event_base *base,
                           const struct splice_conf *conf,
                           const struct splice_ops *ops, void *arg,
                           struct err *err);
/* What was not passed on stays where it is, but for the record of a sealed link
 * that is under way, which is lost. NULL is fine. */
void splice_close(struct splice *s);

/* Closes such a socket so that the peer finds it broken, on TCP also where
 * bytes are under way. -1 is fine. */
void splice_reset(int socket);

#endif
