/* reduce.c - reductions of the master.
 *
 * Only those at the top are asked, and each passes the question on to those
 * below it, so that a question costs the master as much over thousands of slaves
 * as over some dozens. It asks others itself where that does not work: those
 * below one that is gone, that cannot be reached by the one above, or that says
 * nothing at all.
 *
 * It waits as long as anything new comes, and gives up when nothing has for the
 * whole time. Time in which the master itself stood still is nobody's silence.
 *
 * Invariants. nwaiting counts the members that are waiting; a reduction is
 * over when there are none, or its time is. An upload is the part of one
 * member on its way in; one that is whole is merged if the member is at the
 * top of the tree, else held until the end. Results overlap only as a whole:
 * what a subtree has sent to the master is what it has sent to its parent. So
 * a held part is taken if nobody of it is in, and the larger ones first. */
#include "master/tree/reduce.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "master/tree/reduce_private.h"
#include "master/tree/treeshape.h"
#include "proto/base/clock.h"
#include "proto/base/log.h"
#include "proto/link/timer.h"
#include "proto/tree/tick.h"

enum { REDUCER_AT_ONCE = 8, REDUCER_WHY_MAX = 200,
       REDUCER_SILENT_PART = 4 };    /* of the time */
#define REDUCER_RESULT_MAX (384u << 20)
#define REDUCER_WAIT_NS (10 * CLOCK_NS_PER_S)

static void check(struct reducing *r);

/* -------------------------------------------------------------------- states */

static const char *const states[] = { REDUCE_MEMBER_STATES(MACHINE_WORD) };
static const char *const events[] = { REDUCE_MEMBER_EVENTS(MACHINE_WORD) };
static const struct machine_edge edges[] = {
    MACHINE_SPAN(REDUCE_WAITING, REDUCE_LOST, REDUCE_MERGE, REDUCE_IN),
    MACHINE_EDGE(REDUCE_WAITING, REDUCE_HOLD, REDUCE_HELD),
    MACHINE_EDGE(REDUCE_LOST, REDUCE_HOLD, REDUCE_HELD),
    MACHINE_EDGE(REDUCE_WAITING, REDUCE_LOSE, REDUCE_LOST),
};

const struct machine reduce_member_machine = {
    "member", "a member of a reduction", MACHINE_LIST(states),
    MACHINE_LIST(events), MACHINE_LIST(edges)
};

enum reduce_member_state reduce_member_next(enum reduce_member_state s,
                                            enum reduce_member_event e)
{
    int to = machine_next(&reduce_member_machine, s, e, NULL);

    return to < 0 ? s : (enum reduce_member_state)to;
}

/* All changes of a member's state go through here. */
void reducing_step(struct reducing *r, struct reduce_member *x,
                   enum reduce_member_event e, const char *why)
{
    enum reduce_member_state to = reduce_member_next(x->state, e);

    if (to == x->state)
        return;
    r->nwaiting -= x->state == REDUCE_WAITING;
    x->state = to;
    free(x->why);
    x->why = why ? strndup(why, REDUCER_WHY_MAX) : NULL;
}

static void lose_range(struct reducing *r, uint32_t first, uint32_t n,
                       const char *why)
{
    for (uint32_t i = first; i < first + n; i++)
        reducing_step(r, &r->members[i], REDUCE_LOSE, why);
}

/* ---------------------------------------------------------------- what comes */

static struct upload *upload_of(struct reducing *r, uint32_t member)
{
    struct upload *u;

    for (u = r->uploads; u; u = u->next)
        if (u->member == member)
            return u;
    u = calloc(1, sizeof(*u));
    if (!u)
        return NULL;
    u->member = member;
    u->next = r->uploads;
    r->uploads = u;
    return u;
}

static void upload_drop(struct reducing *r, struct upload *u)
{
    struct upload **p = &r->uploads;

    while (*p != u)
        p = &(*p)->next;
    *p = u->next;
    str_fini(&u->bytes);
    free(u->lacks);
    free(u);
}

/* All of it is late because of the one at its head: they are asked past it. */
static bool is_subtree(const struct reducing *r, uint32_t first, uint32_t last)
{
    return r->members[first].members > 1 &&
           r->members[first].members == last - first + 1;
}

static void give_up(struct reducing *r, uint32_t i, const char *why)
{
    lose_range(r, i, 1, why);
    reducing_ask_below(r, i);
}

/* A slave cannot reach one below it, or hears nothing of it. */
static void take_strays(struct reducing *r, const struct reduce_member *x,
                        const Hct__ReducePart *m)
{
    uint32_t self = (uint32_t)(x - r->members), end = self + x->members;

    for (size_t i = 0; i < m->n_missing && i < x->members; i++) {
        const Hct__ReducePart__Missing *v = m->missing[i];

        if (v->first <= self || v->last >= end || v->last < v->first)
            continue;
        if (v->lack == HCT__LACK__LACK_LINK)
            reducing_ask_range(r, v->first, v->last);
        else if (v->lack == HCT__LACK__LACK_LATE)
            reducing_ask_below(r, v->first);
    }
}

/* Who of the subtree is not in this part. */
static int copy_lacks(struct reducing *r, struct upload *u,
                      const Hct__ReducePart *m)
{
    const struct reduce_member *x = &r->members[u->member];
    uint32_t end = u->member + x->members;

    u->lacks = calloc(x->members, 1);
    if (!u->lacks)
        return -1;
    for (size_t i = 0; i < m->n_missing && i < x->members; i++) {
        const Hct__ReducePart__Missing *v = m->missing[i];

        if (v->first < u->member || v->last >= end || v->last < v->first)
            continue;
        memset(u->lacks + (v->first - u->member), 1, v->last - v->first + 1);
        if (v->lack == HCT__LACK__LACK_LATE && is_subtree(r, v->first, v->last))
            give_up(r, v->first, v->why);
        else if (v->lack != HCT__LACK__LACK_LINK)
            lose_range(r, v->first, v->last - v->first + 1,
                       *v->why ? v->why : "nothing has come");
    }
    return 0;
}

static void merge_upload(struct reducing *r, struct upload *u)
{
    struct reduce_member *x = &r->members[u->member];
    uint64_t start = clock_monotonic_ns();
    struct err err;
    int rc;

    if (!r->whole)
        r->whole = r->merge->create(r->width, &err);
    rc = r->whole ? r->merge->add(r->whole, (const uint8_t *)
                                  str_text(&u->bytes), u->bytes.n, x->at,
                                  x->width, &err) : -1;
    r->master_ns += clock_monotonic_ns() - start;
    for (uint32_t i = 0; i < x->members; i++)
        if (!u->lacks[i])
            reducing_step(r, x + i, rc ? REDUCE_LOSE : REDUCE_MERGE,
                        rc ? err.text : NULL);
    if (rc)
        log_warn("reduce", "the part of %s: %s", x->node->name, err.text);
    upload_drop(r, u);
}

static void hold_upload(struct reducing *r, struct upload *u)
{
    struct reduce_member *x = &r->members[u->member];

    u->held = true;
    for (uint32_t i = 0; i < x->members; i++)
        if (!u->lacks[i])
            reducing_step(r, x + i, REDUCE_HOLD, NULL);
}

static void take_times(struct reducing *r, const Hct__ReducePart *m)
{
    if (m->own_ns > r->own_ns)
        r->own_ns = m->own_ns;
    if (m->merge_ns > r->merge_ns)
        r->merge_ns = m->merge_ns;
}

static int take_part(struct reducing *r, const struct node *n,
                     const Hct__ReducePart *m, struct err *err)
{
    struct reduce_member *x;
    struct upload *u;

    if (m->member >= r->nasked || r->members[m->member].node != n)
        return err_set(err, EPROTO, "a part of member %u, which is not this "
                       "slave", m->member);
    x = &r->members[m->member];
    r->nmessages++;
    if (x->told || x->state == REDUCE_IN)
        return 0;                       /* it has come by another way */
    if (!x->heard || m->settled > x->progress || m->piece.len || m->last)
        r->heard_ns = clock_monotonic_ns();
    x->heard = true;
    if (m->settled > x->progress)
        x->progress = m->settled;
    take_strays(r, x, m);
    if (!m->last && !m->piece.len)
        return 0;
    u = upload_of(r, m->member);
    if (!u)
        return err_memory(err);
    if (u->bytes.n + m->piece.len > REDUCER_RESULT_MAX)
        return err_set(err, EMSGSIZE, "a part of more than %u bytes",
                       REDUCER_RESULT_MAX);
    str_add_bytes(&u->bytes, m->piece.data, m->piece.len);
    r->received_bytes += m->piece.len;
    if (str_failed(&u->bytes) || (m->last && copy_lacks(r, u, m)))
        return err_memory(err);
    if (!m->last)
        return 0;
    take_times(r, m);
    x->told = true;
    if (x->parent == TREESHAPE_MASTER)
        merge_upload(r, u);
    else
        hold_upload(r, u);
    check(r);
    return 0;
}

int reducer_part(struct reducer *rd, const struct node *n,
                 const Hct__ReducePart *m, struct err *err)
{
    for (struct reducing *r = rd->list; r; r = r->next)
        if (r->id == m->id)
            return take_part(r, n, m, err);
    reducing_tell_end(n, m->id);                 /* it is over */
    return 0;
}

/* ------------------------------------------------------------------- the end */

static bool nobody_in(const struct reducing *r, const struct upload *u)
{
    const struct reduce_member *x = &r->members[u->member];

    for (uint32_t i = 0; i < x->members; i++)
        if (!u->lacks[i] && x[i].state == REDUCE_IN)
            return false;
    return true;
}

static struct upload *largest_held(const struct reducing *r)
{
    struct upload *best = NULL;

    for (struct upload *u = r->uploads; u; u = u->next)
        if (u->held && (!best || r->members[u->member].members >
                                 r->members[best->member].members))
            best = u;
    return best;
}

static void merge_held(struct reducing *r)
{
    struct upload *u;

    while ((u = largest_held(r))) {
        if (nobody_in(r, u))
            merge_upload(r, u);
        else
            upload_drop(r, u);
    }
}

static void tell_over(struct reducing *r)
{
    for (uint32_t i = 0; i < r->nasked; i++)
        if (r->members[i].asked) {
            reducing_tell_end(r->members[i].node, r->id);
            r->nmessages++;
        }
}

static void unlist(struct reducing *r)
{
    struct reducing **p = &r->all->list;

    while (*p != r)
        p = &(*p)->next;
    *p = r->next;
}

static void finish(struct reducing *r)
{
    struct reduce_result result = {
        .merge = r->merge, .width = r->width, .ntasks = r->ntasks,
        .rank_of = r->rank_of, .members = r->members,
        .nmembers = r->nmembers, .nasked = r->nasked, .levels = r->levels,
        .fan_out = r->fan_out };

    merge_held(r);
    lose_range(r, 0, r->nasked, "nothing came in time");
    unlist(r);
    result.took_ns = clock_monotonic_ns() - r->start_ns;
    result.whole = r->whole;
    result.own_ns = r->own_ns;
    result.merge_ns = r->merge_ns + r->master_ns;
    result.master_ns = r->master_ns;
    result.received_bytes = r->received_bytes;
    tell_over(r);
    result.nmessages = r->nmessages;
    r->done(r->arg, &result);
    reducing_free(r);
}

static void arm(struct reducing *r, uint64_t now_ns)
{
    uint64_t ns = tick_next(r->wait_ns, now_ns - r->heard_ns);

    r->due_ns = now_ns + ns;
    timer_set(r->timer, ns);
}

/* Who was asked and says nothing has not passed the question on; in the end
 * those below anyone who has not answered are asked. False: nobody is left. */
static bool pass_silent(struct reducing *r, bool end)
{
    uint32_t before = r->nmessages;

    for (uint32_t i = 0; i < r->nasked; i++)
        if (r->members[i].asked && r->members[i].state == REDUCE_WAITING &&
            (end || !r->members[i].heard))
            reducing_ask_below(r, i);
    return r->nmessages > before;
}

static void on_timer(evutil_socket_t fd, short what, void *arg)
{
    struct reducing *r = arg;
    uint64_t now_ns = clock_monotonic_ns(), silent;

    (void)fd, (void)what;
    if (now_ns > r->due_ns + tick_of(r->wait_ns))
        r->heard_ns += now_ns - r->due_ns;      /* we stood still ourselves */
    if (r->heard_ns > now_ns)
        r->heard_ns = now_ns;
    silent = now_ns - r->heard_ns;
    if (r->nwaiting == 0 ||
        (silent >= r->wait_ns && !pass_silent(r, true))) {
        finish(r);
        return;
    }
    if (silent >= r->wait_ns)
        r->heard_ns = now_ns;           /* for those asked now */
    else if (silent >= r->wait_ns / REDUCER_SILENT_PART)
        pass_silent(r, false);
    arm(r, now_ns);
}

/* Is it over? Not from within the caller's call: his handler goes on. */
static void check(struct reducing *r)
{
    if (r->nwaiting == 0)
        timer_set(r->timer, 0);
}

/* -------------------------------------------------------------- who is gone */

/* Its parent need not wait for it, its children are to send to us. */
static void go_past(struct reducing *r, uint32_t member)
{
    const struct reduce_member *x = &r->members[member];
    Hct__ReduceEnd m = HCT__REDUCE_END__INIT;

    m.id = r->id;
    m.gone = &member;
    m.n_gone = 1;
    if (x->parent != TREESHAPE_MASTER && r->members[x->parent].node->link)
        conn_send(r->members[x->parent].node->link, MESSAGE_REDUCE_END, &m);
    reducing_ask_below(r, member);
}

void reducer_node_gone(struct reducer *rd, const struct node *n,
                       const char *why)
{
    for (struct reducing *r = rd->list; r; r = r->next)
        for (uint32_t i = 0; i < r->nasked; i++) {
            if (r->members[i].node != n)
                continue;
            reducing_step(r, &r->members[i], REDUCE_LOSE, why);
            go_past(r, i);
            check(r);
            break;
        }
}

void reducer_cancel(struct reducer *rd, uint64_t id)
{
    for (struct reducing *r = rd->list; r; r = r->next)
        if (r->id == id) {
            unlist(r);
            tell_over(r);
            reducing_free(r);
            return;
        }
}

/* ----------------------------------------------------------------- the start */

uint64_t reducer_start(struct reducer *rd, const struct reduce_ask *what,
                       reduce_done_f *done, void *arg, struct err *err)
{
    struct reducing *r;
    uint32_t n = 0;

    for (r = rd->list; r; r = r->next)
        n++;
    if (n == REDUCER_AT_ONCE)
        return err_set(err, EBUSY, "%u reductions are going on already: try "
                       "again later", n), 0;
    r = reducing_make(rd, what, err);
    if (!r)
        return 0;
    r->done = done;
    r->arg = arg;
    r->timer = evtimer_new(rd->base, on_timer, r);
    if (!r->timer) {
        reducing_free(r);
        return err_memory(err), 0;
    }
    r->next = rd->list;
    rd->list = r;
    r->wait_ns = what->wait_ns ? what->wait_ns : rd->conf.wait_ns;
    r->heard_ns = clock_monotonic_ns();
    r->fan_out = reducing_widest(r);
    arm(r, r->heard_ns);
    log_debug("reduce", "reduction %llu (%s) over %u slaves begins",
              (unsigned long long)r->id, what->kind, r->nasked);
    for (uint32_t i = 0; i < r->nasked; i += r->members[i].members)
        reducing_ask(r, i);
    check(r);
    return r->id;
}

struct reducer *reducer_create(struct event_base *base,
                               const struct reducer_conf *conf,
                               const struct nodes *nodes)
{
    struct reducer *rd = calloc(1, sizeof(*rd));

    if (!rd)
        return NULL;
    rd->base = base;
    rd->conf = *conf;
    if (!rd->conf.wait_ns)
        rd->conf.wait_ns = REDUCER_WAIT_NS;
    if (!rd->conf.fan_out && !rd->conf.levels)
        rd->conf.levels = 1;
    rd->nodes = nodes;
    rd->last_id = conf->last_id ? conf->last_id : clock_wall_ns();
    return rd;
}

void reducer_destroy(struct reducer *rd)
{
    while (rd && rd->list) {
        struct reducing *r = rd->list;

        rd->list = r->next;
        reducing_free(r);
    }
    free(rd);
}
