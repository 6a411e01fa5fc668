/* test_preload.c - libraries below a path with a blank: links to them, on
 * this host and for several. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cmocka.h>

#include "proto/conf/preload.h"

static char home[64];

static void check_link(const char *link, const char *library)
{
    char there[PATHS_MAX] = "";

    assert_null(strpbrk(link, " :"));
    assert_true(readlink(link, there, sizeof(there) - 1) > 0);
    assert_string_equal(there, library);
}

/* Run by a copy of this program below a path with a blank. */
static void child(const char *library)
{
    char path[PATHS_MAX], again[PATHS_MAX], link[PATHS_MAX], none[PATHS_MAX];
    struct err err;

    assert_int_equal(preload_path("libx.so", home, path, &err), 0);
    check_link(path, library);

    assert_int_equal(preload_shared("libx.so", "w", path, link, &err), 0);
    assert_string_equal(path, link);
    check_link(path, library);
    assert_int_equal(preload_shared("libx.so", "w", again, none, &err), 0);
    assert_string_equal(again, path);
    assert_string_equal(none, "");      /* of the one who was first */

    /* Not what it was made for: somebody else's. */
    assert_int_equal(unlink(path), 0);
    assert_int_equal(symlink("/evil.so", path), 0);
    assert_int_equal(preload_shared("libx.so", "w", path, link, &err), -1);
    assert_string_equal(link, "");
    assert_int_equal(preload_shared("libx.so", "../w", path, link, &err), -1);
    setenv("HOME", "/tmp/a b", 1);
    assert_int_equal(preload_shared("libx.so", "w", path, link, &err), -1);
    assert_int_equal(preload_path("liby.so", home, path, &err), -1);
}

static void test_blanks(void **state)
{
    char cmd[600], library[128];
    int status;

    (void)state;
    snprintf(cmd, sizeof(cmd), "mkdir -p '%s/a b/bin' '%s/a b/lib' && "
             "cp /proc/%d/exe '%s/a b/bin/t' && : >'%s/a b/lib/libx.so'",
             home, home, (int)getpid(), home, home);
    assert_int_equal(system(cmd), 0);
    snprintf(cmd, sizeof(cmd), "%s/a b/bin/t", home);
    snprintf(library, sizeof(library), "%s/a b/lib/libx.so", home);
    if (fork() == 0) {
        execl(cmd, cmd, home, library, (char *)NULL);
        _exit(127);
    }
    assert_true(wait(&status) > 0);
    assert_int_equal(status, 0);
}

/* Where there is no need for one, none is made. */
static void test_plain(void **state)
{
    char path[PATHS_MAX], link[PATHS_MAX] = "x", exe[PATHS_MAX];
    struct err err;
    ssize_t n = readlink("/proc/self/exe", exe, sizeof(exe) - 1);

    (void)state;
    exe[n] = '\0';
    if (strpbrk(exe, " :"))
        skip();
    assert_int_equal(preload_shared("libhector.so", "w", path, link, &err), 0);
    assert_string_equal(link, "");
    assert_non_null(strstr(path, "/lib/libhector.so"));
}

int main(int argc, char **argv)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_plain),
        cmocka_unit_test(test_blanks),
    };
    char cmd[80];
    int failed;

    if (argc == 3) {
        snprintf(home, sizeof(home), "%s", argv[1]);
        child(argv[2]);
        return 0;
    }
    strcpy(home, "/tmp/test_preload.XXXXXX");
    if (!mkdtemp(home))
        return 1;
    setenv("HOME", home, 1);
    cmocka_set_message_output(CM_OUTPUT_TAP);
    failed = cmocka_run_group_tests(tests, NULL, NULL);
    snprintf(cmd, sizeof(cmd), "rm -rf %s", home);
    return system(cmd) ? 1 : failed;
}
