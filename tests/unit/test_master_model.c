/* test_master_model.c - the models that slaves tell with Drained: merged by
 * ranks and kept when the job has ended; of a slave that lies or is lost there
 * is none, and the job ends as ever. */
#include "tests/unit/master_rig.h"

#include "master/store/store.h"
#include "proto/model/jobmodel.h"

enum { EACH = 2 };

/* So many steps of each task from one call to itself. */
static void make_part(struct str *out, uint32_t width, uint64_t steps)
{
    struct jobmodel m;
    struct taskset all = { 0 };
    struct jobmodel_state s = { .call = 12 };
    struct jobmodel_edge e = { .n = steps, .in = { 5, 0, 5 } };

    assert_int_equal(taskset_add(&all, 0, width - 1), 0);
    assert_int_equal(jobmodel_init(&m, width, NULL), 0);
    assert_int_equal(jobmodel_phase(&m, 0, false), 0);
    jobmodel_meet_phase(&m.phase[0], &(struct jobmodel_phase){ 0 });
    e.from = e.to = jobmodel_state(&m, &s);
    assert_int_equal(jobmodel_add(&m, &e, &all, 0), 0);
    assert_int_equal(taskset_copy(&m.tasks, &all), 0);
    assert_int_equal(jobmodel_write(&m, NULL, NULL, 0, out, NULL), 0);
    jobmodel_fini(&m);
    taskset_fini(&all);
}

static void drained(struct peer *p, const struct str *model)
{
    Hct__Drained m = HCT__DRAINED__INIT;

    m.job = 1;
    m.model.data = (uint8_t *)model->s;
    m.model.len = model->n;
    conn_send(p->c, MESSAGE_DRAINED, &m);
}

static int take_row(void *arg, int ncols, const char *const *names,
                    const struct store_value *v)
{
    (void)ncols, (void)names;
    *(Hct__Model **)arg = hct__model__unpack(NULL, v[0].bytes,
                                             (const uint8_t *)v[0].text);
    return 0;
}

/* What is kept of job 1: steps, and by whom, NULL: nothing; and whose note. */
static void expect_model(struct rig *r, uint64_t steps, const char *ranks,
                         const char *noted)
{
    Hct__Model *m = NULL;
    struct store *st;
    struct jobmodel model;
    struct err err;
    char *text;

    rig_expect(r, "SELECT count(*) FROM jobs WHERE ended_ns > 0", "1\n");
    st = store_open_readonly(r->db, &err);
    assert_non_null(st);
    assert_int_equal(store_query(st, "SELECT model FROM model WHERE job = 1",
                                 take_row, &m, &err), 0);
    store_close(st);
    if (!ranks) {
        assert_null(m);
        return;
    }
    assert_non_null(m);
    assert_int_equal(jobmodel_read(&model, m, &err), 0);
    assert_int_equal(model.nedges, 1);
    assert_int_equal(model.edge[0].n, steps);
    text = taskset_text(&model.edge[0].tasks);
    assert_string_equal(text, ranks);
    free(text);
    assert_int_equal(m->n_notes, noted != NULL);
    if (noted) {
        assert_string_equal(m->notes[0]->ranks, noted);
        assert_non_null(strstr(m->notes[0]->text, "not here, node a: "));
    }
    jobmodel_fini(&model);
    hct__model__free_unpacked(m, NULL);
}

/* Ranks go by node: 0 and 2 are on a, 1 and 3 on b. */
static void start(struct rig *r, struct peer **a, struct peer **b,
                  struct peer **run)
{
    *a = rig_slave(r, "a", EACH);
    *b = rig_slave(r, "b", EACH);
    *run = rig_redirector(r);
    peer_submit(*run, &(struct wish){ .ntasks = 2 * EACH, .by_node = true,
                                      .hosts = { "a", "b" } });
    rig_wait(*run, "running 4/4");
    for (uint32_t i = 0; i < 2 * EACH; i++)
        peer_exit(i % 2 ? *b : *a, 1, i, 0, 0, "");
}

static void test_two(void **state)
{
    struct rig *r = *state;
    struct peer *a, *b, *run;
    struct str one = { 0 }, two = { 0 };

    start(r, &a, &b, &run);
    make_part(&one, EACH, 10);
    make_part(&two, EACH, 7);
    drained(b, &two);
    drained(a, &one);
    drained(a, &one);                   /* told again */
    rig_wait(run, "JobEnded job=1 code=0");
    expect_model(r, 17, "0-3", NULL);
    str_fini(&one);
    str_fini(&two);
}

static void test_lies(void **state)
{
    struct rig *r = *state;
    struct peer *a, *b, *run;
    struct str one = { 0 }, large = { 0 };

    start(r, &a, &b, &run);
    make_part(&one, EACH, 10);
    make_part(&large, 2 * EACH, 7);     /* of tasks that it does not have */
    drained(a, &large);
    drained(b, &one);
    rig_wait(run, "JobEnded job=1 code=0");
    expect_model(r, 10, "1,3", "0,2");
    str_fini(&one);
    str_fini(&large);
}

static void test_one(void **state)
{
    struct rig *r = *state;
    struct peer *a, *b, *run;
    struct str one = { 0 }, none = { 0 };

    start(r, &a, &b, &run);
    make_part(&one, EACH, 10);
    drained(a, &none);
    drained(b, &one);
    rig_wait(run, "JobEnded job=1 code=0");
    expect_model(r, 10, "1,3", "0,2");
    str_fini(&one);
}

static void test_nothing(void **state)
{
    struct rig *r = *state;
    struct peer *a, *b, *run;
    struct str none = { 0 }, noise = { 0 };

    start(r, &a, &b, &run);
    str_add(&noise, "noise");
    drained(a, &none);
    drained(b, &noise);
    rig_wait(run, "JobEnded job=1 code=0");
    expect_model(r, 0, NULL, NULL);
    str_fini(&noise);
}

int main(void)
{
#define T(f) cmocka_unit_test_setup_teardown(f, rig_setup, rig_teardown)
    const struct CMUnitTest tests[] = {
        T(test_two), T(test_lies), T(test_one), T(test_nothing),
    };

    cmocka_set_message_output(CM_OUTPUT_TAP);
    return cmocka_run_group_tests(tests, NULL, NULL);
}
