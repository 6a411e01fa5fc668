/* main.c - hector, the operator's tool: reads the command line and calls the
 * command. See hector(1). */
#include <getopt.h>
#include <stdio.h>
#include <string.h>

#include "master/hector/commands.h"
#include "master/hector/model/model.h"
#include "master/hector/stack/stack.h"
#include "master/hector/why/why.h"
#include "proto/base/log.h"
#include "proto/base/parse.h"
#include "proto/base/signals.h"

/* own: the options a command has besides those that all have. */
static const struct command {
    const char *name, *own, *words, *help;
    int (*run)(const struct tool *t);
} commands[] = {
    { "ps", "an", "[JOB[.RANKS]]", "jobs, or the tasks of a job",
      ps_command },
    { "nodes", "", "", "machines, their load and their clocks",
      nodes_command },
    { "events", "n", "JOB[.RANKS]", "tagged MPI calls, in time",
      events_command },
    { "report", "an", "JOB[.RANKS]", "where its time went: tasks, calls, sites",
      report_command },
    { "kill", "S", "JOB[.RANKS]...", "end jobs or tasks, or signal them",
      kill_command },
    { "suspend", "", "JOB[.RANKS]...", "stop jobs or tasks where they are",
      suspend_command },
    { "resume", "", "JOB[.RANKS]...", "let them go on", resume_command },
    { "stack", "aPNILTDFGHK", "JOB[.RANKS]", "where the tasks are",
      stack_command },
    { "model", "nDKMOQ", "JOB[.RANKS]", "how the tasks move from call to call",
      model_command },
    { "tree", "n", "[JOB]", "the tree of slaves, and who answers",
      tree_command },
    { "why", "", "JOB", "what policies have found about it",
      why_command },
    { "replay", "p", "[DATABASE] [JOB]", "ask a policy again", replay_command },
    { "sql", "", "QUERY", "ask the database", sql_command },
};

static const struct option options[] = {
    { "json", no_argument, NULL, 'j' },
    { "db", required_argument, NULL, 'd' },
    { "socket", required_argument, NULL, 's' },
    { "all", no_argument, NULL, 'a' },
    { "count", required_argument, NULL, 'n' },
    { "signal", required_argument, NULL, 'S' },
    { "policy", required_argument, NULL, 'p' },
    { "pid", required_argument, NULL, 'P' },
    { "samples", required_argument, NULL, 'N' },
    { "interval", required_argument, NULL, 'I' },
    { "lines", no_argument, NULL, 'L' },
    { "threads", no_argument, NULL, 'T' },
    { "dot", no_argument, NULL, 'D' },
    { "folded", no_argument, NULL, 'F' },
    { "svg", no_argument, NULL, 'G' },
    { "html", no_argument, NULL, 'H' },
    { "last", no_argument, NULL, 'K' },
    { "phase", required_argument, NULL, 'M' },
    { "phases", no_argument, NULL, 'O' },
    { "histogram", no_argument, NULL, 'Q' },
    { "help", no_argument, NULL, 'h' },
    { "version", no_argument, NULL, 'V' },
    { NULL, 0, NULL, 0 },
};

static void help(void)
{
    puts("usage: hector COMMAND [OPTION...] [WORD...]\n");
    for (size_t i = 0; i < sizeof(commands) / sizeof(commands[0]); i++)
        printf("  hector %-7s %-17s %s\n", commands[i].name,
               commands[i].words, commands[i].help);
    puts("\n"
         "  -j, --json       answer in JSON\n"
         "      --db FILE    the database; default: $HECTOR_DB, hector.conf\n"
         "  -s ADDRESS       the master, where the database does not say it\n"
         "  -a, --all        ps: all jobs, not only the latest; report: all of\n"
         "                   it; stack: also what is inside of MPI\n"
         "  -n, --count N    ps, events: the last N; report, model: the first\n"
         "                   N; tree: N levels\n"
         "      --signal S   kill: send this signal only (USR1, 10)\n"
         "      --policy NAME[:KEY=VALUE,...]  replay: which one (hang)\n"
         "      --samples N  stack: look N times: a tree over tasks and samples\n"
         "                   (3D in STAT), not over tasks alone (2D)\n"
         "      --interval MS  ... so many milliseconds apart (100)\n"
         "      --lines      stack: with source files and lines\n"
         "      --threads    stack: of all threads\n"
         "      --pid P,...  stack: of these processes, without a job\n"
         "      --last       stack, model: what is kept of the last time\n"
         "      --phase P    model: of this phase; or of those \"earlier\"\n"
         "      --phases     model: the phases only\n"
         "      --histogram  model: with histograms of the times\n"
         "      --dot, --folded, --svg, --html\n"
         "                   stack: for Graphviz (model too), for flame\n"
         "                   graphs, as a picture, as a page\n"
         "  -h, --help       this text\n"
         "  -V, --version    which Hector this is\n\n"
         "See hector(1).");
}

/* Options may stand before and behind the command. used collects the letters
 * of those that only some commands have. */
static int read_options(struct tool *t, int argc, char **argv, char *used)
{
    struct err err;
    int c;

    while ((c = getopt_long(argc, argv, "js:an:hV", options, NULL)) != -1) {
        if (strchr("anSpPNILTDFGHKMOQ", c) && !strchr(used, c))
            used[strlen(used)] = (char)c;
        switch (c) {
        case 'j':
            t->json = true;
            break;
        case 'd':
            t->db = optarg;
            break;
        case 's':
            t->address = optarg;
            break;
        case 'a':
            t->all = true;
            break;
        case 'n':
            if (parse_u64(&t->count, optarg, 1, INT32_MAX, &err))
                return tool_complain(TOOL_USAGE, "-n: %s", err.text);
            break;
        case 'p':
            t->policy = optarg;
            break;
        case 'S':
            t->signal = signals_number(optarg, &err);
            if (t->signal < 1)
                return tool_complain(TOOL_USAGE, "--signal: %s", err.text);
            break;
        case 'P':
            t->pids = optarg;
            break;
        case 'N':
            if (parse_u64(&t->samples, optarg, 1, 1000, &err))
                return tool_complain(TOOL_USAGE, "--samples: %s", err.text);
            break;
        case 'I':
            if (parse_u64(&t->interval_ms, optarg, 0, 3600000, &err))
                return tool_complain(TOOL_USAGE, "--interval: %s", err.text);
            break;
        case 'L':
            t->lines = true;
            break;
        case 'T':
            t->threads = true;
            break;
        case 'D': case 'F': case 'G': case 'H':
            if (t->shape && t->shape != c)
                return tool_complain(TOOL_USAGE, "one of --dot, --folded,"
                                     " --svg and --html");
            t->shape = c;
            break;
        case 'K':
            t->last = true;
            break;
        case 'M':
            t->phase = optarg;
            break;
        case 'O':
            t->phases = true;
            break;
        case 'Q':
            t->histogram = true;
            break;
        case 'h':
            help();
            return -1;
        case 'V':
            puts("hector " HECTOR_VERSION);
            return -1;
        default:
            return tool_complain(TOOL_USAGE, "see hector --help");
        }
    }
    return 0;
}

static const char *option_name(int letter)
{
    for (const struct option *o = options; o->name; o++)
        if (o->val == letter)
            return o->name;
    return "?";
}

int main(int argc, char **argv)
{
    struct tool t = { .interval_ms = 100 };
    char used[24] = "";
    int rc;

    log_init("hector", LOG_LEVEL_WARN);
    rc = read_options(&t, argc, argv, used);
    if (rc)
        return rc < 0 ? 0 : rc;
    if (optind == argc)
        return tool_complain(TOOL_USAGE, "what is to be done? See"
                             " hector --help");
    const char *name = argv[optind++];
    t.words = argv + optind;
    t.nwords = argc - optind;
    for (size_t i = 0; i < sizeof(commands) / sizeof(commands[0]); i++) {
        const struct command *c = &commands[i];

        if (strcmp(c->name, name) != 0)
            continue;
        const char *wrong = used + strspn(used, c->own);
        if (*wrong)
            return tool_complain(TOOL_USAGE, "%s has no option --%s; see"
                                 " hector --help", name,
                                 option_name(*wrong));
        if (c->words[0] == '\0' && t.nwords)
            return tool_complain(TOOL_USAGE, "%s takes no words", name);
        return c->run(&t);
    }
    return tool_complain(TOOL_USAGE, "there is no command '%s'; see hector"
                         " --help", name);
}
