/* survey.c - see survey.h. */
#include "master/optimize/survey.h"

#include <stdlib.h>
#include <string.h>

#include "master/optimize/course.h"
#include "master/optimize/effort.h"
#include "master/optimize/speeds.h"
#include "master/optimize/traffic.h"
#include "master/state/pace.h"
#include "master/watch/watcher.h"
#include "proto/base/clock.h"

enum { SETS_MAX = 64 };         /* bits of features */

struct sets {                   /* of nodes: who may be where */
    uint8_t *v;                 /* owned: a row of nhosts each */
    uint8_t *scratch;           /* the same, one */
    uint32_t n;
};

struct surveyor {
    struct survey *s;
    const struct survey_by *by;
    struct hct_host *hosts;
    struct hct_work *works;
    struct hct_seat *seats;
    uint32_t *host_of;          /* owned: by node->id; HCT_NOWHERE */
    uint32_t *seat_of;          /* owned: scratch, by ranks of a job */
    struct traffic traffic;
    struct sets sets;
    uint64_t now_ns;
    bool failed;                /* out of memory */
};

void survey_fini(struct survey *s)
{
    free((void *)(uintptr_t)s->in.hosts);
    free((void *)(uintptr_t)s->in.works);
    free((void *)(uintptr_t)s->in.seats);
    free((void *)(uintptr_t)s->in.traffic);
    free(s->nodes);
    free(s->names);
    *s = (struct survey){ .nodes = NULL };
}

/* -------------------------------------------------------------------- nodes */

/* Processors that others use: of those that we may have, as far as the rest does
 * not do for them. What our tasks have is taken off when they are told. */
static double used(const struct node *n)
{
    double all = n->processors > n->cpus ? n->processors : n->cpus;

    return n->busy_mean * all;
}

static void tell_node(struct surveyor *v, struct node *n)
{
    uint32_t i = v->s->in.nhosts++;

    v->host_of[n->id] = i;
    v->s->nodes[i] = n;
    v->s->names[i] = n->name;
    v->hosts[i] = (struct hct_host){
        .id = n->id, .slots = n->cpus, .speed = node_speed(n),
        .load = used(n), .memory_bytes = n->memory_available_bytes,
        .disk_bytes = n->disk_available_bytes, .tasks_max = n->cpus,
        .flags = (n->state != NODE_UP || n->draining
                  ? (uint32_t)HCT_HOST_DRAINING : 0) |
                 (n->owner.is == NODE_OWNER_HERE ? HCT_HOST_OWNER : 0) };
}

/* Once our own tasks are taken off: what is left of it is of others, and they
 * have first what is not ours to use. What is little is noise. */
static void settle_load(struct hct_host *h, const struct node *n)
{
    double spare = n->processors > n->cpus ? n->processors - n->cpus : 0;

    h->load -= spare;
    if (h->load < 0.1)
        h->load = 0;
    if (h->load > 4 * h->slots)
        h->load = 4 * h->slots;
}

/* --------------------------------------------------------------------- sets */

/* Of nodes that the job may come to: a bit, 0 for all. False: there is none
 * left. */
static bool find_set(struct surveyor *v, const struct job *j, uint64_t *bit)
{
    struct sets *t = &v->sets;
    uint32_t n = v->s->in.nhosts, all = 0, at = 0;
    struct err none;

    for (uint32_t i = 0; i < n; i++) {
        t->scratch[i] = v->by->may(j, v->s->nodes[i]) &&
                        cpuuse_check(&j->cpu, j->id, v->s->nodes[i], &none) == 0;
        all += t->scratch[i];
    }
    *bit = 0;
    if (all == n)
        return true;
    while (at < t->n && memcmp(t->v + (size_t)at * n, t->scratch, n) != 0)
        at++;
    if (at == SETS_MAX)
        return false;
    if (at == t->n) {
        memcpy(t->v + (size_t)t->n++ * n, t->scratch, n);
        for (uint32_t i = 0; i < n; i++)
            v->hosts[i].features |= (uint64_t)t->scratch[i] << at;
    }
    *bit = 1ull << at;
    return true;
}

/* --------------------------------------------------------------------- jobs */

static bool waits(const struct job *j)
{
    return j->course && j->course->placing == COURSE_ASKED && !j->nnodes;
}

/* All of a job take part in a move: none may have ended or stand. */
static bool movable(const struct job *j, uint64_t now_ns)
{
    struct err none;

    if (j->state != JOB_RUNNING || j->mover ||
        mover_able(j, &none) || (j->course && now_ns < j->course->rests_ns))
        return false;
    for (uint32_t r = 0; r < j->ntasks; r++)
        if (task_state_final(j->tasks[r].state) ||
            j->tasks[r].hold != HOLD_GOING)
            return false;
    return true;
}

static bool suspended(const struct job *j)
{
    bool some = false;

    for (uint32_t r = 0; r < j->ntasks; r++) {
        if (task_state_final(j->tasks[r].state))
            continue;
        some = true;
        if (j->tasks[r].hold != HOLD_SUSPENDED)
            return false;
    }
    return some;
}

/* One that only starts would stand before it has begun, and whose tasks are about to
 * stand or to go on is not to be told so again. */
static bool unsettled(const struct job *j)
{
    if (j->mover || j->state != JOB_RUNNING)
        return true;
    for (uint32_t r = 0; r < j->ntasks; r++)
        if (!task_state_final(j->tasks[r].state) &&
            j->tasks[r].hold != HOLD_GOING && j->tasks[r].hold != HOLD_SUSPENDED)
            return true;
    for (size_t i = 0; i < j->nnodes; i++)
        if (j->nodes[i].away || j->nodes[i].node->state != NODE_UP)
            return true;
    return false;
}

static uint32_t class_of(const struct job *j)
{
    return j->priority.class == PRIORITY_REALTIME ? HCT_WORK_REALTIME
           : j->priority.class == PRIORITY_IDLE ? HCT_WORK_IDLE
                                                : HCT_WORK_NORMAL;
}

/* As long as nothing is known of it a task wants a processor. */
static void tell_task(struct surveyor *v, const struct job *j, uint32_t r,
                      uint32_t work)
{
    const struct task *t = &j->tasks[r];
    const struct course_task *c = j->course && r < j->course->ntasks
                                  ? &j->course->tasks[r] : NULL;
    uint32_t host = t->node < j->nnodes
                    ? v->host_of[j->nodes[t->node].node->id] : HCT_NOWHERE;
    struct hct_seat *s = &v->seats[v->s->in.nseats++];

    *s = (struct hct_seat){
        .work = work, .rank = r, .host = host,
        .wants = c ? (double)c->wants : 1, .gets = c ? (double)c->gets : 0,
        .memory_bytes = t->rss_bytes };
    if (host == HCT_NOWHERE)
        return;
    v->hosts[host].load -= s->gets;
    if (v->hosts[host].memory_bytes)
        v->hosts[host].memory_bytes += t->rss_bytes;
}

/* What a task has computed, on a processor of speed 1. Of a quota it has had seconds
 * like any other. */
static double used_s(const struct surveyor *v, const struct hct_seat *s,
                     const struct task *t)
{
    double speed = s->host < v->s->in.nhosts
                   ? node_speed_whole(v->s->nodes[s->host]) : 1;
    uint64_t out_ns = t->cpu_ns > t->cpu_in_mpi_ns
                      ? t->cpu_ns - t->cpu_in_mpi_ns : 0;

    return (double)out_ns / 1e9 * speed;
}

/* Tasks that are there, by rank: those of a job that waits, all. */
static void tell_tasks(struct surveyor *v, const struct job *j,
                       struct hct_work *w, uint32_t work)
{
    bool waiting = w->flags & HCT_WORK_WAITING;

    for (uint32_t r = 0; r < j->ntasks; r++) {
        const struct task *t = &j->tasks[r];
        const struct hct_seat *s = &v->seats[v->s->in.nseats];
        double has_s;

        v->seat_of[r] = HCT_NOWHERE;
        if (task_state_final(t->state) || (!waiting && t->node >= j->nnodes))
            continue;
        v->seat_of[r] = v->s->in.nseats;
        tell_task(v, j, r, work);
        w->ntasks++;
        has_s = used_s(v, s, t);
        w->used_s = has_s > w->used_s ? has_s : w->used_s;
        if (t->rss_bytes > w->image_bytes)
            w->image_bytes = t->rss_bytes;
    }
}

static void tell_deadlines(struct hct_work *w, const struct job *j)
{
    for (uint32_t i = 1; i <= PACES; i++) {
        const struct pace *p = j->paces ? &j->paces[i - 1] : NULL;

        if (!watcher_due(j->watcher, i))
            continue;
        w->deadlines++;
        if (p && p->known && p->last < w->margin)
            w->margin = p->last;
    }
}

static void tell_job(struct surveyor *v, struct job *j)
{
    uint32_t work = v->s->in.nworks;
    struct hct_work *w = &v->works[work];
    bool waiting = waits(j), can = false;

    *w = (struct hct_work){
        .id = j->id, .first = v->s->in.nseats, .priority = j->priority.n,
        .class_ = class_of(j), .per_node = v->by->per_node(j), .margin = 1,
        .submitted_ns = j->submitted_ns, .crowds = j->crowds };
    if (waiting || movable(j, v->now_ns))
        can = find_set(v, j, &w->features);
    if (waiting && !can)
        return;                 /* it is placed as if nobody had been asked */
    if (waiting)
        w->flags |= HCT_WORK_WAITING;
    else if (can)
        w->flags |= HCT_WORK_MOVABLE;
    if (!waiting && unsettled(j))
        w->flags |= HCT_WORK_MOVING;
    if (!waiting && suspended(j))
        w->flags |= HCT_WORK_SUSPENDED;
    tell_deadlines(w, j);
    tell_tasks(v, j, w, work);
    if (!waiting)
        v->failed |= traffic_add(&v->traffic, j, v->seat_of) != 0;
    v->s->in.nworks += w->ntasks > 0;
}

/* ------------------------------------------------------------------- speeds */

/* Of a job's tasks on a node only so many are looked at: more know no better. */
enum { SEEN_TASKS = 4096 };

static void see(struct speeds_seen *v, size_t *n, const struct survey_by *by,
                const struct speeds_seen *as, const struct effort_place *p)
{
    if (p->node == 0 || p->node > by->nodes->n || !(p->s > 0))
        return;
    v[*n] = *as;
    v[*n].node = p->node - 1;
    v[(*n)++].s = (double)p->s;
}

static void see_job(struct speeds_seen *v, size_t *n, const struct survey_by *by,
                    const struct job *j)
{
    uint32_t step = j->ntasks / SEEN_TASKS + 1;

    for (uint32_t r = 0; r < j->ntasks; r += step) {
        const struct effort *e = effort_of(j, r);

        for (int i = 0; e && i < EFFORT_SITES; i++) {
            struct speeds_seen as = { .job = j->id, .site = e->site[i].key,
                                      .rank = r };

            see(v, n, by, &as, &e->site[i].now);
            as.gone = 1;
            see(v, n, by, &as, &e->site[i].was);
        }
    }
}

static size_t most_seen(const struct survey_by *by)
{
    size_t n = 0;

    for (struct job *j = NULL; (j = jobs_next(by->jobs, j)); )
        if (j->course)
            n += (j->course->nefforts / (j->ntasks / SEEN_TASKS + 1) + 1) *
                 EFFORT_SITES * 2;
    return n;
}

/* What cannot be found out just now is as it was. */
static void find_speeds(const struct survey_by *by)
{
    size_t n = 0, nnodes = by->nodes->n;
    struct speeds_seen *v = calloc(most_seen(by) + 1, sizeof(*v));
    double *speed = calloc(nnodes + 1, sizeof(*speed));

    for (struct job *j = NULL; v && (j = jobs_next(by->jobs, j)); )
        see_job(v, &n, by, j);
    for (size_t i = 0; speed && i < nnodes; i++)
        speed[i] = by->nodes->v[i]->pace.loop > 0 ? by->nodes->v[i]->pace.loop
                                                  : 1;
    if (v && speed && speeds_of(speed, (uint32_t)nnodes, v, n) == 0)
        for (size_t i = 0; n && i < nnodes; i++) {
            struct node_pace *p = &by->nodes->v[i]->pace;

            p->seen = speeds_settled(node_speed_whole(by->nodes->v[i]), speed[i]);
        }
    free(v);
    free(speed);
}

/* --------------------------------------------------------------------- all */

static bool is_known(const struct node *n)
{
    return n->state == NODE_UP || n->state == NODE_AWAY;
}

static int open_all(struct surveyor *v, uint32_t *ids)
{
    const struct nodes *nodes = v->by->nodes;
    size_t hosts = 0, works = 0, seats = 0, most = 0;

    for (size_t i = 0; i < nodes->n; i++)
        hosts += is_known(nodes->v[i]);
    for (struct job *j = NULL; (j = jobs_next(v->by->jobs, j)); works++) {
        seats += j->ntasks;
        most = j->ntasks > most ? j->ntasks : most;
    }
    v->hosts = calloc(hosts + 1, sizeof(*v->hosts));
    v->works = calloc(works + 1, sizeof(*v->works));
    v->seats = calloc(seats + 1, sizeof(*v->seats));
    v->s->nodes = calloc(hosts + 1, sizeof(struct node *));
    v->s->names = calloc(hosts + 1, sizeof(char *));
    v->sets.v = malloc(hosts * SETS_MAX + 1);
    v->sets.scratch = malloc(hosts + 1);
    v->seat_of = calloc(most + 1, sizeof(*v->seat_of));
    v->s->in.hosts = v->hosts;
    v->s->in.works = v->works;
    v->s->in.seats = v->seats;
    v->host_of = ids;
    for (size_t i = 0; ids && i < nodes->n; i++)
        ids[i] = HCT_NOWHERE;
    return v->hosts && v->works && v->seats && v->s->nodes && v->s->names &&
           v->sets.v && v->sets.scratch && v->seat_of && ids ? 0 : -1;
}

static void tell_all(struct surveyor *v)
{
    struct survey *s = v->s;

    for (size_t i = 0; i < v->by->nodes->n; i++)
        if (is_known(v->by->nodes->v[i]))
            tell_node(v, v->by->nodes->v[i]);
    for (struct job *j = NULL; (j = jobs_next(v->by->jobs, j)); )
        if (!job_state_final(j->state) && (j->nnodes || waits(j))) {
            if (j->state == JOB_RUNNING)
                course_look(j, v->now_ns);
            tell_job(v, j);
        }
    for (uint32_t i = 0; i < s->in.nhosts; i++)
        settle_load(&v->hosts[i], s->nodes[i]);
    s->in.ntraffic = (uint32_t)v->traffic.n;
    s->in.traffic = v->traffic.v;
    v->traffic = (struct traffic){ .n = 0 };
}

int survey_take(struct survey *s, const struct survey_by *by, uint64_t seq,
                uint64_t now_ns, struct err *err)
{
    struct surveyor v = { .s = s, .by = by, .now_ns = now_ns };
    uint32_t *ids = calloc(by->nodes->n + 1, sizeof(*ids));
    int rc;

    *s = (struct survey){
        .in = { .size = sizeof(s->in), .nmoves = by->movers->seen.n,
                .seq = seq, .now_ns = clock_wall_ns(), .seed = seq,
                .move_s = by->movers->seen.move_s,
                .move_bytes_s = by->movers->seen.bytes_s,
                .host_size = sizeof(struct hct_host),
                .work_size = sizeof(struct hct_work),
                .seat_size = sizeof(struct hct_seat),
                .traffic_size = sizeof(struct hct_traffic) } };
    find_speeds(by);
    rc = open_all(&v, ids);
    if (rc == 0)
        tell_all(&v);
    if (rc || v.failed)
        survey_fini(s);
    traffic_fini(&v.traffic);
    free(v.seat_of);
    free(ids);
    free(v.sets.v);
    free(v.sets.scratch);
    return rc || v.failed ? err_memory(err) : 0;
}
