/* leaf.h - the page of this task, where libhector.so has mapped it, when the task
 * becomes another process with another slave. */
#ifndef HECTOR_SWAP_LEAF_H
#define HECTOR_SWAP_LEAF_H

#include <stdbool.h>
#include <stdint.h>

struct leaf {
    uint64_t start, end;        /* addresses; both 0: there is none */
    uint32_t tid;               /* of this thread, when it was found */
};

/* The page that stop_page is in. false: that is no page which a slave has
 * given. */
bool leaf_find(struct leaf *l);

/* In the process that was made of the image, where what was in the page is
 * private memory: a new page of this slave's, with all that was in the old one,
 * at the same place. 0, or an errno value. */
int leaf_renew(const struct leaf *l);

/* A thread of that process had another number where the image was made. */
void leaf_renumber(uint32_t was, uint32_t is);

#endif
