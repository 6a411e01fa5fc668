/* imageroute.c - see imageroute.h. */
#include "slave/move/imageroute.h"

#include "proto/base/clock.h"

#define TELL_NS (100 * CLOCK_NS_PER_MS)

static void tell(struct imageroute *r)
{
    Hct__ImageSent m = HCT__IMAGE_SENT__INIT;

    m.job = r->job;
    m.rank = r->rank;
    m.serial = r->serial;
    m.bytes = r->untold;
    uplink_send(r->uplink, MESSAGE_IMAGE_SENT, &m);
    r->untold = 0;
    r->told_ns = clock_monotonic_ns();
}

/* One that is not open when there is something to be sent was not reached. */
static void settle(struct imageroute *r)
{
    if (!r->begun && r->link && imagelink_state(r->link) != IMAGELINK_OPEN)
        r->link = NULL;
}

bool imageroute_congested(struct imageroute *r)
{
    if (r->link && imagelink_state(r->link) == IMAGELINK_TRYING)
        return true;
    settle(r);
    return r->link ? imagelink_congested(r->link) : uplink_congested(r->uplink);
}

void imageroute_send(struct imageroute *r, const void *data, size_t bytes,
                     bool last)
{
    Hct__Image m = HCT__IMAGE__INIT;

    settle(r);
    m.job = r->job;
    m.rank = r->rank;
    m.serial = r->serial;
    m.data.data = (uint8_t *)(uintptr_t)data;
    m.data.len = bytes;
    m.last = last;
    r->begun = true;
    r->ended = last;
    if (!r->link) {
        uplink_send(r->uplink, MESSAGE_IMAGE, &m);
        return;
    }
    imagelink_send(r->link, &m);
    r->untold += bytes;
    if (last || clock_monotonic_ns() - r->told_ns >= TELL_NS)
        tell(r);
}

bool imageroute_cut(struct imageroute *r, const struct imagelink *l)
{
    if (r->link != l || !r->begun || r->ended)
        return false;
    if (r->untold)
        tell(r);
    return true;
}
