/* outliers.c - see outliers.h.
 *
 * Of a job that runs its policy is asked, and what that finds read from the
 * database, as what was found of one that is over. */
#include "master/hector/why/outliers.h"

#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "master/hector/core/answer.h"
#include "master/hector/core/askpolicy.h"
#include "master/hector/core/human.h"
#include "master/hector/core/moment.h"
#include "master/hector/model/model_ask.h"
#include "master/hector/why/why_options.h"
#include "policies/hct_policy.h"
#include "proto/base/clock.h"
#include "proto/base/parse.h"

enum { TOP = 5, WAIT_S = 40, CHECK_S = 2,
       LEAST_TASKS = 4 };       /* fewer nobody compares: HABITS_LEAST */
static const uint64_t places_ns = 3 * CLOCK_NS_PER_S;

static const char *const methods[] = { "polish", "stands", "inside",
                                       "neighbour", "cluster" };

static const struct table_column tasks[] = {
    { "METHOD", TABLE_TEXT, NULL }, { "PLACE", TABLE_NUMBER, NULL },
    { "TASK", TABLE_NUMBER, NULL }, { "SCORE", TABLE_ANY, NULL },
    { "CLUSTER", TABLE_NUMBER, NULL }, { "COSTS", TABLE_DURATION, NULL },
    { "STEP", TABLE_WIDE, NULL } };
static const struct table_column steps[] = {
    { "PLACE", TABLE_NUMBER, NULL }, { "TASK", TABLE_NUMBER, NULL },
    { "FROM", TABLE_TEXT, NULL }, { "FILE", TABLE_WIDE, NULL },
    { "LINE", TABLE_NUMBER, NULL }, { "TO", TABLE_TEXT, NULL },
    { "FILE", TABLE_WIDE, NULL }, { "LINE", TABLE_NUMBER, NULL },
    { "TIMES", TABLE_NUMBER, NULL }, { "IN", TABLE_DURATION, NULL },
    { "NORMAL", TABLE_DURATION, NULL }, { "BEHIND", TABLE_DURATION, NULL },
    { "NORMAL", TABLE_DURATION, NULL }, { "SCORE", TABLE_ANY, NULL } };

struct wanted {
    uint64_t job, top;
    const char *method;         /* NULL: of each */
    const char *phase;          /* NULL: of none by itself; as text has it */
    char text[16];
    bool since;                 /* since_ns */
    uint64_t since_ns;
    struct askpolicy_when when; /* the same, for who is asked */
};

/* One time that they were compared. */
struct compared { uint64_t at_ns, since_ns; char phase[16]; };

/* ---------------------------------------------------------------- comparisons */

static uint64_t number_of(const struct store_value *v)
{
    return v->type == STORE_INT ? (uint64_t)v->i : 0;
}

static int on_compared(void *arg, int ncols, const char *const *names,
                       const struct store_value *v)
{
    struct compared *c = arg;

    (void)ncols, (void)names;
    c->at_ns = number_of(&v[0]);
    c->since_ns = number_of(&v[2]);
    snprintf(c->phase, sizeof(c->phase), "%s",
             v[1].type == STORE_TEXT ? v[1].text : "");
    return 0;
}

static int find_last(struct store *st, const struct wanted *w,
                     enum query_compared_in in, uint64_t after_ns,
                     struct compared *c, struct err *err)
{
    const struct query_rows to = { NULL, on_compared, c };

    *c = (struct compared){ .at_ns = 0 };
    return query_compared_last(st, w->job, in, w->phase, after_ns, &to, err);
}

static int on_number(void *arg, int ncols, const char *const *names,
                     const struct store_value *v)
{
    (void)ncols, (void)names;
    *(uint64_t *)arg = number_of(&v[0]);
    return 0;
}

/* Has all that will be shown a place in the source? */
static bool has_places(struct store *st, const struct wanted *w, uint64_t at_ns)
{
    const struct query_compared c = { w->job, at_ns, w->top, NULL };
    uint64_t bare = 0;
    const struct query_rows to = { NULL, on_number, &bare };

    return query_steps_bare(st, &c, &to, NULL) || bare == 0;
}

/* Places come a little later, or never. */
static void wait_for_places(struct store *st, const struct wanted *w,
                            uint64_t at_ns)
{
    uint64_t began = clock_monotonic_ns();

    while (!has_places(st, w, at_ns) &&
           clock_monotonic_ns() - began < places_ns)
        askpolicy_nap();
}

/* ---------------------------------------------------- are there enough tasks? */

static uint32_t tasks_of(const Hct__Model *m, const Hct__Model__Phase *p)
{
    const Hct__Model__Set *s = p->set < m->n_sets ? m->sets[p->set] : NULL;
    uint32_t n = 0;

    for (size_t i = 1; s && i < s->n_range; i += 2)
        n += s->range[i] + 1;
    return n;
}

static bool is_wanted(const Hct__Model__Phase *p, const struct wanted *w)
{
    return !w->phase ? true
           : p->merged ? w->when.phase == HCT_PHASES_OVER
                       : w->when.phase == p->number;
}

/* Do enough tasks have a model, of the phase by itself? Who compares them would
 * not answer, and nobody is to wait for that. */
static int check_tasks(const struct tool *t, const struct wanted *w,
                       struct err *err)
{
    const struct target all = { .job = w->job, .all = true };
    Hct__Model *m = model_ask(t, &all, t->words[0],
                              &(struct model_how){ .window = 0 }, err);
    uint32_t n = 0;

    if (!m)
        return -1;
    for (size_t i = 0; i < m->n_phases; i++) {
        uint32_t has = is_wanted(m->phases[i], w) ? tasks_of(m, m->phases[i]) : 0;

        n = has > n ? has : n;
    }
    hct__model__free_unpacked(m, NULL);
    if (n >= LEAST_TASKS)
        return 0;
    if (!w->phase && !n)
        return err_set(err, ESRCH, "no task has a model to be compared: none has "
                       "called MPI yet, or not by way of the wrapper library");
    if (!w->phase)
        return err_set(err, ESRCH, "only %u of the tasks have a model: who is "
                       "odd is not to be said of less than %d", n, LEAST_TASKS);
    if (n)
        return err_set(err, ESRCH, "only %u of the tasks have phase %s by "
                       "itself: who is odd is not to be said of less than %d",
                       n, w->phase, LEAST_TASKS);
    return w->when.phase == HCT_PHASES_OVER
        ? err_set(err, ESRCH, "no phases are merged into earlier ones yet")
        : err_set(err, ESRCH, "there is no phase %s, or not any more by "
                  "itself; see hector model %" PRIu64 " --phases", w->phase,
                  w->job);
}

/* ------------------------------------------------------------------- asking */

static int ask(const struct tool *t, struct store *st, const struct wanted *w,
               struct compared *c, struct err *err)
{
    enum query_compared_in in = w->phase ? QUERY_PHASE
                                : w->since ? QUERY_SINCE : QUERY_ALL_TIME;
    uint64_t before, began = clock_monotonic_ns();
    bool checked = w->phase != NULL;

    if (checked && check_tasks(t, w, err))
        return -1;
    if (find_last(st, w, in, 0, c, err))
        return -1;
    before = c->at_ns;
    if (askpolicy(t, w->job, "outlier", &w->when, err))
        return -1;
    for (;;) {
        uint64_t waited_ns = clock_monotonic_ns() - began;

        if (find_last(st, w, in, before + 1, c, err))
            return -1;
        if (c->at_ns)
            break;
        if (!checked && waited_ns > CHECK_S * CLOCK_NS_PER_S) {
            checked = true;
            if (check_tasks(t, w, err))
                return -1;
        }
        if (waited_ns > WAIT_S * CLOCK_NS_PER_S)
            return err_set(err, ETIMEDOUT, "no answer came within %d s: too "
                           "few tasks have models, a slave may not answer, or "
                           "the job is over", WAIT_S);
        askpolicy_nap();
    }
    wait_for_places(st, w, c->at_ns);
    return 0;
}

/* ------------------------------------------------------------------ finding */

/* Of a job that is over: what is kept. */
static int find_kept(struct store *st, const struct wanted *w,
                     struct compared *c, struct err *err)
{
    enum query_compared_in in = w->phase ? QUERY_PHASE
                                : w->since ? QUERY_ANY : QUERY_ALL_TIME;
    char since[HUMAN_MAX];

    if (find_last(st, w, in, w->since_ns, c, err))
        return -1;
    if (!c->at_ns && in == QUERY_ALL_TIME &&
        find_last(st, w, QUERY_ANY, 0, c, err))
        return -1;
    if (c->at_ns)
        return 0;
    if (w->since)
        return err_set(err, ENOENT, "the tasks of job %" PRIu64 " were not "
                       "compared after %s, and it is over", w->job,
                       human_time(since, w->since_ns, clock_wall_ns()));
    if (w->phase)
        return err_set(err, ENOENT, "nothing is kept of phase %s of job %"
                       PRIu64 ": nobody was found odd when it was over, or it "
                       "was too short", w->phase, w->job);
    return err_set(err, ENOENT, "the tasks of job %" PRIu64 " were not "
                   "compared: policy outlier did not watch it, or has found "
                   "nobody, and nobody has asked", w->job);
}

/* Of now, if the job runs. */
static int find(const struct tool *t, struct store *st, const struct wanted *w,
                struct compared *c, struct err *err)
{
    bool ended;

    if (query_job_ended(st, w->job, &ended, err))
        return -1;
    if (ended)
        return find_kept(st, w, c, err);
    return ask(t, st, w, c, err);
}

/* ------------------------------------------------------------------ showing */

static int show_tasks(const struct tool *t, struct store *st,
                      const struct query_compared *c, struct err *err)
{
    struct answer a;

    answer_begin(&a, t, tasks);
    return answer_end(&a, query_outliers(st, c, &a.rows, &a.why), NULL, err);
}

static int show_steps(const struct tool *t, struct store *st,
                      const struct query_compared *c, struct err *err)
{
    struct answer a;

    answer_begin(&a, t, steps);
    return answer_end(&a, query_steps(st, c, &a.rows, &a.why), NULL, err);
}

static void title_json(const struct compared *c)
{
    printf("{\"at_ns\":%" PRIu64 ",\"phase\":", c->at_ns);
    if (*c->phase)
        printf("\"%s\"", c->phase);
    else
        fputs("null", stdout);
    fputs(",\"since_ns\":", stdout);
    if (c->since_ns)
        printf("%" PRIu64, c->since_ns);
    else
        fputs("null", stdout);
    fputs(",\"outliers\":", stdout);
}

static void title(const struct wanted *w, const struct compared *c)
{
    char at[HUMAN_MAX], since[HUMAN_MAX];
    uint64_t now_ns = clock_wall_ns();

    printf("job %" PRIu64 " at %s", w->job, human_time(at, c->at_ns, now_ns));
    if (strcmp(c->phase, "earlier") == 0)
        fputs(", in earlier phases", stdout);
    else if (*c->phase)
        printf(", in phase %s", c->phase);
    if (c->since_ns)
        printf(", since %s", human_time(since, c->since_ns, now_ns));
    puts("");
}

static int on_remark(void *arg, int ncols, const char *const *names,
                     const struct store_value *v)
{
    bool *any = arg;

    (void)ncols, (void)names;
    if (v[0].type == STORE_TEXT)
        printf("%s%s\n", *any ? "" : "\n", v[0].text);
    *any = true;
    return 0;
}

/* Behind all: there they are read first. */
static int show_remarks(const struct tool *t, struct store *st,
                        const struct query_compared *c, struct err *err)
{
    bool any = false;
    const struct query_rows to = { NULL, on_remark, &any };
    struct answer a;

    if (!t->json)
        return query_remarks(st, c, &to, err);
    fputs(",\"remarks\":", stdout);
    answer_begin(&a, t, NULL);
    return answer_end(&a, query_remarks(st, c, &a.rows, &a.why), NULL, err);
}

static int show(const struct tool *t, struct store *st, const struct wanted *w,
                const struct compared *c, struct err *err)
{
    const struct query_compared is = { w->job, c->at_ns, w->top, w->method };
    bool all = !w->method || strcmp(w->method, "polish") == 0 ||
               strcmp(w->method, "stands") == 0 || strcmp(w->method, "inside") == 0;
    int rc;

    if (t->json)
        title_json(c);
    else
        title(w, c);
    rc = show_tasks(t, st, &is, err);
    if (rc == 0 && (all || t->json)) {
        fputs(t->json ? ",\"steps\":" : "\n", stdout);
        rc = show_steps(t, st, &is, err);
    }
    if (rc == 0)
        rc = show_remarks(t, st, &is, err);
    if (t->json)
        puts("}");
    return rc;
}

/* ------------------------------------------------------------------ options */

static int take_method(struct wanted *w, const char *method)
{
    bool known = !method || strcmp(method, "all") == 0;

    w->method = known ? NULL : method;
    for (size_t i = 0; i < sizeof(methods) / sizeof(methods[0]); i++)
        known = known || strcmp(method, methods[i]) == 0;
    return known ? 0
        : tool_complain(TOOL_USAGE, "--method: \"%.40s\" is not cluster, "
                        "neighbour, polish, stands, inside or all", method);
}

static int take_phase(struct wanted *w, const char *phase)
{
    uint64_t n = HCT_PHASES_OVER;

    if (!phase)
        return 0;
    if (strcmp(phase, "earlier") != 0 &&
        parse_u64(&n, phase, 0, HCT_PHASES_OVER - 1, NULL))
        return tool_complain(TOOL_USAGE, "--phase wants the number of a phase,"
                             " or \"earlier\"; see hector model --phases");
    snprintf(w->text, sizeof(w->text), "%s", phase);
    if (n != HCT_PHASES_OVER)
        snprintf(w->text, sizeof(w->text), "%" PRIu64, n);
    w->phase = w->text;
    w->when = (struct askpolicy_when){ HCT_WINDOW_PHASE, (uint32_t)n, 0 };
    return 0;
}

static int take_since(struct wanted *w, const char *since)
{
    uint64_t now_ns = clock_wall_ns();
    struct err err;

    if (!since)
        return 0;
    if (moment_parse(&w->since_ns, since, now_ns, &err))
        return tool_complain(TOOL_USAGE, "--since: %s", err.text);
    w->since = true;
    w->when = (struct askpolicy_when){ HCT_WINDOW_LAST, 0,
                                       now_ns - w->since_ns };
    return 0;
}

int outliers_show(const struct tool *t, struct store *st, uint64_t job)
{
    const struct why_options *o = t->own;
    struct wanted w = { .job = job, .top = o->top ? o->top : TOP };
    struct compared c;
    struct err err;

    if (take_method(&w, o->method) || take_phase(&w, o->phase) ||
        take_since(&w, o->since))
        return TOOL_USAGE;
    if (find(t, st, &w, &c, &err) || show(t, st, &w, &c, &err))
        return tool_complain(TOOL_FAILED, "%s", err.text);
    return 0;
}
