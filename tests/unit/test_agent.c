/* test_agent.c - the words a launch agent is called with. */
#include <errno.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "proto/base/str.h"
#include "redirector/batch/agent.h"

static void test_words(void **state)
{
    static const char *const plain[] = { "/opt/hector/bin/hector-slave",
        "-d", "--master", "tcp:10.0.0.1:7,tcp:[fe::1]:7", NULL };
    static const char *const odd[] = { "/a b/slave", "$x", NULL };
    static const struct {
        const char *agent, *user; const char *const *command;
        const char *out;
    } table[] = {
        { "ssh", NULL, plain, "ssh|n1|/opt/hector/bin/hector-slave|-d|"
          "--master|QUOTED" },
        { "ssh", "joe", odd, "ssh|joe@n1|'/a b/slave'|'$x'" },
        { "/usr/bin/ssh -p 22", NULL, odd,
          "/usr/bin/ssh|-p|22|n1|'/a b/slave'|'$x'" },
        { "rsh", NULL, odd, "rsh|n1|'/a b/slave'|'$x'" },
        { "./agent.sh", NULL, odd, "./agent.sh|n1|/a b/slave|$x" },
        { " agent   -v\t", "joe", odd, "agent|-v|joe@n1|/a b/slave|$x" },
        { "srun", NULL, odd, "srun|--nodes=1|--ntasks=1|--overlap|"
          "--cpu-bind=none|--mpi=none|--quiet|--nodelist=n1|/a b/slave|$x" },
        { "srun -q", NULL, odd, "srun|-q|n1|/a b/slave|$x" },
    };

    (void)state;
    for (size_t i = 0; i < sizeof(table) / sizeof(table[0]); i++) {
        struct host host = { .name = (char *)"n1",
                             .user = (char *)table[i].user };
        struct str s = { 0 };
        struct err err = { 0 };
        char **w = agent_words(table[i].agent, &host, table[i].command, &err);

        assert_non_null(w);
        for (size_t k = 0; w[k]; k++)
            str_addf(&s, "%s%s", k ? "|" : "", w[k]);
        const char *quoted = strstr(table[i].out, "QUOTED");

        if (quoted)             /* how the quotes look is str.c's affair */
            assert_memory_equal(str_text(&s), table[i].out,
                                (size_t)(quoted - table[i].out));
        else
            assert_string_equal(str_text(&s), table[i].out);
        str_fini(&s);
        agent_free(w);
    }
}

static void test_there(void **state)
{
    char *old = strdup(getenv("PATH"));

    (void)state;
    setenv("PATH", "/nonexistent:/bin", 1);
    assert_true(agent_is_there("sh"));
    assert_true(agent_is_there("sh -c x"));
    assert_false(agent_is_there("no-such-agent -v"));
    assert_true(agent_is_there("/no/such agent"));      /* is said later */
    setenv("PATH", "/nonexistent", 1);
    assert_false(agent_is_there("sh"));
    setenv("PATH", old, 1);
    free(old);
    assert_null(agent_unset("ssh -v"));
    assert_non_null(agent_unset("/usr/bin/srun"));
}

static void test_empty(void **state)
{
    static const char *const command[] = { "x", NULL };
    struct host host = { .name = (char *)"n1" };
    struct err err = { 0 };

    (void)state;
    assert_null(agent_words("", &host, command, &err));
    assert_null(agent_words("  ", &host, command, &err));
    assert_string_equal(err.text, "the launch agent is empty");
}

static void test_default(void **state)
{
    struct hosts allocated = { .agent = "srun" };

    (void)state;
    assert_string_equal(agent_default(&(struct hosts){ 0 }), "ssh");
    assert_string_equal(agent_default(&allocated), "srun");
    assert_string_equal(agent_name("/usr/bin/ssh -p 22"), "ssh");
    assert_string_equal(agent_name("x"), "x");
    assert_non_null(agent_noise("/usr/bin/srun -v"));
    assert_null(agent_noise("ssh"));
}

/* What Slurm gets over is tried again, and nothing else. */
static void test_passes(void **state)
{
    static const char step[] = "srun: error: Unable to create step for job 9: ";
    static const struct { const char *agent, *reason; bool passes; } table[] = {
        { "srun", "Memory required by task is not available", true },
        { "/usr/bin/srun -v", "Unable to contact slurm controller (connect "
                              "failure)", true },
        { "srun", "Job/step already completing or completed", false },
        { "srun", "", false },
        { "ssh", "Unable to contact slurm controller", false },
        { "srun", "Application launch failed: Protocol authentication error", true },
        { "srun", "Unable to confirm allocation for job 8: Unspecified error", true },
        { "srun", "Unable to confirm allocation for job 8: Invalid job id specified",
          false },
        { "qrsh -inherit", "commlib error: got read error (closing \"n2/sh/1\")",
          true },
        { "qrsh -inherit", "This account is currently not available.", false },
    };

    (void)state;
    for (size_t i = 0; i < sizeof(table) / sizeof(table[0]); i++) {
        char line[200];

        snprintf(line, sizeof(line), "%s%s", step, table[i].reason);
        assert_int_equal(agent_may_pass(table[i].agent, line),
                         table[i].passes);
    }
}

int main(void)
{
    static const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_words),
        cmocka_unit_test(test_there),
        cmocka_unit_test(test_empty),
        cmocka_unit_test(test_default),
        cmocka_unit_test(test_passes),
    };

    cmocka_set_message_output(CM_OUTPUT_TAP);
    return cmocka_run_group_tests(tests, NULL, NULL);
}
