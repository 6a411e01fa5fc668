/* climbtext.c - see climbtext.h. */
#include "master/ladder/climbtext.h"

#include <errno.h>
#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "proto/base/parse.h"
#include "proto/base/taskset.h"

/* ------------------------------------------------------------------ writing */

/* "0-3,7"; "-": none. */
static void add_cpus(struct str *to, const struct climb_cpus *c)
{
    struct taskset set = { 0 };
    char *text = NULL;

    for (uint32_t i = 0; i < CLIMB_CPUS; i++)
        if (c->w[i / 64] >> i % 64 & 1 && taskset_add(&set, i, i))
            break;
    if (set.n)
        text = taskset_text(&set);
    str_addf(to, " %s", text ? text : "-");
    free(text);
    taskset_fini(&set);
}

void climbtext_up(struct str *to, const struct climb_in *in)
{
    const struct climb_due *d = &in->due;

    str_addf(to, "up %zu %zu %zu %u %d %a %a %a %" PRIu64 " %" PRIu64
             " %d %a %a %a %s\n", in->nnodes, in->njobs, in->nshares, in->job,
             in->any_user, d->margin, d->want, d->chance, d->limit_ns, d->missed,
             d->firm, in->moves.base_s, in->moves.bytes_s, in->moves.risk,
             d->text ? d->text : "-");
    for (size_t i = 0; i < in->nnodes; i++) {
        const struct climb_node *n = &in->nodes[i];

        str_addf(to, "node %a %a %" PRIu64 " %d", n->speed, n->others,
                 n->short_bytes, n->takes);
        add_cpus(to, &n->cpus);
        str_addf(to, " %s\n", n->name ? n->name : "-");
    }
    for (size_t i = 0; i < in->njobs; i++) {
        const struct climb_job *j = &in->jobs[i];

        str_addf(to, "job %" PRIu64 " %u %d %d %" PRIu64 " %d %d %d %d %d %a %u\n",
                 j->id, j->uid, j->class, j->priority, j->started_ns, j->going,
                 j->held, j->due, j->movable, j->storable, j->may_s, j->rests);
    }
    for (size_t i = 0; i < in->nshares; i++) {
        const struct climb_share *s = &in->shares[i];

        str_addf(to, "tasks %u %u %u %a %a %a %a %" PRIu64 " %d %d %d %d",
                 s->job, s->node, s->tasks, s->ran, s->wanted, s->weight, s->more,
                 s->bytes, s->calm, s->aside, s->can_calm, s->can_aside);
        add_cpus(to, &s->cpus);
        str_add(to, "\n");
    }
    str_add(to, "end\n");
}

void climbtext_down(struct str *to, uint64_t job, const struct climb_stand *v,
                    size_t n, const struct climb_mood *mood)
{
    str_addf(to, "down %" PRIu64 " %zu %d %d %a %a\n", job, n, mood->may_undo,
             mood->firm, mood->dwell_s, mood->pressure);
    for (size_t i = 0; i < n; i++)
        str_addf(to, "stands %u %s %a %a %a\n", v[i].number,
                 climb_name(v[i].kind), v[i].stood_s, v[i].may_s, v[i].pressure);
    str_add(to, "end\n");
}

void climbtext_step(struct str *to, uint32_t number, const struct climb_in *in,
                    const struct climb_step *s)
{
    str_addf(to, "job %" PRIu64 " step %u: %s job %" PRIu64, in->jobs[in->job].id,
             number, climb_name(s->kind), in->jobs[s->job].id);
    if (s->kind == CLIMB_LEAVE || s->kind == CLIMB_FASTER)
        str_addf(to, " from %s to %s", in->nodes[s->node].name,
                 in->nodes[s->to].name);
    str_addf(to, " for %s, gain %.9g: %s", in->due.text, s->gain, s->why);
}

void climbtext_back(struct str *to, uint64_t job, uint32_t number,
                    enum climb_down why)
{
    str_addf(to, "job %" PRIu64 " step %u is taken back: %s", job, number,
             why == CLIMB_GOOD ? "the margin is good"
                               : "it has stood for as long as it may");
}

/* ------------------------------------------------------------------ reading */

struct words {
    const char *at;             /* the next word */
    bool bad;
};

/* Its bytes; 0: the line, or the text, is over. */
static size_t next(struct words *w, const char **word)
{
    size_t n;

    w->at += strspn(w->at, " ");
    *word = w->at;
    n = strcspn(w->at, " \n");
    w->at += n;
    w->bad |= n == 0;
    return n;
}

static void expect(struct words *w, const char *what)
{
    const char *word;
    size_t n;

    w->at += strspn(w->at, "\n");
    n = next(w, &word);
    w->bad |= n != strlen(what) || memcmp(word, what, n) != 0;
}

/* As text that has an end; "" and bad: there is none, or it is longer than any
 * number. */
static const char *figure(struct words *w, char *to, size_t size)
{
    const char *word;
    size_t n = next(w, &word);

    w->bad |= n >= size;
    snprintf(to, size, "%.*s", w->bad ? 0 : (int)n, word);
    return to;
}

enum { FIGURE = 40 };

static uint64_t whole(struct words *w, uint64_t most)
{
    char v[FIGURE];
    uint64_t is = 0;

    w->bad |= parse_u64(&is, figure(w, v, sizeof(v)), 0, most, NULL) != 0;
    return is;
}

static int number(struct words *w)
{
    char v[FIGURE];
    int64_t is = 0;

    w->bad |= parse_i64(&is, figure(w, v, sizeof(v)), -1000, 1000, NULL) != 0;
    return (int)is;
}

static double real(struct words *w)
{
    char v[FIGURE], *end;
    double is = strtod(figure(w, v, sizeof(v)), &end);  /* to the last bit: %a */

    w->bad |= end == v || *end || isnan(is);
    return is;
}

static bool flag(struct words *w)
{
    return whole(w, 1) == 1;
}

static char *text(struct words *w)
{
    const char *word;
    size_t n = next(w, &word);

    return n ? strndup(word, n) : NULL;
}

static struct climb_cpus cpus(struct words *w)
{
    struct climb_cpus c = { { 0 } };
    struct taskset set = { 0 };
    char *t = text(w);

    if (!t || (strcmp(t, "-") != 0 && taskset_parse(&set, t, CLIMB_CPUS, NULL)))
        w->bad = true;
    for (int64_t i = -1; (i = taskset_next(&set, i)) >= 0; )
        c.w[i / 64] |= (uint64_t)1 << i % 64;
    taskset_fini(&set);
    free(t);
    return c;
}

/* --------------------------------------------------------------- and again */

enum { ROWS = 1 << 20, STANDS = 1 << 10 };

/* All owned. */
struct seen {
    struct climb_in in;
    struct climb_node *nodes;
    struct climb_job *jobs;
    struct climb_share *shares;
};

static void seen_fini(struct seen *s)
{
    for (size_t i = 0; s->nodes && i < s->in.nnodes; i++)
        free((char *)(uintptr_t)s->nodes[i].name);
    free((char *)(uintptr_t)s->in.due.text);
    free(s->nodes);
    free(s->jobs);
    free(s->shares);
}

static void read_head(struct words *w, struct climb_in *in)
{
    expect(w, "up");
    in->nnodes = whole(w, ROWS);
    in->njobs = whole(w, ROWS);
    in->nshares = whole(w, ROWS);
    in->job = (uint32_t)whole(w, in->njobs ? in->njobs - 1 : 0);
    in->any_user = flag(w);
    in->due.margin = real(w);
    in->due.want = real(w);
    in->due.chance = real(w);
    in->due.limit_ns = whole(w, UINT64_MAX);
    in->due.missed = whole(w, UINT64_MAX);
    in->due.firm = flag(w);
    in->moves.base_s = real(w);
    in->moves.bytes_s = real(w);
    in->moves.risk = real(w);
    in->due.text = text(w);
    w->bad |= in->njobs == 0;
}

static struct climb_node read_node(struct words *w)
{
    struct climb_node n = { .speed = 0 };

    expect(w, "node");
    n.speed = real(w);
    n.others = real(w);
    n.short_bytes = whole(w, UINT64_MAX);
    n.takes = flag(w);
    n.cpus = cpus(w);
    n.name = text(w);
    return n;
}

static struct climb_job read_job(struct words *w)
{
    struct climb_job j = { .id = 0 };

    expect(w, "job");
    j.id = whole(w, UINT64_MAX);
    j.uid = (uint32_t)whole(w, UINT32_MAX);
    j.class = number(w);
    j.priority = number(w);
    j.started_ns = whole(w, UINT64_MAX);
    j.going = flag(w);
    j.held = flag(w);
    j.due = flag(w);
    j.movable = flag(w);
    j.storable = flag(w);
    j.may_s = real(w);
    j.rests = (unsigned)whole(w, UINT32_MAX);
    return j;
}

static struct climb_share read_share(struct words *w, const struct climb_in *in)
{
    struct climb_share s = { .job = 0 };

    expect(w, "tasks");
    s.job = (uint32_t)whole(w, in->njobs - 1);
    s.node = (uint32_t)whole(w, in->nnodes ? in->nnodes - 1 : 0);
    w->bad |= in->nnodes == 0;
    s.tasks = (uint32_t)whole(w, UINT32_MAX);
    s.ran = real(w);
    s.wanted = real(w);
    s.weight = real(w);
    s.more = real(w);
    s.bytes = whole(w, UINT64_MAX);
    s.calm = flag(w);
    s.aside = flag(w);
    s.can_calm = flag(w);
    s.can_aside = flag(w);
    s.cpus = cpus(w);
    return s;
}

static int broken(struct err *err)
{
    return err_set(err, EPROTO, "what a step was decided from is broken");
}

static int again_up(struct str *to, uint32_t step, struct words *w,
                    struct err *err)
{
    struct seen s = { .nodes = NULL };
    struct climb_step is;
    int rc = -1;

    read_head(w, &s.in);
    s.nodes = calloc(s.in.nnodes + 1, sizeof(*s.nodes));
    s.jobs = calloc(s.in.njobs + 1, sizeof(*s.jobs));
    s.shares = calloc(s.in.nshares + 1, sizeof(*s.shares));
    if (!s.nodes || !s.jobs || !s.shares)
        w->bad = true;
    for (size_t i = 0; !w->bad && i < s.in.nnodes; i++)
        s.nodes[i] = read_node(w);
    for (size_t i = 0; !w->bad && i < s.in.njobs; i++)
        s.jobs[i] = read_job(w);
    for (size_t i = 0; !w->bad && i < s.in.nshares; i++)
        s.shares[i] = read_share(w, &s.in);
    expect(w, "end");
    s.in.nodes = s.nodes;
    s.in.jobs = s.jobs;
    s.in.shares = s.shares;
    if (w->bad) {
        rc = broken(err);
    } else if (!climb_up(&s.in, &is)) {
        str_addf(to, "job %" PRIu64 " step %u: none: %s", s.jobs[s.in.job].id,
                 step, is.why);
        rc = 0;
    } else {
        climbtext_step(to, step, &s.in, &is);
        rc = 0;
    }
    seen_fini(&s);
    return rc;
}

static struct climb_stand read_stand(struct words *w)
{
    struct climb_stand v = { .number = 0 };
    char *kind;

    expect(w, "stands");
    v.number = (uint32_t)whole(w, UINT32_MAX);
    kind = text(w);
    v.kind = climb_find(kind ? kind : "");
    v.stood_s = real(w);
    v.may_s = real(w);
    v.pressure = real(w);
    w->bad |= v.kind == CLIMB_KINDS;
    free(kind);
    return v;
}

static int again_down(struct str *to, struct words *w, struct err *err)
{
    struct climb_mood mood = { .may_undo = false };
    struct climb_stand *v;
    enum climb_down down;
    uint64_t job;
    size_t n, which = 0;

    expect(w, "down");
    job = whole(w, UINT64_MAX);
    n = whole(w, STANDS);
    mood.may_undo = flag(w);
    mood.firm = flag(w);
    mood.dwell_s = real(w);
    mood.pressure = real(w);
    v = calloc(n + 1, sizeof(*v));
    for (size_t i = 0; v && !w->bad && i < n; i++)
        v[i] = read_stand(w);
    expect(w, "end");
    if (!v || w->bad) {
        free(v);
        return broken(err);
    }
    down = climb_down(v, n, &mood, &which);
    if (down == CLIMB_STAY)
        str_addf(to, "job %" PRIu64 " takes nothing back", job);
    else
        climbtext_back(to, job, v[which].number, down);
    free(v);
    return 0;
}

int climbtext_again(struct str *to, uint32_t step, const char *seen,
                    struct err *err)
{
    struct words w = { seen, false };

    return strncmp(seen, "down ", 5) == 0 ? again_down(to, &w, err)
                                          : again_up(to, step, &w, err);
}
