/* events.h - tagged events on their way from a slave into the journal.
 *
 * Records of a task are counted from 0. What came before is skipped (a slave
 * sends again what was not acknowledged), a gap is an error. */
#ifndef HECTOR_EVENTS_H
#define HECTOR_EVENTS_H

#include "master/state/job.h"
#include "master/store/journal.h"
#include "proto/link/message.h"

int events_take(struct journal *jn, struct job *j, struct job_node *at,
                const Hct__Events *m, struct err *err);

/* Tell the slave of a task how far its records are committed. */
void events_ack(const struct job *j, uint32_t rank, uint64_t upto);

#endif
