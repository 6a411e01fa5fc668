/* unspent.h - inside an allocation of a batch system: when it began and ends, how
 * large it is, and how much of it is left when a hung job has been ended. */
#ifndef HECTOR_UNSPENT_H
#define HECTOR_UNSPENT_H

#include <stddef.h>
#include <stdint.h>

#include "proto/link/message.h"
#include "redirector/batch/system.h"

/* What the batch system and the kernel say; texts may be NULL, and are those of
 * the environment. */
struct unspent_facts {
    const char *begin, *end;    /* s since the epoch */
    const char *length;         /* s, from the job's start */
    uint64_t now_s;             /* since the epoch */
    uint64_t script_age_s;      /* of the session's first process */
    uint64_t asked_s;           /* as end, when it was asked; 0: not known */
    uint64_t begun_s;           /* the same, as begin */
    uint32_t nodes, cpus;       /* it has so many; 0: not known */
};
void unspent_read(struct unspent_facts *f, const struct system *s);

/* When it ends, since the epoch; 0: not known. */
uint64_t unspent_end_s(const struct unspent_facts *f);
/* When it began, the same. */
uint64_t unspent_begin_s(const struct unspent_facts *f);

/* "2h13m of the allocation are left, 55.4 %: 4.4 node hours and 141.9 core hours
 * are saved, if it ends now" */
void unspent_text(char *buf, size_t size, const Hct__JobEnded *m);

#endif
