/* watcher.c - has the tasks of a job looked at, for its policies.
 *
 * Invariants. One look is under way at a time: `pending` slaves have not
 * answered it. It ends when all have, or after a while without those that have
 * not; then the policies that are due take a step, in the order they were
 * named, and the snapshot goes to the tape, whoever looked at it. So a replay
 * of the tape asks a policy at the same snapshots.
 *
 * Where all tasks are on one node, and the policies ask for looks at the same
 * short interval again and again, the slave takes several looks at that interval
 * for one order. They go the same way, one after the other, a little later. */
#include "master/watcher.h"

#include <stdlib.h>
#include <string.h>

#include "master/callclass.h"
#include "master/flow.h"
#include "master/flow_step.h"
#include "master/tape.h"
#include "master/watcher_act.h"
#include "proto/base/clock.h"
#include "proto/base/log.h"
#include "proto/conn.h"

static const uint64_t watcher_late_ns = CLOCK_NS_PER_S;
static const uint64_t watcher_row_ns = 10 * CLOCK_NS_PER_S;
/* A timer may be that early, and the policy would not be due yet. */
static const uint64_t watcher_early_ns = CLOCK_NS_PER_MS;
static const uint64_t watcher_quick_ns = 5 * CLOCK_NS_PER_MS;
/* How long a series takes at most, and the longest interval that is one. */
static const uint64_t watcher_series_ns = 400 * CLOCK_NS_PER_MS;
static const uint64_t watcher_often_ns = 50 * CLOCK_NS_PER_MS;
enum { WATCHER_ROW_BYTES = 128 * 1024, WATCHER_POLICIES = 16,
       WATCHER_POLLS = 512 / 8, WATCHER_SAME = 16, WATCHER_SERIES = 64 };

struct watcher_row { uint64_t seq; size_t bytes; };

struct watcher {
    struct job *job;            /* borrowed */
    struct watcher_conf conf;   /* its text is borrowed */
    struct policy policy[WATCHER_POLICIES];
    size_t npolicies;
    struct watcher_act act;
    struct event *timer;        /* owned: the next look, or the end of one */
    bool running, looking, detail;
    struct looks looks;
    struct policy_out out;
    uint64_t began_ns;          /* the look */
    uint64_t every_ns;          /* what the policies asked for last, and how */
    uint32_t same;              /* often, in a row */
    uint32_t count;             /* looks of the order that is under way */
    struct { bool asked, known; } *node;        /* owned, as job->nodes */
    size_t nnodes, pending;
    uint64_t start_ns;          /* what the snapshots' clock begins with */
    struct tape tape;
    struct str row;             /* of the tape, not stored yet */
    uint64_t row_seq, row_ns;
    struct watcher_row *rows;   /* owned: that are stored, oldest first */
    size_t nrows, rows_cap;
    uint64_t stored_bytes;
};

/* ------------------------------------------------------------------ life */

static int add_policy(struct watcher *w, const char *spec, struct err *err)
{
    if (w->npolicies == WATCHER_POLICIES)
        return err_set(err, E2BIG, "more than %d policies", WATCHER_POLICIES);
    if (policy_open(&w->policy[w->npolicies], spec, err))
        return -1;
    /* Two of a kind are told apart by their parameters. */
    for (size_t i = 0; i < w->npolicies; i++)
        if (strcmp(w->policy[i].name, w->policy[w->npolicies].name) == 0)
            snprintf(w->policy[w->npolicies].name,
                     sizeof(w->policy->name), "%.47s", spec);
    w->npolicies++;
    return 0;
}

static bool names(const char *spec, const char *name, size_t n)
{
    return strncmp(spec, name, n) == 0 && (!spec[n] || spec[n] == ':');
}

/* Those of hector.conf that the user has not named, or declined by "none". */
static int add_defaults(struct watcher *w, const char *text,
                        const Hct__Submit *s, struct err *err)
{
    char spec[256];

    while (*(text += strspn(text, " \t"))) {
        size_t n = strcspn(text, " \t"), word = strcspn(text, ": \t");
        bool named = false;

        for (size_t i = 0; i < s->n_policies && !named; i++)
            named = names(s->policies[i], text, word) ||
                    strcmp(s->policies[i], "none") == 0;
        snprintf(spec, sizeof(spec), "%.*s", (int)n, text);
        if (!named && add_policy(w, spec, err)) {
            log_info("watcher", "hector.conf: %s", err->text);
            return 0;           /* a run is not refused for it */
        }
        text += n;
    }
    return 0;
}

static int add_all(struct watcher *w, const Hct__Submit *s, struct err *err)
{
    if (add_defaults(w, w->conf.policies ? w->conf.policies : "", s, err))
        return -1;
    for (size_t i = 0; i < s->n_policies; i++)
        if (strcmp(s->policies[i], "none") != 0 &&
            add_policy(w, s->policies[i], err))
            return -1;
    return 0;
}

static void watcher_on_timer(evutil_socket_t fd, short what, void *arg);

struct watcher *watcher_create(struct event_base *base, struct job *j,
                               const struct watcher_conf *conf,
                               const Hct__Submit *s, struct err *err)
{
    struct watcher *w = calloc(1, sizeof(*w));

    if (w)
        w->timer = event_new(base, -1, 0, watcher_on_timer, w);
    if (!w || !w->timer) {
        watcher_destroy(w);
        err_set(err, ENOMEM, "out of memory");
        return NULL;
    }
    w->job = j;
    w->conf = *conf;
    w->act.job = j;
    w->act.conf = &w->conf;
    w->act.on_hang = strcmp(s->on_hang, "kill") == 0 ? ON_HANG_KILL
                     : strcmp(s->on_hang, "suspend") == 0 ? ON_HANG_SUSPEND
                     : ON_HANG_REPORT;
    if (add_all(w, s, err)) {
        watcher_destroy(w);
        return NULL;
    }
    return w;
}

static void watcher_drop_states(struct watcher *w)
{
    looks_fini(&w->looks);
    policy_out_fini(&w->out);
    tape_fini(&w->tape);
    free(w->node);
    w->node = NULL;
}

void watcher_destroy(struct watcher *w)
{
    if (!w)
        return;
    for (size_t i = 0; i < w->npolicies; i++)
        policy_close(&w->policy[i]);
    watcher_act_fini(&w->act);
    watcher_drop_states(w);
    str_fini(&w->row);
    free(w->rows);
    if (w->timer)
        event_free(w->timer);
    free(w);
}

/* Clock, arrays and states for the tasks that the job has now. */
static int watcher_begin(struct watcher *w, struct err *err)
{
    struct job *j = w->job;
    struct hct_job job = { .size = sizeof(job), .nranks = j->ntasks,
                           .job = j->id };

    memcpy(&job.seed, j->cookie, sizeof(job.seed));
    job.seed &= INT64_MAX;
    snprintf(job.name, sizeof(job.name), "%.60s", j->name);
    watcher_drop_states(w);
    w->looking = w->detail = false;
    w->nnodes = j->nnodes;
    w->node = calloc(j->nnodes + 1, sizeof(*w->node));
    if (!w->node || looks_init(&w->looks, &job) ||
        policy_out_init(&w->out, j->ntasks) || tape_init(&w->tape, j->ntasks))
        return err_set(err, ENOMEM, "out of memory");
    for (size_t i = 0; i < w->npolicies; i++) {
        w->policy[i].wake_ns = 0;
        if (policy_begin(&w->policy[i], &job, err))
            return -1;
    }
    return 0;
}

static void watcher_arm(struct watcher *w, uint64_t delay_ns)
{
    struct timeval tv = clock_timeval(delay_ns);

    event_add(w->timer, &tv);
}

void watcher_start(struct watcher *w)
{
    struct err err;

    if (!w || w->running || w->npolicies == 0)
        return;
    w->start_ns = clock_monotonic_ns() - 1;
    if (watcher_begin(w, &err)) {
        flow_notice(w->job, true, "nobody watches the job: %s", err.text);
        return;
    }
    w->running = true;
    watcher_arm(w, watcher_quick_ns);
}

/* ------------------------------------------------------------------- tape */

static void tape_forget(struct watcher *w)
{
    size_t n = 0;

    while (n + 1 < w->nrows && w->stored_bytes > w->conf.tape_bytes)
        w->stored_bytes -= w->rows[n++].bytes;
    if (n == 0)
        return;
    memmove(w->rows, w->rows + n, (w->nrows - n) * sizeof(*w->rows));
    w->nrows -= n;
    journal_trim_looks(w->job->flow->journal, w->job, w->rows[0].seq);
}

static void tape_flush(struct watcher *w)
{
    struct journal_look row = { .seq = w->row_seq, .bytes = w->row.n,
                                .data = str_text(&w->row) };

    if (w->row.n == 0)
        return;
    if (w->nrows == w->rows_cap) {
        size_t cap = w->rows_cap ? 2 * w->rows_cap : 64;
        struct watcher_row *v = realloc(w->rows, cap * sizeof(*v));

        if (!v)
            return;
        w->rows = v;
        w->rows_cap = cap;
    }
    journal_look(w->job->flow->journal, w->job, &row);
    w->rows[w->nrows++] = (struct watcher_row){ w->row_seq, w->row.n };
    w->stored_bytes += w->row.n;
    tape_cut(&w->tape);
    str_reset(&w->row);
    tape_forget(w);
}

static void tape_add(struct watcher *w, const struct hct_snapshot *s)
{
    if (w->row.n && (w->row.n >= WATCHER_ROW_BYTES ||
                     s->now_ns - w->row_ns >= watcher_row_ns))
        tape_flush(w);
    if (w->row.n == 0) {
        w->row_seq = s->seq;
        w->row_ns = s->now_ns;
    }
    tape_write(&w->tape, s, &w->row);
}

void watcher_stop(struct watcher *w)
{
    if (!w || !w->running)
        return;
    w->running = false;
    event_del(w->timer);
    watcher_act_stop(&w->act);
    tape_flush(w);
}

/* ------------------------------------------------------------------- looks */

/* How many looks the next order is for: the more, the longer nothing else has
 * been wanted, or found. */
static uint32_t series_length(const struct watcher *w)
{
    const struct job *j = w->job;
    uint64_t n;
    size_t nodes = 0;

    for (size_t i = 0; i < j->nnodes; i++)
        nodes += j->nodes[i].nlive > 0;
    if (w->detail || nodes != 1 || w->same < 2 * WATCHER_SAME ||
        w->every_ns > watcher_often_ns)
        return 1;
    n = watcher_series_ns / w->every_ns;
    n = n < WATCHER_SERIES ? n : WATCHER_SERIES;
    return n < w->same / WATCHER_SAME ? (uint32_t)n : w->same / WATCHER_SAME;
}

static void send_look(struct watcher *w, size_t i)
{
    static uint8_t polls[WATCHER_POLLS];
    struct job_node *jn = &w->job->nodes[i];
    Hct__Look m = HCT__LOOK__INIT;
    uint32_t n;
    const struct hct_call *calls = callclass_table(&n);

    m.job = w->job->id;
    m.seq = w->looks.seq;
    m.detail = w->looks.detail;
    m.full = !w->node[i].known;
    m.count = w->count;
    m.every_ns = w->every_ns;
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

static void look_begin(struct watcher *w)
{
    struct job *j = w->job;
    struct err err;

    if ((j->ntasks != w->looks.job.nranks || j->nnodes != w->nnodes) &&
        watcher_begin(w, &err)) {
        log_warn("watcher", "%s", err.text);
        w->running = false;
        return;
    }
    w->count = series_length(w);
    looks_begin(&w->looks, w->detail);
    w->looking = true;
    w->detail = false;
    w->pending = 0;
    w->began_ns = clock_monotonic_ns();
    for (size_t i = 0; i < j->nnodes; i++) {
        struct job_node *jn = &j->nodes[i];

        w->node[i].asked = false;
        if (jn->nlive && !jn->lost && !jn->away && jn->node->link)
            send_look(w, i);
    }
    watcher_arm(w, watcher_late_ns + w->count * w->every_ns);
    if (w->pending == 0)
        look_end(w, clock_monotonic_ns());
}

/* Whose slave has not answered, or cannot be asked. */
static void mark_absent(struct watcher *w)
{
    const struct job *j = w->job;

    w->act.stale = false;
    for (uint32_t r = 0; r < j->ntasks && r < w->looks.job.nranks; r++) {
        const struct task *t = &j->tasks[r];

        if (task_state_final(t->state)) {
            looks_set_life(&w->looks, r, HCT_LIFE_ENDED);
        } else if (t->node >= j->nnodes || w->node[t->node].asked ||
                   !w->node[t->node].known) {
            looks_set_absent(&w->looks, r);
            w->act.stale = true;
        }
    }
}

static void step_policies(struct watcher *w, const struct hct_snapshot *s)
{
    char why[200];

    for (size_t i = 0; i < w->npolicies && w->running; i++) {
        struct policy *p = &w->policy[i];
        enum policy_result rc;

        if (!policy_due(p, s->now_ns))
            continue;
        rc = policy_step(p, s, &w->out, why, sizeof(why));
        if (rc != POLICY_FINE)
            watcher_complain(&w->act, p, why, rc == POLICY_OFF);
        w->detail |= (w->out.out.need & HCT_NEED_DETAIL) != 0;
        watcher_act(&w->act, p, s, &w->out);
        if (w->out.out.nverdicts)
            w->same = 0;
    }
}

/* When the first policy wants to see something. */
static uint64_t wanted(const struct watcher *w)
{
    uint64_t next = UINT64_MAX;

    for (size_t i = 0; i < w->npolicies; i++)
        if (!w->policy[i].off && w->policy[i].wake_ns < next)
            next = w->policy[i].wake_ns;
    return next;
}

static void look_schedule(struct watcher *w)
{
    uint64_t now = clock_monotonic_ns() - w->start_ns, next = wanted(w);

    if (next == UINT64_MAX)
        watcher_stop(w);        /* nobody is left to look */
    else
        watcher_arm(w, (next > now ? next - now : 0) + watcher_early_ns);
}

/* All that is known now is a snapshot. */
static void look_done(struct watcher *w, uint64_t now_ns)
{
    struct hct_snapshot s;
    uint64_t every;

    mark_absent(w);
    looks_end(&w->looks, now_ns - w->start_ns, &s);
    tape_add(w, &s);
    w->same++;
    step_policies(w, &s);
    every = wanted(w) - s.now_ns;
    if (every != w->every_ns)
        w->same = 0;
    w->every_ns = every;
}

static void look_end(struct watcher *w, uint64_t now_ns)
{
    w->looking = false;
    event_del(w->timer);
    look_done(w, now_ns);
    if (w->running)
        look_schedule(w);
}

static void watcher_on_timer(evutil_socket_t fd, short what, void *arg)
{
    struct watcher *w = arg;

    (void)fd;
    (void)what;
    if (w->looking)
        look_end(w, clock_monotonic_ns());      /* without those that have
                                                   not answered */
    else
        look_begin(w);
}

static bool is_there(const void *arg, uint32_t rank)
{
    const struct job_node *jn = arg;

    return taskset_has(&jn->ranks, rank);
}

/* The looks of a series, one after the other; the last one ends the order. */
static int take_series(struct watcher *w, struct job_node *jn,
                       const Hct__Looked *m, bool in_time, struct err *err)
{
    int rc = 0;

    if (m->n_more > WATCHER_SERIES)
        return err_set(err, EPROTO, "Looked with %zu looks", m->n_more);
    for (size_t i = 0; i < m->n_more && rc == 0 && w->running; i++) {
        Hct__Looked *one = hct__looked__unpack(NULL, m->more[i].len,
                                               m->more[i].data);

        if (!one)
            return err_set(err, EPROTO, "Looked with a look that is none");
        if (in_time && i > 0)
            looks_begin(&w->looks, false);
        rc = looks_take(&w->looks, one, is_there, jn, err);
        if (rc == 0 && in_time) {
            uint64_t at = w->began_ns + one->after_ns;

            if (at < w->start_ns + w->looks.now_ns)
                at = w->start_ns + w->looks.now_ns;
            if (i + 1 < m->n_more)
                look_done(w, at);
            else
                look_end(w, at);
        }
        hct__looked__free_unpacked(one, NULL);
    }
    return rc;
}

int watcher_looked(struct watcher *w, struct job_node *jn,
                   const Hct__Looked *m, struct err *err)
{
    bool in_time;
    size_t i;

    if (!w || !w->running || w->nnodes != w->job->nnodes)
        return 0;
    i = (size_t)(jn - w->job->nodes);
    /* What is too late for its look is worth knowing. */
    in_time = w->looking && m->seq == w->looks.seq && w->node[i].asked;
    if (in_time) {
        w->node[i].asked = false;
        w->node[i].known = true;
        w->pending--;
    }
    if (m->n_more)
        return take_series(w, jn, m, in_time && w->pending == 0, err);
    if (looks_take(&w->looks, m, is_there, jn, err))
        return -1;
    if (in_time && w->pending == 0)
        look_end(w, clock_monotonic_ns());
    return 0;
}

void watcher_node_back(struct watcher *w, const struct job_node *jn)
{
    if (w && w->running && w->nnodes == w->job->nnodes)
        w->node[jn - w->job->nodes].known = false;
}
