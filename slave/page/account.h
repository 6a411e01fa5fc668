/* account.h - what the MPI calls of a job's tasks on this node have cost: kept
 * for all of them together, told to the master.
 *
 * At intervals that grow with the job, so that many tasks do not keep a master
 * busy; when a task has ended; and once more before the job is drained. The
 * names of what was called follow as they become known: while tasks run they
 * are looked up now and then, at the end the job waits for them (some ms, at
 * most some 10 s). */
#ifndef HECTOR_ACCOUNT_H
#define HECTOR_ACCOUNT_H

#include <stdbool.h>
#include <stdint.h>

#include "slave/page/names.h"
#include "slave/page/sites.h"
#include "slave/page/tally.h"

struct account {                /* of a job, or of an adopted world */
    struct sites sites;
    struct names names;
    size_t names_sent;
    uint64_t due_ns;            /* when all tasks are read again */
};

/* Whose it is, for the time of a call; all borrowed. */
struct account_of {
    struct account *account;
    struct event_base *base;
    struct uplink *uplink;
    const struct ticks *ticks;
    const struct launch_user *user;
    uint64_t job;
    uint32_t ntasks;            /* of the whole job */
};

void account_fini(struct account *a);   /* {0} is empty */

/* From one reading of all tasks to the next; the first comes after a quarter
 * of it. */
uint64_t account_interval_ns(uint32_t ntasks);

/* Once a second, with the tasks that live. True: all of them have been read. */
bool account_tick(const struct account_of *o, struct tally *const *v,
                  size_t n);

/* Tell what has changed of these tasks, now. */
void account_tell(const struct account_of *o, struct tally *const *v,
                  size_t n);

/* They will not change any more: look up what has no name yet. To be called
 * until it says that all has been told. */
bool account_close(const struct account_of *o);

/* Where the task of this page is in MPI: the number + 1 of that site, 0 if it is
 * not known; *call is the function. Of several threads the one in MPI_Abort. */
uint32_t account_in(struct account *a, const char *page, uint32_t *call);

/* Append "in solve (solver.c:214)", as far as names are known. site as above,
 * 0: nothing. */
void account_place(const struct account *a, uint32_t site, struct str *to);

/* The process of a task is gone: what it was in has ended now. */
void account_end(struct tally *w);

/* The master may have lost what it was told: tell all again. */
void account_forget_sent(struct account *a, struct tally *const *v, size_t n);

#endif
