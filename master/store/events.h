/* events.h - tagged events on their way from a slave into the journal.
 *
 * Records of a task are counted from 0. What came before is skipped (a slave
 * sends again what was not acknowledged), a gap is an error. */
#ifndef HECTOR_EVENTS_H
#define HECTOR_EVENTS_H

#include "master/state/job.h"
#include "master/store/journal.h"
#include "proto/base/str.h"
#include "proto/base/taskset.h"
#include "proto/link/message.h"

int events_take(struct journal *jn, struct job *j, struct job_node *at,
                const Hct__Events *m, struct err *err);

/* Tell the slave of a task how far its records are committed. */
void events_ack(const struct job *j, uint32_t rank, uint64_t upto);

/* Records that tasks could not keep, for want of room or of a reader
 * (task.ring_lost). */
struct events_lost {            /* {0}: none */
    uint64_t records;
    struct taskset who;
};
void events_lost_add(struct events_lost *l, uint32_t rank, uint64_t records);
/* Append "5 records of tagged calls of task 1 are lost: not all of its events
 * are in the database", or nothing where none are. */
void events_lost_text(const struct events_lost *l, struct str *to);
void events_lost_fini(struct events_lost *l);

#endif
