/* adopt.c - sessions: who may register, in which world, and what the master
 * orders for them. See adopt.h for the design, world.c for the tasks,
 * adopt_order.c for what is done to the tasks.
 *
 * Invariant: a session that could not be prepared exists until it is
 * forgotten, so that this can be told again; it has no registry. */
#include "slave/jobs/adopt.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "proto/base/clock.h"
#include "proto/base/log.h"
#include "proto/conf/preload.h"
#include "slave/jobs/adopt_private.h"
#include "slave/page/registry.h"

enum { GENERATIONS = 10000 };   /* programs of one rank */

static unsigned long long adopt_id(const struct adopt *s)
{
    return s->plan.job;
}

/* --------------------------------------------------------------- telling */

static void tell_prepared(const struct adopt *s)
{
    Hct__Prepared m = HCT__PREPARED__INIT;

    if (!s->ready && !s->refusal)
        return;
    m.job = s->plan.job;
    m.ok = !s->refusal;
    m.why = s->refusal ? s->refusal : m.why;
    uplink_send(s->all->node->uplink, MESSAGE_PREPARED, &m);
}

static void tell_drained(const struct adopt *s)
{
    Hct__Drained m = HCT__DRAINED__INIT;

    m.job = s->plan.job;
    uplink_send(s->all->node->uplink, MESSAGE_DRAINED, &m);
}

static void refuse(struct adopt *s, const char *why)
{
    struct str text = { 0 };

    registry_close(s->registry);
    s->registry = NULL;
    str_addf(&text, "%s: %s", s->all->node->name, why);
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
    streams_close(s->owner.streams, &s->all->node->linkdrain);
    if (s->kill)
        event_free(s->kill);
    if (s->end)
        event_free(s->end);
    launch_user_fini(&s->user);
    if (*s->link)
        unlink(s->link);
    free(s->plan.stream_addresses);
    free(s->refusal);
    free(s);
}

struct adopt *adopt_find(const struct adopts *as, uint64_t id)
{
    for (struct adopt *s = as->first; s; s = s->next)
        if (s->plan.job == id)
            return s;
    return NULL;
}

/* The world that is this job, and its session. */
struct world *adopts_world(const struct adopts *as, uint64_t job,
                           struct adopt **in)
{
    for (struct adopt *s = as->first; s; s = s->next)
        for (struct world *w = s->worlds; w; w = w->next)
            if (w->job == job)
                return *in = s, w;
    return NULL;
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
    s->all->wake(s->all->arg);
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
        if (!*at && (w = world_create(&s->owner, full)) != NULL)
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
        origin_find(&origin, peer->pid, s->all->node->name);
    else
        memset(&origin, 0, sizeof(origin));
    if (origin.alone || h.rank == UINT32_MAX) {
        h.rank = 0;
        h.ntasks = 1;
    }
    if (check_hello(s, &h, peer, err) == 0) {
        w = place(s, origin.world, h.rank);
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
        s->all->wake(s->all->arg);
    return fd;
}

/* ----------------------------------------------------------------- orders */

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

    s->plan.job = m->job;
    s->plan.uid = m->uid;
    s->plan.want_stdtim = m->want_stdtim;
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
        return err_set(err, ENOMEM, "out of memory");
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
    struct node *node = s->all->node;

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

int adopts_prepare(struct adopts *as, const Hct__Prepare *m, struct err *err)
{
    struct adopt *s = adopt_find(as, m->job);
    struct err why;

    if (s) {
        tell_prepared(s);
        return 0;
    }
    s = calloc(1, sizeof(*s));
    if (!s)
        return err_set(err, ENOMEM, "out of memory");
    s->all = as;
    s->owner = (struct world_owner){ .node = as->node, .user = &s->user,
                                     .here = m->here, .session = m->job,
                                     .moved = on_moved, .arg = s };
    s->kill = evtimer_new(as->node->base, on_kill, s);
    s->end = evtimer_new(as->node->base, on_end, s);
    if (!s->kill || !s->end) {
        adopt_free(s);
        return err_set(err, ENOMEM, "out of memory");
    }
    s->next = as->first;
    as->first = s;
    if (adopt_open(s, m, &why))
        refuse(s, why.text);
    return 0;
}

void adopts_adopted(struct adopts *as, const Hct__Adopted *m)
{
    struct adopt *s = adopt_find(as, m->session);
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

void adopts_end(struct adopts *as, const Hct__AdoptEnd *m)
{
    struct adopt *s = adopt_find(as, m->job);
    struct timeval tv = clock_timeval(m->grace_ns);

    if (!s)
        return;
    if (s->drained)
        tell_drained(s);
    s->ending = true;
    event_add(s->end, &tv);
    look(s);
}

bool adopts_walk(struct adopts *as, uint64_t job, taskwalk_f *step, void *to)
{
    struct adopt *s = adopt_find(as, job), *in;
    struct world *w = adopts_world(as, job, &in);

    if (!s && !w)
        return false;
    for (struct adopted *a = w ? w->tasks : NULL; a; a = a->next)
        if (a->taken)
            step(to, &a->task);
    return true;
}

bool adopts_forget(struct adopts *as, uint64_t job)
{
    struct adopt **at = &as->first, *s = NULL;
    struct world *w;

    while (*at && (*at)->plan.job != job)
        at = &(*at)->next;
    if (*at) {
        s = *at;
        *at = s->next;
        adopt_free(s);
        return true;
    }
    w = adopts_world(as, job, &s);
    if (!w)
        return false;
    for (struct world **in = &s->worlds; *in; in = &(*in)->next)
        if (*in == w) {
            *in = w->next;
            break;
        }
    world_destroy(w);
    look(s);
    return true;
}

bool adopts_ack(struct adopts *as, const Hct__EventAck *m)
{
    struct adopt *s;
    struct world *w = adopts_world(as, m->job, &s);
    struct adopted *a = w ? world_find(w, m->rank) : NULL;
    struct err err;

    if (!a)
        return w != NULL;
    if (records_ack(&a->task.watch.records, m->upto, &err))
        log_warn("adopt", "%s", err.text);
    if (a->task.over) {
        world_read(w);
        look(s);
    }
    return true;
}

/* -------------------------------------------------------------- clockwork */

long adopts_read(struct adopts *as)
{
    long found = 0;

    for (struct adopt *s = as->first; s; s = s->next) {
        for (struct world *w = s->worlds; w; w = w->next)
            found += world_read(w);
        look(s);
    }
    return found;
}

bool adopts_any(const struct adopts *as)
{
    for (const struct adopt *s = as->first; s; s = s->next)
        for (const struct world *w = s->worlds; w; w = w->next)
            if (world_has_pages(w))
                return true;
    return false;
}

void adopts_sample(struct adopts *as)
{
    for (struct adopt *s = as->first; s; s = s->next)
        for (struct world *w = s->worlds; w; w = w->next) {
            world_sample(w);
            world_account(w);
        }
}

void adopts_tell(struct adopts *as)
{
    for (struct adopt *s = as->first; s; s = s->next) {
        tell_prepared(s);
        s->drained = false;     /* until all tasks are told of again */
        for (struct world *w = s->worlds; w; w = w->next)
            for (struct adopted *a = w->tasks; a; a = a->next)
                world_ask(a);
        look(s);
    }
}

size_t adopts_list(const struct adopts *as, uint64_t *ids, size_t max)
{
    size_t n = 0;

    for (const struct adopt *s = as->first; s; s = s->next) {
        if (n++ < max)
            ids[n - 1] = adopt_id(s);
        for (const struct world *w = s->worlds; w; w = w->next)
            if (w->job && w->job != adopt_id(s) && n++ < max)
                ids[n - 1] = w->job;
    }
    return n;
}

void adopts_orphan(struct adopts *as)
{
    while (as->first) {
        struct adopt *s = as->first;

        as->first = s->next;
        adopt_free(s);
    }
}

struct adopts *adopts_create(struct node *node, void (*wake)(void *arg),
                             void *arg)
{
    struct adopts *as = calloc(1, sizeof(*as));

    if (!as)
        return NULL;
    as->node = node;
    as->wake = wake;
    as->arg = arg;
    return as;
}

void adopts_destroy(struct adopts *as)
{
    if (!as)
        return;
    adopts_orphan(as);
    free(as);
}
