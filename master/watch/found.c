/* found.c - what came out of one step of a policy, see found.h.
 *
 * What is unpacked comes from a process in which anybody's policy runs: it is
 * checked here again, whoever has checked it there. */
#include "master/watch/found.h"

#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

int found_init(struct found *f, uint32_t nranks)
{
    memset(f, 0, sizeof(*f));
    f->ranks_max = 2 * nranks + 16;
    f->ranks = calloc(f->ranks_max, sizeof(*f->ranks));
    found_empty(f);
    return f->ranks ? 0 : -1;
}

int found_init_asking(struct found *f, uint32_t nranks)
{
    if (found_init(f, nranks))
        return -1;
    f->question = malloc(HCT_QUESTION_MAX);
    found_empty(f);
    return f->question ? 0 : -1;
}

static void forget_text(struct found *f)
{
    for (unsigned i = 0; i < FOUND_VERDICTS; i++) {
        free(f->text[i]);
        f->text[i] = NULL;
    }
}

void found_fini(struct found *f)
{
    forget_text(f);
    free(f->ranks);
    free(f->question);
    memset(f, 0, sizeof(*f));
}

void found_empty(struct found *f)
{
    forget_text(f);
    f->how = FOUND_FINE;
    f->why[0] = '\0';
    f->out = (struct hct_out){
        .size = sizeof(f->out),
        .verdicts = f->verdicts, .verdicts_max = FOUND_VERDICTS,
        .ranks = f->ranks, .ranks_max = f->ranks_max,
        .lines = f->lines, .lines_max = FOUND_LINES,
        .proposals = f->proposals, .proposals_max = FOUND_PROPOSALS,
        .question = f->question,
        .question_max = f->question ? HCT_QUESTION_MAX : 0,
        .rows = f->rows, .rows_max = FOUND_ROWS,
        .odds = f->odds, .odds_max = FOUND_ODDS,
        .learnt = f->learnt, .learnt_max = FOUND_LEARNT,
        .instances = f->instances, .instances_max = FOUND_INSTANCES };
}

/* ---------------------------------------------------------------- checking */

static bool span_fits(uint32_t first, uint32_t n, uint32_t all)
{
    return first <= all && n <= all - first;
}

static const char *odd_line(const struct hct_line *l, uint32_t nranks)
{
    if (l->rank != HCT_NONE && (l->rank < 0 || (uint32_t)l->rank >= nranks))
        return "a line about a rank that the job does not have";
    if (!memchr(l->text, '\0', sizeof(l->text)))
        return "a line without an end";
    return strchr(l->text, '\n') ? "a line that is several" : NULL;
}

static const char *odd_verdict(const struct hct_verdict *v,
                               const struct hct_out *out, uint32_t nranks)
{
    const char *why = NULL;

    if (v->kind < HCT_HANG || v->kind > HCT_NOTICE)
        return "a verdict of no kind";
    if (v->deadline > HCT_DEADLINES_MAX || v->what > HCT_DEADLINE_NEVER)
        return "a verdict about a deadline that there is not";
    if (!(v->score >= 0 && v->score <= 1))
        return "a score that is not from 0 to 1";
    if (!span_fits(v->ranks, v->nranks, out->nranks) ||
        !span_fits(v->lines, v->nlines, out->nlines))
        return "a verdict that points beyond its arrays";
    for (uint32_t i = 0; i < v->nranks; i++)
        if (out->ranks[v->ranks + i] >= nranks)
            return "a rank that the job does not have";
    for (uint32_t i = 0; !why && i < v->nlines; i++)
        why = odd_line(&out->lines[v->lines + i], nranks);
    return why;
}

static const char *odd_row(const struct hct_row *r, const struct hct_out *out,
                           uint32_t nranks)
{
    if (r->verdict >= out->nverdicts || r->line >= out->nlines ||
        r->place == 0 || r->place > HCT_ROWS_MAX || r->nranks == 0 ||
        r->decided > HCT_DECIDED_MODEL)
        return "a row without sense";
    if (!span_fits(r->ranks, r->nranks, out->nranks))
        return "a row that points beyond its arrays";
    for (uint32_t i = 0; i < r->nranks; i++)
        if (out->ranks[r->ranks + i] >= nranks)
            return "a rank that the job does not have";
    return NULL;
}

static bool is_line(uint32_t line, uint32_t rank, const struct hct_out *out)
{
    return line == HCT_NO_LINE ||
           (line < out->nlines && out->lines[line].rank == (int32_t)rank);
}

static const char *odd_odd(const struct hct_odd *o, const struct hct_out *out,
                           uint32_t nranks)
{
    return o->method >= HCT_METHOD_CLUSTER && o->method <= HCT_METHOD_INSIDE &&
           o->place && o->rank < nranks && isfinite(o->score) &&
           isfinite(o->cost_ns) && isfinite(o->in_ns) && isfinite(o->out_ns) &&
           isfinite(o->normal_in_ns) && isfinite(o->normal_out_ns) &&
           is_line(o->line, o->rank, out) && is_line(o->line_to, o->rank, out)
           ? NULL : "a task that is odd without sense";
}

static bool fits(const struct found *f)
{
    const struct hct_out *o = &f->out;

    return o->nverdicts <= FOUND_VERDICTS && o->nranks <= f->ranks_max &&
           o->nlines <= FOUND_LINES && o->nproposals <= FOUND_PROPOSALS &&
           o->nrows <= FOUND_ROWS && o->verdicts == f->verdicts &&
           o->ranks == f->ranks && o->lines == f->lines &&
           o->proposals == f->proposals && o->rows == f->rows &&
           o->odds == f->odds && o->nodds <= FOUND_ODDS &&
           o->learnt == f->learnt && o->nlearnt <= FOUND_LEARNT &&
           o->instances == f->instances && o->ninstances <= FOUND_INSTANCES &&
           o->question == f->question &&
           o->nquestion <= (f->question ? HCT_QUESTION_MAX : 0);
}

/* A question that is none is the slaves' to refuse. */
static const char *odd_sample(const struct hct_out *o, uint32_t nranks)
{
    if (!span_fits(o->sample, o->nsample, o->nranks))
        return "a sample that points beyond its array";
    for (uint32_t i = 0; i < o->nsample; i++)
        if (o->ranks[o->sample + i] >= nranks)
            return "a sample with a rank that the job does not have";
    return NULL;
}

static const char *odd_remarks(const struct hct_out *out, uint32_t nranks)
{
    const char *why = NULL;

    if (!span_fits(out->remarks, out->nremarks, out->nlines))
        return "remarks that point beyond their array";
    for (uint32_t i = 0; !why && i < out->nremarks; i++)
        why = odd_line(&out->lines[out->remarks + i], nranks);
    return why;
}

static const char *odd_learnt(const struct hct_learnt *l)
{
    return l->groups && l->groups <= l->most && l->times
           ? NULL : "something learnt without sense";
}

static const char *odd_instance(const struct hct_instance *i, uint32_t nranks)
{
    return i->deadline && i->deadline <= HCT_DEADLINES_MAX &&
           (i->rank < nranks || i->rank == HCT_NO_RANK) && i->open <= 1 &&
           i->late <= 1 && i->due_ns >= i->release_ns && !isinf(i->slope) &&
           !isinf(i->chance)
           ? NULL : "an instance of a deadline without sense";
}

const char *found_check(struct found *f, uint32_t nranks)
{
    struct hct_out *out = &f->out;
    const char *why = NULL;

    if (!fits(f)) {
        out->nverdicts = out->nranks = out->nlines = out->nproposals = 0;
        out->nsample = out->nquestion = out->nodds = 0;
        out->nrows = out->nremarks = out->nlearnt = out->ninstances = 0;
        return "more than there is room for";
    }
    why = odd_sample(out, nranks);
    if (why)
        out->nsample = 0;
    for (uint32_t i = 0; i < out->nverdicts && !why; i++)
        why = odd_verdict(&f->verdicts[i], out, nranks);
    for (uint32_t i = 0; i < out->nrows && !why; i++)
        why = odd_row(&f->rows[i], out, nranks);
    for (uint32_t i = 0; i < out->nodds && !why; i++)
        why = odd_odd(&f->odds[i], out, nranks);
    if (!why && out->nodds && out->when.window > HCT_WINDOW_LAST)
        why = "tasks that are odd in no time";
    for (uint32_t i = 0; i < out->nlearnt && !why; i++)
        why = odd_learnt(&f->learnt[i]);
    for (uint32_t i = 0; i < out->ninstances && !why; i++)
        why = odd_instance(&f->instances[i], nranks);
    if (!why)
        why = odd_remarks(out, nranks);
    if (why) {
        out->nverdicts = out->nproposals = out->nrows = out->nodds = 0;
        out->nremarks = out->nlearnt = out->ninstances = 0;
        return why;
    }
    for (uint32_t i = 0; i < out->nproposals; i++)
        if (f->proposals[i].action < HCT_REPORT ||
            f->proposals[i].action > HCT_KILL ||
            f->proposals[i].verdict >= out->nverdicts) {
            out->nproposals = 0;
            return "a proposal without sense";
        }
    return NULL;
}

/* ------------------------------------------------------------------ packing */

/* Both ends are of one build, on one host. */
struct packed {
    uint32_t how, need;
    uint64_t seq, now_ns, wake_ns, lost;
    uint32_t nverdicts, nranks, nlines, nproposals, nrows, answers, nodds;
    uint32_t remarks, nremarks, nlearnt, ninstances;
    struct hct_when when;
    char why[200];
};

void found_pack(const struct found *f, struct str *to)
{
    const struct hct_out *o = &f->out;
    struct packed head = {
        .how = f->how, .need = o->need, .seq = f->seq, .now_ns = f->now_ns,
        .wake_ns = o->wake_ns, .lost = o->lost, .nverdicts = o->nverdicts,
        .nranks = o->nranks, .nlines = o->nlines,
        .nproposals = o->nproposals, .nrows = o->nrows,
        .answers = o->answers, .nodds = o->nodds, .when = o->when,
        .remarks = o->remarks, .nremarks = o->nremarks,
        .nlearnt = o->nlearnt, .ninstances = o->ninstances };

    memcpy(head.why, f->why, sizeof(head.why));
    str_add_bytes(to, &head, sizeof(head));
    str_add_bytes(to, f->verdicts, o->nverdicts * sizeof(*f->verdicts));
    str_add_bytes(to, f->ranks, o->nranks * sizeof(*f->ranks));
    str_add_bytes(to, f->lines, o->nlines * sizeof(*f->lines));
    str_add_bytes(to, f->proposals, o->nproposals * sizeof(*f->proposals));
    str_add_bytes(to, f->rows, o->nrows * sizeof(*f->rows));
    str_add_bytes(to, f->odds, o->nodds * sizeof(*f->odds));
    str_add_bytes(to, f->learnt, o->nlearnt * sizeof(*f->learnt));
    str_add_bytes(to, f->instances, o->ninstances * sizeof(*f->instances));
    str_add_bytes(to, f->tags, o->nlines * sizeof(*f->tags));
    for (uint32_t i = 0; i < o->nverdicts; i++) {
        uint32_t n = f->text[i] ? (uint32_t)strlen(f->text[i]) : 0;

        str_add_bytes(to, &n, sizeof(n));
        str_add_bytes(to, f->text[i] ? f->text[i] : "", n);
    }
}

struct unpacking { const char *p; size_t left; bool bad; };

static void take(struct unpacking *u, void *to, size_t n)
{
    if (u->bad || n > u->left) {
        u->bad = true;
        return;
    }
    if (n)
        memcpy(to, u->p, n);
    u->p += n;
    u->left -= n;
}

static char *take_text(struct unpacking *u)
{
    uint32_t n = 0;
    char *text;

    take(u, &n, sizeof(n));
    if (u->bad || n > u->left)
        return u->bad = true, NULL;
    text = strndup(u->p, n);
    u->bad |= !text;
    u->p += n;
    u->left -= n;
    return text;
}

static void take_arrays(struct found *f, struct unpacking *u)
{
    const struct hct_out *o = &f->out;

    take(u, f->verdicts, o->nverdicts * sizeof(*f->verdicts));
    take(u, f->ranks, o->nranks * sizeof(*f->ranks));
    take(u, f->lines, o->nlines * sizeof(*f->lines));
    take(u, f->proposals, o->nproposals * sizeof(*f->proposals));
    take(u, f->rows, o->nrows * sizeof(*f->rows));
    take(u, f->odds, o->nodds * sizeof(*f->odds));
    take(u, f->learnt, o->nlearnt * sizeof(*f->learnt));
    take(u, f->instances, o->ninstances * sizeof(*f->instances));
    take(u, f->tags, o->nlines * sizeof(*f->tags));
    for (uint32_t i = 0; i < o->nlines; i++)
        f->tags[i][FOUND_TAG - 1] = '\0';
    for (uint32_t i = 0; i < o->nverdicts && !u->bad; i++)
        f->text[i] = take_text(u);
}

int found_unpack(struct found *f, uint32_t nranks, const void *p, size_t n,
                 struct err *err)
{
    struct unpacking u = { .p = p, .left = n };
    struct packed head = { 0 };

    found_empty(f);
    take(&u, &head, sizeof(head));
    f->how = head.how <= FOUND_OFF ? (enum found_how)head.how : FOUND_OFF;
    f->seq = head.seq;
    f->now_ns = head.now_ns;
    memcpy(f->why, head.why, sizeof(f->why) - 1);
    f->out.need = head.need;
    f->out.wake_ns = head.wake_ns;
    f->out.lost = head.lost;
    f->out.nverdicts = head.nverdicts;
    f->out.nranks = head.nranks;
    f->out.nlines = head.nlines;
    f->out.nproposals = head.nproposals;
    f->out.nrows = head.nrows;
    f->out.answers = head.answers;
    f->out.nodds = head.nodds;
    f->out.when = head.when;
    f->out.remarks = head.remarks;
    f->out.nremarks = head.nremarks;
    f->out.nlearnt = head.nlearnt;
    f->out.ninstances = head.ninstances;
    if (!u.bad && fits(f))
        take_arrays(f, &u);
    else
        u.bad = true;
    if (u.bad || u.left || found_check(f, nranks)) {
        found_empty(f);
        return err_set(err, EBADMSG, "it answered what makes no sense");
    }
    return 0;
}

/* -------------------------------------------------------------------- names */

const char *found_kind_name(uint32_t kind)
{
    static const char *const names[] = {
        [HCT_HANG] = "hang", [HCT_SLOWDOWN] = "slowdown",
        [HCT_DEADLOCK] = "deadlock", [HCT_OUTLIER] = "outlier",
        [HCT_PROGRESS] = "progress", [HCT_DEADLINE] = "deadline",
        [HCT_IMBALANCE] = "imbalance", [HCT_NOTICE] = "notice",
    };

    return kind >= HCT_HANG && kind <= HCT_NOTICE ? names[kind] : "?";
}

const char *found_decided_name(uint32_t decided)
{
    static const char *const names[] = {
        [HCT_DECIDED_NOT] = "",
        [HCT_DECIDED_COLLECTIVE] = "by the collective number",
        [HCT_DECIDED_ASLEEP] = "by its sleep in the call",
        [HCT_DECIDED_MESSAGE] = "by messages",
        [HCT_DECIDED_LOOP] = "by the loop's iterations",
        [HCT_DECIDED_WAITS] = "by the wait-for graph",
        [HCT_DECIDED_MODEL] = "by the model",
    };

    return decided <= HCT_DECIDED_MODEL ? names[decided] : "";
}

const char *found_where_name(uint32_t where)
{
    return where == HCT_WHERE_COMPUTATION ? "computation"
           : where == HCT_WHERE_COMMUNICATION ? "communication" : "";
}
