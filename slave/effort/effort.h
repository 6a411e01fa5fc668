/* effort.h - what a task has done since it was looked at before: how long it
 * computes before calls of the same sites, whom it sends to, and what its collective
 * calls are about, by communicator. Of each only what counts most is told, so that a
 * message is small whatever a program does.
 *
 * Read from what is there already, its profile and its page, when these have
 * just been read. */
#ifndef HECTOR_SLAVE_EFFORT_H
#define HECTOR_SLAVE_EFFORT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "hct.pb-c.h"
#include "slave/page/sites.h"
#include "slave/page/tally.h"

enum { EFFORT_SITES = 4, EFFORT_PARTNERS = 8, EFFORT_COMMS = 2 };

struct effort_mark { uint64_t calls, out_ns; };
struct effort_comm { uint64_t id, bytes; };

struct effort {                 /* of a task; {0}: it was never looked at */
    bool seen;
    uint64_t out_ns, cpu_out_ns;        /* outside of MPI, as it was then */
    struct effort_mark *mark;   /* owned: the same of profile.cost */
    size_t nmarks;
    uint64_t *sent;             /* owned: bytes, by place in its page; NULL: */
    const char *page;           /* ... that of which is not known */
    struct effort_comm *comm;   /* owned: communicators of its page, with what */
    size_t ncomms;              /* ... collective calls on each were about; */
    const char *comms_page;     /* NULL: not known */
};

void effort_fini(struct effort *e);

/* What is told of one: filled by effort_look(). */
struct effort_told {
    Hct__Effort__Task m;        /* its arrays are those below */
    uint64_t site[EFFORT_SITES], calls[EFFORT_SITES], out_ns[EFFORT_SITES];
    uint32_t partner[EFFORT_PARTNERS];
    uint64_t bytes[EFFORT_PARTNERS];
    uint64_t comm[EFFORT_COMMS], collected[EFFORT_COMMS];
    uint32_t comm_rank[EFFORT_COMMS], comm_size[EFFORT_COMMS];
};

/* sites: those that the profile is about. False: there is nothing to tell, or it
 * is looked at for the first time. */
bool effort_look(struct effort *e, const struct tally *w,
                 const struct sites *sites, struct effort_told *to);

#endif
