/* drain.c - hector drain, undrain: a node takes no new tasks, and those that are
 * there leave; or it takes tasks again. By way of the master that was started
 * last. */
#include "master/hector/commands.h"

#include <jansson.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "master/hector/core/seek.h"
#include "master/hector/core/talk.h"
#include "proto/base/array.h"
#include "proto/base/str.h"
#include "proto/link/conn.h"
#include "proto/link/greeting.h"

enum { DRAIN_WAIT_S = 20, DRAIN_TO_MAX = 256 };

struct told {                   /* of a job, the last */
    uint64_t job;
    uint32_t ntasks;
    Hct__Leaving__Fate fate;
    char text[512];
};

struct asking {
    struct talk talk;           /* first: routes get it */
    const Hct__Drain *what;     /* borrowed */
    struct told *jobs;          /* owned */
    size_t njobs, cap;
    bool shows;                 /* a terminal sees how far it is */
    char lost[200];             /* what is said if the master is gone meanwhile */
};

static int send_drain(struct talk *t, struct conn *c)
{
    struct asking *a = (struct asking *)t;

    if (a->what->wait)
        t->lost = a->lost;
    return conn_send(c, MESSAGE_DRAIN, a->what);
}

/* One line that is written over, for a person who looks on. */
static void show(const struct asking *a)
{
    uint64_t all = 0, left = 0;

    for (size_t i = 0; i < a->njobs; i++) {
        all += a->jobs[i].ntasks;
        if (a->jobs[i].fate == HCT__LEAVING__FATE__LEFT)
            left += a->jobs[i].ntasks;
    }
    if (a->shows)
        fprintf(stderr, "\r%llu of %llu tasks have left \033[K",
                (unsigned long long)left, (unsigned long long)all);
}

static int on_leaving(void *arg, struct conn *c, const void *msg,
                      struct err *err)
{
    struct asking *a = arg;
    const Hct__Leaving *m = msg;
    struct told *t;
    size_t at = 0;

    (void)c;
    while (at < a->njobs && a->jobs[at].job != m->job)
        at++;
    if (at == a->njobs) {
        if (array_reserve(&a->jobs, &a->cap, a->njobs + 1))
            return err_memory(err);
        a->njobs++;
    }
    t = &a->jobs[at];
    t->job = m->job;
    t->ntasks = m->ntasks;
    t->fate = m->fate;
    str_visible(t->text, sizeof(t->text), m->text, strlen(m->text));
    show(a);
    return 0;
}

static const struct conn_route routes[] = {
    { MESSAGE_LEAVING, CONN_ROLE(HCT__ROLE__ROLE_MASTER), on_leaving },
    TALK_ROUTES,
};

static int ask(struct asking *a, const struct tool *t, struct err *err)
{
    char address[ADDR_LIST_MAX];

    return seek_master(t, 0, address, err) ||
           talk_hold(&a->talk, address, routes,
                     sizeof(routes) / sizeof(routes[0]), err) ? -1 : 0;
}

/* ------------------------------------------------------------------ answers */

static const char *fate_name(Hct__Leaving__Fate f)
{
    switch (f) {
    case HCT__LEAVING__FATE__WAITS:
        return "waits";
    case HCT__LEAVING__FATE__LEAVES:
        return "leaves";
    case HCT__LEAVING__FATE__LEFT:
        return "left";
    default:
        return "stays";
    }
}

static void answer_json(const struct asking *a)
{
    json_t *jobs = json_array();
    json_t *all;

    for (size_t i = 0; i < a->njobs; i++)
        json_array_append_new(jobs, json_pack(
            "{s:I, s:i, s:s, s:s}", "job", (json_int_t)a->jobs[i].job,
            "tasks", (int)a->jobs[i].ntasks, "state",
            fate_name(a->jobs[i].fate), "text", a->jobs[i].text));
    all = json_pack("{s:s, s:b, s:s, s:o}", "target", a->what->node, "ok",
                    a->talk.good, "text", a->talk.text, "jobs", jobs);
    if (all)
        json_dumpf(all, stdout, JSON_COMPACT);
    json_decref(all);
    putchar('\n');
}

/* Those that cannot leave are what is wrong, if it was waited for. */
static void answer_text(const struct asking *a)
{
    const char *node = a->what->node;
    char line[4 * sizeof(a->talk.text)];

    str_visible(line, sizeof(line), a->talk.text, strlen(a->talk.text));
    if (a->talk.good)
        printf("%s: %s\n", node, line);
    for (size_t i = 0; i < a->njobs; i++) {
        const struct told *t = &a->jobs[i];
        bool bad = !a->talk.good && t->fate == HCT__LEAVING__FATE__STAYS;

        fprintf(bad ? stderr : stdout, "%sjob %llu: %s%s\n",
                bad ? "hector: " : "", (unsigned long long)t->job,
                t->fate == HCT__LEAVING__FATE__STAYS ? "it stays: " : "",
                t->text);
    }
}

static int order(const struct tool *t, Hct__Drain *m, const char *command)
{
    struct asking a = {
        .talk = { .send = send_drain, .wait_s = m->wait ? 0 : DRAIN_WAIT_S },
        .what = m,
        .shows = m->wait && !t->json && isatty(STDERR_FILENO) };
    char who[128], why[200];
    struct err err = { 0 };

    if (t->nwords != 1)
        return tool_complain(TOOL_USAGE, "%s wants the name of a node",
                             command);
    greeting_name(who, sizeof(who));
    snprintf(why, sizeof(why), "hector %s %.40s by %s", command, t->words[0],
             who);
    snprintf(a.lost, sizeof(a.lost), "the master is gone before all tasks had "
             "left; it goes on when it is started again, and hector drain %.60s "
             "--wait waits for that: ", t->words[0]);
    m->node = t->words[0];
    m->why = why;
    if (ask(&a, t, &err))
        snprintf(a.talk.text, sizeof(a.talk.text), "%s", err.text);
    if (a.shows)
        fputs("\r\033[K", stderr);
    if (t->json)
        answer_json(&a);
    else
        answer_text(&a);
    free(a.jobs);
    if (!a.talk.good)
        return tool_complain(TOOL_FAILED, "%s: %s", m->node, a.talk.text);
    return 0;
}

/* ----------------------------------------------------------------- commands */

struct drain_options { const char *to; bool wait; };
static const struct drain_options defaults;

static const struct args_option options[] = {
    { NULL, "to", ARGS_VALUE, "NODE,...",
      "to these nodes; default: any that have room", args_text,
      offsetof(struct drain_options, to), 0, 0 },
    { NULL, "wait", ARGS_NONE, NULL, "until the tasks have left, or cannot",
      args_flag, offsetof(struct drain_options, wait), 0, 0 },
};

static int run_drain(const struct tool *t)
{
    const struct drain_options *o = t->own;
    Hct__Drain m = HCT__DRAIN__INIT;
    char *to = strdup(o->to ? o->to : ""), *names[DRAIN_TO_MAX], *rest = NULL;
    int status;

    if (!to)
        return tool_complain(TOOL_FAILED, "out of memory");
    m.to = names;
    m.wait = o->wait;
    for (char *w = strtok_r(to, ",", &rest); w && m.n_to < DRAIN_TO_MAX;
         w = strtok_r(NULL, ",", &rest))
        names[m.n_to++] = w;
    if (o->to && (m.n_to == 0 || m.n_to == DRAIN_TO_MAX))
        status = tool_complain(TOOL_USAGE, "--to \"%.80s\": names of nodes are "
                               "wanted, as n2,n3", o->to);
    else
        status = order(t, &m, "drain");
    free(to);
    return status;
}

static int run_undrain(const struct tool *t)
{
    Hct__Drain m = HCT__DRAIN__INIT;

    m.undo = true;
    return order(t, &m, "undrain");
}

const struct command drain_command = {
    "drain", "NODE", "no new tasks for a node, and those there leave",
    COMMAND_OPTIONS(options, defaults), run_drain
};

const struct command undrain_command = {
    "undrain", "NODE", "let it take tasks again",
    COMMAND_NO_OPTIONS, run_undrain
};
