/* test_progress_looks.c - at which look policy progress says what it has found: the
 * policy as it is loaded, before looks that are played. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <cmocka.h>

#include <dlfcn.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "policies/hct_policy.h"
#include "proto/base/paths.h"

enum { RANKS = 3, LOOKS = 100, LOOK_MS = 200 };

static struct {
    const struct hct_policy *policy;
    void *state;
    struct hct_job job;
    struct hct_rank rank[RANKS];
    struct hct_call call;
    struct hct_snapshot in;
    struct hct_verdict verdicts[4];
    struct hct_line lines[16];
    uint32_t ranks[16];
    struct hct_out out;
} p;

static int load(void **state)
{
    char path[PATHS_MAX];
    const struct hct_policy *(*policy)(void);
    struct err err;
    void *object;

    (void)state;
    if (paths_sibling("../lib/policies/progress.so", path, sizeof(path), &err))
        return -1;
    object = dlopen(path, RTLD_NOW);
    if (!object)
        return -1;
    *(void **)&policy = dlsym(object, "hct_policy");
    p.policy = policy();
    return 0;
}

/* All are in MPI_Finalize, and wait there. */
static int begin(void **state)
{
    double params[HCT_PARAMS_MAX] = { 0 };
    char why[200];

    (void)state;
    for (int i = 0; p.policy->params[i].name; i++)
        params[i] = p.policy->params[i].def;
    p.job = (struct hct_job){ .size = sizeof(p.job), .nranks = RANKS, .job = 1 };
    for (uint32_t r = 0; r < RANKS; r++)
        p.rank[r] = (struct hct_rank){
            .rank = r, .life = HCT_LIFE_FINALIZE, .age_ns = 2000000000,
            .flags = HCT_OBSERVED | HCT_PAGE | HCT_IN_MPI };
    p.call = (struct hct_call){ .flags = HCT_CALL_BLOCKING | HCT_CALL_ALL };
    snprintf(p.call.name, sizeof(p.call.name), "MPI_Finalize");
    p.in = (struct hct_snapshot){
        .size = sizeof(p.in), .job = &p.job, .calls = &p.call, .ncalls = 1,
        .call_size = sizeof(p.call), .ranks = p.rank, .nranks = RANKS,
        .rank_size = sizeof(p.rank[0]), .has_detail = 1, .now_ns = 1000000000,
        .parts = HCT_NEED_DETAIL | HCT_NEED_MODEL };
    p.state = calloc(1, p.policy->state_bytes(&p.job, params));
    return p.state ? p.policy->init(p.state, &p.job, params, why, sizeof(why)) : -1;
}

static int end(void **state)
{
    (void)state;
    free(p.state);
    return 0;
}

/* How many verdicts the next look has. */
static uint32_t look(uint32_t asked)
{
    void *room = calloc(1, p.policy->room_bytes + 1);

    assert_non_null(room);
    p.in.seq++;
    p.in.now_ns += LOOK_MS * 1000000ull;
    p.in.asked = asked;
    p.out = (struct hct_out){
        .size = sizeof(p.out), .verdicts = p.verdicts, .verdicts_max = 4,
        .ranks = p.ranks, .ranks_max = 16, .lines = p.lines, .lines_max = 16,
        .room = room };
    assert_int_equal(p.policy->step(p.state, &p.in, &p.out), 0);
    free(room);
    return p.out.nverdicts;
}

/* The one that sleeps is awake in the look that comes first. */
static void waits_for_who_sleeps(void **state)
{
    (void)state;
    assert_int_equal(look(HCT_ASKED_BY_HANG), 0);
    assert_int_equal(p.out.need & HCT_NEED_DETAIL, HCT_NEED_DETAIL);
    assert_int_equal(p.out.answers, 0);
    p.rank[1].flags |= HCT_PAUSES;
    assert_int_equal(look(0), 1);
    assert_int_equal(p.out.answers, HCT_ASKED_BY_HANG);
    assert_int_equal(p.verdicts[0].nranks, 1);
    assert_int_equal(p.ranks[p.verdicts[0].ranks], 1);
}

/* Two are where one of them sleeps: it is not said of both, while a look may tell which
 * of them. */
static void waits_for_which_of_them(void **state)
{
    static const struct hct_call calls[] = {
        { .name = "MPI_Recv", .class_ = HCT_CLASS_RECV, .flags = HCT_CALL_BLOCKING },
        { .name = "MPI_Allreduce", .flags = HCT_CALL_BLOCKING | HCT_CALL_ALL },
    };
    static const struct hct_comm comms[] = {
        { .rank = 0, .id = 1, .collectives = 5 },
        { .rank = 1, .id = 1, .collectives = 4 },
        { .rank = 2, .id = 1, .collectives = 4 },
    };

    (void)state;
    p.in.calls = calls;
    p.in.ncalls = 2;
    p.in.comms = comms;
    p.in.ncomms = RANKS;
    p.in.comm_size = sizeof(comms[0]);
    for (uint32_t r = 0; r < RANKS; r++)
        p.rank[r].life = HCT_LIFE_RUNNING;
    p.rank[0].call = 1;
    p.rank[0].comm = 1;
    p.rank[0].collective = 5;
    p.rank[1].peer = 2;
    p.rank[2].peer = 1;
    assert_int_equal(look(HCT_ASKED_BY_HANG), 0);
    p.rank[2].flags |= HCT_PAUSES;
    assert_int_equal(look(0), 1);
    assert_int_equal(p.verdicts[0].nranks, 1);
    assert_int_equal(p.ranks[p.verdicts[0].ranks], 2);
}

/* If nothing ever says it, nobody waits for that for long. */
static void gives_up(void **state)
{
    uint32_t looks = 0;

    (void)state;
    assert_int_equal(look(HCT_ASKED_BY_HANG), 0);
    while (!p.out.answers && looks++ < LOOKS)
        assert_int_equal(look(0), 0);
    assert_in_range(looks, 2, 3000 / LOOK_MS);
    p.rank[1].flags |= HCT_PAUSES;
    assert_int_equal(look(0), 0);       /* nobody asks any more */
}

/* A person has what there is at once. */
static void tells_who_asks(void **state)
{
    (void)state;
    assert_int_equal(look(HCT_ASKED_BY_PERSON), 1);
    assert_int_equal(p.out.answers, HCT_ASKED_BY_PERSON);
    assert_int_equal(p.verdicts[0].kind, HCT_PROGRESS);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(waits_for_who_sleeps, begin, end),
        cmocka_unit_test_setup_teardown(waits_for_which_of_them, begin, end),
        cmocka_unit_test_setup_teardown(gives_up, begin, end),
        cmocka_unit_test_setup_teardown(tells_who_asks, begin, end),
    };

    cmocka_set_message_output(CM_OUTPUT_TAP);
    return cmocka_run_group_tests(tests, load, NULL);
}
