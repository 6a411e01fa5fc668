/* profile.h - what the MPI calls of one task have cost, by call site.
 *
 * Read from its page without stopping it. Counters grow over the whole life of
 * the task: those of programs before, whose pages are gone, are kept. The
 * time of a call that is not finished counts too, so that a task that hangs
 * shows where; times of several threads add up. */
#ifndef HECTOR_PROFILE_H
#define HECTOR_PROFILE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "slave/page/sites.h"
#include "slave/proc/ticks.h"

struct profile_counters { uint64_t calls, in_ns, out_ns, bytes, max_ns; };

struct profile_cost {
    uint32_t site;              /* number in sites */
    struct profile_counters past, now;  /* of pages that are gone; of this */
    uint64_t in_ticks;          /* of this page, as it says */
    uint64_t sent_calls, sent_ticks;    /* when the master was told last */
    bool sent;
};

struct profile {                /* {0} is empty */
    struct profile_cost *cost;  /* owned; in order of appearance */
    size_t n, cap;
    uint16_t *at;               /* owned: site number -> place in cost + 1 */
    size_t nat;
    uint16_t *seen[PAGE_SLOTS]; /* owned: entry of the page -> place + 1 */
    uint64_t end_ticks;         /* when the task ended; 0: it lives */
};

void profile_fini(struct profile *p);

/* Read the page. Without memory some of it stays unread. */
void profile_read(struct profile *p, const char *page,
                  const struct ticks *ticks, struct sites *sites);

/* The page goes away: its counters become past. */
void profile_keep(struct profile *p);

/* The sum of both; has it changed since profile_sent()? */
struct profile_counters profile_sum(const struct profile_cost *c);
bool profile_is_news(const struct profile_cost *c);
void profile_sent(struct profile_cost *c);
void profile_forget_sent(struct profile *p);    /* tell all of it again */

#endif
