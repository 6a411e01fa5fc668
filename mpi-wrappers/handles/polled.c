/* polled.c - many requests that are asked for again and again, see polled.h.
 *
 * What was there when we looked last is compared with what is there now; a
 * request that is finished leaves a handle of none behind, and its index is
 * told. Sets are few, and of fixed size: without one it goes as for any other
 * wait. */
#include "mpi-wrappers/handles/polled.h"

#include <string.h>

#include "mpi-wrappers/fields.h"
#include "mpi-wrappers/handles/handle.h"

enum {
    SETS = 16,                  /* threads that poll at once */
    LEAST = 8,                  /* requests: less are looked up as quickly */
    AT_ONCE = 32,               /* handles to compare */
};

struct polled {
    atomic_flag taken;
    atomic_bool stale;          /* (any thread) look at everything again */
    bool fortran;
    unsigned waiter;
    uint64_t starts;            /* of request_starts, at the last look */
    int32_t n;
    int32_t first;              /* no known one is before it */
    uint32_t known;
    uint16_t place[PAGE_REQUESTS];
    _Alignas(64) char raw[PAGE_REQUESTS * sizeof(uintptr_t)];
};

static struct polled sets[SETS];

bool polled_fits(struct request_wait *w, const struct about *a)
{
    if (!(a->traits & ABOUT_ENDS) || !(a->flag || a->index) || !a->requests ||
        a->nrequests < LEAST || a->nrequests > PAGE_REQUESTS)
        return false;
    for (unsigned i = 0; !w->polled && i < SETS; i++)
        if (!atomic_flag_test_and_set_explicit(&sets[i].taken,
                                               memory_order_acquire))
            w->polled = &sets[i];
    return w->polled != NULL;
}

void polled_disturb(const void *who)
{
    uintptr_t at = (uintptr_t)who - (uintptr_t)sets;

    if (at < sizeof(sets))
        SET(sets[at / sizeof(sets[0])].stale, true);
}

static size_t width(const struct polled *p)
{
    return p->fortran || handle_flavor.ints ? sizeof(int) : sizeof(uintptr_t);
}

static uintptr_t key_of(const struct polled *p, int32_t i)
{
    const struct about was = { .traits = p->fortran ? ABOUT_FORTRAN : 0,
                               .requests = p->raw };

    return request_key_at(&was, i);
}

/* Is it another one than it was? n in a row; those from i on. */
static bool differ(const struct polled *p, const struct about *a, int32_t i,
                   int32_t n)
{
    size_t bytes = width(p), at = (size_t)i * bytes;

    return memcmp(p->raw + at, (const char *)a->requests + at,
                  (size_t)n * bytes) != 0;
}

static void copy(struct polled *p, const struct about *a, int32_t i)
{
    size_t bytes = width(p), at = (size_t)i * bytes;

    memcpy(p->raw + at, (const char *)a->requests + at, bytes);
}

/* The first index from i on that differs, or is not below both; n: none. */
static int32_t next(const struct polled *p, const struct about *a, int32_t i,
                    int32_t both, int32_t n)
{
    while (i + AT_ONCE <= both && !differ(p, a, i, AT_ONCE))
        i += AT_ONCE;
    while (i < both && !differ(p, a, i, 1))
        i++;
    return i < n ? i : n;
}

static void end(struct polled *p, struct page_shared *s, int32_t i,
                enum request_fate fate, const int *status)
{
    unsigned at = p->place[i];

    if (at >= REQUEST_NOWHERE)
        return;
    p->place[i] = REQUEST_NOWHERE;
    p->known--;
    request_settle(s, at, key_of(p, i), p, fate, status);
}

static void begin(struct polled *p, struct page_shared *s,
                  const struct about *a, int32_t i)
{
    uintptr_t key;
    unsigned at;

    copy(p, a, i);
    key = key_of(p, i);
    at = request_is_none(key) ? REQUEST_NOWHERE : request_find(s, key);
    if (at != REQUEST_NOWHERE && GET(s->request[at].idle))
        at = REQUEST_NOWHERE;
    p->place[i] = (uint16_t)at;
    if (at == REQUEST_NOWHERE)
        return;
    request_own(s, at, p, p->waiter | PAGE_STANDING);
    p->known++;
    if (i < p->first)
        p->first = i;
}

/* Those that are elsewhere in the array now keep their places: what is no
 * longer where it was goes first, then what is new comes. */
static COLD void look_again(struct polled *p, struct page_shared *s,
                            const struct about *a)
{
    bool fortran = a->traits & ABOUT_FORTRAN;
    uint64_t starts = GET(request_starts);
    bool all = GET(p->stale) || p->starts != starts || p->fortran != fortran;
    int32_t n = a->nrequests, both = all ? 0 : n < p->n ? n : p->n;

    SET(p->stale, false);
    for (int32_t i = next(p, a, 0, both, p->n); i < p->n;
         i = next(p, a, i + 1, both, p->n))
        end(p, s, i, REQUEST_PENDING, NULL);
    p->starts = starts;
    p->fortran = fortran;
    for (int32_t i = next(p, a, 0, both, n); i < n;
         i = next(p, a, i + 1, both, n))
        begin(p, s, a, i);
    p->n = n;
}

uint32_t polled_enter(struct polled *p, struct page_shared *s,
                      const struct about *a, unsigned waiter,
                      struct request *first)
{
    p->waiter = waiter;
    if (p->n != a->nrequests || GET(p->stale) ||
        p->fortran != (bool)(a->traits & ABOUT_FORTRAN) ||
        p->starts != GET(request_starts) || differ(p, a, 0, p->n))
        look_again(p, s, a);
    while (p->first < p->n && p->place[p->first] == REQUEST_NOWHERE)
        p->first++;
    if (p->known && p->first < p->n)
        request_copy(&s->request[p->place[p->first]], first);
    return p->known;
}

/* A handle that has not changed is that of a persistent one. */
static void finish(struct polled *p, struct page_shared *s,
                   const struct about *a, int32_t i, bool ok)
{
    unsigned at = p->place[i];

    end(p, s, i, differ(p, a, i, 1) ? REQUEST_GONE : REQUEST_IDLE,
        ok && at < REQUEST_NOWHERE ? request_status(s, at, a, i) : NULL);
    copy(p, a, i);
}

/* An error may have ended some of them, who knows which. */
static COLD void after_error(struct polled *p, struct page_shared *s,
                             const struct about *a)
{
    for (int32_t i = next(p, a, 0, p->n, p->n); i < p->n;
         i = next(p, a, i + 1, p->n, p->n))
        finish(p, s, a, i, false);
}

void polled_leave(struct polled *p, struct page_shared *s,
                  const struct about *a, bool ok)
{
    int n = a->nindex && ok ? *a->nindex : 1;

    if (!ok) {
        after_error(p, s, a);
        return;
    }
    if (a->flag && !*a->flag)
        return;
    for (int32_t i = 0; !a->index && i < p->n; i++)
        finish(p, s, a, i, true);
    for (int i = 0; a->index && i < n && i < p->n; i++) {
        int which = a->index[i] - (int)p->fortran;

        if (which >= 0 && which < p->n)
            finish(p, s, a, which, true);
    }
}

void polled_free(struct polled *p, struct page_shared *s)
{
    for (int32_t i = 0; s && i < p->n; i++)
        end(p, s, i, REQUEST_PENDING, NULL);
    p->n = p->first = 0;
    p->known = 0;
    atomic_flag_clear_explicit(&p->taken, memory_order_release);
}
