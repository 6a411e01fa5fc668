/* reading.c - what all readings of pages share. */
#include "slave/page/reading.h"

void reading_init(struct reading *r, const struct ticks *ticks)
{
    *r = (struct reading){ .window.max = RECORDS_WINDOW, .ticks = ticks };
}

void reading_fini(struct reading *r)
{
    rings_batch_fini(&r->batch);
    str_fini(&r->lines);
}

static int send_events(void *arg, const void *events)
{
    uplink_send(arg, MESSAGE_EVENTS, events);
    return 0;
}

struct records_out reading_out(struct uplink *to)
{
    return (struct records_out){ send_events, to };
}

struct watch_sink reading_sink(struct reading *r, struct uplink *to,
                               struct sites *sites, unsigned *told,
                               bool lines)
{
    return (struct watch_sink){
        .records = reading_out(to), .batch = &r->batch,
        .lines = lines ? &r->lines : NULL, .window = &r->window,
        .ticks = r->ticks, .sites = sites, .told = told, .hold = r->hold };
}
