/* jobstop.c - see jobstop.h. Pages are looked at only while an answer is due. */
#include "slave/move/jobstop.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "mpi-wrappers/page.h"
#include "proto/base/clock.h"
#include "proto/base/log.h"
#include "proto/link/timer.h"
#include "slave/jobs/jobhook.h"
#include "slave/page/stance.h"

#define TICK_NS   (CLOCK_NS_PER_MS / 4)
#define SILENT_NS (30 * CLOCK_NS_PER_S)
#define WATCH_NS  (CLOCK_NS_PER_S / 4)  /* is the master there? */
enum { RAISES_MAX = 1 << 20 };

struct jobstop {
    struct job *job;            /* borrowed */
    struct event *timer;        /* owned */
    uint64_t number, look;      /* of the last orders */
    enum page_stop_word word;
    uint32_t generation;
    bool keeps;                 /* without a word of the master nobody goes on */
    uint64_t until_ns;          /* the answer is due then; 0: it was given */
    uint64_t told_ns;           /* when it was */
    uint32_t alone;             /* jobstop_alone() */
    struct stance now;          /* scratch */
};

/* How a task stands, as it was told last; owned by the task. */
struct task_stance {
    bool told;
    uint64_t order;             /* that its page has */
    struct stance s;
};

static struct task_stance *stance_of(struct task *t)
{
    if (!t->stance)
        t->stance = calloc(1, sizeof(*t->stance));
    return t->stance;
}

/* Also of a page that is new, or was written over. */
static void put_orders(const struct jobstop *s, struct task *t)
{
    struct task_stance *of = stance_of(t);

    if (!of || !t->tally.page ||
        (of->order == s->number &&
         stance_ordered(t->tally.page, s->word, s->generation)))
        return;
    stance_order(t->tally.page, s->word, s->generation, s->number);
    of->order = s->number;
}

static void raise_targets(struct task *t, const Hct__StopOrder *m)
{
    if (!t->tally.page)
        return;
    for (size_t i = 0; i < m->n_raises; i++) {
        struct stance_raise r = { m->raises[i]->comm, m->raises[i]->target };

        stance_raise(t->tally.page, &r, 1);
    }
}

/* ----------------------------------------------------------------- the answer */

static void read_task(struct jobstop *s, const struct task *t)
{
    if (t->tally.page && !t->over) {
        stance_read(t->tally.page, s->job->part.ntasks, &s->now);
    } else {
        memset(&s->now, 0, sizeof(s->now));
        s->now.where = PAGE_AT_GONE;
    }
}

/* Looks at all; is anything different from what was told? */
static bool look(struct jobstop *s)
{
    bool news = false;

    for (size_t i = 0; i < s->job->ntasks; i++) {
        struct task_stance *of = stance_of(s->job->tasks[i]);

        if (!of)
            continue;
        put_orders(s, s->job->tasks[i]);
        read_task(s, s->job->tasks[i]);
        news = news || !of->told || !stance_same(&of->s, &s->now);
        of->s = s->now;
    }
    return news;
}

static void fill_comms(Hct__StopLook__Task *m, const struct stance *s,
                       Hct__StopLook__Comm *v, Hct__StopLook__Comm **p)
{
    m->comms = p;
    m->n_comms = s->ncomms;
    for (uint32_t i = 0; i < s->ncomms; i++) {
        hct__stop_look__comm__init(&v[i]);
        v[i].id = s->comms[i].id;
        v[i].entered = s->comms[i].entered;
        v[i].target = s->comms[i].target;
        v[i].size = s->comms[i].size;
        p[i] = &v[i];
    }
}

static void fill_task(Hct__StopLook__Task *m, const struct task *t)
{
    const struct stance *s = &t->stance->s;

    hct__stop_look__task__init(m);
    m->rank = t->rank;
    m->where = s->where;
    m->peer = s->peer;
    m->gate = s->gate;
    m->unfinished = s->unfinished;
    m->order = t->stance->order;
    m->sent = s->sent;
    m->received = s->received;
    m->calls = s->calls;
    m->able = s->signal != 0;
    m->refuses = s->refuses;
    m->why = (char *)s->why;
    m->swap = s->swap;
    m->generation = s->generation;
}

static void answer(struct jobstop *s)
{
    struct job *j = s->job;
    Hct__StopLook m = HCT__STOP_LOOK__INIT;
    Hct__StopLook__Task *v = calloc(j->ntasks + 1, sizeof(*v));
    size_t ncomms = 0, at = 0;
    Hct__StopLook__Comm *comms, **all;

    for (size_t i = 0; i < j->ntasks; i++)
        ncomms += j->tasks[i]->stance ? j->tasks[i]->stance->s.ncomms : 0;
    comms = calloc(ncomms + 1, sizeof(*comms));
    all = calloc(ncomms + 1, sizeof(*all));
    m.tasks = calloc(j->ntasks + 1, sizeof(*m.tasks));
    m.job = j->part.id;
    m.look = s->look;
    for (size_t i = 0; v && comms && all && m.tasks && i < j->ntasks; i++) {
        struct task *t = j->tasks[i];

        if (!t->stance)
            continue;
        fill_task(&v[m.n_tasks], t);
        fill_comms(&v[m.n_tasks], &t->stance->s, comms + at, all + at);
        at += t->stance->s.ncomms;
        t->stance->told = true;
        m.tasks[m.n_tasks] = &v[m.n_tasks];
        m.n_tasks++;
    }
    uplink_send(j->part.node->uplink, MESSAGE_STOP_LOOK, &m);
    free(m.tasks);
    free(all);
    free(comms);
    free(v);
}

/* ------------------------------------------------------------------ clockwork */

static void let_go(struct jobstop *s)
{
    s->word = PAGE_STOP_RUN;
    s->until_ns = 0;
    event_del(s->timer);
    for (size_t i = 0; i < s->job->ntasks; i++)
        put_orders(s, s->job->tasks[i]);
}

/* Those that have gone on need no more looks. Last: that ends s, perhaps. */
static void watch(struct jobstop *s, uint64_t now_ns)
{
    struct job *j = s->job;
    bool stands = s->word != PAGE_STOP_SWAP && !s->keeps;

    if (s->word == PAGE_STOP_RUN)
        return;
    if (stands && now_ns - s->told_ns >= SILENT_NS) {
        log_warn("stop", "no word of the master: its tasks go on job=%llu",
                 (unsigned long long)j->part.id);
        let_go(s);
        return;
    }
    timer_set(s->timer, WATCH_NS);
    if (uplink_away_ns(j->part.node->uplink) >= JOBSTOP_AWAY_S * CLOCK_NS_PER_S)
        j->part.node->hook->away(j);
}

static void on_tick(evutil_socket_t fd, short what, void *arg)
{
    struct jobstop *s = arg;
    uint64_t now_ns = clock_monotonic_ns();

    (void)fd, (void)what;
    if (!s->until_ns) {
        watch(s, now_ns);
        return;
    }
    if (!look(s) && now_ns < s->until_ns) {
        timer_set(s->timer, TICK_NS);
        return;
    }
    answer(s);
    s->until_ns = 0;
    s->told_ns = now_ns;
    timer_set(s->timer, WATCH_NS);
}

static void signal_ranks(struct job *j, const Hct__StopOrder *m)
{
    for (size_t i = 0; i < m->n_signals; i++) {
        struct task *t = job_task(j, m->signals[i]);

        if (t && t->tally.page && !t->over)
            stance_interrupt(t->tally.page, t->tally.pid);
    }
}

static void end(struct job *j)
{
    for (size_t i = 0; i < j->ntasks; i++) {
        free(j->tasks[i]->stance);
        j->tasks[i]->stance = NULL;
    }
    jobstop_destroy(j->stop);
    j->stop = NULL;
}

static struct jobstop *begin(struct job *j, struct err *err)
{
    struct jobstop *s = calloc(1, sizeof(*s));

    if (s && !(s->timer = evtimer_new(j->part.node->base, on_tick, s))) {
        free(s);
        s = NULL;
    }
    if (!s)
        return err_memory(err), NULL;
    s->job = j;
    return j->stop = s;
}

int jobstop_order(struct job *j, const Hct__StopOrder *m, struct err *err)
{
    struct jobstop *s = j->stop;

    if (m->word > PAGE_STOP_SWAP)
        return err_set(err, EINVAL, "there is no word %u for a stop", m->word);
    if (m->n_raises > RAISES_MAX)
        return err_set(err, EINVAL, "%zu targets", m->n_raises);
    if (!s && !(s = begin(j, err)))
        return -1;
    if (s->alone && m->word == PAGE_STOP_SWAP)
        return err_set(err, EPROTO, "job %llu has gone on without a master",
                       (unsigned long long)m->job);
    s->alone = 0;
    s->number = m->number;
    s->look = m->look;
    s->word = (enum page_stop_word)m->word;
    s->keeps = s->keeps && s->word != PAGE_STOP_RUN;
    if (s->word == PAGE_STOP_SWAP)
        s->generation = m->generation;
    for (size_t i = 0; i < j->ntasks; i++) {
        raise_targets(j->tasks[i], m);
        put_orders(s, j->tasks[i]);
    }
    signal_ranks(j, m);
    if (m->end) {
        end(j);
        return 0;
    }
    s->until_ns = clock_monotonic_ns() + m->wait_ns + 1;
    timer_set(s->timer, 0);
    return 0;
}

void jobstop_release(struct job *j)
{
    if (!j->stop || j->stop->word == PAGE_STOP_SWAP || j->stop->keeps)
        return;
    let_go(j->stop);
    end(j);
}

void jobstop_keep(struct job *j)
{
    if (j->stop && j->stop->word != PAGE_STOP_RUN)
        j->stop->keeps = true;
}

bool jobstop_keeps(const struct job *j)
{
    return j->stop && j->stop->keeps;
}

void jobstop_go_alone(struct job *j, uint32_t serial)
{
    let_go(j->stop);
    j->stop->keeps = false;
    j->stop->alone = serial;
}

uint32_t jobstop_alone(const struct job *j)
{
    return j->stop ? j->stop->alone : 0;
}

void jobstop_destroy(struct jobstop *s)
{
    if (!s)
        return;
    timer_free(s->timer);
    free(s);
}

uint32_t jobstop_generation(const struct job *j)
{
    return j->stop ? j->stop->generation : 0;
}

bool jobstop_swaps(const struct job *j)
{
    return j->stop && j->stop->word == PAGE_STOP_SWAP;
}
