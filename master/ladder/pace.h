/* pace.h - how a deadline of a job is met, for who acts on it: of instances as
 * they come, and of what the policy deadline says. Pure.
 *
 *   GOOD --declining (the policy)--> DECLINING --one late--> MISSED
 *     |  ---------------------one late-------------------------> |
 *     +<--met again (the policy), or `need` good ones in a row --+
 *
 * need is how many it took to decline, three of each rank at least; and twice
 * as many each time that it declines soon after something was given back, so
 * that it is tried ever more rarely whether a step is needed yet. */
#ifndef HECTOR_PACE_H
#define HECTOR_PACE_H

#include <stdbool.h>
#include <stdint.h>

enum pace_stage { PACE_GOOD, PACE_DECLINING, PACE_MISSED };

struct pace {                   /* {0} but for each and want */
    uint32_t each;              /* instances of one turn: as many as ranks */
    double want;                /* of the time there is to be left, 0 to 1 */
    enum pace_stage stage;
    double margin; /* of late ones more: mean of the worst of turns */
    double chance;              /* that one of the next is missed */
    uint64_t instances, missed; /* so far; in this stretch */
    uint64_t low, good;         /* in a row, */
    uint64_t took;              /* ... to decline */
    uint32_t again;             /* it has declined so often too soon */
    uint64_t since_back;        /* instances since something was given back */
    bool known;                 /* margin is */
    uint32_t turn;              /* instances of this one, */
    double worst;               /* ... and their least margin */
};

/* One instance: its relative margin (NaN: not known yet), whether it is late,
 * and the chance (NaN: none). True: it is worse than before, from good. */
bool pace_instance(struct pace *p, double margin, bool late, double chance);
/* The policy says so. The same. */
bool pace_declines(struct pace *p);
void pace_met_again(struct pace *p);

/* So many good ones in a row let one step be undone. */
uint64_t pace_need(const struct pace *p);
bool pace_may_undo(const struct pace *p);
/* That was done. */
void pace_gave_back(struct pace *p);

#endif
