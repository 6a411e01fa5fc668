/* test_place.c - placement as a table: hosts in, ranks out. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "master/state/place.h"

static const struct row {
    const char *what;
    struct place_wish wish;
    struct place_host hosts[4];
    size_t nhosts;
    const char *ranks;          /* host of each rank; NULL: impossible */
} table[] = {
    { "one task", { 1, false, 0 }, { { 4, 0 } }, 1, "0" },
    { "12 by slot on 3", { 12, false, 0 }, { { 4, 0 }, { 4, 0 }, { 4, 0 } }, 3,
      "000011112222" },
    { "12 by node on 3", { 12, true, 0 }, { { 4, 0 }, { 4, 0 }, { 4, 0 } }, 3,
      "012012012012" },
    { "fewer than slots", { 5, false, 0 }, { { 4, 0 }, { 4, 0 } }, 2, "00001" },
    { "fewer, by node", { 5, true, 0 }, { { 4, 0 }, { 4, 0 } }, 2, "01010" },
    { "unequal, by node", { 6, true, 0 }, { { 1, 0 }, { 4, 0 }, { 2, 0 } }, 3,
      "012121" },
    { "oversubscribed", { 4, false, 0 }, { { 2, 0 } }, 1, "0000" },
    { "oversubscribed 2, by slot", { 8, false, 0 }, { { 2, 0 }, { 2, 0 } }, 2,
      "00001111" },
    { "in proportion to slots", { 9, false, 0 }, { { 1, 0 }, { 2, 0 } }, 2,
      "000111111" },
    { "last round is partial", { 7, false, 0 }, { { 2, 0 }, { 2, 0 } }, 2,
      "0000111" },
    { "oversubscribed by node", { 7, true, 0 }, { { 1, 0 }, { 2, 0 } }, 2,
      "0110110" },
    { "per node", { 4, false, 2 }, { { 8, 0 }, { 8, 0 }, { 8, 0 } }, 3,
      "0011" },
    { "per node above slots", { 4, false, 2 }, { { 1, 0 }, { 1, 0 } }, 2,
      "0011" },
    { "per node, by node", { 3, true, 1 }, { { 8, 0 }, { 8, 0 }, { 8, 0 } }, 3,
      "012" },
    { "per node too small", { 5, false, 2 }, { { 8, 0 }, { 8, 0 } }, 2, NULL },
    { "used slots come last", { 8, false, 0 },
      { { 4, 4 }, { 4, 0 }, { 4, 0 } }, 3, "11112222" },
    { "all used alike", { 6, false, 0 }, { { 2, 2 }, { 2, 2 }, { 2, 2 } }, 3,
      "001122" },
    { "no host", { 1, false, 0 }, { { 0, 0 } }, 0, NULL },
    { "no task", { 0, false, 0 }, { { 4, 0 } }, 1, NULL },
    { "no slots count as one", { 2, false, 0 }, { { 0, 0 }, { 0, 0 } }, 2,
      "01" },
};

static void test_table(void **state)
{
    (void)state;
    for (size_t i = 0; i < sizeof(table) / sizeof(table[0]); i++) {
        const struct row *t = &table[i];
        uint32_t host_of[64] = { 0 }, count[4] = { 0 }, seen[4] = { 0 };
        char got[65] = "";
        struct err err = { 0 };
        int rc = place_tasks(&t->wish, t->hosts, t->nhosts, host_of, count,
                             &err);

        if (!t->ranks) {
            if (rc == 0)
                fail_msg("%s was placed", t->what);
            assert_true(err.text[0] != 0);
            continue;
        }
        if (rc)
            fail_msg("%s: %s", t->what, err.text);
        for (uint32_t r = 0; r < t->wish.ntasks; r++) {
            got[r] = (char)('0' + host_of[r]);
            seen[host_of[r]]++;
        }
        if (strcmp(got, t->ranks) != 0)
            fail_msg("%s: %s, not %s", t->what, got, t->ranks);
        assert_memory_equal(seen, count, sizeof(seen));
    }
}

/* Many tasks on many hosts: every rank once, no host over its share. */
static void test_large(void **state)
{
    enum { HOSTS = 200, TASKS = 100000 };
    static struct place_host hosts[HOSTS];
    static uint32_t host_of[TASKS], count[HOSTS];
    struct place_wish wish = { TASKS, false, 0 };
    struct err err;
    uint64_t sum;

    (void)state;
    for (int i = 0; i < HOSTS; i++)
        hosts[i].slots = 1 + (uint32_t)i % 7;
    for (int by_node = 0; by_node < 2; by_node++) {
        wish.by_node = by_node;
        assert_int_equal(place_tasks(&wish, hosts, HOSTS, host_of, count,
                                     &err), 0);
        sum = 0;
        for (int i = 0; i < HOSTS; i++) {
            sum += count[i];
            assert_true(count[i] <= 127 * hosts[i].slots);
        }
        assert_int_equal(sum, TASKS);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_table),
        cmocka_unit_test(test_large),
    };

    cmocka_set_message_output(CM_OUTPUT_TAP);
    return cmocka_run_group_tests(tests, NULL, NULL);
}
