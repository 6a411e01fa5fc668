/* test_soundness.c - is a proof a proof? Some 200,000 looks at random programs
 * in a model of MPI, and many at those about which it was wrong once; a quarter of
 * them where each access is looked at. More of them: make sim. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include "proto/base/asan.h"
#include "tests/sim/kept.h"
#include "tests/sim/tally.h"

enum { LOOKS = ASAN ? 50000 : 200000, WORLDS = ASAN ? 1000 : 4000 };

static void random_programs(void **state)
{
    static struct tally t;

    (void)state;
    for (uint64_t seed = 1; t.looks < LOOKS; seed++)
        if (tally_run(&t, seed, PROGRAM_ALL) == TALLY_WRONG && t.wrong < 3)
            tally_show(stderr, seed, PROGRAM_ALL, false);
    tally_print(stderr, &t);
    assert_int_equal(t.wrong, 0);
    /* It was asked, and it did say something. */
    assert_true(t.proofs > LOOKS / 50);
    if (ASAN)
        return;                 /* too few for what is said in thousandths */
    assert_true(t.near.soon * 1000 > t.near.stuck * 995);
    assert_true(t.far.soon * 1000 > t.far.stuck * 995);
}

static void kept_programs(void **state)
{
    static struct program p;
    const char *name;
    uint32_t wrong = 0;

    (void)state;
    for (uint32_t i = 0; (name = kept_program(i, &p)); i++)
        for (uint64_t seed = 1; seed <= WORLDS; seed++) {
            struct run_options o = { .seed = seed };
            struct run_result r;

            run_program(&p, &o, &r);
            if (!r.refuted)
                continue;
            fprintf(stderr, "%s: seed %u\n", name, (unsigned)seed);
            o.show = stderr;
            run_program(&p, &o, &r);
            wrong++;
            break;
        }
    assert_int_equal(wrong, 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(kept_programs),
        cmocka_unit_test(random_programs),
    };

    cmocka_set_message_output(CM_OUTPUT_TAP);
    return cmocka_run_group_tests(tests, NULL, NULL);
}
