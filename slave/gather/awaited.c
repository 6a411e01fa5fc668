/* awaited.c - see awaited.h.
 *
 * A request that is not finished has taken nothing: of calls that have made
 * requests alike as many are passed over, from the last one back, as there are of
 * these. */
#include "slave/gather/awaited.h"

#include <string.h>

#include "mpi-wrappers/table/calls.h"

enum { AWAITED_FLIGHTS = 4 * PAGE_FLIGHT, AWAITED_SLOTS = 64 };

static bool has(const uint16_t *calls, size_t n, uint32_t call)
{
    for (size_t i = 0; i < n; i++)
        if (calls[i] == call)
            return true;
    return false;
}
#define IS_ONE_OF(calls, call) has(calls, sizeof(calls) / sizeof(*(calls)), call)

/* That wait for a message themselves; that take one, or make a request that does;
 * that send one. */
static const uint16_t waiting[] = { CALL_Recv, CALL_Probe, CALL_Mprobe };
static const uint16_t taking[] = { CALL_Recv, CALL_Irecv, CALL_Recv_init,
                                   CALL_Mrecv, CALL_Imrecv };
static const uint16_t asking[] = { CALL_Irecv, CALL_Recv_init, CALL_Imrecv };
static const uint16_t both[] = { CALL_Sendrecv, CALL_Sendrecv_replace };
static const uint16_t sending[] = {
    CALL_Send, CALL_Ssend, CALL_Bsend, CALL_Rsend, CALL_Isend, CALL_Issend,
    CALL_Ibsend, CALL_Irsend, CALL_Send_init, CALL_Ssend_init, CALL_Bsend_init,
    CALL_Rsend_init, CALL_Sendrecv, CALL_Sendrecv_replace };

static bool meets(int32_t a, int32_t b)
{
    return a == b || a == PAGE_ANY || b == PAGE_ANY;
}

/* ------------------------------------------------------------------- taken */

static bool is_open(const struct state_flight *f, struct state_request *v,
                    unsigned n)
{
    for (unsigned i = 0; IS_ONE_OF(asking, f->call) && i < n; i++)
        if (v[i].call == f->call && v[i].site == f->site &&
            v[i].comm == f->comm && v[i].peer == f->peer &&
            v[i].tag == f->tag) {
            v[i].call = 0;      /* this one is found */
            return true;
        }
    return false;
}

static void find_taker(const char *page, struct awaited *a,
                       const struct state_request *requests, unsigned n)
{
    static struct state_flight v[AWAITED_FLIGHTS];
    static struct state_request left[PAGE_REQUESTS];
    unsigned nflights = state_flights_all(page, v, AWAITED_FLIGHTS);

    memcpy(left, requests, n * sizeof(*left));
    for (unsigned i = nflights; i-- > 0 && !a->known; ) {
        const struct state_flight *f = &v[i];

        if (!IS_ONE_OF(taking, f->call) || f->comm != a->comm ||
            !meets(f->peer, a->peer) || !meets(f->tag, a->tag) ||
            is_open(f, left, n))
            continue;
        a->known = true;
        a->taker = *f;
    }
}

/* ------------------------------------------------------------------ waiting */

/* Requests of messages that this thread waits for. */
static bool find_by_requests(const char *page, const struct state_thread *t,
                             const struct state_request *v, unsigned n,
                             struct awaited *to)
{
    bool any = false;

    for (unsigned i = 0; i < n && !(any && to->known); i++) {
        struct awaited a = { .comm = v[i].comm, .peer = v[i].peer,
                             .tag = v[i].tag };

        if (v[i].waiter != (int32_t)t->slot || v[i].idle ||
            !IS_ONE_OF(taking, v[i].call))
            continue;
        find_taker(page, &a, v, n);
        if (!any || a.known)
            *to = a;
        any = true;
    }
    return any;
}

bool awaited_find(const char *page, struct awaited *a)
{
    static struct state_thread threads[AWAITED_SLOTS];
    static struct state_request requests[PAGE_REQUESTS];
    unsigned nthreads = state_threads(page, threads, AWAITED_SLOTS);
    unsigned n = state_requests(page, requests, PAGE_REQUESTS);

    for (unsigned i = 0; i < nthreads; i++) {
        const struct state_thread *t = &threads[i];
        bool sends = IS_ONE_OF(both, t->call);

        *a = (struct awaited){ .comm = t->comm,
                               .peer = sends ? t->source : t->peer,
                               .tag = sends ? t->source_tag : t->tag };
        if (sends || IS_ONE_OF(waiting, t->call)) {
            find_taker(page, a, requests, n);
            return a->peer >= 0 || a->peer == PAGE_ANY;
        }
        if (t->requests && find_by_requests(page, t, requests, n, a))
            return true;
    }
    return false;
}

/* --------------------------------------------------------------------- sent */

static bool sends_now(const char *page, int32_t to, struct awaited_sent *s)
{
    static struct state_thread v[AWAITED_SLOTS];
    unsigned n = state_threads(page, v, AWAITED_SLOTS);

    for (unsigned i = 0; i < n; i++)
        if (v[i].peer == to && IS_ONE_OF(sending, v[i].call)) {
            s->in = true;
            s->by = (struct state_flight){
                .call = v[i].call, .comm = v[i].comm, .peer = to,
                .tag = v[i].tag, .enter_ticks = v[i].since_ticks,
                .site = page_site_in(v[i].slot, v[i].site) };
            return true;
        }
    return false;
}

bool awaited_sent(const char *page, uint32_t to, struct awaited_sent *s)
{
    static struct state_flight v[AWAITED_FLIGHTS];
    unsigned n = state_flights_all(page, v, AWAITED_FLIGHTS);

    *s = (struct awaited_sent){ .in = false };
    if (sends_now(page, (int32_t)to, s))
        return true;
    for (unsigned i = n; i-- > 0; )
        if (v[i].peer == (int32_t)to && IS_ONE_OF(sending, v[i].call)) {
            s->by = v[i];
            return true;
        }
    return false;
}
