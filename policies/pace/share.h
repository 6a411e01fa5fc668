/* share.h - what tells how much a task computes, the time that this takes or what
 * the task has of a processor meanwhile?
 *
 * Where others use a machine, the same work takes many times as long, and now
 * more, now less. What a task has had of its processor, and wanted, says what
 * part of it was its own in a window, in MPI and out of it: who waits there
 * looks for messages all the time, and its turns are as those of who computes.
 * So work is time outside of MPI, times that part. Of rounds of 10 ms amid
 * eight others on each of two processors the first varied by 0.13 from second
 * to second, the logarithm, and the second by 0.05 and was right by a per cent.
 *
 * But of who sleeps instead of computing, or computes for less than a turn, the
 * part says nothing, and a rank that somebody lets have less of a processor is
 * slow indeed. So time is what counts, until others use the machine and work
 * varies no more than time from window to window. */
#ifndef HCT_PACE_SHARE_H
#define HCT_PACE_SHARE_H

#include <stdbool.h>
#include <stdint.h>

struct share {                  /* all zero: nothing seen, time counts */
    bool used;                  /* work counts */
    uint32_t n;                 /* windows that say so: */
    double time, work;          /* by so much do these vary, log */
    double part;                /* of a processor that all had together */
};

/* Who is kept for so many times as long as it has a processor gives it away each time
 * that it has looked for a message: that says nothing of what it computes. Of tasks
 * that compute amid 11 others on each processor it was 10, of such that sleep 170,
 * and of these amid 25 others 1,000. */
static const double share_most_kept = 30;

/* The logarithm of the part that was its own; 0: not known. */
double share_log(double had_ns, double wanted_ns);

/* Did others have a part of the processors, of tasks that had and wanted that? */
bool share_is_of_others(double had_ns, double wanted_ns);

/* Another window, from the last one to which they varied so, in the middle of
 * the tasks, and that part. NaN: not known. */
void share_add(struct share *h, double time, double work, double part);

/* The other one of the two should count. */
bool share_turns(const struct share *h);

/* From now on it does. */
void share_turn(struct share *h);

#endif
