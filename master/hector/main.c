/* main.c - hector, the operator's tool: reads the command line and calls the
 * command. See hector(1). */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "master/hector/commands.h"
#include "master/hector/diff/diff.h"
#include "master/hector/model/model.h"
#include "master/hector/plan/optimize.h"
#include "master/hector/stack/stack.h"
#include "master/hector/why/why.h"
#include "proto/base/log.h"

static const struct command *const commands[] = {
    &ps_command, &nodes_command, &events_command, &deadlines_command,
    &report_command,
    &kill_command, &migrate_command, &checkpoint_command, &checkpoints_command,
    &drain_command,
    &undrain_command, &suspend_command, &resume_command, &priority_command,
    &deadline_command,
    &optimize_command,
    &stack_command,
    &model_command, &diff_command, &tree_command, &why_command, &replay_command,
    &sql_command,
};
enum { NCOMMANDS = sizeof(commands) / sizeof(commands[0]), OPTIONS_MAX = 100 };

static const struct args_option general[] = {
    { NULL, "j json", ARGS_NONE, NULL, "answer in JSON",
      args_flag, offsetof(struct tool, json), 0, 0 },
    { NULL, "db", ARGS_VALUE, "FILE",
      "the database; default: $HECTOR_DB, hector.conf",
      args_text, offsetof(struct tool, db), 0, 0 },
    { NULL, "s socket", ARGS_VALUE, "ADDRESS",
      "the master, where the database does not say it",
      args_text, offsetof(struct tool, address), 0, 0 },
    ARGS_COMMON,
};
enum { NGENERAL = sizeof(general) / sizeof(general[0]) };

/* Options may stand before and behind the command, which says what they mean:
 * they are collected first, as all commands together have them. */
struct line {
    struct args_option rows[OPTIONS_MAX];       /* a name once */
    size_t nrows;
    struct args_given given[OPTIONS_MAX];
    char option[OPTIONS_MAX][40];
    size_t ngiven;
};

static void add_rows(struct line *l, const struct args_option *rows, size_t n)
{
    for (size_t i = 0; i < n && l->nrows < OPTIONS_MAX; i++) {
        const char *last = strrchr(rows[i].names, ' ');

        if (!args_find(l->rows, l->nrows, last ? last + 1 : rows[i].names))
            l->rows[l->nrows++] = rows[i];
    }
}

static int collect(void *arg, const struct args_given *g, struct err *err)
{
    struct line *l = arg;

    if (l->ngiven == OPTIONS_MAX)
        return err_set(err, E2BIG, "more than %d options", OPTIONS_MAX);
    snprintf(l->option[l->ngiven], sizeof(l->option[0]), "%s", g->option);
    l->given[l->ngiven] = *g;
    l->given[l->ngiven].option = l->option[l->ngiven];
    l->ngiven++;
    return 0;
}

static bool asked(const struct line *l, args_take_f what)
{
    for (size_t i = 0; i < l->ngiven; i++)
        if (l->given[i].row->take == what)
            return true;
    return false;
}

/* ------------------------------------------------------------------- help */

static void print_command(const struct command *c)
{
    int wide = (int)strlen(c->name) > 7 ? (int)strlen(c->name) - 7 : 0;

    printf("  hector %-7s %-*s %s\n", c->name, 17 - wide, c->words, c->help);
}

static int help(const struct command *only)
{
    puts("usage: hector COMMAND [OPTION...] [WORD...]\n");
    for (size_t i = 0; i < NCOMMANDS; i++)
        if (!only || only == commands[i])
            print_command(commands[i]);
    puts("");
    args_print(general, NGENERAL, stdout);
    for (size_t i = 0; i < NCOMMANDS; i++) {
        const struct command *c = commands[i];

        if (c->noptions && (!only || only == c)) {
            printf("\nhector %s\n", c->name);
            args_print(c->options, c->noptions, stdout);
        }
    }
    puts("\nSee hector(1).");
    return fflush(stdout) ? TOOL_FAILED : 0;
}

/* -------------------------------------------------------------------- run */

static const struct command *find(const char *name)
{
    for (size_t i = 0; i < NCOMMANDS; i++)
        if (strcmp(commands[i]->name, name) == 0)
            return commands[i];
    return NULL;
}

/* An option of all commands, or of this one. */
static int store(const struct command *c, struct tool *t, void *own,
                 const struct args_given *collected)
{
    const char *name = collected->option + strspn(collected->option, "-");
    struct args_given g = *collected;
    struct err err;
    int rc;

    g.row = args_find(general, NGENERAL, name);
    if (g.row) {
        rc = g.row->take(t, &g, &err);
    } else {
        g.row = args_find(c->options, c->noptions, name);
        if (!g.row)
            return tool_complain(TOOL_USAGE, "%s has no option %s; see hector"
                                 " --help", c->name, g.option);
        rc = g.row->take(own, &g, &err);
    }
    return rc ? tool_complain(TOOL_USAGE, "%s", err.text) : 0;
}

static int run(const struct command *c, struct tool *t, const struct line *l)
{
    _Alignas(max_align_t) char own[COMMAND_OWN_BYTES] = { 0 };

    if (c->own_bytes > sizeof(own))
        abort();                /* to be made larger */
    if (c->own_bytes)
        memcpy(own, c->defaults, c->own_bytes);
    t->own = own;
    for (size_t i = 0; i < l->ngiven; i++) {
        int status = store(c, t, own, &l->given[i]);

        if (status)
            return status;
    }
    if (c->words[0] == '\0' && t->nwords)
        return tool_complain(TOOL_USAGE, "%s takes no words", c->name);
    return c->run(t);
}

static bool is_below_zero(const char *word)
{
    return word[0] == '-' && word[1] >= '0' && word[1] <= '9';
}

/* `priority 7 -5`: that is no option. Such words come last, behind "--"; NULL: no
 * memory. */
static char **numbers_last(int *argc, char **argv)
{
    char **out = calloc((size_t)*argc + 2, sizeof(*out));
    int n = 0, end = 0;

    while (end < *argc && strcmp(argv[end], "--") != 0)
        end++;
    for (int i = 0; out && i < end; i++)
        if (!is_below_zero(argv[i]))
            out[n++] = argv[i];
    if (out)
        out[n++] = (char *)"--";
    for (int i = 0; out && i < *argc; i++)
        if (i > end || (i < end && is_below_zero(argv[i])))
            out[n++] = argv[i];
    *argc = n;
    return out;
}

static bool names_priority(int argc, char **argv)
{
    int i = 1;

    while (i < argc && strcmp(argv[i], priority_command.name) != 0)
        i++;
    return i < argc;
}

int main(int argc, char **argv)
{
    const struct command *c = NULL;
    struct line line = { 0 };
    struct tool t = { 0 };
    struct err err;
    int word;

    log_init("hector", LOG_LEVEL_WARN);
    if (names_priority(argc, argv) && !(argv = numbers_last(&argc, argv)))
        return tool_complain(TOOL_FAILED, "no memory");
    add_rows(&line, general, NGENERAL);
    for (size_t i = 0; i < NCOMMANDS; i++)
        add_rows(&line, commands[i]->options, commands[i]->noptions);
    word = args_scan(line.rows, line.nrows, argc, argv, collect, &line, &err);
    if (word < 0)
        return tool_complain(TOOL_USAGE, "%s", err.text);
    if (asked(&line, args_version))
        return puts("hector " HECTOR_VERSION) < 0 || fflush(stdout)
               ? TOOL_FAILED : 0;
    if (word < argc)
        c = find(argv[word]);
    if (asked(&line, args_help) && (c || word == argc))
        return help(c);
    if (word == argc)
        return tool_complain(TOOL_USAGE, "what is to be done? See"
                             " hector --help");
    if (!c)
        return tool_complain(TOOL_USAGE, "there is no command '%s'; see hector"
                             " --help", argv[word]);
    t.words = argv + word + 1;
    t.nwords = argc - word - 1;
    return run(c, &t, &line);
}
