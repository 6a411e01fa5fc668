/* options.c - the parser of the command line.
 *
 * Our own and not getopt's: names of several letters after one dash, options
 * that stop at the program, and several programs joined by ":" are what
 * people type for mpirun. -n, --wdir and -x belong to the program they stand
 * in front of; everything else counts for the whole job, wherever it
 * stands. */
#include "redirector/options/options.h"

#include <ctype.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/random.h>

#include "proto/base/parse.h"
#include "proto/conf/onhang.h"
#include "redirector/options/faults.h"
#include "redirector/options/phases.h"
#include "redirector/options/usage.h"
#include "redirector/out/out.h"

static int options_no_memory(struct err *err)
{
    return err_set(err, ENOMEM, "out of memory");
}

static int options_append(struct options_list *l, char *owned, struct err *err)
{
    char **v = owned ? realloc(l->v, (l->n + 1) * sizeof(*v)) : NULL;

    if (!v) {
        free(owned);
        return options_no_memory(err);
    }
    l->v = v;
    l->v[l->n++] = owned;
    return 0;
}

static void options_list_fini(struct options_list *l)
{
    for (size_t i = 0; i < l->n; i++)
        free(l->v[i]);
    free(l->v);
    *l = (struct options_list){ 0 };
}

static struct options_app *options_add_app(struct options *o)
{
    struct options_app *v = realloc(o->apps, (o->napps + 1) * sizeof(*v));

    if (!v)
        return NULL;
    o->apps = v;
    v[o->napps] = (struct options_app){ 0 };
    return &v[o->napps++];
}

/* --------------------------------------------------------------- values */

/* NAME or NAME=VALUE, where NAME is one a shell could set. */
static int options_check_variable(const char *text, const char *option,
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
static int options_check_policy(const char *text, struct err *err)
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

static int options_check_stdin(const char *text, struct err *err)
{
    uint64_t rank;

    if (strcmp(text, "all") == 0 || strcmp(text, "none") == 0)
        return 0;
    if (parse_u64(&rank, text, 0, OPTIONS_TASKS_MAX - 1, NULL) < 0)
        return err_set(err, EINVAL, "--stdin \"%.80s\": a rank, all or none "
                       "is wanted", text);
    return 0;
}

static int options_check_name(const char *text, struct err *err)
{
    for (const unsigned char *p = (const unsigned char *)text; *p; p++)
        if (*p < ' ' || *p == 127)
            return err_set(err, EINVAL, "--name: a control character in it");
    if (*text == '\0' || strlen(text) > 200)
        return err_set(err, EINVAL, "--name: 1 to 200 bytes are wanted");
    return 0;
}

static int options_count(uint32_t *out, const char *option, const char *text,
                         struct err *err)
{
    uint64_t n;

    if (parse_u64(&n, text, 1, OPTIONS_TASKS_MAX, NULL) < 0)
        return err_set(err, EINVAL, "%s \"%.80s\": a number from 1 to %d is "
                       "wanted", option, text, OPTIONS_TASKS_MAX);
    *out = (uint32_t)n;
    return 0;
}

static int options_duration(uint64_t *out, const char *option,
                            const char *text, struct err *err)
{
    uint64_t ns;

    if (parse_duration(&ns, text, NULL) < 0 || ns == 0)
        return err_set(err, EINVAL, "%s \"%.80s\": a time is wanted, as 30, "
                       "1.5s, 10m or 2h", option, text);
    *out = ns;
    return 0;
}

static int options_on_hang(const char *option, const char *text,
                           struct err *err)
{
    struct onhang h;

    return onhang_parse(&h, text, err) < 0 ? err_prefix(err, "%s", option) : 0;
}

/* A seed that nobody gave is a new one each time; the event says what it made
 * of it. */
static int options_inject(struct options *o, const char *text,
                          struct err *err)
{
    uint64_t seed;

    if (getrandom(&seed, sizeof(seed), 0) != sizeof(seed))
        return err_sys(err, "getrandom");
    return faults_add(&o->faults, text, seed, err);
}

static int options_one_of(const char **out, const char *option,
                          const char *text, const char *words,
                          struct err *err)
{
    size_t n = strlen(text);

    for (const char *p = words; *p; p += strcspn(p, "|"), p += *p == '|')
        if (n > 0 && strcspn(p, "|") == n && strncmp(p, text, n) == 0)
            return *out = text, 0;
    return err_set(err, EINVAL, "%s \"%.80s\": one of %s is wanted", option,
                   text, words);
}

static int options_unsupported(const char *option, const char *why,
                               struct err *err)
{
    return err_set(err, ENOTSUP, "%s is not supported by this version: %s",
                   option, why);
}

/* ------------------------------------------------------------ one option */

/* option: as it was typed. value: NULL if there is none. */
static int options_set(struct options *o, struct options_app *app,
                       const struct usage_option *u, const char *option,
                       const char *value, const char *second,
                       struct err *err)
{
    const char *word;

    o->seen |= (uint64_t)1 << u->id;
    switch (u->id) {
    case USAGE_NTASKS:
        return options_count(&app->ntasks, option, value, err);
    case USAGE_PER_NODE:
        return options_count(&o->per_node, option, value, err);
    case USAGE_PER_NODE_ONE:
        o->per_node = 1;
        return 0;
    case USAGE_MAP_BY:
        if (options_one_of(&word, option, value, "slot|node", err) < 0)
            return -1;
        o->by_node = strcmp(word, "node") == 0;
        return 0;
    case USAGE_BY_NODE:
    case USAGE_BY_SLOT:
        o->by_node = u->id == USAGE_BY_NODE;
        return 0;
    case USAGE_OVERSUBSCRIBE:
        o->oversubscribe = true;
        return 0;
    case USAGE_WDIR:
        app->wdir = value;
        return 0;
    case USAGE_EXPORT:
        if (options_check_variable(value, option, err) < 0)
            return -1;
        return options_append(&app->env, strdup(value), err);
    case USAGE_GENV: {
        char *both = NULL;

        if (options_check_variable(value, option, err) < 0)
            return -1;
        if (strchr(value, '='))
            return err_set(err, EINVAL, "%s takes a variable and its value as "
                           "two words", option);
        if (asprintf(&both, "%s=%s", value, second) < 0)
            return options_no_memory(err);
        return options_append(&o->env, both, err);
    }
    case USAGE_HOST:
        return options_append(&o->hosts, strdup(value), err);
    case USAGE_HOSTFILE:
        o->hostfile = value;
        return 0;
    case USAGE_AGENT:
        o->agent = value;
        return 0;
    case USAGE_MASTER:
        o->master = value;
        return 0;
    case USAGE_STDIN:
        o->stdin_ranks = value;
        return options_check_stdin(value, err);
    case USAGE_LABEL:
        o->label = LABEL_RANK;
        return 0;
    case USAGE_TAG:
        o->label = LABEL_TAG;
        return 0;
    case USAGE_TIMESTAMP:
        o->timestamp = true;
        return 0;
    case USAGE_OUTPUT_DIR:
        o->output_dir = value;
        return 0;
    case USAGE_MERGE:
        o->merge_stderr = true;
        return 0;
    case USAGE_BUFFER:
        return options_one_of(&o->buffer, option, value, "line|block|none",
                              err);
    case USAGE_UNBUFFERED:
        o->buffer = "none";
        return 0;
    case USAGE_PTY:
        o->pty = true;
        return 0;
    case USAGE_STDTIM:
        o->stdtim = value ? value : "-";
        if (strncmp(o->stdtim, "fd:", 3) == 0 && out_fd(o->stdtim) < 0)
            return err_set(err, EINVAL, "%s=%.80s: a number is wanted after "
                           "fd:", option, value);
        return 0;
    case USAGE_TIMEOUT:
        return options_duration(&o->timeout_ns, option, value, err);
    case USAGE_NAME:
        o->name = value;
        return options_check_name(value, err);
    case USAGE_DB:
        o->db = value;
        return 0;
    case USAGE_POLICY:
        if (options_check_policy(value, err) < 0)
            return -1;
        return options_append(&o->policies, strdup(value), err);
    case USAGE_ON_HANG:
        o->on_hang = value;
        return options_on_hang(option, value, err);
    case USAGE_PRIORITY:
        return options_unsupported(option, "all jobs are equal yet", err);
    case USAGE_DEADLINE:
        return options_unsupported(option, "nobody watches deadlines yet "
                                   "(--timeout ends a job in time)", err);
    case USAGE_MIGRATABLE:
    case USAGE_CHECKPOINT_EVERY:
    case USAGE_CHECKPOINT_DIR:
        return options_unsupported(option, "tasks cannot be moved or saved "
                                   "yet", err);
    case USAGE_INJECT:
        return options_inject(o, value, err);
    case USAGE_PHASE:
        o->phase = value;
        return phases_check(value, err);
    case USAGE_ADOPT:
        o->adopt = true;
        return 0;
    case USAGE_ADOPT_ENV:
        o->adopt_env = value ? value : "";
        return 0;
    case USAGE_VERBOSE:
        o->verbose = true;
        return 0;
    case USAGE_QUIET:
        o->quiet = true;
        return 0;
    case USAGE_HELP:
        o->action = OPTIONS_HELP;
        return 0;
    case USAGE_VERSION:
        o->action = OPTIONS_VERSION;
        return 0;
    case USAGE_AS_ROOT:
        return 0;
    }
    return 0;
}

static int options_unknown(const char *option, const char *name,
                           struct err *err)
{
    const char *near = usage_nearest(name);

    if (near)
        return err_set(err, EINVAL, "there is no option %.60s; did you mean "
                       "--%s?", option, near);
    return err_set(err, EINVAL, "there is no option %.60s; hector-run --help "
                   "lists them", option);
}

/* Take the option argv[0] of argc words. Returns how many it took, or -1. */
static int options_take(struct options *o, struct options_app *app, int argc,
                        char **argv, struct err *err)
{
    char option[64];
    const char *word = argv[0], *value = NULL;
    size_t n = strcspn(word, "=");

    snprintf(option, sizeof(option), "%.*s",
             (int)(n < sizeof(option) ? n : sizeof(option) - 1), word);
    if (word[n] == '=')
        value = word + n + 1;
    const char *name = option + (option[1] == '-' ? 2 : 1);
    const struct usage_option *u = usage_find(name);

    if (!u && word[1] != '-' && isdigit((unsigned char)word[2])) {
        char letter[2] = { word[1], '\0' };

        u = usage_find(letter);         /* -n4: a letter and its number */
        if (!u || u->takes != USAGE_ARG)
            return options_unknown(option, name, err);
        value = word + 2;
        option[2] = '\0';
    }
    if (!u)
        return options_unknown(option, name, err);
    int took = 1;
    const char *second = NULL;

    if (u->takes == USAGE_NO_ARG && value)
        return err_set(err, EINVAL, "%s takes no value", option);
    if (u->takes == USAGE_ARG && !value) {
        if (took >= argc)
            return err_set(err, EINVAL, "%s needs a value: %s %s", option,
                           option, u->arg);
        value = argv[took++];
    }
    if (u->takes == USAGE_TWO_ARGS) {
        if (value || argc < 3)
            return err_set(err, EINVAL, "%s needs two words: %s %s", option,
                           option, u->arg);
        value = argv[took++];
        second = argv[took++];
    }
    if (value && *value == '\0' && u->id != USAGE_GENV)
        return err_set(err, EINVAL, "%s needs a value that is not empty",
                       option);
    return options_set(o, app, u, option, value, second, err) < 0 ? -1 : took;
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
        return options_no_memory(err);
    while (i < argc && argv[i][0] == '-' && argv[i][1] != '\0') {
        if (strcmp(argv[i], "--") == 0) {
            i++;
            break;
        }
        int took = options_take(o, app, argc - i, argv + i, err);

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
    if (app->argc == 0 && o->adopt_env)
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
    if (options_check_adopt(o, err) == 0 && options_check(o, err) == 0)
        return 0;
fail:
    options_fini(o);
    return -1;
}

void options_fini(struct options *o)
{
    for (size_t i = 0; i < o->napps; i++)
        options_list_fini(&o->apps[i].env);
    free(o->apps);
    options_list_fini(&o->env);
    options_list_fini(&o->hosts);
    options_list_fini(&o->policies);
    free(o->faults);
    *o = (struct options){ 0 };
}
