/* plan_draw.h - systems for optimizers, drawn by a seed: what any host may tell
 * them. */
#ifndef HECTOR_TEST_PLAN_DRAW_H
#define HECTOR_TEST_PLAN_DRAW_H

#include <math.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#include "policies/hct_optimizer.h"
#include "proto/base/idtable.h"

struct drawn {
    struct hct_system in;
    struct hct_host *hosts;     /* owned, like the rest */
    struct hct_work *works;
    struct hct_seat *seats;
    struct hct_traffic *traffic;
};

static inline double drawn_part(uint64_t seed, uint64_t *n)
{
    return (double)(idtable_mix(seed, ++*n) >> 11) / (double)(1ull << 53);
}

static inline uint32_t drawn_below(uint64_t seed, uint64_t *n, uint32_t below)
{
    return (uint32_t)(drawn_part(seed, n) * below);
}

static inline void drawn_host(struct drawn *d, uint32_t i, uint64_t *n)
{
    uint64_t seed = d->in.seed;
    uint32_t slots = 1 + drawn_below(seed, n, 16);

    d->hosts[i] = (struct hct_host){
        .id = 7 * i + 1, .slots = slots,
        .speed = 0.25 * (1 + drawn_below(seed, n, 4)),
        .load = drawn_part(seed, n) < 0.2 ? drawn_part(seed, n) * slots : 0,
        .memory_bytes = drawn_part(seed, n) < 0.5
                        ? 0 : (uint64_t)(slots + 2) << 30,
        .features = drawn_below(seed, n, 4),
        .flags = drawn_part(seed, n) < 0.05 ? (uint32_t)HCT_HOST_OWNER
                 : drawn_part(seed, n) < 0.05 ? (uint32_t)HCT_HOST_DRAINING : 0,
    };
}

/* Where it may be; HCT_NOWHERE: nowhere, after some tries. */
static inline uint32_t drawn_place(struct drawn *d, const struct hct_work *w,
                                   const uint64_t *memory, uint64_t bytes,
                                   uint64_t *n)
{
    for (int k = 0; k < 200; k++) {
        uint32_t i = drawn_below(d->in.seed, n, d->in.nhosts), there = 0;
        const struct hct_host *h = &d->hosts[i];

        for (uint32_t t = w->first; t < d->in.nseats; t++)
            there += d->seats[t].host == i;
        if (!(w->features & ~h->features) &&
            (!w->per_node || there < w->per_node) &&
            (!h->memory_bytes || memory[i] + bytes <= h->memory_bytes))
            return i;
    }
    return HCT_NOWHERE;
}

static inline void drawn_traffic(struct drawn *d, const struct hct_work *w,
                                 uint64_t *n)
{
    if (drawn_part(d->in.seed, n) < 0.5)
        return;
    for (uint32_t a = 0; a + 1 < w->ntasks; a++)
        for (uint32_t b = a + 1; b < w->ntasks && b < a + 3; b++)
            d->traffic[d->in.ntraffic++] = (struct hct_traffic){
                w->first + a, w->first + b,
                pow(10, 3 + 6 * drawn_part(d->in.seed, n)) };
}

/* A job whose tasks find no place has none, and waits. */
static inline void drawn_work(struct drawn *d, uint32_t i, uint32_t ntasks,
                              uint64_t *memory, uint64_t *n)
{
    uint64_t seed = d->in.seed;
    struct hct_work *w = &d->works[i];
    double state = drawn_part(seed, n);
    uint64_t bytes = (uint64_t)(drawn_part(seed, n) * (1 << 30));

    *w = (struct hct_work){
        .id = 3 * i + 2, .first = d->in.nseats, .ntasks = ntasks,
        .priority = (int32_t)drawn_below(seed, n, 5) - 2, .margin = 1,
        .class_ = drawn_below(seed, n, 3), .image_bytes = bytes,
        .per_node = drawn_part(seed, n) < 0.1 ? 4 : 0,
        .features = drawn_part(seed, n) < 0.1 ? 1 : 0,
        .rest_s = drawn_part(seed, n) < 0.5
                  ? 0 : pow(10, 4 * drawn_part(seed, n)),
        .used_s = pow(10, 4 * drawn_part(seed, n)),
        .flags = (drawn_part(seed, n) < 0.9 ? (uint32_t)HCT_WORK_MOVABLE : 0) |
                 (state < 0.15 ? (uint32_t)HCT_WORK_WAITING
                  : state < 0.2 ? (uint32_t)HCT_WORK_SUSPENDED
                  : state < 0.25 ? (uint32_t)HCT_WORK_MOVING : 0),
        .submitted_ns = drawn_below(seed, n, 1000),
    };
    for (uint32_t k = 0; k < ntasks; k++) {
        struct hct_seat *s = &d->seats[d->in.nseats];

        *s = (struct hct_seat){
            .work = i, .rank = k, .host = HCT_NOWHERE, .memory_bytes = bytes,
            .wants = drawn_part(seed, n) < 0.8 ? 1 : drawn_part(seed, n) };
        if (!(w->flags & HCT_WORK_WAITING))
            s->host = drawn_place(d, w, memory, bytes, n);
        if (s->host != HCT_NOWHERE)
            memory[s->host] += bytes;
        else if (!(w->flags & HCT_WORK_WAITING)) {
            for (; k > 0; k--)
                d->seats[--d->in.nseats].work = 0;
            memset(w, 0, sizeof(*w));
            w->first = d->in.nseats;
            return;
        }
        d->in.nseats++;
    }
    if (!(w->flags & HCT_WORK_WAITING))
        drawn_traffic(d, w, n);
}

/* At most so many tasks, of at most so many a job. */
static inline void drawn_open(struct drawn *d, uint64_t seed, uint32_t nhosts,
                              uint32_t ntasks, uint32_t each)
{
    uint64_t *memory = calloc(nhosts, sizeof(*memory)), n = 0;

    *d = (struct drawn){ .in = {
        .size = sizeof(d->in), .seq = 1, .now_ns = 1000000, .seed = seed,
        .move_s = 0.5, .move_bytes_s = 2e8, .nhosts = nhosts,
        .host_size = sizeof(*d->hosts), .work_size = sizeof(*d->works),
        .seat_size = sizeof(*d->seats), .traffic_size = sizeof(*d->traffic) } };
    d->hosts = calloc(nhosts, sizeof(*d->hosts));
    d->works = calloc(ntasks, sizeof(*d->works));
    d->seats = calloc(ntasks + 1, sizeof(*d->seats));
    d->traffic = calloc(2 * (size_t)ntasks + 1, sizeof(*d->traffic));
    if (!memory || !d->hosts || !d->works || !d->seats || !d->traffic)
        abort();
    for (uint32_t i = 0; i < nhosts; i++)
        drawn_host(d, i, &n);
    while (d->in.nseats < ntasks) {
        uint32_t want = 1 + drawn_below(seed, &n, each);
        uint32_t was = d->in.nseats, room = ntasks - was;

        drawn_work(d, d->in.nworks++, want < room ? want : room, memory, &n);
        if (d->in.nseats == was)
            break;              /* it is full */
    }
    d->in.hosts = d->hosts;
    d->in.works = d->works;
    d->in.seats = d->seats;
    d->in.traffic = d->traffic;
    free(memory);
}

static inline void drawn_close(struct drawn *d)
{
    free(d->hosts);
    free(d->works);
    free(d->seats);
    free(d->traffic);
}

/* As it is when the plan has been carried out. */
static inline void drawn_apply(struct drawn *d, const struct hct_plan_step *step,
                               uint32_t n)
{
    for (uint32_t i = 0; i < n; i++) {
        d->seats[step[i].seat].host = step[i].host;
        d->works[step[i].work].flags &= ~(uint32_t)HCT_WORK_WAITING;
    }
}

#endif
