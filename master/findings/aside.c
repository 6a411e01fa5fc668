/* aside.c - what is told of what is no hang, about a job that goes on: a line, and
 * with the places of the calls that it names what is kept. */
#include <stdlib.h>

#include "master/findings/findings_private.h"
#include "master/store/journal.h"
#include "master/watch/verdict.h"

void aside_free(struct aside *a)
{
    if (a) {
        report_free(a->report);
        noderows_free(a->nodes);
        computing_free(a->computing);
        taskset_fini(&a->odd);
    }
    free(a);
}

void aside_finish(void *arg)
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
        finder_tell(f, str_text(&text), 0);
    if (a->proposed == HCT_REPORT)
        finder_reported(f, a->by, a->report->why);
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

void aside_found(struct findings *f, const struct finding *x)
{
    if (!aside_begin(f, x) && finder_news(f, x->by, x->how, x->text, 0) &&
        x->proposed == HCT_REPORT)
        finder_reported(f, x->by, x->why);
    finder_propose(f, x);
}
