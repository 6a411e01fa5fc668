/* watcher_act.c - what follows from a verdict, see watcher_act.h.
 *
 * Of a hang the stacks of all tasks are taken first, so that the person is
 * told where in the source they are, and nothing is done before that is known
 * or has failed, which takes seconds at most.
 *
 * Limits. What is done waits until the evidence is as old as it has to be
 * (remedy.h) and nothing has moved meanwhile; nothing is done on a look in
 * which a task was not seen; each master ends at most so many jobs an hour;
 * what is done is recorded with its reason before. */
#include "master/watch/watcher_act.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "master/flow/flow_step.h"
#include "master/watch/places.h"
#include "master/watch/verdict.h"
#include "proto/base/clock.h"
#include "proto/base/log.h"

enum { ACT_LINES = 8, ACT_KILLS = 64 };

static unsigned long long act_id(const struct watcher_act *a)
{
    return a->job->id;
}

/* ------------------------------------------------------------------ words */

static const char *what_it_is(const struct hct_verdict *v)
{
    switch (v->kind) {
    case HCT_DEADLOCK:
        return "is deadlocked";
    case HCT_HANG:
        return "hangs";
    case HCT_SLOWDOWN:
        return "is slow";
    case HCT_PROGRESS:
        return "is moving again";
    default:
        return policy_kind_name(v->kind);
    }
}

static void say_line(const struct watcher_act *a, const struct hct_line *l,
                     const struct hct_snapshot *s, struct str *to)
{
    const struct hct_rank *r = hct_rank(s, (uint32_t)l->rank);
    const struct task *t = &a->job->tasks[l->rank];

    char own[24];
    size_t n = (size_t)snprintf(own, sizeof(own), "rank %d ", l->rank);
    bool again = strncmp(l->text, own, n) == 0;

    str_addf(to, "task %d on %s%s%s", l->rank, job_node_name(a->job, t),
             again ? " " : ": ", l->text + (again ? n : 0));
    if (r->tag_text[0] && !strstr(l->text, "last tag"))
        str_addf(to, ", last tag \"%s\"", r->tag_text);
}

/* Without a score nobody can say how sure it is. */
static void say_strength(const struct hct_verdict *v, const char *where,
                         struct str *to)
{
    str_add(to, " (");
    if (v->score > 0)
        str_addf(to, "%.6g %% sure, ", 100 * remedy_score(v));
    str_addf(to, "for %.3g s%s%s)", (double)v->age_ns / 1e9,
             *where ? ", error in " : "", where);
}

static void say_head(const struct watcher_act *a, const struct hct_verdict *v,
                     const struct policy_out *o, struct str *to)
{
    const char *where = policy_where_name(v->where);
    const char *sentence = verdict_sentence(o, v);
    struct str ranks = { 0 };

    if (v->kind == HCT_NOTICE) {
        str_addf(to, "job %llu: %s", act_id(a), sentence);
        return;
    }
    verdict_ranks(&ranks, o, v);
    str_addf(to, "job %llu %s", act_id(a), what_it_is(v));
    if (v->kind != HCT_PROGRESS)
        say_strength(v, where, to);
    if (ranks.n)
        str_addf(to, ", faulty: task%s %s", v->nranks == 1 ? "" : "s",
                 str_text(&ranks));
    str_addf(to, "%s%s", *sentence ? ": " : "", sentence);
    str_fini(&ranks);
}

/* What a person is to know: one line each. */
static void report(const struct watcher_act *a, const struct hct_snapshot *s,
                   const struct policy_out *o, const struct hct_verdict *v,
                   struct str *to)
{
    say_head(a, v, o, to);
    str_add(to, "\n");
    for (uint32_t i = 1; i < v->nlines; i++) {
        const struct hct_line *l = &o->lines[v->lines + i];

        str_add(to, "  ");
        if (l->rank == HCT_NONE)
            str_add(to, l->text);
        else
            say_line(a, l, s, to);
        str_add(to, "\n");
    }
}

/* The head and the first lines, then where the rest is. */
static void tell(const struct watcher_act *a, const char *text)
{
    unsigned n = 0;
    const char *end;

    for (; (end = strchr(text, '\n')); text = end + 1)
        if (n++ <= ACT_LINES)
            a->ops->notice(a->job, true, "%.*s", (int)(end - text), text);
    if (n > ACT_LINES + 1)
        a->ops->notice(a->job, true, "  ... and %u lines more: hector why %llu",
                       n - ACT_LINES - 1, act_id(a));
}

/* ---------------------------------------------------------------- actions */

static bool may_kill(const struct watcher_act *a)
{
    static uint64_t kills[ACT_KILLS];   /* when; of all jobs */
    static size_t at;
    uint64_t now = clock_monotonic_ns(), hour = 3600 * CLOCK_NS_PER_S;
    uint32_t n = 0;

    for (size_t i = 0; i < ACT_KILLS; i++)
        n += kills[i] && now - kills[i] < hour;
    if (n >= a->conf->kills_per_hour)
        return false;
    kills[at++ % ACT_KILLS] = now;
    return true;
}

static void record(const struct watcher_act *a, const char *action,
                   const char *result, const char *why, const char *by)
{
    struct journal_action row = { .action = action, .ranks = "all", .by = by,
                                  .result = result, .why = why };

    journal_action(a->job->flow->journal, a->job, &row);
}

static void act_kill(struct watcher_act *a, const struct policy *p,
                     const char *why)
{
    if (!may_kill(a)) {
        record(a, "kill", "refused: too many kills in this hour", why,
               p->name);
        a->ops->notice(a->job, true, "job %llu is not ended: this master has "
                       "ended %u hung jobs within an hour", act_id(a),
                       a->conf->kills_per_hour);
        return;
    }
    record(a, "kill", "ordered", why, p->name);
    a->ops->kill(a->job, "it hung, and --on-hang kill was given",
                 JOB_CODE_HUNG, false);
}

static void act_suspend(struct watcher_act *a, const struct policy *p,
                        const char *why)
{
    struct err err;

    if (a->ops->suspend(a->job, p->name, why, &err))
        record(a, "suspend", err.text, why, p->name);
}

static void forget_remedy(struct watcher_act *a)
{
    a->remedy = (struct remedy){ 0 };
    free(a->why);
    a->why = NULL;
}

/* What was wanted before is not wanted later for something that is found
 * besides. */
static void want_remedy(struct watcher_act *a, const struct policy *p,
                        struct remedy r, const char *why)
{
    if (!r.wanted || (a->remedy.wanted && a->remedy.due_ns <= r.due_ns))
        return;
    forget_remedy(a);
    a->why = strdup(why);
    if (!a->why)
        return;
    a->remedy = r;
    a->for_policy = p;
}

static void act(struct watcher_act *a)
{
    char *why = a->why;

    a->why = NULL;
    forget_remedy(a);
    if (a->on_hang.action == ONHANG_KILL)
        act_kill(a, a->for_policy, why);
    else
        act_suspend(a, a->for_policy, why);
    free(why);
}

/* ------------------------------------------------------------------- hangs */

/* A hang whose tasks are being looked for in their sources. */
struct watcher_hang {
    const struct policy *policy;        /* borrowed */
    uint64_t seq;
    char *text, *why;           /* owned */
    struct str next;            /* owned: what will be done, in words */
    struct places_line *line;   /* owned: of each line of text */
    size_t nlines;
    struct places *places;      /* owned; NULL: nothing is to be waited for */
};

static void hang_free(struct watcher_hang *h, bool alive)
{
    if (!h)
        return;
    places_free(h->places, alive);
    free(h->text);
    free(h->why);
    free(h->line);
    str_fini(&h->next);
    free(h);
}

static void add_places(const struct watcher_hang *h, struct str *to)
{
    const char *p = h->text, *end;

    for (size_t i = 0; (end = strchr(p, '\n')); p = end + 1, i++) {
        str_add_bytes(to, p, (size_t)(end - p));
        places_add(h->places, i, to);
        str_add(to, "\n");
    }
}

/* What the tasks that are named have printed, and nobody has seen. */
static void add_unwritten(const struct watcher_act *a,
                          const struct watcher_hang *h, struct str *to)
{
    for (size_t i = 0; i < h->nlines; i++) {
        const char *text = places_unwritten(h->places, i);
        int32_t rank = h->line[i].rank;

        if (text)
            str_addf(to, "  task %d on %s has printed, but not written yet: "
                     "%s\n", rank, job_node_name(a->job,
                     &a->job->tasks[rank]), text);
    }
}

/* Say it, and, unless it is over, what will be done. */
static void hang_finish(struct watcher_act *a, bool found, bool over)
{
    struct watcher_hang *h = a->hang;
    struct str text = { 0 };

    a->hang = NULL;
    a->owed = false;
    add_places(h, &text);
    add_unwritten(a, h, &text);
    if (found)
        journal_report(a->job->flow->journal, a->job, h->seq, h->policy->name,
                       str_text(&text));
    tell(a, str_text(&text));
    record(a, "report", "done", h->why, h->policy->name);
    if (!over)
        a->ops->notice(a->job, true, "  %s", str_text(&h->next));
    hang_free(h, a->job->flow->reducer != NULL);
    str_fini(&text);
}

static void hang_on_places(void *arg, bool found)
{
    hang_finish(arg, found, false);
}

static void hang_is_over(struct watcher_act *a)
{
    forget_remedy(a);
    if (a->hang)
        hang_finish(a, false, true);
}

void watcher_act_stop(struct watcher_act *a)
{
    hang_is_over(a);
}

/* A job that is refused has no flow yet, and no hang. */
void watcher_act_fini(struct watcher_act *a)
{
    if (a->hang)
        hang_free(a->hang, a->job->flow->reducer != NULL);
    a->hang = NULL;
    forget_remedy(a);
}

/* Which rank a line of report() is about. */
static int32_t rank_of(const struct watcher_act *a, const char *line)
{
    unsigned rank;

    return sscanf(line, "  task %u on ", &rank) == 1 && rank < a->job->ntasks
           ? (int32_t)rank : HCT_NONE;
}

/* text is that of report(); its head is the reason. */
static struct watcher_hang *hang_make(const struct watcher_act *a,
                                      const struct policy *p, uint64_t seq,
                                      const char *text)
{
    struct watcher_hang *h = calloc(1, sizeof(*h));

    if (!h)
        return NULL;
    h->policy = p;
    h->seq = seq;
    h->text = strdup(text);
    h->why = strndup(text, strcspn(text, "\n"));
    h->line = malloc((strlen(text) + 1) * sizeof(*h->line));
    if (!h->text || !h->line || !h->why) {
        hang_free(h, true);
        return NULL;
    }
    for (const char *line = text, *end; (end = strchr(line, '\n'));
         line = end + 1)
        h->line[h->nlines++] = (struct places_line){ rank_of(a, line), 0, 0 };
    return h;
}

/* Where are its tasks? Then it is told. */
static void hang_begin(struct watcher_act *a)
{
    struct watcher_hang *h = a->hang;

    if (a->job->flow->reducer && a->conf->hang_samples)
        h->places = places_start(a->job, h->seq, a->conf->hang_samples,
                                 h->line, h->nlines, hang_on_places, a);
    if (!h->places)
        hang_finish(a, false, false);
}

/* text is that of report() over v: its lines are those of v, after the head. */
static void hang(struct watcher_act *a, const struct policy *p,
                 const struct hct_snapshot *s, const struct policy_out *o,
                 const struct hct_verdict *v, const char *text)
{
    struct watcher_hang *h;

    if (a->told)
        return;
    a->told = true;
    a->hang = h = hang_make(a, p, s->seq, text);
    if (!h)
        return;
    for (uint32_t i = 1; i < v->nlines && i < h->nlines; i++) {
        h->line[i].site = o->lines[v->lines + i].site;
        h->line[i].made = o->lines[v->lines + i].made;
    }
    remedy_say(&h->next, &a->on_hang, v, s->now_ns);
    want_remedy(a, p, remedy_decide(&a->on_hang, v, s->now_ns), h->why);
    hang_begin(a);
}

static void notice(struct watcher_act *a, const struct policy *p,
                   const struct hct_snapshot *s, const struct hct_verdict *v,
                   const char *text)
{
    struct remedy r = remedy_decide(&a->on_hang, v, s->now_ns);
    char *why = strndup(text, strcspn(text, "\n"));

    tell(a, text);
    if (why)
        want_remedy(a, p, r, why);
    free(why);
}

static void verdict(struct watcher_act *a, const struct policy *p,
                    const struct hct_snapshot *s, const struct policy_out *o,
                    uint32_t i)
{
    const struct hct_verdict *v = &o->verdicts[i];
    struct str detail = { 0 }, text = { 0 }, ranks = { 0 };
    struct journal_verdict row = {
        .policy = p->name, .kind = policy_kind_name(v->kind),
        .phase = policy_where_name(v->where), .score = v->score,
        .seq = s->seq, .age_ns = v->age_ns, .why = verdict_sentence(o, v) };

    verdict_text(&detail, p, s, o, i);
    verdict_ranks(&ranks, o, v);
    report(a, s, o, v, &text);
    row.detail = str_text(&detail);
    row.report = str_text(&text);
    row.ranks = str_text(&ranks);
    journal_verdict(a->job->flow->journal, a->job, &row);
    log_info("watcher", "%s: %s job=%llu ranks=%s", p->name, row.kind,
             act_id(a), row.ranks);
    if (verdict_is_hang(v)) {
        hang(a, p, s, o, v, str_text(&text));
    } else if (v->kind == HCT_NOTICE) {
        notice(a, p, s, v, str_text(&text));
    } else if (v->kind == HCT_PROGRESS) {
        hang_is_over(a);
        if (a->told)
            tell(a, str_text(&text));
        a->told = false;
    }
    str_fini(&detail);
    str_fini(&text);
    str_fini(&ranks);
}

void watcher_act(struct watcher_act *a, const struct policy *p,
                 const struct hct_snapshot *s, const struct policy_out *o)
{
    for (uint32_t i = 0; i < o->out.nverdicts; i++)
        verdict(a, p, s, o, i);
}

/* --------------------------------------------------------- taken up again */

struct recalling { struct watcher_act *a; struct policy *v; size_t n; };

static struct policy *recall_policy(const struct recalling *r,
                                    const struct store_value *name)
{
    for (size_t i = 0; i < r->n && name->type == STORE_TEXT; i++)
        if (strcmp(r->v[i].name, name->text) == 0)
            return &r->v[i];
    return NULL;
}

static int recall_off(void *arg, int ncols, const char *const *names,
                      const struct store_value *v)
{
    struct policy *p = recall_policy(arg, &v[0]);

    (void)ncols;
    (void)names;
    if (p)
        p->off = true;
    return 0;
}

/* What was to be done about it is due when it has lasted for so long again: how
 * long stays are is known no more. */
static void recall_remedy(struct watcher_act *a, const struct policy *p,
                          const struct store_value *v)
{
    struct hct_verdict found = {
        .kind = strcmp(v[4].text, "deadlock") == 0 ? HCT_DEADLOCK : HCT_HANG,
        .score = v[5].d, .age_ns = (uint64_t)v[6].i,
        .longest_ms = (uint32_t)(v[6].i / 1000000) };

    if (a->hang)
        remedy_say(&a->hang->next, &a->on_hang, &found, 0);
    if (!v[7].i)
        want_remedy(a, p, remedy_decide(&a->on_hang, &found, 0), v[8].text);
    a->from_next = true;
}

static int recall_hang(void *arg, int ncols, const char *const *names,
                       const struct store_value *v)
{
    const struct recalling *r = arg;
    const struct policy *p = recall_policy(r, &v[0]);

    (void)ncols;
    (void)names;
    r->a->told = true;
    if (!p || v[2].type != STORE_TEXT)
        return 1;
    if (!v[3].i)
        r->a->hang = hang_make(r->a, p, (uint64_t)v[1].i, v[2].text);
    r->a->owed = r->a->hang != NULL;
    recall_remedy(r->a, p, v);
    return 1;
}

void watcher_act_recall(struct watcher_act *a, struct policy *v, size_t n)
{
    struct journal *jn = a->job->flow->journal;
    struct store_value id = { .type = STORE_INT, .i = (int64_t)a->job->id };
    struct recalling r = { a, v, n };
    struct err err;

    if (journal_ask(jn, "SELECT by FROM action WHERE job = ?1 AND action ="
                    " 'switch off'", &id, 1, recall_off, &r, &err) ||
        /* the first one that was not over, whether it was told, and whether
         * anything was done */
        journal_ask(jn, "SELECT policy, seq, report, EXISTS (SELECT 1 FROM"
                    " action WHERE job = ?1 AND action = 'report' AND"
                    " by = policy AND action.at_ns >= verdict.at_ns),"
                    " kind, score, age_ns, EXISTS (SELECT 1 FROM action WHERE"
                    " job = ?1 AND action IN ('kill', 'suspend') AND"
                    " by = policy AND action.at_ns >= verdict.at_ns),"
                    " ifnull(why, '')"
                    " FROM verdict WHERE job = ?1 AND"
                    " kind IN ('hang', 'deadlock') AND rowid >"
                    " ifnull((SELECT max(rowid) FROM verdict WHERE job = ?1"
                    " AND kind = 'progress'), 0) ORDER BY rowid LIMIT 1", &id,
                    1, recall_hang, &r, &err))
        log_warn("watcher", "what was told is not known job=%llu: %s",
                 act_id(a), err.text);
}

void watcher_act_go_on(struct watcher_act *a, uint64_t now_ns)
{
    if (a->from_next && a->remedy.wanted)
        a->remedy.due_ns += now_ns;
    a->from_next = false;
    if (a->stale)
        return;
    if (a->owed && (a->job->redirector || !a->job->ops->ours)) {
        a->owed = false;
        hang_begin(a);
    }
    if (a->remedy.wanted && !a->hang && now_ns >= a->remedy.due_ns)
        act(a);
}

void watcher_complain(struct watcher_act *a, const struct policy *p,
                      const char *why, bool off)
{
    struct journal_action row = {
        .action = off ? "switch off" : "warn", .by = p->name, .why = why,
        .result = "done" };

    journal_action(a->job->flow->journal, a->job, &row);
    log_warn("watcher", "policy %s: %s%s job=%llu", p->name, why,
             off ? ", it is switched off" : "", act_id(a));
    a->ops->notice(a->job, off, "policy %s: %s%s", p->name, why,
                   off ? ", it does not watch the job any more" : "");
}
