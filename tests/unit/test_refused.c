/* test_refused.c - a stranger is in the log once a minute, a thousand
 * strangers once a second. */
#include <errno.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

#include <cmocka.h>

#include "proto/base/clock.h"
#include "proto/link/refused.h"

#define S CLOCK_NS_PER_S

static int setup(void **state)
{
    (void)state;
    refused_reset();
    return 0;
}

static void test_once(void **state)
{
    static const struct {
        const char *peer;
        int kind;
        uint64_t at_s;
        unsigned count;         /* 0: no line */
    } steps[] = {
        { "tcp:10.0.0.2:4711", EPROTO, 100, 1 },
        { "tcp:10.0.0.2:4712", EPROTO, 100, 0 },        /* another port */
        { "tcp:10.0.0.2:4713", EPROTO, 159, 0 },
        { "tcp:10.0.0.2:4713", EACCES, 159, 1 },        /* another reason */
        { "tcp:10.0.0.20:4713", EPROTO, 159, 1 },       /* another host */
        { "tcp:[::1]:1", EPROTO, 159, 1 },
        { "tcp:[::1]:2", EPROTO, 159, 0 },
        { "uid 7 pid 100", EACCES, 159, 1 },
        { "uid 7 pid 101", EACCES, 159, 0 },
        { "uid 70 pid 101", EACCES, 159, 1 },
        { "tcp:10.0.0.2:4714", EPROTO, 161, 3 },        /* what was kept back */
        { "tcp:10.0.0.2:4714", EPROTO, 162, 0 },
        { "", EPROTO, 162, 1 },
        { "?", EPROTO, 162, 1 },
    };

    (void)state;
    for (size_t i = 0; i < sizeof(steps) / sizeof(steps[0]); i++) {
        unsigned count = 0;
        bool due = refused_due(steps[i].peer, steps[i].kind,
                               steps[i].at_s * S, &count);

        if (due != (steps[i].count > 0) || count != steps[i].count)
            fail_msg("step %zu, %s: %d, %u", i, steps[i].peer, due, count);
    }
}

/* A whole network of strangers: the table and the log stay small. */
static void test_many(void **state)
{
    unsigned lines = 0, count;

    (void)state;
    for (unsigned i = 0; i < 100000; i++) {
        char peer[32];

        snprintf(peer, sizeof(peer), "tcp:10.%u.%u.%u:9", i >> 16,
                 i >> 8 & 255, i & 255);
        lines += refused_due(peer, EPROTO, 1000 * S + i * (S / 10000),
                             &count);
    }
    assert_in_range(lines, 16, 27);     /* ten seconds */
}

static void test_long_names(void **state)
{
    char peer[300];
    unsigned count;

    (void)state;
    for (size_t i = 0; i < sizeof(peer) - 1; i++)
        peer[i] = 'x';
    peer[sizeof(peer) - 1] = '\0';
    assert_true(refused_due(peer, 1, S, &count));
    assert_false(refused_due(peer, 1, S, &count));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup(test_once, setup),
        cmocka_unit_test_setup(test_many, setup),
        cmocka_unit_test_setup(test_long_names, setup),
    };

    cmocka_set_message_output(CM_OUTPUT_TAP);
    return cmocka_run_group_tests(tests, NULL, NULL);
}
