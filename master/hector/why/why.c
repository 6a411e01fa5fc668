/* why.c - hector why: what policies have found about a job, and what was done
 * about it. */
#include "master/hector/why/why.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "master/hector/behind/behind_show.h"
#include "master/hector/core/answer.h"
#include "master/hector/core/human.h"
#include "master/hector/core/target.h"
#include "master/hector/diff/diff.h"
#include "master/hector/stack/stack_draw.h"
#include "master/hector/stack/stack_last.h"
#include "master/hector/why/batchjob.h"
#include "master/hector/why/decides.h"
#include "master/hector/why/lasttags.h"
#include "master/hector/why/masterof.h"
#include "master/hector/why/moves.h"
#include "master/hector/why/outliers.h"
#include "master/hector/why/rungs.h"
#include "master/hector/why/saved.h"
#include "master/hector/why/slices.h"
#include "master/hector/why/standing.h"
#include "master/hector/why/why_options.h"
#include "proto/base/clock.h"
#include "proto/base/parse.h"
#include "proto/base/str.h"

enum { CLASSES = 8 };           /* of a tree that are shown */

static const struct why_options defaults;

#define OPTION(f) offsetof(struct why_options, f)
static const struct args_option options[] = {
    { NULL, "slice", ARGS_NONE, NULL,
      "the lines that decide that task RANK, or the one that is behind, is there",
      args_flag, OPTION(slice), 0, 0 },
    { NULL, "n next", ARGS_VALUE, "N",
      "... the N-th of those who are behind (1)", args_u64, OPTION(next), 1, INT32_MAX },
    { NULL, "outliers", ARGS_NONE, NULL, "the tasks that are furthest from their "
      "like; now, if it runs", args_flag, OPTION(outliers), 0, 0 },
    { NULL, "k top", ARGS_VALUE, "N",
      "... so many of each method (5); of a slice so many lines (40 % of the "
      "path, 20 at least)",
      args_u64, OPTION(top), 1, 1000 },
    { NULL, "method", ARGS_VALUE, "NAME", "... of that one: cluster, neighbour "
      "or polish (all)", args_text, OPTION(method), 0, 0 },
    { NULL, "phase", ARGS_VALUE, "P", "... in this phase; or in those "
      "\"earlier\"", args_text, OPTION(phase), 0, 0 },
    { NULL, "since", ARGS_VALUE, "TIME", "... since then: \"14:03\", or 5m, so "
      "long ago", args_text, OPTION(since), 0, 0 },
    { NULL, "progress", ARGS_NONE, NULL, "who has made the least progress; now, "
      "if it runs", args_flag, OPTION(progress), 0, 0 },
    { NULL, "dot", ARGS_NONE, NULL, "... for Graphviz",
      args_flag, OPTION(dot), 0, 0 },
    { NULL, "svg", ARGS_NONE, NULL, "... as a picture",
      args_flag, OPTION(svg), 0, 0 },
    { NULL, "html", ARGS_NONE, NULL, "... as a page",
      args_flag, OPTION(html), 0, 0 },
};

static void say_lines(const char *indent, const char *text)
{
    char line[4096];
    const char *end;

    for (; *text; text = *end ? end + 1 : end) {
        end = strchrnul(text, '\n');
        str_visible(line, sizeof(line), text, (size_t)(end - text));
        printf("%s%s\n", indent, line);
    }
}

static const char *text_of(const char *text)
{
    return text ? text : "";
}

struct rows { struct store *st; uint64_t job; unsigned long n, verdicts; };

/* Where all tasks were, if that was looked for. */
static void say_stacks(const struct rows *r, uint64_t seq)
{
    Hct__CallTree *m = stack_of_verdict(r->st, r->job, seq);
    struct stack_text_style style = { 0 };
    struct str out = { 0 };
    struct callview v;

    if (!m)
        return;
    if (callview_init(&v, m, true, NULL) == 0) {
        v.title = "stacks";
        stack_draw_classes(&out, &v, &style, CLASSES);
        if (v.classes.n > CLASSES)
            str_addf(&out, "... and %u classes more\n",
                     v.classes.n - CLASSES);
        say_lines("  ", str_text(&out));
        callview_fini(&v);
    }
    str_fini(&out);
    hct__call_tree__free_unpacked(m, NULL);
}

static int on_found(void *arg, const struct query_found *f)
{
    struct rows *rows = arg;
    char at[HUMAN_MAX], head[2000];

    rows->n++;
    human_time(at, f->at_ns, clock_wall_ns());
    if (!f->action) {
        rows->verdicts++;
        snprintf(head, sizeof(head), "%s %s: ", at, text_of(f->policy));
        fputs(head, stdout);
        say_lines("", text_of(f->report));
        if (f->seq.known)
            say_stacks(rows, (uint64_t)f->seq.v);
    } else {
        snprintf(head, sizeof(head), "%s %s%s%s by %s, %s: %s", at, f->action,
                 *text_of(f->ranks) ? " " : "", text_of(f->ranks),
                 text_of(f->by), text_of(f->result), text_of(f->why));
        say_lines("", head);
    }
    return 0;
}

static int on_job(void *arg, const struct store_job *job)
{
    snprintf(arg, 400, "%s%s%s", text_of(job->state), job->why ? ": " : "",
             text_of(job->why));
    return 0;
}

static int checkpoints(struct store *st, uint64_t job,
                       const struct query_rows *to, struct err *err)
{
    return query_checkpoints(st, &(struct query_which){ .job = job }, to, err);
}

/* Of each task of which there is one the last one. */
static int slices(struct store *st, uint64_t job, const struct query_rows *to,
                  struct err *err)
{
    return query_slice_heads(st, job, INT32_MAX, INT32_MAX, to, err);
}

/* What programs are told. */
static int tell_programs(const struct tool *t, struct store *st, uint64_t job,
                         struct err *err)
{
    static const struct {
        const char *name;
        int (*rows)(struct store *st, uint64_t job, const struct query_rows *to,
                    struct err *err);
    } lists[] = {
        { "{\"verdicts\":", query_verdicts },
        { ",\"slices\":", slices },
        { ",\"checkpoints\":", checkpoints },
        { ",\"returns\":", query_return_rows },
        { ",\"moves\":", query_move_rows },
        { ",\"runs\":", query_run_rows },
        { ",\"ladder\":", query_rung_rows },
    };
    int rc = 0;

    for (size_t i = 0; i < sizeof(lists) / sizeof(lists[0]) && rc == 0; i++) {
        struct answer a;

        fputs(lists[i].name, stdout);
        answer_begin(&a, t, NULL);
        rc = answer_end(&a, lists[i].rows(st, job, &a.rows, &a.why), NULL, err);
    }
    puts("}");
    return rc;
}

static int ask(const struct tool *t, struct store *st,
               const struct target *target, struct err *err)
{
    struct rows rows = { st, target->job, 0, 0 };
    struct str more = { 0 };
    const struct query_which which = { .job = target->job };
    char job[400] = "", line[1600];

    if (!query_has(st, STORE_TABLE_look))
        return err_set(err, 0, "this database knows no verdicts");
    if (query_job(st, target->job, on_job, job, err))
        return -1;
    if (!*job)
        return err_set(err, 0, "there is no job %" PRIu64, target->job);
    if (t->json)
        return tell_programs(t, st, target->job, err);
    if (query_found(st, target->job, on_found, &rows, err))
        return -1;
    str_visible(line, sizeof(line), job, strlen(job));
    printf("job %" PRIu64 " is %s\n", target->job, line);
    if (rows.n == 0)
        puts("no policy has found anything");
    masterof_job(&more, st, target->job);
    batchjob_of_job(&more, st, target->job);
    if (rows.verdicts)
        lasttags_of_job(&more, st, target->job);
    decides_of_job(&more, st, target->job);
    diff_of_slow_job(&more, st, target->job);
    rungs_of_job(&more, st, target->job);
    saved_of_job(&more, st, target->job);
    moves_of_job(&more, st, target->job);
    standing_of_job(&more, st, target->job);
    say_lines("", str_text(&more));
    str_fini(&more);
    return answer_lost(st, &which, err);
}

static enum behind_shape shape_of(const struct why_options *o)
{
    return o->dot ? BEHIND_DOT : o->svg ? BEHIND_SVG
           : o->html ? BEHIND_HTML : BEHIND_TEXT;
}

/* RANK may be a word of its own, or stand behind the job: 7.3. */
static int run_slice(const struct tool *t)
{
    const struct why_options *o = t->own;
    struct target target;
    uint64_t rank = 0;
    bool named = true;
    struct err err;
    int status = 0;

    if (t->nwords < 1 || t->nwords > 2)
        return tool_complain(TOOL_USAGE, "why --slice wants a JOB and at most"
                             " one RANK");
    if (target_parse(&target, t->words[0], &err))
        return tool_complain(TOOL_USAGE, "%s", err.text);
    if (!target.all && (t->nwords == 2 || taskset_count(&target.ranks) != 1))
        status = tool_complain(TOOL_USAGE, "a slice is of one task");
    else if (!target.all)
        rank = target.ranks.v[0].first;
    else if (t->nwords == 1)
        named = false;
    else if (parse_u64(&rank, t->words[1], 0, INT32_MAX, NULL))
        status = tool_complain(TOOL_USAGE, "'%s' is not the rank of a task",
                               t->words[1]);
    if (!status && named && o->next)
        status = tool_complain(TOOL_USAGE, "-n is who comes next of those who"
                               " are behind: it goes without RANK");
    if (!status)
        status = slices_show(t, target.job, named ? (int64_t)rank
                                                  : SLICES_BLAMED);
    target_fini(&target);
    return status;
}

static int check(const struct tool *t)
{
    const struct why_options *o = t->own;

    if (!o->outliers && (o->method || o->phase || o->since))
        return tool_complain(TOOL_USAGE, "--method, --phase and --since are for "
                             "--outliers");
    if (!o->outliers && !o->slice && o->top)
        return tool_complain(TOOL_USAGE, "-k is for --outliers and --slice");
    if (o->outliers && (o->progress || o->slice || o->dot || o->svg || o->html))
        return tool_complain(TOOL_USAGE, "--outliers goes with -k, --method, "
                             "--phase, --since and -j alone");
    if (o->phase && o->since)
        return tool_complain(TOOL_USAGE, "one of --phase and --since");
    if (o->slice && (o->progress || o->dot || o->svg || o->html))
        return tool_complain(TOOL_USAGE, "--slice goes with -n, -k and -j"
                             " alone");
    if (o->slice)
        return 0;
    if (o->next)
        return tool_complain(TOOL_USAGE, "-n is for --slice");
    if (t->nwords != 1)
        return tool_complain(TOOL_USAGE, "why wants one JOB");
    if (t->json + o->dot + o->svg + o->html > 1)
        return tool_complain(TOOL_USAGE, "one of -j, --dot, --svg and --html");
    if (!o->progress && (o->dot || o->svg || o->html))
        return tool_complain(TOOL_USAGE, "--dot, --svg and --html go with "
                             "--progress");
    return 0;
}

static int run_why(const struct tool *t)
{
    const struct why_options *o = t->own;
    struct target target;
    struct store *st;
    struct err err;
    int status = check(t);

    if (status)
        return status;
    if (o->slice)
        return run_slice(t);
    if (target_parse(&target, t->words[0], &err))
        return tool_complain(TOOL_USAGE, "%s", err.text);
    st = tool_open_store(t);
    if (!st)
        status = TOOL_FAILED;
    else if (o->progress && !target.all)
        status = tool_complain(TOOL_USAGE, "--progress wants a JOB: it is about "
                               "all of its tasks");
    else if (o->outliers && !target.all)
        status = tool_complain(TOOL_USAGE, "--outliers wants a JOB: all of its "
                               "tasks are compared");
    else if (o->outliers)
        status = outliers_show(t, st, target.job);
    else if (o->progress)
        status = behind_show(t, st, target.job, shape_of(o));
    else if (ask(t, st, &target, &err))
        status = tool_complain(TOOL_FAILED, "%s", err.text);
    store_close(st);
    target_fini(&target);
    return status;
}

const struct command why_command = {
    "why", "JOB [RANK]", "what policies have found about it",
    COMMAND_OPTIONS(options, defaults), run_why
};
