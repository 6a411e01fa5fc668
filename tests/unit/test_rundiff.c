/* test_rundiff.c - two runs compared: equal ones in which all varies by lot
 * differ in nothing; one slow task, a node, a heavier step, calls that are
 * more or others, another build and number of tasks are found; what varies,
 * what is no share of the run, and time without a processor are not. And what
 * was run. */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "master/hector/diff/rundiff.h"
#include "master/hector/diff/setup.h"
#include "mpi-wrappers/table/calls.h"
#include "tests/unit/draw.h"

enum { TASKS = 8, SITES = 4, ROUNDS = 100, RUNS = 6 };
#define MS 1e6
#define S 1e9

/* A program of rounds: Isend, Waitall, Allreduce, Bcast, each from main; of
 * each task the time between site i and the next is work[i]. */
struct program {
    double work[SITES];         /* ns, of one round */
    double slow;                /* factor, of task 2 behind Isend */
    double slow_node;           /* of tasks 4-7 */
    double inside;              /* of task 3 in Isend, ns a round more */
    double noise;               /* of all times */
    double starved;             /* share of the time without a processor */
    double wait_ns;             /* in Allreduce, more */
    bool more;                  /* one call of Barrier at the end */
    bool other_build;
    uint32_t rounds, tasks;
    bool wanders;               /* the work of tasks is theirs by lot */
};
static const struct program usual = {
    .work = { 5 * MS, 1 * MS, 2 * MS, 0.5 * MS }, .slow = 1, .slow_node = 1,
    .noise = 0.02, .rounds = ROUNDS, .tasks = TASKS };

struct built {
    struct jobmodel model;
    struct rundiff_task task[64];
    struct rundiff_run run;
};

static double about(double x, double noise)
{
    return x * (1 + noise * (2 * draw_part() - 1));
}

static uint32_t site_of(struct jobmodel *m, unsigned i, bool other_build)
{
    static const uint32_t calls[] = { CALL_Isend, CALL_Waitall, CALL_Allreduce,
                                      CALL_Bcast, CALL_Barrier };
    static const char *const names[] = { "send", "wait", "sum", "tell", "end" };
    uint8_t id[2] = { 7, other_build };
    struct jobmodel_state s = { .call = calls[i], .frames = 2 };
    uint32_t module = jobmodel_module(m, "/bin/a", id, sizeof(id)) + 1;

    s.frame[0] = jobmodel_frame(m, module, 0x100 * i + other_build * 0x35);
    s.frame[1] = jobmodel_frame(m, module, 0x900 + other_build);
    for (unsigned f = 0; f < 2; f++)
        if (!m->frame[s.frame[f]].names)
            assert_true(jobmodel_name(m, s.frame[f], &(struct jobmodel_name_of){
                f ? "main" : names[i], "/src/a.c", "", SIZE_MAX, SIZE_MAX,
                SIZE_MAX, 10 * i + other_build }));
    return jobmodel_state(m, &s);
}

static void add_step(struct built *b, uint32_t task, uint32_t from, uint32_t to,
                     uint64_t n, double in, double out)
{
    struct taskset one = { 0 };
    struct jobmodel_edge e = { .from = from, .to = to, .n = n,
                               .in = { in, 0, (uint64_t)in },
                               .out = { out, 0, (uint64_t)out } };

    assert_int_equal(taskset_add(&one, task, task), 0);
    assert_int_equal(jobmodel_add(&b->model, &e, &one, 0), 0);
    taskset_fini(&one);
    b->task[task].in_ns += in * (double)n;
    b->task[task].out_ns += out * (double)n;
}

static void add_task(struct built *b, const struct program *p, uint32_t task)
{
    struct rundiff_task *t = &b->task[task];
    double wander = p->wanders ? 0.5 + draw_part() : 1;
    uint32_t last = 0;

    for (unsigned i = 0; i < SITES; i++) {
        uint32_t from = site_of(&b->model, i, p->other_build);
        uint32_t to = site_of(&b->model, (i + 1) % SITES, p->other_build);
        double work = p->work[i] * wander, in = about(0.02 * MS, p->noise);

        if (task == 2 && i == 0)
            work *= p->slow;
        if (task >= 4)
            work *= p->slow_node;
        if (task == 3 && i == 0)
            in += p->inside;
        if (i == 2)
            in += p->wait_ns;
        work = about(work, p->noise) / (1 - p->starved);
        add_step(b, task, from, to, p->rounds, in, work);
        last = from;
    }
    if (p->more)
        add_step(b, task, last, site_of(&b->model, SITES, p->other_build), 1,
                 0, 0.01 * MS);
    t->waited_ns = (t->in_ns + t->out_ns) * p->starved;
    t->cpu_ns = t->in_ns + t->out_ns - t->waited_ns;
    t->cpu_out_ns = t->out_ns * (1 - p->starved);
    t->node = task / 4;
    jobmodel_end_task(&b->model, task);
}

static void build(struct built *b, const struct program *p)
{
    *b = (struct built){ 0 };
    assert_int_equal(jobmodel_init(&b->model, p->tasks, NULL), 0);
    assert_int_equal(jobmodel_phase(&b->model, 0, false), 0);
    for (uint32_t t = 0; t < p->tasks; t++)
        add_task(b, p, t);
    b->run = (struct rundiff_run){ &b->model, 1 * S, p->tasks, b->task };
}

/* What run 0, of this, differs in from runs of that. */
static void compare(struct rundiff *d, const struct program *is,
                    const struct program *was, unsigned good)
{
    struct built *b = calloc(good + 1, sizeof(*b));
    struct rundiff_run runs[RUNS + 1];

    assert_non_null(b);
    for (unsigned i = 0; i <= good; i++) {
        build(&b[i], i ? was : is);
        runs[i] = b[i].run;
    }
    assert_int_equal(rundiff_init(d, runs, good + 1, NULL), 0);
    for (unsigned i = 0; i <= good; i++)
        jobmodel_fini(&b[i].model);
    free(b);
}

static void expect(const struct program *is, const struct program *was,
                   unsigned good, size_t n, enum rundiff_kind kind,
                   double cost_ns)
{
    struct rundiff d;

    compare(&d, is, was, good);
    if (d.n != n || (n && d.item[0].kind != kind))
        fail_msg("%zu differences, the first one of kind %d, %g ms", d.n,
                 d.n ? (int)d.item[0].kind : -1,
                 d.n ? d.item[0].cost_ns / MS : 0);
    if (n && fabs(d.item[0].cost_ns - cost_ns) > 0.1 * fabs(cost_ns) + MS)
        fail_msg("%g ms", d.item[0].cost_ns / MS);
    rundiff_fini(&d);
}

/* -------------------------------------------------------------------- tests */

static void test_equal(void **state)
{
    struct program noisy = usual, starved = usual, wanders = usual;
    unsigned wrong = 0;
    struct rundiff d;

    (void)state;
    noisy.noise = 0.1;
    starved.starved = 0.6;
    wanders.wanders = true;
    for (unsigned i = 0; i < 500; i++)
        for (unsigned good = 1; good <= RUNS; good += RUNS - 1) {
            expect(&usual, &usual, good, 0, 0, 0);
            expect(&noisy, &noisy, good, 0, 0, 0);
            expect(&starved, &usual, good, 0, 0, 0);
            expect(&usual, &starved, good, 0, 0, 0);
        }
    for (unsigned i = 0; i < 1000; i++) {       /* half as much, or half more */
        compare(&d, &wanders, &wanders, RUNS);
        wrong += d.n > 0;
        rundiff_fini(&d);
    }
    if (wrong > 10)
        fail_msg("%u of 1000 runs of work by lot are others", wrong);
}

static void test_slow_task(void **state)
{
    struct program p = usual;
    struct rundiff d;

    (void)state;
    p.slow = 2;
    for (unsigned good = 1; good <= RUNS; good++)
        expect(&p, &usual, good, 1, RUNDIFF_TASK, 500 * MS);
    expect(&usual, &p, 1, 1, RUNDIFF_TASK, -500 * MS);
    expect(&p, &p, 1, 0, 0, 0);         /* it is so in both */
    p.starved = 0.5;                    /* and on a busy machine */
    compare(&d, &p, &usual, 1);
    assert_int_equal(d.n, 1);
    assert_int_equal(d.item[0].kind, RUNDIFF_TASK);
    assert_true(taskset_has(&d.item[0].tasks, 2));
    assert_int_equal(taskset_count(&d.item[0].tasks), 1);
    assert_true(d.item[0].row != STEPS_NONE);
    assert_int_equal(d.steps.site[d.steps.row[d.item[0].row].from].call,
                     CALL_Isend);
    rundiff_fini(&d);
    p = usual;
    p.slow = 1.1;                       /* no share of the run */
    p.work[0] = 0.5 * MS;
    expect(&p, &p, 1, 0, 0, 0);
}

/* Four tasks on two processors poll for who is last: whoever waits the least for
 * a processor has computed no more than the others. s: what a task did. */
static void take_polling(struct built *b, const double s[4][4])
{
    build(b, &(struct program){ .work = { 1 * S, 1 * S, 1 * S, 1 * S },
                                .slow = 1, .slow_node = 1, .rounds = 1,
                                .tasks = 4 });
    for (unsigned i = 0; i < 4; i++)
        b->task[i] = (struct rundiff_task){
            .in_ns = s[i][0] * MS, .out_ns = s[i][1] * MS,
            .cpu_ns = s[i][2] * MS,
            .cpu_out_ns = s[i][2] * s[i][1] / (s[i][0] + s[i][1]) * MS,
            .waited_ns = s[i][3] * MS };
}

static void test_polling_tasks(void **state)
{
    /* In MPI, outside, on a processor, ready without one: measured. */
    static const double computes[2][4][4] = {
        { { 922, 944, 906, 921 }, { 918, 955, 610, 1215 },
          { 132, 1738, 1198, 628 }, { 838, 1031, 905, 924 } },
        { { 319, 982, 621, 631 }, { 351, 946, 618, 638 },
          { 370, 923, 621, 627 }, { 333, 963, 618, 642 } } };
    /* The same where it sleeps in place of computing. */
    static const double sleeps[2][4][4] = {
        { { 1450, 1440, 720, 730 }, { 1450, 1440, 700, 750 },
          { 10, 2880, 10, 5 }, { 1450, 1440, 1050, 400 } },
        { { 60, 1440, 50, 12 }, { 60, 1440, 50, 14 },
          { 60, 1440, 50, 11 }, { 60, 1440, 50, 10 } } };
    struct built b[2];
    struct rundiff_run runs[2];
    struct rundiff d;

    (void)state;
    for (unsigned i = 0; i < 4; i++) {
        for (unsigned r = 0; r < 2; r++) {
            take_polling(&b[r], (i % 2 ? sleeps : computes)[i / 2 ^ r]);
            runs[r] = b[r].run;
        }
        assert_int_equal(rundiff_init(&d, runs, 2, NULL), 0);
        assert_int_equal(d.n, 1);
        assert_int_equal(d.item[0].kind, RUNDIFF_TASK);
        assert_int_equal(d.item[0].run, i / 2);
        assert_int_equal(taskset_count(&d.item[0].tasks), 1);
        assert_true(taskset_has(&d.item[0].tasks, 2));
        rundiff_fini(&d);
        for (unsigned r = 0; r < 2; r++)
            jobmodel_fini(&b[r].model);
    }
}

static void test_node(void **state)
{
    struct program p = usual;
    struct rundiff d;

    (void)state;
    p.slow_node = 1.6;
    compare(&d, &p, &usual, 3);
    assert_true(d.n >= 1);
    assert_int_equal(d.item[0].kind, RUNDIFF_NODE);
    assert_int_equal(taskset_count(&d.item[0].tasks), 4);
    assert_true(taskset_has(&d.item[0].tasks, 7));
    rundiff_fini(&d);
}

static void test_steps(void **state)
{
    struct program p = usual, polluted = usual;

    (void)state;
    p.work[1] *= 3;                     /* 200 ms of a task */
    for (unsigned good = 1; good <= RUNS; good++)
        expect(&p, &usual, good, 1, RUNDIFF_COMPUTE, 200 * MS);
    expect(&usual, &p, 1, 1, RUNDIFF_COMPUTE, -200 * MS);
    p = usual;
    p.work[0] *= 1.2;           /* a fifth: known when more is known */
    expect(&p, &usual, 1, 0, 0, 0);
    expect(&p, &usual, RUNS, 1, RUNDIFF_COMPUTE, 100 * MS);
    p = polluted = usual;
    p.inside = 3 * MS;
    expect(&p, &usual, 1, 1, RUNDIFF_TASK, 300 * MS);
    p = usual;
    p.wait_ns = 2 * MS;         /* nothing explains it */
    expect(&p, &usual, 3, 1, RUNDIFF_CALL, 200 * MS);
    p.slow = 1.5;               /* this does */
    expect(&p, &usual, 3, 1, RUNDIFF_TASK, 250 * MS);
    p.slow = 1;
    p.starved = 0.3;            /* and nobody knows who waited for whom */
    expect(&p, &usual, 3, 0, 0, 0);
}

static void test_calls(void **state)
{
    struct program p = usual, q = usual;

    (void)state;
    p.more = true;
    for (unsigned good = 1; good <= RUNS; good++)
        expect(&p, &usual, good, 1, RUNDIFF_ONLY, 0.01 * MS);
    expect(&usual, &p, 1, 1, RUNDIFF_ONLY, -0.01 * MS);
    p.more = false;
    p.rounds++;
    expect(&p, &usual, 3, SITES, RUNDIFF_CALLS, 5 * MS);
    q.other_build = true;       /* the same by names, at other addresses */
    expect(&q, &usual, 1, 0, 0, 0);
    q.more = true;
    expect(&q, &usual, 1, 1, RUNDIFF_ONLY, 0.01 * MS);
    q = usual;
    q.tasks = 2 * TASKS;        /* as long for each as ever */
    expect(&q, &usual, 1, 0, 0, 0);
    q.slow = 3;
    expect(&q, &usual, 1, 1, RUNDIFF_TASK, 1000 * MS);
    q = p = usual;
    q.tasks = p.tasks = 1;
    expect(&q, &p, 1, 0, 0, 0);
}

/* A program that ran slowly once, without failing, is not so slow ever after. */
static void test_slow_good_run(void **state)
{
    struct program slow = usual;
    struct built b[RUNS + 1];
    struct rundiff_run runs[RUNS + 1];
    struct rundiff d;

    (void)state;
    slow.slow = 2;
    for (unsigned i = 0; i <= RUNS; i++) {
        build(&b[i], i == 0 || i == 3 ? &slow : &usual);
        runs[i] = b[i].run;
    }
    assert_int_equal(rundiff_init(&d, runs, RUNS + 1, NULL), 0);
    assert_int_equal(d.n, 1);
    assert_int_equal(d.item[0].kind, RUNDIFF_TASK);
    rundiff_fini(&d);
    for (unsigned i = 0; i <= RUNS; i++)
        jobmodel_fini(&b[i].model);
}

/* A model without a step, and one of an earlier version, without spreads. */
static void test_little(void **state)
{
    struct program p = usual;
    struct built a, b;
    struct jobmodel empty;
    struct rundiff_run runs[2];
    struct rundiff d;

    (void)state;
    p.work[1] *= 3;
    build(&a, &p);
    build(&b, &usual);
    for (size_t i = 0; i < a.model.nedges; i++)
        a.model.edge[i].in_tasks = a.model.edge[i].out_tasks =
            b.model.edge[i].in_tasks = b.model.edge[i].out_tasks =
                (struct spread){ 0 };
    runs[0] = a.run;
    runs[1] = b.run;
    runs[0].task = runs[1].task = NULL;
    assert_int_equal(rundiff_init(&d, runs, 2, NULL), 0);
    assert_int_equal(d.n, 1);
    assert_int_equal(d.item[0].kind, RUNDIFF_COMPUTE);
    rundiff_fini(&d);
    assert_int_equal(jobmodel_init(&empty, 1, NULL), 0);
    runs[0] = (struct rundiff_run){ &empty, 0, 1, NULL };
    assert_int_equal(rundiff_init(&d, runs, 2, NULL), 0);
    assert_int_equal(d.n, SITES);
    rundiff_fini(&d);
    runs[1] = runs[0];
    assert_int_equal(rundiff_init(&d, runs, 2, NULL), 0);
    assert_int_equal(d.n, 0);
    rundiff_fini(&d);
    jobmodel_fini(&empty);
    jobmodel_fini(&a.model);
    jobmodel_fini(&b.model);
}

/* ------------------------------------------------------------ what was run */

static void on_setup(void *arg, enum setup_kind kind, const char *was,
                     const char *is)
{
    str_addf(arg, "%s: %s, was %s\n", setup_name(kind), is ? is : "-",
             was ? was : "-");
}

static void expect_setup(const struct setup_run *is,
                         const struct setup_run *was, const char *wanted)
{
    const struct setup_run runs[2] = { *is, *was };
    struct str s = { 0 };

    setup_compare(runs, on_setup, &s);
    assert_string_equal(str_text(&s), wanted);
    str_fini(&s);
}

static void test_setup(void **state)
{
    const struct setup_run a = {
        .what = "./solve 10 'a b'",
        .command = "hector-run -n 4 ./solve 10 'a b'",
        .builds = "solve 01", .environment = "OMP_A=1\nOMP_B=2\n",
        .nodes = "n1: 0-3", .ntasks = 4 };
    struct setup_run b = a;

    (void)state;
    expect_setup(&a, &b, "");
    b.what = "/opt/solve 10 'a b'";     /* the same, from elsewhere */
    b.command = "hector-run -n 4 /opt/solve 10 'a b'";
    expect_setup(&a, &b, "");
    b.what = "./solve 12";
    b.command = "hector-run -n 4 --map-by node ./solve 12";
    b.builds = "solve 02";
    b.environment = "OMP_B=3\nOMP_AA=1\n";
    b.nodes = "n2: 0-3";
    expect_setup(&a, &b, "arguments: 10 'a b', was 12\n"
                 "build: solve 01, was solve 02\n"
                 "nodes: n1: 0-3, was n2: 0-3\n"
                 "options: -n 4, was -n 4 --map-by node\n"
                 "environment: OMP_A=1, was -\n"
                 "environment: OMP_B=2, was OMP_B=3\n"
                 "environment: -, was OMP_AA=1\n");
    b = a;
    b.what = "./other";
    b.command = "hector-run ./other";
    b.builds = "other 03";
    b.ntasks = 1;
    expect_setup(&a, &b, "program: ./solve 10 'a b', was ./other\n"
                 "tasks: 4, was 1\noptions: -n 4, was -\n");
    b = (struct setup_run){ .ntasks = 4 };      /* nothing is known */
    expect_setup(&a, &b, "");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_equal), cmocka_unit_test(test_slow_task),
        cmocka_unit_test(test_polling_tasks),
        cmocka_unit_test(test_node), cmocka_unit_test(test_steps),
        cmocka_unit_test(test_calls), cmocka_unit_test(test_slow_good_run),
        cmocka_unit_test(test_little), cmocka_unit_test(test_setup),
    };

    cmocka_set_message_output(CM_OUTPUT_TAP);
    return cmocka_run_group_tests(tests, NULL, NULL);
}
