/* confine.h - what hector-judge takes from itself before it loads a policy. Each
 * is a belt beside the master's own measures: where the system does not have it,
 * it is left out, but for the user, whose rights nobody else may lend. */
#ifndef HECTOR_CONFINE_H
#define HECTOR_CONFINE_H

#include <stdint.h>
#include <sys/types.h>

#include "proto/base/err.h"

/* Become that user, with his groups, for good. */
int confine_user(uid_t uid, struct err *err);
/* No file of who has started it but its own: those up to the last. */
void confine_files(int last);
/* So many bytes of memory of its own at most; 0: no limit. */
void confine_memory(uint64_t bytes);
/* Ends with its parent, is the first to go when memory runs out, and stands back
 * when processors are busy. */
void confine_life(void);
/* It starts no other process, becomes no other program, and touches none: who
 * tries is ended by SIGSYS. */
void confine_processes(void);

#endif
