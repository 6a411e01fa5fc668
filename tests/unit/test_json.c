/* test_json.c - rows as JSON: every value keeps its type, strange bytes do
 * not break the document. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <cmocka.h>

#include "master/hector/core/json.h"

static struct store_value text(const char *s, size_t n)
{
    return (struct store_value){ .type = STORE_TEXT, .text = s, .bytes = n };
}

static void test_rows(void **state)
{
    static const char *const names[] = { "i", "r", "t", "n" };
    static const struct { const char *bytes; size_t n; const char *json; } v[] = {
        { "plain", 5, "\"plain\"" },
        { "a\"b\\\n\t", 6, "\"a\\\"b\\\\\\n\\t\"" },
        { "zero\0in", 7, "\"zero\\u0000in\"" },
        { "\xc3\xa4", 2, "\"\xc3\xa4\"" },
        { "\xe4!", 2, "\"\xef\xbf\xbd!\"" },
        { "\xc0\xaf", 2, "\"\xef\xbf\xbd\xef\xbf\xbd\"" },
        { "\xed\xa0\x80", 3, "\"\xef\xbf\xbd\xef\xbf\xbd\xef\xbf\xbd\"" },
        { "\xf0\x9f\x98", 3, "\"\xef\xbf\xbd\xef\xbf\xbd\xef\xbf\xbd\"" },
    };

    (void)state;
    for (size_t i = 0; i < sizeof(v) / sizeof(v[0]); i++) {
        struct store_value values[] = {
            { .type = STORE_INT, .i = 1795222222123456789 },
            { .type = STORE_REAL, .d = 0.5 },
            text(v[i].bytes, v[i].n),
            { .type = STORE_NULL },
        };
        char *out = NULL, want[256];
        size_t size;
        struct json_rows j;
        FILE *f = open_memstream(&out, &size);

        json_begin(&j, f);
        assert_int_equal(json_add(&j, 4, names, values, NULL), 0);
        assert_int_equal(json_end(&j, NULL), 0);
        fclose(f);
        snprintf(want, sizeof(want), "[{\"i\":1795222222123456789,\"r\":0.5,"
                 "\"t\":%s,\"n\":null}]\n", v[i].json);
        assert_string_equal(out, want);
        free(out);
    }
}

static void test_none(void **state)
{
    char *out = NULL;
    size_t size;
    struct json_rows j;
    FILE *f = open_memstream(&out, &size);

    (void)state;
    json_begin(&j, f);
    assert_int_equal(json_end(&j, NULL), 0);
    fclose(f);
    assert_string_equal(out, "[]\n");
    free(out);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_rows),
        cmocka_unit_test(test_none),
    };

    cmocka_set_message_output(CM_OUTPUT_TAP);
    return cmocka_run_group_tests(tests, NULL, NULL);
}
