/* request.c - requests that are not finished, see request.h. Those that are
 * asked for again and again are polled.c's.
 *
 * A key is found in one of the PAGE_REQUEST_WAYS places of its bucket, which
 * is one cache line. Invariants: a place belongs to whoever changed its key
 * from 0 to TAKEN, until the key is stored; every index is computed here and
 * bounded, whatever the page says. */
#include "mpi-wrappers/handles/request.h"

#include "mpi-wrappers/handles/comm.h"
#include "mpi-wrappers/handles/handle.h"
#include "mpi-wrappers/fields.h"
#include "mpi-wrappers/handles/messages.h"
#include "mpi-wrappers/handles/polled.h"
#include "mpi-wrappers/handles/status.h"

enum { BUCKETS = PAGE_REQUESTS / PAGE_REQUEST_WAYS,
       NOWHERE = REQUEST_NOWHERE };
#define TAKEN ((uint64_t)1)     /* as a key: integer 0, which is no request */

static struct page_header *page;        /* borrowed */
struct page_shared *_Atomic request_shown;      /* borrowed */
_Atomic uint64_t request_starts;
/* Who waits for the request at each place: waiter, but not for others to
 * scribble on, nor shared by the threads of the last slot. */
static const void *_Atomic owner[PAGE_REQUESTS];
/* Nothing is to be counted at its end: it may end without a message, or its message was
 * counted before, as the program had asked whether it is there. */
static _Atomic uint8_t uncounted[PAGE_REQUESTS];
/* Handles that mean no request, and one that was complete from the start. */
static uintptr_t null_key, empty_key, empty_fortran;

uintptr_t request_key_at(const struct about *a, int32_t i)
{
    if (a->traits & ABOUT_FORTRAN)
        return about_key(((const MPI_Fint *)a->requests)[i]);
    return handle_at(a->requests, i);
}

bool request_is_none(uintptr_t key)
{
    return key <= TAKEN || key == null_key || key == empty_key ||
           key == empty_fortran;
}

static unsigned bucket_of(uintptr_t key)
{
    return (unsigned)((key * 0x9e3779b97f4a7c15u) >> 40) % BUCKETS *
           PAGE_REQUEST_WAYS;
}

unsigned request_find(struct page_shared *s, uintptr_t key)
{
    unsigned at = bucket_of(key);

    for (unsigned i = 0; i < PAGE_REQUEST_WAYS; i++)
        if (atomic_load_explicit(&s->request_key[at + i],
                                 memory_order_acquire) == key)
            return at + i;
    return NOWHERE;
}

void request_own(struct page_shared *s, unsigned at, const void *who,
                 unsigned waiter)
{
    const void *was = GET(owner[at]);

    if (UNLIKELY(was && was != who))
        polled_disturb(was);
    SET(s->request[at].waiter, (uint8_t)waiter);
    SET(owner[at], who);
}

/* Its own place, if the handle came back while we looked away, or a free
 * one. */
static unsigned take(struct page_shared *s, uintptr_t key)
{
    unsigned at = bucket_of(key);

    for (unsigned i = 0; i < PAGE_REQUEST_WAYS; i++) {
        uint64_t was = key;

        if (GET(s->request_key[at + i]) == key &&
            atomic_compare_exchange_strong(&s->request_key[at + i], &was,
                                           TAKEN))
            return at + i;
    }
    for (unsigned i = 0; i < PAGE_REQUEST_WAYS; i++) {
        uint64_t was = 0;

        if (GET(s->request_key[at + i]) == 0 &&
            atomic_compare_exchange_strong(&s->request_key[at + i], &was,
                                           TAKEN))
            return at + i;
    }
    return NOWHERE;
}

uintptr_t request_key(const struct about *a)
{
    uintptr_t key = a->requests ? request_key_at(a, 0) : 0;

    return request_is_none(key) ? 0 : key;
}

static bool receives(unsigned call)
{
    return call == CALL_Irecv || call == CALL_Recv_init ||
           call == CALL_Imrecv;
}

void request_made(const struct about *a, const struct request *r)
{
    struct page_shared *s = atomic_load_explicit(&request_shown,
                                                 memory_order_acquire);
    uintptr_t key;
    struct page_request *p;
    unsigned at;

    if (!s || !a->requests || request_is_none(key = request_key_at(a, 0)))
        return;
    at = take(s, key);
    if (at == NOWHERE) {
        SET(page->requests_lost, GET(page->requests_lost) + 1);
        return;
    }
    if (UNLIKELY(r->peer < 0 || r->tag < 0) && receives(r->call))
        SET(status_open, true);
    p = &s->request[at];
    SET(p->seq, (uint16_t)(GET(p->seq) | 1));
    atomic_thread_fence(memory_order_release);
    SET(p->comm, r->comm);
    SET(p->bytes, r->bytes);
    SET(p->collective, r->collective);
    SET(p->peer, r->peer);
    SET(p->tag, r->tag);
    SET(p->call, r->call);
    SET(p->site, r->site);
    SET(p->idle, r->idle);
    SET(p->sent, r->sent);
    SET(uncounted[at], 0);
    request_own(s, at, NULL, 0);
    atomic_store_explicit(&p->seq, (uint16_t)(GET(p->seq) + 1),
                          memory_order_release);
    atomic_store_explicit(&s->request_key[at], key, memory_order_release);
}

void request_started(const struct about *a)
{
    struct page_shared *s = atomic_load_explicit(&request_shown,
                                                 memory_order_acquire);

    for (int32_t i = 0; s && a->requests && i < a->nrequests; i++) {
        uintptr_t key = request_key_at(a, i);
        unsigned at = request_is_none(key) ? NOWHERE : request_find(s, key);

        if (at != NOWHERE && GET(s->request[at].idle)) {
            SET(s->request[at].idle, 0);
            atomic_fetch_add_explicit(&request_starts, 1,
                                      memory_order_relaxed);
        }
    }
}

static bool sends(unsigned call)
{
    return call == CALL_Send_init || call == CALL_Bsend_init ||
           call == CALL_Ssend_init || call == CALL_Rsend_init;
}

void request_freed(const struct about *a)
{
    struct page_shared *s = atomic_load_explicit(&request_shown,
                                                 memory_order_acquire);
    uintptr_t key;
    unsigned at;

    if (!s || !a->requests || request_is_none(key = request_key_at(a, 0)))
        return;
    at = request_find(s, key);
    if (at == NOWHERE)
        return;
    if (receives(GET(s->request[at].call)) && !GET(s->request[at].idle) &&
        !GET(uncounted[at]))
        messages_unsure();
    request_own(s, at, NULL, 0);
    SET(s->request_key[at], 0);
}

static void starts_sending(struct page_request *p, struct request *r)
{
    r->comm = GET(p->comm);
    r->peer = GET(p->peer);
    r->tag = GET(p->tag);
    SET(p->sent, messages_sent(r->comm, r->peer, r->tag, GET(p->bytes)));
}

void request_starting(const struct about *a, struct request *r, uint64_t now)
{
    struct page_shared *s = atomic_load_explicit(&request_shown,
                                                 memory_order_acquire);

    for (int32_t i = 0; s && a->requests && i < a->nrequests; i++) {
        uintptr_t key = request_key_at(a, i);
        unsigned at = request_is_none(key) ? NOWHERE : request_find(s, key);
        struct page_request *p = &s->request[at % PAGE_REQUESTS];

        if (at == NOWHERE)
            messages_sent(0, PAGE_UNKNOWN, PAGE_UNKNOWN, 0);
        else if (sends(GET(p->call)))
            starts_sending(p, r);
        else
            SET(p->sent, now);
        if (at != NOWHERE)
            SET(uncounted[at], 0);
    }
}

void request_cancelled(const struct about *a)
{
    struct page_shared *s = atomic_load_explicit(&request_shown,
                                                 memory_order_acquire);
    uintptr_t key = s && a->requests ? request_key_at(a, 0) : 0;
    unsigned at = !s || request_is_none(key) ? NOWHERE : request_find(s, key);

    if (at == NOWHERE)
        return;
    SET(uncounted[at], 1);
    messages_unsure();
}

COLD void request_shift(struct page_shared *s, uint64_t ticks)
{
    for (unsigned i = 0; i < PAGE_REQUESTS; i++) {
        struct page_request *p = &s->request[i];

        if (GET(s->request_key[i]) > 1 && receives(GET(p->call)) && GET(p->sent))
            SET(p->sent, GET(p->sent) + ticks);
    }
}

/* A request has ended: what it was about. */
struct ended { uint64_t comm; int32_t peer, tag; bool received; };

static struct ended ended(const struct page_shared *s, unsigned at)
{
    const struct page_request *p = &s->request[at];

    return (struct ended){
        GET(p->comm), GET(p->peer), GET(p->tag),
        receives(GET(p->call)) && !GET(uncounted[at]) };
}

const int *request_status(const struct page_shared *s, unsigned at,
                          const struct about *a, int32_t i)
{
    const struct page_request *p = &s->request[at];

    return UNLIKELY(GET(p->peer) < 0 || GET(p->tag) < 0) ? status_at(a, i) : NULL;
}

/* After the page no longer says that it is waited for. */
static void count(const struct ended *e, const int *status)
{
    int32_t peer = e->peer, tag = e->tag;

    if (!e->received)
        return;
    if ((peer < 0 || tag < 0) && peer != PAGE_NULL && status)
        comm_status(comm_by_id(e->comm), status, &peer, &tag);
    messages_received(e->comm, peer, tag);
}

void request_copy(const struct page_request *p, struct request *r)
{
    r->comm = GET(p->comm);
    r->bytes = GET(p->bytes);
    r->collective = GET(p->collective);
    r->peer = GET(p->peer);
    r->tag = GET(p->tag);
    r->call = GET(p->call);
}

uint32_t request_wait(struct request_wait *w, const struct about *a,
                      unsigned waiter, struct request *first)
{
    struct page_shared *s = atomic_load_explicit(&request_shown,
                                                 memory_order_acquire);
    uint32_t known = 0;

    w->n = 0;
    w->more = false;
    w->polls = s && polled_fits(w, a);
    if (w->polls) {
        known = polled_enter(w->polled, s, a, waiter, first);
        return known ? known | PAGE_BY_STANDING : 0;
    }
    for (int32_t i = 0; s && a->requests && i < a->nrequests; i++) {
        uintptr_t key = request_key_at(a, i);
        unsigned at = request_is_none(key) ? NOWHERE : request_find(s, key);

        if (at == NOWHERE || GET(s->request[at].idle))
            continue;
        request_own(s, at, w, waiter);
        if (known++ == 0)
            request_copy(&s->request[at], first);
        if (w->n < REQUEST_KEPT && i <= UINT16_MAX) {
            w->kept[w->n].place = (uint16_t)at;
            w->kept[w->n].at = (uint16_t)i;
            w->kept[w->n++].key = key;
        } else {
            w->more = true;
        }
    }
    return known;
}

/* Whoever got its handle since it was finished has taken our mark off, or
 * does so while we look: that is why the place is taken first. */
void request_settle(struct page_shared *s, unsigned at, uintptr_t key,
                    const void *who, enum request_fate fate,
                    const int *status)
{
    struct page_request *p = &s->request[at];
    uint64_t was = key;
    struct ended e;
    bool ours, promise;

    if (GET(owner[at]) != who)
        return;
    if (fate != REQUEST_GONE) {
        e = ended(s, at);
        SET(owner[at], NULL);
        SET(p->waiter, 0);
        if (fate == REQUEST_IDLE) {
            atomic_store_explicit(&p->idle, 1, memory_order_release);
            count(&e, status);
        }
        return;
    }
    if (!atomic_compare_exchange_strong(&s->request_key[at], &was, TAKEN))
        return;
    ours = GET(owner[at]) == who;
    promise = ours && (GET(p->call) == CALL_Comm_idup ||
                       GET(p->call) == CALL_Comm_idup_with_info);
    e = ended(s, at);
    if (ours) {
        SET(owner[at], NULL);
        SET(p->waiter, 0);
    }
    atomic_store_explicit(&s->request_key[at], ours ? 0 : key,
                          memory_order_release);
    if (ours)
        count(&e, status);
    if (promise)
        comm_kept(key);
}

/* Those still in the array are not finished, or persistent; all others with
 * our mark are. */
static void settle_more(struct page_shared *s, const struct request_wait *w,
                        const struct about *a, enum request_fate fate, bool ok)
{
    for (int32_t i = 0; i < a->nrequests; i++) {
        uintptr_t key = request_key_at(a, i);
        unsigned at = request_is_none(key) ? NOWHERE : request_find(s, key);

        if (at != NOWHERE)
            request_settle(s, at, key, w, fate,
                           ok ? request_status(s, at, a, i) : NULL);
    }
    for (unsigned at = 0; at < PAGE_REQUESTS; at++)
        if (GET(owner[at]) == w)
            request_settle(s, at, GET(s->request_key[at]), w, REQUEST_GONE,
                           NULL);
}

/* Persistent ones that one of many, or some, are said to be. */
static void settle_named(struct page_shared *s, const struct about *a)
{
    int n = a->nindex ? *a->nindex : 1;

    for (int i = 0; i < n && i < a->nrequests; i++) {
        int which = a->index[i] - ((a->traits & ABOUT_FORTRAN) != 0);
        uintptr_t key = which >= 0 && which < a->nrequests
                        ? request_key_at(a, which) : 0;
        unsigned at = request_is_none(key) ? NOWHERE : request_find(s, key);

        if (at != NOWHERE && !GET(s->request[at].idle)) {
            const struct ended e = ended(s, at);

            atomic_store_explicit(&s->request[at].idle, 1,
                                  memory_order_release);
            count(&e, status_at(a, which));
        }
    }
}

/* Its message is there, and the request goes on to be one. */
static void count_early(struct page_shared *s, const struct request_wait *w,
                        const struct about *a, unsigned i)
{
    unsigned at = w->kept[i].place;
    const struct ended e = ended(s, at);

    if (GET(owner[at]) != w || !status_is_over(a, w->kept[i].at))
        return;
    SET(uncounted[at], 1);
    count(&e, request_status(s, at, a, w->kept[i].at));
}

void request_waited(struct request_wait *w, const struct about *a, bool ok)
{
    struct page_shared *s = atomic_load_explicit(&request_shown,
                                                 memory_order_acquire);
    bool ended = ok && (a->traits & ABOUT_ENDS) && (!a->flag || *a->flag);
    enum request_fate stays = ended && !a->index ? REQUEST_IDLE
                                                 : REQUEST_PENDING;

    if (s && w->polls)
        polled_leave(w->polled, s, a, ok);
    if (!s || !w->n)
        return;
    for (unsigned i = 0; i < w->n; i++) {
        unsigned at = w->kept[i].place;
        const int *status = ok ? request_status(s, at, a, w->kept[i].at) : NULL;

        if (ok && !(a->traits & ABOUT_ENDS))
            count_early(s, w, a, i);
        request_settle(s, at, w->kept[i].key, w,
                       request_key_at(a, w->kept[i].at) == w->kept[i].key
                       ? stays : REQUEST_GONE, status);
    }
    if (w->more)
        settle_more(s, w, a, stays, ok);
    if (ended && a->index)
        settle_named(s, a);
    w->n = 0;
}

void request_left(struct request_wait *w)
{
    struct page_shared *s = atomic_load_explicit(&request_shown,
                                                 memory_order_acquire);

    for (unsigned at = 0; s && w->n && at < PAGE_REQUESTS; at++)
        if (GET(owner[at]) == w)
            request_settle(s, at, 0, w, REQUEST_PENDING, NULL);
    w->n = 0;
}

void request_end(struct request_wait *w)
{
    request_left(w);
    if (w->polled)
        polled_free(w->polled, atomic_load_explicit(&request_shown,
                                                    memory_order_acquire));
    w->polled = NULL;
}

/* A send to nobody is complete at once; what stands for it then stands for
 * all such requests. */
static void learn_empty(void)
{
    MPI_Comm self = HANDLE_OF(MPI_Comm, handle_known(HANDLE_SELF));
    MPI_Datatype type = HANDLE_OF(MPI_Datatype, handle_known(HANDLE_BYTE));
    MPI_Request r;
    MPI_Status status[2];       /* of either kind of MPI: not "ignore" */

    null_key = handle_known(HANDLE_NO_REQUEST);
    r = HANDLE_OF(MPI_Request, null_key);
    if (HANDLE_ASK(Isend, (const void *, int, MPI_Datatype, int, int, MPI_Comm,
                           MPI_Request *),
                   (NULL, 0, type, handle_flavor.proc_null, 0, self, &r),
                   -1) != MPI_SUCCESS)
        return;
    empty_key = handle_key((uintptr_t)r);
    if (!handle_flavor.ints && real_get(REAL_P, CALL_Request_c2f))
        empty_fortran = about_key(((MPI_Fint (*)(MPI_Request))
            real_get(REAL_P, CALL_Request_c2f))(r));
    HANDLE_ASK(Wait, (MPI_Request *, MPI_Status *), (&r, status), 0);
}

void request_start(struct page_header *h, struct page_shared *s)
{
    learn_empty();
    page = h;
    SET(status_known, true);
    atomic_store_explicit(&request_shown, s, memory_order_release);
}

void request_stop(void)
{
    atomic_store_explicit(&request_shown, NULL, memory_order_relaxed);
}
