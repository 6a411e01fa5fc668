/* ledger.h - what the MPI calls of the tasks of an emulated slave have cost:
 * the account that account.h keeps of real ones, from a chain in place
 * of pages, and told in the same messages. The call sites are those of
 * program.h. */
#ifndef HECTOR_EMULATE_LEDGER_H
#define HECTOR_EMULATE_LEDGER_H

#include "proto/base/err.h"
#include "proto/base/taskset.h"
#include "slave/emulate/options.h"
#include "slave/emulate/tasks.h"

/* Tasks are named by their place among those of the slave. */
struct ledger;
struct ledger *ledger_create(const struct emulate *e, uint64_t job,
                             const struct taskset *ranks, struct err *err);
void ledger_destroy(struct ledger *l);          /* NULL is fine */

/* The tasks have lived so long, in virtual time; never less than before. */
void ledger_advance(struct ledger *l, uint64_t age_ns);
void ledger_state(const struct ledger *l, uint32_t i, struct tasks_state *s);

/* Is it time to tell what is new? */
bool ledger_due(struct ledger *l);

/* Tell it of n tasks, by calling send with each Hct__Profile. */
int ledger_tell(struct ledger *l, uint32_t first, uint32_t n,
                void (*send)(void *arg, const void *message), void *arg);
void ledger_forget_sent(struct ledger *l);      /* tell all of it again */

#endif
