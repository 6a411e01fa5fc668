/* remark.c - see remark.h. */
#include "slave/gather/remark.h"

#include <stdio.h>
#include <string.h>

#include "mpi-wrappers/table/calls.h"
#include "proto/base/clock.h"
#include "proto/base/str.h"
#include "slave/gather/awaited.h"

enum { REMARK_THREADS = 64 };

static void add_age(struct str *to, const struct remark_task *t, uint64_t ticks)
{
    const struct page_header *h = (const void *)t->page;
    uint32_t clock = atomic_load_explicit(&h->clock, memory_order_relaxed);
    uint64_t now = ticks_now(clock);
    uint64_t ns = now > ticks ? ticks_ns(t->ticks, clock, now - ticks) : 0;

    if (ns < CLOCK_NS_PER_S)
        str_addf(to, "%.0f ms", (double)ns / CLOCK_NS_PER_MS);
    else
        str_addf(to, "%.1f s", (double)ns / CLOCK_NS_PER_S);
}

/* "task 1 with tag 7" */
static void add_whose(struct str *to, int32_t peer, int32_t tag)
{
    if (peer == PAGE_ANY)
        str_add(to, "any task");
    else
        str_addf(to, "task %d", peer);
    if (tag == PAGE_ANY)
        str_add(to, " with any tag");
    else
        str_addf(to, " with tag %d", tag);
}

static void set(struct unwinder_remark *to, const struct remark_task *t,
                uint32_t site, struct str *text)
{
    struct state_site s;

    snprintf(to->text, sizeof(to->text), "%s", str_text(text));
    str_fini(text);
    if (state_site_in(t->page, site, &s) < 1)
        return;
    for (; to->nframes < s.frames && to->nframes < PAGE_FRAMES; to->nframes++)
        to->pc[to->nframes] = s.frame[to->nframes];
    if (to->nframes)
        to->pc[0]--;            /* in the call, not behind it */
}

void remark_taken(struct unwinder_remark *to, const struct remark_task *t)
{
    struct str text = { 0 };
    struct awaited a;

    if (!awaited_find(t->page, &a))
        return;
    to->awaits = a.peer >= 0 ? (uint64_t)a.peer + 1 : 0;
    if (!a.known)
        return;
    str_add(&text, a.taker.peer == a.peer && a.taker.tag == a.tag
            ? "took the last message like the one that is awaited: "
            : "may have taken what is awaited: ");
    str_addf(&text, "%s, from ", call_name(a.taker.call));
    add_whose(&text, a.taker.peer, a.taker.tag);
    str_add(&text, ", ");
    add_age(&text, t, a.taker.exit_ticks);
    str_add(&text, " ago");
    set(to, t, a.taker.site, &text);
}

/* Each once, as long as there is room. */
static void add_call(uint64_t v[UNWINDER_LATELY], uint32_t *n, uint64_t pc)
{
    for (uint32_t i = 0; i < *n; i++)
        if (v[i] == pc)
            return;
    if (pc && *n < UNWINDER_LATELY)
        v[(*n)++] = pc;
}

static uint64_t return_of(const char *page, uint32_t site)
{
    struct state_site s;

    return state_site_in(page, site, &s) == 1 && s.frames ? s.frame[0] : 0;
}

void remark_lately(struct unwinder_remark *to, const struct remark_task *t)
{
    static struct state_flight v[4 * PAGE_FLIGHT];
    unsigned n = state_flights_all(t->page, v, 4 * PAGE_FLIGHT);

    for (unsigned i = n; i-- > 0; )
        add_call(to->lately, &to->nlately, return_of(t->page, v[i].site));
}

/* Programs are mapped where the kernel likes: where it would be here. 0: it is
 * in none of the same build. */
static uint64_t moved(const char *from, const char *to, uint64_t pc)
{
    static struct state_module theirs[PAGE_MODULES], own[PAGE_MODULES];
    unsigned n = state_modules(from, theirs, PAGE_MODULES);
    unsigned m = state_modules(to, own, PAGE_MODULES);

    for (unsigned i = 0; i < n; i++)
        for (unsigned k = 0; k < m && pc >= theirs[i].start && pc < theirs[i].end;
             k++)
            if (theirs[i].id_bytes && own[k].id_bytes == theirs[i].id_bytes &&
                memcmp(own[k].id, theirs[i].id, own[k].id_bytes) == 0)
                return pc - theirs[i].base + own[k].base;
    return 0;
}

int32_t remark_peer(const struct remark_task *t)
{
    struct awaited a;

    return awaited_find(t->page, &a) ? a.peer : PAGE_ANY;
}

void remark_theirs(struct unwinder_remark *to, const struct remark_task *t,
                   const struct remark_task *other)
{
    static struct state_thread v[REMARK_THREADS];
    unsigned n = state_threads(other->page, v, REMARK_THREADS);
    struct awaited_sent sent;
    uint32_t site;

    for (unsigned i = 0; i < n; i++) {
        site = page_site_in(v[i].slot, v[i].site);
        add_call(to->theirs, &to->ntheirs,
                 moved(other->page, t->page, return_of(other->page, site)));
    }
    if (awaited_sent(other->page, t->rank, &sent))
        add_call(to->theirs, &to->ntheirs,
                 moved(other->page, t->page,
                       return_of(other->page, sent.by.site)));
}

void remark_loaded(struct unwinder_remark *to, const struct remark_task *t)
{
    static struct state_module v[PAGE_MODULES];
    unsigned n = state_modules(t->page, v, PAGE_MODULES);

    for (unsigned i = 0; i < n; i++) {
        struct unwinder_loaded *l = &to->loaded[i];

        l->start = v[i].start;
        l->id_bytes = v[i].id_bytes;
        memcpy(l->id, v[i].id, sizeof(l->id));
    }
    to->nloaded = n;
}

void remark_sent(struct unwinder_remark *to, const struct remark_task *t,
                 uint32_t rank)
{
    struct str text = { 0 };
    struct awaited_sent s;

    if (!awaited_sent(t->page, rank, &s))
        return;
    str_addf(&text, "task %u %s: %s to ", t->rank,
             s.in ? "sends to it, and is in the call" : "sent to it last",
             call_name(s.by.call));
    add_whose(&text, s.by.peer, s.by.tag);
    str_add(&text, s.in ? ", for " : ", ");
    add_age(&text, t, s.in ? s.by.enter_ticks : s.by.exit_ticks);
    str_add(&text, s.in ? "" : " ago");
    set(to, t, s.by.site, &text);
}
