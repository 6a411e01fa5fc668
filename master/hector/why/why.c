/* why.c - hector why: what policies have found about a job, and what was done
 * about it. */
#include "master/hector/why/why.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "master/hector/core/answer.h"
#include "master/hector/core/human.h"
#include "master/hector/core/target.h"
#include "master/hector/stack/stack_draw.h"
#include "master/hector/stack/stack_last.h"
#include "master/hector/why/lasttags.h"
#include "master/hector/why/standing.h"
#include "proto/base/clock.h"
#include "proto/base/str.h"

enum { W_AT, W_POLICY, W_REPORT, W_SEQ, W_ACTION, W_RANKS, W_BY, W_RESULT,
       W_WHY };
enum { CLASSES = 8 };           /* of a tree that are shown */
static const char sql_text[] =
    "SELECT at_ns, policy, ifnull(report, kind || ': ' || why || char(10)),"
    " seq, NULL, NULL, NULL, NULL, NULL FROM verdict WHERE job = ?1"
    " UNION ALL SELECT at_ns, NULL, NULL, NULL, action, ranks, by, result, why"
    " FROM action WHERE job = ?1 AND action <> 'report' ORDER BY 1";
static const char sql_json[] =
    "SELECT at_ns, policy, kind, phase, ranks, score, age_ns, why, report,"
    " seq AS look FROM verdict WHERE job = ?1 ORDER BY at_ns, rowid";

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

static const char *text_of(const struct store_value *v)
{
    return v->type == STORE_TEXT ? v->text : "";
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

static int why_row(void *arg, int ncols, const char *const *names,
                   const struct store_value *v)
{
    struct rows *rows = arg;
    char at[HUMAN_MAX], head[2000];
    uint64_t now = clock_wall_ns();

    (void)ncols;
    (void)names;
    rows->n++;
    human_time(at, (uint64_t)v[W_AT].i, now);
    if (v[W_ACTION].type == STORE_NULL) {
        rows->verdicts++;
        snprintf(head, sizeof(head), "%s %s: ", at, text_of(&v[W_POLICY]));
        fputs(head, stdout);
        say_lines("", text_of(&v[W_REPORT]));
        if (v[W_SEQ].type == STORE_INT)
            say_stacks(rows, (uint64_t)v[W_SEQ].i);
    } else {
        snprintf(head, sizeof(head), "%s %s%s%s by %s, %s: %s", at,
                 text_of(&v[W_ACTION]), *text_of(&v[W_RANKS]) ? " " : "",
                 text_of(&v[W_RANKS]), text_of(&v[W_BY]),
                 text_of(&v[W_RESULT]), text_of(&v[W_WHY]));
        say_lines("", head);
    }
    return 0;
}

static int job_row(void *arg, int ncols, const char *const *names,
                   const struct store_value *v)
{
    (void)ncols;
    (void)names;
    snprintf(arg, 400, "%s%s%s", text_of(&v[0]),
             v[1].type == STORE_TEXT ? ": " : "", text_of(&v[1]));
    return 0;
}

static int ask(const struct tool *t, struct store *st,
               const struct target *target, struct err *err)
{
    struct store_value id = { .type = STORE_INT, .i = (int64_t)target->job };
    struct rows rows = { st, target->job, 0, 0 };
    struct str more = { 0 };
    char job[400] = "", line[1600];
    unsigned long found = 0;

    if (store_version(st) < 5)
        return err_set(err, 0, "this database knows no verdicts");
    if (store_query_bound(st, "SELECT state, why FROM job WHERE job = ?1", &id,
                          1, NULL, job_row, job, err))
        return -1;
    if (!*job)
        return err_set(err, 0, "there is no job %" PRIu64, target->job);
    if (t->json)
        return answer_query(t, st, sql_json, &id, 1, NULL, &found, err);
    if (store_query_bound(st, sql_text, &id, 1, NULL, why_row, &rows, err))
        return -1;
    str_visible(line, sizeof(line), job, strlen(job));
    printf("job %" PRIu64 " is %s\n", target->job, line);
    if (rows.n == 0)
        puts("no policy has found anything");
    if (rows.verdicts)
        lasttags_of_job(&more, st, target->job);
    standing_of_job(&more, st, target->job);
    say_lines("", str_text(&more));
    str_fini(&more);
    return 0;
}

static int run_why(const struct tool *t)
{
    struct target target;
    struct store *st;
    struct err err;
    int status = 0;

    if (t->nwords != 1)
        return tool_complain(TOOL_USAGE, "why wants one JOB");
    if (target_parse(&target, t->words[0], &err))
        return tool_complain(TOOL_USAGE, "%s", err.text);
    st = tool_open_store(t);
    if (!st)
        status = TOOL_FAILED;
    else if (ask(t, st, &target, &err))
        status = tool_complain(TOOL_FAILED, "%s", err.text);
    store_close(st);
    target_fini(&target);
    return status;
}

const struct command why_command = {
    "why", "JOB", "what policies have found about it",
    COMMAND_NO_OPTIONS, run_why
};
