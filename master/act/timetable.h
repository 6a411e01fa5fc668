/* timetable.h - what is due in a job that runs already, changed by people. */
#ifndef HECTOR_TIMETABLE_H
#define HECTOR_TIMETABLE_H

#include <stdbool.h>
#include <stddef.h>

#include "proto/base/err.h"
#include "proto/base/str.h"

struct job;
struct job_node;
struct journal;

/* All of it or nothing. Entries are as due.h has them; all is borrowed. */
struct timetable_change {
    char *const *put;           /* in place of those of the same calls */
    char *const *add;           /* beside them */
    char *const *remove;        /* numbers, or entries */
    size_t nput, nadd, nremove;
    bool clear;                 /* all go that are not in put or add */
    struct str *said;           /* what has changed is added to it, in words */
};

/* How many entries would come or go. -1 with a sentence: it makes no sense, or
 * is not for this job, or not any more. */
long timetable_check(const struct job *j, const struct timetable_change *c,
                     struct err *err);

/* Do it: the policies of the job see it next, a later master has it, too.
 * Slaves are to be told after the commit, by timetable_send(). */
int timetable_order(struct journal *jn, struct job *j,
                    const struct timetable_change *c, struct err *err);

/* To one node or (NULL) to all, if they may not know. */
void timetable_send(const struct job *j, const struct job_node *only);

#endif
