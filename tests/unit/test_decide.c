/* test_decide.c - policy progress on snapshots: what decides who is behind,
 * and that the exact goes first. */
#include <setjmp.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>
#include <cmocka.h>

#include "policies/progress/decide.h"
#include "policies/progress/say.h"

enum { TASKS = 8, SEND = 1, RECV, WAITALL, BARRIER, IRECV, FINALIZE, TEST,
       COMM = 77, SECOND = 1000000000 };

static struct hct_job job = { .size = sizeof(job), .nranks = TASKS, .seed = 7 };
static const struct hct_call calls[] = {
    { .name = "" },
    { .name = "MPI_Send", .class_ = HCT_CLASS_SEND, .flags = HCT_CALL_BLOCKING },
    { .name = "MPI_Recv", .class_ = HCT_CLASS_RECV, .flags = HCT_CALL_BLOCKING },
    { .name = "MPI_Waitall", .class_ = HCT_CLASS_WAIT,
      .flags = HCT_CALL_BLOCKING | HCT_CALL_ALL },
    { .name = "MPI_Barrier", .class_ = HCT_CLASS_COLLECTIVE,
      .flags = HCT_CALL_BLOCKING | HCT_CALL_ALL },
    { .name = "MPI_Irecv", .class_ = HCT_CLASS_RECV, .flags = HCT_CALL_REQUEST },
    { .name = "MPI_Finalize", .class_ = HCT_CLASS_FINALIZE,
      .flags = HCT_CALL_BLOCKING },
    { .name = "MPI_Test", .class_ = HCT_CLASS_TEST, .flags = HCT_CALL_POLL },
};
static struct hct_rank ranks[TASKS];
static struct hct_comm comms[TASKS];
static struct hct_request requests[4 * TASKS];
static struct hct_account accounts[TASKS];
static struct hct_pair pairs[4 * TASKS];
static struct hct_model models[TASKS];
static struct hct_state states[8 * TASKS];
static struct hct_edge edges[8 * TASKS];
static struct hct_snapshot in;

static struct nodes nodes;
static struct nodes_task tasks[TASKS];
static struct bymodel model;
static struct deadlock_rank work[TASKS];
static struct say say;

static struct hct_verdict verdicts[2];
static uint32_t blamed[3 * TASKS];
static struct hct_line lines[80];
static struct hct_row rows[HCT_ROWS_MAX];
static struct hct_out out;

/* All compute, after as many barriers. */
static void begin(void)
{
    memset(requests, 0, sizeof(requests));
    in = (struct hct_snapshot){
        .size = sizeof(in), .job = &job, .calls = calls,
        .ncalls = sizeof(calls) / sizeof(calls[0]), .call_size = sizeof(calls[0]),
        .ranks = ranks, .nranks = TASKS, .rank_size = sizeof(ranks[0]),
        .has_detail = 1, .parts = HCT_NEED_DETAIL | HCT_NEED_MODEL,
        .comms = comms, .ncomms = TASKS, .comm_size = sizeof(comms[0]),
        .requests = requests, .request_size = sizeof(requests[0]),
        .accounts = accounts, .account_size = sizeof(accounts[0]),
        .pairs = pairs, .pair_size = sizeof(pairs[0]),
        .models = models, .model_size = sizeof(models[0]),
        .states = states, .state_size = sizeof(states[0]),
        .edges = edges, .edge_size = sizeof(edges[0]) };
    for (uint32_t r = 0; r < TASKS; r++) {
        ranks[r] = (struct hct_rank){
            .rank = r, .life = HCT_LIFE_RUNNING, .call = BARRIER, .peer = HCT_NONE,
            .flags = HCT_OBSERVED | HCT_PAGE, .age_ns = SECOND, .node = 1 };
        comms[r] = (struct hct_comm){ .rank = r, .kind = HCT_KIND_COMM,
                                      .id = COMM, .local = r, .size = TASKS,
                                      .collectives = 9 };
    }
}

static void enter(uint32_t r, uint32_t call)
{
    ranks[r].call = call;
    ranks[r].flags |= HCT_IN_MPI | HCT_RUNS;
}

static void in_barrier(uint32_t r, uint64_t n)
{
    enter(r, BARRIER);
    ranks[r].comm = COMM;
    ranks[r].collective = comms[r].collectives = n;
}

static void sleeps(uint32_t r)
{
    ranks[r].flags = (ranks[r].flags & ~HCT_RUNS) | HCT_PAUSES;
}

static void receives(uint32_t r, int32_t from)
{
    enter(r, RECV);
    ranks[r].peer = from;
    ranks[r].comm = COMM;
}

static void find(void)
{
    for (uint32_t r = 0; r < TASKS; r++)
        tasks[r] = (struct nodes_task){ .state = NODES_NOWHERE };
    bymodel_make(&model, tasks, &in);
    nodes_make(&nodes, tasks, &in);
    decide_collectives(&nodes, tasks, &in);
    decide_messages(&nodes, tasks, &in);
    decide_waits(&nodes, tasks, &in, work);
    bymodel_decide(&model, &nodes, tasks, &in);
    say = (struct say){ .g = &nodes, .t = tasks, .in = &in, .model = &model };
    say_find(&say);
    out = (struct hct_out){ .size = sizeof(out), .verdicts = verdicts,
                            .verdicts_max = 2, .ranks = blamed,
                            .ranks_max = 3 * TASKS, .lines = lines,
                            .lines_max = 80, .rows = rows,
                            .rows_max = HCT_ROWS_MAX };
    say_verdict(&say, &out);
    assert_int_equal(out.nverdicts, 1);
    assert_int_equal(verdicts[0].kind, HCT_PROGRESS);
    assert_int_equal(out.lost, 0);
}

static void assert_says(const char *text)
{
    if (!strstr(lines[0].text, text))
        fail_msg("\"%s\" is not in \"%s\"", text, lines[0].text);
}

static void assert_least(uint32_t rank)
{
    assert_int_equal(verdicts[0].nranks, 1);
    assert_int_equal(blamed[verdicts[0].ranks], rank);
}

/* -------------------------------------------------------------- collectives */

static void test_missing(void **state)
{
    (void)state;
    begin();
    for (uint32_t r = 0; r < TASKS; r++)
        if (r != 3)
            in_barrier(r, 10);
    find();
    assert_least(3);
    assert_says("task 3 has made the least progress: 7 tasks wait for it, in "
                "MPI_Barrier, by the collective number");
    assert_int_equal(out.nrows, 2);
    assert_int_equal(rows[0].decided, HCT_DECIDED_COLLECTIVE);
    assert_int_equal(rows[1].waits_for, 1);
    assert_int_equal(rows[1].nranks, 7);
    assert_int_equal(verdicts[0].where, HCT_WHERE_COMPUTATION);
}

/* In the same call, but one call ago. */
static void test_call_ago(void **state)
{
    (void)state;
    begin();
    for (uint32_t r = 0; r < TASKS; r++)
        in_barrier(r, r == 5 ? 9 : 10);
    find();
    assert_least(5);
    assert_says("by the collective number");
    assert_int_equal(verdicts[0].where, HCT_WHERE_COMMUNICATION);
}

static void test_asleep(void **state)
{
    (void)state;
    begin();
    for (uint32_t r = 0; r < TASKS; r++)
        in_barrier(r, 10);
    sleeps(6);
    find();
    assert_least(6);
    assert_says("by its sleep in the call");
}

static void test_finalize(void **state)
{
    (void)state;
    begin();
    for (uint32_t r = 0; r < TASKS; r++)
        if (r != 2) {
            enter(r, FINALIZE);
            ranks[r].life = HCT_LIFE_FINALIZE;
        }
    find();
    assert_least(2);
    for (uint32_t r = 0; r < TASKS; r++)
        ranks[r].life = r == 2 ? HCT_LIFE_STARTED : HCT_LIFE_INIT;
    find();
    assert_least(2);
}

/* ----------------------------------------------------------------- messages */

/* Exact through others: 0 for 1, 1 for 2, the others for all. */
static void test_chain(void **state)
{
    (void)state;
    begin();
    for (uint32_t r = 3; r < TASKS; r++)
        in_barrier(r, 10);
    receives(0, 1);
    receives(1, 2);
    find();
    assert_least(2);
    assert_says("7 tasks wait for it");
}

static void add_pair(uint32_t rank, uint32_t peer, uint64_t sent,
                     uint64_t received)
{
    pairs[in.npairs++] = (struct hct_pair){ .rank = rank, .peer = peer,
                                            .sent = sent, .received = received };
}

/* Task 0 waits for requests of 1 and 2, and the message of 1 is there. */
static void test_has_come(void **state)
{
    (void)state;
    begin();
    for (uint32_t r = 0; r < TASKS; r++)
        accounts[r] = (struct hct_account){ .rank = r, .node = 1 };
    in.naccounts = TASKS;
    for (uint32_t r = 3; r < TASKS; r++)
        in_barrier(r, 10);
    receives(1, 0);
    enter(0, WAITALL);
    for (uint32_t i = 0; i < 2; i++)
        requests[in.nrequests++] = (struct hct_request){
            .rank = 0, .call = IRECV, .peer = 1 + (int32_t)i,
            .waited = HCT_WAITED_HERE };
    add_pair(0, 1, 0, 0);
    add_pair(1, 0, 1, 0);
    find();
    assert_least(2);
    assert_int_equal(nodes.edge[HCT_DECIDED_MESSAGE][tasks[0].node],
                     (uint64_t)1 << tasks[2].node);
}

/* Who sleeps in the call that sends has not sent. */
static void test_sleeping_sender(void **state)
{
    (void)state;
    begin();
    for (uint32_t r = 0; r < TASKS; r++)
        accounts[r] = (struct hct_account){ .rank = r, .node = 1 };
    in.naccounts = TASKS;
    for (uint32_t r = 2; r < TASKS; r++)
        in_barrier(r, 10);
    enter(1, SEND);
    ranks[1].peer = 0;
    sleeps(1);
    enter(0, WAITALL);
    requests[in.nrequests++] = (struct hct_request){
        .rank = 0, .call = IRECV, .peer = 1, .waited = HCT_WAITED_HERE };
    add_pair(0, 1, 0, 0);
    add_pair(1, 0, 1, 0);
    find();
    assert_least(1);
}

/* A farm: the first waits for anybody, one works, the others wait for the
 * first. */
static void test_any(void **state)
{
    (void)state;
    begin();
    receives(0, HCT_ANY);
    for (uint32_t r = 1; r < TASKS; r++)
        if (r != 4)
            receives(r, 0);
    find();
    assert_least(4);
    assert_says("by messages");
}

static void test_circle(void **state)
{
    (void)state;
    begin();
    for (uint32_t r = 0; r < TASKS; r++)
        receives(r, (int32_t)(r + 1) % TASKS);
    find();
    assert_says("no task is seen to be behind");
}

/* ------------------------------------------------------------------- models */

/* Places 1 to 4: 1 -> 2 -> 3 -> 2 and so on, 3 -> 4; it is in place at, so
 * often it has been in each. */
static void a_model(uint32_t r, uint64_t at, uint64_t visits)
{
    static const struct { uint32_t from, to; } steps[] = {
        { 0, 1 }, { 1, 2 }, { 2, 1 }, { 2, 3 } };
    struct hct_model *m = &models[in.nmodels++];

    *m = (struct hct_model){ .rank = r, .threads = 1, .states = in.nstates,
                             .nstates = 4, .edges = in.nedges, .nedges = 4,
                             .at = (uint32_t)at - 1 };
    for (uint32_t i = 0; i < 4; i++)
        states[in.nstates++] = (struct hct_state){
            .rank = r, .site = i + 1, .call = BARRIER, .place = i + 1,
            .visits = visits };
    for (uint32_t i = 0; i < 4; i++)
        edges[in.nedges++] = (struct hct_edge){
            .rank = r, .from = steps[i].from, .to = steps[i].to,
            .n = visits };
}

static void test_iterations(void **state)
{
    (void)state;
    begin();
    for (uint32_t r = 0; r < TASKS; r++)
        a_model(r, r == 7 ? 3 : 2, r == 7 ? 9 : 10);
    find();
    assert_least(7);
    assert_says("by the loop's iterations");
    begin();
    for (uint32_t r = 0; r < TASKS; r++)
        a_model(r, r == 7 ? 3 : 2, 10);
    find();
    assert_int_equal(verdicts[0].nranks, 7);    /* the same iteration */
    assert_says("by the loop's iterations");
}

static void test_by_model(void **state)
{
    (void)state;
    begin();
    for (uint32_t r = 0; r < TASKS; r++)
        a_model(r, r == 1 ? 1 : 4, 10);
    find();
    assert_least(1);
    assert_says("by the model");
}

/* The model would say that 7 is ahead, but nobody else is waited for. */
static void test_exact_first(void **state)
{
    (void)state;
    begin();
    for (uint32_t r = 0; r < TASKS; r++) {
        a_model(r, r == 7 ? 4 : 1, 10);
        if (r != 7)
            in_barrier(r, 10);
    }
    find();
    assert_least(7);
    assert_says("by the collective number");
}

/* Who has ended waits for nobody, and is not behind. */
static void test_ended(void **state)
{
    (void)state;
    begin();
    for (uint32_t r = 0; r < TASKS; r++)
        receives(r, 0);
    ranks[0] = (struct hct_rank){ .rank = 0, .life = HCT_LIFE_ENDED };
    ranks[1].flags = 0;         /* nothing is known of it */
    find();
    assert_says("no task is seen to be behind");
    assert_string_equal(lines[out.nlines - 1].text,
                        "of 1 tasks nothing is known");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_missing),
        cmocka_unit_test(test_call_ago),
        cmocka_unit_test(test_asleep),
        cmocka_unit_test(test_finalize),
        cmocka_unit_test(test_chain),
        cmocka_unit_test(test_has_come),
        cmocka_unit_test(test_sleeping_sender),
        cmocka_unit_test(test_any),
        cmocka_unit_test(test_circle),
        cmocka_unit_test(test_iterations),
        cmocka_unit_test(test_by_model),
        cmocka_unit_test(test_exact_first),
        cmocka_unit_test(test_ended),
    };

    cmocka_set_message_output(CM_OUTPUT_TAP);
    return cmocka_run_group_tests(tests, NULL, NULL);
}
