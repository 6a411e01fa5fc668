/* scribe_work.h - what the scribe does in its own process. */
#ifndef HECTOR_SCRIBE_WORK_H
#define HECTOR_SCRIBE_WORK_H

#include <stdbool.h>
#include <stdint.h>

enum scribe_kind { SCRIBE_MAPS, SCRIBE_COPY, SCRIBE_ADDRESSES, SCRIBE_END };

/* In front of each piece on the way to the scribe; both ends are one
 * program. */
struct scribe_head {           /* SCRIBE_END: sample 1 says that more follow */
    uint32_t kind, position, sample, pid;
    uint64_t bytes;             /* that follow */
};

/* The way back: this, the traces of each task (uint32_t), the tree, the
 * notes. */
struct scribe_answer { uint64_t tree_bytes, notes_bytes; };

enum { SCRIBE_PIECE_MAX = 16 << 20 };

/* Until the end or a broken pipe; returns an exit status. */
int scribe_work(int fd, uint32_t ntasks, uint32_t nsamples, bool lines);

#endif
