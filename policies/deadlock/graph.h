/* graph.h - the inside of the deadlock proof: conditions of one task's wait,
 * given the set of tasks that are held to be blocked. */
#ifndef HCT_GRAPH_H
#define HCT_GRAPH_H

#include "policies/deadlock/deadlock.h"

/* Groups beyond one for each rank: for small jobs with many requests. What
 * finds no room is no evidence. */
enum { GRAPH_FEW = 512 };

/* Of one condition. Free: it may be met, as far as one can see. Finished: it
 * is. Open: it is met already, or never. */
enum met { FREE, FINISHED, OPEN, NEVER };

struct graph {
    const struct hct_snapshot *in;
    struct deadlock_rank *w;
    const struct deadlock_limits *limits;
    struct deadlock_group few[GRAPH_FEW];       /* the others are in w */
    uint32_t ngroups, sorted;
    struct deadlock_group unknown;      /* ranks without any communicator */
    bool one_node;              /* all have accounts, and are on one node */
    bool collects;              /* it is only asked which groups are wanted */
    uint32_t nfree;             /* ranks of the job that are, as of the last
                                   group_update() */
    uint64_t steps;
    /* of the rank that is looked at */
    enum deadlock_why why;
    int32_t to;
};

/* Request, flight or communicator i, if there is one and it is of rank r; else
 * NULL. Those of a rank stand in a row, from deadlock_rank.request, .flight
 * and .comm on. */
static inline const struct hct_request *request_of(
    const struct hct_snapshot *in, uint32_t i, uint32_t r)
{
    return i < in->nrequests && hct_request(in, i)->rank == r
               ? hct_request(in, i) : NULL;
}

static inline const struct hct_flight *flight_of(
    const struct hct_snapshot *in, uint32_t i, uint32_t r)
{
    return i < in->nflights && hct_flight(in, i)->rank == r
               ? hct_flight(in, i) : NULL;
}

static inline const struct hct_comm *comm_of_rank(
    const struct hct_snapshot *in, uint32_t i, uint32_t r)
{
    return i < in->ncomms && hct_comm(in, i)->rank == r ? hct_comm(in, i)
                                                        : NULL;
}

/* ... with that identity. */
static inline const struct hct_comm *comm_of_id(
    const struct hct_snapshot *in, const struct deadlock_rank *w, uint32_t r,
    uint64_t id)
{
    const struct hct_comm *c;

    for (uint32_t i = w[r].comm; (c = comm_of_rank(in, i, r)); i++)
        if (c->id == id)
            return c;
    return NULL;
}

static inline bool held(const struct graph *g, int32_t r)
{
    return r >= 0 && (uint32_t)r < g->in->nranks &&
           g->w[r].state != DEADLOCK_FREE;
}

static inline const struct hct_call *call_of(const struct graph *g, uint32_t r)
{
    return hct_call(g->in, hct_rank(g->in, r)->call);
}

static inline enum met never(struct graph *g, enum deadlock_why why, int32_t to)
{
    g->why = why;
    g->to = to;
    return NEVER;
}

/* This group will be asked for; then, with all of them wanted, what is common
 * to their members; and, whenever ranks have become free, who is held. */
void group_want(struct graph *g, uint64_t comm, uint64_t n);
void group_begin(struct graph *g);
void group_update(struct graph *g);

/* NULL: it found no room. */
const struct deadlock_group *group_find(struct graph *g, uint64_t comm,
                                        uint64_t n);

/* Has r freed comm? Then it sends and enters nothing there any more, but for
 * requests that it has made before. */
bool group_left(const struct graph *g, uint32_t r, uint64_t comm);

/* Not all of the members are known, by this number at least. All of them are ranks
 * of the job (HCT_COMM_LOCAL are those where they may not be). */
static inline bool group_unsure(const struct deadlock_group *m)
{
    return m->found != m->expected || m->found == 0;
}

/* Some member may be free, as far as they are known. */
static inline bool group_may_act(const struct graph *g,
                                 const struct deadlock_group *m)
{
    return m->any.free >= 0 || (group_unsure(m) && g->nfree > 0);
}

/* Is s rather than best the one to name, of those that could send but are held?
 * One that waits, and of these the one that has waited longest: where one
 * message is lost, the others went on for a while. -1: nobody. */
bool group_rather(const struct graph *g, int32_t s, int32_t best);

/* Since the last one of those that stand has moved: what has come it has
 * seen. So has who asks in a loop; and in MPI_Finalize, who has done so between
 * its naps for long. */
static inline bool graph_has_run(const struct graph *g, uint32_t r)
{
    const struct hct_rank *k = hct_rank(g->in, r);

    return g->w[r].spins ||
           (!g->w[r].starved &&
            ((k->flags & HCT_RUNS) ||
             (k->life == HCT_LIFE_FINALIZE &&
              g->w[r].span_ns > g->limits->small_ns)));
}

/* Has r looked for messages for as long as bytes of them take at most on one
 * node? */
static inline bool graph_had_time(const struct graph *g, uint32_t r,
                                  uint64_t bytes)
{
    return g->w[r].span_ns > deadlock_takes_ns(g->limits, bytes);
}

/* Would a call of r that moves so many bytes be over by now, if it waited for
 * nobody who is missing? Only on one node. */
static inline bool graph_long_enough(const struct graph *g, uint32_t r,
                                     uint64_t bytes)
{
    return g->one_node && graph_has_run(g, r) && graph_had_time(g, r, bytes);
}

/* Can a message of source, or, if that is HCT_ANY, of anybody, still come to r
 * on comm with this tag? For its request q, of which the message may be the one
 * that was sent already; NULL: for the call that it is in. */
enum met graph_message_from(struct graph *g, uint32_t r, int32_t source,
                            uint64_t comm, int32_t tag, enum deadlock_why why,
                            const struct hct_request *q);

/* Will the message that r sends with this request be received, or does it not
 * need to be? OPEN: one of many like it may not be. */
enum met graph_message_of(struct graph *g, uint32_t r,
                          const struct hct_request *q);

/* Is the message of a receive of r there, and taken, whichever of those that r
 * has asked for takes which? */
bool graph_has_come(const struct graph *g, uint32_t r,
                    const struct hct_request *q);

/* r is in a call that sends one message; in one that receives one, too. */
enum met graph_send(struct graph *g, uint32_t r);
enum met graph_sendrecv(struct graph *g, uint32_t r);

/* r waits until what it has sent from a buffer has been received. */
enum met graph_buffer(struct graph *g, uint32_t r);

/* r waits for its requests: for all that it waits for, or for any of them. */
enum met graph_requests(struct graph *g, uint32_t r, bool any);

/* Will the message of one of the requests that the call with this number
 * (hct_request.waited) waits for never come? */
bool graph_never_received(struct graph *g, uint32_t r, uint32_t waiter);

/* Do all threads of r that are in MPI, but the one that is shown, wait for what
 * will not come? */
bool graph_others_wait(struct graph *g, uint32_t r);

/* Have several threads of r called MPI, at the same time perhaps? Then it is
 * not known what it has asked for or sent before what. */
static inline bool graph_unordered(const struct graph *g, uint32_t r)
{
    const struct hct_rank *k = hct_rank(g->in, r);

    return k->level >= HCT_LEVEL_MULTIPLE && k->threads > 1;
}

/* r asks in a loop, so anything that it asks for may help. */
enum met graph_asking(struct graph *g, uint32_t r);

/* r waits in a one-sided call. */
enum met graph_window(struct graph *g, uint32_t r);

/* The one in collective call n of comm, whom r waits for there if none of the
 * members gets past it before all have entered: a member that has not, and will
 * not. False: there is none, as far as one can see. */
bool graph_lacks(struct graph *g, uint32_t r, uint64_t comm, uint64_t n,
                 int32_t *who);

/* The meeting that r is in; NULL: none, or not known. */
const struct hct_meeting *meeting_of(const struct hct_snapshot *in, uint32_t r);

/* r is in a call of some members of a communicator, which is collective call n
 * of comm, if it is one. */
enum met graph_meeting(struct graph *g, uint32_t r, uint64_t comm, uint64_t n,
                       uint32_t call, int32_t leader);

/* r is in collective call n of comm. */
enum met graph_collective(struct graph *g, uint32_t r, uint64_t comm,
                          uint64_t n, uint32_t call, int32_t root);

#endif
