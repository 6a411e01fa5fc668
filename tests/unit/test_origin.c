/* test_origin.c - which world a process is in, from what /proc says of it. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>
#include <unistd.h>

#include <cmocka.h>

#include "slave/proc/origin.h"

/* "|" ends a string of a list. */
static size_t list(char *buf, const char *text)
{
    size_t n = strlen(text);

    memcpy(buf, text, n + 1);
    for (size_t i = 0; i < n; i++)
        if (buf[i] == '|')
            buf[i] = '\0';
    return n;
}

static void environments_name_worlds(void **state)
{
    static const struct { const char *env, *world; bool alone; } v[] = {
        { "A=b|PMIX_NAMESPACE=1234|PMIX_RANK=0|", "pmix 1234", false },
        { "PMIX_NAMESPACE=slurm.pmix.7.0|SLURM_JOB_ID=7|SLURM_STEP_ID=0|"
          "SLURM_PROCID=3|", "pmix slurm.pmix.7.0", false },
        { "SLURM_JOB_ID=7|SLURM_STEP_ID=2|SLURM_PROCID=3|", "slurm 7.2",
          false },
        { "SLURM_JOB_ID=7|SLURM_PROCID=0|", "", true },     /* a batch script */
        { "PMI_RANK=1|PMI_SIZE=4|PMI_FD=6|", "", false },
        { "OMPI_COMM_WORLD_RANK=1|", "", false },
        { "HOME=/|", "", true },
        { "", "", true },
        { "PMIX_NAMESPACE=|", "", true },                   /* empty: not set */
        { "XPMIX_NAMESPACE=1|PMIX_NAMESPACEX=2|", "", true },
        { "PMIX_NAMESPACE=1", "", true },                   /* cut off */
        { "||PMIX_NAMESPACE=1|", "pmix 1", false },
    };

    (void)state;
    for (size_t i = 0; i < sizeof(v) / sizeof(v[0]); i++) {
        struct origin o = { .alone = false };
        char buf[256];
        size_t n = list(buf, v[i].env);

        assert_int_equal(origin_from_env(&o, buf, n), *v[i].world != '\0');
        assert_string_equal(o.world, v[i].world);
        assert_int_equal(o.alone, v[i].alone);
    }
}

static void long_names_are_none(void **state)
{
    struct origin o = { .alone = false };
    char buf[2 * ORIGIN_WORLD_MAX] = "PMIX_NAMESPACE=";

    (void)state;
    memset(buf + 15, 'x', sizeof(buf) - 16);
    buf[sizeof(buf) - 1] = '\0';
    assert_false(origin_from_env(&o, buf, sizeof(buf)));
    assert_string_equal(o.world, "");
}

static void proxies_name_worlds(void **state)
{
    static const struct { const char *words, *world; } v[] = {
        { "/usr/bin/hydra_pmi_proxy|--control-port|vm:4613|--rmk|user|--pgid|0|"
          "--proxy-id|0|", "hydra vm:4613 0" },
        { "hydra_pmi_proxy|--pgid|2|--control-port|vm:4613|",
          "hydra vm:4613 2" },
        { "hydra_pmi_proxy|--control-port|", "" },
        { "sh|--control-port|vm:1|", "" },
        { "", "" },
        { "hydra_pmi_proxy", "" },
    };

    (void)state;
    for (size_t i = 0; i < sizeof(v) / sizeof(v[0]); i++) {
        struct origin o = { .alone = false };
        char buf[256];
        size_t n = list(buf, v[i].words);

        assert_int_equal(origin_from_proxy(&o, buf, n), *v[i].world != '\0');
        assert_string_equal(o.world, v[i].world);
    }
}

static void words_name_programs(void **state)
{
    static const struct { const char *words, *name, *command; } v[] = {
        { "/a/solver|-n|two words|", "solver", "/a/solver -n 'two words'" },
        { "solver|", "solver", "solver" },
        { "", "", "" },
        { "cut", "", "" },
    };

    (void)state;
    for (size_t i = 0; i < sizeof(v) / sizeof(v[0]); i++) {
        struct origin o = { .alone = false };
        char buf[256];
        size_t n = list(buf, v[i].words);

        origin_from_words(&o, buf, n);
        assert_string_equal(str_text(&o.name), v[i].name);
        assert_string_equal(str_text(&o.command), v[i].command);
        origin_fini(&o);
    }
}

/* This process was started by no launcher. */
static void we_are_alone(void **state)
{
    struct origin o;

    (void)state;
    origin_find(&o, getpid(), "here");
    assert_memory_equal(o.world, "alone here ", 11);
    assert_true(o.alone);
    assert_string_equal(str_text(&o.name), "test_origin");
    origin_fini(&o);
    origin_find(&o, 0x3fffffff, "here");        /* nobody */
    assert_string_equal(str_text(&o.name), "");
    origin_fini(&o);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(environments_name_worlds),
        cmocka_unit_test(long_names_are_none),
        cmocka_unit_test(proxies_name_worlds),
        cmocka_unit_test(words_name_programs),
        cmocka_unit_test(we_are_alone),
    };

    cmocka_set_message_output(CM_OUTPUT_TAP);
    return cmocka_run_group_tests(tests, NULL, NULL);
}
