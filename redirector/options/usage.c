/* usage.c - the table of options, looked up by name and printed as help. */
#include "redirector/options/usage.h"

#include <stdbool.h>
#include <stddef.h>
#include <string.h>

static const struct usage_option options[] = {
    { USAGE_NTASKS, "Tasks", "n np c ntasks", USAGE_ARG, "N",
      "number of tasks; default: one, or one a slot where hosts are given" },
    { USAGE_PER_NODE, NULL, "N npernode ppn ntasks-per-node", USAGE_ARG, "N",
      "at most N tasks a node; without -n that many on each" },
    { USAGE_PER_NODE_ONE, NULL, "pernode", USAGE_NO_ARG, NULL, NULL },
    { USAGE_MAP_BY, NULL, "map-by", USAGE_ARG, "slot|node",
      "fill the nodes one after the other (slot), or deal out the tasks in "
      "turn (node)" },
    { USAGE_BY_NODE, NULL, "bynode", USAGE_NO_ARG, NULL, NULL },
    { USAGE_BY_SLOT, NULL, "byslot", USAGE_NO_ARG, NULL, NULL },
    { USAGE_OVERSUBSCRIBE, NULL, "oversubscribe", USAGE_NO_ARG, NULL,
      "more tasks than slots are wanted: no warning" },
    { USAGE_WDIR, NULL, "wdir wd D chdir", USAGE_ARG, "DIR",
      "directory the tasks start in; default: this one" },
    { USAGE_EXPORT, NULL, "x", USAGE_ARG, "VAR[=VALUE]",
      "set a variable of the tasks' environment, which is else that of "
      "hector-run" },
    { USAGE_GENV, NULL, "genv", USAGE_TWO_ARGS, "VAR VALUE",
      "the same, for every program of the command line" },

    { USAGE_HOST, "Hosts", "H host hosts w nodelist", USAGE_ARG, "HOST[:N],...",
      "hosts and their slots; n[1-3,7] names several; a host named twice has "
      "two slots" },
    { USAGE_HOSTFILE, NULL, "hostfile machinefile f", USAGE_ARG, "FILE",
      "hosts from a file, one a line: node01 slots=4, or node01:4" },
    { USAGE_AGENT, NULL, "launch-agent", USAGE_ARG, "CMD",
      "starts slaves on other hosts, called as CMD HOST COMMAND ARG...; "
      "default: ssh, inside an allocation its own" },
    { USAGE_MASTER, NULL, "master", USAGE_ARG, "ADDRESS",
      "submit to this standing master instead of starting a private one" },

    { USAGE_STDIN, "Streams", "stdin i input", USAGE_ARG, "RANK|all|none",
      "which tasks read the standard input; default: 0" },
    { USAGE_LABEL, NULL, "l label", USAGE_NO_ARG, NULL,
      "put the rank in front of each line, as srun does (0: text)" },
    { USAGE_TAG, NULL, "tag-output", USAGE_NO_ARG, NULL,
      "the same as mpirun does it: [1,0]<stdout>:text" },
    { USAGE_TIMESTAMP, NULL, "timestamp-output", USAGE_NO_ARG, NULL,
      "put the time in front of each line, to the microsecond, as the node of "
      "the task saw it" },
    { USAGE_OUTPUT_DIR, NULL, "output-dir", USAGE_ARG, "DIR",
      "write to DIR/rank.N/stdout and stderr instead" },
    { USAGE_MERGE, NULL, "merge-stderr-to-stdout", USAGE_NO_ARG, NULL,
      "the tasks' stderr goes where their stdout goes" },
    { USAGE_BUFFER, NULL, "buffer", USAGE_ARG, "line|block|none",
      "when what the tasks print is written: at the end of each line (default), "
      "in blocks as to a file, or at once" },
    { USAGE_UNBUFFERED, NULL, "u unbuffered", USAGE_NO_ARG, NULL,
      "the same as --buffer none" },
    { USAGE_PTY, NULL, "pty", USAGE_NO_ARG, NULL,
      "give the tasks that read the standard input a terminal of their own" },
    { USAGE_STDTIM, NULL, "stdtim", USAGE_MAY_ARG, "FILE|-|fd:N",
      "show the stream of tagged events: in a file, among the standard output "
      "(-), on a descriptor; default: it is stored only" },

    { USAGE_TIMEOUT, "Ending", "timeout", USAGE_ARG, "SECONDS",
      "end the job after this time, with status 124; also 90s, 15m, 2h" },

    { USAGE_NAME, "Record", "name", USAGE_ARG, "NAME", "name of the job" },
    { USAGE_DB, NULL, "db", USAGE_ARG, "FILE",
      "database of a private master; default: $HECTOR_DB, else "
      "~/.local/state/hector/hector.db" },

    { USAGE_POLICY, "Watching", "policy", USAGE_ARG, "NAME[:KEY=VALUE,...]",
      "have this policy watch the job; may be repeated" },
    { USAGE_ON_HANG, NULL, "on-hang", USAGE_ARG,
      "report|suspend|kill[:KEY=VALUE,...]",
      "what to do when the job hangs; a verdict acts at age=60s and sure=99.9, "
      "a notice only with patience=TIME" },
    { USAGE_PRIORITY, NULL, "priority", USAGE_ARG, "N", NULL },
    { USAGE_DEADLINE, NULL, "deadline", USAGE_ARG, "TIME", NULL },
    { USAGE_MIGRATABLE, NULL, "migratable", USAGE_NO_ARG, NULL, NULL },
    { USAGE_CHECKPOINT_EVERY, NULL, "checkpoint-every", USAGE_ARG, "TIME",
      NULL },
    { USAGE_CHECKPOINT_DIR, NULL, "checkpoint-dir", USAGE_ARG, "DIR", NULL },
    { USAGE_INJECT, NULL, "inject", USAGE_ARG, "FAULT",
      "make a task fail on purpose, to see what is noticed: "
      "rank=3,call=MPI_Allreduce:500,fault=hang; may be repeated; see "
      "hector-inject(7)" },
    { USAGE_PHASE, NULL, "phase", USAGE_ARG, "WHAT",
      "what begins a new phase of the program, whose models are kept apart: "
      "tag, tag:TEXT, pcontrol, MPI_Name[@FILE+OFFSET][:N]" },

    { USAGE_ADOPT, "Adoption", "adopt", USAGE_NO_ARG, NULL,
      "run a command that starts MPI tasks by itself (mpirun, srun, mpiexec, a "
      "script), and watch them: hector-run --adopt -- mpirun -n 4 ./prog" },
    { USAGE_ADOPT_ENV, NULL, "adopt-env", USAGE_MAY_ARG, "PID",
      "for job scripts: watch what this shell starts from now on: "
      "eval \"$(hector-run --adopt-env=$$)\"" },

    { USAGE_VERBOSE, "General", "v verbose", USAGE_NO_ARG, NULL,
      "say on stderr what happens" },
    { USAGE_QUIET, NULL, "q quiet", USAGE_NO_ARG, NULL,
      "say on stderr only what went wrong" },
    { USAGE_HELP, NULL, "h help", USAGE_NO_ARG, NULL, "print this" },
    { USAGE_VERSION, NULL, "V version", USAGE_NO_ARG, NULL,
      "print the version" },
    { USAGE_AS_ROOT, NULL, "allow-run-as-root", USAGE_NO_ARG, NULL, NULL },
};
enum { NOPTIONS = sizeof(options) / sizeof(options[0]),
       NAME_MAX_BYTES = 32, HELP_COLUMN = 30, WIDTH = 80 };

/* Take the next name off "n np c": its length, 0 at the end. */
static size_t usage_next_name(const char **names, char buf[NAME_MAX_BYTES])
{
    size_t n = strcspn(*names, " ");

    if (n >= NAME_MAX_BYTES)
        n = NAME_MAX_BYTES - 1;
    memcpy(buf, *names, n);
    buf[n] = '\0';
    *names += n;
    *names += strspn(*names, " ");
    return n;
}

const struct usage_option *usage_find(const char *name)
{
    char one[NAME_MAX_BYTES];

    for (int i = 0; i < NOPTIONS; i++) {
        const char *names = options[i].names;

        while (usage_next_name(&names, one) > 0)
            if (strcmp(one, name) == 0)
                return &options[i];
    }
    return NULL;
}

/* How many letters have to change to make a from b. */
static int usage_distance(const char *a, const char *b)
{
    size_t na = strlen(a), nb = strlen(b);
    int row[NAME_MAX_BYTES + 1];

    if (na > NAME_MAX_BYTES || nb > NAME_MAX_BYTES)
        return NAME_MAX_BYTES;
    for (size_t j = 0; j <= nb; j++)
        row[j] = (int)j;
    for (size_t i = 1; i <= na; i++) {
        int corner = row[0];

        row[0] = (int)i;
        for (size_t j = 1; j <= nb; j++) {
            int best = corner + (a[i - 1] != b[j - 1]);

            corner = row[j];
            if (row[j] + 1 < best)
                best = row[j] + 1;
            if (row[j - 1] + 1 < best)
                best = row[j - 1] + 1;
            row[j] = best;
        }
    }
    return row[nb];
}

const char *usage_nearest(const char *name)
{
    static char best[NAME_MAX_BYTES];
    int least = 3;

    if (strlen(name) < 4)
        return NULL;
    best[0] = '\0';
    for (int i = 0; i < NOPTIONS; i++) {
        const char *names = options[i].names;
        char one[NAME_MAX_BYTES];

        while (usage_next_name(&names, one) > 0) {
            int d = usage_distance(name, one);

            if (d < least && strlen(one) > 3) {
                least = d;
                strcpy(best, one);
            }
        }
    }
    return best[0] ? best : NULL;
}

/* Letters, and the two that everybody knows with one dash. */
static bool usage_has_one_dash(const char *name)
{
    return name[1] == '\0' || strcmp(name, "np") == 0 ||
           strcmp(name, "genv") == 0;
}

/* "  -n, -np N", with at most two names. */
static int usage_print_names(FILE *out, const struct usage_option *o)
{
    const char *names = o->names;
    char one[NAME_MAX_BYTES];
    int column = fprintf(out, "  ");

    for (int i = 0; i < 2 && usage_next_name(&names, one) > 0; i++)
        column += fprintf(out, "%s%s%s", i ? ", " : "",
                          usage_has_one_dash(one) ? "-" : "--", one);
    if (o->arg)
        column += fprintf(out, o->takes == USAGE_MAY_ARG ? "[=%s]" : " %s",
                          o->arg);
    return column;
}

static void usage_print_text(FILE *out, const char *text, int column)
{
    if (column > HELP_COLUMN - 2) {
        fputc('\n', out);
        column = 0;
    }
    column += fprintf(out, "%*s", HELP_COLUMN - column, "");
    for (bool first = true; *text; first = false) {
        int n = (int)strcspn(text, " ");

        if (!first && column + 1 + n >= WIDTH) {
            column = fprintf(out, "\n%*s", HELP_COLUMN, "") - 1;
            first = true;
        }
        column += fprintf(out, first ? "%.*s" : " %.*s", n, text);
        text += n;
        text += strspn(text, " ");
    }
    fputc('\n', out);
}

void usage_print(FILE *out)
{
    fputs("usage: hector-run [OPTION]... PROGRAM [ARG]... "
          "[: [OPTION]... PROGRAM [ARG]...]\n"
          "Run an MPI program as a Unix command: its streams, its status.\n",
          out);
    for (int i = 0; i < NOPTIONS; i++) {
        if (options[i].group)
            fprintf(out, "\n%s\n", options[i].group);
        if (options[i].help)
            usage_print_text(out, options[i].help,
                             usage_print_names(out, &options[i]));
    }
    fputs("\nStatus: that of the first task that failed; 128+signal; 126 or "
          "127 if a program\ncannot be started; 124 time-out; 2 wrong usage; "
          "125 a failure of Hector itself.\n", out);
}
