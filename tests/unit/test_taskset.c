/* test_taskset.c - sets of ranks: text, arithmetic against a plain bit map,
 * and bits. */
#include <errno.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "proto/base/taskset.h"

static const char *text_of(const struct taskset *s)
{
    static char buf[4096];

    assert_true(taskset_format(s, buf, sizeof(buf)) < (int)sizeof(buf));
    return buf;
}

static void test_parse(void **state)
{
    static const struct { const char *in; uint32_t limit; const char *out; }
    table[] = {
        { "", 4, "" },
        { "[]", 4, "" },
        { "0", 1, "0" },
        { "all", 4, "0-3" },
        { "all", 1, "0" },
        { "all", 0, "" },
        { "0-3,7", 8, "0-3,7" },
        { "[0-3,7]", 8, "0-3,7" },
        { "7,0-3", 8, "0-3,7" },
        { "1,2,3", 8, "1-3" },
        { "5-5", 8, "5" },
        { "0-3,2-6", 8, "0-6" },
        { "0-1,3,2", 8, "0-3" },
        { "007", 8, "7" },
        { "4294967294", UINT32_MAX, "4294967294" },
        { "0-4294967294", UINT32_MAX, "0-4294967294" },
    };

    (void)state;
    for (size_t i = 0; i < sizeof(table) / sizeof(table[0]); i++) {
        struct taskset s = { 0 };
        struct err err = { 0 };

        if (taskset_parse(&s, table[i].in, table[i].limit, &err) < 0)
            fail_msg("%s: %s", table[i].in, err.text);
        assert_string_equal(text_of(&s), table[i].out);
        taskset_fini(&s);
    }
}

static void test_parse_errors(void **state)
{
    static const struct { const char *in, *names; } table[] = {
        { "x", "\"x\"" },           { "1,", "\"1\"" },
        { ",1", "\"\"" },           { "1,,2", "\"\"" },
        { "3-1", "\"3-1\"" },       { "-1", "\"-1\"" },
        { "1-", "\"1-\"" },         { "1--2", "\"1--2\"" },
        { "1-2-3", "\"1-2-3\"" },   { "1 2", "\"1 2\"" },
        { " 1", "\" 1\"" },         { "+1", "\"+1\"" },
        { "[1", "\"]\"" },          { "1]", "\"1\"" },
        { "[1]x", "\"]\"" },        { "[[1]]", "" },
        { "8", "rank 8" },          { "0-8", "rank 8" },
        { "ALL", "\"ALL\"" },       { "all,1", "\"all\"" },
        { "99999999999999999999", "99999999999999999999" },
        { "[", "]" },               { "]", "" },
        { "1,[2]", "[2" },
    };

    (void)state;
    for (size_t i = 0; i < sizeof(table) / sizeof(table[0]); i++) {
        struct taskset s = { 0 };
        struct err err = { 0 };

        taskset_add(&s, 1, 2);
        if (taskset_parse(&s, table[i].in, 8, &err) == 0)
            fail_msg("\"%s\" was taken for \"%s\"", table[i].in, text_of(&s));
        assert_int_not_equal(err.code, 0);
        if (!strstr(err.text, table[i].names))
            fail_msg("\"%s\": %s", table[i].in, err.text);
        assert_int_equal(s.n, 0);
        taskset_fini(&s);
    }
}

static void test_format_measures(void **state)
{
    struct taskset s = { 0 };
    char buf[8];

    (void)state;
    taskset_add(&s, 10, 20);
    taskset_add(&s, 30, 30);
    assert_int_equal(taskset_format(&s, NULL, 0), 8);
    assert_int_equal(taskset_format(&s, buf, sizeof(buf)), 8);
    assert_string_equal(buf, "10-20,3");
    taskset_fini(&s);
    assert_int_equal(taskset_format(&s, buf, sizeof(buf)), 0);
    assert_string_equal(buf, "");
}

enum { RANKS = 200 };

/* The set and the map agree, and the set is in its one form. */
static void check(const struct taskset *s, const bool *map)
{
    size_t count = 0;
    int64_t at = -1;

    for (uint32_t r = 0; r < RANKS; r++) {
        assert_int_equal(taskset_has(s, r), map[r]);
        count += map[r];
        if (map[r]) {
            at = taskset_next(s, at);
            assert_int_equal(at, r);
        }
    }
    assert_int_equal(taskset_next(s, at), -1);
    assert_int_equal(taskset_count(s), count);
    for (size_t i = 1; i < s->n; i++)
        assert_true(s->v[i - 1].last + 1 < s->v[i].first);
}

/* Random additions and removals against a map of bools. */
static void test_arithmetic(void **state)
{
    (void)state;
    srand(4711);
    for (int round = 0; round < 300; round++) {
        struct taskset s = { 0 }, t = { 0 }, back = { 0 };
        bool map[RANKS] = { false }, other[RANKS] = { false };

        for (int i = 0; i < 40; i++) {
            uint32_t first = (uint32_t)(rand() % RANKS);
            uint32_t last = first + (uint32_t)(rand() % 12);
            bool add = rand() % 3;

            if (last >= RANKS)
                last = RANKS - 1;
            for (uint32_t r = first; r <= last; r++)
                map[r] = add;
            if (add)
                assert_int_equal(taskset_add(&s, first, last), 0);
            else
                assert_int_equal(taskset_remove(&s, first, last), 0);
            check(&s, map);
        }
        for (int i = 0; i < 10; i++) {
            uint32_t r = (uint32_t)(rand() % RANKS);

            other[r] = true;
            taskset_add(&t, r, r);
        }
        assert_int_equal(taskset_parse(&back, text_of(&s), RANKS, NULL), 0);
        assert_true(taskset_equal(&back, &s));
        assert_int_equal(taskset_copy(&back, &t), 0);
        assert_true(taskset_equal(&back, &t));
        assert_int_equal(taskset_union(&s, &t), 0);
        for (uint32_t r = 0; r < RANKS; r++)
            map[r] |= other[r];
        check(&s, map);
        taskset_fini(&s);
        taskset_fini(&t);
        taskset_fini(&back);
    }
}

static void test_edges(void **state)
{
    struct taskset s = { 0 }, t = { 0 };

    (void)state;
    taskset_add(&s, UINT32_MAX, UINT32_MAX);
    taskset_add(&s, 0, 0);
    assert_string_equal(text_of(&s), "0,4294967295");
    assert_int_equal(taskset_next(&s, 0), UINT32_MAX);
    assert_int_equal(taskset_next(&s, UINT32_MAX), -1);
    taskset_add(&s, UINT32_MAX - 1, UINT32_MAX - 1);
    assert_string_equal(text_of(&s), "0,4294967294-4294967295");
    taskset_add(&t, 0, UINT32_MAX);
    assert_int_equal(taskset_union(&t, &s), 0);
    assert_string_equal(text_of(&t), "0-4294967295");
    assert_int_equal(taskset_count(&t), (size_t)UINT32_MAX + 1);
    taskset_remove(&t, 0, UINT32_MAX - 1);
    assert_string_equal(text_of(&t), "4294967295");
    taskset_remove(&t, 5, 4);
    taskset_add(&t, 5, 4);
    assert_int_equal(t.n, 1);
    taskset_fini(&s);
    taskset_fini(&s);
    assert_int_equal(taskset_union(&t, &s), 0);
    assert_int_equal(taskset_union(&s, &t), 0);
    assert_true(taskset_equal(&s, &t));
    taskset_fini(&s);
    taskset_fini(&t);
    assert_true(taskset_equal(&s, &t));
    assert_false(taskset_has(&s, 0));
    assert_int_equal(taskset_next(&s, -1), -1);
}

/* Bits and back, also with an offset and an odd number of bits. */
static void test_bits(void **state)
{
    static const uint32_t firsts[] = { 0, 1, 63, 64, 1000 };
    static const size_t sizes[] = { 0, 1, 63, 64, 65, 127, 128, 129, 200 };

    (void)state;
    srand(42);
    for (size_t i = 0; i < 5 * 9 * 20; i++) {
        uint32_t first = firsts[i % 5];
        size_t nbits = sizes[i / 5 % 9];
        uint64_t words[4];
        struct taskset s = { 0 };

        for (int w = 0; w < 4; w++) {
            words[w] = (uint64_t)rand() << 40 ^ (uint64_t)rand() << 16 ^
                       (uint64_t)rand();
            if (rand() % 4 == 0)
                words[w] = rand() % 2 ? ~0ull : 0;
        }
        assert_int_equal(taskset_from_bits(&s, first, words, nbits), 0);
        for (size_t b = 0; b < nbits; b++) {
            bool bit = words[b / 64] >> (b % 64) & 1;

            assert_int_equal(taskset_has(&s, first + (uint32_t)b), bit);
        }
        assert_false(taskset_has(&s, first + (uint32_t)nbits));
        taskset_fini(&s);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_parse),
        cmocka_unit_test(test_parse_errors),
        cmocka_unit_test(test_format_measures),
        cmocka_unit_test(test_arithmetic),
        cmocka_unit_test(test_edges),
        cmocka_unit_test(test_bits),
    };

    cmocka_set_message_output(CM_OUTPUT_TAP);
    return cmocka_run_group_tests(tests, NULL, NULL);
}
