/* diff.c - hector diff: in what one run of a program differs from another, or
 * from the last one that went well. See rundiff.h for what counts as a
 * difference. */
#include "master/hector/diff/diff.h"

#include <errno.h>
#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "master/hector/core/human.h"
#include "master/hector/core/json.h"
#include "master/hector/core/target.h"
#include "master/hector/diff/run.h"
#include "master/hector/diff/rundiff.h"
#include "master/hector/diff/say.h"
#include "master/store/query.h"

enum { GOOD_RUNS = STEPS_RUNS - 2 };    /* beside the two */

struct options { uint64_t count; };
static const struct options defaults;
static const struct args_option options[] = {
    { NULL, "n count", ARGS_VALUE, "N", "the first N",
      args_u64, offsetof(struct options, count), 1, INT32_MAX },
};

/* Two runs, and good ones that show how much the program varies. */
struct pair {
    struct run run[STEPS_RUNS];
    unsigned n;
    bool chosen;                /* run 1 by us */
    bool other;                 /* they are of different programs */
    struct rundiff diff;
};

static void pair_fini(struct pair *p)
{
    for (unsigned i = 0; i < p->n; i++)
        run_fini(&p->run[i]);
    rundiff_fini(&p->diff);
    free(p);
}

/* ----------------------------------------------------------------- loading */

static int on_like(void *arg, const struct store_run *row)
{
    *(uint64_t *)arg = row->job;
    return 1;
}

/* None is the same: perhaps one is nearly so. */
static int none_to_compare(struct store *st, const struct run *r,
                           struct err *err)
{
    uint64_t like = 0;

    if (r->what)
        query_like_runs(st, r->what, r->job, 1, on_like, &like, NULL);
    if (like)
        return err_set(err, ESRCH, "no run of the same build on as many tasks"
                       " went well before job %" PRIu64 "; job %" PRIu64 " was"
                       " another one with the same arguments: hector diff %"
                       PRIu64 " %" PRIu64, r->job, like, r->job, like);
    return err_set(err, ESRCH, "no run of the same program went well before"
                   " job %" PRIu64 ": say what it is to be compared with",
                   r->job);
}

static int load_good(struct pair *p, struct store *st)
{
    uint64_t jobs[GOOD_RUNS], first = p->run[0].job, second = p->run[1].job;
    uint64_t last = first > second ? first : second;
    unsigned n = run_good(st, p->run[1].program, last, second, jobs, GOOD_RUNS);

    for (unsigned i = 0; i < n; i++) {
        if (jobs[i] == first)
            continue;
        if (run_load(&p->run[p->n], st, NULL, jobs[i], NULL) == 0)
            p->n++;
        else
            run_fini(&p->run[p->n]);
    }
    return 0;
}

static bool other_program(const struct setup_run r[2])
{
    const char *a = r[0].builds, *b = r[1].builds;

    return a && b && strcspn(a, " ") && (strcspn(a, " ") != strcspn(b, " ") ||
           strncmp(a, b, strcspn(a, " ")) != 0);
}

/* against 0: to be chosen. */
static int pair_load(struct pair *p, struct store *st, const struct tool *t,
                     uint64_t job, uint64_t against, struct err *err)
{
    struct rundiff_run figures[STEPS_RUNS];
    struct setup_run setup[2];

    p->n = 1;
    if (run_load(&p->run[0], st, t, job, err))
        return -1;
    if (!against) {
        p->chosen = true;
        if (run_good(st, p->run[0].program, job, job, &against, 1) == 0)
            return none_to_compare(st, &p->run[0], err);
    }
    p->n = 2;
    if (run_load(&p->run[1], st, t, against, err))
        return -1;
    load_good(p, st);
    for (unsigned i = 0; i < 2; i++)
        setup[i] = run_setup(&p->run[i]);
    p->other = other_program(setup);
    for (unsigned i = 0; i < p->n; i++)
        figures[i] = run_figures(&p->run[i]);
    return rundiff_init(&p->diff, figures, p->n, err);
}

/* ------------------------------------------------------------------- notes */

static void note_state(const struct run *r, struct str *out)
{
    if (r->runs)
        str_addf(out, "job %" PRIu64 " has not ended: what there is of it so"
                 " far is compared\n", r->job);
    else if (!r->good && strcmp(r->state, "done") != 0)
        str_addf(out, "job %" PRIu64 " %s%s%s\n", r->job,
                 strcmp(r->state, "killed") == 0 ? "was killed" : "failed",
                 r->why ? ": " : "", r->why ? r->why : "");
    for (size_t i = 0; i < r->message->n_notes; i++)
        str_addf(out, "job %" PRIu64 " [%s]: %s\n", r->job,
                 r->message->notes[i]->ranks, r->message->notes[i]->text);
}

static void notes_of(const struct pair *p, struct str *out)
{
    for (unsigned i = 0; i < 2; i++)
        note_state(&p->run[i], out);
    if (p->other)
        str_addf(out, "job %" PRIu64 " is of another program: what both have"
                 " is compared\n", p->run[1].job);
    if (p->diff.steps.by_name)
        str_add(out, "the builds differ: places are the same whose functions"
                " have the same names\n");
    if (p->diff.blind)
        str_addf(out, "tasks were ready and had no processor for %.0f %% of"
                 " their time (job %" PRIu64 ": %.0f %%): that is left out, and"
                 " how long they waited for others is not compared\n",
                 100 * p->diff.starved[0], p->run[1].job,
                 100 * p->diff.starved[1]);
}

/* ------------------------------------------------------------- for people */

static void print(const char *text)
{
    char line[4096];

    str_visible(line, sizeof(line), text, strlen(text));
    puts(line);
}

static void print_lines(struct str *s)
{
    char *text = str_take(s), *at = text, *end;

    for (; at && *at; at = end + 1) {
        end = strchrnul(at, '\n');
        if (!*end) {
            print(at);
            break;
        }
        *end = '\0';
        print(at);
    }
    free(text);
}

struct walls { double least, most; unsigned n; };

static struct walls walls_of(const struct run *r, unsigned n)
{
    struct walls w = { INFINITY, 0, 0 };

    for (unsigned i = 0; i < n; i++)
        if (r[i].wall_ns > 0) {
            w.least = fmin(w.least, r[i].wall_ns);
            w.most = fmax(w.most, r[i].wall_ns);
            w.n++;
        }
    return w;
}

static void print_head(const struct pair *p)
{
    struct walls w = walls_of(p->run + 1, p->n - 1);
    char a[HUMAN_MAX], b[HUMAN_MAX];

    printf("job %" PRIu64 " against job %" PRIu64 "%s\n", p->run[0].job,
           p->run[1].job, p->chosen
           ? ", the last good run of the same program before it" : "");
    printf("job %" PRIu64 " took %s, job %" PRIu64 " %s", p->run[0].job,
           human_duration(a, (int64_t)p->run[0].wall_ns), p->run[1].job,
           human_duration(b, (int64_t)p->run[1].wall_ns));
    if (w.n > 1)
        printf("; %u good runs took %s to %s", w.n,
               human_duration(a, (int64_t)w.least),
               human_duration(b, (int64_t)w.most));
    puts("");
}

/* Rows, for people or for programs. */
struct rows {
    uint64_t n, most;           /* said, and to be said; 0: all */
    uint64_t all;
    bool late;                  /* which half of what setup_compare() gives */
    json_t *json;               /* borrowed; NULL: for people */
};

static bool is_said(struct rows *r)
{
    r->all++;
    if (r->most && r->n == r->most)
        return false;
    r->n++;
    return true;
}

static void print_row(struct rows *r, double cost_ns, const struct str *text)
{
    char cost[HUMAN_MAX], line[4200];

    if (r->n == 1)
        puts("\n    COST DIFFERENCE");
    if (cost_ns)
        human_duration(cost, (int64_t)cost_ns);
    str_visible(line, sizeof(line), str_text(text), text->n);
    printf("%8s %s\n", cost_ns ? cost : "-", line);
}

static void on_setup(void *arg, enum setup_kind kind, const char *was,
                     const char *is)
{
    struct rows *r = arg;
    struct str text = { 0 };
    json_t *j;

    if ((kind >= SETUP_FIRST_LATE) != r->late || !is_said(r))
        return;
    say_setup(kind, was, is, &text);
    if (r->json) {
        j = json_object();
        json_object_set_new(j, "kind", json_string(setup_name(kind)));
        json_object_set_new(j, "is", is ? json_name(is) : json_null());
        json_object_set_new(j, "was", was ? json_name(was) : json_null());
        json_object_set_new(j, "text", json_name(str_text(&text)));
        json_array_append_new(r->json, j);
    } else {
        print_row(r, 0, &text);
    }
    str_fini(&text);
}

static void say_rows(const struct pair *p, struct rows *r)
{
    const struct say s = { p->run, &p->diff };
    struct setup_run setup[2] = { run_setup(&p->run[0]),
                                  run_setup(&p->run[1]) };

    r->late = false;
    setup_compare(setup, on_setup, r);
    for (size_t i = 0; i < p->diff.n; i++) {
        const struct rundiff_item *item = &p->diff.item[i];
        struct str text = { 0 };

        if (!is_said(r))
            continue;
        if (r->json) {
            json_array_append_new(r->json, say_item_json(&s, item));
        } else {
            say_item(&s, item, &text);
            print_row(r, item->cost_ns, &text);
        }
        str_fini(&text);
    }
    r->late = true;
    setup_compare(setup, on_setup, r);
}

static void answer_people(const struct pair *p, struct rows *r)
{
    struct str notes = { 0 };

    print_head(p);
    notes_of(p, &notes);
    print_lines(&notes);
    say_rows(p, r);
    if (r->n < r->all)
        printf("and %" PRIu64 " more\n", r->all - r->n);
    if (!r->all)
        puts("they differ in nothing, but for what runs of this program vary"
             " by");
}

/* ------------------------------------------------------------ for programs */

static json_t *run_json(const struct run *r)
{
    json_t *j = json_object();

    json_object_set_new(j, "job", json_integer((json_int_t)r->job));
    json_object_set_new(j, "state", json_name(r->state));
    json_object_set_new(j, "tasks", json_integer(r->ntasks));
    json_object_set_new(j, "wall_ns", json_real(r->wall_ns));
    return j;
}

static void answer_programs(const struct pair *p, struct rows *r)
{
    json_t *j = json_object(), *good = json_array();
    struct str notes = { 0 };

    r->json = json_array();
    say_rows(p, r);
    for (unsigned i = 1; i < p->n; i++)
        json_array_append_new(good, run_json(&p->run[i]));
    notes_of(p, &notes);
    json_object_set_new(j, "run", run_json(&p->run[0]));
    json_object_set_new(j, "against", good);
    json_object_set_new(j, "starved", json_real(p->diff.starved[0]));
    json_object_set_new(j, "notes", json_name(str_text(&notes)));
    json_object_set_new(j, "differences", r->json);
    json_dumpf(j, stdout, JSON_INDENT(1));
    puts("");
    json_decref(j);
    str_fini(&notes);
}

static int answer(const struct tool *t, const struct pair *p)
{
    const struct options *o = t->own;
    struct rows r = { .most = o->count };

    if (t->json)
        answer_programs(p, &r);
    else
        answer_people(p, &r);
    if (fflush(stdout))
        return tool_complain(TOOL_FAILED, "cannot write: %s", strerror(errno));
    return r.all ? DIFF_FOUND : 0;
}

/* ----------------------------------------------------------------- command */

static int parse_jobs(const struct tool *t, uint64_t jobs[2], struct err *err)
{
    for (int i = 0; i < t->nwords; i++) {
        struct target target;

        if (target_parse(&target, t->words[i], err))
            return -1;
        jobs[i] = target.job;
        if (!target.all) {
            target_fini(&target);
            return err_set(err, EINVAL, "%s: jobs are compared as a whole",
                           t->words[i]);
        }
    }
    return jobs[0] == jobs[1]
        ? err_set(err, EINVAL, "%s is the same job as %s: there is nothing to"
                  " compare", t->words[0], t->words[1]) : 0;
}

static int run_diff(const struct tool *t)
{
    struct pair *p;
    struct store *st;
    uint64_t jobs[2] = { 0, 0 };
    struct err err;
    int status = TOOL_FAILED;

    if (t->nwords != 1 && t->nwords != 2)
        return tool_complain(TOOL_USAGE, "diff wants a JOB, or two");
    if (parse_jobs(t, jobs, &err))
        return tool_complain(TOOL_USAGE, "%s", err.text);
    st = tool_open_store(t);
    p = st ? calloc(1, sizeof(*p)) : NULL;
    if (st && !query_has(st, STORE_TABLE_run))
        tool_complain(TOOL_FAILED, "this database is of a version that did not"
                      " keep what can be compared");
    else if (p && pair_load(p, st, t, jobs[0], jobs[1], &err))
        tool_complain(TOOL_FAILED, "%s", err.text);
    else if (p)
        status = answer(t, p);
    if (p)
        pair_fini(p);
    store_close(st);
    return status;
}

const struct command diff_command = {
    "diff", "JOB [JOB]", "in what a run differs from a good one",
    COMMAND_OPTIONS(options, defaults), run_diff
};

/* ---------------------------------------------------------- for hector why */

/* A margin that good runs alone do not reach; of few more. */
static bool is_slow(const struct run *r, const struct walls *good)
{
    double margin = fmax(0.1 * good->most, 2 * (good->most - good->least));

    return good->n > 1 && r->wall_ns > good->most + fmax(margin, 2e8);
}

static void add_cause(struct str *to, struct store *st, uint64_t job)
{
    struct pair *p = calloc(1, sizeof(*p));
    const struct rundiff_item *first;
    char cost[HUMAN_MAX];

    if (!p)
        return;
    if (pair_load(p, st, NULL, job, 0, NULL) == 0 && p->diff.n &&
        (first = &p->diff.item[0])->cost_ns > 0) {
        const struct say s = { p->run, &p->diff };

        str_addf(to, ": %s, ", human_duration(cost, (int64_t)first->cost_ns));
        say_item(&s, first, to);
    }
    pair_fini(p);
}

void diff_of_slow_job(struct str *to, struct store *st, uint64_t job)
{
    struct run r = { 0 }, good[GOOD_RUNS];
    uint64_t jobs[GOOD_RUNS];
    char took[HUMAN_MAX], least[HUMAN_MAX], most[HUMAN_MAX];
    unsigned n = 0, have = 0;
    struct walls w;

    if (run_load_brief(&r, st, job, NULL) == 0 && !r.runs)
        n = run_good(st, r.program, job, job, jobs, GOOD_RUNS);
    for (unsigned i = 0; i < n; i++)
        if (run_load_brief(&good[have], st, jobs[i], NULL) == 0)
            have++;
    w = walls_of(good, have);
    if (is_slow(&r, &w)) {
        str_addf(to, "it took %s, longer than any of %u good runs before it,"
                 " %s to %s", human_duration(took, (int64_t)r.wall_ns), w.n,
                 human_duration(least, (int64_t)w.least),
                 human_duration(most, (int64_t)w.most));
        add_cause(to, st, job);
        str_addf(to, " (hector diff %" PRIu64 ")\n", job);
    }
    for (unsigned i = 0; i < have; i++)
        run_fini(&good[i]);
    run_fini(&r);
}
