/* args.c - tables of options: names, help, and getopt_long(3) made from them. */
#include "proto/base/args.h"

#include <assert.h>
#include <errno.h>
#include <getopt.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#include "proto/base/parse.h"

enum { NAME_BYTES = 32, HELP_COLUMN = 30, WIDTH = 80, LONGS = 160 };

/* ----------------------------------------------------------------- values */

void *args_at(void *to, const struct args_given *g)
{
    return (char *)to + g->row->at;
}

int args_nothing(void *to, const struct args_given *g, struct err *err)
{
    (void)to, (void)g, (void)err;
    return 0;
}

int args_flag(void *to, const struct args_given *g, struct err *err)
{
    bool *is = args_at(to, g);

    (void)err;
    *is = true;
    return 0;
}

int args_count(void *to, const struct args_given *g, struct err *err)
{
    int *n = args_at(to, g);

    (void)err;
    ++*n;
    return 0;
}

int args_text(void *to, const struct args_given *g, struct err *err)
{
    const char **text = args_at(to, g);

    (void)err;
    *text = g->value;
    return 0;
}

int args_u64(void *to, const struct args_given *g, struct err *err)
{
    uint64_t *v = args_at(to, g);

    return parse_u64(v, g->value, g->row->min, g->row->max, err)
           ? err_prefix(err, "%s", g->option) : 0;
}

int args_u32(void *to, const struct args_given *g, struct err *err)
{
    uint32_t *out = args_at(to, g);
    uint64_t v;

    assert(g->row->max <= UINT32_MAX);
    if (parse_u64(&v, g->value, g->row->min, g->row->max, err))
        return err_prefix(err, "%s", g->option);
    *out = (uint32_t)v;
    return 0;
}

int args_duration(void *to, const struct args_given *g, struct err *err)
{
    uint64_t *ns = args_at(to, g);

    return parse_duration(ns, g->value, err)
           ? err_prefix(err, "%s", g->option) : 0;
}

/* ------------------------------------------------------------------ names */

struct name { char text[NAME_BYTES]; bool one_dash; };

/* Take the next name off "n -np c"; false at the end. */
static bool next_name(const char **names, struct name *name)
{
    size_t n;

    name->one_dash = **names == '-';
    *names += name->one_dash;
    n = strcspn(*names, " ");
    assert(n < NAME_BYTES);
    memcpy(name->text, *names, n);
    name->text[n] = '\0';
    *names += n;
    *names += strspn(*names, " ");
    if (n == 1)
        name->one_dash = true;
    return n > 0;
}

const struct args_option *args_find(const struct args_option *rows, size_t n,
                                    const char *name)
{
    struct name one;

    for (size_t i = 0; i < n; i++)
        for (const char *names = rows[i].names; next_name(&names, &one);)
            if (strcmp(one.text, name) == 0)
                return &rows[i];
    return NULL;
}

/* How many letters have to change to make a from b. */
static int distance(const char *a, const char *b)
{
    size_t na = strlen(a), nb = strlen(b);
    int row[NAME_BYTES + 1];

    if (na > NAME_BYTES || nb > NAME_BYTES)
        return NAME_BYTES;
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

const char *args_nearest(const struct args_option *rows, size_t n,
                         const char *name)
{
    static char best[NAME_BYTES];
    struct name one;
    int least = 3;

    if (strlen(name) < 4)
        return NULL;
    best[0] = '\0';
    for (size_t i = 0; i < n; i++)
        for (const char *names = rows[i].names; next_name(&names, &one);) {
            int d = distance(name, one.text);

            if (d < least && strlen(one.text) > 3) {
                least = d;
                strcpy(best, one.text);
            }
        }
    return best[0] ? best : NULL;
}

int args_unknown(const struct args_option *rows, size_t n, const char *option,
                 struct err *err)
{
    const char *near = args_nearest(rows, n, option + strspn(option, "-"));

    if (near)
        return err_set(err, EINVAL, "there is no option %.60s; did you mean "
                       "--%s?", option, near);
    return err_set(err, EINVAL, "there is no option %.60s; --help lists them",
                   option);
}

/* ------------------------------------------------------------------- help */

/* "  -n, -np N", with at most two names. */
static int print_names(const struct args_option *o, FILE *out)
{
    const char *names = o->names;
    struct name one;
    int column = fprintf(out, "  ");

    for (int i = 0; i < 2 && next_name(&names, &one); i++)
        column += fprintf(out, "%s%s%s", i ? ", " : "",
                          one.one_dash ? "-" : "--", one.text);
    if (o->arg)
        column += fprintf(out, o->takes == ARGS_MAY ? "[=%s]" : " %s", o->arg);
    return column;
}

static void print_text(const char *text, int column, FILE *out)
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

void args_print(const struct args_option *rows, size_t n, FILE *out)
{
    for (size_t i = 0; i < n; i++) {
        if (rows[i].group)
            fprintf(out, "\n%s\n", rows[i].group);
        if (rows[i].help)
            print_text(rows[i].help, print_names(&rows[i], out), out);
    }
}

/* ---------------------------------------------------------------- getopt */

/* The table as getopt_long() wants it; a long name's value is its row's. */
struct getopt_form {
    struct option longs[LONGS + 1];
    char shorts[3 * LONGS + 3];
    size_t nlongs;
};
enum { ROW = 256 };

static void add_form(struct getopt_form *f, const struct name *name,
                     enum args_takes takes, size_t row)
{
    int has = takes == ARGS_NONE ? no_argument
            : takes == ARGS_MAY ? optional_argument : required_argument;
    char *end = f->shorts + strlen(f->shorts);

    assert(f->nlongs < LONGS && takes != ARGS_TWO);
    if (name->text[1] == '\0') {
        *end++ = name->text[0];
        for (int i = 0; i < has; i++)
            *end++ = ':';
        *end = '\0';
    } else {
        f->longs[f->nlongs++] = (struct option){ NULL, has, NULL,
                                                 ROW + (int)row };
    }
}

/* names: room for those of f, which points into it. */
static void make_form(struct getopt_form *f, char (*names)[NAME_BYTES],
                      const struct args_option *rows, size_t n)
{
    struct name one;

    *f = (struct getopt_form){ .shorts = ":" };
    for (size_t i = 0; i < n; i++)
        for (const char *list = rows[i].names; next_name(&list, &one);) {
            memcpy(names[f->nlongs], one.text, NAME_BYTES);
            add_form(f, &one, rows[i].takes, i);
        }
    for (size_t i = 0; i < f->nlongs; i++)
        f->longs[i].name = names[i];
}

/* What getopt_long() has just read, or stumbled over. */
static const struct args_option *row_of(const struct args_option *rows,
                                        size_t n, int c)
{
    char letter[2] = { (char)c, '\0' };

    return c >= ROW ? &rows[c - ROW] : c ? args_find(rows, n, letter) : NULL;
}

static int refuse(const struct args_option *rows, size_t n, int c,
                  const char *word, struct err *err)
{
    const struct args_option *o = row_of(rows, n, optopt);
    char letter[3] = { '-', (char)optopt, '\0' }, name[60];

    snprintf(name, sizeof(name), "%.*s", (int)strcspn(word, "="), word);
    if (o && optopt < ROW)
        snprintf(name, sizeof(name), "%s", letter);
    if (o && c == ':')
        return err_set(err, EINVAL, "%s needs a value: %s %s", name, name,
                       o->arg);
    if (o)
        return err_set(err, EINVAL, "%s takes no value", name);
    return args_unknown(rows, n, optopt ? letter : name, err);
}

int args_scan(const struct args_option *rows, size_t n, int argc, char **argv,
              int (*found)(void *arg, const struct args_given *g,
                           struct err *err),
              void *arg, struct err *err)
{
    char names[LONGS][NAME_BYTES], option[NAME_BYTES + 3];
    struct getopt_form f;
    int c, at;

    make_form(&f, names, rows, n);
    opterr = 0;
    optind = 0;                         /* begin anew (GNU) */
    while ((c = getopt_long(argc, argv, f.shorts, f.longs, &at)) != -1) {
        struct args_given g = { .option = option, .value = optarg };

        if (c == '?' || c == ':')
            return refuse(rows, n, c, argv[optind - 1], err);
        g.row = row_of(rows, n, c);
        if (c >= ROW)
            snprintf(option, sizeof(option), "--%s", f.longs[at].name);
        else
            snprintf(option, sizeof(option), "-%c", c);
        if (found(arg, &g, err))
            return -1;
    }
    return optind;
}

/* ---------------------------------------------------------------- program */

int args_version(void *to, const struct args_given *g, struct err *err)
{
    (void)to, (void)g;
    return err_set(err, ECANCELED, "the version is asked for");
}

int args_help(void *to, const struct args_given *g, struct err *err)
{
    (void)to, (void)g;
    return err_set(err, ECANCELED, "help is asked for");
}

struct reading { void *to; args_take_f asked; };

static int store(void *arg, const struct args_given *g, struct err *err)
{
    struct reading *r = arg;

    if (g->row->take == args_help || g->row->take == args_version)
        r->asked = g->row->take;
    return g->row->take(r->to, g, err);
}

int args_program(const struct args_program *p, void *to, int argc,
                 char **argv, int *word)
{
    struct reading r = { .to = to };
    struct err err;

    *word = args_scan(p->rows, p->n, argc, argv, store, &r, &err);
    if (*word >= 0)
        return -1;
    if (r.asked == args_version) {
        printf("%s " HECTOR_VERSION "\n", p->name);
    } else if (r.asked) {
        fputs(p->usage, stdout);
        args_print(p->rows, p->n, stdout);
    } else {
        fprintf(stderr, "%s: %s\n", p->name, err.text);
        return ARGS_USAGE;
    }
    return fflush(stdout) ? EXIT_FAILURE : EXIT_SUCCESS;
}
