/* lastwords.h - the last words of a slave that was killed, said by its guard.
 *
 * Records that the master has not acknowledged are in the vault, what the
 * tasks tagged last is in the rings of their pages: both go to the master, so
 * that nothing of a job is lost that has happened. Then Farewell, so that
 * nobody waits for the slave. */
#ifndef HECTOR_LASTWORDS_H
#define HECTOR_LASTWORDS_H

#include <stdbool.h>
#include <stdint.h>

#include "proto/link/conn.h"
#include "slave/vault/vault.h"

struct lastwords_conf {              /* borrowed */
    const char *addresses;      /* of the master */
    const char *name;           /* of the node */
    const struct conn_conf *conn;
    uint64_t retry_ns;          /* between calls, when it does not take them */
    bool last;                  /* nobody listening there: nobody will again */
};

/* Calls the master, which then waits for what will be said, however long the
 * tasks take to be killed on a machine that is busy. NULL: no memory. */
struct lastwords;
struct lastwords *lastwords_begin(const struct lastwords_conf *conf,
                                  struct vault *v, const char *why);
/* While they are being killed, now and then: what the master says. Never
 * blocks. NULL is fine, here and below. */
void lastwords_turn(struct lastwords *l);
/* No task lives any more: says it all. Blocks as long as the master takes
 * something, some seconds where it does not answer, half a minute where its link
 * is open; no longer than one call to the master when the slave had no job. */
void lastwords_end(struct lastwords *l);

#endif
