/* unspent.h - inside an allocation of a batch system: when it ends, and how much
 * of it is left when a hung job has been ended. */
#ifndef HECTOR_UNSPENT_H
#define HECTOR_UNSPENT_H

#include <stddef.h>
#include <stdint.h>

#include "redirector/batch/system.h"

/* What the batch system and the kernel say; texts may be NULL, and are those of
 * the environment. */
struct unspent_facts {
    const char *end;            /* s since the epoch */
    const char *length;         /* s, from the job's start */
    const char *tasks;          /* so many it may have */
    uint64_t now_s;             /* since the epoch */
    uint64_t script_age_s;      /* of the session's first process */
    uint64_t asked_s;           /* as end, when it was asked; 0: not known */
    uint64_t nodes;             /* it has so many; 0: not known */
};
void unspent_read(struct unspent_facts *f, const struct system *s);
void unspent_now(struct unspent_facts *f);      /* it is later than it was read */

/* When it ends, since the epoch; 0: not known. */
uint64_t unspent_end_s(const struct unspent_facts *f);
/* Seconds; 0: not known, or nothing is left. */
uint64_t unspent_left_s(const struct unspent_facts *f);

/* "2h13m of the allocation are left, 142 core hours of its 64 tasks" */
void unspent_text(char *buf, size_t size, const struct unspent_facts *f);

#endif
