/* adopt.c - sessions: who may register, in which world, and the operations of
 * sessions and worlds. See adopt.h for the design, world.c for the tasks.
 *
 * Invariant: a session that could not be prepared exists until it is
 * forgotten, so that this can be told again; it has no registry. */
#include "slave/jobs/adopt.h"

#include <errno.h>
#include <limits.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "proto/base/log.h"
#include "proto/base/paths.h"
#include "proto/conf/preload.h"
#include "proto/link/timer.h"
#include "slave/jobs/world.h"
#include "slave/page/registry.h"

enum { GENERATIONS = 10000 };   /* programs of one rank */

struct adopt {
    struct part part;
    void (*wake)(void *arg);
    void *arg;
    struct world_owner owner;
    struct launch_user user;
    struct plan plan;           /* for the streams; texts owned */
    struct registry *registry;  /* owned */
    struct world *worlds;       /* owned */
    struct event *kill;         /* owned: the grace of Terminate is over */
    struct event *end;          /* owned: the grace of AdoptEnd is over */
    char *refusal;              /* owned */
    char link[PATHS_MAX];       /* to the library; "": not ours, or none */
    bool ready;                 /* the stream link stands, or is not needed */
    bool ending, drained, closed;       /* closed: so is stdtim */
};

static const struct part_ops session_ops, world_ops;

/* NULL: it is none. */
static struct adopt *session_of(struct part *p)
{
    return p && p->ops == &session_ops ? (struct adopt *)p : NULL;
}

static unsigned long long adopt_id(const struct adopt *s)
{
    return s->part.id;
}

/* --------------------------------------------------------------- telling */

static void tell_prepared(const struct adopt *s)
{
    if (s->ready || s->refusal)
        part_tell_prepared(&s->part, s->refusal);
}

static void tell_drained(const struct adopt *s)
{
    Hct__Drained m = HCT__DRAINED__INIT;

    m.job = s->part.id;
    uplink_send(s->part.node->uplink, MESSAGE_DRAINED, &m);
}

static void refuse(struct adopt *s, const char *why)
{
    struct str text = { 0 };

    registry_close(s->registry);
    s->registry = NULL;
    str_addf(&text, "%s: %s", s->part.node->name, why);
    free(s->refusal);
    s->refusal = str_take(&text);
    log_info("adopt", "not prepared job=%llu: %s", adopt_id(s), why);
    tell_prepared(s);
}

/* -------------------------------------------------------------- sessions */

static void adopt_free(struct adopt *s)
{
    if (!s)
        return;
    registry_close(s->registry);
    while (s->worlds) {
        struct world *w = s->worlds;

        s->worlds = w->next;
        world_destroy(w);
    }
    schedule_part(&s->plan.schedule, UINT_MAX);
    streams_close(s->owner.streams, &s->part.node->linkdrain);
    timer_free(s->kill);
    timer_free(s->end);
    launch_user_fini(&s->user);
    if (*s->link)
        unlink(s->link);
    free(s->plan.stream_addresses);
    free(s->refusal);
    free(s);
}

static void on_streams_ready(void *arg, const struct err *why)
{
    struct adopt *s = arg;

    if (why) {
        refuse(s, why->text);
        return;
    }
    s->ready = true;
    tell_prepared(s);
}

/* Nobody sees the lines, no more than that. */
static void on_streams_lost(void *arg) { (void)arg; }

static const struct streams_ops streams_ops = {
    .ready = on_streams_ready, .lost = on_streams_lost,
    .moved = on_streams_lost,
};

/* When the session ends: is everything of every process said? */
static void look(struct adopt *s)
{
    if (!s->ending || s->drained)
        return;
    for (struct world *w = s->worlds; w; w = w->next)
        if (!world_is_over(w))
            return;
    s->drained = true;
    event_del(s->end);
    if (s->owner.streams && !s->closed)
        streams_end(s->owner.streams, s->owner.here,
                    HCT__STREAM__STREAM_STDTIM);
    s->closed = true;
    tell_drained(s);
}

static void on_moved(void *arg)
{
    struct adopt *s = arg;

    look(s);
    s->wake(s->arg);
}

/* For so many more tasks, until the session ends. */
static void admit(struct adopt *s, unsigned n)
{
    schedule_admit(&s->plan.schedule, n);
}

/* ---------------------------------------------------------- registrations */

/* Where a rank that registers belongs: the first world of this name that has
 * no such rank yet, made if need be. */
static struct world *place(struct adopt *s, const char *name, uint32_t rank)
{
    char full[ORIGIN_WORLD_MAX + 16];
    struct world **at, *w;

    for (int g = 1; g <= GENERATIONS; g++) {
        if (g == 1)
            snprintf(full, sizeof(full), "%s", name);
        else
            snprintf(full, sizeof(full), "%s#%d", name, g);
        for (at = &s->worlds; *at; at = &(*at)->next)
            if (strcmp((*at)->name, full) == 0)
                break;
        if (*at && world_find(*at, rank))
            continue;
        if (!*at && (w = world_create(&s->owner, full, &world_ops)) != NULL)
            *at = w;
        return *at;
    }
    return NULL;
}

static int check_hello(const struct adopt *s,
                       const struct page_hello *hello,
                       const struct registry_peer *peer, struct err *err)
{
    if (peer->uid != s->plan.uid)
        return err_set(err, EPERM, "job %llu is not of user %u",
                       adopt_id(s), (unsigned)peer->uid);
    if (s->ending)
        return err_set(err, ESRCH, "the launcher of job %llu has ended",
                       adopt_id(s));
    if (peer->pid <= 0)
        return err_set(err, ESRCH, "a process that cannot be seen from here");
    if (hello->rank >= ADOPT_RANKS || hello->ntasks > ADOPT_RANKS)
        return err_set(err, EINVAL, "rank %u of %u: at most %d tasks can be "
                       "adopted", hello->rank, hello->ntasks, ADOPT_RANKS);
    if (hello->ntasks && hello->rank >= hello->ntasks)
        return err_set(err, EINVAL, "rank %u of only %u tasks", hello->rank,
                       hello->ntasks);
    return 0;
}

static int on_grant(void *arg, const struct page_hello *hello,
                    const struct registry_peer *peer, struct err *err)
{
    struct adopt *s = arg;
    struct page_hello h = *hello;
    struct origin origin;
    struct world *w = NULL;
    int fd;

    if (peer->uid == s->plan.uid)
        origin_find(&origin, peer->pid, s->part.node->name);
    else
        memset(&origin, 0, sizeof(origin));
    if (origin.alone || h.rank == UINT32_MAX) {
        h.rank = 0;
        h.ntasks = 1;
    }
    if (check_hello(s, &h, peer, err) == 0) {
        w = place(s, origin.world, h.rank);
        admit(s, 1);
        if (!w)
            err_set(err, ENOMEM, "no more programs of rank %u can be adopted",
                    h.rank);
    }
    if (!w) {
        origin_fini(&origin);
        return -1;
    }
    fd = world_add(w, &h, peer->pid, &origin, err);
    if (fd >= 0)
        s->wake(s->arg);
    return fd;
}

/* ----------------------------------------------------------- begin and end */

static void on_kill(evutil_socket_t fd, short what, void *arg)
{
    struct adopt *s = arg;

    (void)fd, (void)what;
    for (struct world *w = s->worlds; w; w = w->next)
        world_kill_dying(w);
}

/* Whoever lives on after the launcher is not ours to end: let go. */
static void on_end(evutil_socket_t fd, short what, void *arg)
{
    struct adopt *s = arg;

    (void)fd, (void)what;
    for (struct world *w = s->worlds; w; w = w->next)
        for (struct adopted *a = w->tasks, *next; a; a = next) {
            next = a->next;
            if (a->task.over)   /* the master has yet to take it all */
                continue;
            log_info("adopt", "let go job=%llu rank=%u pid=%d", adopt_id(s),
                     a->task.rank, (int)a->task.pid);
            world_drop(a);
        }
    look(s);
}

static int take_plan(struct adopt *s, const Hct__Prepare *m,
                     struct err *err)
{
    struct str list = { 0 };
    struct priority want;

    s->plan.job = m->job;
    s->plan.uid = m->uid;
    s->plan.want_stdtim = m->want_stdtim;
    if (priority_make(&want, m->priority, m->class_, err))
        return -1;
    schedule_want(&s->plan.schedule, &want);
    if (m->cookie.len > sizeof(s->plan.cookie))
        return err_set(err, EINVAL, "a cookie of %zu bytes", m->cookie.len);
    if (m->cookie.len)
        memcpy(s->plan.cookie, m->cookie.data, m->cookie.len);
    s->plan.cookie_bytes = m->cookie.len;
    for (size_t i = 0; i < m->n_stream_addresses; i++)
        str_addf(&list, "%s%s", i ? "," : "", m->stream_addresses[i]);
    str_add(&list, "");
    s->plan.stream_addresses = str_take(&list);
    if (!s->plan.stream_addresses)
        return err_memory(err);
    if (geteuid() != 0 && m->uid != geteuid())
        return err_set(err, EPERM, "this slave cannot see processes of user "
                       "%u", m->uid);
    return 0;
}

/* LD_PRELOAD of tasks here names it if hector-run's library needs one. */
static void make_link(struct adopt *s, const Hct__Prepare *m)
{
    char path[PATHS_MAX];
    struct err err;

    if (m->uid == geteuid() &&
        preload_shared("libhector.so", m->adopt_socket + 1, path, s->link,
                       &err))
        log_warn("adopt", "tasks run unwatched job=%llu: %s", adopt_id(s),
                 err.text);
}

static int adopt_open(struct adopt *s, const Hct__Prepare *m,
                      struct err *err)
{
    struct node *node = s->part.node;

    if (take_plan(s, m, err))
        return -1;
    if (launch_user_init(&s->user, m->uid, m->gid, err))
        s->user.change = geteuid() == 0;        /* nobody we know by name */
    if (*m->adopt_socket != '@' || strlen(m->adopt_socket) < 8)
        return err_set(err, EINVAL, "\"%s\" is no name for the socket of "
                       "adopted tasks", m->adopt_socket);
    make_link(s, m);
    s->registry = registry_open(node->base, m->adopt_socket, on_grant, s,
                                err);
    if (!s->registry)
        return -1;
    if (!m->want_stdtim) {
        s->ready = true;
        tell_prepared(s);
        return 0;
    }
    s->owner.streams = streams_open(node->base, &s->plan, node->conn,
                                    node->name, node->instance, &streams_ops,
                                    s, err);
    return s->owner.streams ? 0 : -1;
}

static int make_timers(struct adopt *s)
{
    s->kill = evtimer_new(s->part.node->base, on_kill, s);
    s->end = evtimer_new(s->part.node->base, on_end, s);
    return s->kill && s->end ? 0 : -1;
}

struct part *adopt_create(struct node *node, const Hct__Prepare *m,
                          void (*wake)(void *arg), void *arg,
                          struct err *err)
{
    struct adopt *s = calloc(1, sizeof(*s));
    struct err why;

    if (!s)
        return err_memory(err), NULL;
    s->part = (struct part){ .ops = &session_ops, .node = node, .id = m->job,
                             .prompt = m->prompt,
                             .user = &s->user };
    s->wake = wake;
    s->arg = arg;
    s->owner = (struct world_owner){ .node = node, .user = &s->user,
                                     .schedule = &s->plan.schedule,
                                     .here = m->here, .session = m->job,
                                     .moved = on_moved, .arg = s };
    if (make_timers(s)) {
        adopt_free(s);
        return err_memory(err), NULL;
    }
    if (adopt_open(s, m, &why))
        refuse(s, why.text);
    return &s->part;
}

/* ------------------------------------------------- orders for the session */

void adopt_adopted(struct part *session, const Hct__Adopted *m)
{
    struct adopt *s = session_of(session);
    struct adopted *a = NULL;

    for (struct world *w = s ? s->worlds : NULL; w && !a; w = w->next)
        if (strcmp(w->name, m->world) == 0)
            a = world_find(w, m->rank);
    if (!a)
        return;
    if (*m->why && !a->task.over)
        log_warn("adopt", "a task runs unwatched job=%llu rank=%u pid=%d: %s",
                 adopt_id(s), m->rank, (int)a->task.pid, m->why);
    if (*m->why)
        world_drop(a);
    else
        world_take(a, m->job);
    on_moved(s);
}

void adopt_end(struct part *session, const Hct__AdoptEnd *m)
{
    struct adopt *s = session_of(session);

    if (!s)
        return;
    if (s->drained)
        tell_drained(s);
    s->ending = true;
    timer_set(s->end, m->grace_ns);
    look(s);
}

/* ---------------------------------------------- of a session and its worlds */

/* The session that it is, or is a world of. */
static struct adopt *adopt_around(struct part *p)
{
    struct adopt *s = session_of(p);

    return s ? s : ((struct world *)p)->owner->arg;
}

/* The world that is this job; NULL: no task of the session's own has come. */
static struct world *adopt_world(struct part *p)
{
    struct adopt *s = session_of(p);
    struct world *w = s ? s->worlds : (struct world *)p;

    while (s && w && w->part.id != p->id)
        w = w->next;
    return w;
}

/* To the tasks of a world's job; of a session, for all ranks, to those of
 * every world. */
static int adopt_order(struct part *p, const char *ranks, int sig, bool dying,
                       struct err *err)
{
    struct adopt *s = adopt_around(p);
    bool all = !*ranks || strcmp(ranks, "all") == 0;
    bool each = all && session_of(p);
    struct taskset set = { 0 };
    int rc = taskset_parse(&set, all ? "all" : ranks, ADOPT_RANKS, err);

    for (struct world *w = s->worlds; rc == 0 && w; w = w->next)
        if (each || w == adopt_world(p))
            world_signal(w, &set, sig, dying);
    taskset_fini(&set);
    return rc;
}

static int adopt_signal(struct part *p, const char *ranks, int sig,
                        struct err *err)
{
    return adopt_order(p, ranks, sig, false, err);
}

static int adopt_hold(struct part *p, const char *ranks, Hct__HoldOrder order,
                      struct err *err)
{
    return adopt_order(p, ranks, order == HCT__HOLD_ORDER__HOLD_RESUME
                       ? SIGCONT : SIGSTOP, false, err);
}

static unsigned count_live(const struct adopt *s)
{
    unsigned n = 0;

    for (const struct world *w = s->worlds; w; w = w->next)
        for (const struct adopted *a = w->tasks; a; a = a->next)
            n += !a->task.over;
    return n;
}

/* Of the whole session, whichever of its jobs is meant: what comes next is of it
 * too. */
static int adopt_prioritize(struct part *p, const struct priority *to,
                            const struct part_periods *periods, struct err *err)
{
    struct adopt *s = adopt_around(p);
    struct schedule *has = &s->plan.schedule;

    (void)periods, (void)err;   /* they belong to who has started them */
    if (!priority_equal(&has->want, to)) {
        schedule_want(has, to);
        has->asked = true;
        schedule_part(has, UINT_MAX);
        admit(s, count_live(s));
    }
    for (struct world *w = s->worlds; w; w = w->next)
        world_prioritize(w, has);
    return 0;
}

static int adopt_terminate(struct part *p, const char *ranks, int sig,
                           uint64_t grace_ns, struct err *err)
{
    if (adopt_order(p, ranks, grace_ns ? sig : SIGKILL, true, err) ||
        adopt_order(p, ranks, SIGCONT, false, err))
        return -1;
    if (grace_ns)
        timer_set(adopt_around(p)->kill, grace_ns);
    return 0;
}

static int adopt_forget(struct part *p, struct err *err)
{
    (void)p, (void)err;         /* whatever its tasks do */
    return 0;
}

/* What makes no sense is no reason to part: it is of no task of ours. */
static int adopt_ack(struct part *p, uint32_t rank, uint64_t upto,
                     struct err *err)
{
    struct world *w = adopt_world(p);
    struct adopted *a = w ? world_find(w, rank) : NULL;

    if (!a)
        return 0;
    if (records_ack(&a->task.tally.records, upto, err))
        log_warn("adopt", "%s", err->text);
    if (a->task.over) {
        world_read(w);
        look(adopt_around(p));
    }
    return 0;
}

static void adopt_each(struct part *p, enum part_tasks which,
                       taskwalk_f *step, void *to)
{
    struct world *w = adopt_world(p);

    for (struct adopted *a = w ? w->tasks : NULL; a; a = a->next)
        if (which == PART_HERE || a->taken)
            step(to, &a->task);
}

static struct task *adopt_task(struct part *p, uint32_t rank)
{
    struct world *w = adopt_world(p);
    struct adopted *a = w ? world_find(w, rank) : NULL;

    return a ? &a->task : NULL;
}

static struct account *adopt_account(struct part *p)
{
    struct world *w = adopt_world(p);

    return w ? &w->account : NULL;
}

/* ------------------------------------------------------ of a session alone */

static struct part *session_inner(struct part *p, uint64_t job)
{
    for (struct world *w = session_of(p)->worlds; w; w = w->next)
        if (w->part.id == job && job)
            return &w->part;
    return NULL;
}

static size_t session_numbers(const struct part *p, uint64_t *ids, size_t max)
{
    const struct adopt *s = (const struct adopt *)p;
    size_t n = 0;

    if (n++ < max)
        ids[n - 1] = p->id;
    for (const struct world *w = s->worlds; w; w = w->next)
        if (w->part.id && w->part.id != p->id && n++ < max)
            ids[n - 1] = w->part.id;
    return n;
}

static void session_answer(struct part *p)
{
    tell_prepared(session_of(p));
}

static void session_tell(struct part *p)
{
    struct adopt *s = session_of(p);

    tell_prepared(s);
    s->drained = false;         /* until all tasks are told of again */
    for (struct world *w = s->worlds; w; w = w->next)
        for (struct adopted *a = w->tasks; a; a = a->next)
            world_ask(a);
    look(s);
}

/* Their output is none of ours. */
static bool session_output_waits(const struct part *p)
{
    (void)p;
    return false;
}

static long session_read(struct part *p)
{
    struct adopt *s = session_of(p);
    long found = 0;

    for (struct world *w = s->worlds; w; w = w->next)
        found += world_read(w);
    look(s);
    return found;
}

static bool session_has_pages(const struct part *p)
{
    const struct adopt *s = (const struct adopt *)p;

    for (const struct world *w = s->worlds; w; w = w->next)
        if (world_has_pages(w))
            return true;
    return false;
}

static void session_sample(struct part *p)
{
    for (struct world *w = session_of(p)->worlds; w; w = w->next) {
        world_see(w);
        part_tell_use(&w->part);
    }
}

/* Its tasks are let go. */
static bool session_orphan(struct part *p, uint64_t grace_ns)
{
    (void)p, (void)grace_ns;
    return true;
}

static void session_destroy(struct part *p)
{
    adopt_free(session_of(p));
}

static const struct part_ops session_ops = {
    .signal = adopt_signal, .hold = adopt_hold,
    .prioritize = adopt_prioritize, .terminate = adopt_terminate,
    .forget = adopt_forget, .ack = adopt_ack, .each = adopt_each,
    .task = adopt_task, .account = adopt_account, .inner = session_inner,
    .numbers = session_numbers, .answer = session_answer,
    .tell = session_tell, .output_waits = session_output_waits,
    .read = session_read, .has_pages = session_has_pages,
    .sample = session_sample, .orphan = session_orphan,
    .destroy = session_destroy,
};

/* -------------------------------------------------------- of a further world */

static void leave_session(struct part *p)
{
    struct world *w = (struct world *)p;
    struct adopt *s = w->owner->arg;

    for (struct world **at = &s->worlds; *at; at = &(*at)->next)
        if (*at == w) {
            *at = w->next;
            break;
        }
    world_destroy(w);
    look(s);
}

static const struct part_ops world_ops = {
    .signal = adopt_signal, .hold = adopt_hold,
    .prioritize = adopt_prioritize, .terminate = adopt_terminate,
    .forget = adopt_forget, .ack = adopt_ack, .each = adopt_each,
    .task = adopt_task, .account = adopt_account, .use = world_use,
    .destroy = leave_session,
};
