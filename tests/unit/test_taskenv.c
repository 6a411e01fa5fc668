/* test_taskenv.c - the environment of a task: lists, what is stripped, what
 * wins over what. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "mpi-wrappers/tunable.h"
#include "slave/launch/env.h"
#include "slave/launch/taskenv.h"

static void check(const struct env *e, const char *name, const char *want)
{
    const char *got = env_get(e, name);

    if (want)
        assert_non_null(got);
    if (want)
        assert_string_equal(got, want);
    else
        assert_null(got);
}

static void test_lists(void **state)
{
    char *const from[] = { (char *)"A=1", (char *)"AB=2", (char *)"C=",
                           (char *)"A=3", (char *)"ODD", NULL };
    struct env e = { 0 };

    (void)state;
    assert_int_equal(env_copy(&e, from), 0);
    check(&e, "A", "1");
    check(&e, "AB", "2");
    check(&e, "C", "");
    check(&e, "ODD", NULL);
    assert_int_equal(env_default(&e, "C", "x"), 0);
    check(&e, "C", "");
    assert_int_equal(env_default(&e, "D", "x"), 0);
    check(&e, "D", "x");
    assert_int_equal(env_setf(&e, "A", "%d=%s", 5, "five"), 0);
    check(&e, "A", "5=five");
    assert_int_equal(env_prepend(&e, "LIST", "one", ':'), 0);
    assert_int_equal(env_prepend(&e, "LIST", "two", ':'), 0);
    check(&e, "LIST", "two:one");
    assert_int_equal(env_prepend(&e, "C", "three", ':'), 0);
    check(&e, "C", "three");
    env_strip(&e, "A", "AB");
    check(&e, "A", NULL);
    check(&e, "AB", "2");
    env_fini(&e);
    env_strip(&e, "A", NULL);   /* the empty one */
    assert_int_equal(env_set(&e, "X", "1"), 0);
    check(&e, "X", "1");
    env_fini(&e);
}

/* Four tasks on two nodes: 0 and 2 here, 1 and 3 there. */
static struct plan *make_plan(bool oversubscribed)
{
    Hct__Prepare m = HCT__PREPARE__INIT;
    Hct__App app = HCT__APP__INIT, *apps = &app;
    Hct__JobNode n0 = HCT__JOB_NODE__INIT, n1 = HCT__JOB_NODE__INIT;
    Hct__JobNode *nodes[] = { &n0, &n1 };
    ProtobufCBinaryData argv = { 4, (uint8_t *)"prog" };
    struct plan *p;

    app.argv = &argv;
    app.n_argv = 1;
    app.ntasks = 4;
    n0.name = (char *)"n0";
    n0.ranks = (char *)"0,2";
    n1.name = (char *)"n1";
    n1.ranks = (char *)"1,3";
    m.job = 17;
    m.nspace = (char *)"hector.17";
    m.ntasks = 4;
    m.n_apps = 1;
    m.apps = &apps;
    m.n_nodes = 2;
    m.nodes = nodes;
    m.oversubscribed = oversubscribed;
    p = plan_create(&m, NULL);
    assert_non_null(p);
    return p;
}

static const char *yield = "/lib/libhector-yield.so";

static void build(struct env *e, char *const *user, struct plan *plan,
                  bool fast, const char *preload)
{
    struct plan_app app = { .env = (char **)user };
    struct taskenv t = { .plan = plan, .tasks_socket = "/run/x/tasks.sock",
                         .preload = preload, .yield = yield, .shm = "/dev/shm/h",
                         .fast_fabric = fast };

    assert_int_equal(taskenv_begin(e, &app), 0);
    assert_int_equal(taskenv_finish(e, &t, 2), 0);
}

static void test_task(void **state)
{
    char *const user[] = {
        (char *)"HOME=/home/x", (char *)"PMIX_RANK=9",
        (char *)"PMIX_MCA_gds=hash", (char *)"PMI_RANK=1",
        (char *)"OMPI_COMM_WORLD_RANK=9", (char *)"OMPI_MCA_orte_hnp_uri=u",
        (char *)"OMPI_MCA_coll=tuned", (char *)"HECTOR_JOB=3",
        (char *)"HECTOR_DB=/db", (char *)"LD_PRELOAD=/lib/mine.so", NULL };
    struct plan *plan = make_plan(false);
    struct env e = { 0 };

    (void)state;
    build(&e, user, plan, false, "/lib/libhector.so");
    check(&e, "HOME", "/home/x");
    check(&e, "PMIX_RANK", NULL);
    check(&e, "PMIX_MCA_gds", "hash");
    check(&e, "PMI_RANK", NULL);
    check(&e, "OMPI_MCA_orte_hnp_uri", NULL);
    check(&e, "OMPI_MCA_coll", "tuned");
    check(&e, "OMPI_MCA_schizo", "ompi");
    check(&e, "OMPI_MCA_pmix", NULL);   /* ends MPI_Init of Open MPI 5 */
    check(&e, "OMPI_MCA_pml", "ob1");
    check(&e, "OMPI_MCA_btl", "self,vader,tcp");
    check(&e, "OMPI_MCA_btl_vader_backing_directory", "/dev/shm/h");
    check(&e, "OMPI_MCA_btl_sm_backing_directory", "/dev/shm/h");
    check(&e, "OMPI_MCA_mpi_yield_when_idle", NULL);
    check(&e, "OMPI_COMM_WORLD_RANK", "2");
    check(&e, "OMPI_COMM_WORLD_SIZE", "4");
    check(&e, "OMPI_COMM_WORLD_LOCAL_RANK", "1");
    check(&e, "OMPI_COMM_WORLD_LOCAL_SIZE", "2");
    check(&e, "HECTOR_JOB", "17");
    check(&e, "HECTOR_RANK", "2");
    check(&e, "HECTOR_NTASKS", "4");
    check(&e, "HECTOR_SLAVE", "/run/x/tasks.sock");
    check(&e, "HECTOR_DB", "/db");
    check(&e, "LD_PRELOAD", "/lib/libhector.so:/lib/mine.so");
    env_fini(&e);
    plan_destroy(plan);
}

static void test_choices(void **state)
{
    char *const none[] = { NULL };
    char *const pml[] = { (char *)"OMPI_MCA_pml=ucx",
        (char *)"OMPI_MCA_mpi_yield_when_idle=0",
        (char *)"OMPI_MCA_schizo=slurm", (char *)"OMPI_MCA_schizo_x=1",
        (char *)"SLURM_JOBID=4", (char *)"SLURM_NODELIST=n1",
        (char *)"OMPI_MCA_btl_vader_backing_directory=/mine", NULL };
    struct plan *plan = make_plan(true);
    struct env e = { 0 };

    (void)state;
    build(&e, none, plan, true, "");    /* two nodes with a fast fabric */
    check(&e, "OMPI_MCA_pml", NULL);
    check(&e, "OMPI_MCA_btl", NULL);
    check(&e, "OMPI_MCA_mpi_yield_when_idle", "1");
    check(&e, "LD_PRELOAD", NULL);
    env_fini(&e);
    build(&e, pml, plan, false, "");    /* the user knows better */
    check(&e, "OMPI_MCA_pml", "ucx");
    check(&e, "OMPI_MCA_btl", NULL);
    check(&e, "OMPI_MCA_mpi_yield_when_idle", "0");
    check(&e, "OMPI_MCA_schizo", "ompi");       /* ... but not here */
    check(&e, "OMPI_MCA_schizo_x", NULL);
    check(&e, "SLURM_JOBID", "4");
    check(&e, "OMPI_MCA_btl_vader_backing_directory", "/mine");
    env_fini(&e);
    plan_destroy(plan);
}

/* Only tasks of class realtime wait by a library of their own, and sleep only where
 * something comes round. */
static void test_realtime(void **state)
{
    char *const user[] = { (char *)"LD_PRELOAD=/mine.so", NULL };
    char *const round[] = { (char *)"cycle/20ms" };
    struct plan *plan = make_plan(false);
    struct env e = { 0 };

    (void)state;
    assert_int_equal(plan_take_periods(plan, round, 1, NULL), 0);
    build(&e, user, plan, false, "/h.so");
    check(&e, "LD_PRELOAD", "/h.so:/mine.so");
    check(&e, "OMPI_MCA_mpi_yield_when_idle", NULL);
    env_fini(&e);
    plan->schedule.want.class = PRIORITY_REALTIME;
    build(&e, user, plan, false, "/h.so");
    check(&e, "LD_PRELOAD", "/h.so:/lib/libhector-yield.so:/mine.so");
    check(&e, "OMPI_MCA_mpi_yield_when_idle", "1");
    env_fini(&e);
    assert_int_equal(plan_take_periods(plan, NULL, 0, NULL), 0);
    build(&e, user, plan, false, "/h.so");
    check(&e, "LD_PRELOAD", "/h.so:/lib/libhector-yield.so:/mine.so");
    check(&e, "OMPI_MCA_mpi_yield_when_idle", NULL);
    env_fini(&e);
    assert_int_equal(plan_take_periods(plan, round, 1, NULL), 0);
    yield = "";                 /* it is not there */
    build(&e, user, plan, false, "/h.so");
    check(&e, "LD_PRELOAD", "/h.so:/mine.so");
    check(&e, "OMPI_MCA_mpi_yield_when_idle", NULL);
    yield = "/lib/libhector-yield.so";
    env_fini(&e);
    plan_destroy(plan);
}

static struct cpu_set set(const char *tunables)
{
    return tunable_off(tunables);
}

/* Only where not all hosts have it, and only of tasks that can be moved. */
static void test_processors(void **state)
{
    char *const user[] = { (char *)"GLIBC_TUNABLES=a.b=1", NULL };
    struct cpu_set here = set("glibc.cpu.hwcaps=-SSE4_2,-AVX2,-BMI2");
    struct plan_app app = { .env = (char **)user };
    struct plan *plan = make_plan(false);
    struct taskenv t = { .plan = plan, .tasks_socket = "/s", .preload = "",
                         .yield = "", .layer = "/l", .shm = "", .cpu = &here };
    struct env e = { 0 };

    (void)state;
    plan->cpu = set("glibc.cpu.hwcaps=-SSE4_2,-AVX2");
    plan->bind_now = true;
    assert_int_equal(taskenv_begin(&e, &app), 0);
    assert_int_equal(taskenv_finish(&e, &t, 2), 0);
    check(&e, "GLIBC_TUNABLES", "a.b=1");
    check(&e, "LD_BIND_NOW", NULL);
    plan->migratable = true;
    assert_int_equal(taskenv_finish(&e, &t, 2), 0);
    check(&e, "GLIBC_TUNABLES", "glibc.cpu.hwcaps=-BMI2:a.b=1");
    check(&e, "LD_BIND_NOW", "1");
    check(&e, "OMPI_MCA_op_avx_support", "SSE,SSE2,SSE3,SSE4.1,AVX2");
    env_fini(&e);
    plan->cpu = here;           /* all are like this one */
    plan->bind_now = false;
    assert_int_equal(taskenv_begin(&e, &app), 0);
    assert_int_equal(taskenv_finish(&e, &t, 2), 0);
    check(&e, "GLIBC_TUNABLES", "a.b=1");
    check(&e, "LD_BIND_NOW", NULL);
    check(&e, "OMPI_MCA_op_avx_support", NULL);
    env_fini(&e);
    plan_destroy(plan);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_lists), cmocka_unit_test(test_task),
        cmocka_unit_test(test_choices), cmocka_unit_test(test_realtime),
        cmocka_unit_test(test_processors),
    };

    cmocka_set_message_output(CM_OUTPUT_TAP);
    return cmocka_run_group_tests(tests, NULL, NULL);
}
