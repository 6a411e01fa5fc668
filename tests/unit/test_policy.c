/* test_policy.c - what hector-judge does with the steps of a policy: what makes
 * no sense is not believed, and it may have so much memory. */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>
#include <cmocka.h>

#include "master/judge/policy.h"

enum { MILLION = 1048576 };

static bool wrong;
static size_t wants;
static uint32_t asks;           /* hct_out.need */
static struct hct_snapshot seen;        /* the last */

static size_t mine_bytes(const struct hct_job *job, const double *params)
{
    (void)job;
    (void)params;
    return wants;
}

static int mine_init(void *state, const struct hct_job *job,
                     const double *params, char *why, size_t why_bytes)
{
    (void)state;
    (void)job;
    (void)params;
    (void)why;
    (void)why_bytes;
    return 0;
}

static int mine_step(void *state, const struct hct_snapshot *in,
                     struct hct_out *out)
{
    (void)state;
    seen = *in;
    out->need = asks;
    out->nlines = 1;
    out->lines[0] = (struct hct_line){ HCT_NONE, "", 7, 8 };
    out->nverdicts = wrong;
    out->verdicts[0] = (struct hct_verdict){ .kind = 99 };
    return 0;
}

static const struct hct_param none[] = { { .name = NULL } };
static const struct hct_policy mine = {
    .major = HCT_POLICY_MAJOR, .minor = HCT_POLICY_MINOR, .name = "mine",
    .params = none, .state_bytes = mine_bytes, .init = mine_init,
    .step = mine_step,
};

static struct policy policy;
static struct found out;
static struct hct_job job;

static void begin(uint32_t nranks)
{
    struct err err;

    policy = (struct policy){ .p = &mine, .name = "mine" };
    job = (struct hct_job){ .size = sizeof(job), .nranks = nranks };
    wants = 1;
    assert_int_equal(policy_begin(&policy, &job, &err), 0);
    assert_int_equal(found_init(&out, 1), 0);
}

static void end(void)
{
    found_fini(&out);
    policy_close(&policy);
}

/* What came of n steps that are all the same; that of the last one. */
static enum found_how steps(unsigned n, bool odd)
{
    const struct hct_snapshot in = { .size = sizeof(in), .job = &job,
                                     .nranks = job.nranks };

    wrong = odd;
    for (unsigned i = 0; i < n; i++)
        policy_step(&policy, &in, &out);
    return out.how;
}

static void test_three_wrong(void **state)
{
    (void)state;
    begin(1);
    assert_int_equal(steps(2, true), FOUND_ODD);
    assert_string_equal(out.why, "it gave a verdict of no kind");
    assert_int_equal(out.out.nverdicts, 0);
    assert_int_equal(steps(1000, false), FOUND_FINE);
    assert_int_equal(steps(1, true), FOUND_OFF);
    assert_true(policy.off);
    end();
}

/* What older ones have there is text. */
static void test_places(void **state)
{
    struct hct_policy old = mine;

    (void)state;
    begin(1);
    steps(1, false);
    assert_int_equal(out.lines[0].site, 7);
    assert_int_equal(out.lines[0].made, 8);
    old.minor = 4;
    policy.p = &old;
    steps(1, false);
    assert_int_equal(out.lines[0].site | out.lines[0].made, 0);
    end();
}

/* A look with detail, or without; was there a step? */
static bool look(bool detail)
{
    static const struct hct_request request;
    const struct hct_snapshot in = {
        .size = sizeof(in), .job = &job, .nranks = job.nranks,
        .now_ns = policy.wake_ns, .has_detail = detail,
        .parts = detail ? HCT_NEED_DETAIL : 0, .requests = &request,
        .nrequests = detail };

    if (!policy_due(&policy, &in))
        return false;
    policy_step(&policy, &in, &out);
    assert_int_equal(seen.nrequests, seen.has_detail);
    assert_int_equal(seen.parts, seen.has_detail ? HCT_NEED_DETAIL : 0);
    return true;
}

/* Older ones get what there is, those that name what they need get that. */
static void test_parts(void **state)
{
    struct hct_policy old = mine, needs = mine, may = mine;

    (void)state;
    wrong = false;
    begin(1);
    old.minor = 6;                      /* what is behind it is not its own */
    old.needs = old.may_need = UINT32_MAX;
    policy.p = &old;
    assert_int_equal(policy_needs(&policy), 0);
    assert_int_equal(policy_may_need(&policy), HCT_NEED_DETAIL);
    assert_true(look(true) && seen.has_detail);
    assert_true(look(false) && !seen.has_detail);
    policy.p = &mine;                   /* says nothing: as well */
    assert_true(look(true) && seen.has_detail);

    needs.needs = HCT_NEED_DETAIL;
    policy.p = &needs;
    assert_true(look(true) && seen.has_detail);
    assert_false(look(false));
    assert_true(look(true) && seen.has_detail);

    may.may_need = HCT_NEED_DETAIL;
    policy.p = &may;
    assert_int_equal(policy_needs(&policy), 0);
    assert_true(look(true) && !seen.has_detail);        /* others have asked */
    asks = HCT_NEED_DETAIL;
    assert_true(look(true) && !seen.has_detail);        /* it asks */
    asks = 0;
    assert_true(look(false) && !seen.has_detail);       /* was under way */
    assert_true(look(true) && seen.has_detail);
    assert_true(look(true) && !seen.has_detail);        /* it has had it */
    assert_int_equal(out.how, FOUND_FINE);
    asks = HCT_NEED_DETAIL | 64;
    assert_true(look(true));
    assert_int_equal(out.how, FOUND_ODD);
    assert_string_equal(out.why, "it gave a need that its description does not "
                        "name");
    assert_int_equal(out.out.need, HCT_NEED_DETAIL);
    policy.p = &old;                    /* nobody has told it */
    assert_true(look(true));
    assert_int_equal(out.how, FOUND_FINE);
    assert_int_equal(out.out.need, HCT_NEED_DETAIL);
    asks = 0;
    end();
}

/* Models are for those that have named them, and nobody else. */
static void test_models(void **state)
{
    static const struct hct_model model;
    struct hct_policy needs = mine, may = mine;
    struct hct_snapshot in = {
        .size = sizeof(in), .nranks = 1, .has_detail = 1, .nmodels = 1,
        .parts = HCT_NEED_DETAIL | HCT_NEED_MODEL, .models = &model };

    (void)state;
    wrong = false;
    begin(1);
    in.job = &job;
    policy_step(&policy, &in, &out);
    assert_true(seen.has_detail && !seen.nmodels);
    assert_int_equal(seen.parts, HCT_NEED_DETAIL);
    needs.needs = HCT_NEED_MODEL;
    policy.p = &needs;
    policy_step(&policy, &in, &out);
    assert_true(!seen.has_detail && seen.nmodels);
    assert_int_equal(seen.parts, HCT_NEED_MODEL);
    may.may_need = HCT_NEED_MODEL;
    policy.p = &may;
    asks = HCT_NEED_MODEL;
    policy_step(&policy, &in, &out);
    assert_true(!seen.has_detail && !seen.nmodels);
    asks = 0;
    policy_step(&policy, &in, &out);
    assert_true(!seen.has_detail && seen.nmodels);
    policy_step(&policy, &in, &out);
    assert_int_equal(seen.parts, 0);
    end();
}

static void test_memory(void **state)
{
    struct err err;

    (void)state;
    begin(MILLION);
    wants = (size_t)MILLION * 512;
    assert_int_equal(policy_begin(&policy, &job, &err), 0);
    wants++;
    assert_int_equal(policy_begin(&policy, &job, &err), -1);
    assert_string_equal(err.text, "policy mine wants 536870913 bytes for its "
                        "state");
    end();
}

static int use_room(void *state, const struct hct_snapshot *in,
                    struct hct_out *o)
{
    uint64_t *room = o->room;

    (void)state;
    (void)in;
    assert_int_equal(room[0] | room[511], 0);
    room[0] = room[511] = 1;
    return 0;
}

/* It is empty at each step, and gone behind it. */
static void test_room(void **state)
{
    struct hct_policy own = mine, old = mine;
    struct err err;

    (void)state;
    begin(1);
    own.step = use_room;
    own.room_bytes = 4096;
    policy.p = &own;
    assert_int_equal(steps(3, false), FOUND_FINE);
    assert_null(out.out.room);
    own.room_bytes = HCT_STATE_MAX + (size_t)1;
    assert_int_equal(policy_begin(&policy, &job, &err), -1);
    assert_string_equal(err.text, "policy mine wants 536870913 bytes for each "
                        "step");
    old.minor = 12;                     /* what is behind it is not its own */
    old.room_bytes = SIZE_MAX;
    policy.p = &old;
    assert_int_equal(policy_begin(&policy, &job, &err), 0);
    assert_int_equal(steps(1, false), FOUND_FINE);
    end();
}

static uint64_t learnt_by;

/* As a policy was built for a version before: its rows are shorter. */
static int find_odd(void *state, const struct hct_snapshot *in, struct hct_out *o)
{
    (void)state;
    for (uint32_t i = 0; i < 3; i++)
        memcpy((char *)o->odds + i * offsetof(struct hct_odd, at),
               &(struct hct_odd){ .method = HCT_METHOD_POLISH, .place = i + 1,
                                  .line = HCT_NO_LINE, .line_to = HCT_NO_LINE,
                                  .score = 7 + i },
               offsetof(struct hct_odd, at));
    memset(&o->odds[3], 255, sizeof(o->odds[3]));
    o->nodds = 3;
    o->nlearnt = 77;                    /* what is there is not its own */
    learnt_by = in->nlearnt;
    return 0;
}

static void test_shorter_rows(void **state)
{
    struct hct_policy old = mine;

    (void)state;
    begin(1);
    old.minor = 14;
    old.step = find_odd;
    policy.p = &old;
    assert_int_equal(steps(1, false), FOUND_FINE);
    assert_int_equal(out.out.nodds, 3);
    assert_int_equal(out.out.nlearnt, 0);
    for (uint32_t i = 0; i < 3; i++) {
        assert_int_equal(out.odds[i].place, i + 1);
        assert_true(fabs(out.odds[i].score - 7 - i) < 1e-9);
        assert_int_equal(out.odds[i].at | out.odds[i].at_to, 0);
    }
    end();
}

/* Verdicts were shorter, too, and stood closer together. */
static int find_two(void *state, const struct hct_snapshot *in, struct hct_out *o)
{
    enum { WAS = offsetof(struct hct_verdict, deadline) };

    (void)state;
    (void)in;
    memset(o->verdicts, 255, 3 * sizeof(*o->verdicts));
    for (uint32_t i = 0; i < 2; i++) {
        struct hct_verdict v = { .kind = HCT_NOTICE, .age_ns = i + 4 };

        memcpy((char *)o->verdicts + i * WAS, &v, WAS);
    }
    o->nverdicts = 2;
    o->ninstances = 77;                 /* what is there is not its own */
    return 0;
}

static void test_shorter_verdicts(void **state)
{
    struct hct_policy old = mine;

    (void)state;
    begin(1);
    old.minor = 16;
    old.step = find_two;
    policy.p = &old;
    assert_int_equal(steps(1, false), FOUND_FINE);
    assert_int_equal(out.out.nverdicts, 2);
    assert_int_equal(out.out.ninstances, 0);
    for (uint32_t i = 0; i < 2; i++) {
        assert_int_equal(out.verdicts[i].age_ns, i + 4);
        assert_int_equal(out.verdicts[i].deadline | out.verdicts[i].what, 0);
    }
    end();
}

/* A look for events alone is one for those who need events; of others it would be
 * one in which nothing moves. */
static void test_unread(void **state)
{
    static const struct hct_event event = { .of = 1 };
    struct hct_policy needs = mine;
    struct hct_snapshot in = {
        .size = sizeof(in), .nranks = 1, .now_ns = 1, .unread = 1,
        .parts = HCT_NEED_EVENTS, .asked = HCT_ASKED_BY_EVENT, .events = &event,
        .nevents = 1, .event_size = sizeof(event) };

    (void)state;
    wrong = false;
    begin(1);
    in.job = &job;
    needs.needs = HCT_NEED_EVENTS;
    needs.asked = HCT_ASKED_BY_EVENT;
    policy.wake_ns = HCT_WAKE_NEVER;
    assert_false(policy_due(&policy, &in));
    policy.wake_ns = 0;
    assert_false(policy_due(&policy, &in));
    policy.p = &needs;
    policy.wake_ns = HCT_WAKE_NEVER;
    assert_true(policy_due(&policy, &in));
    policy_step(&policy, &in, &out);
    assert_int_equal(seen.nevents, 1);
    in.unread = 0;
    policy.p = &mine;
    policy_step(&policy, &in, &out);
    assert_int_equal(seen.nevents, 0);
    end();
}

static int learn(void *state, const struct hct_snapshot *in, struct hct_out *o)
{
    (void)state;
    learnt_by = 0;
    for (uint32_t i = 0; i < in->nlearnt; i++)
        learnt_by += hct_learnt(in, i)->what;
    o->learnt[o->nlearnt++] = (struct hct_learnt){
        .what = 7, .groups = wrong ? 5 : 2, .most = 4, .times = 1 };
    return 0;
}

/* What it has learnt is known as its own in later runs, and it alone sees it. */
static void test_learnt(void **state)
{
    struct hct_policy own = mine, other = mine;
    struct hct_learnt was[4] = { { .by = 1, .what = 1 }, { .by = 0, .what = 10 },
                                 { .by = 0, .what = 100 }, { .by = 5, .what = 1000 } };
    struct hct_snapshot in = { .size = sizeof(in), .job = &job, .nranks = 1,
                               .parts = HCT_NEED_EARLIER, .learnt = was, .nlearnt = 4,
                               .learnt_size = sizeof(was[0]) };

    (void)state;
    begin(1);
    own.step = other.step = learn;
    own.needs = other.needs = HCT_NEED_EARLIER;
    other.name = "other";
    policy.p = &own;
    assert_int_equal(steps(1, false), FOUND_FINE);
    assert_int_equal(out.out.nlearnt, 1);
    was[1].by = was[2].by = out.learnt[0].by;
    policy_step(&policy, &in, &out);
    assert_int_equal(learnt_by, 110);
    policy.p = &other;
    policy_step(&policy, &in, &out);
    assert_int_equal(learnt_by, 0);
    policy.p = &own;
    in.parts = 0;
    policy_step(&policy, &in, &out);
    assert_int_equal(learnt_by, 0);
    assert_int_equal(steps(1, true), FOUND_ODD);
    assert_string_equal(out.why, "it gave something learnt without sense");
    assert_int_equal(out.out.nlearnt, 0);
    end();
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_three_wrong), cmocka_unit_test(test_places),
        cmocka_unit_test(test_parts), cmocka_unit_test(test_models),
        cmocka_unit_test(test_memory), cmocka_unit_test(test_room),
        cmocka_unit_test(test_shorter_rows),
        cmocka_unit_test(test_shorter_verdicts),
        cmocka_unit_test(test_unread), cmocka_unit_test(test_learnt),
    };

    cmocka_set_message_output(CM_OUTPUT_TAP);
    return cmocka_run_group_tests(tests, NULL, NULL);
}
