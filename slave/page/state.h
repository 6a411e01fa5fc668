/* state.h - what a task's page says beyond counters and tags: what each thread
 * is doing and waits for, how far it is on each communicator, its last calls,
 * its model. Read without stopping the task, and also when it hangs.
 *
 * No field of the page is trusted: numbers come out bounded (calls below
 * PAGE_CALLS, sites below PAGE_SITES, partners and tags no less than
 * PAGE_UNKNOWN), texts end, means and deviations are finite. A record that was
 * being written at every try, because the task died or stopped inside of it,
 * is left out, or comes marked torn. Times are ticks of the page's clock
 * (ticks.h). All functions fill arrays of the caller's and return how
 * many entries they found, at most max. */
#ifndef HECTOR_STATE_H
#define HECTOR_STATE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "mpi-wrappers/page.h"
#include "proto/base/err.h"

struct state_thread {           /* as in page_slot */
    uint32_t slot, tid;
    uint32_t call, waits_call, requests, site;
    uint64_t comm, collective, count, bytes;
    uint64_t calls, since_ticks, in_ticks, out_ticks;
    int32_t peer, source, tag, source_tag;
    bool torn;                  /* fields may be of two calls */
};

/* What one thread has done in one function. */
struct state_count { uint64_t calls, in_ticks, bytes; };
struct state_count state_count(const char *page, unsigned slot,
                               unsigned call);

/* Threads that have called MPI, also those that have ended (tid 0). */
unsigned state_threads(const char *page, struct state_thread *v,
                       unsigned max);

/* Has the thread in this slot called more than what asks for the time and for the
 * state of MPI? That sends and receives nothing, and is done by helpers. */
bool state_takes_part(const char *page, unsigned slot);

struct state_comm {             /* as in page_comm */
    enum page_kind kind;
    uint64_t id, parent, collectives, since_ticks;
    uint64_t history, history_before;
    uint32_t rank, size, remote_size, call;
    bool freed;
    uint64_t parcels_in, gives, gives_to, takes, takes_from;
    uint64_t bytes;
};
unsigned state_comms(const char *page, struct state_comm *v, unsigned max);

struct state_request {          /* as in page_request */
    uint64_t comm, bytes, collective;
    int32_t peer, tag;
    uint32_t call, site;        /* site: see page_site_in() */
    int32_t waiter;             /* slot of the thread that waits; -1: none */
    bool idle;
    uint64_t sent;
};
unsigned state_requests(const char *page, struct state_request *v,
                        unsigned max);

struct state_flight {           /* as in page_flight, oldest first */
    uint64_t number, enter_ticks, exit_ticks, comm, bytes, collective;
    int32_t peer, tag;
    uint32_t call, site;
};
unsigned state_flights(const char *page, unsigned slot,
                       struct state_flight *v, unsigned max);
/* The last ones of all threads together, with sites by page_site_in(). */
unsigned state_flights_all(const char *page, struct state_flight *v,
                           unsigned max);

struct state_peer {             /* as in page_peer */
    int32_t peer;               /* rank in the world */
    uint32_t blind;
    uint64_t sent, received;
    uint64_t last_comm;
    int32_t last_tag;
    uint64_t bytes;
};
struct state_messages {         /* as in page_messages */
    uint32_t eager, eager_far, unsure;
    uint64_t blind;
    int32_t source_tag;         /* of the call of the thread with that slot */
};
/* Partners, ascending. -1: what was sent is not all accounted for. */
int state_messages(const char *page, unsigned slot, struct state_messages *m,
                   struct state_peer v[PAGE_PEERS]);

/* Bytes sent to each partner, by its place in the table, which it keeps; peer is its
 * rank + 1, 0: none. False: nothing is counted yet. */
bool state_sent(const char *page, uint32_t peer[PAGE_PEERS],
                uint64_t bytes[PAGE_PEERS]);

struct state_meeting {          /* as in page_meeting */
    uint64_t id, comm, count;
    uint32_t call, size, runs;
    int32_t tag;
    bool in;
    uint32_t first[PAGE_RUNS], n[PAGE_RUNS];
    int32_t step[PAGE_RUNS];
};
/* lost: there were others, and those that are there may have been among them. */
unsigned state_meetings(const char *page, struct state_meeting *v,
                        unsigned max, bool *lost);

struct state_module {           /* as in page_module */
    uint64_t start, end, base;
    uint32_t id_bytes;
    uint8_t id[36];
    char path[192];
};
unsigned state_modules(const char *page, struct state_module *v,
                       unsigned max);

/* The model of one thread. */
struct state_site {             /* as in page_site */
    uint32_t number, call, height, frames;
    uint64_t calls, in_ticks, bytes, out_ticks, in_max;
    uint64_t frame[PAGE_FRAMES];        /* frame[0]: the call of MPI */
};
/* Entry number i of a thread's table. 1: there is a site; 0: there is none;
 * -1: it makes no sense. */
int state_site(const char *page, unsigned slot, unsigned i,
               struct state_site *to);
/* The same by page_site_in(). */
int state_site_in(const char *page, uint32_t site, struct state_site *to);

struct state_edge {             /* as in page_edge */
    uint32_t bank;              /* index into state_model.bank */
    uint16_t from, to;          /* numbers of sites, PAGE_SITE_... */
    uint64_t n, in_max, out_max;
    double in_mean, in_m2, out_mean, out_m2, bytes_mean, bytes_m2;
    uint16_t in[PAGE_BUCKETS], out[PAGE_BUCKETS];
};
struct state_bank {             /* as in page_bank */
    bool there;                 /* used, and read as a whole */
    bool merged;                /* bank 0: many phases */
    bool missed;                /* it was being emptied at each try: not there */
    uint32_t phase;             /* merged: how many */
    int32_t label;
    uint64_t lost, since_ticks;
};
struct state_model {            /* reused from reading to reading */
    struct state_site *site;    /* owned */
    struct state_edge *edge;    /* owned; by bank */
    unsigned nsites, nedges;
    struct state_bank bank[PAGE_BANKS];
    uint64_t sites_lost;
    uint64_t damaged;           /* entries that make no sense */
};
int state_model_init(struct state_model *m, struct err *err);
void state_model_fini(struct state_model *m);
void state_model_read(struct state_model *m, const char *page, unsigned slot);

/* The world that the task is in, as MPI itself says. False: not known yet, or
 * never. Rank and size are as they are in the page. */
struct state_world {
    uint32_t rank, size;
    uint64_t nspace;            /* page_hash() of the PMIx namespace that its
                                   environment named */
};
bool state_world(const char *page, struct state_world *w);

/* The signals by which the task is asked for its stack and brought to stand, the
 * lowest bit for signal 1. */
uint64_t state_own_signals(const char *page);

/* The number of the current phase. */
uint32_t state_phase(const char *page);

/* What is not in the page: found no room, was not understood. */
struct state_losses {
    bool phase;                 /* HECTOR_PHASE makes no sense */
    bool library;               /* MPI is not known: no communicators,
                                   partners, requests */
    uint32_t threads;           /* that share the last slot */
    uint64_t comms, requests;
    uint64_t sites, edges;      /* calls, transitions */
};
void state_losses(const char *page, struct state_losses *l);

#endif
