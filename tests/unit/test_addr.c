/* test_addr.c - addresses as text, and listening on them. */
#include <errno.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cmocka.h>

#include "proto/link/addr.h"
#include "tests/unit/in_dir.h"


static void test_parse(void **state)
{
    static const struct { const char *in, *out; } table[] = {
        { "unix:/run/x.sock", "unix:/run/x.sock" },
        { "/run/x.sock", "unix:/run/x.sock" },
        { "unix:rel/x", "unix:rel/x" },
        { "unix:@name", "unix:@name" },
        { "tcp:node1:7000", "tcp:node1:7000" },
        { "node1:7000", "tcp:node1:7000" },
        { "10.0.0.1:0", "tcp:10.0.0.1:0" },
        { "tcp:[::1]:7000", "tcp:[::1]:7000" },
        { "[fe80::1%eth0]:65535", "tcp:[fe80::1%eth0]:65535" },
        { "tcp:*:0", "tcp:*:0" },
    };

    (void)state;
    for (size_t i = 0; i < sizeof(table) / sizeof(table[0]); i++) {
        struct addr a;
        struct err err;
        char text[ADDR_TEXT_MAX];

        if (addr_parse(&a, table[i].in, &err) < 0)
            fail_msg("%s: %s", table[i].in, err.text);
        addr_format(&a, text, sizeof(text));
        assert_string_equal(text, table[i].out);
    }
}

static void test_parse_errors(void **state)
{
    static const char *const table[] = {
        "", "unix:", "tcp:", "tcp:node1", "node1", "node1:", ":7000",
        "node1:x", "node1:65536", "node1:-1", "node1: 7", "::1:7000",
        "[::1]", "[::1]7000", "[]:7000", "[::1:7000", "a b:1", "a/b:1",
        "unix:/a,b",
    };
    struct addr was = { .host = "untouched", .port = 1 }, a = was;
    char path[200] = "unix:/";

    (void)state;
    memset(path + 6, 'x', 150);
    for (size_t i = 0; i <= sizeof(table) / sizeof(table[0]); i++) {
        const char *text = i < sizeof(table) / sizeof(table[0]) ? table[i]
                                                                : path;
        struct err err = { 0 };

        if (addr_parse(&a, text, &err) == 0)
            fail_msg("\"%s\" was taken", text);
        assert_true(*err.text);
        assert_memory_equal(&a, &was, sizeof(a));
    }
}

static void test_list(void **state)
{
    struct addr v[3];
    struct err err;

    (void)state;
    assert_int_equal(addr_parse_list(v, 3, "tcp:a:1,/x,[::1]:2", &err), 3);
    assert_string_equal(v[0].host, "a");
    assert_true(v[1].is_unix);
    assert_string_equal(v[2].host, "::1");
    assert_int_equal(addr_parse_list(v, 3, "a:1", &err), 1);
    assert_int_equal(addr_parse_list(v, 2, "a:1,b:2,c:3", &err), -1);
    assert_int_equal(addr_parse_list(v, 3, "", &err), -1);
    assert_int_equal(addr_parse_list(v, 3, "a:1,", &err), -1);
    assert_int_equal(addr_parse_list(v, 3, ",a:1", &err), -1);
    assert_int_equal(addr_parse_list(v, 3, "a:1,b", &err), -1);
}

static void test_listen_unix(void **state)
{
    struct addr a = { .is_unix = true };
    struct err err = { 0 };
    struct stat st;

    (void)state;
    snprintf(a.host, sizeof(a.host), "%s/l.sock", dir);
    int fd = addr_listen(&a, &err);

    assert_true(fd >= 0);
    assert_int_equal(stat(a.host, &st), 0);
    assert_int_equal(st.st_mode & 0777, 0600);
    /* A live one is not taken away. */
    assert_int_equal(addr_listen(&a, &err), -1);
    assert_int_equal(err.code, EADDRINUSE);
    /* A stale one is replaced. */
    close(fd);
    assert_int_equal(stat(a.host, &st), 0);
    fd = addr_listen(&a, &err);
    assert_true(fd >= 0);
    close(fd);
    unlink(a.host);
    /* What is no socket is left alone. */
    FILE *f = fopen(a.host, "w");

    fclose(f);
    assert_int_equal(addr_listen(&a, &err), -1);
    assert_int_equal(err.code, EEXIST);
    assert_int_equal(stat(a.host, &st), 0);
    unlink(a.host);
    snprintf(a.host, sizeof(a.host), "%s/missing/l.sock", dir);
    assert_int_equal(addr_listen(&a, &err), -1);
    assert_int_equal(err.code, ENOENT);
}

/* Not a file, and so nothing stale: the name is free with the process. */
static void test_listen_abstract(void **state)
{
    struct addr a = { .is_unix = true };
    struct err err;

    (void)state;
    snprintf(a.host, sizeof(a.host), "@hector-test-%d", (int)getpid());
    int fd = addr_listen(&a, &err);

    assert_true(fd >= 0);
    assert_int_equal(access(a.host, F_OK), -1);
    assert_int_equal(addr_listen(&a, &err), -1);
    close(fd);
    fd = addr_listen(&a, &err);
    assert_true(fd >= 0);
    close(fd);
}

static void test_listen_tcp(void **state)
{
    static const char *const hosts[] = { "127.0.0.1", "*" };
    struct err err = { 0 };

    (void)state;
    for (int i = 0; i < 2; i++) {
        struct addr a = { .port = 0 }, b;

        snprintf(a.host, sizeof(a.host), "%s", hosts[i]);
        int fd = addr_listen(&a, &err);

        if (fd < 0)
            fail_msg("%s: %s", hosts[i], err.text);
        assert_int_not_equal(a.port, 0);
        b = a;
        assert_int_equal(addr_listen(&b, &err), -1);
        assert_int_equal(err.code, EADDRINUSE);
        close(fd);
    }
    struct addr a = { .host = "no.such.host.invalid" };

    assert_int_equal(addr_listen(&a, &err), -1);
}

static void test_local(void **state)
{
    char list[ADDR_LIST_MAX], own[256] = "", domain[300];
    struct addr v[64];
    struct err err = { 0 };

    (void)state;
    assert_int_equal(addr_list_local(7000, list, sizeof(list), &err), 0);
    int n = addr_parse_list(v, 64, list, &err);

    assert_true(n >= 1);
    for (int i = 0; i < n; i++) {
        assert_int_equal(v[i].port, 7000);
        assert_true(addr_is_local_host(v[i].host));
    }
    assert_int_equal(addr_list_local(7000, list, 5, &err), -1);
    assert_true(addr_is_local_host("localhost"));
    assert_true(addr_is_local_host("127.0.0.1"));
    gethostname(own, sizeof(own) - 1);
    assert_true(addr_is_local_host(own));
    if (!strchr(own, '.')) {
        snprintf(domain, sizeof(domain), "%s.example.org", own);
        assert_true(addr_is_local_host(domain));
    }
    assert_false(addr_is_local_host("192.0.2.77"));
    assert_false(addr_is_local_host("no.such.host.invalid"));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_parse),
        cmocka_unit_test(test_parse_errors),
        cmocka_unit_test(test_list),
        cmocka_unit_test(test_listen_unix),
        cmocka_unit_test(test_listen_abstract),
        cmocka_unit_test(test_listen_tcp),
        cmocka_unit_test(test_local),
    };

    cmocka_set_message_output(CM_OUTPUT_TAP);
    return cmocka_run_group_tests(tests, in_dir_set_up,
                                       in_dir_tear_down);
}
