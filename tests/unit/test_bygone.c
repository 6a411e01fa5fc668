/* test_bygone.c - what batch systems answer of jobs of which nothing is heard. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cmocka.h>

#include "master/hector/core/bygone.h"
#include "proto/base/paths.h"

struct answer {
    const char *text;
    uint64_t restarts;
    enum bygone is;
    const char *reason;
};

static void check(const struct answer *v, size_t n,
                  enum bygone (*f)(const char *, uint64_t, const char **))
{
    for (size_t i = 0; i < n; i++) {
        const char *reason = "not set";

        if (f(v[i].text, v[i].restarts, &reason) != v[i].is ||
            (reason != NULL) != (v[i].reason != NULL) ||
            (reason && strcmp(reason, v[i].reason) != 0))
            fail_msg("%s: %s", v[i].text, reason ? reason : "no reason");
    }
}

static void test_slurm(void **state)
{
    static const struct answer v[] = {
        { "CANCELLED 0\n", 0, BYGONE_IS, "cancelled" },
        { "TIMEOUT 2\n", 2, BYGONE_IS, "time limit" },
        { "NODE_FAIL 0\n", 0, BYGONE_IS, "node failure" },
        { "PREEMPTED 0\n", 0, BYGONE_IS, "preempted" },
        { "COMPLETED 0\n", 0, BYGONE_IS, NULL },
        { "OUT_OF_MEMORY 0\n", 0, BYGONE_IS, NULL },
        { "PENDING 1\n", 0, BYGONE_IS, "requeued" },
        { "RUNNING 1\n", 0, BYGONE_IS, "requeued" },
        { "CANCELLED 1\n", 0, BYGONE_IS, "requeued" },
        { "RUNNING 1\n", 1, BYGONE_NOT, NULL },
        { "SUSPENDED 0\n", 0, BYGONE_NOT, NULL },
        { "COMPLETING 0\n", 0, BYGONE_NOT, NULL },
        { "NEW_IN_THE_NEXT_VERSION 0\n", 0, BYGONE_NOT, NULL },
        { "gone\n", 0, BYGONE_IS, NULL },
        { "CANCELLED 0\nRUNNING 0\n", 0, BYGONE_UNKNOWN, NULL },
        { "", 0, BYGONE_UNKNOWN, NULL },
        { "CANCELLED\n", 0, BYGONE_UNKNOWN, NULL },
        { "not gone\n", 0, BYGONE_UNKNOWN, NULL },
    };

    (void)state;
    check(v, sizeof(v) / sizeof(v[0]), bygone_of_slurm);
}

static void test_gridengine(void **state)
{
    static const struct answer v[] = {
        { "gone\n", 0, BYGONE_IS, NULL },
        { "state r\n", 0, BYGONE_NOT, NULL },
        { "state dr\n", 0, BYGONE_NOT, NULL },
        { "state S\n", 0, BYGONE_NOT, NULL },
        { "state Rq\n", 0, BYGONE_IS, "requeued" },
        { "state hRqw\n", 0, BYGONE_IS, "requeued" },
        { "state Rr\n", 0, BYGONE_NOT, NULL },
        { "state r\nstate r\n", 0, BYGONE_UNKNOWN, NULL },
        { "", 0, BYGONE_UNKNOWN, NULL },
    };

    (void)state;
    check(v, sizeof(v) / sizeof(v[0]), bygone_of_gridengine);
}

/* ------------------------------------------------ commands that answer so */

static char dir[PATHS_MAX];

static int setup(void **state)
{
    (void)state;
    return paths_make_private_dir(dir, sizeof(dir), NULL);
}

static int teardown(void **state)
{
    (void)state;
    return paths_remove_tree(dir, NULL);
}

static void command(const char *name, const char *script)
{
    char path[PATHS_MAX + 32];
    FILE *f;

    snprintf(path, sizeof(path), "%s/%s", dir, name);
    f = fopen(path, "w");
    assert_non_null(f);
    fprintf(f, "#!/bin/sh\n%s\n", script);
    assert_int_equal(fclose(f), 0);
    assert_int_equal(chmod(path, 0755), 0);
}

static enum bygone asked(const char *batch, const char *host, const char **reason)
{
    const struct bygone_run r = { batch, 0, host };

    return bygone_ask(&r, reason);
}

static void test_ask(void **state)
{
    const char *reason;
    char *path = NULL;

    (void)state;
    assert_true(asprintf(&path, "%s:%s", dir, getenv("PATH")) > 0);
    assert_int_equal(setenv("PATH", path, 1), 0);
    free(path);
    command("sinfo", "printf 'n1 \\nn2.cluster.org\\n'");
    command("squeue", "for job; do :; done\n"
            "case $job in\n"
            "7) printf '%24s%12s%12s\\n' CANCELLED 0 \"$(id -u)\" ;;\n"
            "8) printf '%24s%12s%12s\\n' CANCELLED 0 4294967294 ;;\n"
            "9) echo 'slurm_load_jobs error: Invalid job id specified' >&2\n"
            "   exit 1 ;;\n"
            "*) echo 'squeue: error: Unable to contact slurm controller' >&2\n"
            "   exit 1 ;;\n"
            "esac");
    assert_int_equal(asked("Slurm 7", "n1", &reason), BYGONE_IS);
    assert_string_equal(reason, "cancelled");
    assert_int_equal(asked("Slurm 7", "n2", &reason), BYGONE_IS);
    assert_int_equal(asked("Slurm 9", "n1.here", &reason), BYGONE_IS);
    assert_null(reason);
    /* That of another user. */
    assert_int_equal(asked("Slurm 8", "n1", &reason), BYGONE_UNKNOWN);
    assert_int_equal(asked("Slurm 10", "n1", &reason), BYGONE_UNKNOWN);
    /* A cluster that does not know the host is not the job's. */
    assert_int_equal(asked("Slurm 9", "n3", &reason), BYGONE_UNKNOWN);
    assert_int_equal(asked("Slurm 9", "n", &reason), BYGONE_UNKNOWN);
    assert_int_equal(asked("Slurm 9", "", &reason), BYGONE_UNKNOWN);
    assert_int_equal(asked("Slurm", "n1", &reason), BYGONE_UNKNOWN);
    assert_int_equal(asked("Slurm 9; true", "n1", &reason), BYGONE_UNKNOWN);
    assert_int_equal(asked("PBS 9", "n1", &reason), BYGONE_UNKNOWN);

    command("qstat", "case $* in\n"
            "-help) echo 'SGE 8.1.9' ;;\n"
            "'-j 5') echo 'Following jobs do not exist:' >&2; exit 1 ;;\n"
            "-j*) ;;\n"
            "*) printf '%s\\n' job-ID '  6 0.5 s me Rq' '  4 0.5 s me r' ;;\n"
            "esac");
    command("qconf", "[ \"$*\" = -sel ] && printf 'n1\\nn2.cluster.org\\n'");
    assert_int_equal(asked("Grid Engine 5", "n2", &reason), BYGONE_IS);
    assert_int_equal(asked("Grid Engine 5", "n3", &reason), BYGONE_UNKNOWN);
    assert_int_equal(asked("Grid Engine 6", "n1", &reason), BYGONE_IS);
    assert_string_equal(reason, "requeued");
    assert_int_equal(asked("Grid Engine 4", "n1", &reason), BYGONE_NOT);
    assert_int_equal(asked("Grid Engine 3", "n1", &reason), BYGONE_UNKNOWN);
    assert_int_equal(asked("Grid Engine 5[2]", "n1", &reason), BYGONE_UNKNOWN);
    command("qstat", "echo 'pbs_version = 20'");
    assert_int_equal(asked("Grid Engine 5", "n1", &reason), BYGONE_UNKNOWN);

    command("squeue", "exec sleep 100");        /* it is not waited for */
    assert_int_equal(asked("Slurm 7", "n1", &reason), BYGONE_UNKNOWN);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_slurm), cmocka_unit_test(test_gridengine),
        cmocka_unit_test(test_ask),
    };

    cmocka_set_message_output(CM_OUTPUT_TAP);
    return cmocka_run_group_tests(tests, setup, teardown);
}
