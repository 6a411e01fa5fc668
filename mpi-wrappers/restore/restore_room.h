/* restore_room.h - memory that is had, and made, before there is an image: while the
 * program that it is made of still runs somewhere else. What turns out to be memory
 * of the image is filled where it is; all else goes back. */
#ifndef HECTOR_RESTORE_ROOM_H
#define HECTOR_RESTORE_ROOM_H

#include "mpi-wrappers/restore/restore.h"

/* text: "7f0000000000-7f0040000000,...", RESTORE_ROOMS of them at most; what is in use
 * here is left out. Ends early when there is something to be read from the image.
 * Then says so, by a newline, to whom shall hear why not. False: no such text. */
bool restore_room_make(struct restore *r, const char *text);

/* Once the tables are there. What had huge pages is made anew, of such. */
void restore_room_settle(struct restore *r);

/* The region is there already, with no pages but those of 0. */
bool restore_room_has(const struct restore *r, const struct image_region *g);

/* That has been made, all of it. */
bool restore_room_made(const struct restore *r, uint64_t start, uint64_t bytes);

/* Nothing of [start, end) is mapped any more but rooms. */
void restore_room_spare(const struct restore *r, uint64_t start, uint64_t end);

#endif
