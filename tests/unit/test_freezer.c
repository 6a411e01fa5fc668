/* test_freezer.c - where the control group of a process is, as the kernel says
 * it: with and without version 1, in containers, or nowhere. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "slave/proc/freezer.h"

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
        bool found = freezer_find(v[i].cgroup, v[i].mountinfo, dir,
                                  sizeof(dir));

        if (found != (v[i].dir != NULL) || (found && strcmp(dir, v[i].dir)))
            fail_msg("%zu: %s", i, found ? dir : "nowhere");
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_find),
    };

    cmocka_set_message_output(CM_OUTPUT_TAP);
    return cmocka_run_group_tests(tests, NULL, NULL);
}
