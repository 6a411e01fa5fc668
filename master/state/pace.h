/* pace.h - how a deadline of a job is met, for who acts on it and for
 * optimizers: of instances as they come, and of what the policy deadline says.
 * Pure.
 *
 *   GOOD --risky--> WARY --declining (the policy)--> DECLINING --late--> MISSED
 *     |  ------------------------------late-----------------------------> |
 *     +<---- met again (the policy), or `need` good ones in a row --------+
 *
 * risky: whatever margins are spread like, with the mean of the last turns and
 * their spread below it one of the next ten may be missed with a chance of 0.3:
 * by Chebyshev's inequality, P(x <= 0) <= E(min(x - mean, 0)^2) / mean^2. The
 * policy's chance is that of a normal distribution and a trend, and comes later
 * where a load makes margins uneven before it makes them small.
 *
 * need is how many it took to decline, three of each rank at least; and twice
 * as many each time that it declines soon after something was given back, so
 * that it is tried ever more rarely whether a step is needed yet. */
#ifndef HECTOR_PACE_H
#define HECTOR_PACE_H

#include <stdbool.h>
#include <stdint.h>

enum pace_stage { PACE_GOOD, PACE_WARY, PACE_DECLINING, PACE_MISSED };

enum { PACES = 64 };            /* most deadlines of a job */

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
    double last;                /* the least of the last turn */
    uint32_t turn;              /* instances of this one, */
    double worst;               /* ... and their least margin */
    uint32_t turns;             /* that the next two are about */
    double mean, below;         /* of their worst; mean square of how far they
                                   are below it; the last ones count more */
    double kept;                /* pace_wants() before one was late */
    double risk;                /* at most, of one of the next ten; 0: not
                                   known */
};

/* One instance: its relative margin (NaN: not known yet), whether it is late,
 * and the chance (NaN: none). True: it is worse than before, from good or wary. */
bool pace_instance(struct pace *p, double margin, bool late, double chance);
/* The policy says so. The same. */
bool pace_declines(struct pace *p);
void pace_met_again(struct pace *p);

/* The margin at which it would not be risky, spread as it is; what is wanted at
 * least. */
double pace_wants(const struct pace *p);
/* Something else is done from now on: what was before says nothing of that. */
void pace_anew(struct pace *p);

/* So many good ones in a row let one step be undone. */
uint64_t pace_need(const struct pace *p);
bool pace_may_undo(const struct pace *p);
/* That was done. */
void pace_gave_back(struct pace *p);

#endif
