/* sealpass.h - bytes that are copied from a descriptor to another one, and
 * sealed on the way (proto/link/seal.h), or opened: the image of a task, on a
 * TCP link. */
#ifndef HECTOR_SEALPASS_H
#define HECTOR_SEALPASS_H

#include <stdbool.h>
#include <stddef.h>
#include <sys/types.h>

#include "proto/base/err.h"

struct seal;
struct sealpass;

/* s is borrowed; NULL: they stay as they are. closes: what is read is sealed;
 * else it is opened. NULL: no memory. */
struct sealpass *sealpass_new(struct seal *s, bool closes);
void sealpass_free(struct sealpass *p);         /* NULL is fine */

/* Something was read and is not written yet. */
bool sealpass_holds(const struct sealpass *p);

/* As splice(2): more than 0: it goes on; 0: from has come to its end, and all
 * of it is in to; -1 with errno, and with err where that says more. *moved: so
 * many bytes of what was not sealed, or is not any more, are in to now. */
ssize_t sealpass_step(struct sealpass *p, int from, int to, size_t *moved,
                      struct err *err);

#endif
