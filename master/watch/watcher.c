/* watcher.c - has the tasks of a job looked at, for its policies.
 *
 * Invariants. One look is under way at a time: `pending` slaves have not
 * answered it. It ends when all have, or after a while without those that have
 * not; then the snapshot goes to the tape, and what was written there to every
 * policy, each in a process of its own (judge.h). So a replay of the tape asks a
 * policy at the same snapshots. The next look is when the first of those that
 * have answered wants one: who thinks for long keeps nobody waiting.
 *
 * The policies of a job that is taken up again are first asked over what was
 * recorded of it (recall), and nothing else is done meanwhile. Numbers and times
 * of looks go on behind the last recorded one: the record of all masters together
 * is one tape, and a replay of it says the same as they did. For that, a look
 * that gives a verdict is stored together with it.
 *
 * A tagged call of a job with deadlines is shown almost at once, and for it
 * alone no slave is asked: such a look only policies that need events are shown,
 * and none that is busy misses one. Those that come when all tasks have ended
 * are shown in a last look, and the job ends when what it says is known.
 *
 * Where the policies ask for looks at the same short interval again and again,
 * the slaves take several looks at that interval for one order. They go the same
 * way, one after the other, a little later. */
#include "master/watch/watcher.h"

#include <errno.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "master/state/job.h"
#include "master/store/journal.h"
#include "master/watch/callclass.h"
#include "master/watch/eventbook.h"
#include "master/watch/inquiry.h"
#include "master/watch/panel.h"
#include "master/watch/earlier.h"
#include "master/watch/goodruns.h"
#include "master/watch/recall.h"
#include "master/watch/spool.h"
#include "master/watch/series.h"
#include "proto/base/clock.h"
#include "proto/base/log.h"
#include "proto/link/conn.h"
#include "proto/link/timer.h"

static const uint64_t watcher_late_ns = CLOCK_NS_PER_S;
/* A timer may be that early, and the policy would not be due yet. */
static const uint64_t watcher_early_ns = CLOCK_NS_PER_MS;
/* How long the end of a job waits for its last look. */
static const uint64_t watcher_last_ns = 3 * CLOCK_NS_PER_S;
static const uint64_t watcher_quick_ns = 5 * CLOCK_NS_PER_MS;
/* While tasks begin they need all processors, and what is over by then needs no
 * judge. */
static const uint64_t watcher_first_ns = 100 * CLOCK_NS_PER_MS;
/* How long a series takes at most, and the longest interval that is one. */
static const uint64_t watcher_series_ns = 400 * CLOCK_NS_PER_MS;
static const uint64_t watcher_often_ns = 50 * CLOCK_NS_PER_MS;
enum { WATCHER_POLLS = 512 / 8, WATCHER_SAME = 16, WATCHER_MODELS = 256 };

struct watcher {
    struct job *job;            /* borrowed, like the next two */
    struct judges *judges;
    struct journal *journal;
    struct watcher_conf conf;   /* its text is borrowed */
    struct panel panel;
    const struct watcher_ops *ops;      /* borrowed */
    struct event *timer;        /* owned: the next look, or the end of one */
    bool running, looking;
    bool closing;               /* the job ends: there is a last look, ... */
    bool last_due, last_shown;  /* ... for which all has come; it was shown */
    uint64_t ended_ns;          /* its tasks had, then, by the clock of looks */
    uint32_t asked;             /* parts that the next look is to have */
    struct taskset sample;      /* owned: models of these; empty: of all */
    bool all_models;            /* somebody wants all */
    uint64_t last_ns;           /* and what they did since so long ago; 0: nobody
                                   wants that */
    struct inquiry inquiry, stacks;
    bool shows_answer;          /* of it, this look does */
    bool shows_stacks;          /* the same */
    uint32_t called;            /* enum hct_asked: of those who do not know yet */
    struct hct_when person;     /* of what time who has asked wants to know */
    bool open;                  /* somebody knows of a hang, and has not said yet
                                   what he makes of it */
    bool stale;                 /* not all tasks were seen in this look */
    struct looks looks;
    struct eventbook events;
    struct earlier earlier;
    struct goodruns *good;      /* owned; NULL: nobody has asked yet */
    bool shows_good;            /* somebody waits for them */
    uint64_t began_ns;          /* the look */
    uint64_t every_ns;          /* what the policies asked for last, and how */
    uint32_t same;              /* often, in a row */
    uint32_t count;             /* looks of the order that is under way */
    struct { bool asked, known; } *node;        /* owned, as job->nodes */
    size_t nnodes, pending;
    struct series series;       /* what some have answered to this order */
    uint64_t start_ns;          /* what the snapshots' clock begins with */
    struct spool spool;
    struct recall *recall;      /* owned: it is being read; or NULL */
};

/* ------------------------------------------------------------------ life */

static void watcher_on_timer(evutil_socket_t fd, short what, void *arg);
static const struct judge_ops judge_ops;

static struct panel_how watcher_how(struct watcher *w)
{
    return (struct panel_how){ w->judges, &w->conf.judge, &judge_ops, w };
}

struct watcher *watcher_create(struct event_base *base,
                               struct judges *judges, struct job *j,
                               struct journal *journal,
                               const struct watcher_conf *conf,
                               const struct watcher_ops *ops,
                               const Hct__Submit *s, struct err *err)
{
    struct watcher *w = calloc(1, sizeof(*w));
    struct panel_how how;

    if (w)
        w->timer = evtimer_new(base, watcher_on_timer, w);
    if (!w || !w->timer) {
        watcher_destroy(w);
        err_memory(err);
        return NULL;
    }
    w->job = j;
    w->judges = judges;
    w->journal = journal;
    w->conf = *conf;
    w->conf.judge.uid = j->uid;
    how = watcher_how(w);
    w->ops = ops;
    w->spool.job = j;
    w->spool.journal = journal;
    w->earlier.journal = journal;
    w->inquiry = (struct inquiry){ .reducer = conf->reducer, .job = j };
    w->stacks = w->inquiry;
    w->spool.keep_bytes = conf->tape_bytes;
    if (eventbook_init(&w->events, s, err) ||
        panel_init(&w->panel, &how, w->conf.policies, s, err)) {
        watcher_destroy(w);
        return NULL;
    }
    return w;
}

static void watcher_drop_states(struct watcher *w)
{
    looks_fini(&w->looks);
    earlier_fini(&w->earlier);
    goodruns_destroy(w->good);
    w->good = NULL;
    w->shows_good = false;
    series_fini(&w->series);
    free(w->node);
    w->node = NULL;
}

void watcher_destroy(struct watcher *w)
{
    if (!w)
        return;
    recall_destroy(w->recall);
    panel_fini(&w->panel);
    watcher_drop_states(w);
    eventbook_fini(&w->events);
    inquiry_fini(&w->inquiry);
    inquiry_fini(&w->stacks);
    taskset_fini(&w->sample);
    spool_fini(&w->spool);
    timer_free(w->timer);
    free(w);
}

static int watcher_know_nodes(struct watcher *w, struct err *err)
{
    void *v = calloc(w->job->nnodes + 1, sizeof(*w->node));

    if (!v || series_begin(&w->series, w->job->nnodes)) {
        free(v);
        return err_memory(err);
    }
    free(w->node);
    w->node = v;
    w->nnodes = w->job->nnodes;
    return 0;
}

static uint64_t watcher_earlier(void *arg, uint64_t key)
{
    struct watcher *w = arg;

    return earlier_longest(&w->earlier, key);
}

/* Models of these ranks; of more it is simpler to have all. */
static void want_models(struct watcher *w, const struct judge_done *d)
{
    if (!(d->need & HCT_NEED_MODEL))
        return;
    w->all_models |= d->nsample == 0;
    if (d->last_ns)
        w->last_ns = d->last_ns;
    for (size_t i = 0; i < d->nsample; i++)
        if (taskset_add(&w->sample, d->sample[i], d->sample[i]))
            w->all_models = true;
    w->all_models |= taskset_count(&w->sample) > WATCHER_MODELS;
}

static void want_earlier(struct watcher *w, const struct judge_done *d)
{
    if (!(d->need & HCT_NEED_EARLIER) || !w->journal)
        return;
    if (!w->good)
        w->good = goodruns_create(event_get_base(w->timer), w->journal, w->job->id,
                                  w->job->ntasks);
    w->shows_good = w->good != NULL;
}

static void forget_wanted(struct watcher *w)
{
    w->asked = 0;
    w->all_models = false;
    w->last_ns = 0;
    taskset_fini(&w->sample);
    w->sample = (struct taskset){ 0 };
}

/* Arrays and states for these tasks. */
static int watcher_begin(struct watcher *w, const struct hct_job *job,
                         struct err *err)
{
    watcher_drop_states(w);
    w->looking = false;
    forget_wanted(w);
    w->called = 0;
    if (watcher_know_nodes(w, err))
        return -1;
    if (looks_init(&w->looks, job) || spool_begin(&w->spool, job->nranks) ||
        ((!w->recall || w->events.nranks != job->nranks) &&
         eventbook_begin(&w->events, job->nranks)))
        return err_memory(err);
    w->looks.earlier = watcher_earlier;
    w->looks.earlier_arg = w;
    for (size_t i = 0; i < w->panel.n; i++)
        if (judge_begin(w->panel.v[i], job->nranks, err))
            return -1;
    return 0;
}

/* ... that the job has now. */
static int watcher_begin_job(struct watcher *w, struct err *err)
{
    const struct calendar *due = &w->events.calendar;
    const struct job *j = w->job;
    struct hct_job job = { .size = sizeof(job), .nranks = j->ntasks,
                           .job = j->id };

    memcpy(&job.seed, j->cookie, sizeof(job.seed));
    job.seed &= INT64_MAX;
    snprintf(job.name, sizeof(job.name), "%.60s", j->name);
    for (size_t i = 0; i < due->n; i++)
        journal_deadline(w->journal, j, &due->v[i], clock_wall_ns());
    return watcher_begin(w, &job, err);
}

/* The same; numbers and times go on. */
static int watcher_begin_again(struct watcher *w, struct err *err)
{
    uint64_t seq = w->looks.seq, now_ns = w->looks.now_ns;

    if (watcher_begin_job(w, err))
        return -1;
    w->looks.seq = seq;
    w->looks.now_ns = now_ns;
    return 0;
}

static void watcher_run(struct watcher *w, bool again)
{
    struct err err;

    if (again ? watcher_begin_again(w, &err) : watcher_begin_job(w, &err)) {
        w->ops->blind(w->job, err.text);
        return;
    }
    w->running = true;
    timer_set(w->timer, watcher_first_ns);
}

void watcher_start(struct watcher *w)
{
    if (!w || w->running || w->panel.n == 0)
        return;
    w->start_ns = clock_monotonic_ns() - 1;
    watcher_run(w, false);
}

/* Some looks are missed by each policy that takes its time: that is for the log, and
 * the user hears of it where verdicts may be late, or not there, for that. */
static void say_missed(const struct watcher *w, const struct judge *j)
{
    char text[120];
    struct store_action row = { .action = "warn", .by = judge_name(j),
                                .why = text, .result = "done" };

    if (judge_missed(j) == 0)
        return;
    snprintf(text, sizeof(text), "it was busy when %llu looks that it had asked "
             "for were taken, most of them", (unsigned long long)judge_missed(j));
    if (judge_missed_most(j))
        journal_action(w->journal, w->job, &row);
    else
        *strchr(text, ',') = '\0';
    log_info("watcher", "policy %s: %s job=%llu", judge_name(j), text,
             (unsigned long long)w->job->id);
}

/* To be added to a wall clock of ours, for the clock of the looks. */
static int64_t shift_ns(const struct watcher *w)
{
    return (int64_t)(clock_monotonic_ns() - w->start_ns) - (int64_t)clock_wall_ns();
}

/* The job's end nobody sees but us. */
static void end_deadlines(struct watcher *w)
{
    uint64_t now_ns = w->closing ? w->ended_ns
                                 : clock_monotonic_ns() - w->start_ns;
    struct hct_instance ends[HCT_DEADLINES_MAX];
    uint32_t n = eventbook_ends(&w->looks, (int64_t)now_ns, ends);

    if (n)
        w->ops->instances(w->job, NULL, ends, n, -shift_ns(w));
}

const struct due *watcher_due(const struct watcher *w, uint32_t number)
{
    const struct calendar *c = w ? &w->events.calendar : NULL;

    return c && number >= 1 && number <= c->n && !c->v[number - 1].over
           ? &c->v[number - 1] : NULL;
}

void watcher_stop(struct watcher *w)
{
    if (!w || (!w->running && !w->closing))
        return;
    event_del(w->timer);
    end_deadlines(w);
    w->running = w->closing = false;
    inquiry_fini(&w->inquiry);
    inquiry_fini(&w->stacks);
    recall_destroy(w->recall);
    w->recall = NULL;
    for (size_t i = 0; i < w->panel.n; i++) {
        say_missed(w, w->panel.v[i]);
        judge_end(w->panel.v[i]);
    }
    w->ops->stopped(w->job);
    spool_flush(&w->spool);
}

/* ------------------------------------------------------------------- looks */

/* How many looks the next order is for: the more, the longer nothing else has
 * been wanted, or found. */
static uint32_t series_length(const struct watcher *w, uint32_t parts)
{
    uint64_t n;

    if (parts || w->same < 2 * WATCHER_SAME || w->every_ns == 0 ||
        w->every_ns > watcher_often_ns)
        return 1;
    n = watcher_series_ns / w->every_ns;
    n = n < SERIES_MAX ? n : SERIES_MAX;
    return n < w->same / WATCHER_SAME ? (uint32_t)n : w->same / WATCHER_SAME;
}

static void send_look(struct watcher *w, size_t i)
{
    static uint8_t polls[WATCHER_POLLS];
    struct job_node *jn = &w->job->nodes[i];
    Hct__Look m = HCT__LOOK__INIT;
    uint32_t n, models[WATCHER_MODELS];
    const struct hct_call *calls = callclass_table(&n);

    m.job = w->job->id;
    m.seq = w->looks.seq;
    m.parts = w->looks.parts;
    m.full = !w->node[i].known;
    m.count = w->count;
    m.every_ns = w->every_ns;
    m.models = models;
    m.last_ns = m.parts & HCT_NEED_MODEL ? w->last_ns : 0;
    if ((m.parts & HCT_NEED_MODEL) && !w->all_models)
        for (int64_t r = -1; (r = taskset_next(&w->sample, r)) >= 0; )
            models[m.n_models++] = (uint32_t)r;
    if (m.full) {
        memset(polls, 0, sizeof(polls));
        for (uint32_t c = 0; c < n && c < 8 * WATCHER_POLLS; c++)
            if (calls[c].flags & HCT_CALL_POLL)
                polls[c / 8] |= (uint8_t)(1u << c % 8);
        m.polls.data = polls;
        m.polls.len = sizeof(polls);
    }
    conn_send(jn->node->link, MESSAGE_LOOK, &m);
    w->node[i].asked = true;
    w->pending++;
}

static void look_end(struct watcher *w, uint64_t now_ns);

/* An adopted job has got more tasks, or nodes. */
static int look_grow(struct watcher *w, struct err *err)
{
    if (w->job->ntasks == w->looks.job.nranks)
        return w->job->nnodes == w->nnodes ? 0 : watcher_know_nodes(w, err);
    return watcher_begin_again(w, err);
}

/* What there is to be heard of by those who are not busy. */
static uint32_t heard(const struct watcher *w)
{
    return w->called ? panel_hears_now(&w->panel) & w->called : 0;
}

/* When the first policy wants to see something: of those that are not busy. */
static uint64_t wanted(const struct watcher *w)
{
    return heard(w) ? w->looks.now_ns : panel_wake_ns(&w->panel);
}

/* What a look now has to have: what was asked for, and what those need who want
 * one. */
static uint32_t wanted_parts(struct watcher *w)
{
    uint64_t now = clock_monotonic_ns() - w->start_ns, wake_ns;
    uint32_t parts = w->asked;

    for (size_t i = 0; i < w->panel.n; i++)
        if (judge_wants(w->panel.v[i], &wake_ns) &&
            wake_ns <= now + watcher_early_ns) {
            uint32_t needs = judge_needs(w->panel.v[i]);

            w->all_models |= (needs & HCT_NEED_MODEL) != 0;
            w->shows_answer |= inquiry_has(&w->inquiry, w->panel.v[i]);
            w->shows_stacks |= inquiry_has(&w->stacks, w->panel.v[i]);
            parts |= needs;
        }
    return parts;
}

/* As often as the looks before? */
static void look_pace(struct watcher *w)
{
    uint64_t next = wanted(w), every = next - w->looks.now_ns;

    if (next == UINT64_MAX || next < w->looks.now_ns)
        every = 0;
    if (every != w->every_ns)
        w->same = 0;
    w->every_ns = every;
}

/* Has nobody asked for more than events, and is nobody due? */
static bool only_events(const struct watcher *w)
{
    uint64_t now = clock_monotonic_ns() - w->start_ns;

    return w->looks.asked == HCT_ASKED_BY_EVENT && !w->looks.parts &&
           !w->asked && panel_wake_ns(&w->panel) > now + watcher_early_ns;
}

static bool events_wanted(const struct watcher *w)
{
    return !eventbook_empty(&w->events) ||
           (panel_needs(&w->panel) & HCT_NEED_EVENTS);
}

/* Who is busy would miss them: then they wait. */
static void show_events(struct watcher *w)
{
    if (!events_wanted(w) || panel_busy(&w->panel, HCT_ASKED_BY_EVENT))
        return;
    if (eventbook_any(&w->events))
        w->looks.asked |= HCT_ASKED_BY_EVENT;
    w->called &= ~(uint32_t)HCT_ASKED_BY_EVENT;
    eventbook_show(&w->events, &w->looks, shift_ns(w), w->job->started_ns);
    if (eventbook_any(&w->events))
        w->called |= HCT_ASKED_BY_EVENT;
}

static void look_begin(struct watcher *w)
{
    struct job *j = w->job;
    uint32_t parts;
    struct err err;

    if (look_grow(w, &err)) {
        log_warn("watcher", "%s", err.text);
        w->running = false;
        return;
    }
    for (size_t i = 0; i < w->panel.n && w->running; i++)
        judge_wake(w->panel.v[i]);
    if (!w->running)
        return;
    look_pace(w);
    w->shows_answer = w->shows_stacks = false;
    parts = wanted_parts(w);
    w->count = series_length(w, parts | w->shows_answer | w->shows_stacks |
                             events_wanted(w));
    looks_begin(&w->looks, parts);
    w->looks.asked = heard(w);
    if (w->looks.asked & HCT_ASKED_BY_PERSON)
        w->looks.person = w->person;
    w->looks.unread = only_events(w);
    w->called &= ~(w->looks.asked & ~(uint32_t)HCT_ASKED_BY_EVENT);
    w->open |= (w->looks.asked & HCT_ASKED_BY_HANG) != 0;
    w->looking = true;
    w->pending = 0;
    w->began_ns = clock_monotonic_ns();
    for (size_t i = 0; i < j->nnodes; i++) {
        struct job_node *jn = &j->nodes[i];

        w->node[i].asked = false;
        if (jn->nlive && !jn->lost && !jn->away && jn->node->link &&
            !w->looks.unread)
            send_look(w, i);
    }
    forget_wanted(w);
    timer_set(w->timer, watcher_late_ns + w->count * w->every_ns);
    if (w->pending == 0)
        look_end(w, clock_monotonic_ns());
}

/* Where each task is, and whose slave has not answered, or cannot be asked. */
static void mark_places(struct watcher *w)
{
    const struct job *j = w->job;
    char fate[40];

    w->stale = false;
    for (uint32_t r = 0; r < j->ntasks && r < w->looks.job.nranks; r++) {
        const struct task *t = &j->tasks[r];

        if (t->node < j->nnodes)
            looks_set_node(&w->looks, r, t->node + 1);
        if (task_state_final(t->state)) {
            looks_set_ended(&w->looks, r, job_task_fate(t, fate, sizeof(fate)));
        } else if (t->node >= j->nnodes || w->node[t->node].asked ||
                   !w->node[t->node].known) {
            looks_set_absent(&w->looks, r);
            w->stale = true;
        }
    }
}

/* When somebody is back who is busy now, if not before. */
static void look_schedule(struct watcher *w)
{
    uint64_t now = clock_monotonic_ns() - w->start_ns, next = wanted(w);

    if (panel_off(&w->panel))
        watcher_stop(w);        /* nobody is left to look */
    else if (next != UINT64_MAX)
        timer_set(w->timer, (next > now ? next - now : 0) + watcher_early_ns);
}

/* All that is known now is a snapshot. */
static void look_done(struct watcher *w, uint64_t now_ns)
{
    struct hct_snapshot s;
    struct tape_frame frame;

    if (!w->closing || eventbook_fits(&w->events))
        mark_places(w);         /* else it is not the last one yet */
    show_events(w);
    if (w->shows_answer)
        inquiry_show(&w->inquiry, &w->looks);
    if (w->shows_stacks)
        inquiry_show(&w->stacks, &w->looks);
    if (w->shows_good && goodruns_known(w->good)) {
        goodruns_show(w->good, &w->looks);
        w->shows_good = false;
    }
    looks_end(&w->looks, now_ns - w->start_ns, &s);
    for (size_t i = 0; i < w->panel.n; i++)
        if (judge_wants_key(w->panel.v[i], w->looks.asked)) {
            spool_flush(&w->spool);
            break;
        }
    spool_add(&w->spool, &s, &frame);
    for (size_t i = 0; i < w->panel.n; i++)
        judge_show(w->panel.v[i], &frame);
    w->same++;
}

/* ---------------------------------------------------------------- last look */

void watcher_close(struct watcher *w)
{
    if (w && w->closing)
        return;
    if (!w || !w->running || w->recall || !calendar_any(&w->events.calendar) ||
        !(panel_hears(&w->panel) & HCT_ASKED_BY_EVENT)) {
        watcher_stop(w);
        return;
    }
    event_del(w->timer);
    w->running = w->looking = false;
    w->closing = true;
    w->last_due = w->last_shown = false;
    w->ended_ns = clock_monotonic_ns() - w->start_ns;
    for (size_t i = 0; i < w->panel.n; i++)
        if (!(judge_hears(w->panel.v[i]) & HCT_ASKED_BY_EVENT))
            judge_end(w->panel.v[i]);
}

/* Only who hears of events is shown that, also in a replay. */
static void last_show(struct watcher *w)
{
    w->last_shown = true;
    looks_begin(&w->looks, 0);
    w->looks.asked = HCT_ASKED_BY_EVENT;
    w->looks.unread = true;
    look_done(w, clock_monotonic_ns());
    for (size_t i = 0; i < w->panel.n; i++)
        judge_go(w->panel.v[i], w->looks.now_ns, false);
}

static void last_go_on(struct watcher *w)
{
    if (!w->last_due)
        return;
    if ((!w->last_shown || eventbook_any(&w->events)) &&
        !panel_busy(&w->panel, HCT_ASKED_BY_EVENT))
        last_show(w);
    if (panel_busy(&w->panel, HCT_ASKED_BY_EVENT))
        return;
    watcher_stop(w);
    w->ops->closed(w->job);
}

bool watcher_last(struct watcher *w)
{
    if (w && w->running)        /* the job ends by itself: all was well */
        watcher_close(w);
    if (!w || !w->closing) {
        watcher_stop(w);
        return false;
    }
    if (w->last_due)
        return true;
    w->last_due = true;
    timer_set(w->timer, watcher_last_ns);
    for (size_t i = 0; i < w->panel.n; i++)
        if (judge_hears(w->panel.v[i]) & HCT_ASKED_BY_EVENT)
            judge_wake(w->panel.v[i]);
    last_go_on(w);
    return true;
}

static void last_late(struct watcher *w)
{
    log_warn("watcher", "the last look was not seen in time job=%llu",
             (unsigned long long)w->job->id);
    watcher_stop(w);
    w->ops->closed(w->job);
}

static void look_end(struct watcher *w, uint64_t now_ns)
{
    w->looking = false;
    event_del(w->timer);
    look_done(w, now_ns);
    for (size_t i = 0; i < w->panel.n; i++)
        judge_go(w->panel.v[i], w->looks.now_ns, w->stale);
    if (w->running)
        look_schedule(w);
}

static bool is_there(const void *arg, uint32_t rank)
{
    const struct job_node *jn = arg;

    return taskset_has(&jn->ranks, rank);
}

static void series_on_look(void *arg, size_t node, const uint8_t *look,
                           size_t bytes)
{
    struct watcher *w = arg;

    looks_take_packed(&w->looks, look, bytes, is_there, &w->job->nodes[node],
                      NULL);
}

/* The looks of an order, one after the other; the last one ends it. */
static void series_end(struct watcher *w)
{
    uint64_t every_ns = w->every_ns, after_ns, at;
    bool more;

    for (;;) {
        more = series_step(&w->series, every_ns, series_on_look, w,
                           &after_ns);
        at = w->began_ns + after_ns;
        if (at < w->start_ns + w->looks.now_ns)
            at = w->start_ns + w->looks.now_ns;
        if (!more) {
            look_end(w, at);
            return;
        }
        look_done(w, at);
        looks_begin(&w->looks, 0);
    }
}

static void order_end(struct watcher *w)
{
    if (series_any(&w->series))
        series_end(w);
    else
        look_end(w, clock_monotonic_ns());
}

static void watcher_on_timer(evutil_socket_t fd, short what, void *arg)
{
    struct watcher *w = arg;

    (void)fd;
    (void)what;
    if (w->closing)
        last_late(w);
    else if (w->looking)
        order_end(w);           /* without those that have not answered */
    else
        look_begin(w);
}

/* Too late for its order: what it says is worth knowing. */
static int take_late(struct watcher *w, const struct job_node *jn,
                     const Hct__Looked *m, struct err *err)
{
    int rc = 0;

    for (size_t i = 0; i < m->n_more && rc == 0; i++)
        rc = looks_take_packed(&w->looks, m->more[i].data, m->more[i].len,
                               is_there, jn, err);
    return rc;
}

int watcher_looked(struct watcher *w, struct job_node *jn,
                   const Hct__Looked *m, struct err *err)
{
    bool in_time;
    size_t i;
    int rc;

    if (!w || !w->running || w->recall || w->nnodes != w->job->nnodes)
        return 0;
    i = (size_t)(jn - w->job->nodes);
    in_time = w->looking && m->seq == w->looks.seq && w->node[i].asked;
    if (!m->n_more)
        rc = looks_take(&w->looks, m, (uint32_t)i + 1, is_there, jn, err);
    else if (in_time)
        rc = series_put(&w->series, i, m, is_there, jn, err);
    else
        rc = take_late(w, jn, m, err);
    if (rc || !in_time)
        return rc;
    w->node[i].asked = false;
    w->node[i].known = true;
    if (--w->pending == 0)
        order_end(w);
    return 0;
}

void watcher_events(struct watcher *w, const struct job_node *jn,
                    const Hct__Events *m, uint64_t known)
{
    struct eventbook_clock clock;

    if (!w || (!w->running && !w->closing) || eventbook_empty(&w->events))
        return;
    clock = eventbook_clock(jn->node->link ? conn_clock(jn->node->link) : NULL,
                            w->recall ? 0 : shift_ns(w));
    eventbook_take(&w->events, m, known, &clock);
    if (!eventbook_any(&w->events) || w->closing || w->recall)
        return;
    w->called |= HCT_ASKED_BY_EVENT;
    if (!w->looking)
        look_schedule(w);
}

void watcher_node_back(struct watcher *w, const struct job_node *jn)
{
    if (w && w->running && !w->recall && w->nnodes == w->job->nnodes)
        w->node[jn - w->job->nodes].known = false;
}

/* ----------------------------------------------------- what policies answer */

/* Is it worth asking who is behind? */
static bool stands_still(const struct hct_verdict *v)
{
    return v->kind == HCT_HANG || v->kind == HCT_DEADLOCK ||
           (v->kind == HCT_NOTICE && v->nranks);
}

static void judge_on_found(void *arg, struct judge *j, const struct found *f)
{
    struct watcher *w = arg;

    if (f->how != FOUND_FINE)
        w->ops->complained(w->job, j, f->why, f->how == FOUND_OFF);
    for (uint32_t i = 0; i < f->out.nverdicts; i++)
        if (stands_still(&f->verdicts[i]))
            w->called |= HCT_ASKED_BY_HANG;
    if (f->out.nverdicts || f->out.nodds) {
        spool_flush(&w->spool); /* never without the look that it is of */
        w->same = 0;
    }
    if (f->out.ninstances)
        w->ops->instances(w->job, j, f->instances, f->out.ninstances, -shift_ns(w));
    w->ops->found(w->job, j, f);
}

/* Will somebody say more of a hang that is known? */
static bool is_open(const struct watcher *w)
{
    return (panel_hears(&w->panel) & HCT_ASKED_BY_HANG) &&
           (w->open || (w->called & HCT_ASKED_BY_HANG));
}

static void judge_on_done(void *arg, struct judge *j,
                          const struct judge_done *d)
{
    struct watcher *w = arg;

    w->asked |= d->need;
    want_models(w, d);
    want_earlier(w, d);
    if (d->need & LOOKS_ANSWERS)
        inquiry_start(&w->inquiry, j, d->need, d->question, d->nquestion);
    if (d->need & HCT_NEED_STACKS)
        inquiry_start_stacks(&w->stacks, j);
    if ((judge_hears(j) & HCT_ASKED_BY_HANG) && d->now_ns && !d->need)
        w->open = false;
    if (d->now_ns)
        w->ops->looked(w->job, j, &(struct judge_done){
            .now_ns = d->now_ns, .stale = d->stale, .need = d->need,
            .open = is_open(w) });
    if (w->closing)
        last_go_on(w);
    else if (w->running && !w->looking && !w->recall)
        look_schedule(w);
}

static bool is_called(const struct judge *j, const char *policy)
{
    size_t n = strlen(policy);

    return !n || (strncmp(judge_name(j), policy, n) == 0 &&
                  (!judge_name(j)[n] || judge_name(j)[n] == ':'));
}

int watcher_ask(struct watcher *w, const char *policy,
                const struct hct_when *when, struct err *err)
{
    bool any = false;

    for (size_t i = 0; w && i < w->panel.n; i++)
        any |= !judge_off(w->panel.v[i]) && is_called(w->panel.v[i], policy) &&
               (judge_hears(w->panel.v[i]) & HCT_ASKED_BY_PERSON);
    if (!any || !w->running)
        return err_set(err, ENOENT, "the job is not watched by a policy that "
                       "can say so: it was not begun with --policy %.40s",
                       *policy ? policy : "progress");
    w->called |= HCT_ASKED_BY_PERSON;
    w->person = *when;
    if (!w->looking && !w->recall)
        look_schedule(w);
    return 0;
}

int watcher_watch_due(struct watcher *w, struct err *err)
{
    const struct panel_how how = watcher_how(w);
    size_t n = w->panel.n;

    if (panel_watch_due(&w->panel, &how, err))
        return -1;
    return w->running && w->panel.n > n
           ? judge_begin(w->panel.v[n], w->job->ntasks, err) : 0;
}

void watcher_reschedule(struct watcher *w, struct calendar *c)
{
    eventbook_reschedule(&w->events, c);
    if (w->running) {
        w->called |= HCT_ASKED_BY_EVENT;
        if (!w->looking && !w->recall)
            look_schedule(w);
    } else if (w->job->state == JOB_RUNNING && w->start_ns) {
        watcher_run(w, true);   /* all its policies had gone */
    } else if (w->job->state == JOB_RUNNING) {
        watcher_start(w);
    }
}

static void judge_on_back(void *arg, struct judge *j)
{
    struct watcher *w = arg;

    (void)j;
    if (w->closing)
        last_go_on(w);
    else if (w->running && !w->looking && !w->recall)
        look_schedule(w);
}

static void judge_on_lost(void *arg, struct judge *j, const char *why, bool off)
{
    struct watcher *w = arg;

    char text[300];

    snprintf(text, sizeof(text), "%s%s", why,
             off ? "" : ", it is started again");
    w->ops->complained(w->job, j, text, off);
    judge_on_back(w, j);
}

static const struct judge_ops judge_ops = {
    .found = judge_on_found, .done = judge_on_done, .lost = judge_on_lost,
    .back = judge_on_back,
};

/* ------------------------------------------------------- taken up again */

static int recall_on_begin(void *arg, const struct hct_job *job,
                           struct err *err)
{
    struct watcher *w = arg;

    if (job->nranks != w->job->ntasks)
        return err_set(err, EINVAL, "they are of a job with %u tasks",
                       job->nranks);
    if (watcher_begin(w, job, err))
        return -1;
    for (size_t i = 0; i < w->panel.n; i++)
        judge_wake(w->panel.v[i]);
    return 0;
}

static void recall_on_piece(void *arg, uint64_t seq, const void *data,
                            size_t bytes)
{
    struct watcher *w = arg;

    spool_know(&w->spool, seq, bytes);
    for (size_t i = 0; i < w->panel.n; i++)
        judge_learn(w->panel.v[i], data, bytes);
}

static void recall_say(const struct watcher *w, const struct recall_end *e)
{
    struct store_action row = {
        .action = "recall", .by = "hector-master",
        .why = "it was started again" };
    char text[300];

    log_info("watcher", "%llu looks recalled job=%llu",
             (unsigned long long)e->looks, (unsigned long long)w->job->id);
    if (!e->damaged && e->first <= 1)
        return;
    if (e->damaged)
        snprintf(text, sizeof(text), "the policies begin anew, what they had "
                 "seen cannot be read: %.200s", e->damaged);
    else
        snprintf(text, sizeof(text), "the policies know nothing of the first "
                 "%llu looks, which are not kept any more",
                 (unsigned long long)e->first - 1);
    row.result = text;
    journal_action(w->journal, w->job, &row);
    log_warn("watcher", "%s job=%llu", text, (unsigned long long)w->job->id);
}

/* Behind the last recorded look, so much later as it is. */
static void recall_go_on(struct watcher *w, const struct recall_end *e)
{
    uint64_t wall = clock_wall_ns();
    uint64_t passed = wall > e->at_ns ? wall - e->at_ns : 0;

    w->looks.seq = e->last->seq;
    w->looks.now_ns = e->last->now_ns;
    memcpy(w->looks.known, e->last->ranks,
           w->looks.job.nranks * sizeof(*w->looks.known));
    w->start_ns = clock_monotonic_ns() - w->looks.now_ns - passed -
                  CLOCK_NS_PER_MS;
    eventbook_go_on(&w->events, &w->looks, e->last, shift_ns(w));
    timer_set(w->timer, watcher_quick_ns);
}

static void recall_on_done(void *arg, const struct recall_end *e)
{
    struct watcher *w = arg;

    if (e->looks || e->damaged)
        recall_say(w, e);
    if (e->looks && !e->damaged) {
        recall_go_on(w, e);
    } else {
        w->running = false;
        if (e->damaged)
            spool_drop(&w->spool);
        watcher_start(w);
        eventbook_go_on(&w->events, &w->looks, NULL, shift_ns(w));
    }
    recall_destroy(w->recall);
    w->recall = NULL;
}

void watcher_resume(struct watcher *w)
{
    static const struct recall_ops ops = { recall_on_begin, recall_on_piece,
                                           recall_on_done };

    if (!w || w->running || w->panel.n == 0)
        return;
    w->ops->recalled(w->job, w->panel.v, w->panel.n);
    w->recall = recall_create(event_get_base(w->timer), w->journal,
                              w->job->id, &ops, w);
    w->running = w->recall != NULL;
    if (w->recall && eventbook_begin(&w->events, w->job->ntasks))
        log_warn("watcher", "no memory for calls that come early job=%llu",
                 (unsigned long long)w->job->id);
    if (!w->recall)
        watcher_start(w);
}
