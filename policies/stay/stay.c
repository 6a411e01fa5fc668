/* stay.c - the optimizer that never moves: it places jobs that wait, and does
 * it as a master does that has none (master/state/place.c). Each round hands
 * out one more share of the slots, what other tasks use is taken off, and a
 * host is filled before the next one; memory, features and draining hosts are
 * heeded. */
#include <stdio.h>
#include <string.h>

#include "policies/hct_optimizer.h"

static const struct hct_param params[] = { { .name = NULL } };

struct host {
    uint64_t used;              /* slots, by tasks that are there */
    uint64_t most;              /* tasks of this job that may come; 0: none */
    uint64_t memory;            /* of the tasks that are there */
};

static size_t state_bytes(const struct hct_system *in)
{
    return in->nhosts * sizeof(struct host);
}

/* Tasks of the job that host i may have when so many rounds are handed out. */
static uint64_t room(const struct hct_system *in, const struct host *h,
                     uint32_t i, uint64_t rounds)
{
    uint64_t slots = hct_host(in, i)->slots, n = rounds * (slots ? slots : 1);

    n = n > h[i].used ? n - h[i].used : 0;
    return n < h[i].most ? n : h[i].most;
}

static uint64_t total(const struct hct_system *in, const struct host *h,
                      uint64_t rounds)
{
    uint64_t n = 0;

    for (uint32_t i = 0; i < in->nhosts; i++)
        n += room(in, h, i, rounds);
    return n;
}

/* The largest task decides for all: it has to find room wherever it comes. */
static uint64_t largest(const struct hct_system *in, const struct hct_work *w)
{
    uint64_t each = 0;

    for (uint32_t k = 0; k < w->ntasks; k++) {
        uint64_t m = hct_seat(in, w->first + k)->memory_bytes;

        each = m > each ? m : each;
    }
    return each;
}

static uint64_t most_of(const struct hct_system *in, const struct host *h,
                        const struct hct_work *w, uint32_t i, uint64_t each)
{
    const struct hct_host *n = hct_host(in, i);
    uint64_t most = w->per_node ? w->per_node : w->ntasks;

    if ((n->flags & HCT_HOST_DRAINING) || (w->features & ~n->features))
        return 0;
    if (n->memory_bytes && each) {
        uint64_t free = n->memory_bytes > h[i].memory
                        ? n->memory_bytes - h[i].memory : 0;

        most = free / each < most ? free / each : most;
    }
    return most;
}

static void put(const struct hct_system *in, struct host *h,
                struct hct_plan *out, uint32_t work, uint32_t *rank,
                uint32_t host, uint64_t n)
{
    const struct hct_work *w = hct_work(in, work);

    for (uint64_t k = 0; k < n; k++) {
        uint32_t seat = w->first + (*rank)++;
        struct hct_plan_step *s = hct_plan_add(out, HCT_PLAN_PLACE);

        h[host].used++;
        h[host].memory += hct_seat(in, seat)->memory_bytes;
        if (!s)
            continue;
        s->work = work;
        s->seat = seat;
        s->host = host;
        snprintf(s->why, sizeof(s->why), "by slots");
    }
}

static void place(const struct hct_system *in, struct host *h,
                  struct hct_plan *out, uint32_t work)
{
    const struct hct_work *w = hct_work(in, work);
    uint64_t rounds = 1, rest = w->ntasks, each = largest(in, w);
    uint32_t rank = 0;

    for (uint32_t i = 0; i < in->nhosts; i++)
        h[i].most = most_of(in, h, w, i, each);
    if (total(in, h, UINT32_MAX) < w->ntasks)
        return;                 /* it goes on waiting */
    while (total(in, h, rounds) < w->ntasks)
        rounds++;
    /* Earlier rounds are full; the last one goes as far as it goes. */
    rest -= total(in, h, rounds - 1);
    for (uint32_t i = 0; i < in->nhosts; i++) {
        uint64_t n = room(in, h, i, rounds - 1);
        uint64_t more = room(in, h, i, rounds) - n;

        more = more < rest ? more : rest;
        rest -= more;
        h[i].most = n + more;
    }
    for (uint32_t i = 0; i < in->nhosts; i++)
        put(in, h, out, work, &rank, i, h[i].most);
}

static int plan(void *state, const struct hct_system *in, struct hct_plan *out)
{
    struct host *h = state;

    for (uint32_t i = 0; i < in->nseats; i++) {
        const struct hct_seat *s = hct_seat(in, i);

        if (s->host < in->nhosts) {
            h[s->host].used++;
            h[s->host].memory += s->memory_bytes;
        }
    }
    for (uint32_t i = 0; i < in->nworks; i++)
        if (hct_work(in, i)->flags & HCT_WORK_WAITING)
            place(in, h, out, i);
    return 0;
}

static const struct hct_optimizer optimizer = {
    .major = HCT_OPTIMIZER_MAJOR, .minor = HCT_OPTIMIZER_MINOR,
    .name = "stay", .help = "places jobs by slots, and never moves a task",
    .params = params, .state_bytes = state_bytes, .plan = plan,
};

const struct hct_optimizer *hct_optimizer(void)
{
    return &optimizer;
}
