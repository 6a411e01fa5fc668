/* test_weight.c - weights of control groups: how much, and what is written, in a
 * directory that looks like one of version 2 as the kernel's documentation has it
 * (Documentation/admin-guide/cgroup-v2.rst), or of version 1. */
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

#include "slave/groups/weight.h"
#include "slave/proc/smallfile.h"

static char top[64];

static void at(char *path, size_t size, const char *name)
{
    if (snprintf(path, size, "%s/%s", top, name) >= (int)size)
        abort();
}

static void put(const char *name, const char *text)
{
    char path[200];
    FILE *f;

    at(path, sizeof(path), name);
    f = fopen(path, "w");
    assert_non_null(f);
    fputs(text, f);
    fclose(f);
}

static const char *get(const char *name)
{
    static char text[100];
    char path[200];

    at(path, sizeof(path), name);
    return smallfile_read(path, text, sizeof(text)) ? text : "";
}

/* As the kernel would make it: the group of a job, or (0) that to try with. */
static const char *group(unsigned job, const char *file)
{
    static char name[100];
    char path[200];

    snprintf(name, sizeof(name), "hector-%d-%u.w", (int)getpid(), job);
    at(path, sizeof(path), name);
    mkdir(path, 0755);
    snprintf(name, sizeof(name), "hector-%d-%u.w/%s", (int)getpid(), job, file);
    return name;
}

static int begin(void **state)
{
    (void)state;
    strcpy(top, "/tmp/hct-weight-XXXXXX");
    return mkdtemp(top) ? 0 : -1;
}

static int end(void **state)
{
    char command[100];

    (void)state;
    snprintf(command, sizeof(command), "rm -rf %s", top);
    return system(command);
}

static void test_how_much(void **state)
{
    static const struct { int version; unsigned tasks; int steps; unsigned weight; }
    v[] = {
        { 1, 1, 0, 1024 }, { 1, 4, 0, 4096 }, { 1, 1, 5, 3125 },
        { 1, 2, 20, 177636 }, { 1, 64, 20, 262144 }, { 2, 1, 0, 100 },
        { 2, 4, 5, 1221 }, { 2, 2, 20, 10000 }, { 2, 1, 20, 8674 },
    };

    (void)state;
    for (size_t i = 0; i < sizeof(v) / sizeof(v[0]); i++)
        assert_int_equal(weight_of(v[i].version, v[i].tasks, v[i].steps),
                         v[i].weight);
}

/* What is ours has processes, so that groups below it have to be threaded. */
static void test_version_2(void **state)
{
    const struct sweep_job nobody = { .ngroups = 0, .marks = { "no", "no" } };
    struct weight w = { 0 };
    struct err err;

    (void)state;
    put("cgroup.controllers", "cpuset cpu io memory pids\n");
    put("cgroup.subtree_control", "");
    put(group(0, "cpu.weight"), "100\n");
    put(group(7, "cpu.weight"), "100\n");
    put(group(7, "cgroup.type"), "domain invalid\n");
    put(group(7, "cgroup.procs"), "");
    assert_int_equal(weight_open_in(&w, top, 2, &err), 0);
    assert_string_equal(get("cgroup.subtree_control"), "+cpu");
    assert_int_equal(weight_give(&w, 7, &nobody, 305, &err), 0);
    assert_int_equal(strncmp(get(group(7, "cpu.weight")), "305", 3), 0);
    assert_int_equal(strncmp(get(group(7, "cgroup.type")), "threaded", 8), 0);
    weight_take_back(&w, 7);
    weight_fini(&w);
    assert_string_equal(get("cgroup.subtree_control"), "-cpu");
    assert_null(w.dir);
}

/* Somebody else has passed it on: that stays. */
static void test_not_ours(void **state)
{
    struct weight w = { 0 };
    struct err err;

    (void)state;
    put("cgroup.controllers", "cpu\n");
    put("cgroup.subtree_control", "memory cpu\n");
    put(group(0, "cpu.weight"), "100\n");
    assert_int_equal(weight_open_in(&w, top, 2, &err), 0);
    weight_fini(&w);
    assert_string_equal(get("cgroup.subtree_control"), "memory cpu\n");
}

static void test_version_1(void **state)
{
    const struct sweep_job nobody = { .ngroups = 0, .marks = { "no", "no" } };
    struct weight w = { 0 };
    struct err err;

    (void)state;
    put(group(0, "cpu.shares"), "1024\n");
    put(group(9, "cpu.shares"), "1024\n");
    assert_int_equal(weight_open_in(&w, top, 1, &err), 0);
    assert_string_equal(get("cgroup.subtree_control"), "");
    assert_int_equal(weight_give(&w, 9, &nobody, 3125, &err), 0);
    assert_int_equal(strncmp(get(group(9, "cpu.shares")), "3125", 4), 0);
    /* The kernel has not made what a group has. */
    assert_int_equal(weight_give(&w, 10, &nobody, 3125, &err), -1);
    assert_int_equal(access(top, F_OK), 0);
    weight_fini(&w);
}

static void test_not_here(void **state)
{
    struct weight w = { 0 };
    struct err err;

    (void)state;
    put("cgroup.controllers", "cpuset io\n");
    put("cgroup.subtree_control", "");
    assert_int_equal(weight_open_in(&w, top, 2, &err), -1);
    assert_non_null(strstr(err.text, "the controller cpu is not there in /tmp/"));
    put("cgroup.controllers", "cpu\n");
    put(group(0, "nothing"), "");
    assert_int_equal(weight_open_in(&w, top, 2, &err), -1);
    assert_non_null(strstr(err.text, "have no cpu.weight: "));
    /* It is as it was, then. */
    assert_int_equal(strncmp(get("cgroup.subtree_control"), "-cpu", 4), 0);
    assert_int_equal(weight_open_in(&w, "/proc/self", 1, &err), -1);
    assert_non_null(strstr(err.text, "no control group can be made in /proc/self"));
    assert_null(w.dir);
    weight_take_back(&w, 1);            /* there is nothing */
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_how_much),
        cmocka_unit_test_setup_teardown(test_version_2, begin, end),
        cmocka_unit_test_setup_teardown(test_not_ours, begin, end),
        cmocka_unit_test_setup_teardown(test_version_1, begin, end),
        cmocka_unit_test_setup_teardown(test_not_here, begin, end),
    };

    cmocka_set_message_output(CM_OUTPUT_TAP);
    return cmocka_run_group_tests(tests, NULL, NULL);
}
