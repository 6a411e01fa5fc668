/* stack_last.c - call trees that are kept in the database. */
#include "master/hector/stack/stack_last.h"

#include <errno.h>
#include <inttypes.h>
#include <stdio.h>

#include "master/hector/core/human.h"
#include "master/hector/core/target.h"
#include "proto/base/clock.h"

enum { VERSION_STACK = 6 };     /* of the database, that has the table */

static const char sql_last[] =
    "SELECT at_ns, seq, tree FROM stack WHERE job = ?1"
    " ORDER BY at_ns DESC LIMIT 1";
static const char sql_verdict[] =
    "SELECT at_ns, seq, tree FROM stack WHERE job = ?1 AND seq = ?2";
static const char sql_job[] = "SELECT 1 FROM job WHERE job = ?1";

struct found { Hct__CallTree *m; uint64_t at_ns, seq; bool any; };

static int found_row(void *arg, int ncols, const char *const *names,
                     const struct store_value *v)
{
    struct found *f = arg;

    (void)ncols;
    (void)names;
    f->any = true;
    f->at_ns = (uint64_t)v[0].i;
    f->seq = (uint64_t)v[1].i;
    f->m = hct__call_tree__unpack(NULL, v[2].bytes,
                                  (const uint8_t *)v[2].text);
    return 1;
}

static int any_row(void *arg, int ncols, const char *const *names,
                   const struct store_value *v)
{
    (void)ncols;
    (void)names;
    (void)v;
    *(bool *)arg = true;
    return 1;
}

Hct__CallTree *stack_of_verdict(struct store *st, uint64_t job, uint64_t seq)
{
    struct store_value of[2] = { { .type = STORE_INT, .i = (int64_t)job },
                                 { .type = STORE_INT, .i = (int64_t)seq } };
    struct found f = { 0 };

    if (store_version(st) < VERSION_STACK ||
        store_query_bound(st, sql_verdict, of, 2, NULL, found_row, &f, NULL))
        return NULL;
    return f.m;
}

static int find(struct store *st, uint64_t job, struct found *f,
                struct err *err)
{
    struct store_value id = { .type = STORE_INT, .i = (int64_t)job };
    bool known = false;

    if (store_query_bound(st, sql_job, &id, 1, NULL, any_row, &known, err))
        return -1;
    if (!known)
        return err_set(err, ESRCH, "there is no job %" PRIu64, job);
    if (store_version(st) >= VERSION_STACK &&
        store_query_bound(st, sql_last, &id, 1, NULL, found_row, f, err))
        return -1;
    if (!f->any)
        return err_set(err, ENOENT, "no call tree of job %" PRIu64 " is kept: "
                       "nobody has asked for one, and no policy has found a "
                       "hang", job);
    if (!f->m)
        return err_set(err, EBADMSG, "the call tree that is kept of job %"
                       PRIu64 " makes no sense", job);
    return 0;
}

static void set_title(const struct found *f, uint64_t job, char *title,
                      size_t size)
{
    char at[HUMAN_MAX];

    human_time(at, f->at_ns, clock_wall_ns());
    snprintf(title, size, "job %" PRIu64 " at %s%s", job, at,
             f->seq ? ", when a policy found that it hangs" : "");
}

Hct__CallTree *stack_last(const struct tool *t, const char *word, char *title,
                          size_t size)
{
    struct found f = { 0 };
    struct target target;
    struct store *st;
    struct err err;

    if (target_parse(&target, word, &err)) {
        tool_complain(TOOL_USAGE, "%s", err.text);
        return NULL;
    }
    st = target.all ? tool_open_store(t) : NULL;
    if (!target.all)
        tool_complain(TOOL_USAGE, "what is kept is the tree of all tasks: "
                      "--last wants a JOB");
    else if (st && find(st, target.job, &f, &err))
        tool_complain(TOOL_FAILED, "%s", err.text);
    else if (st)
        set_title(&f, target.job, title, size);
    store_close(st);
    target_fini(&target);
    return f.m;
}
