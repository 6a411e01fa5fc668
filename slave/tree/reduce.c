/* reduce.c - this slave's part in reductions: from the master's word to the
 * end. */
#include "slave/tree/reduce_private.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "proto/base/clock.h"
#include "proto/base/log.h"

/* ---------------------------------------------------------------- accessors */

uint64_t reduction_job(const struct reduction *r)
{
    return r->job;
}

uint32_t reduction_width(const struct reduction *r)
{
    return r->own;
}

uint64_t reduction_wait_ns(const struct reduction *r)
{
    return r->wait_ns;
}

const uint8_t *reduction_argument(const struct reduction *r, size_t *n)
{
    *n = r->nargument;
    return r->argument;
}

struct reduction *reduce_find(struct reduce *rs, uint64_t id)
{
    for (struct reduction *r = rs->list; r; r = r->next)
        if (r->id == id)
            return r;
    return NULL;
}

bool reduction_gathering(const struct reduction *r)
{
    return r->state == REDUCE_GATHERING || r->state == REDUCE_GATHERING_ALONE;
}

void reduction_settle(struct reduction *r)
{
    if (--r->npending == 0 && reduction_gathering(r))
        reduction_step(r, REDUCE_COMPLETE);
}

/* -------------------------------------------------------------- the own part */

/* Take in a part; time it. */
int reduction_take(struct reduction *r, const void *bytes, size_t n,
                   uint32_t at, uint32_t width, struct err *err)
{
    uint64_t start = clock_monotonic_ns();
    int rc;

    if (!r->merge)
        return err_set(err, ENOSYS, "this slave does not know what is asked "
                       "for");
    if (!r->whole)
        r->whole = r->merge->create(r->width, err);
    rc = r->whole ? r->merge->add(r->whole, bytes, n, at, width, err) : -1;
    r->merge_ns += clock_monotonic_ns() - start;
    return rc;
}

static void own_done(struct reduction *r)
{
    uint64_t took = clock_monotonic_ns() - r->start_ns;

    r->own_done = true;
    if (took > r->own_ns)
        r->own_ns = took;
    reduction_settle(r);
}

void reduction_own(struct reduction *r, const void *bytes, size_t n)
{
    struct err err;

    if (r->own_done || !reduction_gathering(r))
        return;
    if (reduction_take(r, bytes, n, 0, r->own, &err))
        reduction_lack(r, r->member, r->member, HCT__LACK__LACK_FAILED, err.text);
    own_done(r);
}

void reduction_fail(struct reduction *r, const char *why)
{
    if (r->own_done || !reduction_gathering(r))
        return;
    reduction_lack(r, r->member, r->member, HCT__LACK__LACK_FAILED, why);
    own_done(r);
}

static void stop_own(struct reduction *r)
{
    if (r->own_done)
        return;
    r->own_done = true;
    if (r->kind && r->kind->stop)
        r->kind->stop(r->all->conf->arg, r);
}

/* What is in becomes the result; who is not in is named. */
static void pack(struct reduction *r)
{
    uint64_t start = clock_monotonic_ns();
    struct err err;

    if (!r->own_done)
        reduction_lack(r, r->member, r->member, HCT__LACK__LACK_LATE,
             "its part took too long");
    stop_own(r);
    for (size_t i = 0; i < r->nchildren; i++)
        if (!r->children[i].settled)
            reduction_lack_child(r, &r->children[i], HCT__LACK__LACK_LATE,
                       "nothing came in time");
    r->npending = 0;
    if (r->whole && r->merge->pack(r->whole, &r->result, &err)) {
        uint32_t last = r->member;

        for (size_t i = 0; i < r->nchildren; i++)
            last += r->children[i].members;
        str_reset(&r->result);
        reduction_lack(r, r->member, last, HCT__LACK__LACK_FAILED, err.text);
    }
    if (r->merge)
        r->merge->destroy(r->whole);
    r->whole = NULL;
    r->merge_ns += clock_monotonic_ns() - start;
    event_del(r->timer);
}

/* ---------------------------------------------------------------- transitions */

static void reduction_free(struct reduction *r)
{
    stop_own(r);
    if (r->merge)
        r->merge->destroy(r->whole);
    for (size_t i = 0; i < r->nchildren; i++)
        str_fini(&r->children[i].bytes);
    for (size_t i = 0; i < r->nmissing; i++)
        free(r->missing[i].why);
    if (r->timer)
        event_free(r->timer);
    reduce_link_put(r->parent);
    str_fini(&r->result);
    free(r->argument);
    free(r->children);
    free(r->missing);
    free(r);
}

static void over(struct reduction *r)
{
    struct reduction **p = &r->all->list;

    while (*p != r)
        p = &(*p)->next;
    *p = r->next;
    reduction_free(r);
}

void reduction_step(struct reduction *r, enum reduce_event event)
{
    enum reduce_state to;
    struct err err;

    if (reduce_next(r->state, event, &to, &err)) {
        log_warn("reduce", "%s", err.text);
        return;
    }
    r->state = to;
    if (event == REDUCE_COMPLETE)
        pack(r);
    if (event == REDUCE_PARENT_LOST) {
        reduce_link_put(r->parent);
        r->parent = NULL;
    }
    if (to == REDUCE_SENT || to == REDUCE_SENT_ALONE)
        reduction_send_result(r);
    if (to == REDUCE_OVER)
        over(r);
}

static void on_late(evutil_socket_t fd, short what, void *arg)
{
    struct reduction *r = arg;

    (void)fd, (void)what;
    if (reduction_gathering(r))
        reduction_step(r, REDUCE_COMPLETE);
}

/* ----------------------------------------------------------- from the master */

static int copy_children(struct reduction *r, const Hct__Reduce *m,
                         struct err *err)
{
    uint32_t at = m->own, member = m->member + 1;

    if (m->n_children > REDUCE_CHILDREN_MAX || m->own > m->width ||
        m->member > INT32_MAX)
        return err_set(err, EPROTO, "a reduction with %zu children over %u of "
                       "%u positions", m->n_children, m->own, m->width);
    r->children = calloc(m->n_children + 1, sizeof(*r->children));
    if (!r->children)
        return err_set(err, ENOMEM, "out of memory");
    for (size_t i = 0; i < m->n_children; i++) {
        const Hct__Reduce__Child *x = m->children[i];

        if (x->at != at || x->width > m->width - at || x->member != member ||
            !x->members || x->members > INT32_MAX - member)
            return err_set(err, EPROTO, "a reduction whose child %zu is not "
                           "in order", i);
        r->children[r->nchildren++] = (struct child){
            .member = x->member, .members = x->members, .at = x->at,
            .width = x->width };
        at += x->width;
        member += x->members;
    }
    return 0;
}

static struct reduction *make(struct reduce *rs, const Hct__Reduce *m,
                              struct err *err)
{
    struct reduction *r = calloc(1, sizeof(*r));

    if (!r)
        return err_set(err, ENOMEM, "out of memory"), NULL;
    r->all = rs;
    r->own_done = true;                 /* until it is begun */
    r->id = m->id;
    r->job = m->job;
    r->wait_ns = m->wait_ns;
    r->start_ns = clock_monotonic_ns();
    r->member = m->member;
    r->parent_member = m->parent_member;
    r->own = m->own;
    r->width = m->width;
    r->state = REDUCE_GATHERING_ALONE;
    r->merge = merge_find(m->kind);
    for (size_t i = 0; r->merge && i < rs->conf->nkinds; i++)
        if (strcmp(rs->conf->kinds[i].name, m->kind) == 0)
            r->kind = &rs->conf->kinds[i];
    r->nargument = m->argument.len;
    r->argument = malloc(r->nargument + 1);
    r->timer = evtimer_new(rs->base, on_late, r);
    if (!r->argument || !r->timer) {
        reduction_free(r);
        return err_set(err, ENOMEM, "out of memory"), NULL;
    }
    if (r->nargument)
        memcpy(r->argument, m->argument.data, r->nargument);
    if (copy_children(r, m, err))
        return reduction_free(r), NULL;
    r->npending = r->nchildren + 1;
    return r;
}

/* A parent that cannot even be dialled is as good as lost. */
static void dial_parent(struct reduction *r, const char *addresses)
{
    struct err err;

    if (!*addresses)
        return;
    r->parent = reduce_link_take(r->all->links, addresses, &err);
    if (!r->parent) {
        log_warn("reduce", "%s", err.text);
        return;
    }
    r->state = REDUCE_GATHERING;
    reduction_send_presence(r);
}

int reduce_begin(struct reduce *rs, const Hct__Reduce *m, struct err *err)
{
    struct timeval tv = clock_timeval(m->wait_ns);
    struct reduction *r;
    size_t n = 0;

    for (r = rs->list; r; r = r->next)
        n++;
    if (m->id <= rs->last_id)
        return err_set(err, EPROTO, "reduction %llu after %llu",
                       (unsigned long long)m->id,
                       (unsigned long long)rs->last_id);
    if (n == REDUCE_AT_ONCE)
        return err_set(err, EPROTO, "more than %d reductions at a time",
                       REDUCE_AT_ONCE);
    r = make(rs, m, err);
    if (!r)
        return -1;
    rs->last_id = m->id;
    r->next = rs->list;
    rs->list = r;
    event_add(r->timer, &tv);
    dial_parent(r, m->parent);
    reduce_drain_early(rs, r, NULL);
    r->own_done = false;
    if (r->kind)
        r->kind->start(rs->conf->arg, r);
    else
        reduction_fail(r, "this slave does not know what is asked for");
    return 0;
}

void reduce_end(struct reduce *rs, const Hct__ReduceEnd *m)
{
    struct reduction *r = reduce_find(rs, m->id);

    if (r && !m->n_gone) {
        reduction_step(r, REDUCE_END);
        return;
    }
    for (size_t i = 0; r && i < m->n_gone; i++) {
        if (r->parent && m->gone[i] == r->parent_member) {
            reduction_step(r, REDUCE_PARENT_LOST);
            continue;
        }
        struct child *c = reduction_child(r, m->gone[i]);

        if (c && !c->settled && reduction_gathering(r)) {
            reduction_lack_child(r, c, HCT__LACK__LACK_LINK, "its slave is gone");
            reduction_settle(r);
        }
    }
}

void reduce_tell(struct reduce *rs)
{
    Hct__ReduceAt m = HCT__REDUCE_AT__INIT;

    m.addresses = (char *)reduce_links_addresses(rs->links);
    rs->conf->send(rs->conf->send_arg, MESSAGE_REDUCE_AT, &m);
}

void reduce_abandon(struct reduce *rs)
{
    while (rs->list)
        reduction_step(rs->list, REDUCE_END);
    reduce_drain_early(rs, NULL, NULL);
    rs->last_id = 0;
}

struct reduce *reduce_open(struct event_base *base,
                           const struct reduce_conf *conf, struct err *err)
{
    struct reduce *rs = calloc(1, sizeof(*rs));

    if (!rs)
        return err_set(err, ENOMEM, "out of memory"), NULL;
    rs->base = base;
    rs->conf = conf;
    rs->early_end = &rs->early;
    rs->links = reduce_links_open(base, &conf->links, &reduce_links_ops, rs, err);
    if (!rs->links)
        return free(rs), NULL;
    return rs;
}

void reduce_close(struct reduce *rs)
{
    if (!rs)
        return;
    reduce_abandon(rs);
    reduce_links_close(rs->links);
    free(rs);
}
