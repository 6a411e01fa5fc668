/* test_adoptenv.c - the environment that adopted launchers get, and which
 * options go with adoption. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "redirector/options/options.h"
#include "redirector/start/adoptenv.h"

static void check_script(const char *old, bool export, const char *wanted)
{
    struct adoptenv e;
    char *text;

    assert_int_equal(adoptenv_make(&e, "@hector-1", 7, "/lib/libhector.so", old,
                                   export), 0);
    text = adoptenv_script(&e);
    assert_string_equal(text, wanted);
    free(text);
    adoptenv_fini(&e);
}

static void scripts(void **state)
{
    (void)state;
    check_script(NULL, false,
                 "export HECTOR_SLAVE=@hector-1\n"
                 "export HECTOR_JOB=7\n"
                 "export LD_PRELOAD=/lib/libhector.so\n"
                 "unset HECTOR_RANK\nunset HECTOR_NTASKS\n");
    check_script("/a b.so", true,
                 "export HECTOR_SLAVE=@hector-1\n"
                 "export HECTOR_JOB=7\n"
                 "export LD_PRELOAD='/lib/libhector.so:/a b.so'\n"
                 "export OMPI_MCA_mca_base_env_list="
                 "'HECTOR_SLAVE;HECTOR_JOB;LD_PRELOAD'\n"
                 "unset HECTOR_RANK\nunset HECTOR_NTASKS\n");
}

static void sockets_differ(void **state)
{
    char a[ADOPTENV_SOCKET], b[ADOPTENV_SOCKET];

    (void)state;
    adoptenv_socket(a);
    adoptenv_socket(b);
    assert_int_equal(strlen(a), ADOPTENV_SOCKET - 1);
    assert_memory_equal(a, "@hector-", 8);
    assert_string_not_equal(a, b);
}

static void who_may_export(void **state)
{
    static const char *const v[][5] = {
        { "mpirun", "-n", "2", "a" }, { "/usr/bin/mpiexec", "a" },
        { "mpirun", "-x", "A", "a" }, { "mpirun", "--mca",
        "mca_base_env_list", "A" }, { "mpiexec.mpich", "a" }, { "sh", "a" },
    };
    static const bool may[] = { true, true, false, false, false, false };

    (void)state;
    for (size_t i = 0; i < sizeof(may) / sizeof(may[0]); i++)
        assert_int_equal(adoptenv_may_export((char *const *)v[i], NULL), may[i]);
    assert_false(adoptenv_may_export((char *const *)v[0], "MINE"));
}

static void check_words(const char *words, int rc, const char *text)
{
    char *copy = strdup(words), *argv[16], *save = NULL;
    struct options o;
    struct err err = { 0 };
    int argc = 0;

    for (char *p = strtok_r(copy, " ", &save); p;
         p = strtok_r(NULL, " ", &save))
        argv[argc++] = p;
    argv[argc] = NULL;
    assert_int_equal(options_parse(&o, argc, argv, &err), rc);
    if (rc < 0)
        assert_string_equal(err.text, text);
    else
        assert_int_equal(o.apps[0].argc, atoi(text));
    if (rc == 0)
        options_fini(&o);
    free(copy);
}

static void command_lines(void **state)
{
    (void)state;
    check_words("hector-run --adopt -- mpirun -n 2 a", 0, "4");
    check_words("hector-run --adopt mpirun -n 2 a : -n 3 b :", 0, "9");
    check_words("hector-run --adopt --name x --stdtim --db y a", 0, "1");
    check_words("hector-run --adopt-env", 0, "0");
    check_words("hector-run --adopt-env=12 --name x", 0, "0");
    check_words("hector-run --adopt", -1,
                "no program given; hector-run --help says how");
    check_words("hector-run --adopt -n 2 a", -1, "-n has no use with --adopt: "
                "its launcher starts the tasks");
    check_words("hector-run -l --adopt a", -1, "--label has no use with "
                "--adopt: the tasks' streams are their launcher's");
    check_words("hector-run --adopt-env a", -1, "--adopt-env takes no "
                "command: it is the shell that is watched");
    check_words("hector-run --adopt-env=1", -1, "--adopt-env=1: the number "
                "of a process is wanted, as $$");
    check_words("hector-run --adopt-env --timeout 3", -1, "--timeout has no "
                "use with --adopt-env: the shell is not ours to end");
    check_words("hector-run --adopt --adopt-env a", -1, "--adopt runs a "
                "command, --adopt-env watches a shell; give one of them");
    check_words("hector-run a : --adopt b", -1, "--adopt stands in front of "
                "the whole command");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(scripts),
        cmocka_unit_test(sockets_differ),
        cmocka_unit_test(who_may_export),
        cmocka_unit_test(command_lines),
    };

    cmocka_set_message_output(CM_OUTPUT_TAP);
    return cmocka_run_group_tests(tests, NULL, NULL);
}
