/* rings.h - reads the event rings of one page.
 *
 * The page belongs to a task that may be broken: no field of it is trusted.
 * A ring that makes no sense is given up up to its head, and counted. What
 * is read comes out as stamps: merged over the threads by time, tagged calls
 * numbered per task, each exit knowing its entry. */
#ifndef HECTOR_RINGS_H
#define HECTOR_RINGS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "mpi-wrappers/page.h"
#include "proto/base/str.h"

enum { RINGS_OPEN_MAX = 256 };  /* unfinished tagged calls of one thread slot */

struct rings_stamp {
    bool exit;
    uint16_t call;
    uint32_t slot;
    int32_t marker;
    uint64_t seq;               /* number of the tagged call in its task */
    uint64_t wall_ns;
    size_t text, text_bytes;    /* where in the batch's text */
    size_t mate;                /* index of the other half in this batch, or
                                   SIZE_MAX if it is not here */
};

/* What one reading found. Reused from reading to reading. */
struct rings_batch {
    struct rings_stamp *v;      /* owned */
    size_t n, cap;
    struct str text;            /* owned */
};
void rings_batch_fini(struct rings_batch *b);

struct rings_open {             /* a tagged call that has not left */
    uint64_t seq;
    int32_t marker;
    uint16_t call;
    size_t at;                  /* its stamp in the current batch, SIZE_MAX */
    char *text;                 /* owned */
    size_t text_bytes;
};

struct rings_slot {
    uint64_t tail;
    uint64_t taken;             /* the tail to be, see rings_take() */
    struct rings_open *open;    /* owned */
    size_t nopen, cap;
};

struct rings {
    char *page;                 /* borrowed */
    unsigned slots, calls, ring_bytes;  /* as the slave made it */
    uint64_t *next_seq;         /* borrowed: shared by a task's pages */
    struct rings_slot slot[PAGE_SLOTS];
    uint64_t damaged;           /* made no sense, or found no memory */
};

void rings_init(struct rings *r, void *page, unsigned slots, unsigned calls,
                unsigned ring_bytes, uint64_t *next_seq);
void rings_fini(struct rings *r);

/* Take out what is there, at most about budget bytes a ring. Replaces what is
 * in b. Returns how many stamps, -1 when memory runs out (nothing is lost
 * then, try again). After it, and when the stamps are safe, rings_release()
 * gives the room back to the task; it says whether there was any. */
long rings_take(struct rings *r, size_t budget, struct rings_batch *b);
bool rings_release(struct rings *r);

/* All that is there was read by somebody else, who has not seen the end of these
 * calls; text is copied. -1: that makes no sense, or there is no memory. */
void rings_skip(struct rings *r);
int rings_reopen(struct rings *r, unsigned slot, const struct rings_open *call);
/* Both at once. */
long rings_read(struct rings *r, size_t budget, struct rings_batch *b);

/* Is anything left to read? */
bool rings_pending(const struct rings *r);

#endif
