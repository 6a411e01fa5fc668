/* options.c - the parser of the command line.
 *
 * Our own and not getopt's: names of several letters after one dash, options
 * that stop at the program, and several programs joined by ":" are what
 * people type for mpirun. -n, --wdir and -x belong to the program they stand
 * in front of; everything else counts for the whole job, wherever it
 * stands. */
#include "redirector/options/options.h"

#include <assert.h>
#include <ctype.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "proto/base/array.h"
#include "proto/base/parse.h"
#include "redirector/batch/mail.h"
#include "redirector/options/usage.h"

static void options_list_fini(struct options_list *l)
{
    for (size_t i = 0; i < l->n; i++)
        free(l->v[i]);
    free(l->v);
    *l = (struct options_list){ 0 };
}

static struct options_app *options_add_app(struct options *o)
{
    if (array_reserve(&o->apps, &o->apps_cap, o->napps + 1))
        return NULL;
    o->apps[o->napps] = (struct options_app){ 0 };
    return &o->apps[o->napps++];
}

/* ------------------------------------------------------------ one option */

/* -n4: a letter and its number. NULL: it is none. */
static const struct args_option *options_letter(const char *word)
{
    char letter[2] = { word[1], '\0' };
    const struct args_option *row;

    if (word[1] == '-' || !isdigit((unsigned char)word[2]))
        return NULL;
    row = args_find(usage_rows, usage_nrows, letter);
    return row && row->takes == ARGS_VALUE ? row : NULL;
}

/* The option argv[0] of argc words, and its values from those behind it;
 * option is room for its name. Returns how many words it took, or -1. */
static int options_read(struct args_given *g, char option[64], int argc,
                        char **argv, struct err *err)
{
    const char *word = argv[0];
    size_t n = strcspn(word, "=");
    int took = 1;

    snprintf(option, 64, "%.*s", (int)(n < 64 ? n : 63), word);
    *g = (struct args_given){ .option = option,
                              .value = word[n] ? word + n + 1 : NULL };
    g->row = args_find(usage_rows, usage_nrows,
                       option + (option[1] == '-' ? 2 : 1));
    if (!g->row && (g->row = options_letter(word))) {
        g->value = word + 2;
        option[2] = '\0';
    }
    if (!g->row)
        return args_unknown(usage_rows, usage_nrows, option, err);
    const char *arg = g->row->arg;

    if (g->row->takes == ARGS_NONE && g->value)
        return err_set(err, EINVAL, "%s takes no value", option);
    if (g->row->takes == ARGS_VALUE && !g->value) {
        if (took >= argc)
            return err_set(err, EINVAL, "%s needs a value: %s %s", option,
                           option, arg);
        g->value = argv[took++];
    }
    if (g->row->takes == ARGS_TWO) {
        if (g->value || argc < 3)
            return err_set(err, EINVAL, "%s needs two words: %s %s", option,
                           option, arg);
        g->value = argv[took++];
        g->second = argv[took++];
    }
    if (g->value && *g->value == '\0' && !g->second)
        return err_set(err, EINVAL, "%s needs a value that is not empty",
                       option);
    return took;
}

/* Returns how many words it took, or -1. */
static int options_take(struct options *o, int argc, char **argv,
                        struct err *err)
{
    struct args_given g;
    char option[64];
    int took = options_read(&g, option, argc, argv, err);

    if (took < 0)
        return -1;
    o->seen |= (uint64_t)1 << (g.row - usage_rows);
    return g.row->take(o, &g, err) ? -1 : took;
}

/* ----------------------------------------------------------------- parse */

/* Options, program and arguments up to ":" or the end. Returns how many
 * words that were, or -1. */
static int options_take_app(struct options *o, int argc, char **argv,
                            struct err *err)
{
    struct options_app *app = options_add_app(o);
    int i = 0;

    if (!app)
        return err_memory(err);
    while (i < argc && argv[i][0] == '-' && argv[i][1] != '\0') {
        if (strcmp(argv[i], "--") == 0) {
            i++;
            break;
        }
        int took = options_take(o, argc - i, argv + i, err);

        if (took < 0)
            return -1;
        i += took;
        if (o->action != OPTIONS_RUN)
            return argc;
    }
    app->argv = argv + i;
    while (i < argc && (o->adopt || strcmp(argv[i], ":") != 0))
        i++;                    /* a ":" may be the launcher's own */
    app->argc = (size_t)(argv + i - app->argv);
    if (app->argc == 0 && (o->adopt_env || (o->restart && o->napps == 1 &&
                                           i == argc)))
        return i;
    if (app->argc == 0 && o->napps > 1)
        return err_set(err, EINVAL, "no program after \":\"");
    if (app->argc == 0)
        return err_set(err, EINVAL, i < argc ? "no program before \":\"" :
                       "no program given; hector-run --help says how");
    if (app->argv[0][0] == '\0')
        return err_set(err, EINVAL, "the name of the program is empty");
    return i;
}

/* A policy of somebody's own may watch deadlines, too. */
static int options_check_watched(const struct options *o, struct err *err)
{
    bool none = false, watched = false;

    for (size_t i = 0; i < o->policies.n; i++) {
        const char *p = o->policies.v[i];
        size_t n = strcspn(p, ":");

        none |= strcmp(p, "none") == 0;
        watched |= (n == 8 && strncmp(p, "deadline", n) == 0) || strchr(p, '/');
    }
    if ((o->due.n || o->calendars.n) && none && !watched)
        return err_set(err, EINVAL, "--policy none leaves nobody who would watch "
                       "what %s says: add --policy deadline",
                       o->due.n ? "--deadline" : "--calendar");
    return 0;
}

/* Who acts on deadlines needs some, and has to hear of them. */
static int options_check_acts(const struct options *o, struct err *err)
{
    if (!o->on_deadline || strcmp(o->on_deadline, "act") != 0)
        return 0;
    if (!o->due.n && !o->calendars.n)
        return err_set(err, EINVAL, "--on-deadline act: nothing is due in this job; "
                       "--deadline or --calendar says what is");
    return 0;
}

/* Whom it is for may be known when it is too late to say that nobody is. */
static int options_take_mail(struct options *o, struct err *err)
{
    if (!o->notify || strcmp(o->notify, "mail") != 0)
        return 0;
    o->mail = malloc(MAIL_COMMAND_MAX);
    if (!o->mail)
        return err_memory(err);
    o->notify = o->mail;
    return mail_command(o->mail, err);
}

static int options_check(const struct options *o, struct err *err)
{
    uint64_t rank, total = 0;

    if (o->hosts.n > 0 && o->hostfile)
        return err_set(err, EINVAL, "-H and --hostfile both name the hosts; "
                       "give one of them");
    if (o->master && o->agent)
        return err_set(err, EINVAL, "--launch-agent has no use with --master: "
                       "nothing is started");
    if (o->master && o->db)
        return err_set(err, EINVAL, "--db has no use with --master: that one "
                       "has its own database");
    if (o->pty && strcmp(o->stdin_ranks, "none") == 0)
        return err_set(err, EINVAL, "--pty has no use with --stdin none: the "
                       "terminal is for the tasks that read");
    if (options_check_watched(o, err) || options_check_acts(o, err))
        return -1;
    for (size_t i = 0; i < o->napps; i++)
        total += o->apps[i].ntasks;
    if (total > OPTIONS_TASKS_MAX)
        return err_set(err, EINVAL, "more than %d tasks in all",
                       OPTIONS_TASKS_MAX);
    if (o->napps == 1 && total > 0 &&
        parse_u64(&rank, o->stdin_ranks, 0, UINT32_MAX, NULL) == 0 &&
        rank >= total)
        return err_set(err, EINVAL, "--stdin %s: the ranks go from 0 to %u",
                       o->stdin_ranks, (unsigned)(total - 1));
    return 0;
}

int options_parse(struct options *o, int argc, char **argv, struct err *err)
{
    *o = (struct options){ .stdin_ranks = "0" };
    for (int i = 1; i == 1 || i < argc; i++) {  /* each turn ends at a ":" */
        int took = options_take_app(o, argc - i, argv + i, err);

        if (took < 0)
            goto fail;
        if (o->action != OPTIONS_RUN)
            return 0;
        i += took;
        if (i == argc - 1 && !o->adopt) {
            err_set(err, EINVAL, "no program after \":\"");
            goto fail;
        }
    }
    if (options_check_adopt(o, err) == 0 && options_check(o, err) == 0 &&
        options_check_saved(o, err) == 0 && options_take_mail(o, err) == 0)
        return 0;
fail:
    options_fini(o);
    return -1;
}

bool options_seen(const struct options *o, const char *name)
{
    const struct args_option *row = args_find(usage_rows, usage_nrows,
                                              name + strspn(name, "-"));

    assert(row);
    return o->seen & (uint64_t)1 << (row - usage_rows);
}

void options_fini(struct options *o)
{
    for (size_t i = 0; i < o->napps; i++)
        options_list_fini(&o->apps[i].env);
    free(o->apps);
    options_list_fini(&o->env);
    options_list_fini(&o->hosts);
    options_list_fini(&o->policies);
    options_list_fini(&o->calendars);
    calendar_fini(&o->due);
    free(o->faults);
    free(o->mail);
    *o = (struct options){ 0 };
}
