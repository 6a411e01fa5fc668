/* kept.c - the state of a policy that outlives its process, see kept.h.
 *
 * By write(), and not by a mapping: a wild pointer of the policy cannot reach
 * it. The head is written last, and names the half that is whole. */
#include "master/judge/kept.h"

#include <string.h>
#include <unistd.h>

#include "proto/base/clock.h"

struct kept_head {
    uint64_t bytes;             /* of the state; 0: none */
    uint64_t wake_ns;
    uint32_t slot, wrong, asked, pad;
};

enum { KEPT_PART = 20 };        /* one part of so many of the time */

static off_t place(uint32_t slot, size_t bytes)
{
    return (off_t)(sizeof(struct kept_head) + slot * bytes);
}

void kept_load(struct kept *k, struct policy *p)
{
    struct kept_head h;

    if (k->fd < 0 || pread(k->fd, &h, sizeof(h), 0) != (ssize_t)sizeof(h) ||
        h.bytes != p->state_bytes || h.slot > 1 || h.bytes == 0)
        return;
    if (pread(k->fd, p->state, p->state_bytes, place(h.slot, p->state_bytes)) !=
        (ssize_t)p->state_bytes)
        return;
    p->wake_ns = h.wake_ns;
    p->wrong = h.wrong;
    p->asked = h.asked;
    k->slot = h.slot;
}

void kept_save(struct kept *k, const struct policy *p)
{
    struct kept_head h = { .bytes = p->state_bytes, .wake_ns = p->wake_ns,
                           .slot = !k->slot, .wrong = p->wrong,
                           .asked = p->asked };
    uint64_t now = clock_monotonic_ns();

    if (k->fd < 0 || h.bytes > KEPT_MAX || now - k->saved_ns < KEPT_PART * k->cost_ns)
        return;
    if (pwrite(k->fd, p->state, p->state_bytes, place(h.slot, h.bytes)) ==
            (ssize_t)p->state_bytes &&
        pwrite(k->fd, &h, sizeof(h), 0) == (ssize_t)sizeof(h))
        k->slot = h.slot;
    k->saved_ns = clock_monotonic_ns();
    k->cost_ns = k->saved_ns - now;
}
