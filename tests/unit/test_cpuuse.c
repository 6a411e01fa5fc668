/* test_cpuuse.c - what tasks of a job may use, by the nodes that it can be on. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "master/state/cpuuse.h"
#include "master/state/node.h"

/* By features of the table, divided by blanks. */
static struct node node(const char *name, const char *features)
{
    struct node n = { .name = (char *)(uintptr_t)name };

    for (size_t i = 0; i < cpu_nfeatures; i++) {
        const struct cpu_feature *f = &cpu_features[i];
        size_t length = strlen(f->name);

        for (const char *p = features; (p = strstr(p, f->name)); p += length)
            if ((p == features || p[-1] == ' ') &&
                (p[length] == ' ' || !p[length]))
                n.cpu.has[f->word] |= 1u << f->bit;
    }
    return n;
}

static void test_common(void **state)
{
    struct node best = node("best", "SSE4_2 AVX AVX2 BMI2 AVX512F"),
                good = node("good", "SSE4_2 AVX AVX2"),
                old = node("old", "SSE4_2"), mute = node("mute", "");
    struct node *alike[] = { &good, &good }, *mixed[] = { &mute, &best, &good },
                *older[] = { &good, &old }, *mutes[] = { &mute };
    struct cpuuse u = cpuuse_of(alike, 2);

    (void)state;
    assert_memory_equal(&u.has, &good.cpu, sizeof(u.has));
    assert_false(u.bind_now);
    u = cpuuse_of(mixed, 3);
    assert_memory_equal(&u.has, &good.cpu, sizeof(u.has));
    assert_true(u.bind_now);
    u = cpuuse_of(older, 2);
    assert_memory_equal(&u.has, &old.cpu, sizeof(u.has));
    assert_true(u.bind_now);
    u = cpuuse_of(mutes, 1);
    assert_false(cpuuse_known(&u) || u.bind_now);
    u = cpuuse_of(NULL, 0);
    assert_false(cpuuse_known(&u));
}

static void test_check(void **state)
{
    struct node best = node("best", "SSE4_2 AVX AVX2 BMI2 AVX512F"),
                better = node("better", "SSE4_2 AVX AVX2 BMI2"),
                good = node("good", "SSE4_2 AVX AVX2"),
                old = node("old", "SSE4_2"), mute = node("mute", "");
    struct cpuuse u = { .has = good.cpu }, unknown = { 0 };
    struct err err;

    (void)state;
    assert_int_equal(cpuuse_check(&u, 7, &good, &err), 0);
    assert_int_equal(cpuuse_check(&u, 7, &better, &err), 0);
    assert_int_equal(cpuuse_check(&u, 7, &mute, &err), 0);
    assert_int_equal(cpuuse_check(&unknown, 7, &old, &err), 0);
    assert_int_equal(cpuuse_check(&u, 7, &old, &err), -1);
    assert_string_equal(err.text, "node old has no AVX, AVX2, which tasks of job 7 "
                        "may use: they do without if it is among its hosts from "
                        "the start");
    assert_int_equal(cpuuse_check(&u, 7, &best, &err), -1);
    assert_string_equal(err.text, "node best has wider registers than tasks of job "
                        "7 were started for: it has to be among its hosts from "
                        "the start");
    u.bind_now = true;
    assert_int_equal(cpuuse_check(&u, 7, &best, &err), 0);
}

/* Of another version, which knows of more or less. */
static void test_messages(void **state)
{
    uint32_t words[CPU_WORDS + 2];
    Hct__CpuUse m = HCT__CPU_USE__INIT;
    struct cpuuse u = cpuuse_read(NULL);

    (void)state;
    assert_false(cpuuse_known(&u));
    for (size_t i = 0; i < CPU_WORDS + 2; i++)
        words[i] = (uint32_t)i + 1;
    m.has = words;
    m.n_has = CPU_WORDS + 2;
    m.bind_now = true;
    u = cpuuse_read(&m);
    assert_true(u.bind_now);
    assert_memory_equal(u.has.has, words, sizeof(u.has.has));
    m.n_has = 1;
    u = cpuuse_read(&m);
    assert_int_equal(u.has.has[0], 1);
    assert_int_equal(u.has.has[1], 0);
    cpuuse_write(&m, &u);
    assert_int_equal(m.n_has, CPU_WORDS);
    assert_int_equal(m.has[0], 1);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_common), cmocka_unit_test(test_check),
        cmocka_unit_test(test_messages),
    };

    cmocka_set_message_output(CM_OUTPUT_TAP);
    return cmocka_run_group_tests(tests, NULL, NULL);
}
