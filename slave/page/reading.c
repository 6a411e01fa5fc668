/* reading.c - what all readings of pages share. */
#include "slave/page/reading.h"

#include <stdlib.h>

struct reading {
    struct records_window window;
    const struct ticks *ticks;  /* borrowed */
    bool hold;
    struct rings_batch batch;   /* scratch */
    struct str lines;
};

struct reading *reading_create(const struct ticks *ticks)
{
    struct reading *r = calloc(1, sizeof(*r));

    if (!r)
        return NULL;
    r->window.max = RECORDS_WINDOW;
    r->ticks = ticks;
    return r;
}

void reading_destroy(struct reading *r)
{
    if (!r)
        return;
    rings_batch_fini(&r->batch);
    str_fini(&r->lines);
    free(r);
}

void reading_keep_in(struct reading *r, struct vault *vault)
{
    r->window.vault = vault;
}

struct records_window *reading_window(struct reading *r)
{
    return &r->window;
}

void reading_hold(struct reading *r, bool hold)
{
    r->hold = hold;
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

struct tally_sink reading_sink(struct reading *r, struct uplink *to,
                               struct sites *sites, unsigned *told,
                               bool lines)
{
    return (struct tally_sink){
        .records = reading_out(to), .batch = &r->batch,
        .lines = lines ? &r->lines : NULL, .window = &r->window,
        .ticks = r->ticks, .sites = sites, .told = told, .hold = r->hold };
}

struct str *reading_lines(struct reading *r)
{
    return &r->lines;
}
