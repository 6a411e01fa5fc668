/* replay.c - hector replay: asks a policy again, over what was recorded of a
 * job, and prints its verdicts as the live run had them in verdict.detail. */
#include "master/hector/commands.h"

#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "master/hector/core/target.h"
#include "master/watch/policy.h"
#include "master/watch/tape.h"
#include "master/watch/verdict.h"
#include "proto/base/str.h"

struct replay {
    struct policy policy;
    struct policy_out out;
    struct tape_reader reader;
    bool begun;
    uint64_t first, looks, verdicts;
    struct err *err;            /* borrowed */
    bool failed;
};

static int replay_begin(struct replay *r, const struct hct_snapshot *s)
{
    if (policy_out_init(&r->out, s->nranks))
        return err_set(r->err, ENOMEM, "out of memory");
    if (policy_begin(&r->policy, s->job, r->err))
        return -1;
    r->begun = true;
    r->first = s->seq;
    return 0;
}

static void replay_print(struct replay *r, const struct hct_snapshot *s)
{
    struct str text = { 0 };
    char line[8192];
    const char *p, *end;

    for (uint32_t i = 0; i < r->out.out.nverdicts; i++, r->verdicts++)
        verdict_text(&text, &r->policy, s, &r->out, i);
    for (p = str_text(&text); (end = strchr(p, '\n')); p = end + 1) {
        str_visible(line, sizeof(line), p, (size_t)(end - p));
        puts(line);
    }
    str_fini(&text);
}

static int replay_step(struct replay *r, const struct hct_snapshot *s)
{
    char why[200];

    r->looks++;
    if (!r->begun && replay_begin(r, s))
        return -1;
    if (!policy_due(&r->policy, s->now_ns))
        return 0;
    if (policy_step(&r->policy, s, &r->out, why, sizeof(why)) != POLICY_FINE)
        tool_complain(0, "look %" PRIu64 ": policy %s: %s", s->seq,
                      r->policy.name, why);
    replay_print(r, s);
    return 0;
}

static int replay_row(void *arg, int ncols, const char *const *names,
                      const struct store_value *v)
{
    struct replay *r = arg;
    struct hct_snapshot s;
    int rc = 0;

    (void)ncols;
    (void)names;
    r->reader.p = (const uint8_t *)v[0].text;
    r->reader.end = r->reader.p + v[0].bytes;
    while (v[0].type == STORE_BLOB &&
           (rc = tape_read(&r->reader, &s, r->err)) > 0)
        if (replay_step(r, &s)) {
            rc = -1;
            break;
        }
    r->failed = rc < 0;
    return rc < 0;
}

static int replay(struct replay *r, struct store *st, uint64_t job)
{
    struct store_value id = { .type = STORE_INT, .i = (int64_t)job };

    if (store_version(st) < 5)
        return err_set(r->err, EPROTO, "this database has no recorded looks");
    if (store_query_bound(st, "SELECT data FROM look WHERE job = ?1"
                          " ORDER BY seq", &id, 1, NULL, replay_row, r,
                          r->err) || r->failed)
        return -1;
    if (r->looks == 0)
        return err_set(r->err, ESRCH, "there are no recorded looks of job %"
                       PRIu64, job);
    if (r->first > 1)
        tool_complain(0, "the first %" PRIu64 " looks have been dropped: the "
                      "verdicts may differ", r->first - 1);
    return 0;
}

/* ------------------------------------------------------------ which job */

enum { NAMED_MAX = 8 };

struct recorded {               /* jobs that have looks */
    struct str names;           /* "1, 2, 5": the first ones */
    uint64_t last;
    unsigned n;
};

static int recorded_row(void *arg, int ncols, const char *const *names,
                        const struct store_value *v)
{
    struct recorded *r = arg;

    (void)ncols;
    (void)names;
    r->last = (uint64_t)v[0].i;
    if (r->n++ < NAMED_MAX)
        str_addf(&r->names, "%s%" PRIu64, r->n > 1 ? ", " : "", r->last);
    return 0;
}

/* The one job that there is to be replayed, 0 after having complained, with
 * the exit status. The latest are named first. */
static uint64_t only_job(const struct tool *t, struct store *st, int *status)
{
    const char *db = t->db ? t->db : "";
    struct recorded r = { 0 };
    uint64_t job = 0;
    struct err err;

    if (store_version(st) < 5)
        *status = tool_complain(TOOL_FAILED,
                                "this database has no recorded looks");
    else if (store_query_bound(st, "SELECT DISTINCT job FROM look"
                               " ORDER BY job DESC", NULL, 0, NULL,
                               recorded_row, &r, &err))
        *status = tool_complain(TOOL_FAILED, "%s", err.text);
    else if (r.n == 0)
        *status = tool_complain(TOOL_FAILED,
                                "there are no recorded looks of any job");
    else if (r.n > 1)
        *status = tool_complain(TOOL_USAGE, "there are looks of %u jobs, %s%s:"
                                " say which one, as in: hector replay%s%s %.*s",
                                r.n, str_text(&r.names),
                                r.n > NAMED_MAX ? ", ..." : "", *db ? " " : "",
                                db, (int)strcspn(str_text(&r.names), ","),
                                str_text(&r.names));
    else
        job = r.last;
    str_fini(&r.names);
    return job;
}

struct replay_options { const char *policy; };
static const struct replay_options defaults = { "hang" };

static const struct args_option options[] = {
    { NULL, "policy", ARGS_VALUE, "NAME[:KEY=VALUE,...]",
      "which one; default: hang",
      args_text, offsetof(struct replay_options, policy), 0, 0 },
};

/* job 0: the only one. */
static int replay_job(const struct tool *t, uint64_t job)
{
    const struct replay_options *o = t->own;
    struct err err = { 0 };
    struct replay r = { .err = &err };
    struct store *st;
    int status = 0;

    if (policy_open(&r.policy, o->policy, &err))
        return tool_complain(TOOL_USAGE, "%s", err.text);
    st = tool_open_store(t);
    if (!st)
        status = TOOL_FAILED;
    else if ((job || (job = only_job(t, st, &status))) &&
             replay(&r, st, job))
        status = tool_complain(TOOL_FAILED, "%s", err.text);
    store_close(st);
    policy_close(&r.policy);
    policy_out_fini(&r.out);
    looks_fini(&r.reader.looks);
    return status;
}

/* replay [DATABASE] [JOB]: one word that is no number is a file. */
static int run_replay(const struct tool *t)
{
    const char *last = t->nwords ? t->words[t->nwords - 1] : NULL;
    struct target target = { 0 };
    struct tool with = *t;
    struct err err;
    int status;

    if (t->nwords > 2)
        return tool_complain(TOOL_USAGE, "replay wants a JOB, or a DATABASE "
                             "and a JOB");
    if (last && target_parse(&target, last, &err)) {
        if (t->nwords == 2)
            return tool_complain(TOOL_USAGE, "%s", err.text);
        if (access(last, F_OK))
            return tool_complain(TOOL_USAGE, "%s, and no such file is there",
                                 err.text);
        with.db = last;
    }
    if (t->nwords == 2)
        with.db = t->words[0];
    status = replay_job(&with, target.job);
    target_fini(&target);
    return status;
}

const struct command replay_command = {
    "replay", "[DATABASE] [JOB]", "ask a policy again",
    COMMAND_OPTIONS(options, defaults), run_replay
};
