/* jobmove_say.c - what the master is told of tasks that leave and come. What was
 * said last is kept, as the link may break. */
#include "slave/move/jobmove_private.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "proto/base/clock.h"

struct mover *jobmove_find(const struct job *j, uint32_t rank)
{
    struct mover *v = j->move ? j->move->movers : NULL;

    while (v && v->rank != rank)
        v = v->next;
    return v;
}

void jobmove_say_again(struct mover *v)
{
    v->said.why = v->why;
    uplink_send(v->job->part.node->uplink, MESSAGE_TASK_MOVED, &v->said);
}

void jobmove_drop_open(struct mover *v)
{
    for (size_t i = 0; v->all_open && v->all_open[i]; i++)
        free(v->open[i].text.data);
    free(v->open);
    free(v->all_open);
    v->open = NULL;
    v->all_open = NULL;
}

static size_t count_open(const struct rings *r)
{
    size_t n = 0;

    for (unsigned s = 0; s < PAGE_SLOTS; s++)
        n += r->slot[s].nopen;
    return n;
}

/* Tagged calls that have not ended; with no memory for them none has an end. */
static size_t take_open(struct mover *v, const struct rings *r)
{
    size_t max = count_open(r), n = 0;

    jobmove_drop_open(v);
    v->open = calloc(max + 1, sizeof(*v->open));
    v->all_open = calloc(max + 1, sizeof(*v->all_open));
    if (!v->open || !v->all_open)
        return 0;
    for (unsigned s = 0; s < PAGE_SLOTS; s++)
        for (size_t i = 0; i < r->slot[s].nopen; i++) {
            const struct rings_open *from = &r->slot[s].open[i];
            Hct__OpenCall *o = &v->open[n];

            hct__open_call__init(o);
            o->slot = s;
            o->seq = from->seq;
            o->marker = from->marker;
            o->call = from->call;
            o->text.data = malloc(from->text_bytes + 1);
            if (!o->text.data)
                return n;
            if (from->text)
                memcpy(o->text.data, from->text, from->text_bytes);
            o->text.len = from->text ? from->text_bytes : 0;
            v->all_open[n++] = o;
        }
    return n;
}

void jobmove_say_moved(struct mover *v, Hct__TaskMoved__Kind kind,
                      const char *why)
{
    Hct__TaskMoved m = HCT__TASK_MOVED__INIT;
    const struct task *t = v->part == COMING ? v->coming.task
                                             : job_task(v->job, v->rank);

    m.job = v->job->part.id;
    m.rank = v->rank;
    m.serial = v->job->move->serial;
    m.kind = kind;
    m.at_ns = clock_wall_ns();
    m.unread = v->cut_off;
    snprintf(v->why, sizeof(v->why), "%s", why ? why : "");
    if (t && v->part == COMING)
        m.pid = (uint32_t)t->pid;
    if (t && (v->part == LEAVING || kind == HCT__TASK_MOVED__KIND__SAVED)) {
        m.records = t->tally.records.next;
        m.tagged = t->tally.next_seq;
        m.n_open = take_open(v, &t->tally.rings);
        m.open = v->all_open;
        m.out_bytes = streams_written(v->job->streams, v->rank,
                                      HCT__STREAM__STREAM_STDOUT);
        m.err_bytes = streams_written(v->job->streams, v->rank,
                                      HCT__STREAM__STREAM_STDERR);
        m.reads = streams_input_place(v->job->streams, v->rank, v->unread,
                                      &m.in_bytes);
        m.image_bytes = v->image_bytes;
    }
    v->said = m;
    jobmove_say_again(v);
}
