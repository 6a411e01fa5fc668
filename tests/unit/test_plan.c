/* test_plan.c - a Prepare is taken or refused as a whole, with the reason. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "slave/launch/plan.h"

/* A Prepare of two programs on two nodes that each case spoils a little. */
struct rig {
    Hct__Prepare m;
    Hct__App apps[2], *app_list[2];
    Hct__JobNode nodes[2], *node_list[2];
    ProtobufCBinaryData argv[2][2];
    char *addresses[2];
};

static void rig_init(struct rig *r)
{
    static const char *const names[] = { "n0", "n1" };
    static const char *const ranks[] = { "0-1,4", "2-3" };

    r->m = (Hct__Prepare)HCT__PREPARE__INIT;
    for (int i = 0; i < 2; i++) {
        r->apps[i] = (Hct__App)HCT__APP__INIT;
        r->argv[i][0] = (ProtobufCBinaryData){ 4, (uint8_t *)"prog" };
        r->argv[i][1] = (ProtobufCBinaryData){ 0, NULL };
        r->apps[i].argv = r->argv[i];
        r->apps[i].n_argv = 2;
        r->app_list[i] = &r->apps[i];
        r->nodes[i] = (Hct__JobNode)HCT__JOB_NODE__INIT;
        r->nodes[i].name = (char *)names[i];
        r->nodes[i].ranks = (char *)ranks[i];
        r->node_list[i] = &r->nodes[i];
    }
    r->apps[0].ntasks = 3;
    r->apps[1].ntasks = 2;
    r->m.job = 5;
    r->m.nspace = (char *)"hector.5";
    r->m.ntasks = 5;
    r->m.apps = r->app_list;
    r->m.n_apps = 2;
    r->m.nodes = r->node_list;
    r->m.n_nodes = 2;
    r->m.here = 1;
    r->m.stdin_ranks = (char *)"0";
    r->addresses[0] = (char *)"unix:/a";
    r->addresses[1] = (char *)"tcp:h:1";
    r->m.stream_addresses = r->addresses;
    r->m.n_stream_addresses = 2;
}

static void test_good(void **state)
{
    static const unsigned app_of[] = { 0, 0, 0, 1, 1 };
    static const unsigned node_of[] = { 0, 0, 1, 1, 0 };
    static const unsigned local_of[] = { 0, 1, 0, 1, 2 };
    struct rig r;
    struct plan *p;

    (void)state;
    rig_init(&r);
    p = plan_create(&r.m, NULL);
    assert_non_null(p);
    for (uint32_t i = 0; i < 5; i++) {
        assert_int_equal(plan_app(p, i) - p->apps, app_of[i]);
        assert_int_equal(p->node_of[i], node_of[i]);
        assert_int_equal(p->local_of[i], local_of[i]);
        assert_int_equal(plan_is_local(p, i), node_of[i] == 1);
    }
    assert_false(plan_is_local(p, 5));
    assert_string_equal(plan_here(p)->name, "n1");
    assert_string_equal(p->stream_addresses, "unix:/a,tcp:h:1");
    assert_string_equal(p->apps[0].argv[1], "");
    assert_null(p->apps[0].argv[2]);
    plan_destroy(p);

    r.m.n_stream_addresses = 0;
    p = plan_create(&r.m, NULL);
    assert_string_equal(p->stream_addresses, "");
    plan_destroy(p);
    plan_destroy(NULL);
}

#define BAD(spoil, says) do {                           \
        struct rig r;                                   \
        struct err err = { 0 };                         \
        rig_init(&r);                                   \
        spoil;                                          \
        assert_null(plan_create(&r.m, &err));           \
        if (!strstr(err.text, says))                    \
            fail_msg("%s: %s", says, err.text);         \
    } while (0)

static void test_bad(void **state)
{
    char zero[] = "a\0b", cookie[PLAN_COOKIE_MAX + 1] = "";
    char longest[PLAN_NSPACE_MAX + 2];

    (void)state;
    memset(longest, 'x', sizeof(longest));
    longest[sizeof(longest) - 1] = '\0';
    BAD(r.m.ntasks = 0, "0 tasks");
    BAD(r.m.ntasks = UINT32_MAX, "tasks");
    BAD(r.m.ntasks = 4, "4 in all");
    BAD(r.m.ntasks = 6, "6 in all");
    BAD(r.apps[1].ntasks = UINT32_MAX, "5 in all");
    BAD(r.m.n_apps = 0, "no program");
    BAD(r.apps[0].n_argv = 0, "no name");
    BAD(r.argv[0][0].len = 0, "no name");
    BAD((r.argv[1][1] = (ProtobufCBinaryData){ 3, (uint8_t *)zero }),
        "zero byte");
    BAD(r.m.here = 2, "node 2 of 2");
    BAD(r.m.n_nodes = 0, "of 0");
    BAD(r.nodes[0].ranks = (char *)"0-1,3-4", "rank 3 has two nodes");
    BAD(r.nodes[0].ranks = (char *)"0-1", "only 4 of 5");
    BAD(r.nodes[0].ranks = (char *)"0-9", "rank 9");
    BAD(r.nodes[0].ranks = (char *)"zero", "zero");
    BAD(r.nodes[0].name = (char *)"", "no name of a node");
    BAD(r.nodes[0].name = (char *)"a,b", "no name of a node");
    BAD(r.m.stdin_ranks = (char *)"5", "no rank 5");
    BAD(r.m.nspace = (char *)"", "namespace");
    BAD(r.m.nspace = longest, "namespace");
    BAD((r.m.cookie.data = (uint8_t *)cookie,
         r.m.cookie.len = sizeof(cookie)), "cookie");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_good), cmocka_unit_test(test_bad),
    };

    cmocka_set_message_output(CM_OUTPUT_TAP);
    return cmocka_run_group_tests(tests, NULL, NULL);
}
