/* habits.h - how long tasks of a kind take for each step, by a sample: what is
 * normal, and how far tasks are from it (smm/polish.h).
 *
 * Time in calls that wait for others is an effect: what counts is the
 * computation between two calls, and time in calls that do not wait. A step
 * that a task has taken once only is no habit: setting up, reading input. */
#ifndef HCT_HABITS_H
#define HCT_HABITS_H

#include <stdbool.h>
#include <stdint.h>

#include "policies/outlier/groups.h"

/* Of so many that are like each other at least, or who is odd is a matter of
 * taste. */
enum { HABITS_LEAST = 4 };

struct habits {                 /* room: nothing in it outlives a call */
    double left[GROUPS_SAMPLE * DICTIONARY_STEPS];
    double slow[GROUPS_SAMPLE];
    double words[DICTIONARY_STEPS];
    double normal[DICTIONARY_STEPS], spread[DICTIONARY_STEPS];
};

/* Is time inside the call that the step begins with time of others? */
bool habits_waits(const struct dictionary *d, const struct hct_snapshot *in,
                  uint32_t step);

/* Of the sample's tasks of that kind, into d->nsteps entries: NaN where it is
 * not known, as less than HABITS_LEAST of them have the step. */
void habits_of(struct habits *h, const struct groups *g, uint32_t kind,
               const struct dictionary *d, const struct hct_snapshot *in,
               struct hct_question_normal *v);

/* How long tasks of that kind wait, in all. */
struct hct_question_kind habits_wait(struct habits *h, const struct groups *g,
                                     uint32_t kind, const struct dictionary *d,
                                     const struct hct_snapshot *in);

/* The part of their time that the sample's tasks wait in calls. */
double habits_waited(const struct groups *g, const struct dictionary *d,
                     const struct hct_snapshot *in);

/* It moves more bytes than its like, which explains half of what it costs: it
 * has more work. The bytes of a border grow as the root of what is inside. */
bool habits_more_work(const struct hct_score *o);

/* Of an answer; NULL: there is none. */
const struct hct_cluster *habits_cluster(const struct hct_snapshot *in,
                                         uint32_t what, uint32_t number);

/* Of the time that a task, or several, wanted a processor it had one for this share;
 * NaN: not known. */
double habits_share(double ran_ns, double delayed_ns);
/* All others of its kind, in the same time; in: an answer. */
double habits_usual_share(const struct hct_snapshot *in,
                          const struct hct_score *o);
/* With the usual share it would have taken so much less, or it took so much more than
 * it can have computed or slept in wall_ns, its time: half of what it costs, at least.
 * Then its node has too much to do. Where that is not known: no. */
bool habits_explain(const struct hct_score *o, double usual, uint64_t wall_ns);

#endif
