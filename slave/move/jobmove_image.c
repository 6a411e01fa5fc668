/* jobmove_image.c - the images of tasks that leave, and of those that come.
 *
 * Invariant: an image comes by one way; a link that it has come by is borrowed
 * until that is lost. */
#include "slave/move/jobmove_private.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "slave/jobs/jobs.h"
#include "slave/page/registry.h"

/* ------------------------------------------------------ a task that leaves */

/* It waits for that, or will in a moment. */
static void let_leave(struct mover *v)
{
    v->may_go = true;
    if (v->lease < 0 || !v->whole)
        return;
    registry_lease(v->lease, PAGE_LEASE_LEAVE, -1, 0, NULL);
    v->lease = -1;
}

/* All of it was read, and is whole as the task says. */
void jobmove_end_image(struct mover *v)
{
    if (!v->whole || v->out)
        return;
    imageroute_send(&v->route, "", 0, true);
    if (v->may_go)
        let_leave(v);
}

static bool congested(void *arg)
{
    struct mover *v = arg;

    return imageroute_congested(&v->route);
}

static void send_piece(void *arg, const void *data, size_t bytes)
{
    struct mover *v = arg;

    imageroute_send(&v->route, data, bytes, false);
}

void jobmove_drop_image(struct mover *v)
{
    imageout_close(v->out);
    v->out = NULL;
}

static void image_read(void *arg)
{
    jobmove_drop_image(arg);
    jobmove_end_image(arg);
}

static const struct imageout_ops image_ops = { congested, send_piece,
                                               image_read };

static struct mover *find_leaving(const struct job *j,
                                  const Hct__ImageCredit *m)
{
    struct mover *v = jobmove_find(j, m->rank);

    return v && v->part == LEAVING && m->serial == j->move->serial ? v : NULL;
}

static void take_credit(struct mover *v, uint64_t bytes)
{
    if (bytes > IMAGE_WINDOW)
        return;
    if (v->out)
        imageout_credit(v->out, bytes);
    else
        v->credit += bytes;
}

void jobmove_credit(struct job *j, const Hct__ImageCredit *m)
{
    struct mover *v = find_leaving(j, m);

    if (v && m->came)
        let_leave(v);
    if (v)
        take_credit(v, m->bytes);
}

/* Of the slave where it comes, which has no say in who may go. */
static void link_credit(void *arg, const Hct__ImageCredit *m)
{
    struct mover *v = find_leaving(arg, m);

    if (v && m->job == v->job->part.id)
        take_credit(v, m->bytes);
}

/* Its image goes where that is waited for. */
int jobmove_begin_image(struct mover *v, struct err *err)
{
    int to;

    v->out = imageout_open(v->job->part.node->base, &image_ops, v, &to, err);
    if (!v->out)
        return -1;
    imageout_credit(v->out, v->credit);
    v->begun = true;
    streams_move(v->job->streams, v->rank, STREAMS_MOVED);
    streams_hold_input(v->job->streams, v->rank);
    registry_lease(v->lease, PAGE_LEASE_LEAVE, to, 0, NULL);
    v->lease = -1;
    return 0;
}

/* It asks again once it finds nobody that reads its image, or waits already. */
static void link_broken(void *arg, const struct imagelink *l, const char *why)
{
    struct job *j = arg;

    for (struct mover *v = j->move->movers; v; v = v->next) {
        if (v->part != LEAVING || !imageroute_cut(&v->route, l))
            continue;
        jobmove_drop_image(v);
        jobmove_go_on_here(v);
        jobmove_say_moved(v, HCT__TASK_MOVED__KIND__STAYS, why);
        v->told = true;
        v->part = STAYING;
    }
}

static const struct imagelink_ops link_ops = { link_credit, link_broken };

static int set_route(struct job *j, const Hct__Swap__Way *w, struct imagelink *l,
                     struct err *err)
{
    struct taskset set = { 0 };
    int rc = taskset_parse(&set, w->ranks, j->part.ntasks, err);

    for (struct mover *v = j->move->movers; rc == 0 && v; v = v->next)
        if (v->part == LEAVING && taskset_has(&set, v->rank))
            v->route.link = l;
    taskset_fini(&set);
    return rc;
}

/* Links are being opened while all else is prepared. */
int jobmove_set_routes(struct job *j, const Hct__Swap *m, struct err *err)
{
    struct jobmove *k = j->move;
    struct imagelinks *all = j->part.node->imagelinks;

    for (struct mover *v = k->movers; v; v = v->next)
        v->route = (struct imageroute){ .uplink = j->part.node->uplink,
                                        .job = j->part.id, .rank = v->rank,
                                        .serial = k->serial };
    if (!all || !m->n_ways)
        return 0;
    k->links = calloc(m->n_ways, sizeof(struct imagelink *));
    if (!k->links)
        return err_memory(err);
    for (size_t i = 0; i < m->n_ways; i++) {
        const Hct__Swap__Way *w = m->ways[i];
        struct imagelink *l = imagelink_open(all, w->node, w->addresses,
                                             &link_ops, j, err);

        if (!l)
            return -1;
        k->links[k->nlinks++] = l;
        if (set_route(j, w, l, err))
            return -1;
    }
    return 0;
}

/* ------------------------------------------------------- a task that comes */

void jobmove_grant(void *arg, uint64_t bytes)
{
    const struct mover *v = arg;
    Hct__ImageCredit m = HCT__IMAGE_CREDIT__INIT;

    m.job = v->job->part.id;
    m.rank = v->rank;
    m.serial = v->job->move->serial;
    m.bytes = bytes;
    if (v->from)
        reduce_link_send(v->from, MESSAGE_IMAGE_CREDIT, &m);
    else
        uplink_send(v->job->part.node->uplink, MESSAGE_IMAGE_CREDIT, &m);
}

static struct mover *find_coming(const struct job *j, const Hct__Image *m)
{
    struct mover *v = jobmove_find(j, m->rank);

    return v && v->coming.in && m->serial == j->move->serial ? v : NULL;
}

void jobmove_image(struct job *j, const Hct__Image *m)
{
    struct mover *v = find_coming(j, m);

    if (!v || v->from)
        return;
    v->comes = true;
    if (*m->why)
        imagein_cut(v->coming.in);
    else
        imagein_take(v->coming.in, m->data.data, m->data.len, m->last);
}

/* Of a move that came to nothing some is on its way still. */
static bool is_late(const struct reduce_link *l, const Hct__Image *m)
{
    return reduce_link_job(l) == m->job;
}

/* Where it is as long as nobody has moved. */
static const char *node_of(const struct job *j, uint32_t rank)
{
    return j->plan->nodes.v[j->plan->node_of[rank]].name;
}

static int take_image(void *jobs, struct reduce_link *l, const Hct__Image *m,
                      struct err *err)
{
    unsigned long long id = m->job;
    const char *from = reduce_link_from(l);
    struct job *j = job_of(jobs_find(jobs, m->job));
    struct mover *v = j ? find_coming(j, m) : NULL;

    if (!v && is_late(l, m))
        return 0;
    if (!v || j->move->going)
        return err_set(err, EPROTO, "an image from %.100s that nobody waits for: "
                       "job=%llu rank=%u serial=%u", from, id, m->rank,
                       m->serial);
    if (strcmp(from, node_of(j, m->rank)) != 0)
        return err_set(err, EPROTO, "an image from %.60s of a task that is on "
                       "%.60s: job=%llu rank=%u", from, node_of(j, m->rank), id,
                       m->rank);
    if (v->comes && v->from != l)
        return err_set(err, EPROTO, "an image from %.100s by two ways: job=%llu "
                       "rank=%u", from, id, m->rank);
    v->comes = true;
    v->from = l;
    imagein_take(v->coming.in, m->data.data, m->data.len, m->last);
    return 0;
}

/* What has come to its end is whole. */
static void images_lost(void *jobs, struct reduce_link *l, uint64_t job,
                        const struct err *why)
{
    const struct job *j = job_of(jobs_find(jobs, job));
    struct mover *v = j && j->move ? j->move->movers : NULL;

    for (; v; v = v->next) {
        if (v->from != l)
            continue;
        v->from = NULL;
        if (!v->coming.in || imagein_whole(v->coming.in))
            continue;
        snprintf(v->cut, sizeof(v->cut), "%.50s: the link from %.50s is broken: "
                 "%.70s", j->part.node->name, reduce_link_from(l), why->text);
        imagein_cut(v->coming.in);
    }
}

const struct reduce_images jobmove_images = { take_image, images_lost };
