/* findings.c - what follows from the verdicts of a job's policies, see
 * findings.h.
 *
 * Invariants. Everything that is found is recorded; said.h decides whether a
 * person hears of it. What is to be done waits, a remedy a policy, until the
 * evidence is as old as it has to be (remedy.h) and nothing has moved
 * meanwhile; nothing is done on a look in which a task was not seen, and nothing
 * twice about what a policy has not taken back. */
#include "master/act/findings.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "master/act/autoslice.h"
#include "master/places/computing.h"
#include "master/act/noderows.h"
#include "master/act/oddrows.h"
#include "master/act/remedy.h"
#include "master/act/report.h"
#include "master/act/said.h"
#include "master/act/sentence.h"
#include "master/state/job.h"
#include "master/store/journal.h"
#include "master/store/query.h"
#include "master/watch/verdict.h"
#include "proto/base/clock.h"
#include "proto/base/log.h"

enum { FINDINGS_LINES = 8, FINDINGS_POLICIES = 16 };
static const uint64_t findings_open_ns = 3 * CLOCK_NS_PER_S;
/* More than hector-slice(8) is given, less than who waits for it. */
static const uint64_t findings_slice_ns = 30 * CLOCK_NS_PER_S;

/* What a policy has found and not taken back. */
enum { FINDS_STUCK = 1, FINDS_SLOW = 2, FINDS_LONG = 4, FINDS_PROOF = 8 };

/* One policy, as what it has found goes. */
struct finder {
    char name[48];
    struct said said;
    unsigned open;              /* FINDS_... */
    bool done;                  /* what can be has been done about it */
    bool off;                   /* it is asked no more */
    struct remedy remedy;       /* what is to be done yet, */
    uint32_t proposed;          /* ... what it proposes (enum hct_action), */
    bool from_next;             /* ... its time counts from the next look, */
    bool ordered;               /* ... a master before has ordered it: to move */
    char *why;                  /* ... owned: the reason */
    struct taskset ranks;       /* ... owned: who is to blame */
};

/* A hang whose tasks are being looked for in their sources. */
struct hang {
    struct finder *by;          /* borrowed */
    struct report *report;      /* owned, like the next two */
    struct str next;            /* what will be done, in words */
    struct str not_done;        /* why what is proposed is not, or "" */
    uint32_t proposed;
};

/* The same of something else, about a job that goes on. */
struct aside {
    struct finder *by;          /* borrowed */
    struct report *report;      /* owned, as the next */
    struct noderows *nodes;     /* NULL: it has none */
    struct taskset odd;         /* owned: who computes longer than others; or {0} */
    struct computing *computing;        /* owned: where; NULL: not looked for */
    bool found;                 /* places are known */
    uint32_t proposed;
    bool quiet;                 /* it is not told, only kept */
};

struct findings {
    struct acts *acts;          /* borrowed, like the next */
    struct job *job;
    struct onhang on_hang;
    struct finder *finder[FINDINGS_POLICIES];   /* owned */
    size_t nfinders;
    bool stale;                 /* not all tasks were seen in this look */
    struct hang *hang;          /* owned: one that is not told yet */
    bool owed;                  /* ... because a master before this one did not
                                   come to it */
    struct aside *aside;        /* owned: what else is not told yet */
    struct oddrows *odds;       /* owned: whose places are being looked for */
    struct autoslice *slice;    /* owned: of who is to blame; or NULL */
};

static unsigned long long findings_id(const struct findings *f)
{
    return f->job->id;
}

/* NULL: no memory, or more than there can be. */
static struct finder *finder_of(struct findings *f, const char *name)
{
    struct finder *p;

    for (size_t i = 0; i < f->nfinders; i++)
        if (strcmp(f->finder[i]->name, name) == 0)
            return f->finder[i];
    p = f->nfinders < FINDINGS_POLICIES ? calloc(1, sizeof(*p)) : NULL;
    if (!p)
        return NULL;
    snprintf(p->name, sizeof(p->name), "%s", name);
    return f->finder[f->nfinders++] = p;
}

static bool any_found(const struct findings *f, unsigned what)
{
    for (size_t i = 0; i < f->nfinders; i++)
        if (f->finder[i]->open & what)
            return true;
    return false;
}

/* ------------------------------------------------------------------- words */

/* The head and the first lines, then where the rest is. */
static void tell(const struct findings *f, const char *text, unsigned most)
{
    unsigned n = 0;
    const char *end;

    for (; (end = strchr(text, '\n')); text = end + 1)
        if (n++ <= most)
            f->acts->ops->notice(f->job, true, "%.*s", (int)(end - text),
                                 text);
    if (most && n > most + 1)
        f->acts->ops->notice(f->job, true, "  ... and %u lines more: hector "
                             "why %llu", n - most - 1, findings_id(f));
}

static void tell_cut(const struct findings *f, const struct finder *p)
{
    f->acts->ops->notice(f->job, true, "policy %s finds more, which is said "
                         "now and then: hector why %llu has all of it",
                         p->name, findings_id(f));
}

/* Say a verdict, if it is news: its head, and at most so many lines more. Returns
 * whether it was said. */
static bool tell_news(const struct findings *f, struct finder *p,
                      enum said_how how, const char *text, unsigned most)
{
    if (how == SAID_SAY_CUT)
        tell_cut(f, p);
    if (how == SAID_SAY)
        tell(f, text, most);
    return how == SAID_SAY;
}

/* ----------------------------------------------------------------- actions */

static enum act_name act_of(uint32_t proposed)
{
    return proposed == HCT_KILL ? ACT_KILL
           : proposed == HCT_SUSPEND ? ACT_SUSPEND : ACT_REPORT;
}

static struct act_order order_of(const struct finder *p, enum act_name act,
                                 const char *why)
{
    return (struct act_order){
        .act = act, .who = ACT_POLICY, .by = p->name, .why = why,
        .whole = act != ACT_SWITCH_OFF && act != ACT_WARN,
        .exit_code = JOB_CODE_HUNG,
        .end = act == ACT_ROLLBACK
               ? "it hung, and has no checkpoint to go back to once more"
               : "it hung, and --on-hang kill was given" };
}

static void record_report(const struct findings *f, const struct finder *p,
                          const char *why)
{
    struct act_order o = order_of(p, ACT_REPORT, why);
    struct err err;

    acts_order(f->acts, f->job, &o, NULL, 0, &err);
}

/* A proposal to do more than to report that is not followed. */
static void record_not_done(const struct findings *f, const struct finder *p,
                            uint32_t proposed, const char *why,
                            const char *result)
{
    struct act_order o = order_of(p, act_of(proposed), why);

    if (proposed > HCT_REPORT)
        acts_record(f->acts, f->job, &o, result);
}

/* Without memory nothing is suspended, and nothing said. */
static void act(struct findings *f, struct finder *p)
{
    char *why = p->why;
    static const enum act_name acts[] = {
        [ONHANG_MIGRATE] = ACT_MIGRATE, [ONHANG_SUSPEND] = ACT_SUSPEND,
        [ONHANG_ROLLBACK] = ACT_ROLLBACK, [ONHANG_KILL] = ACT_KILL };
    struct act_order o = order_of(p, acts[p->remedy.does], why);
    struct taskset all = { 0 };
    struct err err;

    p->done = true;
    p->why = NULL;
    p->remedy = (struct remedy){ 0 };
    if (o.act == ACT_SUSPEND)
        o.ranks = &all;
    if (o.act == ACT_MIGRATE) {
        o.ranks = &p->ranks;
        o.whole = false;
    }
    if (o.act != ACT_SUSPEND ||
        taskset_add(&all, 0, f->job->ntasks - 1) == 0)
        acts_order(f->acts, f->job, &o, NULL, 0, &err);
    taskset_fini(&all);
    taskset_fini(&p->ranks);
    free(why);
}

static void forget_remedy(struct findings *f, struct finder *p,
                          const char *result)
{
    if (p->remedy.wanted && result)
        record_not_done(f, p, p->proposed, p->why, result);
    p->remedy = (struct remedy){ 0 };
    taskset_fini(&p->ranks);
    free(p->why);
    p->why = NULL;
}

/* What was wanted before is not wanted later for something that is found
 * besides. */
static void want_remedy(struct findings *f, struct finder *p, struct remedy r,
                        uint32_t proposed, const char *why,
                        const struct taskset *ranks)
{
    if (!r.wanted || p->done ||
        (p->remedy.wanted && p->remedy.due_ns <= r.due_ns))
        return;
    forget_remedy(f, p, NULL);
    p->why = strdup(why);
    if (!p->why || taskset_copy(&p->ranks, ranks))
        return;
    p->remedy = r;
    p->proposed = proposed;
}

/* ------------------------------------------------------------------- hangs */

static void hang_free(struct hang *h)
{
    if (!h)
        return;
    report_free(h->report);
    str_fini(&h->next);
    str_fini(&h->not_done);
    free(h);
}

/* Say it, and, unless it is over, what will be done. */
static void hang_finish(struct findings *f, bool found, bool over)
{
    struct hang *h = f->hang;
    struct str text = { 0 };

    f->hang = NULL;
    f->owed = false;
    report_add(h->report, f->job, &text);
    if (found)
        journal_report(f->acts->journal, f->job, h->report->seq, h->by->name,
                       str_text(&text));
    tell(f, str_text(&text), FINDINGS_LINES);
    record_report(f, h->by, h->report->why);
    if (!over)
        f->acts->ops->notice(f->job, true, "  %s", str_text(&h->next));
    if (h->not_done.n)
        record_not_done(f, h->by, h->proposed, h->report->why,
                        str_text(&h->not_done));
    hang_free(h);
    str_fini(&text);
}

static void hang_on_places(void *arg, bool found)
{
    hang_finish(arg, found, false);
}

/* text is that of sentence_report(); its head is the reason. */
static struct hang *hang_make(const struct findings *f, struct finder *by,
                              uint64_t seq, const char *text)
{
    struct hang *h = calloc(1, sizeof(*h));

    if (!h)
        return NULL;
    h->by = by;
    h->report = report_make(f->job, seq, text);
    if (!h->report) {
        hang_free(h);
        return NULL;
    }
    return h;
}

/* Where are its tasks? Then it is told. */
static void hang_begin(struct findings *f)
{
    if (!report_find(f->hang->report, f->acts, f->job, true, hang_on_places, f))
        hang_finish(f, false, false);
}

/* ------------------------------------------------------------ one verdict */

struct finding {                  /* all of it borrowed */
    struct finder *by;
    const struct found *found;
    const struct hct_verdict *v;
    const char *text;           /* of sentence_report() */
    const char *why;            /* its head */
    uint32_t proposed;          /* the most that is; enum hct_action */
    enum said_how how;
    struct noderows **nodes;    /* its graph, for who takes it; or NULL there */
};

static void want_remedy_of(struct findings *f, const struct finding *x,
                           struct remedy r)
{
    struct taskset ranks = { 0 };

    if (verdict_set(&ranks, x->found, x->v) == 0)
        want_remedy(f, x->by, r, x->proposed, x->why, &ranks);
    taskset_fini(&ranks);
}

/* What is proposed and not done is said and recorded, once. */
static void on_proposal(struct findings *f, const struct finding *x)
{
    struct remedy r = remedy_decide(&f->on_hang, x->v, x->proposed,
                                    x->found->now_ns);
    struct str not_done = { 0 };

    want_remedy_of(f, x, r);
    if (r.wanted || x->how != SAID_SAY || x->proposed <= HCT_REPORT)
        return;
    remedy_why_not(&not_done, &f->on_hang, x->v);
    f->acts->ops->notice(f->job, true, "  policy %s proposes to %s the job: %s",
                         x->by->name, act_name(act_of(x->proposed)),
                         str_text(&not_done));
    record_not_done(f, x->by, x->proposed, x->why, str_text(&not_done));
    str_fini(&not_done);
}

static void on_first_hang(struct findings *f, const struct finding *x)
{
    const struct hct_verdict *v = x->v;
    struct hang *h = hang_make(f, x->by, x->found->seq, x->text);
    struct remedy r = remedy_decide(&f->on_hang, v, x->proposed,
                                    x->found->now_ns);

    f->hang = h;
    if (!h)
        return;
    report_about(h->report, x->found, v);
    h->proposed = x->proposed;
    remedy_say(&h->next, &f->on_hang, v, x->proposed, x->found->now_ns);
    if (!r.wanted)
        remedy_why_not(&h->not_done, &f->on_hang, v);
    want_remedy_of(f, x, r);
    hang_begin(f);
}

/* What is found of a hang that is known already: by another policy as well, or
 * that it is proven, while places of its tasks are yet looked for. */
static void on_more_of_hang(struct findings *f, const struct finding *x)
{
    struct str next = { 0 };

    if (tell_news(f, x->by, x->how, x->text,
                  x->v->kind == HCT_DEADLOCK ? FINDINGS_LINES : 0)) {
        record_report(f, x->by, x->why);
        remedy_say(&next, &f->on_hang, x->v, x->proposed, x->found->now_ns);
        f->acts->ops->notice(f->job, true, "  %s", str_text(&next));
    }
    on_proposal(f, x);
    str_fini(&next);
}

/* The first one, and the first proof, are told in full. */
static void on_hang(struct findings *f, const struct finding *x)
{
    unsigned what = x->v->kind == HCT_DEADLOCK ? FINDS_PROOF : FINDS_STUCK;
    bool first = !any_found(f, what) && !f->hang && x->how == SAID_SAY;

    x->by->open |= FINDS_STUCK | what;
    if (first)
        on_first_hang(f, x);
    else
        on_more_of_hang(f, x);
}

static void is_over(struct findings *f, struct finder *p)
{
    forget_remedy(f, p, "not done: it was over before");
    if (f->hang && f->hang->by == p)
        hang_finish(f, false, true);
}

/* It takes back what it has found. Of a notice nobody has to be told so. */
static void on_moves_again(struct findings *f, const struct finding *x)
{
    struct finder *p = x->by;

    is_over(f, p);
    tell_news(f, p, x->how, x->text, 0);
    p->open = 0;
    p->done = false;
    for (uint32_t kind = HCT_HANG; kind <= HCT_NOTICE; kind++)
        if (kind != HCT_OUTLIER && kind != HCT_DEADLINE &&
            kind != HCT_IMBALANCE)
            said_forget(&p->said, kind);
    for (size_t i = 0; i < f->nfinders; i++)    /* who was behind then */
        said_forget(&f->finder[i]->said, HCT_PROGRESS);
    autoslice_forget(f->slice);
}

static void aside_free(struct aside *a)
{
    if (a) {
        report_free(a->report);
        noderows_free(a->nodes);
        computing_free(a->computing);
        taskset_fini(&a->odd);
    }
    free(a);
}

static void aside_finish(void *arg)
{
    struct findings *f = arg;
    struct aside *a = f->aside;
    struct str text = { 0 };

    f->aside = NULL;
    if (a->computing) {
        computing_add(a->computing, &text);
        report_computes(a->report, str_text(&text));
        a->found |= text.n > 0;
        str_reset(&text);
    }
    if (a->found) {
        noderows_place(a->nodes, a->report);
        noderows_put(a->nodes, f->acts->journal, f->job);
        report_add(a->report, f->job, &text);
        journal_report(f->acts->journal, f->job, a->report->seq, a->by->name,
                       str_text(&text));
        str_reset(&text);
    }
    report_add_head(a->report, &text);
    if (!a->quiet)
        tell(f, str_text(&text), 0);
    if (a->proposed == HCT_REPORT)
        record_report(f, a->by, a->report->why);
    aside_free(a);
    str_fini(&text);
}

static void aside_on_places(void *arg, bool found)
{
    struct findings *f = arg;
    struct aside *a = f->aside;

    a->found = found;
    if (a->odd.n)
        a->computing = computing_start(&f->acts->by, f->job, a->odd.v[0].first, &a->odd,
                                       aside_finish, f);
    if (!a->computing)
        aside_finish(f);
}

static bool computes_longer(const struct hct_verdict *v)
{
    return (v->kind == HCT_OUTLIER || v->kind == HCT_SLOWDOWN) &&
           v->where == HCT_WHERE_COMPUTATION;
}

/* Is it told later, with the places of the calls that it names? Of who is behind it
 * is said where they are just now. */
static bool aside_begin(struct findings *f, const struct finding *x)
{
    bool stacks = x->v->kind == HCT_PROGRESS;
    bool asked = x->found->out.answers == HCT_ASKED_BY_PERSON;
    struct aside *a;

    if ((x->how != SAID_SAY && !stacks && !asked) || f->aside ||
        !(a = calloc(1, sizeof(*a))))
        return false;
    *a = (struct aside){
        .by = x->by, .proposed = x->proposed, .quiet = x->how != SAID_SAY,
        .report = report_make(f->job, x->found->seq, x->text),
        .nodes = *x->nodes };
    *x->nodes = NULL;
    if (computes_longer(x->v) && verdict_set(&a->odd, x->found, x->v))
        taskset_fini(&a->odd);
    if (a->report)
        report_about(a->report, x->found, x->v);
    if (a->report && (stacks || report_names_calls(a->report)) &&
        report_find(a->report, f->acts, f->job, stacks, aside_on_places, f)) {
        f->aside = a;
        return true;
    }
    aside_free(a);
    return false;
}

static void on_other(struct findings *f, const struct finding *x)
{
    if (!aside_begin(f, x) && tell_news(f, x->by, x->how, x->text, 0) &&
        x->proposed == HCT_REPORT)
        record_report(f, x->by, x->why);
    on_proposal(f, x);
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
        on_hang(f, x);
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
        on_first_hang(f, x);
    else
        on_other(f, x);
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

static void take(struct findings *f, struct finder *by,
                 const struct found *found, uint32_t i)
{
    struct noderows *nodes = noderows_make(found, i);
    struct finding x = { .by = by, .found = found, .v = &found->verdicts[i],
                         .proposed = proposed(found, i), .nodes = &nodes };
    bool back = takes_back(x.v);
    struct str text = { 0 };
    char *why;

    sentence_report(&text, f->job, found, x.v, back);
    x.text = str_text(&text);
    x.how = how_said(by, found, x.v, back);
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

static void odds_on_places(void *arg, bool found)
{
    struct findings *f = arg;
    struct oddrows *odds = f->odds;

    f->odds = NULL;
    if (found) {
        oddrows_place(odds);
        oddrows_put(odds, f->acts->journal, f->job);
    }
    oddrows_free(odds);
}

/* Where they are comes later; of those before it is not looked for any more. */
static void take_odds(struct findings *f, const struct found *found)
{
    struct oddrows *odds = oddrows_make(found);

    if (!odds)
        return;
    oddrows_put(odds, f->acts->journal, f->job);
    oddrows_free(f->odds);
    f->odds = odds;
    if (!oddrows_find(odds, f->acts, f->job, odds_on_places, f)) {
        f->odds = NULL;
        oddrows_free(odds);
    }
}

static void findings_found(struct job *j, const struct judge *p,
                           const struct found *found)
{
    struct findings *f = j->findings;
    struct finder *by = found->out.nverdicts ? finder_of(f, judge_name(p))
                                             : NULL;

    take_odds(f, found);
    for (uint32_t i = 0; by && i < found->out.nverdicts; i++)
        take(f, by, found, i);
    if (by)
        said_look_ends(&by->said);
}

/* --------------------------------------------------------- taken up again */

struct recalling {
    struct findings *f;
    struct judge *const *v;
    size_t n;
};

static struct judge *recall_policy(const struct recalling *r,
                                   const char *name)
{
    for (size_t i = 0; i < r->n && name; i++)
        if (strcmp(judge_name(r->v[i]), name) == 0)
            return r->v[i];
    return NULL;
}

static struct finder *recall_finder(const struct recalling *r,
                                    const char *name)
{
    return recall_policy(r, name) ? finder_of(r->f, name) : NULL;
}

static int recall_off(void *arg, const char *name)
{
    struct judge *p = recall_policy(arg, name);

    if (p)
        judge_set_off(p);
    return 0;
}

static int recall_open(void *arg, const char *policy, const char *kind)
{
    struct finder *p = recall_finder(arg, policy);

    if (p)
        p->open |= strcmp(kind, "notice") == 0 ? FINDS_LONG
                   : strcmp(kind, "slowdown") == 0 ? FINDS_SLOW
                   : strcmp(kind, "deadlock") == 0 ? FINDS_STUCK | FINDS_PROOF
                                                   : FINDS_STUCK;
    return 0;
}

/* What was to be done about it is due when it has lasted for so long again: how
 * long stays are is known no more. */
static void recall_remedy(struct findings *f, struct finder *p,
                          const struct query_hang *h)
{
    struct hct_verdict found = {
        .kind = strcmp(h->kind, "deadlock") == 0 ? HCT_DEADLOCK : HCT_HANG,
        .score = h->score, .age_ns = h->age_ns,
        .longest_ms = (uint32_t)(h->age_ns / 1000000) };
    struct remedy r = remedy_decide(&f->on_hang, &found, h->proposed, 0);
    struct taskset ranks = { 0 };
    struct err err;

    if (h->ranks && *h->ranks &&
        taskset_parse(&ranks, h->ranks, f->job->ntasks, &err))
        log_warn("findings", "%s", err.text);
    p->done = h->acted;
    p->ordered = h->ordered;
    if (f->hang) {
        f->hang->proposed = h->proposed;
        remedy_say(&f->hang->next, &f->on_hang, &found, h->proposed, 0);
        if (!r.wanted)
            remedy_why_not(&f->hang->not_done, &f->on_hang, &found);
    }
    want_remedy(f, p, r, h->proposed, h->why ? h->why : "", &ranks);
    taskset_fini(&ranks);
    p->from_next = true;
}

static int recall_hang(void *arg, const struct query_hang *h)
{
    const struct recalling *r = arg;
    struct findings *f = r->f;
    struct finder *p = recall_finder(r, h->policy);

    if (!p || !h->report)
        return 1;
    if (!h->told)
        f->hang = hang_make(f, p, h->seq, h->report);
    f->owed = f->hang != NULL;
    recall_remedy(f, p, h);
    return 1;
}

/* What was told and done is in the database, and who was switched off. */
static void findings_recalled(struct job *j, struct judge *const *v, size_t n)
{
    struct findings *f = j->findings;
    struct store *st = journal_store(f->acts->journal);
    struct recalling r = { f, v, n };
    struct err err;

    if (query_switched_off(st, j->id, recall_off, &r, &err) ||
        query_open(st, j->id, recall_open, &r, &err) ||
        query_open_hang(st, j->id, recall_hang, &r, &err))
        log_warn("findings", "what was told is not known job=%llu: %s",
                 findings_id(f), err.text);
}

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
    forget_remedy(f, p, NULL);
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
            act(f, by);
    }
}

/* The job does not run any more: tell what is not told yet. If it goes back to a
 * checkpoint, what is found then is news. */
static void findings_stopped(struct job *j)
{
    struct findings *f = j->findings;

    if (f->aside)
        aside_finish(f);
    if (f->odds)
        odds_on_places(f, true);
    for (size_t i = 0; i < f->nfinders; i++) {
        struct finder *p = f->finder[i];

        is_over(f, p);
        p->open = 0;
        p->done = false;
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

static void findings_blind(struct job *j, const char *why)
{
    j->findings->acts->ops->notice(j, true, "nobody watches the job: %s", why);
}

const struct watcher_ops findings_ops = {
    .found = findings_found,
    .looked = findings_looked,
    .stopped = findings_stopped,
    .recalled = findings_recalled,
    .complained = findings_complained,
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
    if (onhang_parse(&f->on_hang, on_hang, err) == 0)
        return f;
    err_prefix(err, "--on-hang");
    autoslice_leave(f->slice);
    free(f);
    return NULL;
}

void findings_destroy(struct findings *f)
{
    if (!f)
        return;
    hang_free(f->hang);
    aside_free(f->aside);
    oddrows_free(f->odds);
    autoslice_leave(f->slice);
    for (size_t i = 0; i < f->nfinders; i++) {
        free(f->finder[i]->why);
        free(f->finder[i]);
    }
    free(f);
}
