/* test_seal.c - sealed records: what was sealed comes out, in order and once, and
 * nothing else does. */
#include <errno.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "proto/link/seal.h"

enum { MOST = 100000 };

static struct seal *a, *b;      /* the two ends of a link */
static uint8_t record[SEAL_OVER + MOST];
static struct seal_opened opened;
static size_t need;
static struct err err;

/* As after a proof. */
static void link_ends(void)
{
    struct key k = { { 1, 2, 3 } };
    struct key_exchange c, s;
    struct key_session keys;
    uint8_t call[KEY_CALL], answer[KEY_ANSWER], proof[KEY_PROOF];

    seal_free(a);
    seal_free(b);
    key_call(&c, call);
    assert_int_equal(key_answer(&s, &k, call, answer, &err), 0);
    assert_int_equal(key_prove(&c, &k, answer, proof, &err), 0);
    assert_true(key_check(&s, &k, proof));
    assert_int_equal(key_session(&c, &k, false, &keys, &err), 0);
    a = seal_new(&keys, &err);
    assert_int_equal(key_session(&s, &k, true, &keys, &err), 0);
    b = seal_new(&keys, &err);
    assert_true(a && b);
}

static uint8_t byte_at(size_t i)
{
    return (uint8_t)(i * 31 + i / 251);
}

static size_t put(struct seal *from, size_t n, bool last)
{
    for (size_t i = 0; i < n; i++)
        record[SEAL_HEAD + i] = byte_at(i);
    seal_close(from, record, n, last);
    return SEAL_OVER + n;
}

static long take(struct seal *to, size_t n)
{
    return seal_open(to, record, n, MOST, &opened, &need, &err);
}

static void takes(struct seal *to, size_t n, bool last)
{
    assert_int_equal(take(to, SEAL_OVER + n), SEAL_OVER + n);
    assert_int_equal(opened.n, n);
    assert_int_equal(opened.last, last);
    for (size_t i = 0; i < n; i++)
        assert_int_equal(opened.bytes[i], byte_at(i));
}

static void test_both_ways(void **state)
{
    static const size_t sizes[] = { 0, 1, 12, 63, 64, 65, 4096, MOST };

    (void)state;
    link_ends();
    for (int round = 0; round < 3; round++)
        for (size_t i = 0; i < sizeof(sizes) / sizeof(sizes[0]); i++) {
            put(a, sizes[i], i == 3);
            takes(b, sizes[i], i == 3);
            put(b, sizes[i], false);
            takes(a, sizes[i], false);
        }
}

/* No byte of it stands there as it was, and the same is never sealed alike. */
static void test_hides(void **state)
{
    static const char text[] = "MPI_COMM_WORLD of a secret job";
    uint8_t before[SEAL_OVER + sizeof(text)];

    (void)state;
    link_ends();
    memcpy(record + SEAL_HEAD, text, sizeof(text));
    seal_close(a, record, sizeof(text), false);
    for (size_t i = 0; i + 4 <= sizeof(text); i++)
        assert_memory_not_equal(record + SEAL_HEAD + i, text + i, 4);
    memcpy(before, record, sizeof(before));
    memcpy(record + SEAL_HEAD, text, sizeof(text));
    seal_close(a, record, sizeof(text), false);
    assert_memory_not_equal(before + SEAL_HEAD, record + SEAL_HEAD, sizeof(text));
}

/* A record comes in pieces: how much is needed is said, nothing is looked at twice,
 * and the rest of what is there is the next one's. */
static void test_in_pieces(void **state)
{
    (void)state;
    link_ends();
    put(a, 500, false);
    for (size_t n = 0; n < SEAL_OVER + 500; n++) {
        assert_int_equal(take(b, n), 0);
        assert_int_equal(need, n < SEAL_HEAD ? SEAL_HEAD : SEAL_OVER + 500);
    }
    assert_int_equal(take(b, sizeof(record)), SEAL_OVER + 500);
    assert_int_equal(opened.n, 500);
}

static void refused(struct seal *to, size_t n, int code)
{
    assert_int_equal(take(to, n), -1);
    assert_int_equal(err.code, code);
    assert_true(*err.text);
}

/* Every single bit of it matters, that of the last one and those of the length,
 * too: with another length it is more that is needed, or another record. */
static void test_changed(void **state)
{
    (void)state;
    for (int bit = 0; bit < 8 * (SEAL_OVER + 8); bit++) {
        size_t n;
        long took;

        link_ends();
        n = put(a, 8, false);
        record[bit / 8] ^= (uint8_t)(1 << bit % 8);
        took = take(b, n);
        assert_true(took < 0 || (took == 0 && bit < 8 * SEAL_HEAD));
    }
}

static void test_order(void **state)
{
    uint8_t first[SEAL_OVER + 20], second[SEAL_OVER + 20];

    (void)state;
    for (int fault = 0; fault < 4; fault++) {
        link_ends();
        put(a, 20, false);
        memcpy(first, record, sizeof(first));
        put(a, 20, false);
        memcpy(second, record, sizeof(second));
        switch (fault) {
        case 0:                                 /* left out */
            refused(b, sizeof(second), EKEYREJECTED);
            break;
        case 1:                                 /* doubled */
            memcpy(record, first, sizeof(first));
            takes(b, 20, false);
            memcpy(record, first, sizeof(first));
            refused(b, sizeof(first), EKEYREJECTED);
            break;
        case 2:                                 /* sent back */
            memcpy(record, first, sizeof(first));
            refused(a, sizeof(first), EKEYREJECTED);
            break;
        case 3:                                 /* of another link */
            link_ends();
            memcpy(record, first, sizeof(first));
            refused(b, sizeof(first), EKEYREJECTED);
            break;
        }
    }
}

static void test_too_large(void **state)
{
    (void)state;
    link_ends();
    put(a, 101, false);
    assert_int_equal(seal_open(b, record, SEAL_OVER + 101, 100, &opened, &need,
                               &err), -1);
    assert_int_equal(err.code, EMSGSIZE);
    /* ... before any of it is there. */
    memset(record, 0xff, SEAL_HEAD);
    refused(b, SEAL_HEAD, EMSGSIZE);
}

static int drop(void **state)
{
    (void)state;
    seal_free(a);
    seal_free(b);
    a = b = NULL;
    return 0;
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_both_ways),
        cmocka_unit_test(test_hides),
        cmocka_unit_test(test_in_pieces),
        cmocka_unit_test(test_changed),
        cmocka_unit_test(test_order),
        cmocka_unit_test(test_too_large),
    };

    cmocka_set_message_output(CM_OUTPUT_TAP);
    return cmocka_run_group_tests(tests, NULL, drop);
}
