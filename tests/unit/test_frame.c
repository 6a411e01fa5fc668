/* test_frame.c - frames torn, merged, oversized and of the future. */
#include <errno.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "proto/link/frame.h"
#include "proto/link/message.h"

/* The bytes themselves: this is what other versions will meet. */
static void test_layout(void **state)
{
    static const uint8_t want[FRAME_HEADER] = {
        0x00, 0x01, 0x02, 0x03, 0x12, 0x34, 0x01, 0x00,
        0xde, 0xad, 0xbe, 0xef,
    };
    uint8_t got[FRAME_HEADER];

    (void)state;
    frame_header(got, 0x1234, 0xdeadbeef, 0x00010203);
    assert_memory_equal(got, want, sizeof(want));
}

static void test_whole(void **state)
{
    uint8_t buf[64];
    struct frame f;
    size_t need = 0;

    (void)state;
    frame_header(buf, 7, 3, 5);
    memcpy(buf + FRAME_HEADER, "hello", 5);
    assert_int_equal(frame_decode(buf, sizeof(buf), &f, &need, NULL), 17);
    assert_int_equal(f.type, 7);
    assert_int_equal(f.sequence, 3);
    assert_int_equal(f.length, 5);
    assert_ptr_equal(f.body, buf + FRAME_HEADER);
}

/* Every prefix of a frame asks for more, never too much, and looks at nothing
 * behind its end (the copy is as long as the prefix, for the sanitizer). */
static void test_torn(void **state)
{
    uint8_t whole[FRAME_HEADER + 40] = { 0 };

    (void)state;
    frame_header(whole, 1, 0, 40);
    for (size_t n = 0; n < sizeof(whole); n++) {
        uint8_t *part = malloc(n ? n : 1);
        struct frame f;
        size_t need = 0;

        assert_non_null(part);
        memcpy(part, whole, n);
        assert_int_equal(frame_decode(part, n, &f, &need, NULL), 0);
        assert_int_equal(need, n < FRAME_HEADER ? FRAME_HEADER
                                                : sizeof(whole));
        free(part);
    }
}

static void test_merged(void **state)
{
    uint8_t buf[1000];
    size_t n = 0, at = 0, need;
    struct frame f;

    (void)state;
    for (uint32_t i = 0; i < 20; i++) {
        frame_header(buf + n, (uint16_t)i, i, i);
        n += FRAME_HEADER + i;
    }
    for (uint32_t i = 0; i < 20; i++) {
        long used = frame_decode(buf + at, n - at, &f, &need, NULL);

        assert_int_equal(used, FRAME_HEADER + i);
        assert_int_equal(f.sequence, i);
        at += (size_t)used;
    }
    assert_int_equal(frame_decode(buf + at, n - at, &f, &need, NULL), 0);
}

static void test_never_a_frame(void **state)
{
    static const struct { uint32_t length; uint8_t version, zero; int code; }
    table[] = {
        { FRAME_BODY_MAX + 1, 1, 0, EMSGSIZE },
        { UINT32_MAX, 1, 0, EMSGSIZE },
        { 0, 0, 0, EPROTO },
        { 0, 2, 0, EPROTO },
        { 0, 255, 0, EPROTO },
        { 0, 1, 1, EPROTO },
        { UINT32_MAX, 2, 0, EPROTO },   /* the version counts first */
    };

    (void)state;
    for (size_t i = 0; i < sizeof(table) / sizeof(table[0]); i++) {
        uint8_t buf[FRAME_HEADER];
        struct frame f;
        struct err err = { 0 };
        size_t need;

        frame_header(buf, 1, 0, 0);
        buf[0] = (uint8_t)(table[i].length >> 24);
        buf[1] = (uint8_t)(table[i].length >> 16);
        buf[2] = (uint8_t)(table[i].length >> 8);
        buf[3] = (uint8_t)table[i].length;
        buf[6] = table[i].version;
        buf[7] = table[i].zero;
        assert_int_equal(frame_decode(buf, sizeof(buf), &f, &need, &err), -1);
        assert_int_equal(err.code, table[i].code);
    }
    uint8_t buf[FRAME_HEADER];
    struct frame f;
    size_t need;

    frame_header(buf, 1, 0, FRAME_BODY_MAX);
    assert_int_equal(frame_decode(buf, sizeof(buf), &f, &need, NULL), 0);
    assert_int_equal(need, FRAME_HEADER + FRAME_BODY_MAX);
}

/* The one list of types: every number has a descriptor, numbers fit the
 * header, and what is not in the list has none. */
static void test_types(void **state)
{
    static const struct { unsigned number; const char *name; } table[] = {
#define X(number, NAME, symbol) { number, #symbol },
        MESSAGE_TYPES(X)
#undef X
    };

    (void)state;
    for (size_t i = 0; i < sizeof(table) / sizeof(table[0]); i++) {
        assert_non_null(message_descriptor(table[i].number));
        assert_true(table[i].number <= UINT16_MAX);
    }
    assert_string_equal(message_name(MESSAGE_TASK_EXITED), "TaskExited");
    assert_null(message_descriptor(0));
    assert_null(message_descriptor(6));
    assert_null(message_descriptor(70000));
    assert_string_equal(message_name(6), "?");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_layout),
        cmocka_unit_test(test_whole),
        cmocka_unit_test(test_torn),
        cmocka_unit_test(test_merged),
        cmocka_unit_test(test_never_a_frame),
        cmocka_unit_test(test_types),
    };

    cmocka_set_message_output(CM_OUTPUT_TAP);
    return cmocka_run_group_tests(tests, NULL, NULL);
}
