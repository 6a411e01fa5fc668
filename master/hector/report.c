/* report.c - hector report: where the time of a job went, per task, per MPI
 * function and per call site, as users of mpiP know it; and as a page, how its
 * deadlines were met.
 *
 * Of a function or a site, imbalance and variation are those of the times of
 * the tasks that called it. Percentages: of the application time, from
 * MPI_Init on, and of the time inside of MPI, each of all tasks of the target
 * together. */
#include "master/hector/commands.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "master/hector/core/answer.h"
#include "master/hector/core/human.h"
#include "master/hector/core/target.h"
#include "master/hector/page/reportpage.h"
#include "master/store/query.h"
#include "proto/base/clock.h"

enum { REPORT_TOP = 20, REPORT_CALLERS = 3 };

struct report {
    const struct tool *tool;
    struct store *store;
    struct target target;
    struct query_costs costs;
    /* What the first questions have answered. */
    char head[400];
    struct query_load load;
    bool known, ended;
    bool page;                  /* as HTML */
};

static const struct table_column task_columns[] = {
    { "TASK", TABLE_NUMBER, "all" }, { "APP TIME", TABLE_DURATION, NULL },
    { "MPI TIME", TABLE_DURATION, NULL }, { "MPI %", TABLE_NUMBER, NULL },
    { "OUTSIDE", TABLE_DURATION, NULL }, { "CPU IN", TABLE_DURATION, NULL },
    { "CPU OUT", TABLE_DURATION, NULL }, { "CALLS", TABLE_NUMBER, NULL },
    { "BYTES", TABLE_BYTES, NULL },
};

static const struct table_column call_columns[] = {
    { "CALL", TABLE_WIDE, "?" }, { "TIME", TABLE_DURATION, NULL },
    { "APP %", TABLE_NUMBER, NULL }, { "MPI %", TABLE_NUMBER, NULL },
    { "CALLS", TABLE_NUMBER, NULL }, { "BYTES", TABLE_BYTES, NULL },
    { "MEAN", TABLE_DURATION, NULL }, { "MAX", TABLE_DURATION, NULL },
    { "IMB %", TABLE_NUMBER, NULL }, { "TASK", TABLE_NUMBER, NULL },
    { "COV", TABLE_NUMBER, NULL },
};

static const struct table_column site_columns[] = {
    { "SITE", TABLE_NUMBER, "" }, { "CALL", TABLE_TEXT, "" },
    { "TIME", TABLE_DURATION, "" }, { "APP %", TABLE_NUMBER, "" },
    { "CALLS", TABLE_NUMBER, "" }, { "BYTES", TABLE_BYTES, "" },
    { "IMB %", TABLE_NUMBER, "" }, { "TASK", TABLE_NUMBER, "" },
    { "WHERE", TABLE_WIDE, "its place was not recorded" },
};

static const struct table_column note_columns[] = {
    { "NO NAMES OF", TABLE_TEXT, "some memory" }, { "BECAUSE", TABLE_TEXT, "?" },
};

/* ------------------------------------------------------------- its lists */

/* Each list of the report is of this form. */
typedef int part_f(const struct report *r, const struct query_rows *to,
                   struct err *err);

static int tell(const struct report *r, part_f *part,
                const struct table_column *columns, struct err *err)
{
    struct answer a;

    answer_begin(&a, r->tool, columns);
    return answer_end(&a, part(r, &a.rows, &a.why), NULL, err);
}

static int tasks(const struct report *r, const struct query_rows *to,
                 struct err *err)
{
    return query_costs_tasks(r->store, &r->costs, r->load.tasks, to, err);
}

static int calls(const struct report *r, const struct query_rows *to,
                 struct err *err)
{
    return query_costs_calls(r->store, &r->costs, to, err);
}

/* People see a site's callers in the rows below it. */
static int sites(const struct report *r, const struct query_rows *to,
                 struct err *err)
{
    return query_costs_sites(r->store, &r->costs, to, err);
}

static int callers(const struct report *r, const struct query_rows *to,
                   struct err *err)
{
    return query_costs_callers(r->store, &r->costs, to, err);
}

static int costs(const struct report *r, const struct query_rows *to,
                 struct err *err)
{
    return query_costs_rows(r->store, &r->costs, to, err);
}

static int nameless(const struct report *r, const struct query_rows *to,
                    struct err *err)
{
    return query_costs_why_nameless(r->store, &r->costs, to, err);
}

/* Files without names, and why. */
static int tell_nameless(const struct report *r, struct err *err)
{
    int64_t n = 0;

    if (query_costs_nameless(r->store, &r->costs, &n, err))
        return -1;
    if (n == 0)
        return 0;
    puts("");
    return tell(r, nameless, note_columns, err);
}

/* ------------------------------------------------------------------- head */

static int on_job(void *arg, const struct store_job *job)
{
    struct report *r = arg;
    char time[HUMAN_MAX] = "";
    uint64_t end_ns = job->ended_ns ? job->ended_ns : clock_wall_ns();
    int64_t nodes = r->load.nodes;

    r->known = true;
    r->ended = job->ended_ns != 0;
    if (job->started_ns)
        human_duration(time, (int64_t)(end_ns - job->started_ns));
    snprintf(r->head, sizeof(r->head), "Job %" PRIu64 " %.200s: %" PRIu32
             " task%s on %" PRId64 " node%s, %s%s%s", job->job,
             job->name ? job->name : "", job->ntasks,
             job->ntasks == 1 ? "" : "s", nodes, nodes == 1 ? "" : "s",
             job->state ? job->state : "?",
             !*time ? "" : r->ended ? " after " : " for ", time);
    return 0;
}

static int look(struct report *r, struct err *err)
{
    return query_load(r->store, &r->costs.which, &r->load, err) ||
           query_job(r->store, r->target.job, on_job, r, err) ? -1 : 0;
}

/* What there is no account of, and why; NULL: it is there. */
static const char *lacking(const struct report *r)
{
    if (!query_has(r->store, STORE_TABLE_cost))
        return "this database is of an older Hector: it does not say what"
               " single calls have cost";
    if (r->load.costs)
        return NULL;
    if (!r->ended)
        return "what single calls have cost is not known yet: nodes report it"
               " every 5 s, or less often when there are many tasks";
    return r->load.calls ? "what single calls have cost was not recorded"
                    : "no call of MPI was recorded: there was none, or the"
                      " program could not load the wrapper library (is it"
                      " linked statically?)";
}

/* ------------------------------------------------------------ the answers */

static double imbalance(const struct report *r)
{
    const struct query_load *l = &r->load;

    return l->out_ns > 0 ? 100.0 * ((double)l->most_ns * (double)l->tasks /
                                    (double)l->out_ns - 1) : 0;
}

static void print_load(const struct report *r)
{
    char most[HUMAN_MAX], mean[HUMAN_MAX];

    puts(r->head);
    if (r->load.out_ns <= 0 || r->load.tasks < 2)
        return;
    printf("Load imbalance %.1f %%: outside of MPI mean %s, most %s (task %"
           PRId64 ")\n", imbalance(r),
           human_duration(mean, r->load.out_ns / r->load.tasks),
           human_duration(most, r->load.most_ns), r->load.most_rank);
}

static int tell_people(const struct report *r, struct err *err)
{
    const char *lacks = lacking(r);

    print_load(r);
    if (answer_lost(r->store, &r->costs.which, err))
        return -1;
    puts("");
    if (r->costs.top >= 0 && r->load.tasks > r->costs.top)
        printf("First of %" PRId64 " tasks, by their time outside of MPI"
               " (-a: all)\n", r->load.tasks);
    if (tell(r, tasks, task_columns, err))
        return -1;
    puts("");
    if (lacks) {
        printf("Not shown: %s.\n", lacks);
        return 0;
    }
    if (tell(r, calls, call_columns, err))
        return -1;
    puts("");
    return tell(r, sites, site_columns, err) || tell_nameless(r, err) ? -1 : 0;
}

static int job(const struct report *r, const struct query_rows *to,
               struct err *err)
{
    return query_costs_job(r->store, &r->costs, &r->load, imbalance(r),
                           lacking(r), to, err);
}

static int tell_programs(const struct report *r, struct err *err)
{
    static const struct { const char *name; part_f *part; bool costs; }
    parts[] = {
        { "{\"job\":", job, false },
        { ",\"tasks\":", tasks, false },
        { ",\"calls\":", calls, true },
        { ",\"sites\":", sites, true },
        { ",\"callers\":", callers, true },
        { ",\"costs\":", costs, true },
    };
    bool all = query_has(r->store, STORE_TABLE_cost);
    int rc = 0;

    for (size_t i = 0; i < sizeof(parts) / sizeof(parts[0]); i++) {
        if (rc || (parts[i].costs && !all))
            continue;
        fputs(parts[i].name, stdout);
        rc = tell(r, parts[i].part, NULL, err);
    }
    puts("}");
    return rc;
}

/* Its own pictures, of all tasks, and the tables. */
static int tell_page(const struct report *r, struct err *err)
{
    static const struct {
        const char *title;
        part_f *part;
        const struct table_column *columns;
    } parts[] = { { "Tasks", tasks, task_columns },
                  { "Calls", calls, call_columns },
                  { "Call sites", sites, site_columns } };
    const char *lacks = lacking(r);
    struct reportpage p = { 0 };
    char text[200];
    int rc;

    reportpage_begin(&p, r->head);
    if (r->load.out_ns > 0 && r->load.tasks > 1) {
        snprintf(text, sizeof(text), "Load imbalance %.1f %%", imbalance(r));
        reportpage_line(&p, text);
    }
    rc = reportpage_margins(&p, r->store, r->target.job, err);
    for (size_t i = 0; rc == 0 && i < (lacks ? 1 : 3); i++) {
        reportpage_table(&p, parts[i].title, parts[i].columns);
        rc = parts[i].part(r, &p.rows, err);
        reportpage_table_end(&p);
    }
    if (rc == 0 && lacks)
        reportpage_line(&p, lacks);
    if (rc == 0)
        return reportpage_end(&p, err);
    str_fini(&p.out);
    return rc;
}

static int report(struct report *r, const char *word)
{
    struct err err;

    if (look(r, &err))
        return tool_complain(TOOL_FAILED, "%s", err.text);
    if (!r->known)
        return tool_complain(TOOL_FAILED, "there is no job %s", word);
    if (!r->load.tasks)
        return tool_complain(TOOL_FAILED, "%s has no tasks", word);
    if (r->tool->json ? tell_programs(r, &err)
        : r->page ? tell_page(r, &err) : tell_people(r, &err))
        return tool_complain(TOOL_FAILED, "%s", err.text);
    return 0;
}

struct report_options { bool all, html; uint64_t count; };
static const struct report_options defaults;

static const struct args_option options[] = {
    { NULL, "a all", ARGS_NONE, NULL, "all of it",
      args_flag, offsetof(struct report_options, all), 0, 0 },
    { NULL, "n count", ARGS_VALUE, "N", "the first N",
      args_u64, offsetof(struct report_options, count), 1, INT32_MAX },
    { NULL, "html", ARGS_NONE, NULL, "one page, with how deadlines were met",
      args_flag, offsetof(struct report_options, html), 0, 0 },
};

static int run_report(const struct tool *t)
{
    const struct report_options *o = t->own;
    struct report r = { .tool = t, .costs = { .top = REPORT_TOP,
                        .callers = REPORT_CALLERS, .programs = t->json } };
    struct err err;
    int status = TOOL_FAILED;

    if (t->nwords != 1)
        return tool_complain(TOOL_USAGE, "report wants one JOB or JOB.RANKS");
    if (target_parse(&r.target, t->words[0], &err))
        return tool_complain(TOOL_USAGE, "%s", err.text);
    if (o->html && t->json)
        return target_fini(&r.target),
               tool_complain(TOOL_USAGE, "--html or -j, not both");
    r.page = o->html;
    r.costs.which = target_which(&r.target);
    if (o->count)
        r.costs.top = (int64_t)o->count;
    if (o->all || t->json)
        r.costs.top = r.costs.callers = -1;
    r.store = tool_open_store(t);
    if (r.store)
        status = report(&r, t->words[0]);
    store_close(r.store);
    target_fini(&r.target);
    return status;
}

const struct command report_command = {
    "report", "JOB[.RANKS]", "where its time went: tasks, calls, sites",
    COMMAND_OPTIONS(options, defaults), run_report
};
