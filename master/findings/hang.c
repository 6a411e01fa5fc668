/* hang.c - what is told of a hang: with the places of all its tasks. */
#include <stdlib.h>

#include "master/findings/findings_private.h"
#include "master/store/journal.h"
#include "master/watch/verdict.h"
#include "proto/base/log.h"

void hang_free(struct hang *h)
{
    if (!h)
        return;
    report_free(h->report);
    telling_fini(&h->telling);
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
    finder_tell(f, str_text(&text), FINDINGS_LINES);
    finder_reported(f, h->by, h->report->why);
    if (!over)
        f->acts->ops->notice(f->job, true, "  %s", str_text(&h->next));
    h->telling.ends = h->telling.ends && !over;
    telling_send(&h->telling, f->acts, f->job, h->by->name, h->report,
                 over ? "it is over" : str_text(&h->next));
    if (h->not_done.n)
        finder_not_done(f, h->by, h->proposed, h->report->why,
                        str_text(&h->not_done));
    hang_free(h);
    str_fini(&text);
}

static void hang_on_places(void *arg, bool found)
{
    hang_finish(arg, found, false);
}

/* text is that of sentence_report(); its head is the reason. */
struct hang *hang_make(const struct findings *f, struct finder *by,
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
void hang_begin(struct findings *f)
{
    if (!report_find(f->hang->report, f->acts, f->job, true, hang_on_places, f))
        hang_finish(f, false, false);
}

void hang_first(struct findings *f, const struct finding *x)
{
    const struct hct_verdict *v = x->v;
    struct hang *h = hang_make(f, x->by, x->found->seq, x->text);
    struct remedy r = remedy_decide(&f->on_hang, v, x->proposed,
                                    x->found->now_ns);

    f->hang = h;
    if (!h)
        return;
    report_about(h->report, x->found, v);
    telling_of(&h->telling, x->found, v);
    telling_remedy(&h->telling, r, x->found->now_ns);
    h->proposed = x->proposed;
    remedy_say(&h->next, &f->on_hang, v, x->proposed, x->found->now_ns);
    if (!r.wanted)
        remedy_why_not(&h->not_done, &f->on_hang, v);
    finder_want_of(f, x, r);
    hang_begin(f);
}

static void tell_more(const struct findings *f, const struct finding *x,
                      const char *next)
{
    struct report *r = report_make(f->job, x->found->seq, x->text);
    struct telling t;

    telling_of(&t, x->found, x->v);
    telling_remedy(&t, remedy_decide(&f->on_hang, x->v, x->proposed,
                                     x->found->now_ns), x->found->now_ns);
    if (r)
        telling_send(&t, f->acts, f->job, x->by->name, r, next);
    telling_fini(&t);
    report_free(r);
}

/* What is found of a hang that is known already: by another policy as well, or
 * that it is proven, while places of its tasks are yet looked for. */
static void on_more(struct findings *f, const struct finding *x)
{
    struct str next = { 0 };

    if (finder_news(f, x->by, x->how, x->text,
                  x->v->kind == HCT_DEADLOCK ? FINDINGS_LINES : 0)) {
        finder_reported(f, x->by, x->why);
        remedy_say(&next, &f->on_hang, x->v, x->proposed, x->found->now_ns);
        f->acts->ops->notice(f->job, true, "  %s", str_text(&next));
        tell_more(f, x, str_text(&next));
    }
    finder_propose(f, x);
    str_fini(&next);
}

/* The first one, and the first proof, are told in full. */
void hang_found(struct findings *f, const struct finding *x)
{
    unsigned what = x->v->kind == HCT_DEADLOCK ? FINDS_PROOF : FINDS_STUCK;
    bool first = !finder_any(f, what) && !f->hang && x->how == SAID_SAY;

    if (what == FINDS_PROOF && verdict_set(&x->by->proven, x->found, x->v))
        log_warn("findings", "no memory for whom a proof names job=%llu",
                 findings_id(f));
    x->by->open |= FINDS_STUCK | what;
    if (first)
        hang_first(f, x);
    else
        on_more(f, x);
}

void hang_over(struct findings *f, struct finder *p)
{
    finder_forget(f, p, "not done: it was over before");
    if (f->hang && f->hang->by == p)
        hang_finish(f, false, true);
}
