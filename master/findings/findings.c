/* findings.c - what follows from the verdicts of a job's policies, see
 * findings.h.
 *
 * Invariants. Everything that is found is recorded; said.h decides whether a
 * person hears of it. What is to be done waits, a remedy a policy, until the
 * evidence is as old as it has to be (remedy.h) and nothing has moved
 * meanwhile; nothing is done on a look in which a task was not seen, and nothing
 * twice about what a policy has not taken back. */
#include "master/findings/findings.h"

#include <stdlib.h>
#include <string.h>

#include "master/findings/duerows.h"
#include "master/findings/findings_private.h"
#include "master/findings/sentence.h"
#include "master/ladder/ladder.h"
#include "master/optimize/optimize.h"
#include "master/store/journal.h"
#include "master/watch/verdict.h"
#include "proto/base/clock.h"
#include "proto/base/log.h"

static const uint64_t findings_open_ns = 3 * CLOCK_NS_PER_S;
/* More than hector-slice(8) is given, less than who waits for it. */
static const uint64_t findings_slice_ns = 30 * CLOCK_NS_PER_S;

/* It takes back what it has found. Of a notice nobody has to be told so. */
static void on_moves_again(struct findings *f, const struct finding *x)
{
    struct finder *p = x->by;

    hang_over(f, p);
    finder_news(f, p, x->how, x->text, 0);
    finder_close(p);
    for (uint32_t kind = HCT_HANG; kind <= HCT_NOTICE; kind++)
        if (kind != HCT_OUTLIER && kind != HCT_DEADLINE &&
            kind != HCT_IMBALANCE)
            said_forget(&p->said, kind);
    for (size_t i = 0; i < f->nfinders; i++)    /* who was behind then */
        said_forget(&f->finder[i]->said, HCT_PROGRESS);
    autoslice_forget(f->slice);
}

/* Is a notice enough to act? Then it is told as a hang is: with the places of all
 * tasks, which are kept, as nobody can ask for them later. */
static bool is_acted_on(const struct findings *f, const struct finding *x)
{
    return !f->hang && x->how == SAID_SAY &&
           remedy_decide(&f->on_hang, x->v, x->proposed,
                         x->found->now_ns).wanted;
}

static bool takes_back(const struct hct_verdict *v)
{
    return v->kind == HCT_PROGRESS && v->nranks == 0;
}

static void on_verdict(struct findings *f, const struct finding *x, bool back)
{
    if (verdict_is_hang(x->v)) {
        hang_found(f, x);
        return;
    }
    if (back) {
        on_moves_again(f, x);
        return;
    }
    if (x->v->kind == HCT_NOTICE)
        x->by->open |= FINDS_LONG;
    if (x->v->kind == HCT_SLOWDOWN)
        x->by->open |= FINDS_SLOW;
    if (x->v->kind == HCT_NOTICE && is_acted_on(f, x))
        hang_first(f, x);
    else
        aside_found(f, x);
}

/* The most that is proposed about a verdict. */
static uint32_t proposed(const struct found *f, uint32_t verdict)
{
    uint32_t most = 0;

    for (uint32_t i = 0; i < f->out.nproposals; i++)
        if (f->proposals[i].verdict == verdict &&
            f->proposals[i].action > most)
            most = f->proposals[i].action;
    return most;
}

static void record_verdict(const struct findings *f, const struct finding *x,
                           uint32_t i)
{
    const struct hct_verdict *v = x->v;
    struct str ranks = { 0 };
    struct store_verdict row = {
        .policy = x->by->name, .kind = found_kind_name(v->kind),
        .phase = found_where_name(v->where), .score = v->score,
        .seq = x->found->seq, .age_ns = v->age_ns, .report = x->text,
        .detail = x->found->text[i], .why = verdict_sentence(x->found, v) };

    verdict_ranks(&ranks, x->found, v);
    row.ranks = str_text(&ranks);
    journal_verdict(f->acts->journal, f->job, &row);
    noderows_put(*x->nodes, f->acts->journal, f->job);
    if (x->how == SAID_SAY)
        log_info("findings", "%s: %s job=%llu ranks=%s", row.policy, row.kind,
                 findings_id(f), row.ranks);
    str_fini(&ranks);
}

/* What nobody has heard of need not be said to be over, and what somebody has asked
 * for is said to him alone. */
static enum said_how how_said(struct finder *by, const struct found *found,
                              const struct hct_verdict *v, bool back)
{
    if (found->out.answers == HCT_ASKED_BY_PERSON && !verdict_is_hang(v))
        return SAID_SILENT;
    if (back && !(by->open & (FINDS_STUCK | FINDS_SLOW)))
        return SAID_SILENT;
    return said_verdict(&by->said, found, v, found->now_ns);
}

/* A proof has said who waits for whom. Who is behind then is told where it is
 * fewer of those; the same are kept, as `hector why` shows them; nothing waits for
 * others. */
static bool is_beside_proof(const struct findings *f, const struct finding *x,
                            bool back)
{
    return x->v->kind == HCT_PROGRESS && !back && finder_any(f, FINDS_PROOF) &&
           x->found->out.answers != HCT_ASKED_BY_PERSON;
}

static void take(struct findings *f, struct finder *by,
                 const struct found *found, uint32_t i)
{
    struct noderows *nodes = noderows_make(found, i);
    struct finding x = { .by = by, .found = found, .v = &found->verdicts[i],
                         .proposed = proposed(found, i), .nodes = &nodes };
    bool back = takes_back(x.v);
    enum finder_beside is = is_beside_proof(f, &x, back)
                            ? finder_beside(f, found, x.v) : FINDER_FEWER;
    struct str text = { 0 };
    char *why;

    if (is == FINDER_OTHERS) {
        noderows_free(nodes);
        return;
    }
    sentence_report(&text, f->job, found, x.v, back);
    x.text = str_text(&text);
    x.how = is == FINDER_SAME ? SAID_SILENT : how_said(by, found, x.v, back);
    x.why = why = strndup(x.text, strcspn(x.text, "\n"));
    record_verdict(f, &x, i);
    if (why)
        on_verdict(f, &x, back);
    if (x.how == SAID_SAY)      /* behind the stacks, which others wait for */
        autoslice_want(f->slice, found, x.v);
    noderows_free(nodes);
    free(why);
    str_fini(&text);
}

static void keep_learnt(const struct findings *f, const struct hct_learnt *l)
{
    journal_learnt(f->acts->journal, f->job, &(struct store_learnt){
        .policy = l->by, .what = l->what, .ngroups = l->groups, .most = l->most,
        .times = l->times });
}

static void findings_found(struct job *j, const struct judge *p,
                           const struct found *found)
{
    struct findings *f = j->findings;
    struct finder *by = found->out.nverdicts ? finder_of(f, judge_name(p))
                                             : NULL;

    odds_take(f->odds, found);
    for (uint32_t i = 0; i < found->out.nlearnt; i++)
        keep_learnt(f, &found->learnt[i]);
    for (uint32_t i = 0; by && i < found->out.nverdicts; i++)
        take(f, by, found, i);
    for (uint32_t i = 0; i < found->out.nverdicts; i++) {
        const struct hct_verdict *v = &found->verdicts[i];

        ladder_verdict(f->acts->ladder, j, v);
        if (v->what == HCT_DEADLINE_DECLINING || v->what == HCT_DEADLINE_MISSED)
            optimize_news(f->acts->optimize);
    }
    if (by)
        said_look_ends(&by->said);
}

/* --------------------------------------------------------- taken up again */

/* ------------------------------------------------------- the watcher's ears */

/* Who else looks at the hang is heard first, and where the tasks are, and what keeps
 * them there, which nobody can say when they are gone: not for long. */
static bool is_due(const struct findings *f, const struct finder *by,
                   const struct judge_done *d)
{
    uint64_t due_ns = by->remedy.due_ns;

    if (autoslice_is_made(f->slice))
        due_ns += findings_slice_ns;
    else if (d->open || f->aside)
        due_ns += findings_open_ns;
    return by->remedy.wanted && d->now_ns >= due_ns;
}

/* That move was done meanwhile, by this master, which has taken it up. */
static void forget_done(struct findings *f, struct finder *p)
{
    if (!p->ordered || f->job->moved == 0)
        return;
    p->ordered = false;
    p->done = true;
    finder_forget(f, p, NULL);
}

/* What is owed is told, once all tasks were seen and there is somebody to tell;
 * what is due is done, once who has found it has seen all, and has not said that
 * it is over: unless it is asked no more. */
static void findings_looked(struct job *j, const struct judge *p,
                            const struct judge_done *d)
{
    struct findings *f = j->findings;

    for (size_t i = 0; i < f->nfinders; i++) {
        struct finder *by = f->finder[i];

        if (by->from_next && by->remedy.wanted)
            by->remedy.due_ns += d->now_ns;
        by->from_next = false;
    }
    if (d->stale)
        return;
    if (f->owed && j->redirector) {
        f->owed = false;
        hang_begin(f);
    }
    for (size_t i = 0; i < f->nfinders && !f->hang; i++) {
        struct finder *by = f->finder[i];

        forget_done(f, by);
        if (is_due(f, by, d) &&
            (by->off || strcmp(by->name, judge_name(p)) == 0) &&
            !(by->remedy.does == ONHANG_MIGRATE && j->mover))
            finder_act(f, by);
    }
}

/* The job does not run any more: tell what is not told yet. If it goes back to a
 * checkpoint, what is found then is news. */
static void findings_stopped(struct job *j)
{
    struct findings *f = j->findings;

    if (f->aside)
        aside_finish(f);
    odds_stop(f->odds);
    for (size_t i = 0; i < f->nfinders; i++) {
        struct finder *p = f->finder[i];

        hang_over(f, p);
        finder_close(p);
        for (uint32_t kind = HCT_HANG; kind <= HCT_NOTICE; kind++)
            said_forget(&p->said, kind);
    }
    autoslice_forget(f->slice);
}

/* A policy has done something odd, or is switched off for it. */
static void findings_complained(struct job *j, const struct judge *p,
                                const char *why, bool off)
{
    struct findings *f = j->findings;
    struct finder *by = finder_of(f, judge_name(p));
    struct act_order o = { .act = off ? ACT_SWITCH_OFF : ACT_WARN,
                           .who = ACT_POLICY, .by = judge_name(p),
                           .why = why };
    struct err err;

    if (by)
        by->off = off;

    acts_order(f->acts, j, &o, NULL, 0, &err);
    log_warn("findings", "policy %s: %s%s job=%llu", judge_name(p), why,
             off ? ", it is switched off" : "", findings_id(f));
    f->acts->ops->notice(j, off, "policy %s: %s%s", judge_name(p), why,
                         off ? ", it does not watch the job any more" : "");
}

static void findings_instances(struct job *j, const struct judge *p,
                               const struct hct_instance *v, uint32_t n,
                               int64_t shift_ns)
{
    (void)p;
    duerows_put(j->findings->acts->journal, j, v, n, shift_ns);
    ladder_instances(j->findings->acts->ladder, j, v, n);
}

static void findings_closed(struct job *j)
{
    j->findings->acts->ops->effect(j, JOB_EFFECT_CHECK);
}

static void findings_blind(struct job *j, const char *why)
{
    j->findings->acts->ops->notice(j, true, "nobody watches the job: %s", why);
}

void findings_names(struct job *j, const Hct__Profile *m)
{
    if (j->findings)
        odds_names(j->findings->odds, m);
}

const struct watcher_ops findings_ops = {
    .found = findings_found,
    .looked = findings_looked,
    .stopped = findings_stopped,
    .recalled = resumed_take,
    .complained = findings_complained,
    .instances = findings_instances,
    .closed = findings_closed,
    .blind = findings_blind,
};

/* -------------------------------------------------------------------- life */

struct findings *findings_create(struct acts *a, struct job *j,
                                 const char *on_hang, struct err *err)
{
    struct findings *f = calloc(1, sizeof(*f));

    if (!f) {
        err_memory(err);
        return NULL;
    }
    f->acts = a;
    f->job = j;
    f->slice = autoslice_create(a, j);
    f->odds = odds_create(a, j);
    if (onhang_parse(&f->on_hang, on_hang, err) == 0)
        return f;
    err_prefix(err, "--on-hang");
    findings_destroy(f);
    return NULL;
}

void findings_destroy(struct findings *f)
{
    if (!f)
        return;
    hang_free(f->hang);
    aside_free(f->aside);
    odds_destroy(f->odds);
    autoslice_leave(f->slice);
    for (size_t i = 0; i < f->nfinders; i++) {
        finder_close(f->finder[i]);
        free(f->finder[i]->why);
        free(f->finder[i]);
    }
    free(f);
}
