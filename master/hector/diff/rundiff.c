/* rundiff.c - see rundiff.h. */
#include "master/hector/diff/rundiff.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "master/watch/callclass.h"
#include "proto/base/array.h"
#include "proto/base/clock.h"

/* What matters: so much of the run, and so much at all. */
#define SHARE 0.03
#define LEAST_NS (50.0 * CLOCK_NS_PER_MS)
/* Floors of what is another value, by how many good runs there are: one, two,
 * more. Waiting depends on others, and varies more. */
static const double floors[] = { 0.30, 0.25, 0.15 };
#define WAIT_FLOOR 0.5
#define SIGMAS 6.0              /* of a deviation that few runs show */
#define BUT_ONE 1.4             /* less, where the farthest one is left out */
#define CERTAIN 0.5             /* so much of what a task seems to compute more
                                   it does for certain */
#define BUSY 2.0                /* it has to be so much more, by the share of the
                                   time without a processor */
#define STARVED_MAX 0.05        /* of the time; above, waiting says nothing */
#define VARIES 1.5              /* times what tasks vary by among good runs */
#define TASK_FLOOR 0.25         /* of what a task computes */
enum { FEW = 5 };
#define PLACE_SHARE 0.3         /* of what an odd task costs */

struct work {
    struct rundiff *d;
    const struct rundiff_run *run;
    unsigned n;
    double factor[STEPS_RUNS];  /* of time outside of MPI: what is left without
                                   waiting for a processor */
    double in_factor[STEPS_RUNS];       /* the same inside */
    double matters_ns;          /* of a task's time */
    struct taskset odd;         /* tasks that were found so */
    double odd_ns;              /* what they cost, all together */
    int rc;                     /* -1: out of memory */
};

/* ------------------------------------------------------------------- times */

/* Not on a processor, and not waiting for one. */
static double asleep_ns(const struct rundiff_task *t)
{
    return fmax(t->in_ns + t->out_ns - t->cpu_ns - t->waited_ns, 0);
}

/* Ready without a processor, outside of MPI: the share of what it was ready there,
 * since calls of MPI do not sleep; and all that it did not compute where nothing
 * is known. */
static double starved_out(const struct rundiff_task *t)
{
    double ready = fmax(t->out_ns - asleep_ns(t), 0);

    if (t->waited_ns <= 0)
        return fmax(t->out_ns - t->cpu_out_ns, 0);
    return ready > 0 ? fmin(t->waited_ns * ready / (t->in_ns + ready), ready)
                     : 0;
}

static double own_ns(const struct rundiff_task *t)
{
    return t->out_ns - starved_out(t);
}

/* On a processor, or asleep: known well, but for what it did meanwhile. */
static double busy_ns(const struct rundiff_task *t)
{
    return fmax(t->in_ns + t->out_ns - t->waited_ns, 0);
}

/* own_ns() is an estimate between these. It had no processor outside of MPI only,
 * and has slept there; or inside for as long as it was there, and computed with all
 * the processor's time that it had. */
static double own_at_least_ns(const struct rundiff_task *t)
{
    return fmax(t->out_ns - t->waited_ns, fmin(asleep_ns(t), t->out_ns));
}

static double own_at_most_ns(const struct rundiff_task *t)
{
    return fmin(t->out_ns - fmax(t->waited_ns - t->in_ns, 0),
                asleep_ns(t) + t->cpu_ns);
}

/* Of a job that has none yet: one. */
static double tasks_of(const struct work *w, unsigned run)
{
    return w->run[run].ntasks ? w->run[run].ntasks : 1;
}

static void find_factors(struct work *w)
{
    for (unsigned r = 0; r < w->n; r++) {
        const struct rundiff_run *run = &w->run[r];
        double in = 0, out = 0, own = 0, waited = 0;

        for (uint32_t i = 0; run->task && i < run->ntasks; i++) {
            in += run->task[i].in_ns;
            out += run->task[i].out_ns;
            own += own_ns(&run->task[i]);
            waited += run->task[i].waited_ns;
        }
        waited = fmax(waited - (out - own), 0);
        w->factor[r] = out > 0 ? own / out : 1;
        w->in_factor[r] = in > 0 && waited > 0 ? fmax(1 - waited / in, 0) : 1;
        if (r < 2 && in + out > 0)
            w->d->starved[r] = (waited + out - own) / (in + out);
    }
    w->d->blind = w->d->starved[0] > STARVED_MAX ||
                  w->d->starved[1] > STARVED_MAX;
}

static int by_size(const void *a, const void *b)
{
    double x = *(const double *)a, y = *(const double *)b;

    return x < y ? -1 : x > y;
}

static double quantile(double *v, size_t n, size_t at)
{
    qsort(v, n, sizeof(*v), by_size);
    return v[at];
}

/* Without the value that is farthest from the middle, which may be an odd one. */
static double deviation_but_one(const double *v, size_t n, double middle)
{
    double squares = 0, farthest = 0;

    for (size_t i = 0; i < n; i++) {
        double square = (v[i] - middle) * (v[i] - middle);

        squares += square;
        farthest = fmax(farthest, square);
    }
    return n > 2 ? sqrt((squares - farthest) / ((double)n - 2)) : 0;
}

/* The good runs that show how much the program varies: those besides the two, if
 * there are some; else run 1 is one of them. */
static unsigned first_good(const struct work *w)
{
    return w->n >= 4 ? 2 : 1;
}

struct limits { double middle, width; };

/* What good runs have, and how far another one may be from it. Of a few the mean
 * and the deviation from it; of more the median, and a run that was slow without
 * failing does not widen it. */
static struct limits limits(const struct work *w, const double *of,
                            const bool *have, double least_share,
                            double between_tasks)
{
    double v[STEPS_RUNS], sum = 0, squares = 0, middle;
    double deviation = between_tasks, share;
    unsigned n = 0;

    for (unsigned r = first_good(w); r < w->n; r++)
        if (have[r])
            sum += v[n++] = of[r];
    middle = n ? sum / n : of[1];
    for (unsigned i = 0; i < n; i++)
        squares += (v[i] - middle) * (v[i] - middle);
    if (n > 1)
        deviation = sqrt(squares / (n - 1) * (1 + 1.0 / n));
    if (n >= FEW) {
        middle = quantile(v, n, n / 2);
        deviation = BUT_ONE * deviation_but_one(v, n, middle) *
                    sqrt(1 + 1.0 / n);
    }
    share = n < 2 ? floors[0] : n < 3 ? floors[1] : floors[2];
    return (struct limits){ middle, fmax(fmax(share, least_share) * middle,
                                         SIGMAS * deviation) };
}

/* Are they two values, of which one is not as in good runs? */
static bool are_two(const struct limits *l, double is, double was)
{
    return fabs(is - was) > l->width && (fabs(is - l->middle) > l->width ||
                                         fabs(was - l->middle) > l->width);
}

static void add(struct work *w, const struct rundiff_item *item)
{
    struct rundiff *d = w->d;

    if (array_reserve(&d->item, &d->cap, d->n + 1))
        w->rc = -1;
    else
        d->item[d->n++] = *item;
}

static const struct hct_call *call_of(uint32_t call)
{
    uint32_t n;
    const struct hct_call *table = callclass_table(&n);

    return &table[call < n ? call : 0];
}

/* Does how long it takes depend on what others do? */
static bool waits(uint32_t call)
{
    return call_of(call)->flags & HCT_CALL_BLOCKING;
}

/* How often it is called depends on when things happen. */
static bool by_chance(uint32_t call)
{
    return call_of(call)->class_ == HCT_CLASS_TEST ||
           (call_of(call)->class_ == HCT_CLASS_PROBE &&
            !(call_of(call)->flags & HCT_CALL_BLOCKING));
}

/* Starting and ending takes as long as it takes. */
static bool is_frame(uint32_t call)
{
    return call_of(call)->class_ == HCT_CLASS_INIT ||
           call_of(call)->class_ == HCT_CLASS_FINALIZE;
}

/* ------------------------------------------------------------------- calls */

/* Calls of a task that calls at all. */
static double calls(const struct steps_site *s, unsigned run)
{
    return s->tasks[run] ? (double)s->visits[run] / s->tasks[run] : 0;
}

/* What the calls cost a task that one run has more of, as long as its calls
 * take, with what is computed before them. */
static double cost_of_calls(const struct work *w, const struct steps_site *s)
{
    double is = (double)s->visits[0] / tasks_of(w, 0);
    double was = (double)s->visits[1] / tasks_of(w, 1);
    unsigned more = is > was ? 0 : 1;

    return s->visits[more]
        ? (is - was) * s->ns[more] / (double)s->visits[more] : 0;
}

/* Both are called as often as in good runs, or these vary so far; without the one
 * that is farthest from the others, where there are several. */
static bool calls_vary(const struct work *w, const struct steps_site *s)
{
    bool same_tasks = w->run[0].ntasks == w->run[1].ntasks;
    double x[STEPS_RUNS], v[STEPS_RUNS], wide;
    unsigned n = 0, least = 0, most;

    for (unsigned r = 0; r < w->n; r++)
        x[r] = same_tasks ? (double)s->visits[r] : calls(s, r);
    for (unsigned r = first_good(w); r < w->n; r++)
        v[n++] = x[r];
    most = n - 1;
    qsort(v, n, sizeof(*v), by_size);
    if (n >= 4 && v[most] - v[n / 2] > v[n / 2] - v[0])
        most--;
    else if (n >= 4)
        least++;
    wide = v[most] - v[least];
    if (!same_tasks)            /* neighbours are fewer, or more */
        wide += 0.5 * v[most] + 1;
    for (unsigned r = 0; r < 2; r++)
        if (x[r] < v[least] - wide || x[r] > v[most] + wide)
            return false;
    return true;
}

static void compare_calls(struct work *w)
{
    const struct steps *s = &w->d->steps;

    for (size_t i = JOBMODEL_FIRST; i < s->nsites; i++) {
        const struct steps_site *is = &s->site[i];
        bool in_0 = is->visits[0], in_1 = is->visits[1];
        struct rundiff_item item = { .site = (uint32_t)i, .row = STEPS_NONE,
                                     .run = in_0 ? 0 : 1 };

        if ((!in_0 && !in_1) || by_chance(is->call) || calls_vary(w, is))
            continue;
        item.kind = in_0 && in_1 ? RUNDIFF_CALLS : RUNDIFF_ONLY;
        item.cost_ns = cost_of_calls(w, is);
        add(w, &item);
    }
}

/* ------------------------------------------------------------------- tasks */

/* How much more than the others each task computes, than it did in the other
 * run of as many tasks: a common factor, the lower median of all, is left out.
 * Returned. */
static double excess_over(const struct work *w, unsigned run, unsigned other,
                          double *excess, double *scratch)
{
    const struct rundiff_task *a = w->run[run].task, *b = w->run[other].task;
    uint32_t n = w->run[run].ntasks;
    double base;

    for (uint32_t i = 0; i < n; i++)
        scratch[i] = own_ns(&a[i]) / fmax(own_ns(&b[i]), 1);
    base = quantile(scratch, n, (n - 1) / 2);
    for (uint32_t i = 0; i < n; i++)
        excess[i] = own_ns(&a[i]) - base * own_ns(&b[i]);
    return base;
}

/* Or, where run 1 has other tasks, than the median of its own run. */
static void excess_alone(const struct rundiff_run *run, double *excess,
                         double *scratch)
{
    double median;

    for (uint32_t i = 0; i < run->ntasks; i++)
        scratch[i] = own_ns(&run->task[i]);
    median = quantile(scratch, run->ntasks, (run->ntasks - 1) / 2);
    for (uint32_t i = 0; i < run->ntasks; i++)
        excess[i] = own_ns(&run->task[i]) - median;
}

/* How far those go that are no odd ones: as far up as down. */
static double deviation_below(const double *excess, double *scratch, size_t n)
{
    size_t below = 0;

    for (size_t i = 0; i < n; i++)
        if (excess[i] <= 0)
            scratch[below++] = -excess[i];
    if (n < FEW || !below)
        return 0;               /* of few it is the odd one itself */
    return 1.4826 * quantile(scratch, below, below / 2);
}

/* So much some task computes more in other good runs, all but one of them,
 * against the first one that is not to be judged: work varies, or wanders. */
static double varies_ns(const struct work *w, unsigned run, double *excess,
                        double *scratch)
{
    const struct rundiff_run *first = &w->run[run + 1];
    double v[STEPS_RUNS];
    unsigned n = 0;

    for (unsigned r = run + 2; r < w->n; r++) {
        if (!w->run[r].task || !first->task ||
            w->run[r].ntasks != first->ntasks)
            continue;
        excess_over(w, r, run + 1, excess, scratch);
        v[n] = 0;
        for (uint32_t i = 0; i < first->ntasks; i++)
            v[n] = fmax(v[n], excess[i]);
        n++;
    }
    return n ? VARIES * quantile(v, n, n > 2 ? n - 2 : n - 1) : 0;
}

/* What it takes in this step beyond the others. */
static double gap(const struct spread *s)
{
    return s->told > 1 ? s->most - spread_but_most(s).mean : 0;
}

/* Where does this task of that run take longer than the others, and not in the
 * other run? */
static void find_place(const struct work *w, uint32_t task,
                       struct rundiff_item *item)
{
    const struct steps *s = &w->d->steps;
    unsigned other = !item->run;
    double most = PLACE_SHARE * item->cost_ns;

    item->row = STEPS_NONE;
    for (size_t i = 0; i < s->nrows; i++) {
        const struct steps_row *row = &s->row[i];
        const struct spread *out = &row->of[item->run].out;
        double more = gap(out) - gap(&row->of[other].out);

        if (out->told && out->most_task == task && more > most) {
            most = more;
            item->row = (uint32_t)i;
        }
    }
}

/* Tasks that are all of their nodes, and not all of the job. */
static bool are_nodes(struct work *w, const struct rundiff_run *run,
                      const struct taskset *odd)
{
    size_t n = taskset_count(odd);
    struct taskset nodes = { 0 };
    bool all = n > 1 && n < run->ntasks;

    for (int64_t i = -1; all && (i = taskset_next(odd, i)) >= 0; )
        if (taskset_add(&nodes, run->task[i].node, run->task[i].node))
            w->rc = -1;
    for (uint32_t i = 0; all && i < run->ntasks; i++)
        all = taskset_has(odd, i) || !taskset_has(&nodes, run->task[i].node);
    taskset_fini(&nodes);
    return all;
}

/* Work that has wandered is done by others the less. */
static bool is_more_work(const struct work *w, unsigned run, double cost_ns)
{
    double own = 0, busy = 0;

    for (uint32_t i = 0; i < w->run[run].ntasks; i++) {
        const struct rundiff_task *a = &w->run[run].task[i];
        const struct rundiff_task *b = &w->run[!run].task[i];

        own += own_ns(a) - own_ns(b);
        busy += busy_ns(a) - busy_ns(b);
    }
    return own >= 0.5 * cost_ns || busy >= 0.5 * cost_ns;
}

/* Which part of a task's work was outside of MPI is guessed where it has no
 * processor at times: is what this one does more than in the other run, times
 * base, due to no guess? */
static bool is_certain(const struct work *w, unsigned run, uint32_t task,
                       double base, double excess)
{
    return own_at_least_ns(&w->run[run].task[task]) -
           base * own_at_most_ns(&w->run[!run].task[task]) >= CERTAIN * excess;
}

/* Tasks of that run that are odd, against the other one. */
static void compare_tasks(struct work *w, unsigned run, double *excess,
                          double *v, double *scratch)
{
    const struct rundiff_run *is = &w->run[run], *was = &w->run[!run];
    bool same = is->ntasks == was->ntasks;
    struct rundiff_item item = { .kind = RUNDIFF_TASK, .site = STEPS_NONE,
                                 .run = run };
    double deviation, all = 0, worst = 0, median, limit, base = 1;
    uint32_t who = 0;

    for (uint32_t i = 0; i < is->ntasks; i++)
        scratch[i] = own_ns(&is->task[i]);
    median = quantile(scratch, is->ntasks, (is->ntasks - 1) / 2);
    if (same)
        base = excess_over(w, run, !run, excess, scratch);
    else
        excess_alone(is, excess, scratch);
    deviation = deviation_below(excess, scratch, is->ntasks);
    limit = fmax(fmax((same ? TASK_FLOOR : 0.5) * median, 5 * deviation),
                 w->matters_ns);
    if (same)
        limit = fmax(limit, varies_ns(w, run, v, scratch));
    for (uint32_t i = 0; i < is->ntasks; i++) {
        if (excess[i] <= limit ||
            (same && !is_certain(w, run, i, base, excess[i])))
            continue;
        if (excess[i] > worst) {
            worst = excess[i];
            who = i;
        }
        all += excess[i];
        if (taskset_add(&item.tasks, i, i))
            w->rc = -1;
    }
    item.cost_ns = worst;
    if (!item.tasks.n || (same && !is_more_work(w, run, all))) {
        taskset_fini(&item.tasks);
        return;
    }
    if (are_nodes(w, is, &item.tasks))
        item.kind = RUNDIFF_NODE;
    find_place(w, who, &item);
    if (run == 0) {
        w->odd_ns = all;
        if (taskset_union(&w->odd, &item.tasks))
            w->rc = -1;
    } else {
        item.cost_ns = -item.cost_ns;
    }
    add(w, &item);
}

static void compare_all_tasks(struct work *w)
{
    uint32_t n = w->run[0].ntasks > w->run[1].ntasks ? w->run[0].ntasks
                                                     : w->run[1].ntasks;
    double *v = calloc(3 * (size_t)n + 3, sizeof(*v));

    if (!v)
        w->rc = -1;
    if (v && w->run[0].task && w->run[1].task)
        for (unsigned run = 0; run < 2; run++)
            if (w->run[run].ntasks > 1)
                compare_tasks(w, run, v, v + n, v + 2 * (size_t)n);
    free(v);
}

/* A task that is slow in calls that wait for nobody. */
static void compare_calls_of_tasks(struct work *w)
{
    struct steps *s = &w->d->steps;

    for (size_t i = 0; i < s->nrows; i++) {
        struct spread *is = &s->row[i].of[0].in, *was = &s->row[i].of[1].in;
        double more = w->in_factor[0] * gap(is) - w->in_factor[1] * gap(was);
        struct rundiff_item item = {
            .kind = RUNDIFF_TASK, .cost_ns = more, .site = STEPS_NONE,
            .row = (uint32_t)i, .inside = true };

        if (waits(s->site[s->row[i].from].call) || is->told < 2 ||
            more < w->matters_ns || more < 5 * spread_but_most(is).deviation ||
            is->most < 2 * spread_but_most(is).mean)
            continue;
        if (taskset_add(&item.tasks, is->most_task, is->most_task))
            w->rc = -1;
        w->odd_ns += more;
        if (taskset_union(&w->odd, &item.tasks))
            w->rc = -1;
        add(w, &item);
    }
}

/* ------------------------------------------------------------------- steps */

/* Of one step, in the mean; without a task that is odd, which has been named. */
static double step_ns(const struct work *w, const struct steps_cell *c,
                      unsigned run, bool out)
{
    const struct spread *s = out ? &c->out : &c->in;
    double sum = out ? c->out_ns : c->in_ns, n = (double)c->n;

    if (run == 0 && s->told > 1 && taskset_has(&w->odd, s->most_task)) {
        n *= 1 - 1.0 / s->told;
        sum = sum > s->most ? sum - s->most : 0;
    }
    return n > 0 ? sum / n * (out ? w->factor[run] : w->in_factor[run]) : 0;
}

static double between_tasks(const struct steps_cell *c, bool out)
{
    struct spread_of s = spread_all(out ? &c->out : &c->in);
    uint32_t told = out ? c->out.told : c->in.told;

    return s.deviation > 0 && c->n
        ? s.deviation * told / (double)c->n / sqrt(told) : 0;
}

/* What others' computation explains of waiting: the slowest task is so much
 * farther from the mean. */
static double explained_ns(const struct work *w)
{
    double ahead[2] = { 0, 0 };

    for (unsigned r = 0; r < 2; r++) {
        const struct rundiff_run *run = &w->run[r];
        double sum = 0, most = 0;

        for (uint32_t i = 0; run->task && i < run->ntasks; i++) {
            sum += run->task[i].out_ns;
            most = fmax(most, run->task[i].out_ns);
        }
        ahead[r] = run->ntasks ? most - sum / run->ntasks : 0;
    }
    return fabs(ahead[0] - ahead[1]);
}

static void compare_side(struct work *w, uint32_t at, bool out, double *spare)
{
    const struct steps_row *row = &w->d->steps.row[at];
    uint32_t call = w->d->steps.site[row->from].call;
    bool wait = !out && waits(call), have[STEPS_RUNS];
    double v[STEPS_RUNS], cost;
    struct limits l;
    struct rundiff_item item = { .kind = out ? RUNDIFF_COMPUTE : RUNDIFF_CALL,
                                 .site = STEPS_NONE, .row = at };

    for (unsigned r = 0; r < w->n; r++) {
        have[r] = row->of[r].n;
        v[r] = step_ns(w, &row->of[r], r, out);
    }
    l = limits(w, v, have, wait ? WAIT_FLOOR : 0,
               between_tasks(&row->of[1], out) *
               (out ? w->factor[1] : w->in_factor[1]));
    cost = (v[0] - v[1]) * (double)row->of[0].n / tasks_of(w, 0);
    if (!are_two(&l, v[0], v[1]) || fabs(cost) < w->matters_ns)
        return;
    if (wait && *spare >= fabs(cost)) {
        *spare -= fabs(cost);
        return;
    }
    item.cost_ns = cost;
    item.is_ns = v[0];
    item.was_ns = v[1];
    add(w, &item);
}

static bool is_compared(const struct work *w, const struct steps_row *row,
                        bool out)
{
    uint32_t from = w->d->steps.site[row->from].call;

    if (!row->of[0].n || !row->of[1].n)
        return false;
    if (out)
        return row->from != JOBMODEL_START;
    return row->from >= JOBMODEL_FIRST && !is_frame(from) &&
           !(w->d->blind && waits(from));
}

/* Which sites have been named; and, in each run, from which one comes to one of
 * these, and which ones come from there. */
struct ways { bool *named, *leads[2], *comes[2]; };     /* owned, as one */

static int find_ways(const struct work *w, struct ways *by)
{
    const struct steps *s = &w->d->steps;
    size_t n = s->nsites;
    bool *v = calloc(5 * n + 1, sizeof(*v));

    if (!v)
        return -1;
    *by = (struct ways){ v, { v + n, v + 2 * n }, { v + 3 * n, v + 4 * n } };
    for (size_t i = 0; i < w->d->n; i++)
        if (w->d->item[i].site != STEPS_NONE)
            by->named[w->d->item[i].site] = true;
    for (size_t i = 0; i < s->nrows; i++)
        for (unsigned r = 0; r < 2; r++) {
            const struct steps_row *row = &s->row[i];

            if (!row->of[r].n)
                continue;
            by->leads[r][row->from] |= by->named[row->to];
            by->comes[r][row->to] |= by->named[row->from];
        }
    return 0;
}

/* Does the other run come this way by a site that has been named? */
static bool goes_round(const struct ways *by, const struct steps_row *row,
                       unsigned other)
{
    return by->named[row->from] || by->named[row->to] ||
           by->leads[other][row->from] || by->comes[other][row->to];
}

/* A step between sites that are called as often as ever. */
static void compare_order(struct work *w, const struct ways *by, uint32_t at)
{
    const struct steps *s = &w->d->steps;
    const struct steps_row *row = &s->row[at];
    unsigned run = row->of[0].n ? 0 : 1;
    const struct steps_cell *c = &row->of[run];
    struct rundiff_item item = { .kind = RUNDIFF_ORDER, .site = STEPS_NONE,
                                 .row = at, .run = run };

    for (unsigned r = 1; r < w->n; r++)         /* some good run has it, too */
        if (run == 0 ? row->of[r].n != 0 : row->of[r].n == 0)
            return;
    if (goes_round(by, row, !run))
        return;
    item.cost_ns = (w->factor[run] * c->out_ns +
                    (waits(s->site[row->from].call) ? 0 : c->in_ns)) /
                   w->run[run].ntasks * (run ? -1 : 1);
    if (fabs(item.cost_ns) >= w->matters_ns)
        add(w, &item);
}

static void compare_steps(struct work *w)
{
    const struct steps *s = &w->d->steps;
    double spare = explained_ns(w) + w->odd_ns;
    struct ways by;

    if (find_ways(w, &by)) {
        w->rc = -1;
        return;
    }
    for (uint32_t i = 0; i < s->nrows; i++) {
        const struct steps_row *row = &s->row[i];

        if (is_compared(w, row, true))
            compare_side(w, i, true, &spare);
        if (!row->of[0].n != !row->of[1].n)
            compare_order(w, &by, i);
    }
    free(by.named);
    for (size_t i = 0; i < w->d->n; i++)
        if (w->d->item[i].kind != RUNDIFF_ORDER)
            spare += fabs(w->d->item[i].cost_ns);
    for (uint32_t i = 0; i < s->nrows; i++)
        if (is_compared(w, &s->row[i], false))
            compare_side(w, i, false, &spare);
}

/* --------------------------------------------------------------------- all */

static int by_cost(const void *a, const void *b)
{
    const struct rundiff_item *p = a, *q = b;
    double x = fabs(p->cost_ns), y = fabs(q->cost_ns);

    if (x != y)
        return x > y ? -1 : 1;
    if (p->kind != q->kind)
        return p->kind < q->kind ? -1 : 1;
    return p->site + (uint64_t)p->row < q->site + (uint64_t)q->row ? -1 : 1;
}

int rundiff_init(struct rundiff *d, const struct rundiff_run *runs, unsigned n,
                 struct err *err)
{
    const struct jobmodel *models[STEPS_RUNS];
    struct work w = { .d = d, .run = runs, .n = n };

    *d = (struct rundiff){ 0 };
    for (unsigned r = 0; r < n; r++)
        models[r] = runs[r].model;
    if (steps_init(&d->steps, models, n, err))
        return -1;
    w.matters_ns = fmax(SHARE * fmin(runs[0].wall_ns, runs[1].wall_ns),
                        LEAST_NS);
    find_factors(&w);
    w.matters_ns *= 1 + BUSY * fmax(d->starved[0], d->starved[1]);
    compare_calls(&w);
    compare_all_tasks(&w);
    compare_calls_of_tasks(&w);
    compare_steps(&w);
    taskset_fini(&w.odd);
    if (d->n)
        qsort(d->item, d->n, sizeof(*d->item), by_cost);
    if (w.rc == 0)
        return 0;
    rundiff_fini(d);
    return err_memory(err);
}

void rundiff_fini(struct rundiff *d)
{
    for (size_t i = 0; i < d->n; i++)
        taskset_fini(&d->item[i].tasks);
    free(d->item);
    steps_fini(&d->steps);
    *d = (struct rundiff){ 0 };
}
