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
        imageroute_close(r);
}

bool imageroute_congested(struct imageroute *r)
{
    if (r->link && imagelink_state(r->link) == IMAGELINK_TRYING)
        return true;
    settle(r);
    return !r->link && uplink_congested(r->uplink);
}

bool imageroute_pass(struct imageroute *r, int pipe)
{
    Hct__ImageRaw m = HCT__IMAGE_RAW__INIT;

    settle(r);
    if (!r->link)
        return false;
    m.job = r->job;
    m.rank = r->rank;
    m.serial = r->serial;
    imagelink_pass(r->link, &m, pipe);
    r->begun = true;
    return true;
}

static void send_piece(const struct imageroute *r, const void *data, size_t bytes,
                       bool last)
{
    Hct__Image m = HCT__IMAGE__INIT;

    m.job = r->job;
    m.rank = r->rank;
    m.serial = r->serial;
    m.data.data = (uint8_t *)(uintptr_t)data;
    m.data.len = bytes;
    m.last = last;
    uplink_send(r->uplink, MESSAGE_IMAGE, &m);
}

void imageroute_send(struct imageroute *r, const void *data, size_t bytes)
{
    r->begun = true;
    send_piece(r, data, bytes, false);
}

void imageroute_sent(struct imageroute *r, size_t bytes)
{
    r->untold += bytes;
    if (clock_monotonic_ns() - r->told_ns >= TELL_NS)
        tell(r);
}

void imageroute_end(struct imageroute *r)
{
    r->begun = r->ended = true;
    if (!r->link) {
        send_piece(r, "", 0, true);
        return;
    }
    imagelink_end(r->link);
    tell(r);
}

void imageroute_stop(struct imageroute *r)
{
    if (r->link)
        imagelink_stop(r->link);
}

bool imageroute_cut(struct imageroute *r)
{
    if (!r->begun || r->ended)
        return false;
    if (r->untold)
        tell(r);
    return true;
}

void imageroute_close(struct imageroute *r)
{
    imagelink_close(r->link);
    r->link = NULL;
}
