/* leave.c - see leave.h. */
#include "master/move/leave.h"

#include <errno.h>
#include <stdlib.h>

#include "master/state/place.h"

static uint32_t free_of(const struct leave_host *h)
{
    return h->cpus > h->used ? h->cpus - h->used : 0;
}

/* Does it come before the other one? Of those alike the first one does; where
 * nothing is free, the one with less on it. */
static bool is_freer(const struct leave_host *a, const struct leave_host *b)
{
    if (free_of(a) != free_of(b))
        return free_of(a) > free_of(b);
    return free_of(a) == 0 &&
           (uint64_t)a->used * b->cpus < (uint64_t)b->used * a->cpus;
}

static void sort(const struct leave_host *hosts, size_t n, uint32_t *order)
{
    for (size_t i = 0; i < n; i++) {
        size_t k = i;

        for (; k > 0 && is_freer(&hosts[i], &hosts[order[k - 1]]); k--)
            order[k] = order[k - 1];
        order[k] = (uint32_t)i;
    }
}

static int check_room(const struct leave_host *hosts, size_t n,
                      uint32_t ntasks, struct err *err)
{
    uint64_t all = 0;

    for (size_t i = 0; i < n; i++)
        all += free_of(&hosts[i]);
    if (all >= ntasks)
        return 0;
    return err_set(err, ENOSPC, "there is no room: %u task%s to leave, and %llu "
                   "processor%s free on %zu other node%s", ntasks,
                   ntasks == 1 ? " is" : "s are", (unsigned long long)all,
                   all == 1 ? " is" : "s are", n, n == 1 ? "" : "s");
}

int leave_plan(const struct leave_host *hosts, size_t nhosts, uint32_t ntasks,
               bool crowds, uint32_t *host_of, struct err *err)
{
    struct place_wish wish = { .ntasks = ntasks };
    struct place_host *places;
    uint32_t *order, *count;
    int rc;

    if (!crowds && check_room(hosts, nhosts, ntasks, err))
        return -1;
    places = calloc(nhosts + 1, sizeof(*places));
    order = calloc(nhosts + 1, sizeof(*order));
    count = calloc(nhosts + 1, sizeof(*count));
    if (!places || !order || !count) {
        rc = err_memory(err);
    } else {
        sort(hosts, nhosts, order);
        for (size_t i = 0; i < nhosts; i++)
            places[i] = (struct place_host){ hosts[order[i]].cpus,
                                             hosts[order[i]].used };
        rc = place_tasks(&wish, places, nhosts, host_of, count, err);
    }
    for (uint32_t i = 0; rc == 0 && i < ntasks; i++)
        host_of[i] = order[host_of[i]];
    free(places);
    free(order);
    free(count);
    return rc;
}
