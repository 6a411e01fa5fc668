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
#include "proto/base/paths.h"
#include "proto/base/taskset.h"
#include "proto/tree/slicerows.h"

#define WAIT_NS (40 * CLOCK_NS_PER_S)
enum { SHOWN = 20, SHOWN_PERCENT = 40, TEXT = 200 };

struct row { char *function, *file, *reason, *source; uint32_t line; };

struct slices {
    uint64_t job, at_ns;        /* at_ns 0: just now */
    int64_t rank;
    uint64_t awaits;            /* whose message, rank + 1; 0: not known */
    uint64_t next;              /* of those who are behind; 0: not said */
    struct row *rows;           /* owned, like all texts */
    size_t n, cap;
    struct str remarks;         /* lines */
};

static void row_fini(struct row *r)
{
    free(r->function);
    free(r->file);
    free(r->reason);
    free(r->source);
}

static void slices_fini(struct slices *s)
{
    for (size_t i = 0; i < s->n; i++)
        row_fini(&s->rows[i]);
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
    struct slices *s = arg;

    if (!s->n && slicerows_is_head(row))
        s->awaits = row->awaits;
    add_row(s, row->function, row->file, row->line, row->reason);
}

static int take(struct slices *s, const struct ask *answer, struct err *err)
{
    const uint8_t *bytes = (const uint8_t *)str_text(&answer->bytes);
    Hct__CallTree *m = hct__call_tree__unpack(NULL, answer->bytes.n, bytes);
    struct prefixtree tree;

    if (!m)
        return err_set(err, EBADMSG, "the master's answer makes no sense");
    for (size_t i = 0; i < m->n_remarks; i++)
        str_addf(&s->remarks, "%s\n", m->remarks[i]);
    ask_add_absent(answer, &m->notes, &m->n_notes);
    for (size_t i = 0; i < m->n_notes; i++)     /* nobody else is asked */
        str_addf(&s->remarks, "%s\n", m->notes[i]->text);
    if (m->tree.len && prefixtree_parse(&tree, m->tree.data, m->tree.len,
                                        err) == 0) {
        slicerows_each(&tree, (uint32_t)s->rank, on_line, s);
        prefixtree_fini(&tree);
    }
    hct__call_tree__free_unpacked(m, NULL);
    return 0;
}

/* sends_to: as in Stack. */
static int ask_slave(const struct tool *t, struct slices *s, uint32_t sends_to,
                     struct err *err)
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
    how.sends_to = sends_to;
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

/* The line of the second row may be one of the slice as well: it is there once. */
static void drop_again(struct slices *s)
{
    for (size_t i = s->n; i-- > 2; )
        if (s->rows[i].line == s->rows[1].line &&
            strcmp(s->rows[i].file, s->rows[1].file) == 0) {
            row_fini(&s->rows[i]);
            memmove(&s->rows[i], &s->rows[i + 1],
                    (--s->n - i) * sizeof(*s->rows));
        }
}

/* Where the task whose message it awaits has sent to it last: behind where it
 * is. Who does not know that question has answered with a slice of that task. */
static void ask_sender(const struct tool *t, struct slices *s)
{
    struct slices of = { .job = s->job, .rank = (int64_t)s->awaits - 1 };
    struct err err;
    bool good = ask_slave(t, &of, (uint32_t)s->rank + 1, &err) == 0;

    if (good && of.n == 1 && array_reserve(&s->rows, &s->cap, s->n + 1) == 0) {
        memmove(&s->rows[2], &s->rows[1], (s->n - 1) * sizeof(*s->rows));
        s->rows[1] = of.rows[0];
        s->n++;
        of.n = 0;
        drop_again(s);
    } else if (good && of.n == 0) {
        str_addf(&s->remarks, "Task %" PRId64 ", whose message it awaits, has sent"
                 " it none in the last calls that are known.\n", of.rank);
    }
    slices_fini(&of);
}

/* -------------------------------------------------------------- of which one */

/* The one that is looked for, of those that come in order. */
struct choice { uint64_t next, n; int64_t rank; };

/* Of tasks at the same point the first one stands for all. */
static int on_group(void *arg, int ncols, const char *const *names,
                    const struct store_value *v)
{
    struct choice *c = arg;

    (void)ncols, (void)names;
    if (++c->n == c->next && v[0].type == STORE_TEXT && *v[0].text)
        c->rank = strtoll(v[0].text, NULL, 10);
    return 0;
}

static int on_blamed(void *arg, int ncols, const char *const *names,
                     const struct store_value *v)
{
    struct choice *c = arg;
    struct taskset ranks = { 0 };

    (void)ncols, (void)names;
    if (v[0].type != STORE_TEXT ||
        taskset_parse(&ranks, v[0].text, UINT32_MAX, NULL))
        return 0;
    for (int64_t r = -1; (r = taskset_next(&ranks, r)) >= 0; )
        if (++c->n == c->next)
            c->rank = r;
    taskset_fini(&ranks);
    return 0;
}

/* The next-th of those who are behind: as policy progress has them, or else as
 * the last verdict names them. Nobody is to blame: rank stays -1. */
static int choose(struct store *st, struct slices *s, uint64_t next,
                  struct err *err)
{
    struct choice c = { next, 0, -1 };
    const struct query_rows least = { NULL, on_group, &c };
    const struct query_rows blamed = { NULL, on_blamed, &c };
    bool graph;

    if (query_least(st, s->job, &least, err))
        return -1;
    graph = c.n > 0;
    if (!graph && query_blamed(st, s->job, &blamed, err))
        return -1;
    s->rank = c.rank;
    if (c.rank >= 0 || !s->next)
        return 0;
    if (graph)
        return err_set(err, ENOENT, "the tasks of job %" PRIu64 " stand at %"
                       PRIu64 " point%s: there is no next one (hector why %"
                       PRIu64 " --progress)", s->job, c.n,
                       c.n == 1 ? "" : "s", s->job);
    return err_set(err, ENOENT, "verdicts blame %" PRIu64 " task%s of job %"
                   PRIu64 ": who comes next is known where policy progress"
                   " watches a job", c.n, c.n == 1 ? "" : "s", s->job);
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

/* Of a job that has ended; or_any: if there is none of this task. */
static int look_kept(struct store *st, struct slices *s, bool or_any,
                     struct err *err)
{
    const struct query_rows kept = { NULL, on_kept, s };
    int64_t rank = s->rank;

    if (query_slice(st, s->job, rank, &kept, err) ||
        (!s->n && or_any && query_slice(st, s->job, -1, &kept, err)))
        return -1;
    if (s->n)
        return 0;
    return rank < 0
        ? err_set(err, ENOENT, "job %" PRIu64 " has ended, and no slice of"
                  " it is kept", s->job)
        : err_set(err, ENOENT, "job %" PRIu64 " has ended, and no slice of"
                  " task %" PRId64 " is kept", s->job, rank);
}

static int on_job(void *arg, const struct store_job *job)
{
    *(uint32_t *)arg = job->ntasks;
    return 0;
}

static int look(struct store *st, struct slices *s, bool *ended,
                struct err *err)
{
    uint64_t next = s->next ? s->next : 1;
    bool named = s->rank >= 0;
    uint32_t ntasks = 0;

    if (query_job_ended(st, s->job, ended, err) ||
        query_job(st, s->job, on_job, &ntasks, err) ||
        (!named && choose(st, s, next, err)))
        return -1;
    if (named && s->rank >= ntasks)
        return err_set(err, ESRCH, "job %" PRIu64 " has %u tasks: there is no"
                       " task %" PRId64, s->job, ntasks, s->rank);
    if (*ended)
        return look_kept(st, s, !named && !s->next, err);
    if (s->rank < 0)
        return err_set(err, EINVAL, "no verdict blames a task of job %" PRIu64
                       ": say of which one the slice is to be", s->job);
    return 0;
}

/* -------------------------------------------------------------------- shown */

/* How many lines, where nobody has said it: a part of those that the functions
 * have that the task is in, as small programs have few of them. */
static size_t shown_of(const struct slices *s)
{
    const char *path = strstr(str_text(&s->remarks), SLICEROWS_ON_PATH);
    uint64_t lines = path ? strtoul(path + strlen(SLICEROWS_ON_PATH), NULL, 10)
                          : 0;
    uint64_t part = lines * SHOWN_PERCENT / 100;

    return part > SHOWN ? (size_t)part : SHOWN;
}

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
           : r->function, paths_base(r->file), r->line);
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

        snprintf(where, sizeof(where), "%s:%u", paths_base(r->file), r->line);
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
    if (ask_slave(t, s, 0, err))
        return -1;
    if (s->n && s->awaits)
        ask_sender(t, s);
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
    struct slices s = { .job = job, .rank = rank, .next = o->next };
    struct err err;
    int status = 0;

    if (find(t, &s, &err)) {
        status = tool_complain(TOOL_FAILED, "%s", err.text);
    } else {
        size_t most = o->top ? (size_t)o->top : t->json ? SIZE_MAX : shown_of(&s);

        for (size_t i = 0; i < s.n && i < most; i++)
            read_source(&s.rows[i]);
        if (t->json ? tell_programs(&s, most, &err) : say(&s, most, &err))
            status = tool_complain(TOOL_FAILED, "%s", err.text);
    }
    slices_fini(&s);
    return status;
}
