/* test_shown.c - what is not shown again of a task's output, and what is. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "proto/base/str.h"
#include "redirector/link/shown.h"

static void emit(void *arg, const void *p, size_t n)
{
    str_add_bytes(arg, p, n);
}

/* In pieces of some size, from a position on. */
static void bring(struct shown *w, const char *text, size_t from, size_t to,
                  size_t most, struct str *out)
{
    while (from < to) {
        size_t n = 1 + (size_t)rand() % most;

        n = n < to - from ? n : to - from;
        shown_take(w, true, from, text + from, n, emit, out);
        from += n;
    }
}

static size_t line_before(const char *text, size_t at)
{
    while (at > 0 && text[at - 1] != '\n')
        at--;
    return at;
}

static void random_text(char *text, size_t n)
{
    size_t line = 1 + (size_t)rand() % 60;

    for (size_t i = 0; i < n; i++)
        text[i] = (size_t)rand() % line == 0 ? '\n'
                                             : (char)('a' + rand() % 4);
}

enum { BYTES = 3000, ROUNDS = 3000 };

/* The same again, however it was cut: each byte is shown once. */
static void test_same(void **state)
{
    char text[BYTES];

    (void)state;
    for (int i = 0; i < ROUNDS; i++) {
        struct shown w = { 0 };
        struct str out = { 0 };
        size_t seen = 0;

        random_text(text, sizeof(text));
        for (int attempt = 0; attempt < 4; attempt++) {
            size_t from = seen ? (size_t)rand() % (seen + 1) : 0;
            size_t to = from + (size_t)rand() % (BYTES - from + 1);

            if (attempt)
                shown_again(&w);
            bring(&w, text, from, to, 1 + (size_t)rand() % 300, &out);
            seen = to > seen ? to : seen;
            assert_false(w.differs);
            assert_int_equal(out.n, seen);
            assert_memory_equal(str_text(&out), text, seen);
        }
        shown_fini(&w);
        str_fini(&out);
    }
}

/* Another byte somewhere: its line, and all that follows, is shown. */
static void test_other(void **state)
{
    char text[BYTES], other[BYTES];
    int differ = 0;

    (void)state;
    for (int i = 0; i < ROUNDS; i++) {
        struct shown w = { 0 };
        struct str out = { 0 };
        size_t seen, from, at, line, end = BYTES;

        random_text(text, sizeof(text));
        memcpy(other, text, sizeof(text));
        seen = 1 + (size_t)rand() % (BYTES - 1);
        from = (size_t)rand() % seen;
        at = from + (size_t)rand() % (seen - from);
        other[at] = other[at] == 'z' ? 'y' : 'z';
        bring(&w, text, 0, seen, 1 + (size_t)rand() % 300, &out);
        shown_again(&w);
        bring(&w, other, from, end, 1 + (size_t)rand() % 300, &out);
        shown_end(&w, emit, &out);
        line = line_before(text, at);
        if (line < from || line == line_before(text, seen)) {
            shown_fini(&w);     /* of a line that is not compared */
            str_fini(&out);
            continue;
        }
        differ++;
        assert_true(w.differs);
        assert_int_equal(out.n, seen + end - line);
        assert_memory_equal(str_text(&out), text, seen);
        assert_memory_equal(str_text(&out) + seen, other + line, end - line);
        shown_fini(&w);
        str_fini(&out);
    }
    assert_true(differ > ROUNDS / 10);
}

/* It ends earlier than it had, with other words: these are shown. */
static void test_shorter(void **state)
{
    static const char first[] = "step 1\nstep 2\nstep 3\nstep 4\n";
    static const char then[] = "step 2\nresult 7\n";
    struct shown w = { 0 };
    struct str out = { 0 };

    (void)state;
    shown_take(&w, true, 0, first, strlen(first), emit, &out);
    shown_again(&w);
    str_reset(&out);
    shown_take(&w, true, 7, then, strlen(then), emit, &out);
    shown_end(&w, emit, &out);
    assert_string_equal(str_text(&out), "result 7\n");
    shown_again(&w);
    str_reset(&out);
    shown_take(&w, true, 0, first, 10, emit, &out);
    assert_string_equal(str_text(&out), "");
    shown_end(&w, emit, &out);
    assert_string_equal(str_text(&out), "ste");
    shown_fini(&w);
    str_fini(&out);
}

/* More lines than are kept, and longer ones than are compared at once. */
static void test_many(void **state)
{
    enum { LINES = 3 * SHOWN_LINES + 5, LONG = 5 * SHOWN_LINE + 77 };
    struct shown w = { 0 };
    struct str out = { 0 }, text = { 0 };
    char *one;

    (void)state;
    for (int i = 0; i < LINES; i++)
        str_addf(&text, "%d\n", i);
    one = malloc(LONG);
    memset(one, 'x', LONG);
    str_add_bytes(&text, one, LONG);
    str_add(&text, "\n");
    bring(&w, str_text(&text), 0, text.n, 5000, &out);
    assert_true(w.nlines <= SHOWN_LINES);
    shown_again(&w);
    str_reset(&out);
    bring(&w, str_text(&text), 0, text.n, 5000, &out);
    assert_int_equal(out.n, 0);
    shown_again(&w);
    one[LONG - 1] = 'y';
    bring(&w, str_text(&text), 0, text.n - LONG - 1, 5000, &out);
    assert_int_equal(out.n, 0);
    shown_take(&w, true, text.n - LONG - 1, one, LONG, emit, &out);
    shown_end(&w, emit, &out);
    assert_true(w.differs && out.n > 0 && out.n <= SHOWN_LINE &&
                str_text(&out)[out.n - 1] == 'y');
    free(one);
    shown_fini(&w);
    str_fini(&out);
    str_fini(&text);
}

/* An earlier hector-run has shown what came first. */
static void test_later(void **state)
{
    struct shown w = { 0 };
    struct str out = { 0 };

    (void)state;
    shown_take(&w, true, 100, "ab\ncd\n", 6, emit, &out);
    shown_again(&w);
    shown_take(&w, true, 100, "ab\ncd\nef\n", 9, emit, &out);
    assert_string_equal(str_text(&out), "ab\ncd\nef\n");
    shown_again(&w);
    shown_take(&w, true, 103, "xy\n", 3, emit, &out);
    assert_string_equal(str_text(&out), "ab\ncd\nef\nxy\n");
    shown_fini(&w);
    str_fini(&out);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_same), cmocka_unit_test(test_other),
        cmocka_unit_test(test_shorter), cmocka_unit_test(test_many),
        cmocka_unit_test(test_later),
    };

    srand(7);
    cmocka_set_message_output(CM_OUTPUT_TAP);
    return cmocka_run_group_tests(tests, NULL, NULL);
}
