/* options.c - the command line of hector-emulate. */
#include "slave/emulate/options.h"

#include <errno.h>
#include <getopt.h>
#include <stddef.h>
#include <stdio.h>
#include <string.h>

#include "proto/base/clock.h"
#include "proto/base/parse.h"

enum { USAGE = 2, SECONDS = 256, EVENTS, BATCH, SPEED, WAIT, WORKERS, MASTER,
       NO_END, FAULT, HELP, SITES, CALL_TIME, INTERVAL, OUTLIERS, SEED, GATHER,
       POLICY };

static const struct option longs[] = {
    { "daemons", required_argument, NULL, 'D' },
    { "tasks", required_argument, NULL, 'n' },
    { "traces", required_argument, NULL, 't' },
    { "depth", required_argument, NULL, 'm' },
    { "breadth", required_argument, NULL, 'b' },
    { "classes", required_argument, NULL, 'e' },
    { "fan-out", required_argument, NULL, 'f' },
    { "levels", required_argument, NULL, 'd' },
    { "iterations", required_argument, NULL, 'i' },
    { "gather", required_argument, NULL, GATHER },
    { "brief", no_argument, NULL, 'U' },
    { "json", no_argument, NULL, 'j' },
    { "seconds", required_argument, NULL, SECONDS },
    { "events", required_argument, NULL, EVENTS },
    { "batch", required_argument, NULL, BATCH },
    { "sites", required_argument, NULL, SITES },
    { "call-time", required_argument, NULL, CALL_TIME },
    { "interval", required_argument, NULL, INTERVAL },
    { "outliers", required_argument, NULL, OUTLIERS },
    { "seed", required_argument, NULL, SEED },
    { "speed", required_argument, NULL, SPEED },
    { "wait", required_argument, NULL, WAIT },
    { "workers", required_argument, NULL, WORKERS },
    { "policy", required_argument, NULL, POLICY },
    { "master", required_argument, NULL, MASTER },
    { "no-end", no_argument, NULL, NO_END },
    { "fault", required_argument, NULL, FAULT },
    { "help", no_argument, NULL, HELP },
    { "version", no_argument, NULL, 'V' },
    { NULL, 0, NULL, 0 },
};

static const struct number {
    int option;
    size_t offset;
    uint32_t min, max, fallback;
} numbers[] = {
    { 'D', offsetof(struct emulate, daemons), 1, EMULATE_DAEMONS_MAX, 64 },
    { 'n', offsetof(struct emulate, tasks), 1, EMULATE_TASKS_MAX, 128 },
    { 't', offsetof(struct emulate, traces), 1, 4096, 3 },
    { 'm', offsetof(struct emulate, depth), 1, 1000, 7 },
    { 'b', offsetof(struct emulate, breadth), 1, 1000, 2 },
    { 'e', offsetof(struct emulate, classes), 0, EMULATE_TASKS_MAX, 5 },
    { 'f', offsetof(struct emulate, fan_out), 1, EMULATE_DAEMONS_MAX, 0 },
    { 'd', offsetof(struct emulate, levels), 1, 16, 0 },
    { 'i', offsetof(struct emulate, iterations), 0, 100000, 3 },
    { BATCH, offsetof(struct emulate, batch), 1, 1000, 100 },
    { SITES, offsetof(struct emulate, sites), 0, EMULATE_SITES_MAX, 0 },
    { WORKERS, offsetof(struct emulate, workers), 1, EMULATE_WORKERS_MAX, 2 },
};

static void usage(FILE *to)
{
    fputs("usage: hector-emulate [OPTION...]\n"
          "Emulated slaves and tasks for a real hector-master.\n"
          "  -D, --daemons N     slaves (64)\n"
          "  -n, --tasks N       tasks of each (128)\n"
          "  -t, --traces N      stack traces of each task (3)\n"
          "  -m, --depth N       calls below main in a trace (7)\n"
          "  -b, --breadth N     functions that each can call (2)\n"
          "  -e, --classes N     classes of tasks with the same traces (5); 0: "
          "all differ\n"
          "  -f, --fan-out N     of the tree of slaves (the master's)\n"
          "  -d, --levels N      of the tree, without -f (the master's)\n"
          "  -i, --iterations N  reductions after the first (3)\n"
          "      --gather WHAT   in reductions: tree, or model (tree)\n"
          "  -U, --brief         counts and representatives of the classes\n"
          "  -j, --json          answer in JSON\n"
          "      --seconds S     send samples of all tasks for so long (0)\n"
          "      --events N      and tagged events, so many a second (0)\n"
          "      --batch N       events in a message (100)\n"
          "      --sites N       places that tasks call MPI from; their costs "
          "are told (0)\n"
          "      --call-time S   virtual time from a call to the next (10ms)\n"
          "      --interval S    virtual time between statements of costs (a "
          "slave's)\n"
          "      --outliers P    per cent of tasks that compute twice as long "
          "at a site (0)\n"
          "      --seed N        of the times of calls (1)\n"
          "      --speed X       virtual seconds a second (1)\n"
          "      --wait S        time of a reduction (the master's)\n"
          "      --workers N     processes that play the slaves (2)\n"
          "      --policy NAME   that watches the job; none: nobody looks at "
          "it\n"
          "      --master ADDR   a master that runs already\n"
          "      --no-end        leave without ending the job\n"
          "      --fault F       DAEMON:die, DAEMON:silent, "
          "DAEMON:late=DURATION,\n"
          "                      DAEMON:noise or DAEMON:lie,\n"
          "                      when the first reduction begins, or\n"
          "                      DAEMON:forge; repeatable\n"
          "  -V, --version\n"
          "      --help\n", to);
}

static int complain(const char *what, const char *why)
{
    fprintf(stderr, "hector-emulate: %s: %s\n", what, why);
    return USAGE;
}

int emulate_fault_parse(struct emulate_fault *f, const char *text,
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

static int set_number(struct emulate *e, int c, const char *text,
                      struct err *err)
{
    for (size_t i = 0; i < sizeof(numbers) / sizeof(numbers[0]); i++) {
        const struct number *x = &numbers[i];
        uint64_t v;

        if (x->option != c)
            continue;
        if (parse_u64(&v, text, x->min, x->max, err))
            return -1;
        memcpy((char *)e + x->offset, &(uint32_t){ (uint32_t)v },
               sizeof(uint32_t));
        return 0;
    }
    return err_set(err, EINVAL, "is no number");
}

static int set_option(struct emulate *e, int c, const char *text,
                      const char **faults, uint32_t *nfaults, struct err *err)
{
    double percent;

    switch (c) {
    case 'U': e->brief = true; return 0;
    case 'j': e->json = true; return 0;
    case NO_END: e->no_end = true; return 0;
    case MASTER: e->master = text; return 0;
    case POLICY: e->policy = text; return 0;
    case SECONDS: return parse_duration(&e->seconds_ns, text, err);
    case WAIT: return parse_duration(&e->wait_ns, text, err);
    case CALL_TIME: return parse_duration(&e->call_ns, text, err);
    case INTERVAL: return parse_duration(&e->interval_ns, text, err);
    case GATHER:
        e->gather = strcmp(text, "model") == 0 ? EMULATE_MODEL : EMULATE_TREE;
        return e->gather == EMULATE_MODEL || strcmp(text, "tree") == 0 ? 0
            : err_set(err, EINVAL, "\"%.40s\" is not tree or model", text);
    case SEED: return parse_u64(&e->seed, text, 0, UINT64_MAX, err);
    case OUTLIERS:
        if (parse_double(&percent, text, 0, 100, err))
            return -1;
        e->outliers_ppm = (uint32_t)(percent * 10000 + 0.5);
        return 0;
    case EVENTS: return parse_u64(&e->events, text, 0, 100000000, err);
    case SPEED: return parse_double(&e->speed, text, 0.001, 1e6, err);
    case FAULT:
        if (*nfaults == EMULATE_FAULTS_MAX)
            return err_set(err, EINVAL, "more than %d", EMULATE_FAULTS_MAX);
        faults[(*nfaults)++] = text;
        return 0;
    default: return set_number(e, c, text, err);
    }
}

/* What only all of them together say. */
static int check_all(struct emulate *e, const char *const *faults,
                     uint32_t nfaults)
{
    struct err err;

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
    if (e->call_ns < 1000)
        return complain("--call-time", "is less than 1us");
    if (e->workers > e->daemons)
        e->workers = e->daemons;
    for (uint32_t i = 0; i < nfaults; i++)
        if (emulate_fault_parse(&e->faults[e->nfaults++], faults[i],
                                e->daemons, &err))
            return complain("--fault", err.text);
    return -1;
}

static const char *option_name(int c, char name[8])
{
    for (size_t i = 0; longs[i].name; i++)
        if (c > 255 && longs[i].val == c)
            return longs[i].name;
    snprintf(name, 8, "-%c", c);
    return name;
}

int emulate_options(struct emulate *e, int argc, char **argv)
{
    const char *faults[EMULATE_FAULTS_MAX];
    uint32_t nfaults = 0;
    struct err err;
    char name[8];
    int c;

    *e = (struct emulate){ .speed = 1, .seed = 1,
                           .call_ns = 10 * CLOCK_NS_PER_MS };
    for (size_t i = 0; i < sizeof(numbers) / sizeof(numbers[0]); i++)
        memcpy((char *)e + numbers[i].offset, &numbers[i].fallback,
               sizeof(uint32_t));
    while ((c = getopt_long(argc, argv, "D:n:t:m:b:e:f:d:i:UjV", longs,
                            NULL)) != -1)
        switch (c) {
        case 'V': puts("hector-emulate " HECTOR_VERSION); return 0;
        case HELP: usage(stdout); return 0;
        case '?': usage(stderr); return USAGE;
        default:
            if (set_option(e, c, optarg, faults, &nfaults, &err))
                return complain(option_name(c, name), err.text);
        }
    if (optind < argc)
        return complain(argv[optind], "nothing is expected behind the "
                        "options");
    return check_all(e, faults, nfaults);
}
