/* record.h - what memory and the database say of the same thing: a node, a job,
 * a task as rows, and rows as these again. The two directions of a column stand
 * together in record.c. */
#ifndef HECTOR_RECORD_H
#define HECTOR_RECORD_H

#include <stdint.h>

#include "master/state/job.h"
#include "master/state/node.h"
#include "master/store/rows.h"
#include "proto/conf/due.h"

/* The number of a job that may be about to get one. */
uint64_t record_number(const struct job *j);

/* Texts and bytes of a row are those of the struct, borrowed. The number of the
 * job is for the caller to set: a new job has none. master: instance of this one. */
void record_of_node(struct store_node *row, const struct node *n,
                    uint64_t master);
void record_of_job(struct store_job *row, const struct job *j,
                   uint64_t master);
void record_of_task(struct store_task *row, const struct job *j,
                    const struct task *t);
/* What the row of a job does not say and a later master has to know. */
void record_of_resume(struct store_resume *row, const struct job *j);

/* ranks: those of d as text, NULL: all. */
void record_of_deadline(struct store_deadline *row, const struct due *d,
                        const char *ranks, uint64_t added_ns);

/* Fill in what the rows say; texts are copied. The job's tasks, nodes and
 * placement are not touched. */
void record_to_job(struct job *j, const struct store_job *row,
                   const struct store_resume *past);
void record_to_task(struct task *t, const struct store_task *row);

#endif
