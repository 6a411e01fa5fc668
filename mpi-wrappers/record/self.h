/* self.h - what a thread knows of itself, for the files that record: thread.c
 * gives it a slot of the page, record.c fills that in, stamp.c writes events.
 *
 * Invariants: slot is NULL or a slot that this thread claimed in the current
 * page, or the last one if shared. Fields of a slot marked (task) in page.h
 * are stored by its thread alone, those of the shared slot under the lock. */
#ifndef HECTOR_SELF_H
#define HECTOR_SELF_H

#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>

#include "mpi-wrappers/record/attach.h"
#include "mpi-wrappers/handles/comm.h"
#include "mpi-wrappers/handles/meeting.h"
#include "mpi-wrappers/record/model.h"
#include "mpi-wrappers/handles/request.h"
#include "mpi-wrappers/record/ring.h"
#include "mpi-wrappers/fields.h"

enum { SELF_INNER = 64 };       /* a power of two */

struct self {
    unsigned depth;             /* MPI calls this thread is inside of */
    uint32_t what;              /* PAGE_DO_... */
    bool pending;               /* the next outermost call is tagged */
    bool tagged;                /* this one is, and its ENTER was written */
    bool sends;                 /* a message leaves with this call */
    bool shared;                /* slot is the last one, others use it too */
    struct page_slot *slot;     /* borrowed; NULL: nothing is recorded */
    struct page_count *counts;  /* borrowed: the slot's */
    struct page_thread *thread; /* borrowed: the slot's */
    void *frame;                /* where the outermost call was entered */
    const void *from;           /* where it returns to */
    const void *inner[SELF_INNER];      /* where calls inside of it have */
    uint64_t since;             /* ticks: its entry, or the last exit, */
    uint64_t stood;             /* ... and page_header.stood_ticks then */
    _Atomic uint64_t *stands;   /* borrowed: that one */
    uint32_t call;
    unsigned number;            /* of the slot */
    struct comm *comm;          /* borrowed: what it is about, or NULL */
    struct comm *freeing;       /* ... and what it frees */
    struct page_meeting *meeting;       /* borrowed: that it is in, or NULL */
    struct request about;       /* the rest */
    int32_t source, source_tag; /* of a Sendrecv: what it takes */
    struct model model;
    struct ring ring;           /* the slot's */
    uint64_t enter_at;          /* ring counter of its ENTER */
    int32_t marker;             /* of the pending tag, then of the call */
    uint32_t text_bytes;
    struct request_wait wait;
    char text[PAGE_TEXT_MAX];
};

extern _Thread_local struct self self
    __attribute__((tls_model("initial-exec")));

/* The page. Sizes are written before the pointer is published. */
extern struct attach thread_attached;
extern struct page_header *_Atomic thread_page;

/* Record into this page from now on. False: threads cannot be followed. */
bool thread_start(const struct attach *a);

/* Take a free slot of the page, or the last one with the others. */
struct page_slot *thread_claim(struct self *t, struct page_header *h);

/* This thread's step goes on: the task has stood meanwhile. */
void thread_stood(struct self *t);

/* The task is brought to stand, and all its threads are or will be still; it goes on,
 * perhaps in another process on another machine. Either once, by one thread. */
void thread_stand(void);
void thread_go_on(void);

/* The lock of the shared slot. */
void thread_lock(void);
void thread_unlock(void);

static inline void slot_lock(const struct self *t)
{
    if (UNLIKELY(t->shared))
        thread_lock();
}

static inline void slot_unlock(const struct self *t)
{
    if (UNLIKELY(t->shared))
        thread_unlock();
}

/* A slot is read while it is written, under its lock: see struct page_slot. */
static inline void slot_begin(struct page_slot *s)
{
    SET(s->seq, GET(s->seq) | 1);       /* also after a jump out */
    atomic_thread_fence(memory_order_release);
}

static inline void slot_end(struct page_slot *s)
{
    atomic_store_explicit(&s->seq, GET(s->seq) + 1, memory_order_release);
}

/* The call that is entered was tagged; it ends. */
void stamp_enter(struct self *t, unsigned call);
void stamp_leave(struct self *t, uint64_t wall_ns);

#endif
