/* test_nodemap.c - nodes and ranks written short and read again, those of
 * older records, and messages that are wrong. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "proto/link/nodemap.h"

static const char *numbered(const void *arg, size_t i)
{
    static char name[32];

    snprintf(name, sizeof(name), (const char *)arg, (unsigned)i);
    return name;
}

/* What was written is read: all of it, and by each node its own. */
static void check(Hct__Prepare *p, size_t n, const char *names,
                  const uint32_t *node_of)
{
    struct nodemap m;
    struct taskset own = { 0 };
    size_t count = 0;

    assert_int_equal(nodemap_read(&m, p, NULL), 0);
    assert_int_equal(m.n, n);
    for (uint32_t i = 0; i < n; i++) {
        assert_string_equal(m.v[i].name, numbered(names, i));
        for (int64_t r = -1; (r = taskset_next(&m.v[i].ranks, r)) >= 0; )
            assert_int_equal(node_of[r], i);
        count += taskset_count(&m.v[i].ranks);
        p->here = i;
        assert_int_equal(nodemap_here(&own, p, NULL), 0);
        assert_true(taskset_equal(&own, &m.v[i].ranks));
    }
    assert_int_equal(count, p->ntasks);
    taskset_fini(&own);
    nodemap_fini(&m);
}

static size_t write_and_check(size_t n, const char *names,
                              const uint32_t *node_of, uint32_t ntasks)
{
    Hct__Prepare p = HCT__PREPARE__INIT;
    size_t bytes;

    assert_int_equal(nodemap_write(&p, n, numbered, names, node_of, ntasks),
                     0);
    p.ntasks = ntasks;
    bytes = hct__prepare__get_packed_size(&p);
    check(&p, n, names, node_of);
    nodemap_drop(&p);
    return bytes;
}

/* However many nodes there are: a few bytes more. */
static void test_short(void **state)
{
    enum { NODES = 8192, EACH = 16 };
    static uint32_t node_of[NODES * EACH];

    (void)state;
    for (uint32_t i = 0; i < NODES * EACH; i++)
        node_of[i] = i / EACH;                  /* by slot */
    assert_true(write_and_check(NODES, "n%05u", node_of, NODES * EACH) < 64);
    for (uint32_t i = 0; i < NODES * EACH; i++)
        node_of[i] = i % NODES;                 /* by node */
    assert_true(write_and_check(NODES, "n%u.site", node_of, NODES * EACH) <
                64);
    for (uint32_t i = 0; i < NODES * EACH; i++)
        node_of[i] = i / 4 % NODES;             /* four by four */
    assert_true(write_and_check(NODES, "%u", node_of, NODES * EACH) < 64);
}

/* The last node has fewer; some have none; in any order at all. */
static void test_uneven(void **state)
{
    enum { TASKS = 500, NODES = 7 };
    uint32_t node_of[TASKS], seed = 1;

    (void)state;
    for (uint32_t n = 1; n < TASKS; n++) {
        for (uint32_t i = 0; i < n; i++)
            node_of[i] = i * NODES / n;
        write_and_check(NODES, "a%ub", node_of, n);
        for (uint32_t i = 0; i < n; i++) {
            seed = seed * 1103515245 + 12345;
            node_of[i] = (seed >> 16) % NODES;
            if (seed >> 30 && i)
                node_of[i] = node_of[i - 1];
        }
        write_and_check(NODES, "node", node_of, n);
    }
}

/* No ranks yet, as of a job whose tasks come one by one. */
static void test_none(void **state)
{
    Hct__Prepare p = HCT__PREPARE__INIT;
    struct nodemap m;

    (void)state;
    assert_int_equal(nodemap_write(&p, 3, numbered, "n%u", NULL, 0), 0);
    assert_int_equal(nodemap_read(&m, &p, NULL), 0);
    assert_int_equal(m.n, 3);
    assert_int_equal(taskset_count(&m.v[2].ranks), 0);
    nodemap_fini(&m);
    nodemap_drop(&p);
}

static void test_long(void **state)
{
    Hct__JobNode v[2] = { HCT__JOB_NODE__INIT, HCT__JOB_NODE__INIT };
    Hct__JobNode *list[2] = { &v[0], &v[1] };
    static const uint32_t node_of[] = { 0, 1, 1, 0 };
    Hct__Prepare p = HCT__PREPARE__INIT;

    (void)state;
    v[0].name = (char *)"n0";
    v[0].ranks = (char *)"0,3";
    v[1].name = (char *)"n1";
    v[1].ranks = (char *)"1-2";
    p.ntasks = 4;
    p.nodes = list;
    p.n_nodes = 2;
    check(&p, 2, "n%u", node_of);
}

static void test_wrong(void **state)
{
    static const struct { uint32_t node, nodes, each, rounds; const char *why; }
    cases[] = {
        { 0, 5, 1, 1, "node 0 and 5 behind it, of 4" },
        { UINT32_MAX, 1, 1, 1, "behind it, of 4" },
        { 1, UINT32_MAX, 1, 1, "behind it, of 4" },
        { 0, 0, 1, 1, "and 0 behind it" },
        { 0, 1, 0, 1, "are dealt to" },
        { 0, 1, 1, 0, "are dealt to" },
        { 0, 4, 1, 3, "more than 8 ranks" },
        { 0, 4, UINT32_MAX, 1, "more than 8 ranks" },
        { 0, 2, 4, UINT32_MAX, "more than 8 ranks" },
    };
    Hct__Prepare__Deal d = HCT__PREPARE__DEAL__INIT, *list[2] = { &d, &d };
    Hct__Prepare p = HCT__PREPARE__INIT;
    struct nodemap m;
    struct err err;

    (void)state;
    p.ntasks = 8;
    p.hosts = (char *)"n[0-3]";
    p.deals = list;
    p.n_deals = 1;
    for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
        d.node = cases[i].node;
        d.nodes = cases[i].nodes;
        d.each = cases[i].each;
        d.rounds = cases[i].rounds;
        assert_int_equal(nodemap_read(&m, &p, &err), -1);
        assert_non_null(strstr(err.text, cases[i].why));
        assert_int_equal(m.n, 0);
    }
    d.node = 0;
    d.nodes = d.rounds = 4;
    d.each = 1;
    p.ntasks = 16;
    p.n_deals = 2;                              /* once more than there are */
    assert_int_equal(nodemap_read(&m, &p, &err), -1);
    p.hosts = (char *)"n[0-";
    assert_int_equal(nodemap_read(&m, &p, &err), -1);
}

int main(void)
{
    static const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_short), cmocka_unit_test(test_uneven),
        cmocka_unit_test(test_none), cmocka_unit_test(test_long),
        cmocka_unit_test(test_wrong),
    };

    cmocka_set_message_output(CM_OUTPUT_TAP);
    return cmocka_run_group_tests(tests, NULL, NULL);
}
