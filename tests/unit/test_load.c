/* test_load.c - texts of control groups. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

#include "proto/base/paths.h"
#include "slave/proc/load.h"

static void test_starved(void **state)
{
    static const struct { const char *text; uint64_t n; } v[] = {
        { "oom_kill_disable 0\nunder_oom 1\noom_kill 3\n", 3 },
        { "low 0\nhigh 0\nmax 42\noom 2\noom_kill 1\noom_group_kill 7\n", 1 },
        { "oom_kill 5\n", 5 },
        { "oom_kill_disable 1\nunder_oom 0\n", 0 }, { "", 0 },
        { "max 1\noom 9\n", 0 },
    };

    (void)state;
    for (size_t i = 0; i < sizeof(v) / sizeof(v[0]); i++)
        assert_int_equal(load_parse_starved(v[i].text), v[i].n);
}

static void test_quota(void **state)
{
    (void)state;
    assert_true(load_parse_cpu_max("150000 100000") == 1.5);
    assert_true(load_parse_cpu_max("max 100000") == 0);
}

#define V1 "29 22 0:26 / /sys/fs/cgroup/memory rw - cgroup cgroup rw,memory\n"
#define V2(root, at) "30 22 0:27 " root " " at " rw,nosuid - cgroup2 cgroup2 rw\n"
#define SLURM "/system.slice/slurmstepd.scope/job_12/step_0/user/task_0"

/* Where the kernel says how many it has killed: version 2 as systemd, Slurm and
 * containers have it, version 1, and both. */
static void test_starved_file(void **state)
{
    static const struct { const char *cgroup, *mountinfo, *path; } v[] = {
        { "0::" SLURM "\n", V2("/", "/sys/fs/cgroup"),
          "/sys/fs/cgroup" SLURM "/memory.events" },
        { "0::/\n", V2("/", "/sys/fs/cgroup"), "/sys/fs/cgroup/memory.events" },
        { "0::/pod/one\n", V2("/pod/one", "/sys/fs/cgroup"),
          "/sys/fs/cgroup/memory.events" },
        { "1:cpu:/c\n4:memory:/slurm/job_3\n0::/u\n",
          V1 V2("/", "/sys/fs/cgroup/unified"),
          "/sys/fs/cgroup/memory/slurm/job_3/memory.oom_control" },
        { "4:hugetlb,memory:/m\n", V1,
          "/sys/fs/cgroup/memory/m/memory.oom_control" },
        { "1:name=memory:/x\n2:memory2:/y\n0::/u\n", V2("/", "/cg"),
          "/cg/u/memory.events" },
        { "0::/../x\n", V2("/", "/sys/fs/cgroup"), NULL },
        { "0::/u\n", V1, NULL },
        { "1:cpu:/memory\n", V1, NULL },
        { "memory", V1, NULL }, { ":", V1, NULL }, { "", "", NULL },
    };
    char path[256];

    (void)state;
    for (size_t i = 0; i < sizeof(v) / sizeof(v[0]); i++) {
        bool found = load_starved_file(v[i].cgroup, v[i].mountinfo, path,
                                       sizeof(path));

        if (found != (v[i].path != NULL) || (found && strcmp(path, v[i].path)))
            fail_msg("%zu: %s", i, found ? path : "nowhere");
    }
}

static void put(const char *dir, const char *name, const char *text)
{
    char path[PATHS_MAX + 64];
    FILE *f;

    snprintf(path, sizeof(path), "%s/%s", dir, name);
    assert_int_equal(paths_make_parents(path, NULL), 0);
    f = fopen(path, "w");
    assert_non_null(f);
    fputs(text, f);
    assert_int_equal(fclose(f), 0);
}

/* Control groups as Slurm makes them in version 2: what holds for a task is what
 * the least of them says. */
static void test_limits(void **state)
{
    char dir[PATHS_MAX], task[PATHS_MAX + 64];

    (void)state;
    assert_int_equal(paths_make_private_dir(dir, sizeof(dir), NULL), 0);
    snprintf(task, sizeof(task), "%s/job_12/step_0/user/task_0", dir);
    put(task, "memory.max", "max\n");
    put(task, "cpu.max", "max 100000\n");
    assert_true(load_least_limit(task, load_memory_max) == 0);
    put(dir, "job_12/step_0/memory.max", "209715200\n");
    put(dir, "job_12/memory.max", "104857600\n");
    put(dir, "memory.max", "1073741824\n");
    assert_true(load_least_limit(task, load_memory_max) == 104857600);
    put(task, "memory.max", "52428800\n");
    assert_true(load_least_limit(task, load_memory_max) == 52428800);
    put(dir, "job_12/cpu.max", "250000 100000\n");
    assert_true(load_least_limit(task, load_cpu_max) == 2.5);
    assert_true(load_least_limit("/nowhere", load_cpu_max) == 0);
    assert_int_equal(paths_remove_tree(dir, NULL), 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_starved), cmocka_unit_test(test_quota),
        cmocka_unit_test(test_starved_file), cmocka_unit_test(test_limits),
    };

    cmocka_set_message_output(CM_OUTPUT_TAP);
    return cmocka_run_group_tests(tests, NULL, NULL);
}
