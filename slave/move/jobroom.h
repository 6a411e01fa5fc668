/* jobroom.h - before tasks of a job stop that are to go: memory for them, where they
 * come.
 *
 *   RoomAsk   where they are: each one's memory is looked at, Room says which
 *   Room      where one comes: a process takes that memory; RoomMade
 *   Swap      that process is the one that waits for the image (jobmove.h)
 *   SwapEnd   whoever has not been taken by a Swap ends
 *
 * To make a page takes a kernel, and perhaps a hypervisor below it, as long as to send
 * it; the program need not wait for that. */
#ifndef HECTOR_JOBROOM_H
#define HECTOR_JOBROOM_H

#include "hct.pb-c.h"
#include "slave/move/coming.h"

/* Orders. */
void jobroom_ask(struct job *j, const Hct__RoomAsk *m);
void jobroom_make(struct job *j, const Hct__Room *m);

/* That of this rank; false: there is none. */
bool jobroom_take(struct job *j, uint32_t rank, struct coming *c);
/* A process has ended; false: it is none of these. */
bool jobroom_reaped(struct job *j, pid_t pid);
void jobroom_drop(struct job *j);

#endif
