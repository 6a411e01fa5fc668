/* orders.c - what a master may order a slave.
 *
 * An order for a job that is not here is no reason to part: the master's
 * word and the job's end may have crossed. One that the job's state does not
 * allow is logged, and the master learns the state from the job's facts. */
#include "slave/orders.h"

#include <errno.h>
#include <signal.h>

#include "proto/base/log.h"
#include "proto/conf/priority.h"
#include "slave/jobs/adopt.h"
#include "slave/move/jobkeep.h"
#include "slave/move/jobmove.h"
#include "slave/move/jobroom.h"
#include "slave/jobs/jobs.h"
#include "slave/move/jobstop.h"
#include "slave/jobs/part.h"
#include "slave/yield/yield.h"

static struct node *node_of(void *arg)
{
    return jobs_node(uplink_owner(arg));
}

static struct part *find(void *arg, uint64_t id)
{
    struct part *p = jobs_find(uplink_owner(arg), id);

    if (!p)
        log_debug("orders", "there is no job %llu here",
                  (unsigned long long)id);
    return p;
}

/* The order was not followed: the person who looks at the log may care, the
 * link need not break. */
static int complain(int rc, const struct err *why)
{
    if (rc)
        log_warn("orders", "%s", why->text);
    return 0;
}

/* least 0: none in particular is a signal, too. */
static int check_signal(int sig, int least, struct err *err)
{
    return sig >= least && sig < NSIG
           ? 0 : err_set(err, EINVAL, "%d is no signal", sig);
}

static int check_hold(Hct__HoldOrder order, struct err *err)
{
    return order == HCT__HOLD_ORDER__HOLD_SUSPEND ||
                   order == HCT__HOLD_ORDER__HOLD_RESUME
        ? 0 : err_set(err, EINVAL, "there is no order %d", (int)order);
}

static int on_prepare(void *arg, struct conn *c, const void *msg,
                      struct err *err)
{
    (void)c;
    return jobs_prepare(uplink_owner(arg), msg, err);
}

static int on_launch(void *arg, struct conn *c, const void *msg,
                     struct err *err)
{
    const Hct__Launch *m = msg;
    struct part *p = find(arg, m->job);

    (void)c;
    return p && p->ops->launch ? complain(p->ops->launch(p, err), err) : 0;
}

static int on_task_signal(void *arg, struct conn *c, const void *msg,
                          struct err *err)
{
    const Hct__TaskSignal *m = msg;
    struct part *p = find(arg, m->job);

    (void)c;
    if (!p)
        return 0;
    return complain(check_signal(m->signal, 1, err) ||
                    p->ops->signal(p, m->ranks, m->signal, err), err);
}

static int on_task_hold(void *arg, struct conn *c, const void *msg,
                        struct err *err)
{
    const Hct__TaskHold *m = msg;
    struct part *p = find(arg, m->job);

    (void)c;
    if (!p)
        return 0;
    return complain(check_hold(m->order, err) ||
                    p->ops->hold(p, m->ranks, m->order, err), err);
}

static int on_priority(void *arg, struct conn *c, const void *msg,
                       struct err *err)
{
    const Hct__Priority *m = msg;
    struct part *p = find(arg, m->job);
    struct part_periods periods = { m->periods, m->n_periods };
    struct priority to;

    (void)c;
    if (!p)
        return 0;
    return complain(priority_make(&to, m->priority, m->class_, err) ||
                    p->ops->prioritize(p, &to, &periods, err), err);
}

static int on_prompt(void *arg, struct conn *c, const void *msg,
                     struct err *err)
{
    const Hct__Prompt *m = msg;
    struct part *p = find(arg, m->job);

    (void)c, (void)err;
    if (p)
        p->prompt = m->prompt;
    return 0;
}

static int on_yield(void *arg, struct conn *c, const void *msg, struct err *err)
{
    (void)c, (void)err;
    yields_order(node_of(arg)->yields, msg);
    return 0;
}

/* Only tasks that are our children are moved. */
#define ON_OURS(name, Type, call)                                       \
    static int on_##name(void *arg, struct conn *c, const void *msg,    \
                         struct err *err)                               \
    {                                                                   \
        const Hct__##Type *m = msg;                                     \
        struct job *j = job_of(find(arg, m->job));                      \
                                                                        \
        (void)c, (void)err;                                             \
        return j ? (call) : 0;                                          \
    }

ON_OURS(stop_order, StopOrder, complain(jobstop_order(j, m, err), err))
ON_OURS(room_ask, RoomAsk, (jobroom_ask(j, m), 0))
ON_OURS(room, Room, (jobroom_make(j, m), 0))
ON_OURS(swap, Swap, complain(jobmove_swap(j, m, err), err))
ON_OURS(swap_go, SwapGo, complain(jobmove_go(j, m, err), err))
ON_OURS(swap_end, SwapEnd, complain(jobmove_end(j, m, err), err))
ON_OURS(keep, Keep, complain(jobkeep_order(j, m, err), err))
ON_OURS(image, Image, (jobmove_image(j, m), 0))
ON_OURS(image_credit, ImageCredit, (jobmove_credit(j, m), 0))

static int on_look(void *arg, struct conn *c, const void *msg,
                   struct err *err)
{
    (void)c, (void)err;
    jobs_look(uplink_owner(arg), msg);
    return 0;
}

static int forget(void *arg, struct part *p, struct err *err)
{
    if (p->ops->forget(p, err))
        return -1;
    jobs_remove(uplink_owner(arg), p);
    return 0;
}

static int on_terminate(void *arg, struct conn *c, const void *msg,
                        struct err *err)
{
    const Hct__Terminate *m = msg;
    struct part *p = find(arg, m->job);

    (void)c;
    if (!p)
        return 0;
    if (m->disown && !p->ops->ours)
        return complain(forget(arg, p, err), err);
    return complain(check_signal(m->signal, 0, err) ||
                    p->ops->terminate(p, m->ranks,
                                      m->signal ? m->signal : SIGTERM,
                                      m->grace_ns, err), err);
}

static int on_forget(void *arg, struct conn *c, const void *msg,
                     struct err *err)
{
    const Hct__Forget *m = msg;
    struct part *p = find(arg, m->job);

    (void)c;
    return p ? complain(forget(arg, p, err), err) : 0;
}

static int on_event_ack(void *arg, struct conn *c, const void *msg,
                        struct err *err)
{
    const Hct__EventAck *m = msg;
    struct part *p = find(arg, m->job);

    (void)c;
    return p ? p->ops->ack(p, m->rank, m->upto, err) : 0;
}

static int on_adopted(void *arg, struct conn *c, const void *msg,
                      struct err *err)
{
    const Hct__Adopted *m = msg;

    (void)c, (void)err;
    adopt_adopted(find(arg, m->session), m);
    return 0;
}

static int on_adopt_end(void *arg, struct conn *c, const void *msg,
                        struct err *err)
{
    const Hct__AdoptEnd *m = msg;

    (void)c, (void)err;
    adopt_end(find(arg, m->job), m);
    return 0;
}

static int on_fence_done(void *arg, struct conn *c, const void *msg,
                         struct err *err)
{
    (void)c, (void)err;
    exchange_fence_done(node_of(arg)->exchange, msg);
    return 0;
}

static int on_modex_reply(void *arg, struct conn *c, const void *msg,
                          struct err *err)
{
    (void)c, (void)err;
    exchange_modex_reply(node_of(arg)->exchange, msg);
    return 0;
}

static int on_lookup_reply(void *arg, struct conn *c, const void *msg,
                           struct err *err)
{
    (void)c, (void)err;
    exchange_lookup_reply(node_of(arg)->exchange, msg);
    return 0;
}

static int on_modex_request(void *arg, struct conn *c, const void *msg,
                            struct err *err)
{
    const Hct__ModexRequest *m = msg;
    Hct__ModexReply no = HCT__MODEX_REPLY__INIT;
    struct node *node = node_of(arg);

    (void)c;
    if (node_pmix(node, err) &&
        pmixd_fetch(node_pmix_now(node), m->job, m->rank, m->ticket, m->from_node,
                    err) == 0)
        return 0;
    no.job = m->job;
    no.ticket = m->ticket;
    no.to_node = m->from_node;
    no.status = pmixd_not_found;
    uplink_send(node->uplink, MESSAGE_MODEX_REPLY, &no);
    return 0;
}

static int on_reduce(void *arg, struct conn *c, const void *msg,
                     struct err *err)
{
    (void)c;
    return reduce_begin(node_of(arg)->reduce, msg, err);
}

static int on_reduce_end(void *arg, struct conn *c, const void *msg,
                         struct err *err)
{
    (void)c, (void)err;
    reduce_end(node_of(arg)->reduce, msg);
    return 0;
}

static int on_farewell(void *arg, struct conn *c, const void *msg,
                       struct err *err)
{
    (void)c, (void)msg, (void)err;
    uplink_master_leaves(arg);
    return 0;
}

const struct conn_route orders_routes[] = {
    MESSAGES_MASTER_TO_SLAVE(CONN_ROUTE)
};
const size_t orders_nroutes = sizeof(orders_routes) / sizeof(orders_routes[0]);
