/* guard.h - a small parent process, so that nothing survives a slave that is
 * killed: the tasks die with the slave, what they have started becomes the
 * guard's, which kills it, delivers the records that the slave could not, and
 * removes its directories.
 *
 * The guard passes TERM, INT, HUP and QUIT on to the slave, and what a batch system
 * means for the tasks (signals.h); a slave whose guard is killed ends as after TERM. */
#ifndef HECTOR_GUARD_H
#define HECTOR_GUARD_H

#include <stdbool.h>

#include "proto/base/err.h"
#include "slave/guard/lastwords.h"

/* A slave that exits with this, everything cleared up, wants to be replaced:
 * the guard makes another one, in which guard_start() returns once more. */
enum { GUARD_RENEW = 75 };

/* conf and vault are for the last words (lastwords.h). Returns 0 in the slave,
 * with CHLD and these signals blocked: let them in when there are handlers,
 * so that who is told to end while it starts does so in order. The guard never
 * returns: it exits as the slave did. Call before there are threads or an
 * event loop. */
int guard_start(const struct lastwords_conf *conf, struct vault *v, bool private,
                struct err *err);

#endif
