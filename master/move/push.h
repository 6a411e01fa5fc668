/* push.h - who is to be let through a collective beyond its target, because
 * others cannot reach theirs without it.
 *
 * A task that has not reached a target (it lags) may wait for a message that a
 * task held at a gate owes it, maybe by way of others:
 *
 *   lags, waits for 5 ---> 5 waits for 2 ---> 2 is held: let it through
 *
 * Only who is found so is let through, and only once all on the way have stood
 * for a while, as the message may be on its way. Who lags and is held itself,
 * at another communicator, is let through as soon as two looks say so: it
 * cannot get there without.
 * One that waits for whoever sends, or that asks again and again without
 * waiting, may be owed by anybody held: these are tried one after another, when
 * nothing moves any more, or when the one that lags has stood for long. A circle
 * of waits leads to nobody: only the limit of the stop ends that. */
#ifndef HECTOR_PUSH_H
#define HECTOR_PUSH_H

#include "master/move/commtable.h"

/* Who made calls in so many looks, and got nothing, polls. One that computes may
 * make some, too. */
enum { PUSH_POLLS = 8 };

struct push_task {
    uint64_t mark, since_ns;        /* what it did, and when that began */
    uint64_t calls;                 /* in the last look */
    uint32_t turns;                 /* looks since that found more of them */
    uint32_t walk;                  /* the last one that came by */
};

struct push {
    struct push_task *task;         /* owned; by rank */
    uint32_t ntasks;
    uint32_t walk;                  /* number of this one */
    uint32_t next;                  /* behind the last one that was tried */
    uint64_t still_ns, patience_ns; /* a while, long */
    uint64_t moved_ns;              /* when anything did the last time */
    uint64_t tried_ns;              /* when somebody was tried the last time */
    bool try_anybody;               /* found in this look */
    uint32_t found, tried;          /* let through, for either reason */
    uint32_t found_before;          /* this look */
};

int push_init(struct push *p, uint32_t ntasks, uint64_t still_ns,
              uint64_t patience_ns, struct err *err);
void push_fini(struct push *p);

/* Of each look and task: mark is a number for how far it has come. */
void push_see(struct push *p, uint64_t now_ns, uint32_t rank,
              const struct stop_task *task, uint64_t mark);

/* Has it done the same for so long? If so in two looks (1), it was so all the
 * time between them, what a page says is of one moment. */
bool push_stood(const struct push *p, uint64_t now_ns, uint32_t rank,
                uint64_t ns);

/* For a task that lags, in each look: first those held, then the waits of all,
 * then push_anybody(). All together they come by each task once. */
void push_held(struct push *p, struct commtable *t, const struct stop_look *in,
               uint32_t rank);
void push_waits(struct push *p, struct commtable *t, const struct stop_look *in,
                uint32_t rank);
void push_anybody(struct push *p, struct commtable *t,
                  const struct stop_look *in);

/* The last one on the way from rank; one on a circle, and it is said, if there
 * is none. */
uint32_t push_end(struct push *p, const struct stop_look *in, uint32_t rank,
                  bool *circle);

#endif
