/* meeting.h - calls that only some members of a communicator make together:
 * MPI_Comm_create_group and MPI_Intercomm_create. Who has to come is told in
 * the page when they are entered: whoever does not has said nothing there.
 *
 * How often the task has met those of each kind is counted; a kind that loses
 * its place to another one is lost for good, and that is counted, too. */
#ifndef HECTOR_MEETING_H
#define HECTOR_MEETING_H

#include "mpi-wrappers/handles/comm.h"
#include "mpi-wrappers/page.h"
#include "mpi-wrappers/table/about.h"

/* After MPI_Init; m is in the page. */
void meeting_start(struct page_meetings *m);
/* The child of a fork has no page. */
void meeting_stop(void);

/* The call, which is of ABOUT_BY_GROUP, is entered with c for its first
 * communicator: borrowed from the page, or NULL: who it is with is not known, or
 * the others of the group know. */
struct page_meeting *meeting_enter(unsigned call, const struct about *a,
                                   const struct comm *c);
/* It is over. NULL is fine. */
void meeting_leave(struct page_meeting *m);

#endif
