/* apart.h - tasks whose world in MPI is not the job's: what is noted of them,
 * said of them, and how it ends.
 *
 * A task says so after MPI_Init, see TaskState. Those that had been told of the
 * job's world are lost to it: each may compute what all of them should compute
 * together, and end well. The person is told once, loudly, and a job that ends
 * with such tasks has failed; it is not ended for that, as nobody knows what
 * they are for, and a task may have another program that finds its way. Those
 * that had not been told (they have an mpirun of their own, or dropped our
 * variables), or have been in the job's world before, are so by intention: one
 * quiet sentence. Of adopted jobs all count as lost, but the status is left to
 * their launcher. */
#ifndef HECTOR_APART_H
#define HECTOR_APART_H

#include <stdint.h>

#include "master/flow/flow.h"

void apart_note(struct job *j, const Hct__TaskState *m);

/* Say what is due: a moment after the first task, so that one sentence tells
 * of many. */
void apart_look(struct job *j, uint64_t now_mono_ns);

/* The job has come to its end: say what was not said. True, with a sentence:
 * it has failed by this. */
bool apart_end(struct job *j, char *why, size_t size);

void apart_fini(struct job *j);

#endif
