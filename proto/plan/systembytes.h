/* systembytes.h - a system as optimizers are shown it, in one piece: for the
 * process that one runs in, for the database, and for people who ask another
 * one. With the names of its nodes.
 *
 * The bytes are those of the structs, with the size of each: who reads them
 * takes what it knows of them, and 0 for what they have not. Of one kind of
 * processor only, as the whole file. */
#ifndef HECTOR_SYSTEMBYTES_H
#define HECTOR_SYSTEMBYTES_H

#include "policies/hct_optimizer.h"
#include "proto/base/err.h"
#include "proto/base/str.h"

struct systembytes {
    struct hct_system in;       /* its arrays are owned; no params */
    char **names;               /* of nodes, as hosts; owned, in one piece */
};

/* names may be NULL: there are none. */
void systembytes_pack(struct str *to, const struct hct_system *in,
                      char *const *names);
/* -1 with a sentence: that is no system, or one whose parts do not fit
 * together. *s is empty then. */
int systembytes_read(struct systembytes *s, const void *bytes, size_t n,
                     struct err *err);
void systembytes_fini(struct systembytes *s);

/* "n1"; "-" for HCT_NOWHERE, or what is not known. */
const char *systembytes_node(const struct systembytes *s, uint32_t host);

#endif
