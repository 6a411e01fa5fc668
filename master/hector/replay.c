/* replay.c - hector replay: asks a policy again, over what was recorded of a
 * job, and prints its verdicts as the live run had them in verdict.detail. It is
 * asked as the master asks it: in hector-judge, which is shown the tape. */
#include "master/hector/commands.h"

#include <errno.h>
#include <event2/event.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "master/hector/core/target.h"
#include "master/hector/plan/replayplans.h"
#include "master/hector/plan/replaysteps.h"
#include "master/store/query.h"
#include "master/watch/judge.h"
#include "master/watch/tape.h"
#include "proto/base/clock.h"
#include "proto/base/str.h"
#include "proto/conf/policycheck.h"

struct replay {
    struct event_base *base;
    struct judges *judges;
    struct judge *judge;
    struct tape_reader reader;
    bool begun, over;           /* over: nobody is there to be shown more */
    uint64_t first, looks;
    uint32_t parts;             /* enum hct_need: that there are */
    struct err *err;            /* borrowed */
    bool failed;
};

static void replay_print(const char *text)
{
    char line[8192];
    const char *end;

    for (; (end = strchr(text, '\n')); text = end + 1) {
        str_visible(line, sizeof(line), text, (size_t)(end - text));
        puts(line);
    }
}

static void replay_on_found(void *arg, struct judge *j, const struct found *f)
{
    struct replay *r = arg;

    if (f->how != FOUND_FINE)
        tool_complain(0, "look %" PRIu64 ": policy %s: %s", f->seq,
                      judge_name(j), f->why);
    for (uint32_t i = 0; i < f->out.nverdicts; i++)
        replay_print(f->text[i]);
    r->over |= f->how == FOUND_OFF;
}

/* It is over once and for all where it would be started again in a live run: there
 * it is the same looks that come. */
static void replay_on_lost(void *arg, struct judge *j, const char *why, bool off)
{
    struct replay *r = arg;

    (void)j;
    (void)off;
    r->over = r->failed = true;
    err_set(r->err, ECHILD, "policy %s: %s", judge_name(j), why);
    event_base_loopbreak(r->base);
}

static void replay_on_done(void *arg, struct judge *j,
                           const struct judge_done *d)
{
    (void)j;
    (void)d;
    event_base_loopbreak(((struct replay *)arg)->base);
}

static void replay_on_back(void *arg, struct judge *j)
{
    (void)arg;
    (void)j;
}

static int replay_begin(struct replay *r, const struct hct_snapshot *s)
{
    if (judge_begin(r->judge, s->nranks, r->err))
        return -1;
    judge_wake(r->judge);
    r->begun = true;
    r->first = s->seq;
    return r->failed ? -1 : 0;
}

/* All looks of a piece are counted, and whether it is sound. */
static int replay_read(struct replay *r, const void *piece, size_t bytes)
{
    struct hct_snapshot s;
    int rc;

    r->reader.p = piece;
    r->reader.end = r->reader.p + bytes;
    while ((rc = tape_read(&r->reader, &s, r->err)) > 0) {
        r->looks++;
        r->parts |= s.parts;
        if (!r->begun && replay_begin(r, &s))
            return -1;
    }
    return rc;
}

static int replay_show(struct replay *r, const void *piece, size_t bytes)
{
    const struct tape_frame frames = { piece, bytes, bytes, UINT32_MAX,
                                       UINT32_MAX };

    if (r->over)
        return 0;
    judge_show(r->judge, &frames);
    judge_go(r->judge, UINT64_MAX / 2, false);
    while (!r->over && judge_busy(r->judge))
        event_base_loop(r->base, EVLOOP_ONCE);
    return r->failed ? -1 : 0;
}

static int on_look(void *arg, const struct store_look *look)
{
    struct replay *r = arg;

    if (look->data.p && (replay_read(r, look->data.p, look->data.n) ||
                         replay_show(r, look->data.p, look->data.n)))
        r->failed = true;
    return r->failed;
}

/* What a job does is written down some seconds later, while it runs. */
static int no_looks(struct replay *r, struct store *st, uint64_t job)
{
    bool ended;

    if (query_job_ended(st, job, &ended, r->err))
        return -1;
    return err_set(r->err, ESRCH, "there are no recorded looks of job %"
                   PRIu64 "%s", job, ended ? ""
                       : " yet: they are written every few seconds");
}

static int replay(struct replay *r, struct store *st, uint64_t job)
{
    if (!query_has(st, STORE_TABLE_look))
        return err_set(r->err, EPROTO, "this database has no recorded looks");
    if (query_looks(st, job, 0, -1, on_look, r, r->err) || r->failed)
        return -1;
    if (r->looks == 0)
        return no_looks(r, st, job);
    if (judge_needs(r->judge) & ~r->parts)
        tool_complain(0, "policy %s was not asked: the recorded looks do not "
                      "have what it needs", judge_name(r->judge));
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

static int on_recorded(void *arg, uint64_t job)
{
    struct recorded *r = arg;

    r->last = job;
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

    if (!query_has(st, STORE_TABLE_look))
        *status = tool_complain(TOOL_FAILED,
                                "this database has no recorded looks");
    else if (query_recorded(st, on_recorded, &r, &err))
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

struct replay_options { const char *policy, *optimizer; bool steps; };
static const struct replay_options defaults = { .policy = "hang" };

static const struct args_option options[] = {
    { NULL, "policy", ARGS_VALUE, "NAME[:KEY=VALUE,...]",
      "which one; default: hang",
      args_text, offsetof(struct replay_options, policy), 0, 0 },
    { NULL, "optimizer", ARGS_VALUE, "NAME[:KEY=VALUE,...]",
      "an optimizer, over all systems it was shown; -: as the master had it",
      args_text, offsetof(struct replay_options, optimizer), 0, 0 },
    { NULL, "steps", ARGS_NONE, NULL,
      "steps for deadlines, as they were decided; JOB: of that one alone",
      args_flag, offsetof(struct replay_options, steps), 0, 0 },
};

static int replay_open(struct replay *r, const char *spec)
{
    static const struct judge_conf conf = {
        .step_ns = JUDGE_STEP_S * CLOCK_NS_PER_S,
        .memory_bytes = (uint64_t)JUDGE_MEMORY_MB << 20 };
    static const struct judge_ops ops = {
        .found = replay_on_found, .done = replay_on_done,
        .lost = replay_on_lost, .back = replay_on_back };
    struct judge_conf mine = conf;

    mine.uid = (uint32_t)geteuid();
    r->base = event_base_new();
    r->judges = r->base ? judges_create(r->base) : NULL;
    if (!r->judges)
        return err_memory(r->err);
    r->judge = judge_create(r->judges, spec, &mine, &ops, r, r->err);
    return r->judge ? policycheck(spec, r->err) : -1;
}

static void replay_close(struct replay *r)
{
    judge_destroy(r->judge);
    judges_destroy(r->judges);
    if (r->base)
        event_base_free(r->base);
    looks_fini(&r->reader.looks);
}

/* job 0: the only one. */
static int replay_job(const struct tool *t, uint64_t job)
{
    const struct replay_options *o = t->own;
    struct err err = { 0 };
    struct replay r = { .err = &err };
    struct store *st;
    int status = 0;

    if (replay_open(&r, o->policy)) {
        replay_close(&r);
        return tool_complain(TOOL_USAGE, "%s", err.text);
    }
    st = tool_open_store(t);
    if (!st)
        status = TOOL_FAILED;
    else if ((job || (job = only_job(t, st, &status))) &&
             replay(&r, st, job))
        status = tool_complain(TOOL_FAILED, "%s", err.text);
    store_close(st);
    replay_close(&r);
    return status;
}

/* replay --optimizer NAME [DATABASE]: plans are of no single job. */
static int run_replay_plans(const struct tool *t, const char *optimizer)
{
    struct tool with = *t;

    if (t->nwords > 1)
        return tool_complain(TOOL_USAGE, "replay --optimizer wants a DATABASE, or "
                             "nothing");
    if (t->nwords)
        with.db = t->words[0];
    return replayplans(&with, optimizer);
}

/* replay [DATABASE] [JOB]: one word that is no number is a file. */
static int run_replay(const struct tool *t)
{
    const char *last = t->nwords ? t->words[t->nwords - 1] : NULL;
    struct target target = { 0 };
    const struct replay_options *o = t->own;
    struct tool with = *t;
    struct err err;
    int status;

    if (o->optimizer)
        return run_replay_plans(t, o->optimizer);
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
    status = o->steps ? replaysteps(&with, target.job)
                      : replay_job(&with, target.job);
    target_fini(&target);
    return status;
}

const struct command replay_command = {
    "replay", "[DATABASE] [JOB]", "ask a policy, or an optimizer, again; or decide steps",
    COMMAND_OPTIONS(options, defaults), run_replay
};
