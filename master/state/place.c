/* place.c - counts first, ranks second: how many tasks each host gets, then
 * which ones. Each round hands out one more share of slots; what other jobs
 * use is taken off, so that all hosts end up loaded alike. */
#include "master/state/place.h"

#include <errno.h>
#include <string.h>

/* Tasks host i may have when round rounds of slots are handed out. */
static uint32_t place_room(const struct place_host *h, uint64_t round,
                           uint32_t per_node)
{
    uint64_t slots = h->slots ? h->slots : 1;
    uint64_t room = round * slots;

    room = room > h->used ? room - h->used : 0;
    if (per_node && room > per_node)
        room = per_node;
    return room > UINT32_MAX ? UINT32_MAX : (uint32_t)room;
}

static uint64_t place_total(const struct place_host *hosts, size_t nhosts,
                            uint64_t round, uint32_t per_node)
{
    uint64_t total = 0;

    for (size_t i = 0; i < nhosts; i++)
        total += place_room(&hosts[i], round, per_node);
    return total;
}

/* The smallest number of rounds in which all tasks have room. The caller has
 * made sure that there is one. */
static uint64_t place_rounds(const struct place_wish *w,
                             const struct place_host *hosts, size_t nhosts)
{
    uint64_t low = 1, high = 1;

    while (place_total(hosts, nhosts, high, w->per_node) < w->ntasks) {
        low = high + 1;
        high *= 2;
    }
    while (low < high) {
        uint64_t mid = low + (high - low) / 2;

        if (place_total(hosts, nhosts, mid, w->per_node) >= w->ntasks)
            high = mid;
        else
            low = mid + 1;
    }
    return low;
}

static void place_by_slot(const struct place_wish *w,
                          const struct place_host *hosts, size_t nhosts,
                          uint64_t rounds, uint32_t *host_of, uint32_t *count)
{
    uint32_t rest = w->ntasks, rank = 0;

    /* Earlier rounds are full; the last one goes as far as it goes. */
    for (size_t i = 0; rounds > 1 && i < nhosts; i++) {
        count[i] = place_room(&hosts[i], rounds - 1, w->per_node);
        rest -= count[i];
    }
    for (size_t i = 0; i < nhosts; i++) {
        uint32_t more = place_room(&hosts[i], rounds, w->per_node);

        more = more > count[i] ? more - count[i] : 0;
        more = more < rest ? more : rest;
        count[i] += more;
        rest -= more;
    }
    for (size_t i = 0; i < nhosts; i++)
        for (uint32_t k = 0; k < count[i]; k++)
            host_of[rank++] = (uint32_t)i;
}

static void place_by_node(const struct place_wish *w,
                          const struct place_host *hosts, size_t nhosts,
                          uint64_t rounds, uint32_t *host_of, uint32_t *count)
{
    uint64_t round = 1;
    uint32_t rank = 0;

    while (rank < w->ntasks) {
        uint32_t before = rank;

        for (size_t i = 0; i < nhosts && rank < w->ntasks; i++)
            if (count[i] < place_room(&hosts[i], round, w->per_node)) {
                host_of[rank++] = (uint32_t)i;
                count[i]++;
            }
        if (rank == before && round++ == rounds)
            return;
    }
}

int place_tasks(const struct place_wish *w, const struct place_host *hosts,
                size_t nhosts, uint32_t *host_of, uint32_t *count,
                struct err *err)
{
    uint64_t rounds;

    if (w->ntasks == 0)
        return err_set(err, EINVAL, "a job of no tasks cannot be placed");
    if (nhosts == 0)
        return err_set(err, EINVAL, "there is no node to place tasks on");
    if (w->per_node && (uint64_t)w->per_node * nhosts < w->ntasks)
        return err_set(err, ENOSPC, "%u tasks do not fit on %zu node%s with "
                       "at most %u on each", w->ntasks, nhosts,
                       nhosts == 1 ? "" : "s", w->per_node);
    memset(count, 0, nhosts * sizeof(*count));
    rounds = place_rounds(w, hosts, nhosts);
    if (w->by_node)
        place_by_node(w, hosts, nhosts, rounds, host_of, count);
    else
        place_by_slot(w, hosts, nhosts, rounds, host_of, count);
    return 0;
}
