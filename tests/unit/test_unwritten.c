/* test_unwritten.c - what real processes have printed and not written yet:
 * linked in every way, with buffers of every kind, and with something else where
 * glibc has its buffer. */
#include <fcntl.h>
#include <setjmp.h>
#include <signal.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cmocka.h>

#include "slave/proc/procmaps.h"
#include "slave/stacks/unwritten.h"

/* printer HOW: prints, says on stderr that it has, and waits. */
static const char program[] =
    "#include <stdio.h>\n#include <string.h>\n#include <unistd.h>\n"
    "static char own[5000];\n"
    "int main(int argc, char **argv)\n{\n"
    "    const char *how = argv[argc - 1];\n"
    "    if (!strcmp(how, \"line\")) setvbuf(stdout, NULL, _IOLBF, 0);\n"
    "    if (!strcmp(how, \"none\")) setvbuf(stdout, NULL, _IONBF, 0);\n"
    "    if (!strcmp(how, \"own\")) setvbuf(stdout, own, _IOFBF, sizeof(own));\n"
    "    printf(\"one\\ntwo\\nthree\");\n"
    "    if (!strcmp(how, \"lines\")) putchar('\\n');\n"
    "    if (!strcmp(how, \"long\")) for (int i = 0; i < 300; i++)\n"
    "        putchar(i % 10 ? '-' : '|');\n"
    "    if (!strcmp(how, \"wild\")) printf(\"\\033[2J\\001\");\n"
    "    if (!strcmp(how, \"flushed\")) fflush(stdout);\n"
    "    if (!strcmp(how, \"broken\")) {\n"
    "        stdout->_IO_write_ptr = stdout->_IO_write_base + (1 << 30);\n"
    "        stdout->_IO_buf_end = stdout->_IO_write_ptr; }\n"
    "    if (!strcmp(how, \"backwards\")) stdout->_IO_write_ptr = (char *)8;\n"
    "    if (!strcmp(how, \"nowhere\")) {\n"
    "        stdout->_IO_buf_base = stdout->_IO_write_base = (char *)4096;\n"
    "        stdout->_IO_buf_end = stdout->_IO_write_ptr = (char *)4200; }\n"
    "    if (!strcmp(how, \"unmarked\")) stdout->_flags &= 0xffff;\n"
    "    write(2, \".\", 1);\n"
    "    pause();\n    _exit(0);\n}\n";

static char *what_is_left(const char *path, const char *how)
{
    static char out[UNWRITTEN_ROOM], maps[1 << 16];
    int said[2], null;
    char dot;
    pid_t pid;

    assert_int_equal(pipe(said), 0);
    pid = fork();
    if (pid == 0) {
        prctl(PR_SET_PDEATHSIG, SIGKILL);
        dup2(said[1], 2);
        null = open("/dev/null", O_WRONLY);
        dup2(null, 1);
        execl(path, path, how, (char *)NULL);
        _exit(127);
    }
    close(said[1]);
    assert_int_equal(read(said[0], &dot, 1), 1);
    close(said[0]);
    assert_true(procmaps_read(pid, maps, sizeof(maps)) > 0);
    unwritten_read(pid, maps, out);
    kill(pid, SIGKILL);
    waitpid(pid, NULL, 0);
    return out;
}

static void test_links(void **state)
{
    static const char *const path[] = { "./plain", "./fixed", "./library",
                                        "./static", "./static-pie" };

    (void)state;
    for (size_t i = 0; i < sizeof(path) / sizeof(path[0]); i++)
        if (access(path[i], X_OK) == 0)
            assert_string_equal(what_is_left(path[i], "block"),
                                "\"two\", \"three\"");
        else
            printf("# %s cannot be built here\n", path[i]);
    assert_int_equal(access("./plain", X_OK), 0);
}

static void test_buffers(void **state)
{
    char want[400] = "\"...", *p = want + 4;

    (void)state;
    assert_string_equal(what_is_left("./plain", "own"), "\"two\", \"three\"");
    assert_string_equal(what_is_left("./plain", "lines"),
                        "\"two\", \"three\"");
    assert_string_equal(what_is_left("./plain", "line"), "\"three\"");
    assert_string_equal(what_is_left("./plain", "none"), "");
    assert_string_equal(what_is_left("./plain", "flushed"), "");
    for (int i = 300 - UNWRITTEN_BYTES; i < 300; i++)
        *p++ = i % 10 ? '-' : '|';
    strcpy(p, "\"");
    assert_string_equal(what_is_left("./plain", "long"), want);
    assert_string_equal(what_is_left("./plain", "wild"),
                        "\"two\", \"three\\x1b[2J\\x01\"");
}

/* The structure is another one, or was overwritten. */
static void test_nonsense(void **state)
{
    static const char *const how[] = { "broken", "backwards", "nowhere",
                                       "unmarked" };

    (void)state;
    for (size_t i = 0; i < sizeof(how) / sizeof(how[0]); i++)
        assert_string_equal(what_is_left("./plain", how[i]), "");
}

/* No symbol, no C library, no process. */
static void test_nothing(void **state)
{
    char out[UNWRITTEN_ROOM];

    (void)state;
    if (access("./stripped", X_OK) == 0)
        assert_string_equal(what_is_left("./stripped", "block"), "");
    unwritten_read(getpid(), "", out);
    assert_string_equal(out, "");
    unwritten_read(getpid(), "nonsense\n00-01 r-xp 0 0:0 0\n\n", out);
    assert_string_equal(out, "");
    unwritten_read(-1, "1000-2000 r--p 00000000 00:00 1   /lib/libc.so.6\n",
                   out);
    assert_string_equal(out, "");
}

static int build(void **state)
{
    static char dir[] = "/tmp/hct-unwritten-XXXXXX";
    FILE *f;

    *state = mkdtemp(dir);
    if (!*state || chdir(dir))
        return -1;
    f = fopen("p.c", "w");
    if (!f || fputs(program, f) < 0 || fclose(f))
        return -1;
    return system("cc -w -o plain p.c; cc -w -no-pie -fno-pie -o fixed p.c;"
                  "cc -w -shared -fPIC -Dmain=run -o librun.so p.c;"
                  "echo 'int run(int, char **); int main(int n, char **v)"
                  " { return run(n, v); }' >m.c;"
                  "cc -w -o library m.c -L. -lrun -Wl,-rpath,.;"
                  "{ cc -w -static -o static p.c && cp static stripped &&"
                  " strip stripped; cc -w -static-pie -o static-pie p.c; }"
                  " 2>/dev/null; test -x plain") ? -1 : 0;
}

static int clear(void **state)
{
    char command[100];

    snprintf(command, sizeof(command), "rm -rf '%s'", (char *)*state);
    return chdir("/") || system(command) ? -1 : 0;
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_links),
        cmocka_unit_test(test_buffers),
        cmocka_unit_test(test_nonsense),
        cmocka_unit_test(test_nothing),
    };

    cmocka_set_message_output(CM_OUTPUT_TAP);
    return cmocka_run_group_tests(tests, build, clear);
}
