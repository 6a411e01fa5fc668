/* test_cpu.c - features of processors, and the tunable that turns them off. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

#include "mpi-wrappers/cpu.h"
#include "mpi-wrappers/tunable.h"

#define HWCAPS "glibc.cpu.hwcaps="

/* Of names with blanks between them. */
static struct cpu_set set(const char *names)
{
    struct cpu_set s = { { 0 } };

    for (const char *p = names; *p; p += strspn(p, " ")) {
        size_t n = strcspn(p, " "), found = 0;

        for (size_t i = 0; i < cpu_nfeatures; i++)
            if (strlen(cpu_features[i].name) == n &&
                strncmp(cpu_features[i].name, p, n) == 0) {
                s.has[cpu_features[i].word] |= 1u << cpu_features[i].bit;
                found++;
            }
        assert_int_equal(found, 1);
        p += n;
    }
    return s;
}

static void is(const struct cpu_set *s, const char *names)
{
    struct cpu_set wanted = set(names);

    assert_memory_equal(s, &wanted, sizeof(wanted));
}

static void test_table(void **state)
{
    (void)state;
    for (size_t i = 0; i < cpu_nfeatures; i++) {
        struct cpu_set s = set(cpu_features[i].name);

        assert_true(cpu_features[i].word < CPU_WORDS);
        assert_true(cpu_has(&s, &cpu_features[i]));
        for (size_t k = 0; k < i; k++)
            assert_false(cpu_has(&s, &cpu_features[k]));
    }
}

static void test_sets(void **state)
{
    struct cpu_set a = set("AVX AVX2 FMA BMI2"), b = set("AVX FMA LZCNT");
    struct cpu_set lacks = cpu_missing(&b, &a), none = { { 0 } };

    (void)state;
    is(&lacks, "AVX2 BMI2");
    cpu_and(&a, &b);
    is(&a, "AVX FMA");
    cpu_without(&a, &b);
    assert_true(cpu_none(&a));
    assert_true(cpu_none(&none));
    assert_false(cpu_none(&b));
    assert_true(cpu_names(&b, "LZCNT"));
    assert_false(cpu_names(&b, "LZCN"));
}

static void test_wider(void **state)
{
    struct cpu_set sse = set("SSE4_2"), avx = set("AVX AVX2"),
                   avx512 = set("AVX AVX2 AVX512F"), keys = set("AVX OSPKE");

    (void)state;
    assert_true(cpu_is_wider(&avx, &sse));
    assert_true(cpu_is_wider(&avx512, &avx));
    assert_false(cpu_is_wider(&avx, &avx));
    assert_false(cpu_is_wider(&avx, &avx512));
    assert_false(cpu_is_wider(&keys, &avx));
}

static void test_say(void **state)
{
    struct cpu_set s = set("AVX AVX2 FMA BMI2");
    char text[64];

    (void)state;
    cpu_say(&s, 9, text, sizeof(text));
    assert_string_equal(text, "FMA, AVX, AVX2, BMI2");
    cpu_say(&s, 2, text, sizeof(text));
    assert_string_equal(text, "FMA, AVX and 2 more");
    cpu_say(&s, 2, text, 7);
    assert_string_equal(text, "FMA, A");
}

static void test_read(void **state)
{
    struct cpu_set s, all = { { 0 } };

    (void)state;
    for (size_t i = 0; i < cpu_nfeatures; i++)
        all.has[cpu_features[i].word] |= 1u << cpu_features[i].bit;
    cpu_read(&s);
    all = cpu_missing(&all, &s);
    assert_true(cpu_none(&all));        /* none without a name */
#if defined(__x86_64__)
    assert_true(cpu_names(&s, "AVX2") == !!__builtin_cpu_supports("avx2"));
    assert_true(cpu_names(&s, "AVX512F") ==
                !!__builtin_cpu_supports("avx512f"));
    assert_true(cpu_names(&s, "SSE4_2") == !!__builtin_cpu_supports("sse4.2"));
#else
    assert_true(cpu_none(&s));
#endif
}

static void test_off(void **state)
{
    static const struct { const char *tunables, *off; } v[] = {
        { NULL, "" }, { "", "" }, { "glibc.malloc.check=0", "" },
        { HWCAPS "-AVX2", "AVX2" }, { HWCAPS "-AVX2,FMA,-BMI2", "AVX2 BMI2" },
        { HWCAPS "-AVX2_Usable,-SHA", "SHA" },
        { HWCAPS "-AMX_TILE", "AMX_TILE AMX_BF16 AMX_INT8 AMX_FP16 "
                              "AMX_COMPLEX" },
        { "glibc.malloc.check=0:" HWCAPS "-AVX2:glibc.rtld.nns=2", "AVX2" },
        { HWCAPS "-AVX2:" HWCAPS "-FMA", "FMA" },
        { HWCAPS "-AVX2:" HWCAPS, "" }, { "x" HWCAPS "-AVX2", "" },
        { HWCAPS ",,-AVX2,", "AVX2" }, { HWCAPS "-", "" },
    };

    (void)state;
    for (size_t i = 0; i < sizeof(v) / sizeof(v[0]); i++) {
        struct cpu_set off = tunable_off(v[i].tunables);

        is(&off, v[i].off);
    }
}

/* Without its registers nobody has what works on them. */
static void test_off_with(void **state)
{
    struct cpu_set avx = tunable_off(HWCAPS "-AVX"),
                   avx512 = tunable_off(HWCAPS "-AVX512F");

    (void)state;
    assert_true(cpu_names(&avx, "FMA") && cpu_names(&avx, "AVX512_VNNI"));
    assert_true(cpu_names(&avx512, "AVX512VL"));
    assert_true(cpu_names(&avx512, "AVX512_VNNI"));
    assert_false(cpu_names(&avx512, "AVX2") || cpu_names(&avx, "SSE4_2"));
}

static void test_turn_off(void **state)
{
    static const struct { const char *tunables, *off, *text; } v[] = {
        { NULL, "BMI2", HWCAPS "-BMI2" },
        { "", "BMI2 LZCNT", HWCAPS "-BMI2,-LZCNT" },
        { NULL, "AVX2", HWCAPS "-AVX2,-AVX2_Usable" },
        { NULL, "AVX", HWCAPS "-AVX,-AVX_Usable,-AVX_Fast_Unaligned_Load" },
        { NULL, "AVX512_VNNI", HWCAPS "-AVX512_VNNI" },
        { HWCAPS "-RTM,Prefer_ERMS", "BMI2", HWCAPS "-RTM,Prefer_ERMS,-BMI2" },
        { "a=1:" HWCAPS "-RTM:b=2", "BMI2", HWCAPS "-RTM,-BMI2:a=1:b=2" },
        { HWCAPS "-RTM:" HWCAPS ":a=1", "BMI2", HWCAPS "-BMI2:a=1" },
        { "a=1::", "BMI2", HWCAPS "-BMI2:a=1" },
    };
    char text[TUNABLE_BYTES];

    (void)state;
    for (size_t i = 0; i < sizeof(v) / sizeof(v[0]); i++) {
        struct cpu_set off = set(v[i].off), all = { { 0 } };

        assert_int_equal(tunable_turn_off(v[i].tunables, &off, text,
                                          sizeof(text)), 0);
        assert_string_equal(text, v[i].text);
        assert_int_equal(tunable_turn_off(v[i].tunables, &off, text,
                                          strlen(v[i].text)), -1);
        memset(&all, 0xff, sizeof(all));
        assert_int_equal(tunable_turn_off(v[i].tunables, &all, text,
                                          sizeof(text)), 0);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_table), cmocka_unit_test(test_sets),
        cmocka_unit_test(test_wider), cmocka_unit_test(test_say),
        cmocka_unit_test(test_read),  cmocka_unit_test(test_off),
        cmocka_unit_test(test_off_with), cmocka_unit_test(test_turn_off),
    };

    cmocka_set_message_output(CM_OUTPUT_TAP);
    return cmocka_run_group_tests(tests, NULL, NULL);
}
