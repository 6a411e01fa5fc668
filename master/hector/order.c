/* order.c - hector kill, suspend, resume: ends jobs or tasks, sends them a
 * signal, stops them and lets them go on, by way of the master that runs them.
 *
 * Where that master listens stands in the database, in the row of the job.
 * One target after the other: connect, Hello, Welcome, the request, Result. */
#include "master/hector/commands.h"

#include <errno.h>
#include <event2/event.h>
#include <inttypes.h>
#include <jansson.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "master/hector/core/seek.h"
#include "master/hector/core/target.h"
#include "proto/base/signals.h"
#include "proto/base/str.h"
#include "proto/link/conn.h"
#include "proto/link/greeting.h"

enum { ORDER_WAIT_S = 20 };

struct request;
struct order {
    const char *name;           /* of the command */
    int (*send)(struct conn *c, const struct request *r, char *why);
    Hct__HoldOrder hold;        /* for send_hold() */
};

struct request {
    struct event_base *base;            /* owned */
    struct conn *conn;                  /* owned while the loop runs */
    const struct target *target;        /* borrowed */
    const char *ranks;                  /* text form; borrowed */
    char who[128];                      /* user@host, for the record */
    const struct order *order;          /* borrowed */
    int signal;
    bool answered, good;
    char text[512];                     /* the answer, or what went wrong */
};

static void settle(struct request *r, bool good, const char *text)
{
    if (!r->answered) {
        r->answered = true;
        r->good = good;
        snprintf(r->text, sizeof(r->text), "%s", text);
    }
    event_base_loopbreak(r->base);
}

static void on_open(void *arg, struct conn *c)
{
    Hct__Hello hello = HCT__HELLO__INIT;

    (void)arg;
    hello.role = HCT__ROLE__ROLE_OPERATOR;
    greeting_hello(c, &hello);
}

static void on_close(void *arg, struct conn *c, const struct err *why)
{
    struct request *r = arg;

    (void)c;
    r->conn = NULL;
    settle(r, false, why->text);
}

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
    return conn_send(c, MESSAGE_HOLD, &m);
}

static const struct order order_kill = { "kill", send_kill, 0 };
static const struct order order_signal = { "kill", send_signal, 0 };
static const struct order order_suspend = {
    "suspend", send_hold, HCT__HOLD_ORDER__HOLD_SUSPEND
};
static const struct order order_resume = {
    "resume", send_hold, HCT__HOLD_ORDER__HOLD_RESUME
};

static int on_welcome(void *arg, struct conn *c, const void *msg,
                      struct err *err)
{
    struct request *r = arg;
    char why[160];

    if (greeting_welcomed(c, msg, HCT__ROLE__ROLE_MASTER, err))
        return -1;
    snprintf(why, sizeof(why), "hector %s by %s", r->order->name, r->who);
    if (r->order->send(c, r, why))
        settle(r, false, "cannot send to the master");
    return 0;
}

static int on_result(void *arg, struct conn *c, const void *msg,
                     struct err *err)
{
    const Hct__Result *m = msg;

    (void)c;
    (void)err;
    settle(arg, m->ok, m->text);
    return 0;
}

static const struct conn_route routes[] = {
    { MESSAGE_WELCOME, CONN_STRANGER, on_welcome },
    { MESSAGE_REFUSE, CONN_STRANGER, greeting_on_refuse },
    { MESSAGE_RESULT, CONN_ROLE(HCT__ROLE__ROLE_MASTER), on_result },
};
static const struct conn_ops ops = {
    routes, sizeof(routes) / sizeof(routes[0]), on_open, on_close, NULL,
};

/* Ask the master at address. -1 with err if it gave no answer. */
static int ask(struct request *r, const char *address, struct err *err)
{
    struct conn_conf conf = { 0 };
    struct timeval limit = { ORDER_WAIT_S, 0 };
    struct key key;

    if (seek_key(address, &conf, &key, err))
        return -1;
    r->base = event_base_new();
    if (!r->base)
        return err_memory(err);
    r->conn = conn_open_to(r->base, address, &conf, &ops, r, err);
    if (!r->conn) {
        event_base_free(r->base);
        return -1;
    }
    event_base_loopexit(r->base, &limit);
    event_base_dispatch(r->base);
    conn_close(r->conn);
    event_base_free(r->base);
    if (!r->answered)
        return err_set(err, ETIMEDOUT, "no answer within %d s", ORDER_WAIT_S);
    return 0;
}

static void answer_json(const char *word, bool good, const char *text)
{
    json_t *j = json_pack("{s:s, s:b, s:s}", "target", word, "ok", good,
                          "text", text);

    if (j)
        json_dumpf(j, stdout, JSON_COMPACT);
    json_decref(j);
    putchar('\n');
}

static int order_one(const struct tool *t, const struct order *order,
                     int number, const struct target *target, const char *word)
{
    struct request r = { .target = target, .order = order,
                         .signal = number };
    char ranks[4096] = "all", line[4 * sizeof(r.text)];
    char address[ADDR_LIST_MAX];
    struct err err = { 0 };

    greeting_name(r.who, sizeof(r.who));
    if (!target->all &&
        taskset_format(&target->ranks, ranks, sizeof(ranks)) >=
            (int)sizeof(ranks))
        return tool_complain(TOOL_USAGE, "%s: too many ranges", word);
    r.ranks = ranks;
    if (seek_master(t, target->job, address, &err) ||
        ask(&r, address, &err))
        snprintf(r.text, sizeof(r.text), "%s", err.text);
    if (t->json) {
        answer_json(word, r.good, r.text);
    } else if (r.good) {
        str_visible(line, sizeof(line), r.text, strlen(r.text));
        printf("%s: %s\n", word, *line ? line : "done");
    }
    if (!r.good)
        return tool_complain(TOOL_FAILED, "%s: %s", word, r.text);
    return 0;
}

static int order_all(const struct tool *t, const struct order *order,
                     int number)
{
    struct target target;
    struct err err;
    int status = 0;

    if (t->nwords == 0)
        return tool_complain(TOOL_USAGE, "%s wants a JOB or JOB.RANKS",
                             order->name);
    for (int i = 0; i < t->nwords; i++) {
        if (target_parse(&target, t->words[i], &err))
            return tool_complain(TOOL_USAGE, "%s", err.text);
        if (order_one(t, order, number, &target, t->words[i]))
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

    return order_all(t, o->signal ? &order_signal : &order_kill, o->signal);
}

static int run_suspend(const struct tool *t)
{
    return order_all(t, &order_suspend, 0);
}

static int run_resume(const struct tool *t)
{
    return order_all(t, &order_resume, 0);
}

const struct command kill_command = {
    "kill", "JOB[.RANKS]...", "end jobs or tasks, or signal them",
    COMMAND_OPTIONS(options, defaults), run_kill
};

const struct command suspend_command = {
    "suspend", "JOB[.RANKS]...", "stop jobs or tasks where they are",
    COMMAND_NO_OPTIONS, run_suspend
};

const struct command resume_command = {
    "resume", "JOB[.RANKS]...", "let them go on",
    COMMAND_NO_OPTIONS, run_resume
};
