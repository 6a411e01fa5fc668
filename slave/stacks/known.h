/* known.h - what is mapped in the processes of one request for stacks, kept for
 * the next one: most often that is about the same processes. */
#ifndef HECTOR_KNOWN_H
#define HECTOR_KNOWN_H

#include <stdbool.h>
#include <stdint.h>
#include <sys/types.h>

#include "slave/proc/mapped.h"

struct known {                  /* {0}: nothing */
    pid_t *pids;                /* owned, both; or NULL */
    struct mapped *mapped;
    uint32_t n;
};

/* What is known of these processes goes to mapped[], where the same one has the
 * same position, as fresh if who wants to know it has changed; all else is
 * forgotten. */
void known_give(struct known *k, const pid_t *pids, struct mapped *mapped,
                uint32_t n, bool fresh);

/* Takes both, and leaves NULL. */
void known_keep(struct known *k, pid_t **pids, struct mapped **mapped,
                uint32_t n);

void known_drop(struct known *k);

#endif
