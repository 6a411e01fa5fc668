/* test_telling.c - the object that the command of --notify is told. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>
#include <jansson.h>

#include "redirector/frontend/telling.h"

enum { PIPE = 65536, TASKS = 4096 };

/* Of m, told as of j. */
static json_t *told(const Hct__Finding *m, const struct telling_job *j,
                    size_t *bytes)
{
    struct telling *t = telling_make(m);
    struct str text = { 0 };
    json_t *is;

    assert_non_null(t);
    assert_int_equal(telling_text(t, j, &text), 0);
    telling_free(t);
    assert_int_equal(strcspn(str_text(&text), "\n"), text.n - 1);
    *bytes = text.n;
    is = json_loads(str_text(&text), 0, NULL);
    assert_non_null(is);
    str_fini(&text);
    return is;
}

static json_t *of(const json_t *j, const char *part, const char *name)
{
    return json_object_get(json_object_get(j, part), name);
}

static void test_words(void **state)
{
    Hct__Finding m = HCT__FINDING__INIT;
    struct telling_job j = { .job = 7, .name = "a \"name\" \\ of 9" };
    size_t bytes;
    json_t *is;

    (void)state;
    m.why = (char *)(uintptr_t)"na\xc3\xafve \xff\x01 \xe2\x82";
    m.score = NAN;
    is = told(&m, &j, &bytes);
    assert_string_equal(json_string_value(of(is, "verdict", "why")),
                        "na\xc3\xafve \xef\xbf\xbd\x01 \xef\xbf\xbd\xef\xbf\xbd");
    assert_string_equal(json_string_value(of(is, "job", "name")), j.name);
    assert_true(json_is_null(of(is, "verdict", "score")));
    assert_true(json_is_null(of(is, "verdict", "kind")));
    assert_true(json_is_null(of(is, "job", "exit_code")));
    assert_true(json_is_null(json_object_get(is, "saved")));
    json_decref(is);
}

static void test_end(void **state)
{
    Hct__Finding m = HCT__FINDING__INIT;
    struct telling_job j = { .job = 7, .ended = true, .exit_code = 123,
                             .left_ns = UINT64_C(7199000000001), .percent = 99.5,
                             .node_hours = 1.25, .core_hours = 5 };
    size_t bytes;
    json_t *is = told(&m, &j, &bytes);

    (void)state;
    assert_int_equal(json_integer_value(of(is, "saved", "left_ns")), j.left_ns);
    assert_true(json_number_value(of(is, "saved", "core_hours")) == 5);
    assert_int_equal(json_integer_value(of(is, "job", "exit_code")), 123);
    json_decref(is);
}

/* As long as it may be: it goes into a pipe before anybody reads, and no
 * character is cut in half. */
static void test_much(void **state)
{
    static Hct__FindingTask task[TASKS], *where[TASKS];
    Hct__Finding m = HCT__FINDING__INIT;
    struct telling_job j = { .job = 7 };
    char *long_text = malloc(3001);
    size_t bytes, n;
    json_t *is;

    (void)state;
    long_text[0] = 'x';         /* so that the 1,000th byte is inside of one */
    for (n = 1; n < 3000 - 1; n += 2)
        memcpy(long_text + n, "\xc3\xaf", 2);
    long_text[n] = '\0';
    for (uint32_t i = 0; i < TASKS; i++) {
        hct__finding_task__init(&task[i]);
        task[i].rank = i;
        task[i].text = i % 2 ? (char *)(uintptr_t)"\x01\x02" : long_text;
        where[i] = &task[i];
    }
    m.where = where;
    m.n_where = TASKS;
    is = told(&m, &j, &bytes);
    assert_in_range(bytes, PIPE / 2, PIPE - 1);
    assert_in_range(json_array_size(json_object_get(is, "where")), 10, TASKS - 1);
    n = strlen(json_string_value(json_object_get(json_array_get(
        json_object_get(is, "where"), 0), "text")));
    assert_int_equal(n, 999);
    json_decref(is);
    free(long_text);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_words),
        cmocka_unit_test(test_end),
        cmocka_unit_test(test_much),
    };

    cmocka_set_message_output(CM_OUTPUT_TAP);
    return cmocka_run_group_tests(tests, NULL, NULL);
}
