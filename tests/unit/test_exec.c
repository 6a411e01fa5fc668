/* test_exec.c - finding programs as a shell does, and forking them: what is
 * in a child's hands when it starts, and what is said when it does not. */
#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <setjmp.h>
#include <signal.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cmocka.h>

#include "proto/base/paths.h"
#include "slave/launch/launch.h"

static char dir[256];

static void write_file(const char *name, const char *text, mode_t mode)
{
    char path[512];
    FILE *f;

    snprintf(path, sizeof(path), "%s/%s", dir, name);
    f = fopen(path, "w");
    assert_non_null(f);
    fputs(text, f);
    fclose(f);
    assert_int_equal(chmod(path, mode), 0);
}

static int setup(void **state)
{
    char sub[512];

    (void)state;
    close_range(3, ~0u, CLOSE_RANGE_CLOEXEC);   /* what we were given */
    snprintf(dir, sizeof(dir), "/tmp/test_exec.XXXXXX");
    if (!mkdtemp(dir))
        return -1;
    for (const char *const *s = (const char *[]){ "a", "b", "b/isdir", NULL };
         *s; s++) {
        snprintf(sub, sizeof(sub), "%s/%s", dir, *s);
        if (mkdir(sub, 0755))
            return -1;
    }
    write_file("a/tool", "#!/bin/sh\necho from a\n", 0755);
    write_file("b/tool", "#!/bin/sh\necho from b\n", 0755);
    write_file("a/plain", "echo no magic $1\n", 0755);
    write_file("a/data", "not runnable\n", 0644);
    write_file("a/later", "not runnable\n", 0644);
    write_file("b/later", "#!/bin/sh\necho later\n", 0755);
    write_file("a/nointerp", "#!/nowhere/sh\n", 0755);
    write_file("a/garbage", "\177ELF garbage", 0755);
    return 0;
}

static int teardown(void **state)
{
    (void)state;
    return paths_remove_tree(dir, NULL);
}

struct result { struct exec_report report; int status; char out[4096]; };

static void run(const char *const *argv, const char *path, const char *wdir,
                struct result *r)
{
    struct launch_user user = { 0 };
    struct exec_search search;
    struct launch_spec spec = { .search = &search, .wdir = wdir,
                                .user = &user };
    char *env[] = { (char *)"A=1", NULL };
    int out[2], report, rc;
    size_t n = 0;
    ssize_t got;
    pid_t pid;

    assert_int_equal(pipe(out), 0);
    fcntl(out[0], F_SETFD, FD_CLOEXEC);
    fcntl(out[1], F_SETFD, FD_CLOEXEC);
    assert_int_equal(exec_search_init(&search, (char *const *)argv, path,
                                      NULL), 0);
    spec.env = env;
    spec.fds[0] = open("/dev/null", O_RDONLY | O_CLOEXEC);
    spec.fds[1] = spec.fds[2] = out[1];
    pid = launch_start(&spec, &report, NULL);
    assert_true(pid > 0);
    close(out[1]);
    close(spec.fds[0]);
    while (n < sizeof(r->out) - 1 &&
           (got = read(out[0], r->out + n, sizeof(r->out) - 1 - n)) > 0)
        n += (size_t)got;
    r->out[n] = '\0';
    close(out[0]);
    assert_int_equal(waitpid(pid, &r->status, 0), pid);
    memset(&r->report, 0, sizeof(r->report));
    rc = launch_report(report, &r->report);
    assert_true(rc >= 0);
    assert_int_equal(rc, r->report.step != EXEC_STEP_NONE);
    close(report);
    exec_search_fini(&search);
}

static void test_search(void **state)
{
    static const struct {
        const char *name, *path;        /* %s: the directory */
        int code;
        const char *out, *sentence;
    } table[] = {
        { "tool", "%1$s/a:%1$s/b", 0, "from a\n", NULL },
        { "tool", "%1$s/b:%1$s/a", 0, "from b\n", NULL },
        { "tool", "/nowhere:%1$s/b", 0, "from b\n", NULL },
        { "a/tool", "", 0, "from a\n", NULL },
        { "./b/tool", "%1$s/a", 0, "from b\n", NULL },
        { "plain", "%1$s/a", 0, "no magic X\n", NULL },
        { "later", "%1$s/a:%1$s/b", 0, "later\n", NULL },
        { "tool", "a:b", 0, "from a\n", NULL },
        { "true", "", 0, "", NULL },
        { "nope", "%1$s/a", 127, "", "n1: nope: command not found" },
        { "./nope", "%1$s/a", 127, "", "n1: ./nope: no such file" },
        { "tool", "/nowhere", 127, "", "n1: tool: command not found" },
        { "data", "%1$s/a", 126, "",
          "n1: cannot run data: Permission denied" },
        { "b/isdir", "", 126, "", "n1: cannot run b/isdir: Is a directory" },
        { "nointerp", "%1$s/a", 126, "", "n1: nointerp: not a program this "
          "node can run, or its interpreter is missing" },
    };

    (void)state;
    for (size_t i = 0; i < sizeof(table) / sizeof(table[0]); i++) {
        const char *argv[] = { table[i].name, "X", NULL };
        char path[600], why[300];
        struct result r;

        snprintf(path, sizeof(path), table[i].path, dir);
        run(argv, path, dir, &r);
        assert_true(WIFEXITED(r.status));
        assert_int_equal(WEXITSTATUS(r.status), table[i].code);
        assert_string_equal(r.out, table[i].out);
        if (!table[i].sentence) {
            assert_int_equal(r.report.step, EXEC_STEP_NONE);
            continue;
        }
        assert_int_equal(exec_code(&r.report), table[i].code);
        exec_sentence(&r.report, "n1", table[i].name, dir, why, sizeof(why));
        assert_string_equal(why, table[i].sentence);
    }
}

static void test_wdir(void **state)
{
    const char *const argv[] = { "true", NULL };
    struct result r;
    char why[300];

    (void)state;
    run(argv, NULL, "/no/such/place", &r);
    assert_int_equal(WEXITSTATUS(r.status), 126);
    exec_sentence(&r.report, "n1", "true", "/no/such/place", why,
                  sizeof(why));
    assert_string_equal(why, "n1: cannot enter the working directory "
                        "/no/such/place: No such file or directory");
}

/* Own group, default signals, nothing blocked, three descriptors, the
 * environment that was given. */
static void test_child(void **state)
{
    const char *const argv[] = { "sh", "-c",
        "pwd; echo A=$A HOME=$HOME; ls /proc/self/fd | wc -l; "
        "set -- $(cat /proc/$$/stat); test $1 = $5 && echo leader; "
        /* By the shell itself: one that starts a program blocks signals. */
        "while read -r line; do case $line in SigBlk* | SigIgn*) "
        "echo \"$line\" ;; esac; done </proc/self/status", NULL };
    struct result r;
    char want[600];
    sigset_t set;

    (void)state;
    signal(SIGPIPE, SIG_IGN);
    sigemptyset(&set);
    sigaddset(&set, SIGUSR1);
    sigprocmask(SIG_BLOCK, &set, NULL);
    run(argv, NULL, dir, &r);
    sigprocmask(SIG_UNBLOCK, &set, NULL);
    /* Signals 32 and 33 are the C library's: as they were inherited. */
    for (char *at = r.out; (at = strstr(at, "180000000\n"));)
        memcpy(at, "000000000", 9);
    snprintf(want, sizeof(want), "%s\nA=1 HOME=\n4\nleader\n"
             "SigBlk:\t0000000000000000\nSigIgn:\t0000000000000000\n", dir);
    assert_string_equal(r.out, want);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_search), cmocka_unit_test(test_wdir),
        cmocka_unit_test(test_child),
    };

    cmocka_set_message_output(CM_OUTPUT_TAP);
    return cmocka_run_group_tests(tests, setup, teardown);
}
