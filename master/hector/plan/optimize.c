/* optimize.c - hector optimize: what an optimizer wants just now. --dry-run:
 * the master tells what there is, and it is asked here; else the master asks its
 * own one, and does what it plans. */
#include "master/hector/plan/optimize.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "master/hector/core/answer.h"
#include "master/hector/core/seek.h"
#include "master/hector/core/talk.h"
#include "master/hector/plan/planask.h"
#include "proto/link/conn.h"
#include "proto/link/greeting.h"

enum { OPTIMIZE_WAIT_S = 60 };

struct optimize_options { const char *optimizer; bool dry, shows; };
static const struct optimize_options defaults;

static const struct args_option options[] = {
    { NULL, "dry-run", ARGS_NONE, NULL, "only say what would be done",
      args_flag, offsetof(struct optimize_options, dry), 0, 0 },
    { NULL, "optimizer", ARGS_VALUE, "NAME|FILE[:KEY=VALUE,...]",
      "another one than the master's; with --dry-run", args_text,
      offsetof(struct optimize_options, optimizer), 0, 0 },
    { NULL, "nodes", ARGS_NONE, NULL,
      "show the nodes as it sees them; with --dry-run", args_flag,
      offsetof(struct optimize_options, shows), 0, 0 },
};

struct asking {
    struct talk talk;           /* first: routes get it */
    const struct tool *tool;
    const struct optimize_options *o;
    struct answer a;            /* steps, or nodes */
    bool begun;                 /* there is something to be shown */
    char *optimizer;            /* owned: of the master */
    struct str system;
    struct err err;             /* of what is done here */
};

/* -------------------------------------------------------------------- rows */

static const struct table_column step_columns[] = {
    { "KIND", TABLE_TEXT, NULL }, { "JOB", TABLE_NUMBER, NULL },
    { "TASK", TABLE_NUMBER, "all" }, { "FROM", TABLE_TEXT, NULL },
    { "TO", TABLE_TEXT, NULL }, { "GAIN", TABLE_DURATION, NULL },
    { "COST", TABLE_DURATION, NULL }, { "WHY", TABLE_WIDE, NULL },
    { "REFUSED", TABLE_WIDE, "" },
};
static const char *const step_names[] = { "kind", "job", "rank", "node_from",
    "node_to", "gain_ns", "cost_ns", "reason", "error" };
static const struct table_column node_columns[] = {
    { "NODE", TABLE_TEXT, NULL }, { "CPUS", TABLE_NUMBER, NULL },
    { "SPEED", TABLE_NUMBER, NULL }, { "LOAD", TABLE_NUMBER, NULL },
    { "MEMORY", TABLE_BYTES, NULL }, { "TASKS", TABLE_NUMBER, NULL },
    { "WANT", TABLE_NUMBER, NULL }, { "GET", TABLE_NUMBER, NULL },
    { "TAKES", TABLE_TEXT, NULL }, { "FAR", TABLE_BYTES, NULL },
};
static const char *const node_names[] = { "node", "cpus", "speed", "load",
    "memory_bytes", "tasks", "wants", "gets", "takes", "far_bytes_s" };
enum { COLUMNS = 9, NODE_COLUMNS = 10 };
_Static_assert(sizeof(step_names) / sizeof(step_names[0]) == COLUMNS &&
               sizeof(node_names) / sizeof(node_names[0]) == NODE_COLUMNS,
               "one row");

static struct store_value text(const char *s)
{
    bool none = !s || !*s || strcmp(s, "-") == 0;

    return none ? (struct store_value){ .type = STORE_NULL }
                : (struct store_value){ .type = STORE_TEXT, .text = s,
                                        .bytes = strlen(s) };
}

static struct store_value whole(uint64_t n)
{
    return (struct store_value){ .type = STORE_INT, .i = (int64_t)n };
}

/* To three digits behind the point. */
static struct store_value real(char *buf, size_t size, double d)
{
    snprintf(buf, size, "%.3f", d);
    return (struct store_value){ .type = STORE_REAL, .d = strtod(buf, NULL) };
}

/* NULL: what no clock can show. */
static struct store_value duration(double s)
{
    static const double most_s = 9e9;

    if (!(s > -most_s && s < most_s))
        return text(NULL);
    return (struct store_value){ .type = STORE_INT, .i = (int64_t)(s * 1e9) };
}

static void begin(struct asking *q, bool nodes)
{
    answer_begin(&q->a, q->tool, nodes ? node_columns : step_columns);
    q->begun = true;
    if (q->a.rows.head)
        q->a.rows.head(q->a.rows.arg, nodes ? NODE_COLUMNS : COLUMNS,
                       nodes ? node_names : step_names);
}

static void add_step(struct asking *q, const Hct__Plan__Step *s)
{
    const struct store_value v[COLUMNS] = {
        text(s->kind), whole(s->job),
        s->whole ? text(NULL) : whole(s->rank), text(s->node_from),
        text(s->node_to), duration(s->gain_s), duration(s->cost_s),
        text(s->reason), text(s->error) };

    if (!q->begun)
        begin(q, false);
    q->a.rows.row(q->a.rows.arg, COLUMNS, step_names, v);
}

/* ------------------------------------------------------------------ answers */

static int on_system(void *arg, struct conn *c, const void *msg,
                     struct err *err)
{
    struct asking *q = arg;
    const Hct__System *m = msg;

    (void)c;
    free(q->optimizer);
    q->optimizer = strdup(m->optimizer);
    str_reset(&q->system);
    str_add_bytes(&q->system, m->system.data, m->system.len);
    return q->optimizer && !str_failed(&q->system) ? 0 : err_memory(err);
}

static int on_plan(void *arg, struct conn *c, const void *msg, struct err *err)
{
    struct asking *q = arg;
    const Hct__Plan *m = msg;

    (void)c;
    (void)err;
    for (size_t i = 0; i < m->n_steps; i++)
        add_step(q, m->steps[i]);
    return 0;
}

static const struct conn_route routes[] = {
    { MESSAGE_SYSTEM, CONN_ROLE(HCT__ROLE__ROLE_MASTER), on_system },
    { MESSAGE_PLAN, CONN_ROLE(HCT__ROLE__ROLE_MASTER), on_plan },
    TALK_ROUTES,
};

static int send_ask(struct talk *t, struct conn *c)
{
    const struct asking *q = (const struct asking *)t;
    Hct__Optimize m = HCT__OPTIMIZE__INIT;

    m.dry_run = q->o->dry;
    return conn_send(c, MESSAGE_OPTIMIZE, &m);
}

/* ---------------------------------------------------------------- a dry run */

static void add_planned(struct asking *q, const struct systembytes *of,
                        const struct hct_plan_step *s, const char *refused)
{
    Hct__Plan__Step m = HCT__PLAN__STEP__INIT;

    planner_tell(&m, of, s, refused);
    add_step(q, &m);
}

static void on_planned(void *arg, const struct systembytes *of,
                       const struct checked *plan, const char *odd)
{
    struct asking *q = arg;

    (void)odd;
    for (uint32_t i = 0; i < plan->nsteps; i++)
        add_planned(q, of, &plan->steps[i], NULL);
    for (uint32_t i = 0; i < plan->nrefused; i++)
        add_planned(q, of, &plan->bad[i], checked_reason(plan->bad_why[i]));
}

static int dry_run(struct asking *q)
{
    const char *spec = q->o->optimizer ? q->o->optimizer
                       : q->optimizer && *q->optimizer ? q->optimizer
                                                       : "balance";
    struct planask *p = planask_open(spec, &q->err);
    int rc = p ? planask_plan(p, str_text(&q->system), q->system.n, on_planned,
                              q, &q->err) : -1;

    planask_close(p);
    return rc;
}

/* What its tasks send to other nodes, and these to them. */
static uint64_t far_bytes_s(const struct hct_system *in, uint32_t host)
{
    double sum = 0;

    for (uint32_t i = 0; i < in->ntraffic; i++) {
        const struct hct_traffic *t = hct_traffic(in, i);
        bool a = hct_seat(in, t->a)->host == host;

        if (a != (hct_seat(in, t->b)->host == host))
            sum += t->bytes_s;
    }
    return sum < 9e18 ? (uint64_t)sum : 0;
}

static void add_node(struct asking *q, const struct systembytes *s, uint32_t i)
{
    const struct hct_host *h = hct_host(&s->in, i);
    double wants = 0, gets = 0;
    uint64_t tasks = 0;
    char buf[4][40];

    for (uint32_t k = 0; k < s->in.nseats; k++) {
        const struct hct_seat *t = hct_seat(&s->in, k);

        if (t->host != i)
            continue;
        tasks++;
        wants += t->wants;
        gets += t->gets;
    }
    {
        const struct store_value v[NODE_COLUMNS] = {
            text(systembytes_node(s, i)), whole(h->slots),
            real(buf[0], sizeof(buf[0]), h->speed),
            real(buf[1], sizeof(buf[1]), h->load), whole(h->memory_bytes),
            whole(tasks), real(buf[2], sizeof(buf[2]), wants),
            real(buf[3], sizeof(buf[3]), gets),
            text(h->flags & HCT_HOST_DRAINING ? "no"
                 : h->flags & HCT_HOST_OWNER ? "owner" : "yes"),
            whole(far_bytes_s(&s->in, i)) };

        q->a.rows.row(q->a.rows.arg, NODE_COLUMNS, node_names, v);
    }
}

static int show_nodes(struct asking *q)
{
    struct systembytes s;

    if (systembytes_read(&s, str_text(&q->system), q->system.n, &q->err))
        return -1;
    begin(q, true);
    for (uint32_t i = 0; i < s.in.nhosts; i++)
        add_node(q, &s, i);
    systembytes_fini(&s);
    return 0;
}

/* ------------------------------------------------------------------ command */

static int ask(struct asking *q)
{
    char address[ADDR_LIST_MAX];

    if (seek_master(q->tool, 0, address, &q->err) ||
        talk_hold(&q->talk, address, routes,
                  sizeof(routes) / sizeof(routes[0]), &q->err))
        return -1;
    if (!q->talk.good)
        return err_set(&q->err, 1, "%s", *q->talk.text ? q->talk.text
                                         : "the master does not do it, and says "
                                           "nothing");
    if (!q->o->dry)
        return 0;
    return q->o->shows ? show_nodes(q) : dry_run(q);
}

static int run_optimize(const struct tool *t)
{
    struct asking q = { .talk = { .send = send_ask, .wait_s = OPTIMIZE_WAIT_S },
                        .tool = t, .o = t->own };
    int rc;

    if (t->nwords)
        return tool_complain(TOOL_USAGE, "optimize takes no word, as %s",
                             t->words[0]);
    if ((q.o->optimizer || q.o->shows) && !q.o->dry)
        return tool_complain(TOOL_USAGE, "%s goes with --dry-run",
                             q.o->shows ? "--nodes" : "--optimizer");
    rc = ask(&q);
    if (rc == 0 && !q.begun && t->json)
        begin(&q, false);
    if (q.begun && answer_end(&q.a, 0, NULL, &q.err))
        rc = -1;
    free(q.optimizer);
    str_fini(&q.system);
    if (rc)
        return tool_complain(TOOL_FAILED, "%s", q.err.text);
    if (!q.begun)
        puts("all is well as it is");
    return 0;
}

const struct command optimize_command = {
    "optimize", "", "have an optimizer say where tasks should be",
    COMMAND_OPTIONS(options, defaults), run_optimize
};
