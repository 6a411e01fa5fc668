/* test_published.c - published names and look-ups that wait for them. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

#include "master/state/published.h"
#include "proto/base/str.h"

static struct str said;

static void answer(void *arg, const struct published_asker *who,
                   enum published_status status,
                   const struct published_value *found, size_t n)
{
    (void)arg;
    str_addf(&said, "%llu:%d", (unsigned long long)who->ticket, (int)status);
    for (size_t i = 0; i < n; i++)
        str_addf(&said, " %s=%.*s/%u", found[i].key, (int)found[i].bytes,
                 (const char *)found[i].value, found[i].rank);
    str_add(&said, "\n");
}

static void expect(const char *text)
{
    assert_string_equal(str_text(&said), text);
    str_reset(&said);
}

static void publish(struct published *n, uint64_t job, uint64_t ticket,
                    const char *key, const char *value, bool once)
{
    struct published_asker who = { job, 0, ticket };
    struct published_value v = { .key = key, .nspace = "ns", .rank = 5,
                             .value = (const uint8_t *)value,
                             .bytes = strlen(value), .job = job,
                             .first_read_only = once };

    published_publish(n, &who, &v);
}

static void lookup(struct published *n, uint64_t job, uint64_t ticket,
                   const char *a, const char *b, bool wait, uint64_t deadline)
{
    struct published_asker who = { job, 0, ticket };
    char *keys[2] = { (char *)a, (char *)b };

    published_lookup(n, &who, keys, b ? 2 : 1, wait, deadline);
}

static void unpublish(struct published *n, uint64_t job, uint32_t rank,
                      const char *key)
{
    struct published_asker who = { job, 0, 9 };
    char *keys[1] = { (char *)key };

    published_unpublish(n, &who, rank, keys, key ? 1 : 0);
}

static void test_names(void **state)
{
    struct published *n = published_create(answer, NULL);

    (void)state;
    lookup(n, 1, 1, "port", NULL, false, 0);
    expect("1:-46\n");
    publish(n, 1, 2, "port", "7000", false);
    expect("2:0\n");
    publish(n, 2, 3, "port", "8000", false);
    expect("3:-53\n");
    lookup(n, 2, 4, "port", NULL, false, 0);    /* from another job */
    expect("4:0 port=7000/5\n");
    lookup(n, 2, 5, "port", "none", false, 0);
    expect("5:-52 port=7000/5\n");
    unpublish(n, 2, 5, "port");                 /* it is not his */
    expect("9:-46\n");
    unpublish(n, 1, 4, "port");
    expect("9:-46\n");
    unpublish(n, 1, 5, NULL);
    expect("9:0\n");
    lookup(n, 1, 6, "port", NULL, false, 0);
    expect("6:-46\n");
    published_destroy(n);
}

static void test_waiting(void **state)
{
    struct published *n = published_create(answer, NULL);

    (void)state;
    lookup(n, 1, 1, "a", "b", true, 0);
    lookup(n, 2, 2, "a", NULL, true, 0);
    lookup(n, 3, 3, "b", NULL, true, 500);
    expect("");
    assert_int_equal(published_expire(n, 499), 500);
    publish(n, 1, 4, "a", "x", false);
    expect("4:0\n2:0 a=x/5\n");
    assert_int_equal(published_expire(n, 500), 0);
    expect("3:-24\n");
    publish(n, 1, 5, "b", "y", false);
    expect("5:0\n1:0 a=x/5 b=y/5\n");
    published_destroy(n);
}

static void test_first_read_only(void **state)
{
    struct published *n = published_create(answer, NULL);

    (void)state;
    lookup(n, 1, 1, "k", NULL, true, 0);
    lookup(n, 1, 2, "k", NULL, true, 0);
    publish(n, 1, 3, "k", "v", true);
    expect("3:0\n1:0 k=v/5\n");         /* the second one goes on waiting */
    publish(n, 1, 4, "k", "w", true);
    expect("4:0\n2:0 k=w/5\n");
    lookup(n, 1, 5, "k", NULL, false, 0);
    expect("5:-46\n");
    published_destroy(n);
}

static void test_drop_job(void **state)
{
    struct published *n = published_create(answer, NULL);

    (void)state;
    publish(n, 1, 1, "k", "v", false);
    lookup(n, 1, 2, "z", NULL, true, 0);
    lookup(n, 2, 3, "z", NULL, true, 0);
    str_reset(&said);
    published_drop_job(n, 1);
    expect("");
    lookup(n, 2, 4, "k", NULL, false, 0);
    expect("4:-46\n");
    publish(n, 2, 5, "z", "v", false);
    expect("5:0\n3:0 z=v/5\n");
    published_destroy(n);
    str_fini(&said);
}

static void test_bounds(void **state)
{
    struct published *n = published_create(answer, NULL);
    static uint8_t big[PUBLISHED_JOB_BYTES];
    struct published_asker who = { 2, 0, 7 };
    struct published_value v = { .key = "big", .nspace = "ns", .value = big,
                             .bytes = sizeof(big), .job = 2 };
    char key[16];

    (void)state;
    for (int i = 0; i < PUBLISHED_JOB_VALUES; i++) {
        snprintf(key, sizeof(key), "k%d", i);
        publish(n, 1, 1, key, "v", false);
    }
    str_reset(&said);
    publish(n, 1, 2, "one more", "v", false);
    expect("2:-29\n");
    publish(n, 2, 3, "another's", "v", false);
    expect("3:0\n");
    assert_false(published_publish(n, &who, &v));
    expect("7:-29\n");
    v.bytes /= 2;
    assert_true(published_publish(n, &who, &v));
    expect("7:0\n");
    unpublish(n, 1, 5, "k7");
    str_reset(&said);
    publish(n, 1, 4, "one more", "v", false);
    expect("4:0\n");
    published_drop_job(n, 1);
    publish(n, 1, 5, "one more", "v", false);
    expect("5:0\n");
    published_destroy(n);
    str_fini(&said);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_names),
        cmocka_unit_test(test_waiting),
        cmocka_unit_test(test_first_read_only),
        cmocka_unit_test(test_drop_job),
        cmocka_unit_test(test_bounds),
    };

    cmocka_set_message_output(CM_OUTPUT_TAP);
    return cmocka_run_group_tests(tests, NULL, NULL);
}
