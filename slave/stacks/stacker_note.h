/* stacker_note.h - sentences about tasks whose stacks could not be taken, or
 * not as usual. The first one about a task stays, but that it is gone is the
 * last word: what was seen of it while it ended says nothing. */
#ifndef HECTOR_STACKER_NOTE_H
#define HECTOR_STACKER_NOTE_H

#include <sys/types.h>

#include "slave/stacks/stacker.h"

void note_set(char note[STACKER_NOTE], const char *fmt, ...)
    __attribute__((format(printf, 2, 3)));
void note_gone(char note[STACKER_NOTE], pid_t pid);     /* 0: not known */
void note_late(char note[STACKER_NOTE], pid_t tid);

/* The task tells its stack itself, for that reason. The wrapper library answers
 * in the main thread: where there are others of pid, which were asked for
 * too, that is said. 0: nobody asked for them. */
void note_told(char note[STACKER_NOTE], const char *why, pid_t pid);

#endif
