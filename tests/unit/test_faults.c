/* test_faults.c - the grammar of --inject: what each description becomes, and
 * what is refused in which words. */
#include <errno.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "redirector/options/faults.h"

enum { SEED = 99 };

static const struct { const char *in, *out; } good[] = {
    { "rank=3,call=MPI_Allreduce:500,fault=hang",
      "hang in 3 MPI_Allreduce 500 500 0 0 0 0 0" },
    { "fault=hang-after,call=MPI_Allreduce,rank=0",
      "hang after 0 MPI_Allreduce 1 1 0 0 0 0 0" },
    { "rank=0-3,7,call=MPI_Send:2,fault=stall",
      "stall in 0-3,7 MPI_Send 2 2 0 0 5000000000 0 0" },
    { "call=MPI_Send:2,fault=stall,rank=7,1,0,time=20ms",
      "stall in 0-1,7 MPI_Send 2 2 0 0 20000000 0 0" },
    { "rank=[0-3,7],call=MPI_Send,fault=slow",
      "slow in 0-3,7 MPI_Send 1 1 0 0 1000000 0 0" },
    { "rank=all,call=MPI_*,fault=slow-after,time=2us",
      "slow after all MPI_* 1 1 0 0 2000 0 0" },
    { "rank=random,call=MPI_Barrier,fault=kill",
      "kill in random MPI_Barrier 1 1 99 0 0 0 0" },
    { "rank=random,call=MPI_Barrier,fault=kill-after,seed=7",
      "kill after random MPI_Barrier 1 1 7 0 0 0 0" },
    { "rank=1,call=MPI_*:random,fault=segv",
      "segv in 1 MPI_* 1 1000 99 0 0 0 0" },
    { "rank=1,call=MPI_*:20-5000,fault=segv,seed=0",
      "segv in 1 MPI_* 20 5000 0 0 0 0 0" },
    { "rank=1,call=MPI_I*send,fault=drop",
      "drop in 1 MPI_I*send 1 1 0 0 0 0 0" },
    { "rank=1,call=mpi_put:3,fault=drop",
      "drop in 1 mpi_put 3 3 0 0 0 0 0" },
    { "rank=1,after=2.5s,fault=exit",
      "exit in 1 MPI_* 1 1 0 2500000000 0 0 1" },
    { "rank=1,after=1m,call=MPI_Wait:4,fault=exit-after,code=0",
      "exit after 1 MPI_Wait 4 4 0 60000000000 0 0 0" },
    { "rank=1,call=MPI_Wait,fault=cpu",
      "cpu in 1 MPI_Wait 1 1 0 0 0 1000 0" },
    { "rank=1,call=MPI_Wait,fault=cpu-after,time=3,size=50",
      "cpu after 1 MPI_Wait 1 1 0 0 3000000000 50 0" },
    { "rank=1,call=MPI_Wait,fault=mem",
      "mem in 1 MPI_Wait 1 1 0 0 0 1073741824 0" },
    { "rank=1,call=MPI_Wait,fault=mem-after,size=64k",
      "mem after 1 MPI_Wait 1 1 0 0 0 65536 0" },
    { "rank=1,call=MPI_Wait,fault=spin",
      "spin after 1 MPI_Wait 1 1 0 0 0 0 0" },
    { "rank=1,call=MPI_Wait,fault=probe-after",
      "probe after 1 MPI_Wait 1 1 0 0 0 0 0" },
};

#define HANG "rank=0,call=MPI_Send,fault=hang"
static const struct { const char *in, *why; } bad[] = {
    { "", "\"\": KEY=VALUE is wanted" },
    { "hang", "\"hang\": KEY=VALUE is wanted" },
    { "call=MPI_Send,3,rank=1,fault=hang", "\"3\": KEY=VALUE is wanted" },
    { HANG ",", "\"\": KEY=VALUE is wanted" },
    { "=3", "there is no \"\"" },
    { "ranks=3", "there is no \"ranks\"" },
    { "rank=1,rank=2", "rank is given twice" },
    { "rank=1,call=MPI_Send", "no fault=NAME" },
    { "rank=1,call=MPI_Send,fault=", "there is no fault \"\"" },
    { "rank=1,call=MPI_Send,fault=hangs", "there is no fault \"hangs\"" },
    { "rank=1,call=MPI_Send,fault=-after", "there is no fault \"-after\"" },
    { "rank=1,call=MPI_Send,fault=drop-after", "no drop-after" },
    { "call=MPI_Send,fault=hang", "no rank" },
    { "rank=,call=MPI_Send,fault=hang", "names no rank" },
    { "rank=x,call=MPI_Send,fault=hang", "rank=x" },
    { "rank=3-1,call=MPI_Send,fault=hang", "rank=3-1" },
    { "rank=-1,call=MPI_Send,fault=hang", "rank=-1" },
    { "rank=1,fault=hang", "when?" },
    { "rank=1,call=,fault=hang", "MPI has no such function" },
    { "rank=1,call=MPI_Allreduc,fault=hang", "MPI_Allreduc: MPI has no such" },
    { "rank=1,call=Send,fault=hang", "Send: MPI has no such function" },
    { "rank=1,call=MPI_Send ,fault=hang", "is not the name" },
    { "rank=1,call=MPI_Send:,fault=hang", "call : a number" },
    { "rank=1,call=MPI_Send:0,fault=hang", "call 0: a number" },
    { "rank=1,call=MPI_Send:5-4,fault=hang", "call 5-4: a number" },
    { "rank=1,call=MPI_Send:-4,fault=hang", "call -4: a number" },
    { "rank=1,call=MPI_Send:4x,fault=hang", "call 4x: a number" },
    { "rank=1,call=MPI_Send:1:2,fault=hang", "call 1:2: a number" },
    { "rank=1,call=MPI_Send:99999999999999999999,fault=hang", "a number" },
    { "rank=1,call=MPI_Barrier,fault=drop", "sends nothing" },
    { HANG ",time=3s", "hang has no use for time" },
    { HANG ",size=3", "hang has no use for size" },
    { HANG ",code=3", "hang has no use for code" },
    { HANG ",seed=3", "seed has no use" },
    { HANG ",after=soon", "after=soon: a time" },
    { "rank=0,call=MPI_Send,fault=stall,time=0", "time=0: a time" },
    { "rank=0,call=MPI_Send,fault=stall,time=x", "time=x: a time" },
    { "rank=0,call=MPI_Send,fault=stall,size=1", "stall has no use for size" },
    { "rank=0,call=MPI_Send,fault=cpu,size=0", "size=0: the length" },
    { "rank=0,call=MPI_Send,fault=cpu,size=1G", "size=1G: the length" },
    { "rank=0,call=MPI_Send,fault=mem,size=0", "size=0: bytes" },
    { "rank=0,call=MPI_Send,fault=mem,size=many", "size=many: bytes" },
    { "rank=0,call=MPI_Send,fault=exit,code=256", "code=256: a number" },
    { "rank=random,call=MPI_Send,fault=hang,seed=x", "seed=x: a number" },
};

static void test_good(void **state)
{
    (void)state;
    for (size_t i = 0; i < sizeof(good) / sizeof(good[0]); i++) {
        char *rules = NULL;
        struct err err = { 0 };

        if (faults_add(&rules, good[i].in, SEED, &err) < 0)
            fail_msg("%s: %s", good[i].in, err.text);
        assert_string_equal(rules, good[i].out);
        free(rules);
    }
}

static void test_bad(void **state)
{
    (void)state;
    for (size_t i = 0; i < sizeof(bad) / sizeof(bad[0]); i++) {
        char *rules = strdup("as it was");
        struct err err = { 0 };

        if (faults_add(&rules, bad[i].in, SEED, &err) == 0)
            fail_msg("accepted: %s", bad[i].in);
        if (!strstr(err.text, bad[i].why))
            fail_msg("%s: %s", bad[i].in, err.text);
        assert_int_equal(strncmp(err.text, "--inject: ", 10), 0);
        assert_string_equal(rules, "as it was");
        free(rules);
    }
}

static void test_too_much(void **state)
{
    char long_one[2000], *rules = NULL;
    struct err err;

    (void)state;
    memset(long_one, '1', sizeof(long_one) - 1);
    long_one[sizeof(long_one) - 1] = '\0';
    memcpy(long_one, "rank=", 5);
    assert_int_equal(faults_add(&rules, long_one, SEED, &err), -1);
    for (int i = 0; i < 32; i++)
        assert_int_equal(faults_add(&rules, HANG, SEED, &err), 0);
    assert_int_equal(faults_add(&rules, HANG, SEED, &err), -1);
    assert_string_equal(err.text, "--inject: more than 32 faults");
    free(rules);
}

static void test_ranks(void **state)
{
    char *rules = NULL;
    struct err err;

    (void)state;
    assert_int_equal(faults_check(NULL, 1, &err), 0);
    assert_int_equal(faults_add(&rules, "rank=all,after=1,fault=hang", SEED,
                                &err), 0);
    assert_int_equal(faults_add(&rules, "rank=random,after=1,fault=hang",
                                SEED, &err), 0);
    assert_int_equal(faults_check(rules, 1, &err), 0);
    assert_int_equal(faults_add(&rules, "rank=0-2,7,after=1,fault=hang", SEED,
                                &err), 0);
    assert_int_equal(faults_check(rules, 8, &err), 0);
    assert_int_equal(faults_check(rules, 7, &err), -1);
    assert_string_equal(err.text, "--inject: rank=0-2,7: the ranks go from 0 "
                        "to 6");
    free(rules);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_good),
        cmocka_unit_test(test_bad),
        cmocka_unit_test(test_too_much),
        cmocka_unit_test(test_ranks),
    };

    cmocka_set_message_output(CM_OUTPUT_TAP);
    return cmocka_run_group_tests(tests, NULL, NULL);
}
