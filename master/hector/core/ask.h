/* ask.h - ask a master to gather something from its slaves, and wait for the
 * result. */
#ifndef HECTOR_ASK_H
#define HECTOR_ASK_H

#include <stdint.h>

#include "proto/base/err.h"
#include "proto/base/str.h"
#include "proto/link/message.h"

struct ask {
    struct str bytes;           /* owned: the result, as merge.h says */
    Hct__Gathered *end;         /* owned: how it went; without a piece */
};

/* -1 with a sentence if nothing was gathered; then there is nothing to free. */
int ask_gather(struct ask *a, const char *address, const Hct__Gather *m,
               struct err *err);
void ask_fini(struct ask *a);

/* Slaves that are not in the result are said like tasks of which there is
 * nothing: with notes behind the n that it has. */
void ask_add_absent(const struct ask *a, Hct__TreeNote ***notes, size_t *n);

#endif
