/* slice.h - the lines that decide that a task gets to a place of its program,
 * and stays there: a backward slice, frame by frame along the path of calls.
 *
 * From each frame's call go back: to the branches that decide whether it is
 * reached, to what has set the values that these and the call itself read, and
 * so on (Weiser: Program slicing, TSE 1984; guided by where the
 * least-progressed task is, as in PDI 4.4, where the tool that does it is
 * another one). What is read but not set in a function is looked for in its
 * caller, at the call; calls that may set it are followed two levels. Lines
 * are ranked by how many steps lead there (slice_rank.c): what is set comes
 * before what decides, what asks for the task's rank before what does not, as
 * tasks of one program differ by that, and behind the rest what all tasks
 * decide alike, what has been right before, and lines that only hand on. Of
 * messages and collectives those come first that the task has called last, that
 * tasks are in for which it may wait, or that have the tag that it waits for.
 *
 * What a slice cannot see: memory behind pointers that are not known, and
 * other tasks, but for what these put into the same call. */
#ifndef HECTOR_SLICE_H
#define HECTOR_SLICE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "proto/base/err.h"

enum { SLICE_FRAMES_MAX = 64, SLICE_LATELY_MAX = 16, SLICE_REASON = 200 };

struct slice_frame {
    uint64_t address;           /* as the file has it */
    bool call;                  /* a call returns to it */
};

/* Where a task is: innermost frame first; where its last calls of MPI have
 * returned to, the last one first, each once; and where those return to that
 * the tasks are in, or have made last, for which it may wait. */
struct slice_place {            /* all borrowed */
    const struct slice_frame *frames;
    const uint64_t *lately, *theirs;    /* as the file has them */
    size_t nframes, nlately, ntheirs;
};

struct slice_row {
    const char *function, *file;        /* as long as the slice */
    unsigned line, cost, number;        /* number: as it was found */
    bool decides;
    unsigned does;                      /* private: what is done on it, and how */
    unsigned leads;                     /* many steps lead to it */
    char reason[SLICE_REASON];
};

struct slice;

/* NULL, and a sentence, if there is none. build_id: hexadecimal, or NULL. */
struct slice *slice_make(const char *path, const char *build_id,
                         const struct slice_place *at, struct err *err);
void slice_free(struct slice *s);               /* NULL is fine */

/* Lines, each once, those that are nearest first. */
const struct slice_row *slice_rows(const struct slice *s, size_t *n);

/* How many lines the functions on the path have. */
unsigned slice_lines_of_path(const struct slice *s);

/* What could not be seen, as a sentence. */
const char *slice_unseen(const struct slice *s);

#endif
