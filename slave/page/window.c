/* window.c - the model of a stretch of time, see window.h.
 *
 * Invariant: a reading that is ended is sorted, and has an edge once. */
#include "slave/page/window.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "proto/base/array.h"
#include "proto/base/clock.h"

const uint64_t window_ns = 60 * CLOCK_NS_PER_S;

/* What is less than nothing by more than this, of the whole, is no rounding. */
#define ROUNDED 1e-6

/* ------------------------------------------------------------- two samples */

static void join(struct window_sample *to, double n,
                 const struct window_sample *b, double n_b)
{
    double d = b->mean - to->mean, all = n + n_b;

    to->m2 += b->m2 + d * d * n * (n_b / all);
    to->mean += d * (n_b / all);
}

/* Backwards: of n + n_b together, and of the n_b, what the n are. */
static bool leave(struct window_sample *whole, double n,
                  const struct window_sample *b, double n_b)
{
    double all = n + n_b, d = whole->mean - b->mean;
    struct window_sample is = { whole->mean + d * (n_b / n), 0 };
    double apart = is.mean - b->mean;

    is.m2 = whole->m2 - b->m2 - apart * apart * n_b * (n / all);
    if (!isfinite(is.mean) || !isfinite(is.m2) ||
        is.mean * n < -ROUNDED * whole->mean * all ||
        is.m2 < -ROUNDED * (whole->m2 + all * whole->mean * whole->mean))
        return false;
    whole->mean = is.mean > 0 ? is.mean : 0;
    whole->m2 = is.m2 > 0 && n > 1 ? is.m2 : 0;
    return true;
}

bool window_less(struct window_edge *whole, const struct window_edge *before)
{
    struct window_edge is = *whole;
    double n = (double)(whole->n - before->n), n_b = (double)before->n;

    if (before->n > whole->n)
        return false;
    is.n = whole->n - before->n;
    if (is.n && before->n &&
        !(leave(&is.in, n, &before->in, n_b) &&
          leave(&is.out, n, &before->out, n_b) &&
          leave(&is.bytes, n, &before->bytes, n_b)))
        return false;
    *whole = is;
    return true;
}

/* ---------------------------------------------------------------- readings */

void window_fini(struct window *w)
{
    free(w->edge);
    *w = (struct window){ 0 };
}

static int by_place(const void *a, const void *b)
{
    const struct window_edge *x = a, *y = b;

    return x->slot != y->slot ? (x->slot > y->slot) - (x->slot < y->slot)
                              : (x->ends > y->ends) - (x->ends < y->ends);
}

/* Edges of several phases become one. */
static void end(struct window *w)
{
    size_t n = 0;

    if (w->n)
        qsort(w->edge, w->n, sizeof(*w->edge), by_place);
    for (size_t i = 0; i < w->n; i++) {
        struct window_edge *to = n ? &w->edge[n - 1] : NULL, *e = &w->edge[i];

        if (!to || by_place(to, e) != 0) {
            w->edge[n++] = *e;
            continue;
        }
        join(&to->in, (double)to->n, &e->in, (double)e->n);
        join(&to->out, (double)to->n, &e->out, (double)e->n);
        join(&to->bytes, (double)to->n, &e->bytes, (double)e->n);
        to->n += e->n;
    }
    w->n = n;
}

/* Of a bank that was being emptied nothing is known. */
static bool is_whole(const struct state_model *m)
{
    for (unsigned i = 0; i < PAGE_BANKS; i++)
        if (m->bank[i].missed)
            return false;
    return true;
}

static bool add_thread(struct window *w, const struct state_model *m,
                       uint32_t slot)
{
    size_t room = WINDOW_EDGES - w->n;
    size_t n = m->nedges < room ? m->nedges : room;

    if (!is_whole(m) || array_reserve(&w->edge, &w->cap, w->n + n))
        return false;
    w->lost += m->nedges - n;
    w->damaged += m->damaged;
    for (size_t i = 0; i < n; i++) {
        const struct state_edge *e = &m->edge[i];

        if (e->n >> 62) {               /* sums of them would wrap */
            w->damaged++;
            continue;
        }
        w->edge[w->n++] = (struct window_edge){
            .slot = slot, .ends = (uint32_t)e->from << 16 | e->to, .n = e->n,
            .in = { e->in_mean, e->in_m2 }, .out = { e->out_mean, e->out_m2 },
            .bytes = { e->bytes_mean, e->bytes_m2 } };
    }
    return true;
}

static uint64_t began(const char *page)
{
    const struct page_header *h = (const struct page_header *)page;

    return atomic_load_explicit(&h->start_ticks, memory_order_relaxed);
}

bool window_read(struct window *w, struct state_model *one, const char *page,
                 uint64_t now_ns)
{
    static struct state_thread threads[PAGE_SLOTS];
    unsigned n = state_threads(page, threads, PAGE_SLOTS);

    w->n = 0;
    w->damaged = w->lost = w->began_ticks = 0;
    for (unsigned i = 0; i < n; i++) {
        state_model_read(one, page, threads[i].slot);
        if (!add_thread(w, one, threads[i].slot))
            return false;
    }
    end(w);
    w->at_ns = now_ns;
    w->began_ticks = began(page);
    return true;
}

void window_since(struct window *w, const struct window *before)
{
    size_t n = 0, at = 0;

    for (size_t i = 0; i < w->n; i++) {
        struct window_edge e = w->edge[i];

        while (at < before->n && by_place(&before->edge[at], &e) < 0)
            at++;
        if (at < before->n && by_place(&before->edge[at], &e) == 0 &&
            !window_less(&e, &before->edge[at])) {
            w->damaged++;
            continue;
        }
        if (e.n)
            w->edge[n++] = e;
    }
    w->n = n;
}

size_t window_of_slot(const struct window *w, uint32_t slot,
                      const struct window_edge **first)
{
    size_t from = 0, to;

    while (from < w->n && w->edge[from].slot < slot)
        from++;
    for (to = from; to < w->n && w->edge[to].slot == slot; to++)
        ;
    *first = w->edge + from;
    return to - from;
}

/* -------------------------------------------------------------------- kept */

void windows_free(struct windows *k)
{
    for (unsigned i = 0; k && i < k->n; i++)
        window_fini(&k->kept[i]);
    free(k);
}

static void drop(struct windows *k, unsigned i)
{
    window_fini(&k->kept[i]);
    k->n--;
    memmove(&k->kept[i], &k->kept[i + 1], (k->n - i) * sizeof(*k->kept));
}

/* Between whose neighbours the ratio of ages is the least; never one of the last
 * two. */
static unsigned least_missed(const struct windows *k, uint64_t now_ns)
{
    double before = (double)(now_ns - k->began_ns), least = HUGE_VAL;
    unsigned is = 0;

    for (unsigned i = 0; i + 2 < k->n; i++) {
        double ratio = before / (double)(now_ns - k->kept[i + 1].at_ns + 1);

        if (ratio < least) {
            least = ratio;
            is = i;
        }
        before = (double)(now_ns - k->kept[i].at_ns);
    }
    return is;
}

static bool keep(struct windows *k, const char *page, pid_t pid,
                 uint64_t now_ns)
{
    struct window w = { 0 };
    struct state_model one;
    bool is;

    if (state_model_init(&one, NULL))
        return false;
    is = window_read(&w, &one, page, now_ns);
    state_model_fini(&one);
    if (!is) {
        window_fini(&w);                /* the next tick tries again */
        return false;
    }
    delay_read(&w.delay, pid);
    while (k->n && k->kept[0].began_ticks != w.began_ticks)
        drop(k, 0);
    if (k->n == WINDOWS_KEPT)
        drop(k, least_missed(k, now_ns));
    k->kept[k->n++] = w;
    return true;
}

/* Readings of tasks that have begun together stay together. */
void windows_tick(struct windows **k, const char *page, pid_t pid,
                  uint64_t now_ns)
{
    if (!*k) {
        *k = calloc(1, sizeof(**k));
        if (*k)
            (*k)->began_ns = (*k)->last_ns = now_ns;
    } else if (now_ns - (*k)->last_ns >= window_ns && keep(*k, page, pid, now_ns)) {
        (*k)->last_ns += (now_ns - (*k)->last_ns) / window_ns * window_ns;
    }
}

static bool has(const struct windows *k, const char *page)
{
    return k && k->n && k->kept[0].began_ticks == began(page);
}

const struct window *windows_before(const struct windows *k, const char *page)
{
    return has(k, page) ? &k->kept[k->n > 1 ? k->n - 2 : 0] : NULL;
}

static double ratio_of(uint64_t a, uint64_t b)
{
    double x = (double)a + 1, y = (double)b + 1;

    return x > y ? x / y : y / x;
}

const struct window *windows_from(const struct windows *k, const char *page,
                                  uint64_t now_ns, uint64_t ago_ns,
                                  uint64_t age_ns)
{
    double least = ago_ns < age_ns ? ratio_of(age_ns, ago_ns) : 1;
    const struct window *is = NULL;

    for (unsigned i = 0; has(k, page) && i < k->n; i++) {
        double ratio = ratio_of(now_ns - k->kept[i].at_ns, ago_ns);

        if (ratio < least) {
            least = ratio;
            is = &k->kept[i];
        }
    }
    return is;
}
