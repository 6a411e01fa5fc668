/* usage.c - the options of hector-run, each a row: its names, its help, and what
 * it does to struct options. */
#include "redirector/options/usage.h"

#include <ctype.h>
#include <errno.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>
#include <sys/random.h>

#include "proto/base/array.h"
#include "proto/base/parse.h"
#include "proto/conf/onhang.h"
#include "redirector/options/faults.h"
#include "redirector/options/phases.h"
#include "redirector/out/out.h"

static int append(struct options_list *l, char *owned, struct err *err)
{
    if (!owned || array_reserve(&l->v, &l->cap, l->n + 1)) {
        free(owned);
        return err_memory(err);
    }
    l->v[l->n++] = owned;
    return 0;
}

/* The program whose options are being read. */
static struct options_app *this_app(void *to)
{
    struct options *o = to;

    return &o->apps[o->napps - 1];
}

/* --------------------------------------------------------------- values */

/* NAME or NAME=VALUE, where NAME is one a shell could set. */
static int check_variable(const char *text, const char *option,
                                  struct err *err)
{
    size_t n = strcspn(text, "=");

    if (n == 0 || isdigit((unsigned char)text[0]))
        return err_set(err, EINVAL, "%s \"%.80s\": not the name of a variable",
                       option, text);
    for (size_t i = 0; i < n; i++)
        if (isspace((unsigned char)text[i]))
            return err_set(err, EINVAL, "%s \"%.80s\": the name of a variable "
                           "has no blanks", option, text);
    return 0;
}

/* NAME[:KEY=VALUE,...] */
static int check_policy(const char *text, struct err *err)
{
    static const char word[] = "/abcdefghijklmnopqrstuvwxyz"
                               "ABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_-.";
    const char *p = text + strspn(text, word);

    if (p == text)
        goto bad;
    while (*p == ':' || (*p == ',' && p != text)) {
        size_t key = strspn(++p, word);

        if (key == 0 || p[key] != '=')
            goto bad;
        p += key + 1;
        p += strcspn(p, ",");
    }
    if (*p == '\0')
        return 0;
bad:
    return err_set(err, EINVAL, "--policy \"%.80s\": write it as "
                   "NAME or NAME:KEY=VALUE,KEY=VALUE", text);
}

static int check_stdin(const char *text, struct err *err)
{
    uint64_t rank;

    if (strcmp(text, "all") == 0 || strcmp(text, "none") == 0)
        return 0;
    if (parse_u64(&rank, text, 0, OPTIONS_TASKS_MAX - 1, NULL) < 0)
        return err_set(err, EINVAL, "--stdin \"%.80s\": a rank, all or none "
                       "is wanted", text);
    return 0;
}

static int check_name(const char *text, struct err *err)
{
    for (const unsigned char *p = (const unsigned char *)text; *p; p++)
        if (*p < ' ' || *p == 127)
            return err_set(err, EINVAL, "--name: a control character in it");
    if (*text == '\0' || strlen(text) > 200)
        return err_set(err, EINVAL, "--name: 1 to 200 bytes are wanted");
    return 0;
}

static int number(uint32_t *out, const struct args_given *g, struct err *err)
{
    uint64_t n;

    if (parse_u64(&n, g->value, 1, OPTIONS_TASKS_MAX, NULL) < 0)
        return err_set(err, EINVAL, "%s \"%.80s\": a number from 1 to %d is "
                       "wanted", g->option, g->value, OPTIONS_TASKS_MAX);
    *out = (uint32_t)n;
    return 0;
}

static int take_ntasks(void *to, const struct args_given *g, struct err *err)
{
    return number(&this_app(to)->ntasks, g, err);
}

static int take_count(void *to, const struct args_given *g, struct err *err)
{
    return number(args_at(to, g), g, err);
}

static int take_one(void *to, const struct args_given *g, struct err *err)
{
    (void)err;
    *(uint32_t *)args_at(to, g) = 1;
    return 0;
}

static int take_no(void *to, const struct args_given *g, struct err *err)
{
    (void)err;
    *(bool *)args_at(to, g) = false;
    return 0;
}

static int one_of(const struct args_given *g, const char *words,
                  struct err *err)
{
    size_t n = strlen(g->value);

    for (const char *p = words; *p; p += strcspn(p, "|"), p += *p == '|')
        if (n > 0 && strcspn(p, "|") == n && strncmp(p, g->value, n) == 0)
            return 0;
    return err_set(err, EINVAL, "%s \"%.80s\": one of %s is wanted",
                   g->option, g->value, words);
}

static int take_map_by(void *to, const struct args_given *g, struct err *err)
{
    if (one_of(g, "slot|node", err) < 0)
        return -1;
    *(bool *)args_at(to, g) = strcmp(g->value, "node") == 0;
    return 0;
}

static int take_buffer(void *to, const struct args_given *g, struct err *err)
{
    return one_of(g, "line|block|none", err) < 0 ? -1 : args_text(to, g, err);
}

static int take_unbuffered(void *to, const struct args_given *g,
                           struct err *err)
{
    (void)err;
    *(const char **)args_at(to, g) = "none";
    return 0;
}

static int take_wdir(void *to, const struct args_given *g, struct err *err)
{
    (void)err;
    this_app(to)->wdir = g->value;
    return 0;
}

static int take_export(void *to, const struct args_given *g, struct err *err)
{
    if (check_variable(g->value, g->option, err) < 0)
        return -1;
    return append(&this_app(to)->env, strdup(g->value), err);
}

static int take_genv(void *to, const struct args_given *g, struct err *err)
{
    struct options *o = to;
    char *both = NULL;

    if (check_variable(g->value, g->option, err) < 0)
        return -1;
    if (strchr(g->value, '='))
        return err_set(err, EINVAL, "%s takes a variable and its value as "
                       "two words", g->option);
    if (asprintf(&both, "%s=%s", g->value, g->second) < 0)
        return err_memory(err);
    return append(&o->env, both, err);
}

static int take_list(void *to, const struct args_given *g, struct err *err)
{
    return append(args_at(to, g), strdup(g->value), err);
}

static int take_policy(void *to, const struct args_given *g, struct err *err)
{
    return check_policy(g->value, err) < 0 ? -1 : take_list(to, g, err);
}

static int take_stdin(void *to, const struct args_given *g, struct err *err)
{
    return check_stdin(g->value, err) < 0 ? -1 : args_text(to, g, err);
}

static int take_name(void *to, const struct args_given *g, struct err *err)
{
    return check_name(g->value, err) < 0 ? -1 : args_text(to, g, err);
}

/* Which style, the row says. */
static int take_label(void *to, const struct args_given *g, struct err *err)
{
    (void)err;
    *(enum label_style *)args_at(to, g) = (enum label_style)g->row->min;
    return 0;
}

static int take_stdtim(void *to, const struct args_given *g, struct err *err)
{
    const char **out = args_at(to, g);

    *out = g->value ? g->value : "-";
    if (strncmp(*out, "fd:", 3) == 0 && out_fd(*out) < 0)
        return err_set(err, EINVAL, "%s=%.80s: a number is wanted after fd:",
                       g->option, g->value);
    return 0;
}

static int take_duration(void *to, const struct args_given *g,
                         struct err *err)
{
    uint64_t ns;

    if (parse_duration(&ns, g->value, NULL) < 0 || ns == 0)
        return err_set(err, EINVAL, "%s \"%.80s\": a time is wanted, as 30, "
                       "1.5s, 10m or 2h", g->option, g->value);
    *(uint64_t *)args_at(to, g) = ns;
    return 0;
}

static int take_before(void *to, const struct args_given *g, struct err *err)
{
    static const char *const known[] = { "report", "checkpoint", "kill", "USR1",
                                         "USR2" };
    struct options *o = to;
    const char *colon = strchr(g->value, ':');
    char time[40];
    size_t i = 0, n = sizeof(known) / sizeof(known[0]);

    snprintf(time, sizeof(time), "%.*s",
             (int)(colon ? (size_t)(colon - g->value) : strlen(g->value)),
             g->value);
    while (i < n && colon && strcmp(known[i], colon + 1) != 0)
        i++;
    if (!colon || i == n || parse_duration(&o->before_limit_ns, time, NULL) < 0 ||
        o->before_limit_ns == 0)
        return err_set(err, EINVAL, "%s \"%.80s\": a time and one of report|"
                       "checkpoint|kill|USR1|USR2 are wanted, as 120s:checkpoint",
                       g->option, g->value);
    o->before_limit = known[i];
    return 0;
}

static int take_bytes(void *to, const struct args_given *g, struct err *err)
{
    uint64_t *out = args_at(to, g);

    if (parse_bytes(out, g->value, NULL) < 0 || *out == 0)
        return err_set(err, EINVAL, "%s \"%.80s\": bytes a second are wanted, as "
                       "50M or 1.5G", g->option, g->value);
    return 0;
}

static int take_on_hang(void *to, const struct args_given *g, struct err *err)
{
    struct onhang h;

    if (onhang_parse(&h, g->value, err) < 0)
        return err_prefix(err, "%s", g->option);
    return args_text(to, g, err);
}

/* A seed that nobody gave is a new one each time; the event says what it made
 * of it. */
static int take_inject(void *to, const struct args_given *g, struct err *err)
{
    uint64_t seed;

    if (getrandom(&seed, sizeof(seed), 0) != sizeof(seed))
        return err_sys(err, "getrandom");
    return faults_add(args_at(to, g), g->value, seed, err);
}

static int take_deadline(void *to, const struct args_given *g,
                         struct err *err)
{
    if (calendar_add(args_at(to, g), g->value, err))
        return err_prefix(err, "%s \"%.60s\"", g->option, g->value);
    return 0;
}

static int take_priority(void *to, const struct args_given *g,
                         struct err *err)
{
    struct priority *p = args_at(to, g);

    return priority_number(&p->n, g->value, err)
           ? err_prefix(err, "%s", g->option) : 0;
}

static int take_class(void *to, const struct args_given *g, struct err *err)
{
    struct priority *p = args_at(to, g);

    return priority_find_class(&p->class, g->value, err)
           ? err_prefix(err, "%s", g->option) : 0;
}

static int take_phase(void *to, const struct args_given *g, struct err *err)
{
    return phases_check(g->value, err) < 0 ? -1 : args_text(to, g, err);
}

static int take_adopt_env(void *to, const struct args_given *g,
                          struct err *err)
{
    (void)err;
    *(const char **)args_at(to, g) = g->value ? g->value : "";
    return 0;
}

static int take_action(void *to, const struct args_given *g, struct err *err)
{
    (void)err;
    *(enum options_action *)args_at(to, g) = (enum options_action)g->row->min;
    return 0;
}

static int take_on_deadline(void *to, const struct args_given *g,
                            struct err *err)
{
    return one_of(g, "report|act", err) < 0 ? -1 : args_text(to, g, err);
}

static int take_max_suspend(void *to, const struct args_given *g,
                            struct err *err)
{
    struct options_part *p = args_at(to, g);
    int64_t n;

    if (parse_i64(&n, g->value, 0, 100, NULL) < 0)
        return err_set(err, EINVAL, "%s: \"%.40s\" is no number from 0 to 100",
                       g->option, g->value);
    *p = (struct options_part){ true, (uint32_t)n };
    return 0;
}

/* -------------------------------------------------------------- the table */

enum { RESTARTS_MAX = 1000000 };
#define AT(f) offsetof(struct options, f)
const struct args_option usage_rows[] = {
    { "Tasks", "n -np c ntasks", ARGS_VALUE, "N",
      "number of tasks; default: one, or one a slot where hosts are given",
      take_ntasks, 0, 0, 0 },
    { NULL, "N npernode ppn ntasks-per-node", ARGS_VALUE, "N",
      "at most N tasks a node; without -n that many on each",
      take_count, AT(per_node), 0, 0 },
    { NULL, "pernode", ARGS_NONE, NULL, NULL,
      take_one, AT(per_node), 0, 0 },
    { NULL, "map-by", ARGS_VALUE, "slot|node",
      "fill the nodes one after the other (slot), or deal out the tasks in "
      "turn (node)",
      take_map_by, AT(by_node), 0, 0 },
    { NULL, "bynode", ARGS_NONE, NULL, NULL,
      args_flag, AT(by_node), 0, 0 },
    { NULL, "byslot", ARGS_NONE, NULL, NULL,
      take_no, AT(by_node), 0, 0 },
    { NULL, "oversubscribe", ARGS_NONE, NULL,
      "more tasks than slots are wanted: no warning",
      args_flag, AT(oversubscribe), 0, 0 },
    { NULL, "wdir wd D chdir", ARGS_VALUE, "DIR",
      "directory the tasks start in; default: this one",
      take_wdir, 0, 0, 0 },
    { NULL, "x", ARGS_VALUE, "VAR[=VALUE]",
      "set a variable of the tasks' environment, which is else that of "
      "hector-run",
      take_export, 0, 0, 0 },
    { NULL, "-genv", ARGS_TWO, "VAR VALUE",
      "the same, for every program of the command line",
      take_genv, 0, 0, 0 },

    { "Hosts", "H host hosts w nodelist", ARGS_VALUE, "HOST[:N],...",
      "hosts and their slots; n[1-3,7] names several; a host named twice has "
      "two slots",
      take_list, AT(hosts), 0, 0 },
    { NULL, "hostfile machinefile f", ARGS_VALUE, "FILE",
      "hosts from a file, one a line: node01 slots=4, or node01:4",
      args_text, AT(hostfile), 0, 0 },
    { NULL, "migratable", ARGS_NONE, NULL,
      "tasks can be moved to other nodes while they run, by hector migrate",
      args_flag, AT(migratable), 0, 0 },
    { NULL, "launch-agent", ARGS_VALUE, "CMD",
      "starts slaves on other hosts, called as CMD HOST COMMAND ARG...; "
      "default: ssh, inside an allocation its own",
      args_text, AT(agent), 0, 0 },
    { NULL, "master", ARGS_VALUE, "ADDRESS",
      "submit to this standing master instead of starting a private one",
      args_text, AT(master), 0, 0 },

    { "Streams", "stdin i input", ARGS_VALUE, "RANK|all|none",
      "which tasks read the standard input; default: 0",
      take_stdin, AT(stdin_ranks), 0, 0 },
    { NULL, "l label", ARGS_NONE, NULL,
      "put the rank in front of each line, as srun does (0: text)",
      take_label, AT(label), LABEL_RANK, 0 },
    { NULL, "tag-output", ARGS_NONE, NULL,
      "the same as mpirun does it: [1,0]<stdout>:text",
      take_label, AT(label), LABEL_TAG, 0 },
    { NULL, "timestamp-output", ARGS_NONE, NULL,
      "put the time in front of each line, to the microsecond, as the node of "
      "the task saw it",
      args_flag, AT(timestamp), 0, 0 },
    { NULL, "output-dir", ARGS_VALUE, "DIR",
      "write to DIR/rank.N/stdout and stderr instead",
      args_text, AT(output_dir), 0, 0 },
    { NULL, "merge-stderr-to-stdout", ARGS_NONE, NULL,
      "the tasks' stderr goes where their stdout goes",
      args_flag, AT(merge_stderr), 0, 0 },
    { NULL, "buffer", ARGS_VALUE, "line|block|none",
      "when what the tasks print is written: at the end of each line (default), "
      "in blocks as to a file, or at once",
      take_buffer, AT(buffer), 0, 0 },
    { NULL, "u unbuffered", ARGS_NONE, NULL,
      "the same as --buffer none",
      take_unbuffered, AT(buffer), 0, 0 },
    { NULL, "pty", ARGS_NONE, NULL,
      "give the tasks that read the standard input a terminal of their own",
      args_flag, AT(pty), 0, 0 },
    { NULL, "stdtim", ARGS_MAY, "FILE|-|fd:N",
      "show the stream of tagged events: in a file, among the standard output "
      "(-), on a descriptor; default: it is stored only",
      take_stdtim, AT(stdtim), 0, 0 },

    { "Ending", "timeout", ARGS_VALUE, "SECONDS",
      "end the job after this time, with status 124; also 90s, 15m, 2h",
      take_duration, AT(timeout_ns), 0, 0 },
    { NULL, "before-limit", ARGS_VALUE, "TIME:report|checkpoint|kill|USR1|USR2",
      "so long before the batch system ends the allocation say so, save the job, "
      "end it, with status 124, or send the tasks a signal",
      take_before, 0, 0, 0 },

    { "Checkpoints", "checkpoint-dir", ARGS_VALUE, "DIR",
      "let the job be saved there, in files; it goes back to the last "
      "checkpoint when a task or a node dies",
      args_text, AT(checkpoint_dir), 0, 0 },
    { NULL, "checkpoint-every", ARGS_VALUE, "TIME",
      "save it so often; also 90s, 15m, 2h",
      take_duration, AT(checkpoint_every_ns), 0, 0 },
    { NULL, "checkpoint-local", ARGS_VALUE, "DIR",
      "write images to this directory of each node first, and copy them while "
      "the job runs",
      args_text, AT(checkpoint_local), 0, 0 },
    { NULL, "checkpoint-rate", ARGS_VALUE, "BYTES",
      "copy so many a second on each node; also 50M, 1.5G; default: 100M",
      take_bytes, AT(checkpoint_rate), 0, 0 },
    { NULL, "max-restarts", ARGS_VALUE, "N",
      "go back at most N times; default: 3",
      args_u32, AT(max_restarts), 0, RESTARTS_MAX },
    { NULL, "restart", ARGS_VALUE, "DIR",
      "go on from the last checkpoint there; the program need not be given",
      args_text, AT(restart), 0, 0 },

    { "Record", "name", ARGS_VALUE, "NAME",
      "name of the job",
      take_name, AT(name), 0, 0 },
    { NULL, "db", ARGS_VALUE, "FILE",
      "database of a private master; default: $HECTOR_DB, else "
      "~/.local/state/hector/hector.db",
      args_text, AT(db), 0, 0 },

    { "Watching", "policy", ARGS_VALUE, "NAME[:KEY=VALUE,...]",
      "have this policy watch the job; may be repeated",
      take_policy, AT(policies), 0, 0 },
    { NULL, "on-hang", ARGS_VALUE, "report|migrate|suspend|rollback|kill[:KEY=VALUE,...]",
      "what to do when the job hangs; a verdict acts at age=60s and sure=99.9, "
      "a notice only with patience=TIME",
      take_on_hang, AT(on_hang), 0, 0 },
    { NULL, "notify", ARGS_VALUE, "COMMAND|mail",
      "when the job hangs, run this by the shell, with one JSON object on its "
      "standard input: job, verdict, where, saved; mail: write to the mail user of "
      "the batch job",
      args_text, AT(notify), 0, 0 },
    { NULL, "priority", ARGS_VALUE, "N",
      "how important the job is beside others: -20 to 20, more is more; 0 is the "
      "default",
      take_priority, AT(priority), 0, 0 },
    { NULL, "class", ARGS_VALUE, "realtime|normal|idle",
      "how the kernel deals with its tasks: before all others, as with others, or "
      "when nobody else wants the processor",
      take_class, AT(priority), 0, 0 },
    { NULL, "deadline", ARGS_VALUE, "TEXT",
      "what is due: 60s (the end), 'LABEL<=20ms' (tagged calls), 'LABEL/50ms', "
      "'A..B<=30ms', 'LABEL@start+k*50ms', each with ,ranks=0-3 ,firm "
      ",margin=20%; may be repeated",
      take_deadline, AT(due), 0, 0 },
    { NULL, "calendar", ARGS_VALUE, "FILE",
      "the same from a file, one a line; may be repeated",
      take_list, AT(calendars), 0, 0 },
    { NULL, "on-deadline", ARGS_VALUE, "report|act",
      "what to do when one is about to be missed: only say it, or let less "
      "important jobs of the same master give way",
      take_on_deadline, AT(on_deadline), 0, 0 },
    { NULL, "max-suspend", ARGS_VALUE, "PERCENT",
      "of its time this job may be suspended for deadlines of others; default: 50",
      take_max_suspend, AT(max_suspend), 0, 0 },
    { NULL, "inject", ARGS_VALUE, "FAULT",
      "make a task fail on purpose, to see what is noticed: "
      "rank=3,call=MPI_Allreduce:500,fault=hang; may be repeated; see "
      "hector-inject(7)",
      take_inject, AT(faults), 0, 0 },
    { NULL, "phase", ARGS_VALUE, "WHAT",
      "what begins a new phase of the program, whose models are kept apart: "
      "tag, tag:TEXT, pcontrol, MPI_Name[@FILE+OFFSET][:N]",
      take_phase, AT(phase), 0, 0 },

    { "Adoption", "adopt", ARGS_NONE, NULL,
      "run a command that starts MPI tasks by itself (mpirun, srun, mpiexec, a "
      "script), and watch them: hector-run --adopt -- mpirun -n 4 ./prog",
      args_flag, AT(adopt), 0, 0 },
    { NULL, "adopt-env", ARGS_MAY, "PID",
      "for job scripts: watch what this shell starts from now on: "
      "eval \"$(hector-run --adopt-env=$$)\"",
      take_adopt_env, AT(adopt_env), 0, 0 },

    { "General", "v verbose", ARGS_NONE, NULL,
      "say on stderr what happens",
      args_flag, AT(verbose), 0, 0 },
    { NULL, "q quiet", ARGS_NONE, NULL,
      "say on stderr only what went wrong",
      args_flag, AT(quiet), 0, 0 },
    { NULL, "h help", ARGS_NONE, NULL,
      "print this",
      take_action, AT(action), OPTIONS_HELP, 0 },
    { NULL, "V version", ARGS_NONE, NULL,
      "print the version",
      take_action, AT(action), OPTIONS_VERSION, 0 },
    { NULL, "allow-run-as-root", ARGS_NONE, NULL, NULL,
      args_nothing, 0, 0, 0 },
};
_Static_assert(sizeof(usage_rows) / sizeof(usage_rows[0]) <= 64,
               "options.seen has a bit for each");
const size_t usage_nrows = sizeof(usage_rows) / sizeof(usage_rows[0]);

void usage_print(FILE *out)
{
    fputs("usage: hector-run [OPTION]... PROGRAM [ARG]... "
          "[: [OPTION]... PROGRAM [ARG]...]\n"
          "Run an MPI program as a Unix command: its streams, its status.\n",
          out);
    args_print(usage_rows, usage_nrows, out);
    fputs("\nStatus: that of the first task that failed; 128+signal; 126 or "
          "127 if a program\ncannot be started; 124 time-out; 2 wrong usage; "
          "125 a failure of Hector itself.\n", out);
}
