/* test_lastrun.c - what is kept of a run: programs and arguments as words, of the
 * environment what counts and no more, builds of executables; and the number that
 * is the same for the same, and for nothing else. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "master/tree/lastrun.h"
#include "proto/link/message.h"
#include "proto/model/runkey.h"

static ProtobufCBinaryData bytes(const char *text)
{
    return (ProtobufCBinaryData){ strlen(text), (uint8_t *)(uintptr_t)text };
}

static void test_what(void **state)
{
    ProtobufCBinaryData a[] = { bytes("./a"), bytes("1 2"), bytes("") };
    ProtobufCBinaryData b[] = { bytes("/bin/b") };
    Hct__App first = HCT__APP__INIT, second = HCT__APP__INIT;
    Hct__App *apps[] = { &first, &second };
    Hct__Submit s = HCT__SUBMIT__INIT;
    struct str out = { 0 };

    (void)state;
    first.argv = a;
    first.n_argv = 3;
    first.ntasks = 3;
    second.argv = b;
    second.n_argv = 1;
    second.ntasks = 1;
    s.apps = apps;
    s.n_apps = 1;
    lastrun_what(&s, &out);
    assert_string_equal(str_text(&out), "./a '1 2' ''");
    str_reset(&out);
    s.n_apps = 2;
    lastrun_what(&s, &out);
    assert_string_equal(str_text(&out), "-n 3 ./a '1 2' '' : -n 1 /bin/b");
    str_fini(&out);
}

static void test_environment(void **state)
{
    ProtobufCBinaryData env[] = {
        bytes("PATH=/bin"), bytes("OMP_NUM_THREADS=4"), bytes("SECRET=x"),
        bytes("OMPI_MCA_btl=tcp"), bytes("OMP_NAMES"), bytes("=OMP_X=1"),
        bytes("HECTOR_INJECT=slow"), bytes("OMP_LINES=a\nSECRET=b"),
        bytes("LD_LIBRARY_PATH=/lib"), bytes("MY_OMP_X=1"),
    };
    Hct__App app = HCT__APP__INIT, *apps[] = { &app };
    Hct__Submit s = HCT__SUBMIT__INIT;
    struct str out = { 0 };

    (void)state;
    lastrun_environment(&s, &out);
    assert_string_equal(str_text(&out), "");
    app.env = env;
    app.n_env = sizeof(env) / sizeof(env[0]);
    s.apps = apps;
    s.n_apps = 1;
    lastrun_environment(&s, &out);
    assert_string_equal(str_text(&out), "OMP_NUM_THREADS=4\nOMPI_MCA_btl=tcp\n"
                        "LD_LIBRARY_PATH=/lib\n");
    str_fini(&out);
}

static void test_builds(void **state)
{
    Hct__Profile__Module m[] = {
        HCT__PROFILE__MODULE__INIT, HCT__PROFILE__MODULE__INIT,
        HCT__PROFILE__MODULE__INIT, HCT__PROFILE__MODULE__INIT,
    }, *modules[] = { &m[0], &m[1], &m[2], &m[3] };
    Hct__Model model = HCT__MODEL__INIT;
    struct str out = { 0 };

    (void)state;
    m[0].path = (char *)"/opt/zeta";
    m[0].build_id = (ProtobufCBinaryData){ 2, (uint8_t *)"\x01\xfe" };
    m[1].path = (char *)"/lib/libm.so.6";
    m[2].path = (char *)"/opt/alpha";
    m[3].path = (char *)"/opt/";
    runkey_builds(&model, &out);
    assert_string_equal(str_text(&out), "");
    model.modules = modules;
    model.n_modules = 4;
    runkey_builds(&model, &out);
    assert_string_equal(str_text(&out), "/opt/alpha,zeta 01fe");
    str_fini(&out);
}

static void test_key(void **state)
{
    uint64_t key = runkey_make("a 01", "./a 1", 4);

    (void)state;
    assert_true(key > 0 && key < UINT64_C(1) << 52);
    assert_true(key == runkey_make("a 01", "./a 1", 4));
    assert_true(key != runkey_make("a 02", "./a 1", 4));
    assert_true(key != runkey_make("a 01", "./a 2", 4));
    assert_true(key != runkey_make("a 01", "./a 1", 5));
    assert_true(runkey_make("a", "bc", 4) != runkey_make("ab", "c", 4));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_what), cmocka_unit_test(test_environment),
        cmocka_unit_test(test_builds), cmocka_unit_test(test_key),
    };

    cmocka_set_message_output(CM_OUTPUT_TAP);
    return cmocka_run_group_tests(tests, NULL, NULL);
}
