/* order.c - hector kill, suspend, resume, priority, deadline, migrate,
 * checkpoint: ends jobs or tasks, sends them a signal, stops them and lets them
 * go on, makes them more or less important, says what is due in them, moves
 * them, has them written to files, by way of the master that runs them.
 *
 * Where that master listens stands in the database, in the row of the job.
 * One target after the other: connect, Hello, Welcome, the request, Result. */
#include "master/hector/commands.h"

#include <errno.h>
#include <inttypes.h>
#include <jansson.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "master/hector/core/seek.h"
#include "master/hector/core/talk.h"
#include "master/hector/core/target.h"
#include "proto/base/parse.h"
#include "proto/base/signals.h"
#include "proto/base/str.h"
#include "proto/conf/calendar.h"
#include "proto/conf/priority.h"
#include "proto/link/conn.h"
#include "proto/link/greeting.h"

/* Where the answer comes in steps, for each of them, as there may be images of
 * many gigabytes. */
enum { ORDER_WAIT_S = 20, ORDER_STEP_S = 630, NODES_MAX = 1024 };

struct due_options;
struct request;
struct order {
    const char *name;           /* of the command */
    int (*send)(struct conn *c, const struct request *r, char *why);
    Hct__HoldOrder hold;        /* for send_hold(); in send_save(): what is done
                                   to the tasks then */
    int wait_s;
};

struct request {
    struct talk talk;                   /* first: routes get it */
    const struct target *target;        /* borrowed */
    const char *ranks;                  /* text form; borrowed */
    char who[128];                      /* user@host, for the record */
    const struct order *order;          /* borrowed */
    int signal;
    const char *node;                   /* for send_migrate(); borrowed, too */
    char *const *nodes;                 /* for send_hold(); the same */
    size_t nnodes;
    struct priority priority;           /* for send_priority(), as the next */
    bool keep_priority, keep_class;
    const struct due_options *due;      /* for send_calendar(); borrowed */
    uint64_t quiesce_ns;
    bool steps;                         /* a terminal sees them */
};

/* Borrowed from the command line, as protobuf wants to have it. */
static char *ranks_of(const struct request *r)
{
    return (char *)(uintptr_t)r->ranks;
}

static int send_kill(struct conn *c, const struct request *r, char *why)
{
    Hct__Kill m = HCT__KILL__INIT;

    m.job = r->target->job;
    m.ranks = ranks_of(r);
    m.why = why;
    return conn_send(c, MESSAGE_KILL, &m);
}

static int send_signal(struct conn *c, const struct request *r, char *why)
{
    Hct__Signal m = HCT__SIGNAL__INIT;

    (void)why;
    m.job = r->target->job;
    m.ranks = ranks_of(r);
    m.signal = r->signal;
    return conn_send(c, MESSAGE_SIGNAL, &m);
}

static int send_hold(struct conn *c, const struct request *r, char *why)
{
    Hct__Hold m = HCT__HOLD__INIT;

    m.job = r->target->job;
    m.ranks = ranks_of(r);
    m.why = why;
    m.order = r->order->hold;
    m.nodes = (char **)(uintptr_t)r->nodes;
    m.n_nodes = r->nnodes;
    return conn_send(c, MESSAGE_HOLD, &m);
}

static int send_migrate(struct conn *c, const struct request *r, char *why)
{
    Hct__Migrate m = HCT__MIGRATE__INIT;

    m.job = r->target->job;
    m.ranks = ranks_of(r);
    m.node = (char *)(uintptr_t)r->node;
    m.why = why;
    m.quiesce_ns = r->quiesce_ns;
    return conn_send(c, MESSAGE_MIGRATE, &m);
}

static int send_priority(struct conn *c, const struct request *r, char *why)
{
    Hct__Priority m = HCT__PRIORITY__INIT;

    m.job = r->target->job;
    m.priority = r->priority.n;
    m.class_ = (char *)(uintptr_t)priority_class_name(r->priority.class);
    m.keep_priority = r->keep_priority;
    m.keep_class = r->keep_class;
    m.why = why;
    return conn_send(c, MESSAGE_PRIORITY, &m);
}

/* What is due: entries as they are written shortest. */
struct due_options {
    struct calendar put, add;           /* owned */
    char *remove[CALENDAR_MAX];         /* borrowed */
    size_t nremove;
    bool clear;
};

static size_t texts(const struct calendar *c, char **v)
{
    for (size_t i = 0; i < c->n; i++)
        v[i] = c->v[i].text;
    return c->n;
}

static int send_calendar(struct conn *c, const struct request *r, char *why)
{
    char *put[CALENDAR_MAX], *add[CALENDAR_MAX];
    Hct__Calendar m = HCT__CALENDAR__INIT;

    m.job = r->target->job;
    m.put = put;
    m.n_put = texts(&r->due->put, put);
    m.add = add;
    m.n_add = texts(&r->due->add, add);
    m.remove = (char **)(uintptr_t)r->due->remove;
    m.n_remove = r->due->nremove;
    m.clear = r->due->clear;
    m.why = why;
    return conn_send(c, MESSAGE_CALENDAR, &m);
}

static int send_save(struct conn *c, const struct request *r, char *why)
{
    Hct__Save m = HCT__SAVE__INIT;

    m.job = r->target->job;
    m.why = why;
    m.quiesce_ns = r->quiesce_ns;
    m.suspend = r->order->hold == HCT__HOLD_ORDER__HOLD_SUSPEND;
    return conn_send(c, MESSAGE_SAVE, &m);
}

static const struct order order_kill = { "kill", send_kill, 0, ORDER_WAIT_S };
static const struct order order_signal = {
    "kill", send_signal, 0, ORDER_WAIT_S
};
static const struct order order_suspend = {
    "suspend", send_hold, HCT__HOLD_ORDER__HOLD_SUSPEND, ORDER_WAIT_S
};
static const struct order order_resume = {
    "resume", send_hold, HCT__HOLD_ORDER__HOLD_RESUME, ORDER_WAIT_S
};
static const struct order order_priority = {
    "priority", send_priority, 0, ORDER_WAIT_S
};
static const struct order order_deadline = {
    "deadline", send_calendar, 0, ORDER_WAIT_S
};
static const struct order order_migrate = {
    "migrate", send_migrate, 0, ORDER_STEP_S
};
static const struct order order_checkpoint = {
    "checkpoint", send_save, HCT__HOLD_ORDER__HOLD_RESUME, ORDER_STEP_S
};
static const struct order order_store = {
    "suspend", send_save, HCT__HOLD_ORDER__HOLD_SUSPEND, ORDER_STEP_S
};

static int send_order(struct talk *t, struct conn *c)
{
    struct request *r = (struct request *)t;
    char why[160];

    snprintf(why, sizeof(why), "hector %s by %s", r->order->name, r->who);
    return r->order->send(c, r, why);
}

/* What a state of a move (master/move/move_state.h) is for people. */
static const char *step_words(const char *state)
{
    static const struct { const char *state, *words; } steps[] = {
        { "asked", "the node prepares" },
        { "checked", "the tasks are being brought to stand" },
        { "quiet", "all stand, what is under way arrives" },
        { "drained", "all stand, their places are being made" },
        { "apart", "MPI is dropped, images are sent" },
        { "imaged", "images were sent, tasks are made of them" },
        { "returning", "all return to where they were" },
        { "restored", "MPI is joined anew" }, { "joined", "all go on" },
        { "checking", "all go on, the images are read again" },
        { "sealing", "all go on, the images are good" },
    };

    for (size_t i = 0; i < sizeof(steps) / sizeof(steps[0]); i++)
        if (strcmp(steps[i].state, state) == 0)
            return steps[i].words;
    return state;               /* of a later master */
}

/* One line that is written over, for a person who looks on. */
static int on_moving(void *arg, struct conn *c, const void *msg,
                     struct err *err)
{
    struct request *r = arg;
    const Hct__Moving *m = msg;
    const char *state;
    char word[80];

    (void)c;
    (void)err;
    r->talk.lost = "the master is gone, and has not said how the move ended: ";
    state = step_words(m->state);
    str_visible(word, sizeof(word), state, strlen(state));
    if (r->steps && m->image_bytes)
        fprintf(stderr, "\r%s, %.1f MB so far \033[K", word,
                (double)m->image_bytes / 1e6);
    else if (r->steps)
        fprintf(stderr, "\r%s \033[K", word);
    return 0;
}

static const struct conn_route routes[] = {
    { MESSAGE_MOVING, CONN_ROLE(HCT__ROLE__ROLE_MASTER), on_moving },
    TALK_ROUTES,
};

static void answer_json(const char *word, bool good, const char *text)
{
    json_t *j = json_pack("{s:s, s:b, s:s}", "target", word, "ok", good,
                          "text", text);

    if (j)
        json_dumpf(j, stdout, JSON_COMPACT);
    json_decref(j);
    putchar('\n');
}

/* What r says of the order is to be filled in. */
static int order_one(const struct tool *t, struct request r,
                     const struct target *target, const char *word)
{
    char ranks[4096] = "all", line[4 * sizeof(r.talk.text)];
    char address[ADDR_LIST_MAX];
    struct err err = { 0 };

    r.target = target;
    greeting_name(r.who, sizeof(r.who));
    if (!target->all &&
        taskset_format(&target->ranks, ranks, sizeof(ranks)) >=
            (int)sizeof(ranks))
        return tool_complain(TOOL_USAGE, "%s: too many ranges", word);
    r.ranks = ranks;
    r.talk.send = send_order;
    r.talk.wait_s = r.order->wait_s;
    if (seek_master(t, target->job, address, &err) ||
        talk_hold(&r.talk, address, routes, sizeof(routes) / sizeof(routes[0]),
                  &err))
        snprintf(r.talk.text, sizeof(r.talk.text), "%s", err.text);
    if (r.steps)
        fputs("\r\033[K", stderr);
    if (t->json) {
        answer_json(word, r.talk.good, r.talk.text);
    } else if (r.talk.good) {
        str_visible(line, sizeof(line), r.talk.text, strlen(r.talk.text));
        printf("%s: %s\n", word, *line ? line : "done");
    }
    if (!r.talk.good)
        return tool_complain(TOOL_FAILED, "%s: %s", word, r.talk.text);
    return 0;
}

static int order_all(const struct tool *t, struct request r, int nwords)
{
    struct target target;
    struct err err;
    int status = 0;

    if (nwords == 0)
        return tool_complain(TOOL_USAGE, "%s wants a JOB or JOB.RANKS",
                             r.order->name);
    for (int i = 0; i < nwords; i++) {
        if (target_parse(&target, t->words[i], &err))
            return tool_complain(TOOL_USAGE, "%s", err.text);
        if (order_one(t, r, &target, t->words[i]))
            status = TOOL_FAILED;
        target_fini(&target);
    }
    return status;
}

struct kill_options { int signal; };    /* 0: not given */
static const struct kill_options defaults;

static int take_signal(void *to, const struct args_given *g, struct err *err)
{
    int n = signals_number(g->value, err);

    if (n < 1)
        return err_prefix(err, "%s", g->option);
    *(int *)args_at(to, g) = n;
    return 0;
}

static const struct args_option options[] = {
    { NULL, "signal", ARGS_VALUE, "S", "send this signal only (USR1, 10)",
      take_signal, offsetof(struct kill_options, signal), 0, 0 },
};

static int run_kill(const struct tool *t)
{
    const struct kill_options *o = t->own;

    struct request r = { .order = o->signal ? &order_signal : &order_kill,
                         .signal = o->signal };

    return order_all(t, r, t->nwords);
}

struct migrate_options { uint64_t quiesce_ns; };        /* 0: as the master has it */
static const struct migrate_options migrate_defaults;

static int take_time(void *to, const struct args_given *g, struct err *err)
{
    uint64_t ns;

    if (parse_duration(&ns, g->value, NULL) < 0 || ns == 0)
        return err_set(err, EINVAL, "%s \"%.80s\": a time is wanted, as 30, "
                       "1.5s or 2m", g->option, g->value);
    *(uint64_t *)args_at(to, g) = ns;
    return 0;
}

static const struct args_option migrate_rows[] = {
    { NULL, "quiesce-timeout", ARGS_VALUE, "TIME",
      "give up where the job does not stand by then; default: 10s",
      take_time, offsetof(struct migrate_options, quiesce_ns), 0, 0 },
};

static int run_migrate(const struct tool *t)
{
    const struct migrate_options *o = t->own;
    struct request r = { .order = &order_migrate, .quiesce_ns = o->quiesce_ns,
                         .steps = !t->json && isatty(STDERR_FILENO) };

    if (t->nwords != 2)
        return tool_complain(TOOL_USAGE, "migrate wants a JOB or JOB.RANKS, and "
                             "the name of a node");
    r.node = t->words[1];
    return order_all(t, r, 1);
}

struct priority_options { const char *class; };
static const struct priority_options priority_defaults;

static const struct args_option priority_rows[] = {
    { NULL, "class", ARGS_VALUE, "realtime|normal|idle",
      "how the kernel deals with the tasks; default: as until now",
      args_text, offsetof(struct priority_options, class), 0, 0 },
};

/* JOB N, or with a class alone JOB. */
static int run_priority(const struct tool *t)
{
    const struct priority_options *o = t->own;
    struct request r = { .order = &order_priority, .keep_class = !o->class,
                         .keep_priority = t->nwords == 1 };
    struct err err;

    if (t->nwords != 2 && !(t->nwords == 1 && o->class))
        return tool_complain(TOOL_USAGE, "priority wants a JOB, and a number from "
                             "%d to %d or --class", PRIORITY_LEAST, PRIORITY_MOST);
    if (strchr(t->words[0], '.'))
        return tool_complain(TOOL_USAGE, "%s: a priority is of a whole JOB",
                             t->words[0]);
    if ((o->class && priority_find_class(&r.priority.class, o->class, &err)) ||
        (t->nwords == 2 && priority_number(&r.priority.n, t->words[1], &err)))
        return tool_complain(TOOL_USAGE, "%s", err.text);
    return order_all(t, r, 1);
}

static const struct due_options due_defaults;

static int take_due(void *to, const struct args_given *g, struct err *err)
{
    return calendar_add(args_at(to, g), g->value, err)
           ? err_prefix(err, "%s \"%.60s\"", g->option, g->value) : 0;
}

static int take_calendar(void *to, const struct args_given *g, struct err *err)
{
    return calendar_file(args_at(to, g), g->value, err);
}

/* A number, or an entry: which one it is the master says. */
static int take_remove(void *to, const struct args_given *g, struct err *err)
{
    struct due_options *o = to;

    if (o->nremove == CALENDAR_MAX)
        return err_set(err, E2BIG, "%s: more than %d", g->option, CALENDAR_MAX);
    o->remove[o->nremove++] = (char *)(uintptr_t)g->value;
    return 0;
}

static const struct args_option due_rows[] = {
    { NULL, "add", ARGS_VALUE, "SPEC",
      "this is due, too; what is due of the same calls stays",
      take_due, offsetof(struct due_options, add), 0, 0 },
    { NULL, "calendar", ARGS_VALUE, "FILE",
      "what is in that file is due: as if each line was given as SPEC",
      take_calendar, offsetof(struct due_options, put), 0, 0 },
    { NULL, "remove", ARGS_VALUE, "N|SPEC",
      "that is not due any more: by its number, or as it was given",
      take_remove, 0, 0, 0 },
    { NULL, "clear", ARGS_NONE, NULL, "nor is anything that is not given here",
      args_flag, offsetof(struct due_options, clear), 0, 0 },
};

/* SPEC may be one of a local time, which is not that of the master. */
static int normalize_removed(struct due_options *o, struct calendar *all,
                             struct err *err)
{
    uint64_t number;

    for (size_t i = 0; i < o->nremove; i++) {
        if (parse_u64(&number, o->remove[i], 0, UINT64_MAX, NULL) == 0)
            continue;
        if (calendar_add(all, o->remove[i], err))
            return err_prefix(err, "--remove \"%.60s\"", o->remove[i]);
        o->remove[i] = all->v[all->n - 1].text;
    }
    return 0;
}

static bool says_nothing(const struct due_options *o)
{
    return !o->put.n && !o->add.n && !o->nremove && !o->clear;
}

/* JOB, and what is due. */
static int run_deadline(const struct tool *t)
{
    struct due_options o = *(const struct due_options *)t->own;
    const struct request r = { .order = &order_deadline, .due = &o };
    struct calendar removed = { 0 };
    int status = 0;
    struct err err;

    for (int i = 1; i < t->nwords && status == 0; i++)
        if (calendar_add(&o.put, t->words[i], &err))
            status = tool_complain(TOOL_USAGE, "%s: %s", t->words[i], err.text);
    if (status == 0 && normalize_removed(&o, &removed, &err))
        status = tool_complain(TOOL_USAGE, "%s", err.text);
    else if (status == 0 && (t->nwords == 0 || says_nothing(&o)))
        status = tool_complain(TOOL_USAGE, "deadline wants a JOB, and what is due"
                               " as \"LABEL<=20ms\", or --remove or --clear;"
                               " hector deadlines shows what is");
    else if (status == 0 && strchr(t->words[0], '.'))
        status = tool_complain(TOOL_USAGE, "%s: a deadline is of a whole JOB; of"
                               " some ranks with ,ranks=0-3", t->words[0]);
    else if (status == 0)
        status = order_all(t, r, 1);
    calendar_fini(&removed);
    calendar_fini(&o.put);
    calendar_fini(&o.add);
    return status;
}

/* Of whole jobs. */
static int order_save(const struct tool *t, const struct order *order,
                      uint64_t quiesce_ns)
{
    struct request r = { .order = order, .quiesce_ns = quiesce_ns,
                         .steps = !t->json && isatty(STDERR_FILENO) };

    if (t->nwords == 0)
        return tool_complain(TOOL_USAGE, "%s wants a JOB", order->name);
    for (int i = 0; i < t->nwords; i++)
        if (strchr(t->words[i], '.'))
            return tool_complain(TOOL_USAGE, "%s: a checkpoint is of a whole JOB",
                                 t->words[i]);
    return order_all(t, r, t->nwords);
}

static int run_checkpoint(const struct tool *t)
{
    const struct migrate_options *o = t->own;

    return order_save(t, &order_checkpoint, o->quiesce_ns);
}

struct suspend_options { uint64_t quiesce_ns; bool to_disk; };
static const struct suspend_options suspend_defaults;

static const struct args_option suspend_rows[] = {
    { NULL, "to-disk", ARGS_NONE, NULL,
      "write the tasks to files and end them; they take no memory then",
      args_flag, offsetof(struct suspend_options, to_disk), 0, 0 },
    { NULL, "quiesce-timeout", ARGS_VALUE, "TIME",
      "give up where the job does not stand by then; default: 10s",
      take_time, offsetof(struct suspend_options, quiesce_ns), 0, 0 },
};

static int run_suspend(const struct tool *t)
{
    const struct suspend_options *o = t->own;

    if (o->to_disk)
        return order_save(t, &order_store, o->quiesce_ns);
    return order_all(t, (struct request){ .order = &order_suspend },
                     t->nwords);
}

struct resume_options { const char *on; };
static const struct resume_options resume_defaults;

static const struct args_option resume_rows[] = {
    { NULL, "on", ARGS_VALUE, "NODE,...",
      "on these nodes, of a job that is on disk; default: as it was started",
      args_text, offsetof(struct resume_options, on), 0, 0 },
};

static int run_resume(const struct tool *t)
{
    const struct resume_options *o = t->own;
    char *on = strdup(o->on ? o->on : ""), *names[NODES_MAX], *rest = NULL;
    struct request r = { .order = &order_resume, .nodes = names };
    int status;

    for (char *p = on ? strtok_r(on, ",", &rest) : NULL;
         p && r.nnodes < NODES_MAX; p = strtok_r(NULL, ",", &rest))
        names[r.nnodes++] = p;
    status = !on ? tool_complain(TOOL_FAILED, "out of memory")
           : rest && *rest
             ? tool_complain(TOOL_USAGE, "--on: more than %d nodes", NODES_MAX)
             : order_all(t, r, t->nwords);
    free(on);
    return status;
}

const struct command kill_command = {
    "kill", "JOB[.RANKS]...", "end jobs or tasks, or signal them",
    COMMAND_OPTIONS(options, defaults), run_kill
};

const struct command migrate_command = {
    "migrate", "JOB[.RANKS] NODE", "move tasks to another node",
    COMMAND_OPTIONS(migrate_rows, migrate_defaults), run_migrate
};

const struct command checkpoint_command = {
    "checkpoint", "JOB...", "write the tasks of a job to files",
    COMMAND_OPTIONS(migrate_rows, migrate_defaults), run_checkpoint
};

const struct command priority_command = {
    "priority", "JOB [N]", "make a job more or less important",
    COMMAND_OPTIONS(priority_rows, priority_defaults), run_priority
};

const struct command deadline_command = {
    "deadline", "JOB [SPEC]...", "say what is due in a job that runs",
    COMMAND_OPTIONS(due_rows, due_defaults), run_deadline
};

const struct command suspend_command = {
    "suspend", "JOB[.RANKS]...", "stop jobs or tasks where they are",
    COMMAND_OPTIONS(suspend_rows, suspend_defaults), run_suspend
};

const struct command resume_command = {
    "resume", "JOB[.RANKS]...", "let them go on",
    COMMAND_OPTIONS(resume_rows, resume_defaults), run_resume
};
