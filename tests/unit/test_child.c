/* test_child.c - programs hector-run starts for itself: what they inherit,
 * what they say, how their end is noticed. */
#include <errno.h>
#include <fcntl.h>
#include <setjmp.h>
#include <signal.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cmocka.h>

#include "proto/base/str.h"
#include "redirector/out/say.h"
#include "redirector/start/child.h"

struct owner { struct str said; int exits, status; };

static void on_say(void *arg, const char *line, size_t n)
{
    str_add_bytes(&((struct owner *)arg)->said, line, n);
}

static void on_exit_of(void *arg, struct child *c, int status)
{
    struct owner *w = arg;

    assert_string_equal(child_who(c), "n1");
    w->exits++;
    w->status = status;
}

/* Run a shell script as a child to its end; what was said is in w. */
static void run(struct owner *w, const char *script, const int *fds, int nfds,
                const char *input)
{
    struct event_base *base = event_base_new();
    static const char *const noise[] = { "is in vain", NULL };
    char *argv[] = { (char *)"sh", (char *)"-c", (char *)script, NULL };
    struct child_conf conf = { .who = "n1", .argv = argv, .nfds = nfds,
                               .input = input, .on_exit = on_exit_of,
                               .noise = noise, .arg = w };
    struct err err = { 0 };

    *w = (struct owner){ .status = -1 };
    for (int i = 0; i < nfds; i++)
        conf.fds[i] = fds[i];
    say_through(on_say, w);
    struct child *c = child_start(base, &conf, &err);

    if (!c)
        fail_msg("%s", err.text);
    for (int i = 0; i < 12000 && child_count() > 0; i++) {
        event_base_loop(base, EVLOOP_NONBLOCK);
        child_reap_all();
        usleep(5000);
    }
    say_through(NULL, NULL);
    assert_int_equal(child_count(), 0);
    assert_int_equal(w->exits, 1);
    event_base_free(base);
}

static void expect(const char *script, const char *input, const char *said)
{
    struct owner w;

    run(&w, script, NULL, 0, input);
    assert_int_equal(w.status, 0);
    assert_string_equal(str_text(&w.said), said);
    str_fini(&w.said);
}

static void test_words(void **state)
{
    (void)state;
    say_init(SAY_NOTE);
    expect("echo one >&2; echo two >&2", NULL,
           "hector: n1: one\nhector: n1: two\n");
    expect("printf 'no newline' >&2", NULL, "hector: n1: no newline\n");
    expect("printf 'a\\n\\n\\nb\\n' >&2", NULL,
           "hector: n1: a\nhector: n1: b\n");
    expect("printf 'a\\tb\\033[1mc\\r\\n' >&2", NULL,
           "hector: n1: a b\\x1b[1mc\n");
    expect("echo noise", NULL, "");
    expect("echo all this is in vain >&2; echo vain >&2", NULL,
           "hector: n1: vain\n");
    say_init(SAY_VERBOSE);
    expect("echo noise", NULL, "hector: n1: noise\n");
    expect("echo is in vain >&2", NULL, "hector: n1: is in vain\n");
    say_init(SAY_NOTE);
}

static void test_long_words(void **state)
{
    struct owner w;

    (void)state;
    run(&w, "head -c 5000 /dev/zero | tr '\\0' x >&2", NULL, 0, NULL);
    size_t x = 0;

    for (size_t i = 0; i < w.said.n; i++)
        x += w.said.s[i] == 'x';
    assert_int_equal(x, 5000);
    str_fini(&w.said);
}

static void test_input(void **state)
{
    (void)state;
    expect("cat >&2; echo end >&2", "key\n",
           "hector: n1: key\nhector: n1: end\n");
    expect("cat >&2; echo end >&2", NULL, "hector: n1: end\n");
}

/* It leads a session, has its signals back and no descriptor of ours. */
static void test_inheritance(void **state)
{
    int strangers[] = { open("/dev/null", O_RDWR), dup(0) };

    (void)state;
    signal(SIGPIPE, SIG_IGN);
    signal(SIGUSR1, SIG_IGN);
    expect("read -r p c s pp g sid rest </proc/self/stat;"
           "[ $g = $sid ] && echo leads >&2", NULL, "hector: n1: leads\n");
    expect("ls /proc/self/fd | tr '\\n' ' ' >&2", NULL,
           "hector: n1: 0 1 2 3\n");        /* 3 is ls reading */
    /* Signals 32 and 33 are the C library's: as they were inherited. */
    expect("grep SigIgn /proc/$$/status | tr -d '\\t' |"
           "sed 's/180000000$/000000000/' >&2", NULL,
           "hector: n1: SigIgn:0000000000000000\n");
    expect("echo \"${LISTEN_FDS-none} ${LISTEN_PID-none}\" >&2", NULL,
           "hector: n1: none none\n");
    for (size_t i = 0; i < 2; i++)
        close(strangers[i]);
}

static void test_sockets(void **state)
{
    struct owner w;
    int p[2], q[2];

    (void)state;
    assert_int_equal(pipe2(p, O_CLOEXEC), 0);
    assert_int_equal(pipe2(q, O_CLOEXEC), 0);
    int fds[] = { q[1], p[1] };
    char buf[20] = "";

    run(&w, "[ $LISTEN_FDS = 2 ] && [ $LISTEN_PID = $$ ] && "
        "echo three >&3 && echo four >&4", fds, 2, NULL);
    assert_int_equal(w.status, 0);
    assert_int_equal(read(q[0], buf, sizeof(buf)), 6);
    assert_memory_equal(buf, "three\n", 6);
    assert_int_equal(read(p[0], buf, sizeof(buf)), 5);
    assert_memory_equal(buf, "four\n", 5);
    for (int i = 0; i < 2; i++) {
        close(p[i]);
        close(q[i]);
    }
    str_fini(&w.said);
}

static void test_ends(void **state)
{
    struct owner w;
    char buf[100];

    (void)state;
    run(&w, "exit 3", NULL, 0, NULL);
    assert_string_equal(child_fate(w.status, buf, sizeof(buf)),
                        "ended with status 3");
    run(&w, "kill -9 $$", NULL, 0, NULL);
    assert_string_equal(child_fate(w.status, buf, sizeof(buf)),
                        "was killed by signal 9 (Killed)");
    /* A grandchild that keeps the pipe open does not keep us. */
    run(&w, "echo last >&2; sleep 5 & exit 0", NULL, 0, NULL);
    assert_string_equal(str_text(&w.said), "hector: n1: last\n");
    str_fini(&w.said);
}

static void test_cannot_start(void **state)
{
    struct event_base *base = event_base_new();
    char *argv[] = { (char *)"/proc/nonexistent/agent", NULL };
    struct child_conf conf = { .who = "n1", .argv = argv };
    struct err err = { 0 };

    (void)state;
    assert_null(child_start(base, &conf, &err));
    assert_int_equal(err.code, ENOENT);
    assert_string_equal(err.text, "cannot start /proc/nonexistent/agent: "
                        "No such file or directory");
    argv[0] = (char *)"/etc/passwd";
    assert_null(child_start(base, &conf, &err));
    assert_int_equal(err.code, EACCES);
    assert_int_equal(child_count(), 0);
    assert_int_equal(waitpid(-1, NULL, WNOHANG), -1);
    event_base_free(base);
}

int main(void)
{
    static const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_words),
        cmocka_unit_test(test_long_words),
        cmocka_unit_test(test_input),
        cmocka_unit_test(test_inheritance),
        cmocka_unit_test(test_sockets),
        cmocka_unit_test(test_ends),
        cmocka_unit_test(test_cannot_start),
    };

    cmocka_set_message_output(CM_OUTPUT_TAP);
    return cmocka_run_group_tests(tests, NULL, NULL);
}
