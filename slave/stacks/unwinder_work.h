/* unwinder_work.h - what the unwinder does in its own process. */
#ifndef HECTOR_UNWINDER_WORK_H
#define HECTOR_UNWINDER_WORK_H

#include <stdint.h>

enum unwinder_kind { UNWINDER_BEGIN, UNWINDER_MAPS, UNWINDER_COPY, UNWINDER_ADDRESSES,
                   UNWINDER_UNWRITTEN, UNWINDER_REMARK, UNWINDER_END };

/* In front of each piece on the way to the unwinder; both ends are one
 * program. UNWINDER_BEGIN has the number of tasks as position and of samples as
 * sample, and in pid what is wanted of frames; UNWINDER_END: sample 1 says that
 * more trees may follow. */
enum { UNWINDER_LINES = 1, UNWINDER_OFFSETS = 2, UNWINDER_SLICE = 4 };

struct unwinder_head {
    uint32_t kind, position, sample, pid;
    uint64_t bytes;             /* that follow */
};

/* The way back: this, the traces of each task (uint32_t), the tree, the
 * notes. */
struct unwinder_answer { uint64_t tree_bytes, notes_bytes; };

enum { UNWINDER_PIECE_MAX = 16 << 20, UNWINDER_IDLE_MS = 20000 };

/* Until the end, a broken pipe, or when nothing has followed for long; returns
 * an exit status. */
int unwinder_work(int fd);

#endif
