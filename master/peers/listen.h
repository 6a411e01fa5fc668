/* listen.h - the sockets a master listens on: inherited (LISTEN_FDS, as
 * systemd and hector-run give them), or bound to the addresses it was told. */
#ifndef HECTOR_LISTEN_H
#define HECTOR_LISTEN_H

#include <stdbool.h>
#include <stddef.h>

#include "proto/base/err.h"

enum { LISTEN_MAX = 8 };

struct listen_set {
    int fds[LISTEN_MAX];        /* owned until somebody takes them */
    int n;
    bool tcp;                   /* one of them: the cluster key is needed */
    char addresses[2048];       /* for --master, and the record */
};

/* Take over what was inherited; n == 0 if nothing was. The variables are
 * removed from the environment. */
int listen_inherit(struct listen_set *set, struct err *err);

/* Bind each address of a list, "unix:/path,tcp:*:7000"; blocks, while one is in
 * use, for two seconds. */
int listen_bind(struct listen_set *set, const char *list, struct err *err);

/* Remove the directory hector-XXXXXX that a run has made for its sockets, in
 * case hector-run was killed and could not do so itself. */
void listen_remove_run(const struct listen_set *set);

#endif
