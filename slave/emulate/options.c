/* options.c - the command line of hector-emulate. */
#include "slave/emulate/options.h"

#include <errno.h>
#include <stddef.h>
#include <stdio.h>
#include <string.h>

#include "proto/base/args.h"
#include "proto/base/clock.h"
#include "proto/base/parse.h"

static int take_per_cent(void *to, const struct args_given *g,
                         struct err *err)
{
    uint32_t *ppm = args_at(to, g);
    double percent;

    if (parse_double(&percent, g->value, 0, 100, err))
        return err_prefix(err, "%s", g->option);
    *ppm = (uint32_t)(percent * 10000 + 0.5);
    return 0;
}

static int take_speed(void *to, const struct args_given *g, struct err *err)
{
    return parse_double(args_at(to, g), g->value, 0.001, 1e6, err)
           ? err_prefix(err, "%s", g->option) : 0;
}

static int take_gather(void *to, const struct args_given *g, struct err *err)
{
    static const char *const names[] = { [EMULATE_TREE] = "tree",
                                         [EMULATE_MODEL] = "model",
                                         [EMULATE_OUTLIERS] = "outliers",
                                         [EMULATE_PROGRESS] = "progress" };
    enum emulate_gather *what = args_at(to, g);

    for (unsigned i = 0; i < sizeof(names) / sizeof(names[0]); i++)
        if (strcmp(g->value, names[i]) == 0) {
            *what = (enum emulate_gather)i;
            return 0;
        }
    return err_set(err, EINVAL, "%s: \"%.40s\" is not tree, model, outliers "
                   "or progress", g->option, g->value);
}

static int take_load(void *to, const struct args_given *g, struct err *err)
{
    double percent, *load = args_at(to, g);

    if (parse_double(&percent, g->value, 1, 1000, err))
        return err_prefix(err, "%s", g->option);
    *load = percent / 100;
    return 0;
}

static int take_odd(void *to, const struct args_given *g, struct err *err)
{
    return parse_double(args_at(to, g), g->value, 1, 1000, err)
           ? err_prefix(err, "%s", g->option) : 0;
}

/* Understood when the number of daemons is known. */
static int take_fault(void *to, const struct args_given *g, struct err *err)
{
    struct emulate *e = to;

    if (e->nfaults == EMULATE_FAULTS_MAX)
        return err_set(err, EINVAL, "%s: more than %d", g->option,
                       EMULATE_FAULTS_MAX);
    e->fault_text[e->nfaults++] = g->value;
    return 0;
}

static const struct fleet_conf FLEET = {
    .nodes = 1000, .jobs = 10000, .speeds = 4, .load = 0.8 };

#define AT(f) offsetof(struct emulate, f)
static const struct args_option rows[] = {
    { NULL, "D daemons", ARGS_VALUE, "N", "slaves (64)",
      args_u32, AT(daemons), 1, EMULATE_DAEMONS_MAX },
    { NULL, "n tasks", ARGS_VALUE, "N", "tasks of each (128)",
      args_u32, AT(tasks), 1, EMULATE_TASKS_MAX },
    { NULL, "t traces", ARGS_VALUE, "N", "stack traces of each task (3)",
      args_u32, AT(traces), 1, 4096 },
    { NULL, "m depth", ARGS_VALUE, "N", "calls below main in a trace (7)",
      args_u32, AT(depth), 1, 1000 },
    { NULL, "b breadth", ARGS_VALUE, "N", "functions that each can call (2)",
      args_u32, AT(breadth), 1, 1000 },
    { NULL, "e classes", ARGS_VALUE, "N",
      "classes of tasks with the same traces (5); 0: all differ",
      args_u32, AT(classes), 0, EMULATE_TASKS_MAX },
    { NULL, "f fan-out", ARGS_VALUE, "N",
      "of the tree of slaves (the master's)",
      args_u32, AT(fan_out), 1, EMULATE_DAEMONS_MAX },
    { NULL, "d levels", ARGS_VALUE, "N",
      "of the tree, without -f (the master's)", args_u32, AT(levels), 1, 16 },
    { NULL, "i iterations", ARGS_VALUE, "N",
      "reductions after the first (3)", args_u32, AT(iterations), 0, 100000 },
    { NULL, "gather", ARGS_VALUE, "WHAT",
      "in reductions: tree, model, outliers or progress (tree)", take_gather, AT(gather), 0, 0 },
    { NULL, "U brief", ARGS_NONE, NULL,
      "counts and representatives of the classes",
      args_flag, AT(brief), 0, 0 },
    { NULL, "j json", ARGS_NONE, NULL, "answer in JSON",
      args_flag, AT(json), 0, 0 },
    { NULL, "seconds", ARGS_VALUE, "S",
      "send samples of all tasks for so long (0)",
      args_duration, AT(seconds_ns), 0, 0 },
    { NULL, "events", ARGS_VALUE, "N",
      "and tagged events, so many a second (0)",
      args_u64, AT(events), 0, 100000000 },
    { NULL, "batch", ARGS_VALUE, "N", "events in a message (100)",
      args_u32, AT(batch), 1, 1000 },
    { NULL, "sites", ARGS_VALUE, "N",
      "places that tasks call MPI from; their costs are told (0)",
      args_u32, AT(sites), 0, EMULATE_SITES_MAX },
    { NULL, "call-time", ARGS_VALUE, "S",
      "virtual time from a call to the next (10ms)",
      args_duration, AT(call_ns), 0, 0 },
    { NULL, "interval", ARGS_VALUE, "S",
      "virtual time between statements of costs (a slave's)",
      args_duration, AT(interval_ns), 0, 0 },
    { NULL, "outliers", ARGS_VALUE, "P",
      "per cent of tasks that compute twice as long at a site (0)",
      take_per_cent, AT(outliers_ppm), 0, 0 },
    { NULL, "odd", ARGS_VALUE, "X",
      "with --gather outliers: one task takes so many times as long in a step (2)",
      take_odd, AT(odd), 0, 0 },
    { NULL, "spread", ARGS_VALUE, "P",
      "... and the loads of tasks differ by so many per cent (0)",
      take_per_cent, AT(spread_ppm), 0, 0 },
    { NULL, "program", ARGS_VALUE, "FILE",
      "... the program is that of a file: runs with a fault each are played",
      args_text, AT(program), 0, 0 },
    { NULL, "trials", ARGS_VALUE, "N", "... so many runs (8)",
      args_u32, AT(trials), 1, 1000000 },
    { NULL, "clean", ARGS_NONE, NULL, "... without a fault",
      args_flag, AT(clean), 0, 0 },
    { NULL, "optimizer", ARGS_VALUE, "NAME|FILE[:K=V]",
      "no slaves: jobs in virtual time, by it, by stay and by balance",
      args_text, AT(optimizer), 0, 0 },
    { NULL, "nodes", ARGS_VALUE, "N", "... on so many nodes (1000)",
      args_u32, AT(fleet.nodes), 1, EMULATE_NODES_MAX },
    { NULL, "jobs", ARGS_VALUE, "N", "... so many jobs (10000)",
      args_u32, AT(fleet.jobs), 1, EMULATE_JOBS_MAX },
    { NULL, "speeds", ARGS_VALUE, "N", "... nodes are of so many speeds (4)",
      args_u32, AT(fleet.speeds), 1, 1000 },
    { NULL, "load", ARGS_VALUE, "P",
      "... the jobs need so many per cent of all processors (80)",
      take_load, AT(fleet.load), 0, 0 },
    { NULL, "seed", ARGS_VALUE, "N", "of the times of calls (1)",
      args_u64, AT(seed), 0, UINT64_MAX },
    { NULL, "speed", ARGS_VALUE, "X", "virtual seconds a second (1)",
      take_speed, AT(speed), 0, 0 },
    { NULL, "wait", ARGS_VALUE, "S", "time of a reduction (the master's)",
      args_duration, AT(wait_ns), 0, 0 },
    { NULL, "workers", ARGS_VALUE, "N",
      "processes that play the slaves (2)",
      args_u32, AT(workers), 1, EMULATE_WORKERS_MAX },
    { NULL, "policy", ARGS_VALUE, "NAME",
      "that watches the job; none: nobody looks at it",
      args_text, AT(policy), 0, 0 },
    { NULL, "master", ARGS_VALUE, "ADDR", "a master that runs already",
      args_text, AT(master), 0, 0 },
    { NULL, "no-end", ARGS_NONE, NULL, "leave without ending the job",
      args_flag, AT(no_end), 0, 0 },
    { NULL, "fault", ARGS_VALUE, "F",
      "DAEMON:die, DAEMON:silent, DAEMON:late=DURATION, DAEMON:noise or "
      "DAEMON:lie, when the first reduction begins, or DAEMON:forge; "
      "repeatable", take_fault, 0, 0, 0 },
    ARGS_COMMON,
};
static const struct args_program program = {
    "hector-emulate",
    "usage: hector-emulate [OPTION]...\n"
    "Emulated slaves and tasks for a real hector-master.\n",
    rows, sizeof(rows) / sizeof(rows[0]) };

static int complain(const char *what, const char *why)
{
    fprintf(stderr, "hector-emulate: %s: %s\n", what, why);
    return ARGS_USAGE;
}

/* "DAEMON:die", "DAEMON:silent", "DAEMON:late=DURATION", "DAEMON:noise",
 * "DAEMON:lie", "DAEMON:forge" */
static int parse_fault(struct emulate_fault *f, const char *text,
                       uint32_t daemons, struct err *err)
{
    const char *colon = strchr(text, ':');
    char number[16] = "";
    uint64_t n;

    if (colon && colon - text < (long)sizeof(number))
        memcpy(number, text, (size_t)(colon - text));
    if (!*number || parse_u64(&n, number, 0, daemons - 1, NULL))
        return err_set(err, EINVAL, "\"%.60s\" does not begin with the number "
                       "of a daemon, 0 to %u", text, daemons - 1);
    *f = (struct emulate_fault){ .daemon = (uint32_t)n };
    if (strcmp(colon, ":die") == 0)
        f->kind = EMULATE_DIE;
    else if (strcmp(colon, ":silent") == 0)
        f->kind = EMULATE_SILENT;
    else if (strncmp(colon, ":late=", 6) == 0 &&
             parse_duration(&f->late_ns, colon + 6, NULL) == 0)
        f->kind = EMULATE_LATE;
    else if (strcmp(colon, ":noise") == 0)
        f->kind = EMULATE_NOISE;
    else if (strcmp(colon, ":lie") == 0)
        f->kind = EMULATE_LIE;
    else if (strcmp(colon, ":forge") == 0)
        f->kind = EMULATE_FORGE;
    else
        return err_set(err, EINVAL, "\"%.60s\" is no fault; there are die, "
                       "silent, late=DURATION, noise, lie and forge", colon + 1);
    return 0;
}

static int check_fleet(struct emulate *e)
{
    const struct fleet_conf *f = &e->fleet;

    e->fleet.seed = e->seed;
    if (!e->optimizer && (f->nodes != FLEET.nodes || f->jobs != FLEET.jobs ||
                          f->speeds != FLEET.speeds || f->load != FLEET.load))
        return complain("--nodes, --jobs, --speeds, --load",
                        "need --optimizer");
    if (e->optimizer && (e->seconds_ns || e->sites || e->program || e->master ||
                         e->nfaults || e->gather))
        return complain("--optimizer", "goes with --nodes, --jobs, --speeds, "
                        "--load, --seed and -j alone: there are no slaves");
    return -1;
}

/* What only all of them together say. */
static int check_all(struct emulate *e)
{
    struct err err;
    int rc = check_fleet(e);

    if (rc >= 0)
        return rc;

    if ((uint64_t)e->daemons * e->tasks > EMULATE_TASKS_MAX) {
        err_set(&err, EINVAL, "%u daemons of %u tasks are more than %d tasks",
                e->daemons, e->tasks, EMULATE_TASKS_MAX);
        return complain("-D, -n", err.text);
    }
    if (e->fan_out && e->levels)
        return complain("-f, -d", "give the fan-out or the levels, the other "
                        "follows from it");
    if (e->events && !e->seconds_ns)
        return complain("--events", "needs --seconds");
    if (!e->sites && (e->interval_ns || e->outliers_ppm))
        return complain(e->interval_ns ? "--interval" : "--outliers",
                        "needs --sites");
    if (e->gather != EMULATE_OUTLIERS && (e->spread_ppm || e->odd != 2))
        return complain(e->spread_ppm ? "--spread" : "--odd",
                        "needs --gather outliers");
    if (e->program && (e->gather != EMULATE_OUTLIERS || e->odd != 2))
        return complain("--program", "goes with --gather outliers, and not with "
                        "--odd");
    if (!e->program && (e->clean || e->trials != 8))
        return complain(e->clean ? "--clean" : "--trials", "needs --program");
    if (e->call_ns < 1000)
        return complain("--call-time", "is less than 1us");
    if (e->workers > e->daemons)
        e->workers = e->daemons;
    for (uint32_t i = 0; i < e->nfaults; i++)
        if (parse_fault(&e->faults[i], e->fault_text[i], e->daemons, &err))
            return complain("--fault", err.text);
    return -1;
}

int emulate_options(struct emulate *e, int argc, char **argv)
{
    int word, rc;

    *e = (struct emulate){
        .daemons = 64, .tasks = 128, .traces = 3, .depth = 7, .breadth = 2,
        .classes = 5, .iterations = 3, .batch = 100, .workers = 2,
        .speed = 1, .odd = 2, .trials = 8, .seed = 1,
        .call_ns = 10 * CLOCK_NS_PER_MS, .fleet = FLEET };
    rc = args_program(&program, e, argc, argv, &word);
    if (rc >= 0)
        return rc;
    if (word < argc)
        return complain(argv[word], "nothing is expected behind the options");
    return check_all(e);
}
