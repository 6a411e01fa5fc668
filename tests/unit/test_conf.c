/* test_conf.c - hector.conf: values, defaults, and mistakes with their line. */
#include <errno.h>
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <cmocka.h>

#include "proto/conf/conf.h"

struct settings {
    bool quiet;
    int64_t nodes;
    double share;
    uint64_t grace_ns, queue_bytes;
    char *listen, *note;
};

#define AT(field) offsetof(struct settings, field)
static const struct conf_key keys[] = {
    { "master", "quiet", CONF_BOOL, AT(quiet), "no", 0, 0 },
    { "master", "nodes", CONF_INT, AT(nodes), "4", 1, 1000 },
    { "master", "share", CONF_REAL, AT(share), "0.5", 0, 1 },
    { "master", "listen", CONF_TEXT, AT(listen), "/run/x", 0, 0 },
    { "slave", "grace", CONF_DURATION, AT(grace_ns), "2s", 0, 3600 },
    { "slave", "queue", CONF_BYTES, AT(queue_bytes), "4M", 4096, 0x1p40 },
    { "slave", "note", CONF_TEXT, AT(note), NULL, 0, 0 },
    { .section = NULL },
};

static char path[64];

static void put_file(const char *text)
{
    FILE *f = fopen(path, "w");

    assert_non_null(f);
    fputs(text, f);
    fclose(f);
}

static void test_defaults(void **state)
{
    struct settings s = { 0 };
    struct err err = { 0 };

    (void)state;
    assert_int_equal(conf_init(keys, &s, &err), 0);
    assert_false(s.quiet);
    assert_int_equal(s.nodes, 4);
    assert_true(fabs(s.share - 0.5) < 1e-12);
    assert_int_equal(s.grace_ns, 2000000000);
    assert_int_equal(s.queue_bytes, 4 << 20);
    assert_string_equal(s.listen, "/run/x");
    assert_string_equal(s.note, "");
    conf_fini(keys, &s);
    conf_fini(keys, &s);
}

static void test_file(void **state)
{
    struct settings s = { 0 };
    struct err err = { 0 };

    (void)state;
    put_file("# a comment\n"
             "; another\n"
             "\n"
             "[master]\r\n"
             "quiet = yes\r\n"
             "  nodes = 17   \n"
             "\tshare=0.25\n"
             "listen = tcp:10.0.0.1:7000,unix:/x y ; the rest is a comment\n"
             "[run]\n"
             "whatever = belongs to another program\n"
             "[slave]\n"
             "grace = 1.5m\n"
             "queue: 64k\n"
             "note =\n"
             "grace = 250ms");
    assert_int_equal(conf_init(keys, &s, &err), 0);
    if (conf_load(keys, &s, path, &err) < 0)
        fail_msg("%s", err.text);
    assert_true(s.quiet);
    assert_int_equal(s.nodes, 17);
    assert_true(fabs(s.share - 0.25) < 1e-12);
    assert_string_equal(s.listen, "tcp:10.0.0.1:7000,unix:/x y");
    assert_int_equal(s.grace_ns, 250000000);
    assert_int_equal(s.queue_bytes, 65536);
    assert_string_equal(s.note, "");
    conf_fini(keys, &s);
}

static void test_mistakes(void **state)
{
    static const struct { const char *text, *says; } table[] = {
        { "[master]\nnode = 3\n", ":2: there is no key node in section "
          "[master]" },
        { "[mister]\nnodes = 3\n", ":2: there is no section [mister]" },
        { "\n\nnodes = 3\n", ":3: nodes stands before the first [section]" },
        { "[master]\nnodes = 0\n", ":2: nodes: 0 is not from 1 to 1000" },
        { "[master]\nnodes = 1e3\n", ":2: nodes: \"1e3\" is not a number" },
        { "[master]\nnodes =\n", ":2: nodes: \"\" is not a number" },
        { "[master]\n\nshare = 1.5\n", ":3: share: 1.5 is not from 0 to 1" },
        { "[master]\nshare = nan\n", ":2: share" },
        { "[master]\nquiet = maybe\n", "neither yes nor no" },
        { "[slave]\ngrace = 2 weeks\n", "unknown unit" },
        { "[slave]\ngrace = 2h\n", "not from 0 to 3600 s" },
        { "[slave]\ngrace = -1\n", "grace" },
        { "[slave]\nqueue = 1k\n", "bytes" },
        { "[master]\nnodes = 3\nnonsense\n", ":3: neither" },
        { "[master\nnodes = 3\n", ":1: neither" },
        { "nonsense\n[master]\nnodes = x\n", "" },
        { "[master]\nnodes = 3\nnodes = x\nshare = y\n", ":3: nodes" },
    };

    (void)state;
    for (size_t i = 0; i < sizeof(table) / sizeof(table[0]); i++) {
        struct settings s = { 0 };
        struct err err = { 0 };

        put_file(table[i].text);
        assert_int_equal(conf_init(keys, &s, NULL), 0);
        if (conf_load(keys, &s, path, &err) == 0)
            fail_msg("taken: %s", table[i].text);
        if (!strstr(err.text, table[i].says))
            fail_msg("%s -> %s", table[i].text, err.text);
        assert_memory_equal(err.text, path, strlen(path));
        assert_true(s.nodes == 4 || s.nodes == 3);
        assert_int_equal(conf_load(keys, &s, path, NULL), -1);
        conf_fini(keys, &s);
    }
}

static void test_long_line(void **state)
{
    struct settings s = { 0 };
    struct err err = { 0 };
    char text[1000] = "[slave]\nnote = ";

    (void)state;
    memset(text + strlen(text), 'x', 900);
    put_file(text);
    assert_int_equal(conf_init(keys, &s, NULL), 0);
    assert_int_equal(conf_load(keys, &s, path, &err), -1);
    assert_non_null(strstr(err.text, ":2: the line is longer"));
    conf_fini(keys, &s);
}

static void test_missing(void **state)
{
    struct settings s = { 0 };
    struct err err = { 0 };

    (void)state;
    unlink(path);
    assert_int_equal(conf_init(keys, &s, NULL), 0);
    assert_int_equal(conf_load(keys, &s, path, &err), -1);
    assert_int_equal(err.code, ENOENT);
    assert_int_equal(conf_load_all(keys, &s, path, &err), -1);
    setenv("XDG_CONFIG_HOME", "/proc/nonexistent", 1);
    assert_int_equal(conf_load_all(keys, &s, NULL, &err), 0);
    assert_int_equal(conf_load(keys, &s, "/tmp", &err), -1);
    conf_fini(keys, &s);
}

static void test_set(void **state)
{
    struct settings s = { 0 };
    struct err err = { 0 };

    (void)state;
    assert_int_equal(conf_init(keys, &s, NULL), 0);
    assert_int_equal(conf_set(keys, &s, "master", "listen", "a", &err), 0);
    assert_int_equal(conf_set(keys, &s, "master", "listen", "b", &err), 0);
    assert_string_equal(s.listen, "b");
    assert_int_equal(conf_set(keys, &s, "master", "nodes", "x", &err), -1);
    assert_int_equal(s.nodes, 4);
    conf_fini(keys, &s);

    static const struct conf_key bad[] = {
        { "master", "nodes", CONF_INT, AT(nodes), "none", 1, 9 },
        { .section = NULL },
    };

    assert_int_equal(conf_init(bad, &s, &err), -1);
    assert_non_null(strstr(err.text, "default of nodes"));
}

static int set_up(void **state)
{
    static char name[] = "/tmp/test_conf.XXXXXX";
    int fd = mkstemp(name);

    (void)state;
    if (fd < 0)
        return -1;
    close(fd);
    snprintf(path, sizeof(path), "%s", name);
    return 0;
}

static int tear_down(void **state)
{
    (void)state;
    unlink(path);               /* test_missing has done so */
    return 0;
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_defaults),
        cmocka_unit_test(test_file),
        cmocka_unit_test(test_mistakes),
        cmocka_unit_test(test_long_line),
        cmocka_unit_test(test_missing),
        cmocka_unit_test(test_set),
    };

    cmocka_set_message_output(CM_OUTPUT_TAP);
    return cmocka_run_group_tests(tests, set_up, tear_down);
}
