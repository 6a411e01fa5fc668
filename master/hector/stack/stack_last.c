/* stack_last.c - call trees that are kept in the database. */
#include "master/hector/stack/stack_last.h"

#include <errno.h>
#include <inttypes.h>
#include <stdio.h>

#include "master/hector/core/human.h"
#include "master/hector/core/target.h"
#include "master/store/query.h"
#include "proto/base/clock.h"

struct found { Hct__CallTree *m; uint64_t at_ns, seq; bool any; };

static int on_stack(void *arg, const struct store_stack *stack)
{
    struct found *f = arg;

    f->any = true;
    f->at_ns = stack->at_ns;
    f->seq = stack->seq;
    f->m = hct__call_tree__unpack(NULL, stack->tree.n, stack->tree.p);
    return 1;
}

Hct__CallTree *stack_of_verdict(struct store *st, uint64_t job, uint64_t seq)
{
    struct found f = { 0 };

    query_stack(st, job, seq, on_stack, &f, NULL);
    return f.m;
}

static int find(struct store *st, uint64_t job, struct found *f,
                struct err *err)
{
    bool ended;

    if (query_job_ended(st, job, &ended, err))
        return -1;
    if (query_last_stack(st, job, on_stack, f, err))
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
