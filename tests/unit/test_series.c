/* test_series.c - looks that slaves have taken several at a time, put together
 * by time: none is lost, none comes before its time, whoever is slow or has
 * fewer. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "master/watch/series.h"

enum { NODES = 3 };
static const uint64_t every = 10000;

struct seen {                   /* of a node */
    uint32_t n;                 /* looks, in order */
    uint64_t calls, after_ns;   /* of the last one */
};
static struct seen seen[NODES];

static void take(void *arg, size_t node, const uint8_t *look, size_t bytes)
{
    Hct__Looked *m = hct__looked__unpack(NULL, bytes, look);

    (void)arg;
    assert_non_null(m);
    assert_true(node < NODES);
    assert_true(m->after_ns >= seen[node].after_ns);
    assert_int_equal(m->n_tasks, 1);
    seen[node].n++;
    seen[node].after_ns = m->after_ns;
    seen[node].calls = m->tasks[0]->calls;
    hct__looked__free_unpacked(m, NULL);
}

static bool one_rank(const void *arg, uint32_t rank)
{
    return rank == *(const uint32_t *)arg;
}

/* n looks of the rank with the node's number, so long after each other. */
static int put(struct series *s, uint32_t node, uint32_t rank, uint32_t n,
               uint64_t step_ns, struct err *err)
{
    Hct__Looked m = HCT__LOOKED__INIT, one = HCT__LOOKED__INIT;
    Hct__Looked__Task task = HCT__LOOKED__TASK__INIT, *tasks[] = { &task };
    ProtobufCBinaryData more[2 * SERIES_MAX];
    int rc;

    m.more = more;
    m.n_more = n;
    one.tasks = tasks;
    one.n_tasks = 1;
    task.rank = rank;
    task.wchan = (char *)"";
    for (uint32_t i = 0; i < n; i++) {
        task.calls = i + 1;
        one.after_ns = i * step_ns;
        more[i].len = hct__looked__get_packed_size(&one);
        more[i].data = malloc(more[i].len + 1);
        hct__looked__pack(&one, more[i].data);
    }
    rc = series_put(s, node, &m, one_rank, &node, err);
    while (n--)
        free(more[n].data);
    return rc;
}

static void begin(struct series *s)
{
    memset(seen, 0, sizeof(seen));
    assert_int_equal(series_begin(s, NODES), 0);
    assert_false(series_any(s));
}

static void test_alone(void **state)
{
    struct series s = { 0 };
    struct err err;
    uint64_t after;

    (void)state;
    begin(&s);
    assert_int_equal(put(&s, 1, 1, 5, every, &err), 0);
    for (uint32_t i = 0; i < 5; i++) {
        assert_true(series_any(&s));
        assert_int_equal(series_step(&s, every, take, NULL, &after), i < 4);
        assert_int_equal(after, i * every);
        assert_int_equal(seen[1].n, i + 1);
    }
    assert_false(series_any(&s));
    series_fini(&s);
}

/* One is half as fast, one has ended early: whose looks fit belong together. */
static void test_by_time(void **state)
{
    struct series s = { 0 };
    struct err err;
    uint64_t after;
    uint32_t looks = 0;
    bool more;

    (void)state;
    begin(&s);
    assert_int_equal(put(&s, 0, 0, 20, every, &err), 0);
    assert_int_equal(put(&s, 1, 1, 20, 2 * every, &err), 0);
    assert_int_equal(put(&s, 2, 2, 3, every, &err), 0);
    do {
        more = series_step(&s, every, take, NULL, &after);
        assert_int_equal(after, looks * every);
        looks++;
        assert_int_equal(seen[0].n, looks);
        assert_int_equal(seen[2].n, looks < 3 ? looks : 3);
        if (more)                       /* the last one takes all there is */
            assert_int_equal(seen[1].n, (looks - 1) / 2 + 1);
    } while (more);
    assert_int_equal(looks, 20);
    assert_int_equal(seen[1].n, 20);
    assert_int_equal(seen[1].calls, 20);
    series_fini(&s);
}

static void test_nonsense(void **state)
{
    struct series s = { 0 };
    struct err err;
    Hct__Looked m = HCT__LOOKED__INIT;
    ProtobufCBinaryData bad = { 3, (uint8_t *)"\xff\xff\xff" };
    uint32_t node = 0;

    (void)state;
    begin(&s);
    assert_int_equal(put(&s, 0, 0, 2, every, &err), 0);
    assert_int_equal(put(&s, 0, 2, 2, every, &err), -1);
    assert_non_null(strstr(err.text, "not on this node"));
    assert_false(series_any(&s));
    assert_int_equal(put(&s, 0, 0, SERIES_MAX + 1, every, &err), -1);
    assert_string_equal(err.text, "Looked with 65 looks");
    m.more = &bad;
    m.n_more = 1;
    assert_int_equal(series_put(&s, 0, &m, one_rank, &node, &err), -1);
    assert_false(series_any(&s));
    assert_int_equal(put(&s, 0, 0, SERIES_MAX, every, &err), 0);
    assert_true(series_any(&s));
    series_fini(&s);                    /* with looks that nobody took */
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_alone),
        cmocka_unit_test(test_by_time),
        cmocka_unit_test(test_nonsense),
    };

    cmocka_set_message_output(CM_OUTPUT_TAP);
    return cmocka_run_group_tests(tests, NULL, NULL);
}
