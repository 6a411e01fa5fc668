/* verdict.h - what a policy has found, in words. Pure. */
#ifndef HECTOR_VERDICT_H
#define HECTOR_VERDICT_H

#include "master/watch/found.h"
#include "proto/base/str.h"
#include "proto/base/taskset.h"

/* All there is of a verdict as lines of text, the same live and in a replay:
 *
 *   look 37 +12.345678 s: hang, deadlock, in communication, phase 0, score
 *   1.000000, for 0.512000 s, ranks 0-3         (one line)
 *     SENTENCE
 *     rank 2: TEXT
 *     proposes to kill */
void verdict_text(struct str *to, const char *policy,
                  const struct found *f, uint32_t verdict);

/* The ranks to blame, added to a set: -1, no memory; or "0-3,7", "" for none. */
int verdict_set(struct taskset *to, const struct found *f,
                const struct hct_verdict *v);
void verdict_ranks(struct str *to, const struct found *f,
                   const struct hct_verdict *v);

/* The first line, or "" if it says nothing. */
const char *verdict_sentence(const struct found *f,
                             const struct hct_verdict *v);

/* Is it about a job that gets nowhere? */
bool verdict_is_hang(const struct hct_verdict *v);

#endif
