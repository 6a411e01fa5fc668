/* jobmove_image.c - the images of tasks that leave, and of those that come.
 *
 * Invariant: an image comes by one way; a link that is to be one is borrowed
 * until it is, or is lost. */
#include "slave/move/jobmove_private.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "proto/link/seal.h"
#include "slave/jobs/jobs.h"
#include "slave/move/splice.h"
#include "slave/page/registry.h"
#include "slave/yield/yield.h"

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
    imageroute_end(&v->route);
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

    imageroute_send(&v->route, data, bytes);
}

static bool pass(void *arg, int pipe)
{
    struct mover *v = arg;

    return imageroute_pass(&v->route, pipe);
}

void jobmove_drop_image(struct mover *v)
{
    imageroute_stop(&v->route);
    imageout_close(v->out);
    v->out = NULL;
}

static void image_read(void *arg)
{
    jobmove_drop_image(arg);
    jobmove_end_image(arg);
}

static const struct imageout_ops image_ops = { congested, pass, send_piece,
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
    yields_unbind(v->job->part.node->yields, v->job);
    registry_lease(v->lease, PAGE_LEASE_LEAVE, to, 0, NULL);
    v->lease = -1;
    return 0;
}

/* It asks again once it finds nobody that reads its image, or waits already. */
static void link_broken(void *arg, const char *why)
{
    struct mover *v = arg;

    if (v->part != LEAVING || !imageroute_cut(&v->route))
        return;
    jobmove_drop_image(v);
    jobmove_go_on_here(v);
    v->cut_off = true;
    jobmove_say_moved(v, HCT__TASK_MOVED__KIND__STAYS, why);
    v->told = true;
    v->part = STAYING;
}

static void link_sent(void *arg, size_t bytes)
{
    struct mover *v = arg;

    imageroute_sent(&v->route, bytes);
}

static const struct imagelink_ops link_ops = { link_sent, image_read,
                                               link_broken };

static int open_way(struct job *j, const Hct__Swap__Way *w, struct err *err)
{
    struct imagelinks *all = j->part.node->imagelinks;
    struct taskset set = { 0 };
    int rc = taskset_parse(&set, w->ranks, j->part.ntasks, err);

    for (struct mover *v = j->move->movers; rc == 0 && v; v = v->next) {
        if (v->part != LEAVING || v->route.link || !taskset_has(&set, v->rank))
            continue;
        v->route.link = imagelink_open(all, w->node, w->addresses, &link_ops, v,
                                       err);
        rc = v->route.link ? 0 : -1;
    }
    taskset_fini(&set);
    return rc;
}

/* Links are being opened while all else is prepared. */
int jobmove_set_routes(struct job *j, const Hct__Swap *m, struct err *err)
{
    struct jobmove *k = j->move;

    for (struct mover *v = k->movers; v; v = v->next)
        v->route = (struct imageroute){ .uplink = j->part.node->uplink,
                                        .job = j->part.id, .rank = v->rank,
                                        .serial = k->serial };
    for (size_t i = 0; j->part.node->imagelinks && i < m->n_ways; i++)
        if (open_way(j, m->ways[i], err))
            return -1;
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
    uplink_send(v->job->part.node->uplink, MESSAGE_IMAGE_CREDIT, &m);
}

static struct mover *find_coming(const struct job *j, uint32_t rank,
                                 uint32_t serial)
{
    struct mover *v = jobmove_find(j, rank);

    return v && v->coming.in && serial == j->move->serial ? v : NULL;
}

void jobmove_image(struct job *j, const Hct__Image *m)
{
    struct mover *v = find_coming(j, m->rank, m->serial);

    if (!v || v->past)
        return;
    v->comes = true;
    if (*m->why)
        imagein_cut(v->coming.in);
    else
        imagein_take(v->coming.in, m->data.data, m->data.len, m->last);
}

/* Where it is as long as nobody has moved. */
static const char *node_of(const struct job *j, uint32_t rank)
{
    return j->plan->nodes.v[j->plan->node_of[rank]].name;
}

static int take_image(void *jobs, struct reduce_link *l, const Hct__ImageRaw *m,
                      struct err *err)
{
    unsigned long long id = m->job;
    const char *from = reduce_link_from(l);
    struct job *j = job_of(jobs_find(jobs, m->job));
    struct mover *v = j ? find_coming(j, m->rank, m->serial) : NULL;

    if (!v || j->move->going)
        return err_set(err, EPROTO, "an image from %.100s that nobody waits for: "
                       "job=%llu rank=%u serial=%u", from, id, m->rank,
                       m->serial);
    if (strcmp(from, node_of(j, m->rank)) != 0)
        return err_set(err, EPROTO, "an image from %.60s of a task that is on "
                       "%.60s: job=%llu rank=%u", from, node_of(j, m->rank), id,
                       m->rank);
    if (v->comes)
        return err_set(err, EPROTO, "an image from %.100s by two ways: job=%llu "
                       "rank=%u", from, id, m->rank);
    v->comes = v->past = true;
    v->from = l;
    return 0;
}

static void image_lost(void *arg, const struct err *why)
{
    struct mover *v = arg;

    snprintf(v->cut, sizeof(v->cut), "%.50s: the link from %.50s is broken: "
             "%.70s", v->job->part.node->name, node_of(v->job, v->rank), why->text);
    imagein_cut(v->coming.in);
}

/* Whose image the link is to be; NULL: nobody waits for it any more. */
static struct mover *settle_link(void *jobs, const struct reduce_link *l,
                                 uint64_t job)
{
    const struct job *j = job_of(jobs_find(jobs, job));
    struct mover *v = j && j->move ? j->move->movers : NULL;

    while (v && v->from != l)
        v = v->next;
    if (v)
        v->from = NULL;
    return v && v->coming.in ? v : NULL;
}

static void link_raw(void *jobs, struct reduce_link *l, uint64_t job, int fd,
                     struct seal *seal)
{
    struct mover *v = settle_link(jobs, l, job);
    struct err err;

    if (!v) {
        splice_reset(fd);
        seal_free(seal);
    } else if (imagein_pass(v->coming.in, fd, seal,
                            v->job->part.node->conn->dead_ns, image_lost, v,
                            &err)) {
        image_lost(v, &err);
    }
}

static void link_lost(void *jobs, struct reduce_link *l, uint64_t job,
                      const struct err *why)
{
    struct mover *v = settle_link(jobs, l, job);

    if (v)
        image_lost(v, why);
}

const struct reduce_images jobmove_images = { take_image, link_raw, link_lost };
