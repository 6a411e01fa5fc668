/* reduce.c - this slave's part in reductions: from the word of the master, or
 * of the slave above, to the end.
 *
 * How long is waited depends on what comes: a tick looks whether anything new
 * has come from below since the last, says so above, and gives up when nothing
 * has for the whole time. Time in which this slave itself stood still is
 * nobody's silence. */
#include "slave/tree/reduce_private.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "proto/base/clock.h"
#include "proto/base/log.h"
#include "proto/link/timer.h"
#include "proto/tree/tick.h"

enum { SILENT_PART = 4 };               /* of the time */

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

void reduction_heard(struct reduction *r, uint32_t members)
{
    r->progress += members;
    r->heard_ns = clock_monotonic_ns();
}

void reduction_settle(struct reduction *r, uint32_t members)
{
    reduction_heard(r, members);
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
    reduction_settle(r, 1);
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
        str_reset(&r->result);
        reduction_lack(r, r->member, r->member + r->members - 1,
                       HCT__LACK__LACK_FAILED, err.text);
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
    for (size_t i = 0; i < r->nchildren; i++) {
        reduce_link_put(r->children[i].link);
        str_fini(&r->children[i].bytes);
    }
    for (size_t i = 0; i < r->nmissing; i++)
        free(r->missing[i].why);
    timer_free(r->timer);
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
    r->all->over[r->all->next_over++ % REDUCE_OVER_KEPT] = r->id;
    reduction_free(r);
}

void reduction_step(struct reduction *r, enum reduce_event event)
{
    enum reduce_state to;
    struct err err;

    if (reduce_state_next(r->state, event, &to, &err)) {
        log_warn("reduce", "%s", err.text);
        return;
    }
    r->state = to;
    if (event == REDUCE_COMPLETE)
        pack(r);
    if (event == REDUCE_PARENT_LOST)
        r->parent = NULL;
    if (to == REDUCE_SENT || to == REDUCE_SENT_ALONE)
        reduction_send_result(r);
    if (to == REDUCE_OVER)
        over(r);
}

static void arm(struct reduction *r, uint64_t now_ns)
{
    uint64_t ns = tick_next(r->wait_ns, now_ns - r->heard_ns);

    r->due_ns = now_ns + ns;
    timer_set(r->timer, ns);
}

static void on_tick(evutil_socket_t fd, short what, void *arg)
{
    struct reduction *r = arg;
    uint64_t now_ns = clock_monotonic_ns(), silent;

    (void)fd, (void)what;
    if (!reduction_gathering(r))
        return;
    if (now_ns > r->due_ns + tick_of(r->wait_ns))
        r->heard_ns += now_ns - r->due_ns;      /* we stood still ourselves */
    if (r->heard_ns > now_ns)
        r->heard_ns = now_ns;
    silent = now_ns - r->heard_ns;
    if (silent >= r->wait_ns) {
        reduction_step(r, REDUCE_COMPLETE);
        return;
    }
    if (r->progress > r->told)
        reduction_send_progress(r);
    if (silent >= r->wait_ns / SILENT_PART)
        reduction_pass_silent(r);
    arm(r, now_ns);
}

/* ----------------------------------------------------------------- the start */

/* The children are those whose subtrees follow each other. */
static int add_children(struct reduction *r, const Hct__Reduce *m,
                        struct err *err)
{
    uint64_t at = m->own;

    if (m->n_below > REDUCE_BELOW_MAX || m->own > m->width ||
        m->member > INT32_MAX)
        return err_set(err, EPROTO, "a reduction with %zu slaves below, over "
                       "%u of %u positions", m->n_below, m->own, m->width);
    r->children = calloc(m->n_below + 1, sizeof(*r->children));
    if (!r->children)
        return err_memory(err);
    for (size_t i = 0; i < m->n_below; ) {
        struct child *c = &r->children[r->nchildren++];
        uint64_t width = 0;

        *c = (struct child){ .member = m->member + 1 + (uint32_t)i,
                             .members = m->below[i]->members,
                             .at = (uint32_t)at };
        if (!c->members || c->members > m->n_below - i)
            return err_set(err, EPROTO, "a reduction with %u slaves below "
                           "slave %zu of %zu", c->members, i, m->n_below);
        for (uint32_t k = 0; k < c->members; k++)
            width += m->below[i + k]->own;
        if (width > m->width - at)
            return err_set(err, EPROTO, "a reduction over more than %u "
                           "positions", m->width);
        c->width = (uint32_t)width;
        at += width;
        i += c->members;
    }
    return at == m->width ? 0
        : err_set(err, EPROTO, "a reduction over %u positions, not %u",
                  (uint32_t)at, m->width);
}

static struct reduction *make(struct reduce *rs, const Hct__Reduce *m,
                              struct err *err)
{
    struct reduction *r = calloc(1, sizeof(*r));

    if (!r)
        return err_memory(err), NULL;
    r->all = rs;
    r->own_done = true;                 /* until it is begun */
    r->id = m->id;
    r->job = m->job;
    r->wait_ns = m->wait_ns;
    r->start_ns = r->heard_ns = clock_monotonic_ns();
    r->member = m->member;
    r->members = (uint32_t)m->n_below + 1;
    r->own = m->own;
    r->width = m->width;
    r->state = REDUCE_GATHERING_ALONE;
    r->merge = merge_find(m->kind);
    for (size_t i = 0; r->merge && i < rs->conf->nkinds; i++)
        if (strcmp(rs->conf->kinds[i].name, m->kind) == 0)
            r->kind = &rs->conf->kinds[i];
    r->nargument = m->argument.len;
    r->argument = malloc(r->nargument + 1);
    r->timer = evtimer_new(rs->base, on_tick, r);
    if (!r->argument || !r->timer) {
        reduction_free(r);
        return err_memory(err), NULL;
    }
    if (r->nargument)
        memcpy(r->argument, m->argument.data, r->nargument);
    if (add_children(r, m, err))
        return reduction_free(r), NULL;
    r->npending = r->nchildren + 1;
    return r;
}

/* A child that cannot even be dialled is as good as lost. */
static void ask_child(struct reduction *r, struct child *c,
                      const Hct__Reduce *m)
{
    Hct__Reduce__Below **at = m->below + (c->member - m->member - 1);
    Hct__Reduce x = *m;
    struct err err;

    x.member = c->member;
    x.own = at[0]->own;
    x.width = c->width;
    x.below = at + 1;
    x.n_below = c->members - 1;
    x.wait_ns = m->wait_ns > m->step_ns ? m->wait_ns - m->step_ns : 0;
    c->link = reduce_link_take(r->all->links, at[0]->addresses, &err);
    if (c->link && reduce_link_send(c->link, MESSAGE_REDUCE, &x))
        err_set(&err, EMSGSIZE, "what is asked is larger than a message");
    else if (c->link)
        return;
    log_warn("reduce", "%s", err.text);
    reduction_send_stray(r, c, HCT__LACK__LACK_LINK, err.text);
    reduction_lack_child(r, c, HCT__LACK__LACK_LINK, err.text);
    reduction_settle(r, c->members);
}

/* It is known already. The master asks where it believes that the parent does
 * not; another slave, where it was stopped for long. */
static void asked_again(struct reduction *r, struct reduce_link *parent,
                        const Hct__Reduce *m)
{
    if (parent) {
        reduction_send_refusal(parent, m);
        return;
    }
    if (!r || !r->parent)
        return;
    log_info("reduce", "the master asks past the slave above");
    if (reduction_gathering(r))
        reduction_send_refusal(r->parent, m);
    reduction_step(r, REDUCE_PARENT_LOST);
}

static bool is_over(const struct reduce *rs, uint64_t id)
{
    for (unsigned i = 0; i < REDUCE_OVER_KEPT; i++)
        if (rs->over[i] == id)
            return true;
    return false;
}

/* Room for another: what was sent long since, and whose end was not told, as
 * who should tell it hangs, is forgotten. */
static int make_room(struct reduce *rs, struct err *err)
{
    struct reduction *oldest = NULL;
    size_t n = 0;

    for (struct reduction *r = rs->list; r; r = r->next, n++)
        if (!reduction_gathering(r))
            oldest = r;                 /* the list begins with the newest */
    if (n < REDUCE_AT_ONCE)
        return 0;
    if (!oldest)
        return err_set(err, EPROTO, "more than %d reductions at a time",
                       REDUCE_AT_ONCE);
    reduction_step(oldest, REDUCE_END);
    return 0;
}

int reduce_begin_from(struct reduce *rs, struct reduce_link *parent,
                      const Hct__Reduce *m, struct err *err)
{
    struct reduction *r = reduce_find(rs, m->id);

    if (r || is_over(rs, m->id)) {
        asked_again(r, parent, m);
        return 0;
    }
    if (make_room(rs, err) || !(r = make(rs, m, err)))
        return -1;
    r->next = rs->list;
    rs->list = r;
    r->parent = parent;
    if (parent)
        r->state = REDUCE_GATHERING;
    arm(r, r->start_ns);
    for (size_t i = 0; i < r->nchildren; i++)
        ask_child(r, &r->children[i], m);
    if (r->nchildren)
        reduction_send_progress(r);
    r->own_done = false;
    if (r->kind)
        r->kind->start(rs->conf->arg, r);
    else
        reduction_fail(r, "this slave does not know what is asked for");
    return 0;
}

int reduce_begin(struct reduce *rs, const Hct__Reduce *m, struct err *err)
{
    return reduce_begin_from(rs, NULL, m, err);
}

/* ------------------------------------------------------------------- the end */

static void end_below(struct reduction *r)
{
    Hct__ReduceEnd m = HCT__REDUCE_END__INIT;

    m.id = r->id;
    for (size_t i = 0; i < r->nchildren; i++)
        if (r->children[i].link)
            reduce_link_send(r->children[i].link, MESSAGE_REDUCE_END, &m);
}

void reduce_end(struct reduce *rs, const Hct__ReduceEnd *m)
{
    struct reduction *r = reduce_find(rs, m->id);

    if (r && !m->n_gone) {
        end_below(r);
        reduction_step(r, REDUCE_END);
        return;
    }
    for (size_t i = 0; r && i < m->n_gone; i++) {
        struct child *c = reduction_child(r, m->gone[i]);

        if (c && !c->settled && reduction_gathering(r)) {
            reduction_lack_child(r, c, HCT__LACK__LACK_LINK, "its slave is gone");
            reduction_settle(r, c->members - c->progress);
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
    memset(rs->over, 0, sizeof(rs->over));
}

struct reduce *reduce_open(struct event_base *base,
                           const struct reduce_conf *conf, struct err *err)
{
    struct reduce *rs = calloc(1, sizeof(*rs));

    if (!rs)
        return err_memory(err), NULL;
    rs->base = base;
    rs->conf = conf;
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
