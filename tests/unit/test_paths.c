/* test_paths.c - where things are, in made-up homes. */
#include <errno.h>
#include <fcntl.h>
#include <pwd.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/un.h>
#include <unistd.h>

#include <cmocka.h>

#include "proto/base/paths.h"
#include "tests/unit/in_dir.h"

/* Forget every variable that counts, then set home. */
static void new_home(const char *home)
{
    static const char *const names[] = { "HECTOR_DB", "HECTOR_KEY_FILE",
        "XDG_STATE_HOME", "XDG_CONFIG_HOME", "XDG_RUNTIME_DIR", "TMPDIR",
        "HOME" };

    for (size_t i = 0; i < sizeof(names) / sizeof(names[0]); i++)
        unsetenv(names[i]);
    if (home)
        setenv("HOME", home, 1);
}

static const char *in_top(const char *name)
{
    static char buf[4][256];
    static int turn;
    char *p = buf[turn++ % 4];

    snprintf(p, sizeof(buf[0]), "%s/%s", dir, name);
    return p;
}

static int mode_of(const char *path)
{
    struct stat st;

    return lstat(path, &st) < 0 ? -1 : (int)(st.st_mode & 0777);
}

static void test_database(void **state)
{
    char buf[PATHS_MAX], small[4];
    struct err err;

    (void)state;
    new_home(in_top("home"));
    assert_int_equal(paths_database(buf, sizeof(buf), &err), 0);
    assert_string_equal(buf, in_top("home/.local/state/hector/hector.db"));
    assert_int_equal(mode_of(in_top("home")), 0700);
    assert_int_equal(mode_of(in_top("home/.local/state/hector")), 0700);
    assert_int_equal(access(buf, F_OK), -1);

    setenv("XDG_STATE_HOME", in_top("state"), 1);
    assert_int_equal(paths_database(buf, sizeof(buf), &err), 0);
    assert_string_equal(buf, in_top("state/hector/hector.db"));

    /* Not absolute: ignored, as its specification says. */
    setenv("XDG_STATE_HOME", "relative", 1);
    assert_int_equal(paths_database(buf, sizeof(buf), &err), 0);
    assert_string_equal(buf, in_top("home/.local/state/hector/hector.db"));

    setenv("HECTOR_DB", in_top("given/x.db"), 1);
    assert_int_equal(paths_database(buf, sizeof(buf), &err), 0);
    assert_string_equal(buf, in_top("given/x.db"));
    assert_int_equal(mode_of(in_top("given")), 0700);

    /* A relative one means the directory we are in now. */
    char cwd[PATHS_MAX];

    assert_non_null(getcwd(cwd, sizeof(cwd)));
    assert_int_equal(chdir(dir), 0);
    setenv("HECTOR_DB", "y.db", 1);
    assert_int_equal(paths_database(buf, sizeof(buf), &err), 0);
    assert_string_equal(buf, in_top("y.db"));
    assert_int_equal(chdir(cwd), 0);

    assert_int_equal(paths_database(small, sizeof(small), &err), -1);
    assert_int_equal(err.code, ENAMETOOLONG);
    setenv("HECTOR_DB", "/dev/null/x/y.db", 1);
    assert_int_equal(paths_database(buf, sizeof(buf), &err), -1);
    assert_non_null(strstr(err.text, "/dev/null"));
}

/* Without HOME the password file tells. */
static void test_no_home(void **state)
{
    char buf[PATHS_MAX], want[PATHS_MAX];
    const struct passwd *pw = getpwuid(geteuid());

    (void)state;
    if (!pw)
        skip();
    new_home(NULL);
    snprintf(want, sizeof(want), "%s/.config/hector/hector.conf", pw->pw_dir);
    assert_int_equal(paths_user_conf(buf, sizeof(buf), NULL), 0);
    assert_string_equal(buf, want);
}

static void test_key_and_conf(void **state)
{
    char buf[PATHS_MAX];
    struct err err;

    (void)state;
    new_home(in_top("home2"));
    assert_int_equal(paths_user_conf(buf, sizeof(buf), &err), 0);
    assert_string_equal(buf, in_top("home2/.config/hector/hector.conf"));
    assert_int_equal(mode_of(in_top("home2")), -1);
    assert_int_equal(paths_key_file(buf, sizeof(buf), &err), 0);
    assert_string_equal(buf, in_top("home2/.config/hector/key"));
    assert_int_equal(mode_of(in_top("home2/.config/hector")), 0700);
    setenv("XDG_CONFIG_HOME", in_top("conf"), 1);
    assert_int_equal(paths_key_file(buf, sizeof(buf), &err), 0);
    assert_string_equal(buf, in_top("conf/hector/key"));
    setenv("HECTOR_KEY_FILE", in_top("k"), 1);
    assert_int_equal(paths_key_file(buf, sizeof(buf), &err), 0);
    assert_string_equal(buf, in_top("k"));
}

static void test_runtime_dir(void **state)
{
    char buf[PATHS_MAX];
    struct err err = { 0 };

    (void)state;
    new_home(in_top("home"));
    setenv("XDG_RUNTIME_DIR", in_top("run"), 1);
    assert_int_equal(paths_runtime_dir(buf, sizeof(buf), &err), 0);
    assert_string_equal(buf, in_top("run/hector"));
    assert_int_equal(mode_of(buf), 0700);
    assert_int_equal(paths_runtime_dir(buf, sizeof(buf), &err), 0);

    /* Open to others, a link, a file, somebody else's: refused. */
    assert_int_equal(chmod(buf, 0755), 0);
    assert_int_equal(paths_runtime_dir(buf, sizeof(buf), &err), -1);
    assert_int_equal(err.code, EPERM);
    assert_int_equal(rmdir(buf), 0);
    assert_int_equal(symlink(dir, buf), 0);
    assert_int_equal(paths_runtime_dir(buf, sizeof(buf), &err), -1);
    assert_int_equal(unlink(buf), 0);
    close(open(buf, O_CREAT | O_WRONLY, 0600));
    assert_int_equal(paths_runtime_dir(buf, sizeof(buf), &err), -1);
    assert_int_equal(unlink(buf), 0);
    if (geteuid() == 0) {
        assert_int_equal(mkdir(buf, 0700), 0);
        assert_int_equal(chown(buf, 12345, 12345), 0);
        assert_int_equal(paths_runtime_dir(buf, sizeof(buf), &err), -1);
        assert_int_equal(err.code, EPERM);
        assert_int_equal(rmdir(buf), 0);
    }
}

static void test_private_dir(void **state)
{
    char buf[PATHS_MAX], other[PATHS_MAX], longer[200];
    struct err err = { 0 };

    (void)state;
    new_home(in_top("home"));
    setenv("XDG_RUNTIME_DIR", in_top("run"), 1);
    mkdir(in_top("run"), 0700);
    assert_int_equal(paths_make_private_dir(buf, sizeof(buf), &err), 0);
    assert_memory_equal(buf, in_top("run/hector-"), strlen(dir) + 12);
    assert_int_equal(mode_of(buf), 0700);
    assert_int_equal(paths_make_private_dir(other, sizeof(other), &err), 0);
    assert_string_not_equal(buf, other);

    /* One that cannot be used, then one where no socket would fit. */
    setenv("XDG_RUNTIME_DIR", "/proc/nonexistent", 1);
    setenv("TMPDIR", in_top("run"), 1);
    assert_int_equal(paths_make_private_dir(buf, sizeof(buf), &err), 0);
    assert_memory_equal(buf, in_top("run/hector-"), strlen(dir) + 12);
    snprintf(longer, sizeof(longer), "%s/", dir);
    memset(longer + strlen(longer), 'x', 80);
    longer[strlen(dir) + 81] = '\0';
    assert_int_equal(mkdir(longer, 0700), 0);
    setenv("TMPDIR", longer, 1);
    assert_int_equal(paths_make_private_dir(buf, sizeof(buf), &err), 0);
    assert_memory_equal(buf, "/tmp/hector-", 12);
    assert_true(strlen(buf) + 1 + 24 < PATHS_SOCKET_MAX);
    assert_int_equal(paths_remove_tree(buf, &err), 0);
}

/* A tree with all that a run may leave, and a link out of it. */
static void test_remove_tree(void **state)
{
    struct err err = { 0 };
    struct sockaddr_un sun = { .sun_family = AF_UNIX };

    (void)state;
    mkdir(in_top("keep"), 0700);
    close(open(in_top("keep/file"), O_CREAT | O_WRONLY, 0600));
    mkdir(in_top("tree"), 0700);
    mkdir(in_top("tree/a"), 0700);
    mkdir(in_top("tree/a/b"), 0700);
    mkdir(in_top("tree/empty"), 0700);
    close(open(in_top("tree/a/b/file"), O_CREAT | O_WRONLY, 0400));
    assert_int_equal(mkfifo(in_top("tree/fifo"), 0600), 0);
    assert_int_equal(symlink(in_top("keep"), in_top("tree/a/link")), 0);
    assert_int_equal(symlink("nowhere", in_top("tree/dangling")), 0);
    int fd = socket(AF_UNIX, SOCK_STREAM, 0);

    snprintf(sun.sun_path, sizeof(sun.sun_path), "%.100s",
             in_top("tree/sock"));
    assert_int_equal(bind(fd, (struct sockaddr *)&sun, sizeof(sun)), 0);
    close(fd);
    if (paths_remove_tree(in_top("tree"), &err) < 0)
        fail_msg("%s", err.text);
    assert_int_equal(mode_of(in_top("tree")), -1);
    assert_int_equal(mode_of(in_top("keep/file")), 0600);
    /* Gone already: fine. A link to a tree: only the link goes. */
    assert_int_equal(paths_remove_tree(in_top("tree"), &err), 0);
    assert_int_equal(symlink(in_top("keep"), in_top("link")), 0);
    assert_int_equal(paths_remove_tree(in_top("link"), &err), 0);
    assert_int_equal(mode_of(in_top("link")), -1);
    assert_int_equal(mode_of(in_top("keep/file")), 0600);
    assert_int_equal(paths_remove_tree("/proc/self/status", &err), -1);
    assert_true(*err.text);
}

static void test_siblings(void **state)
{
    char buf[PATHS_MAX], self[PATHS_MAX] = "";
    struct err err = { 0 };

    (void)state;
    assert_true(readlink("/proc/self/exe", self, sizeof(self) - 1) > 0);
    const char *name = strrchr(self, '/') + 1;

    assert_int_equal(paths_sibling(name, buf, sizeof(buf), &err), 0);
    assert_string_equal(buf, self);
    assert_int_equal(paths_sibling("no-such-program", buf, sizeof(buf),
                                   &err), -1);
    assert_int_equal(err.code, ENOENT);
    assert_int_equal(paths_library("no-such.so", buf, sizeof(buf), &err), -1);
    assert_int_equal(err.code, ENOENT);
}

static int tear_down(void **state)
{
    (void)state;
    return paths_remove_tree(dir, NULL);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_database),
        cmocka_unit_test(test_no_home),
        cmocka_unit_test(test_key_and_conf),
        cmocka_unit_test(test_runtime_dir),
        cmocka_unit_test(test_private_dir),
        cmocka_unit_test(test_remove_tree),
        cmocka_unit_test(test_siblings),
    };

    cmocka_set_message_output(CM_OUTPUT_TAP);
    return cmocka_run_group_tests(tests, in_dir_set_up, tear_down);
}
