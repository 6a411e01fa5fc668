/* slices.c - hector why JOB --slice.
 *
 * A slice comes from the slave that has the task, as a trace (slicerows.h), or
 * from the database; both are put into one list of lines, which is shown. */
#include "master/hector/why/slices.h"

#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "master/hector/core/ask.h"
#include "master/hector/core/human.h"
#include "master/hector/core/json.h"
#include "master/hector/core/seek.h"
#include "master/hector/core/table.h"
#include "master/hector/why/why_options.h"
#include "master/store/query.h"
#include "proto/base/array.h"
#include "proto/base/clock.h"
#include "proto/tree/slicerows.h"

#define WAIT_NS (40 * CLOCK_NS_PER_S)
enum { SHOWN = 20, TEXT = 200 };

struct row { char *function, *file, *reason, *source; uint32_t line; };

struct slices {
    uint64_t job, at_ns;        /* at_ns 0: just now */
    int64_t rank;
    struct row *rows;           /* owned, like all texts */
    size_t n, cap;
    struct str remarks;         /* lines */
};

static void slices_fini(struct slices *s)
{
    for (size_t i = 0; i < s->n; i++) {
        free(s->rows[i].function);
        free(s->rows[i].file);
        free(s->rows[i].reason);
        free(s->rows[i].source);
    }
    free(s->rows);
    str_fini(&s->remarks);
}

static char *copy(const char *text)
{
    return strdup(text ? text : "");
}

static void add_row(struct slices *s, const char *function, const char *file,
                    uint32_t line, const char *reason)
{
    struct row *r;

    if (array_reserve(&s->rows, &s->cap, s->n + 1))
        return;
    r = &s->rows[s->n];
    *r = (struct row){ copy(function), copy(file), copy(reason), NULL, line };
    s->n++;
    if (!r->function || !r->file || !r->reason)
        s->n--;                 /* without memory it is left out */
}

/* ------------------------------------------------------------------ a slave */

static void on_line(void *arg, const struct slicerow *row)
{
    add_row(arg, row->function, row->file, row->line, row->reason);
}

static int take(struct slices *s, const struct ask *answer, struct err *err)
{
    const uint8_t *bytes = (const uint8_t *)str_text(&answer->bytes);
    Hct__CallTree *m = hct__call_tree__unpack(NULL, answer->bytes.n, bytes);
    struct prefixtree tree;
    int rc = 0;

    if (!m)
        return err_set(err, EBADMSG, "the master's answer makes no sense");
    for (size_t i = 0; i < m->n_remarks; i++)
        str_addf(&s->remarks, "%s\n", m->remarks[i]);
    ask_add_absent(answer, &m->notes, &m->n_notes);
    for (size_t i = 0; i < m->n_notes; i++)     /* nobody else is asked */
        str_addf(&s->remarks, "%s\n", m->notes[i]->text);
    if (m->tree.len && prefixtree_parse(&tree, m->tree.data, m->tree.len,
                                        err) == 0) {
        if (s->rank >= tree.width)
            rc = err_set(err, ESRCH, "job %" PRIu64 " has %u tasks: there is no"
                         " task %" PRId64, s->job, tree.width, s->rank);
        else
            slicerows_each(&tree, (uint32_t)s->rank, on_line, s);
        prefixtree_fini(&tree);
    }
    hct__call_tree__free_unpacked(m, NULL);
    return rc;
}

static int ask_slave(const struct tool *t, struct slices *s, struct err *err)
{
    Hct__Gather m = HCT__GATHER__INIT;
    Hct__Stack how = HCT__STACK__INIT;
    char address[ADDR_LIST_MAX], ranks[24];
    uint8_t argument[200];
    struct ask answer;
    int rc;

    if (seek_master(t, s->job, address, err))
        return -1;
    snprintf(ranks, sizeof(ranks), "%" PRId64, s->rank);
    how.samples = 1;
    how.slice = true;
    how.ranks = ranks;
    m.kind = (char *)"stack";
    m.argument.len = hct__stack__pack(&how, argument);
    m.argument.data = argument;
    m.job = s->job;
    m.wait_ns = WAIT_NS;
    if (ask_gather(&answer, address, &m, err))
        return -1;
    rc = take(s, &answer, err);
    ask_fini(&answer);
    return rc;
}

/* ------------------------------------------------------------- the database */

static const char *text_of(const struct store_value *v)
{
    return v->type == STORE_TEXT ? v->text : "";
}

static int on_kept(void *arg, int ncols, const char *const *names,
                   const struct store_value *v)
{
    struct slices *s = arg;

    (void)ncols, (void)names;
    s->rank = v[0].i;
    s->at_ns = (uint64_t)v[6].i;
    if (v[1].i == 0)
        str_addf(&s->remarks, "%s\n", text_of(&v[5]));
    else
        add_row(s, text_of(&v[2]), text_of(&v[3]),
                v[4].type == STORE_INT ? (uint32_t)v[4].i : 0, text_of(&v[5]));
    return 0;
}

static int on_blamed(void *arg, int ncols, const char *const *names,
                     const struct store_value *v)
{
    const char *text = text_of(&v[0]);

    (void)ncols, (void)names;
    if (*text >= '0' && *text <= '9')
        *(int64_t *)arg = strtoll(text, NULL, 10);
    return 0;
}

/* Of a job that has ended; or whom to ask about. */
static int look(struct store *st, struct slices *s, bool *ended,
                struct err *err)
{
    const struct query_rows kept = { NULL, on_kept, s };
    const struct query_rows blamed = { NULL, on_blamed, &s->rank };
    int64_t rank = s->rank;

    if (query_job_ended(st, s->job, ended, err))
        return -1;
    if (*ended) {
        if (query_slice(st, s->job, rank, &kept, err))
            return -1;
        if (s->n)
            return 0;
        return rank < 0
            ? err_set(err, ENOENT, "job %" PRIu64 " has ended, and no slice of"
                      " it is kept", s->job)
            : err_set(err, ENOENT, "job %" PRIu64 " has ended, and no slice of"
                      " task %" PRId64 " is kept", s->job, rank);
    }
    if (rank < 0 && query_blamed(st, s->job, &blamed, err))
        return -1;
    if (s->rank < 0)
        return err_set(err, EINVAL, "no verdict blames a task of job %" PRIu64
                       ": say of which one the slice is to be", s->job);
    return 0;
}

/* -------------------------------------------------------------------- shown */

/* The line of the source, if it is here. */
static void read_source(struct row *r)
{
    FILE *f = *r->file ? fopen(r->file, "re") : NULL;
    char *text = NULL;
    size_t size = 0;
    ssize_t n = -1;

    for (uint32_t i = 0; f && i < r->line && (n = getline(&text, &size, f)) >= 0;
         i++)
        ;
    if (n > 0 && r->line) {
        char shown[TEXT];
        const char *begin = text + strspn(text, " \t");

        str_visible(shown, sizeof(shown), begin, strcspn(begin, "\r\n"));
        r->source = strdup(shown);
    }
    free(text);
    if (f)
        fclose(f);
}

static const char *base_name(const char *path)
{
    const char *slash = strrchr(path, '/');

    return slash ? slash + 1 : path;
}

static void say_head(const struct slices *s)
{
    const struct row *r = &s->rows[0];
    const char *in = strstr(r->reason, "is here, in ");
    char at[HUMAN_MAX];

    printf("job %" PRIu64, s->job);
    if (s->at_ns)
        printf(" at %s", human_time(at, s->at_ns, clock_wall_ns()));
    printf(": what decides that task %" PRId64 " gets to and stays in %s"
           " (%s:%u)\n", s->rank, in ? in + strlen("is here, in ")
           : r->function, base_name(r->file), r->line);
}

static struct store_value text_value(const char *text)
{
    return (struct store_value){ .type = text ? STORE_TEXT : STORE_NULL,
                                 .text = text,
                                 .bytes = text ? strlen(text) : 0 };
}

static int say_table(const struct slices *s, size_t most, struct err *err)
{
    static const struct table_column columns[] = {
        { "FUNCTION", TABLE_TEXT, NULL }, { "WHERE", TABLE_TEXT, NULL },
        { "WHY", TABLE_TEXT, NULL }, { "SOURCE", TABLE_WIDE, "" },
    };
    struct table *table = table_create(columns, 4, clock_wall_ns(), err);
    int rc = table ? 0 : -1;

    for (size_t i = 0; i < s->n && i < most && rc == 0; i++) {
        const struct row *r = &s->rows[i];
        char where[TEXT];

        snprintf(where, sizeof(where), "%s:%u", base_name(r->file), r->line);
        const struct store_value v[] = { text_value(r->function),
                                         text_value(where),
                                         text_value(r->reason),
                                         text_value(r->source) };
        rc = table_add(table, v, err);
    }
    if (rc == 0)
        rc = table_end(table, err);
    table_destroy(table);
    return rc;
}

static int say(const struct slices *s, size_t most, struct err *err)
{
    say_head(s);
    if (say_table(s, most, err))
        return -1;
    if (s->n > most)
        printf("and %zu lines more, farther away\n", s->n - most);
    fputs(str_text(&s->remarks), stdout);
    return 0;
}

static int tell_programs(const struct slices *s, size_t most, struct err *err)
{
    static const char *const names[] = { "rank", "place", "function", "file",
                                         "line", "reason", "source" };
    struct json_rows j;
    int rc = 0;

    json_begin(&j, stdout);
    for (size_t i = 0; i < s->n && i < most && rc == 0; i++) {
        const struct row *r = &s->rows[i];
        const struct store_value v[] = {
            { .type = STORE_INT, .i = s->rank },
            { .type = STORE_INT, .i = (int64_t)i + 1 },
            text_value(r->function), text_value(r->file),
            { .type = STORE_INT, .i = r->line }, text_value(r->reason),
            text_value(r->source) };

        rc = json_add(&j, 7, names, v, err);
    }
    return rc ? rc : json_end(&j, err);
}

static int find(const struct tool *t, struct slices *s, struct err *err)
{
    struct store *st = tool_open_store(t);
    bool ended = false;
    int rc;

    if (!st)
        return err_set(err, EIO, "the job cannot be looked up");
    rc = look(st, s, &ended, err);
    store_close(st);
    if (rc || ended)
        return rc;
    if (ask_slave(t, s, err))
        return -1;
    if (s->n)
        return 0;
    return err_set(err, ENODATA, "task %" PRId64 ": %.*s", s->rank,
                   (int)strcspn(str_text(&s->remarks), "\n"),
                   s->remarks.n ? str_text(&s->remarks)
                                : "nothing was found out");
}

int slices_show(const struct tool *t, uint64_t job, int64_t rank)
{
    const struct why_options *o = t->own;
    struct slices s = { .job = job, .rank = rank };
    size_t most = o->count ? (size_t)o->count : t->json ? SIZE_MAX : SHOWN;
    struct err err;
    int status = 0;

    if (find(t, &s, &err)) {
        status = tool_complain(TOOL_FAILED, "%s", err.text);
    } else {
        for (size_t i = 0; i < s.n && i < most; i++)
            read_source(&s.rows[i]);
        if (t->json ? tell_programs(&s, most, &err) : say(&s, most, &err))
            status = tool_complain(TOOL_FAILED, "%s", err.text);
    }
    slices_fini(&s);
    return status;
}
