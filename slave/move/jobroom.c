/* jobroom.c - see jobroom.h. */
#include "slave/move/jobroom.h"

#include <inttypes.h>
#include <stdlib.h>
#include <unistd.h>

#include "proto/base/str.h"
#include "slave/move/roomlook.h"
#include "slave/proc/load.h"

enum { SPANS = 16, SHARE = 2 };         /* of the memory that is to be had */

struct room {
    struct room *next;
    struct job *job;            /* borrowed */
    uint32_t rank, serial;
    struct coming coming;       /* owned, as is the next one */
    struct event *said;         /* it has the memory, or will not; NULL once told */
};

struct jobroom { struct room *rooms; };         /* owned */

static void tell_made(const struct job *j, uint32_t rank, uint32_t serial)
{
    Hct__RoomMade m = HCT__ROOM_MADE__INIT;

    m.job = j->part.id;
    m.rank = rank;
    m.serial = serial;
    uplink_send(j->part.node->uplink, MESSAGE_ROOM_MADE, &m);
}

static void tell_once(struct room *o)
{
    if (!o->said)
        return;
    event_free(o->said);
    o->said = NULL;
    tell_made(o->job, o->rank, o->serial);
}

/* Its process is left alone, if somebody has taken it. */
static void room_free(struct room *o)
{
    struct room **at = &o->job->rooms->rooms;

    while (*at != o)
        at = &(*at)->next;
    *at = o->next;
    if (o->said)
        event_free(o->said);
    coming_drop(&o->coming, o->job, o->rank);
    free(o);
}

static struct room *find(const struct job *j, uint32_t rank)
{
    struct room *o = j->rooms ? j->rooms->rooms : NULL;

    while (o && o->rank != rank)
        o = o->next;
    return o;
}

/* ------------------------------------------------------------- where they are */

static void say_room(const struct job *j, const struct task *t, uint32_t serial)
{
    struct room_span v[SPANS];
    uint64_t spans[2 * SPANS];
    Hct__Room m = HCT__ROOM__INIT;
    size_t n = 0;

    if (!t->over && t->tally.page && t->tally.pid > 0)
        n = roomlook(t->tally.pid, v, SPANS);
    for (size_t i = 0; i < n; i++) {
        spans[m.n_spans++] = v[i].start;
        spans[m.n_spans++] = v[i].end;
    }
    m.spans = spans;
    m.job = j->part.id;
    m.rank = t->rank;
    m.serial = serial;
    uplink_send(j->part.node->uplink, MESSAGE_ROOM, &m);
}

void jobroom_ask(struct job *j, const Hct__RoomAsk *m)
{
    struct taskset set = { 0 };

    if (taskset_parse(&set, m->ranks, j->part.ntasks, NULL))
        return;
    for (int64_t r = -1; (r = taskset_next(&set, r)) >= 0; ) {
        const struct task *t = job_task(j, (uint32_t)r);

        if (t)
            say_room(j, t, m->serial);
    }
    taskset_fini(&set);
}

/* ------------------------------------------------------------ where one comes */

static void on_report(evutil_socket_t fd, short what, void *arg)
{
    struct room *o = arg;

    (void)fd, (void)what;
    if (task_report(o->coming.task, o->job->plan) && o->coming.task->why) {
        tell_once(o);           /* the next one, by Swap, says why */
        room_free(o);
    }
}

static void on_said(evutil_socket_t fd, short what, void *arg)
{
    char c;

    (void)what;
    if (read(fd, &c, 1) == 1)
        tell_once(arg);
    else                        /* it ends, and is reaped soon */
        event_del(((struct room *)arg)->said);
}

/* As hector-restore has it; false: there are none, or that is more than may be had. */
static bool write_spans(const Hct__Room *m, struct str *to)
{
    uint64_t left = load_available_bytes() / SHARE;

    for (size_t i = 0; i + 1 < m->n_spans && i < 2 * SPANS; i += 2) {
        uint64_t start = m->spans[i], end = m->spans[i + 1];

        if (start >= end || end - start > left)
            return false;
        left -= end - start;
        str_addf(to, "%s%" PRIx64 "-%" PRIx64, i ? "," : "", start, end);
    }
    return m->n_spans > 1 && !str_failed(to);
}

static int start_room(struct job *j, const Hct__Room *m, const char *spans)
{
    struct room *o = calloc(1, sizeof(*o));

    if (!o)
        return -1;
    *o = (struct room){ .job = j, .rank = m->rank, .serial = m->serial,
                        .coming.words = -1, .next = j->rooms->rooms };
    j->rooms->rooms = o;
    if (coming_start(&o->coming, j, m->rank, spans, on_report, o, NULL) == 0)
        o->said = event_new(j->part.node->base, o->coming.words,
                            EV_READ | EV_PERSIST, on_said, o);
    if (o->said)
        return event_add(o->said, NULL);
    room_free(o);
    return -1;
}

static bool may_come(const struct job *j, uint32_t rank)
{
    return j->plan && j->plan->migratable && j->state == JOB_RUNNING &&
           rank < j->part.ntasks && !job_task(j, rank) && !find(j, rank) &&
           !j->move &&
           !(j->plan->has_terminal && taskset_has(&j->plan->stdin_ranks, rank));
}

void jobroom_make(struct job *j, const Hct__Room *m)
{
    struct str spans = { 0 };

    if (!j->rooms)
        j->rooms = calloc(1, sizeof(*j->rooms));
    if (!j->rooms || !may_come(j, m->rank) || !write_spans(m, &spans) ||
        start_room(j, m, str_text(&spans)))
        tell_made(j, m->rank, m->serial);
    str_fini(&spans);
}

bool jobroom_take(struct job *j, uint32_t rank, struct coming *c)
{
    struct room *o = find(j, rank);

    if (!o)
        return false;
    *c = o->coming;
    o->coming = (struct coming){ .words = -1 };
    room_free(o);
    return true;
}

bool jobroom_reaped(struct job *j, pid_t pid)
{
    struct room *o = j->rooms ? j->rooms->rooms : NULL;

    while (o && o->coming.task->pid != pid)
        o = o->next;
    if (!o)
        return false;
    o->coming.task->over = true;
    tell_once(o);
    room_free(o);
    return true;
}

void jobroom_drop(struct job *j)
{
    while (j->rooms && j->rooms->rooms)
        room_free(j->rooms->rooms);
    free(j->rooms);
    j->rooms = NULL;
}
