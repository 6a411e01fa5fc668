/* test_cgroup.c - where the control group of a process is, as the kernel says it:
 * of version 2, of a controller of version 1, in containers, or nowhere. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "slave/proc/cgroup.h"

#define V1 "29 22 0:26 / /sys/fs/cgroup/freezer rw - cgroup cgroup rw,freezer\n"
#define V2(root, at) "30 22 0:27 " root " " at " rw,nosuid - cgroup2 cgroup2 rw\n"
#define ETC "22 1 8:1 / / rw - ext4 /dev/sda1 rw\n"

static void test_find(void **state)
{
    static const struct { const char *cgroup, *mountinfo, *dir; } v[] = {
        { "0::/\n", ETC V2("/", "/sys/fs/cgroup"), "/sys/fs/cgroup" },
        { "0::/user.slice/a.scope\n", V2("/", "/sys/fs/cgroup"),
          "/sys/fs/cgroup/user.slice/a.scope" },
        { "3:cpu:/x\n6:freezer:/y\n0::/z\n", V1 V2("/", "/cg/unified"),
          "/cg/unified/z" },
        { "0::/pod/one/in\n", V2("/pod/one", "/sys/fs/cgroup"),
          "/sys/fs/cgroup/in" },
        { "0::/pod/one\n", V2("/pod/one", "/sys/fs/cgroup"),
          "/sys/fs/cgroup" },
        { "0::/x", V2("/", "/a"), "/a/x" },
        { "0::/pod/oneself\n", V2("/pod/one", "/a"), NULL },
        { "0::/../../init.scope\n", V2("/", "/a"), NULL },  /* of others */
        { "6:freezer:/y\n", V1 V2("/", "/a"), NULL },
        { "0::/z\n", ETC V1, NULL },
        { "0::/z\n", "", NULL },
        { "", V2("/", "/a"), NULL },
        { "0::", V2("/", "/a"), NULL },
        { "10::/x\n", V2("/", "/a"), NULL },
    };
    char dir[256];

    (void)state;
    for (size_t i = 0; i < sizeof(v) / sizeof(v[0]); i++) {
        bool found = cgroup_find(v[i].cgroup, v[i].mountinfo, NULL,
                                 dir, sizeof(dir));

        if (found != (v[i].dir != NULL) || (found && strcmp(dir, v[i].dir)))
            fail_msg("%zu: %s", i, found ? dir : "nowhere");
    }
}

#define CPU "31 22 0:28 / /cg/cpu rw - cgroup cgroup rw,cpu,cpuacct\n"
#define ACCT "32 22 0:29 / /cg/acct rw - cgroup cgroup rw,cpuacct\n"

static void test_controller(void **state)
{
    static const struct { const char *cgroup, *mountinfo, *dir; } v[] = {
        { "2:cpuacct:/a\n1:cpu:/b\n0::/z\n", ACCT CPU, "/cg/cpu/b" },
        { "4:cpuacct,cpu:/\n", V1 ACCT CPU V2("/", "/a"), "/cg/cpu" },
        { "4:cpu,cpuacct:/job\n", CPU, "/cg/cpu/job" },
        { "2:cpuset:/a\n0::/z\n", CPU V2("/", "/a"), NULL },
        { "2:cpu:/a\n", ACCT V2("/", "/a"), NULL },
        { "0::/cpu\n", V2("/", "/a"), NULL },
        { "3:name=cpu:/a\n", CPU, NULL },
        { "1:cpu\n", CPU, NULL },
        { "", CPU, NULL },
    };
    char dir[256];

    (void)state;
    for (size_t i = 0; i < sizeof(v) / sizeof(v[0]); i++) {
        bool found = cgroup_find(v[i].cgroup, v[i].mountinfo, "cpu", dir,
                                 sizeof(dir));

        if (found != (v[i].dir != NULL) || (found && strcmp(dir, v[i].dir)))
            fail_msg("%zu: %s", i, found ? dir : "nowhere");
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_find), cmocka_unit_test(test_controller),
    };

    cmocka_set_message_output(CM_OUTPUT_TAP);
    return cmocka_run_group_tests(tests, NULL, NULL);
}
