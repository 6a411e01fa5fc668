/* mapcache.h - what is mapped in the processes of one request for stacks, kept
 * for the next one: most often that is about the same processes. */
#ifndef HECTOR_MAPCACHE_H
#define HECTOR_MAPCACHE_H

#include <stdbool.h>
#include <stdint.h>
#include <sys/types.h>

#include "slave/proc/mapped.h"

struct mapcache {                  /* {0}: nothing */
    pid_t *pids;                /* owned, both; or NULL */
    struct mapped *mapped;
    uint32_t n;
};

/* What is known of these processes goes to mapped[], where the same one has the
 * same position, as fresh if who wants to know it has changed; all else is
 * forgotten. */
void mapcache_give(struct mapcache *k, const pid_t *pids, struct mapped *mapped,
                   uint32_t n, bool fresh);

/* Takes both, and leaves NULL. */
void mapcache_keep(struct mapcache *k, pid_t **pids, struct mapped **mapped,
                   uint32_t n);

void mapcache_drop(struct mapcache *k);

#endif
