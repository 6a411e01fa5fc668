/* deadline_rig.h - the policy deadline as its host loads it, a calendar, and
 * calls that tasks tell. */
#ifndef HECTOR_TESTS_DEADLINE_RIG_H
#define HECTOR_TESTS_DEADLINE_RIG_H

#include <dlfcn.h>
#include <inttypes.h>
#include <libgen.h>
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <cmocka.h>

#include "master/watch/callclass.h"
#include "mpi-wrappers/table/calls.h"
#include "policies/hct_policy.h"

#define MS 1000000ll
#define S 1000000000ll

enum { RIG_RANKS = 64, RIG_EVENTS = 4096 };

static struct rig {
    const struct hct_policy *policy;
    void *state;
    size_t bytes;
    struct hct_job job;
    struct hct_rank rank[RIG_RANKS];
    struct hct_deadline due[HCT_DEADLINES_MAX];
    struct hct_event event[RIG_EVENTS];
    struct hct_snapshot in;
    struct hct_out out;
    struct hct_verdict verdicts[16];
    struct hct_line lines[64];
    struct hct_instance rows[HCT_INSTANCES_MAX];
    uint32_t blamed[256];
    uint64_t seq[RIG_RANKS];
    uint32_t told[5];           /* verdicts so far, by what */
    struct hct_verdict last;    /* of these */
    char text[8][244];          /* ... its lines */
    uint32_t last_rank;
    struct hct_instance row;    /* the last one */
    uint64_t nrows;
} rig;

/* self: argv[0]. 0: it can go on. */
static int rig_load(const char *self)
{
    char copy[2048], object[4096];
    hct_policy_f *get;
    void *so;

    snprintf(copy, sizeof(copy), "%s", self);
    snprintf(object, sizeof(object), "%s/../lib/policies/deadline.so", dirname(copy));
    so = dlopen(object, RTLD_NOW | RTLD_LOCAL);
    if (!so || !(*(void **)(void *)&get = dlsym(so, "hct_policy"))) {
        fprintf(stderr, "%s\n", dlerror());
        return 1;
    }
    rig.policy = get();
    return 0;
}

/* n tasks that run; one parameter may have another value. */
static void rig_open(uint32_t n, const char *name, double value)
{
    const struct hct_policy *policy = rig.policy;
    double param[HCT_PARAMS_MAX] = { 0 };
    char why[100];

    free(rig.state);
    memset(&rig, 0, sizeof(rig));
    rig.policy = policy;
    rig.job = (struct hct_job){ .size = sizeof(rig.job), .nranks = n, .job = 1 };
    for (unsigned i = 0; policy->params[i].name; i++)
        param[i] = name && strcmp(policy->params[i].name, name) == 0
                       ? value : policy->params[i].def;
    rig.bytes = policy->state_bytes(&rig.job, param);
    assert_true(rig.bytes <= HCT_STATE_MAX);
    rig.state = calloc(1, rig.bytes);
    assert_int_equal(policy->init(rig.state, &rig.job, param, why, sizeof(why)), 0);
    rig.in = (struct hct_snapshot){
        .size = sizeof(rig.in), .job = &rig.job, .ranks = rig.rank, .nranks = n,
        .rank_size = sizeof(rig.rank[0]), .call_size = sizeof(struct hct_call),
        .parts = HCT_NEED_EVENTS,
        .deadlines = rig.due, .deadline_size = sizeof(rig.due[0]),
        .events = rig.event, .event_size = sizeof(rig.event[0]) };
    rig.in.calls = callclass_table(&rig.in.ncalls);
    for (uint32_t i = 0; i < n && i < RIG_RANKS; i++)
        rig.rank[i] = (struct hct_rank){ .rank = i, .life = HCT_LIFE_RUNNING,
                                         .flags = HCT_OBSERVED | HCT_PAGE };
}

/* Its number. */
static uint32_t rig_due(enum hct_due kind, int64_t limit_ns, double margin)
{
    uint32_t n = rig.in.ndeadlines++;
    struct hct_deadline *d = &rig.due[n];

    *d = (struct hct_deadline){ .number = n + 1, .kind = kind, .margin = margin,
                                .limit_ns = (uint64_t)limit_ns,
                                .ranks = rig.job.nranks };
    snprintf(d->text, sizeof(d->text), "halo%" PRIu32, n + 1);
    return n + 1;
}

/* A call of the label of these deadlines (bits); exit 0: it has not left. */
static struct hct_event *rig_call(uint32_t rank, uint64_t of, int64_t enter_ns,
                                  int64_t exit_ns)
{
    struct hct_event *e = &rig.event[rig.in.nevents++];

    assert_true(rig.in.nevents <= RIG_EVENTS);
    *e = (struct hct_event){ .rank = rank, .call = call_find("MPI_Sendrecv"),
                             .seq = rig.seq[rank], .enter_ns = enter_ns,
                             .exit_ns = exit_ns, .in = exit_ns == 0, .of = of };
    rig.seq[rank] += exit_ns != 0;
    return e;
}

static bool rig_says(const char *what)
{
    for (unsigned i = 0; i < 8; i++)
        if (strstr(rig.text[i], what))
            return true;
    return false;
}

#define SAYS(what) \
    do { \
        if (!rig_says(what)) \
            fail_msg("\"%s\" is not in:\n%s\n%s\n%s", what, rig.text[0], \
                     rig.text[1], rig.text[2]); \
    } while (0)

static void rig_take(const struct hct_verdict *v)
{
    assert_int_equal(v->kind, HCT_DEADLINE);
    assert_true(v->what <= HCT_DEADLINE_NEVER && v->nlines > 0 && v->nlines <= 8);
    assert_true(v->deadline <= HCT_DEADLINES_MAX);
    assert_true(v->score >= 0 && v->score <= 1);
    rig.told[v->what]++;
    rig.last = *v;
    rig.last_rank = v->nranks ? rig.blamed[v->ranks] : HCT_NO_RANK;
    memset(rig.text, 0, sizeof(rig.text));
    for (uint32_t i = 0; i < v->nlines; i++)
        memcpy(rig.text[i], rig.lines[v->lines + i].text, sizeof(rig.text[i]));
}

/* What the host checks. */
static void rig_check_rows(void)
{
    for (uint32_t i = 0; i < rig.out.ninstances; i++) {
        const struct hct_instance *r = &rig.rows[i];

        assert_true(r->deadline >= 1 && r->deadline <= HCT_DEADLINES_MAX);
        assert_true(r->rank < rig.job.nranks || r->rank == HCT_NO_RANK);
        assert_true(r->due_ns >= r->release_ns && r->open <= 1 && r->late <= 1);
        assert_false(isinf(r->slope) || isinf(r->chance));
        rig.row = *r;
    }
    rig.nrows += rig.out.ninstances;
}

/* A step; unread: for events alone. Says how many verdicts there are. */
static uint32_t rig_look(int64_t now_ns, bool unread)
{
    rig.in.now_ns = (uint64_t)now_ns;
    rig.in.seq++;
    rig.in.unread = unread;
    rig.in.asked = unread ? HCT_ASKED_BY_EVENT : 0;
    rig.out = (struct hct_out){
        .size = sizeof(rig.out), .verdicts = rig.verdicts, .verdicts_max = 16,
        .ranks = rig.blamed, .ranks_max = 256, .lines = rig.lines, .lines_max = 64,
        .instances = rig.rows, .instances_max = HCT_INSTANCES_MAX };
    assert_int_equal(rig.policy->step(rig.state, &rig.in, &rig.out), 0);
    assert_true(rig.out.wake_ns > rig.in.now_ns);
    rig.in.nevents = 0;
    for (uint32_t i = 0; i < rig.out.nverdicts; i++)
        rig_take(&rig.verdicts[i]);
    rig_check_rows();
    return rig.out.nverdicts;
}

/* Looks as the host takes them without events, until then. */
static uint32_t rig_until(int64_t end_ns)
{
    uint32_t n = 0;

    while (rig.out.wake_ns < (uint64_t)end_ns)
        n += rig_look((int64_t)rig.out.wake_ns, false);
    return n + rig_look(end_ns, false);
}

#endif
