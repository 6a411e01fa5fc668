/* test_submit.c - how many tasks a command line means, and what the master is
 * told. */
#include <errno.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <cmocka.h>

#include "redirector/start/submit.h"

/* line: a command line without quotes. hosts: as -H has them, "*" after a
 * name for a host that does not say its slots; NULL: this machine. */
static uint32_t count(const char *line, const char *hosts, bool local,
                      uint32_t *ntasks, struct err *err)
{
    char *text = strdup(line), *save = NULL, *argv[32];
    int argc = 0;
    struct options o;
    struct hosts h = { 0 };

    argv[argc++] = (char *)"hector-run";
    for (char *p = strtok_r(text, " ", &save); p;
         p = strtok_r(NULL, " ", &save))
        argv[argc++] = p;
    argv[argc] = NULL;
    assert_int_equal(options_parse(&o, argc, argv, err), 0);
    if (hosts && *hosts == '@')
        assert_int_equal(hosts_add_file(&h, hosts + 1, strlen(hosts + 1), "f",
                                        err), 0);
    else if (hosts)
        assert_int_equal(hosts_add_list(&h, hosts, err), 0);
    else
        assert_int_equal(hosts_add_here(&h, err), 0);
    for (size_t i = 0; i < h.n; i++)
        h.v[i].local = local;
    uint32_t n = submit_count(&o, &h, hosts != NULL, 8, err);

    for (size_t i = 0; i < o.napps && i < 4; i++)
        ntasks[i] = o.apps[i].ntasks;
    hosts_fini(&h);
    options_fini(&o);
    free(text);
    return n;
}

static void test_count(void **state)
{
    static const struct {
        const char *line, *hosts; bool local; uint32_t n, apps[4];
        const char *says;
    } table[] = {
        { "p", NULL, true, 1, { 1 }, NULL },
        { "-n 5 p", NULL, true, 5, { 5 }, NULL },
        { "p", "a,b", false, 2, { 2 }, NULL },
        { "p", "a:4,b:2", false, 6, { 6 }, NULL },
        { "-n 3 p", "a:4,b:2", false, 3, { 3 }, NULL },
        { "-n 30 p", "a:4,b:2", false, 30, { 30 }, NULL },
        { "-N 2 p", "a,b,c", false, 6, { 6 }, NULL },
        { "-N 2 -n 5 p", "a,b,c", false, 5, { 5 }, NULL },
        { "-N 2 -n 7 p", "a,b,c", false, 0, { 0 }, "7 tasks do not fit" },
        { "-N 3 p", NULL, true, 3, { 3 }, NULL },
        { "p", "@a\n", true, 8, { 8 }, NULL },
        { "p", "@a\nb slots=2\n", true, 10, { 10 }, NULL },
        { "p", "@a\n", false, 0, { 0 }, "a does not say its slots" },
        { "-n 2 p", "@a\n", false, 2, { 2 }, NULL },
        { "-n 2 p : -n 3 q", NULL, true, 5, { 2, 3 }, NULL },
        { "p : -n 3 q : r", "a:9", true, 5, { 1, 3, 1 }, NULL },
        { "p", "@n[1-300] slots=100000\n", false, 0, { 0 }, "slots in all" },
        { "-N 9999999 p", "a,b", false, 0, { 0 }, "tasks in all" },
    };

    (void)state;
    for (size_t i = 0; i < sizeof(table) / sizeof(table[0]); i++) {
        struct err err = { 0 };
        uint32_t apps[4] = { 0 };
        uint32_t n = count(table[i].line, table[i].hosts, table[i].local,
                           apps, &err);

        if (n != table[i].n)
            fail_msg("%s: %u, not %u (%s)", table[i].line, n, table[i].n,
                     err.text);
        if (n == 0)
            assert_non_null(strstr(err.text, table[i].says));
        for (int k = 0; n > 0 && k < 4; k++)
            assert_int_equal(apps[k], table[i].apps[k]);
    }
}

static const char *env_of(const Hct__App *a, const char *name)
{
    static char buf[100];
    size_t n = strlen(name);
    const char *found = NULL;

    for (size_t i = 0; i < a->n_env; i++)
        if (a->env[i].len > n && a->env[i].data[n] == '=' &&
            memcmp(a->env[i].data, name, n) == 0) {
            assert_null(found);         /* once */
            snprintf(buf, sizeof(buf), "%.*s", (int)(a->env[i].len - n - 1),
                     (const char *)a->env[i].data + n + 1);
            found = buf;
        }
    return found;
}

static void test_build(void **state)
{
    static const char *const words[] = {
        "hector-run", "-n", "2", "-x", "A=new", "-x", "B=own", "-x", "HOME",
        "-genv", "C", "all", "--wdir", "sub", "--name", "my job", "--map-by",
        "node", "-N", "3", "--stdin", "all", "--stdtim", "--on-hang", "kill",
        "--policy", "p:a=1", "--deadline", "A @1795747873.5 + k * 50ms",
        "--deadline", "60", "--on-deadline", "act", "--max-suspend", "30", "prog",
        "a b", ":", "-n", "1", "other", NULL
    };
    static const char *const env[] = { "A=old", "D=kept", "HOME=/h", "odd",
                                       NULL };
    static const char *const addresses[] = { "unix:/x", "tcp:h:1" };
    static const uint8_t cookie[] = "0123456789abcdef";
    struct links_where links = { addresses, 2, cookie };
    struct options o;
    struct hosts h = { 0 };
    struct err err = { 0 };
    char here[4096], want[4200];

    (void)state;
    assert_int_equal(options_parse(&o, sizeof(words) / sizeof(words[0]) - 1,
                                   (char **)words, &err), 0);
    assert_int_equal(hosts_add_list(&h, "n1:2,n2", &err), 0);
    Hct__Submit *m = submit_build(&o, &h, true, (char **)env, (char **)words,
                                  &links, &err);

    assert_non_null(m);
    assert_string_equal(m->name, "my job");
    assert_int_equal(m->n_apps, 2);
    assert_int_equal(m->apps[0]->ntasks, 2);
    assert_int_equal(m->apps[0]->n_argv, 2);
    assert_memory_equal(m->apps[0]->argv[1].data, "a b", 3);
    assert_string_equal(env_of(m->apps[0], "A"), "new");
    assert_string_equal(env_of(m->apps[0], "B"), "own");
    assert_string_equal(env_of(m->apps[0], "C"), "all");
    assert_string_equal(env_of(m->apps[0], "D"), "kept");
    assert_string_equal(env_of(m->apps[0], "HOME"), "/h");
    assert_string_equal(env_of(m->apps[1], "A"), "old");
    assert_string_equal(env_of(m->apps[1], "C"), "all");
    assert_null(env_of(m->apps[1], "B"));
    assert_non_null(getcwd(here, sizeof(here)));
    snprintf(want, sizeof(want), "%s/sub", here);
    assert_string_equal(m->apps[0]->wdir, want);
    assert_string_equal(m->apps[1]->wdir, here);
    assert_int_equal(m->n_hosts, 2);
    assert_string_equal(m->hosts[0]->name, "n1");
    assert_int_equal(m->hosts[0]->slots, 2);
    assert_int_equal(m->map_by, HCT__MAP_BY__MAP_BY_NODE);
    assert_int_equal(m->per_node, 3);
    assert_string_equal(m->stdin_ranks, "all");
    assert_true(m->want_stdtim);
    assert_string_equal(m->on_hang, "kill");
    assert_int_equal(m->n_policies, 1);
    assert_int_equal(m->n_deadlines, 2);
    assert_string_equal(m->deadlines[0],
                        "A@2026-11-27T02:51:13.5Z+k*50ms");
    assert_string_equal(m->deadlines[1], "60s");
    assert_string_equal(m->on_deadline, "act");
    assert_int_equal(m->max_suspend, 31);
    assert_int_equal(m->n_stream_addresses, 2);
    assert_int_equal(m->cookie.len, 16);
    assert_non_null(strstr(m->command, "hector-run -n 2"));
    assert_non_null(strstr(m->command, "'a b'"));
    /* It survives the wire. */
    size_t n = hct__submit__get_packed_size(m);
    uint8_t *packed = malloc(n);

    assert_int_equal(hct__submit__pack(m, packed), n);
    Hct__Submit *copy = hct__submit__unpack(NULL, n, packed);

    assert_non_null(copy);
    assert_string_equal(copy->command, m->command);
    assert_string_equal(copy->deadlines[1], "60s");
    hct__submit__free_unpacked(copy, NULL);
    free(packed);
    submit_free(m);
    hosts_fini(&h);
    options_fini(&o);
}

int main(void)
{
    static const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_count),
        cmocka_unit_test(test_build),
    };

    cmocka_set_message_output(CM_OUTPUT_TAP);
    return cmocka_run_group_tests(tests, NULL, NULL);
}
