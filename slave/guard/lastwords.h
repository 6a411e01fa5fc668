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

/* Blocks as long as the master takes something, and some seconds; no longer
 * than one call to the master when the slave had no job. No task of it lives
 * any more. */
void lastwords(const struct lastwords_conf *conf, struct vault *v,
               const char *why);

#endif
