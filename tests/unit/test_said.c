/* test_said.c - what a person hears of a policy: news, once, and never too
 * much. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

#include "master/findings/said.h"

static const uint64_t second = 1000000000;
static struct found out;
static uint32_t ranks[16];

/* A verdict of the next look, of one rank. */
static enum said_how say(struct said *s, uint32_t kind, uint32_t rank,
                         const char *text, double at_s)
{
    struct hct_verdict v = { .kind = kind, .nranks = 1, .nlines = 1 };
    enum said_how how;

    out.ranks = ranks;
    ranks[0] = rank;
    snprintf(out.lines[0].text, sizeof(out.lines[0].text), "%s", text);
    how = said_verdict(s, &out, &v, (uint64_t)(at_s * (double)second));
    said_look_ends(s);
    return how;
}

static void the_same_once(void **state)
{
    struct said s = { 0 };

    (void)state;
    assert_int_equal(say(&s, HCT_OUTLIER, 3, "1.5 times", 1), SAID_SAY);
    for (int i = 0; i < 1000; i++)
        assert_int_equal(say(&s, HCT_OUTLIER, 3, "2.75 times", 2 + i),
                         SAID_ALREADY);
    /* Another rank, other words, another kind; and then as it was. */
    assert_int_equal(say(&s, HCT_OUTLIER, 4, "2 times", 1100), SAID_SAY);
    assert_int_equal(say(&s, HCT_OUTLIER, 4, "2 times less", 1200), SAID_SAY);
    assert_int_equal(say(&s, HCT_SLOWDOWN, 4, "2 times less", 1300), SAID_SAY);
    assert_int_equal(say(&s, HCT_OUTLIER, 4, "2 times less", 1400),
                     SAID_ALREADY);
    assert_int_equal(say(&s, HCT_OUTLIER, 3, "1.5 times", 1500), SAID_SAY);
    assert_int_equal(say(&s, HCT_SLOWDOWN, 4, "2 times less", 1600),
                     SAID_ALREADY);
}

/* Several of a kind at one look are the same as those of the look before. */
static void several_at_once(void **state)
{
    struct said s = { 0 };
    struct hct_verdict v = { .kind = HCT_OUTLIER, .nranks = 1 };

    (void)state;
    out.ranks = ranks;
    for (uint32_t look = 0; look < 5; look++) {
        for (uint32_t i = 0; i < 6; i++) {
            ranks[i] = 10 * i;
            v.ranks = i;
            assert_int_equal(said_verdict(&s, &out, &v, second * (look + 1)),
                             look ? SAID_ALREADY : SAID_SAY);
        }
        said_look_ends(&s);
    }
}

/* What changes at each look is said some times, then seldom; that there is more
 * is said when it begins. Hangs have their own count. */
static void never_too_much(void **state)
{
    struct said s = { 0 };
    unsigned said = 0, cut = 0;

    (void)state;
    for (uint32_t i = 0; i < 10000; i++) {
        enum said_how how = say(&s, HCT_IMBALANCE, i, "", 100 + i * 0.01);

        said += how == SAID_SAY;
        cut += how == SAID_SAY_CUT;
        assert_int_not_equal(how, SAID_ALREADY);
        if (i < SAID_BURST)
            assert_int_equal(how, SAID_SAY);
    }
    assert_in_range(said, SAID_BURST + 8, SAID_BURST + 10);
    assert_in_range(cut, 1, 11);
    assert_int_equal(say(&s, HCT_HANG, 1, "hang", 200), SAID_SAY);
}

static void forgotten(void **state)
{
    struct said s = { 0 };

    (void)state;
    assert_int_equal(say(&s, HCT_HANG, 1, "stuck", 1), SAID_SAY);
    assert_int_equal(say(&s, HCT_OUTLIER, 1, "odd", 1), SAID_SAY);
    said_forget(&s, HCT_HANG);
    assert_int_equal(say(&s, HCT_HANG, 1, "stuck", 2), SAID_SAY);
    assert_int_equal(say(&s, HCT_OUTLIER, 1, "odd", 2), SAID_ALREADY);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(the_same_once),
        cmocka_unit_test(several_at_once),
        cmocka_unit_test(never_too_much),
        cmocka_unit_test(forgotten),
    };

    cmocka_set_message_output(CM_OUTPUT_TAP);
    return cmocka_run_group_tests(tests, NULL, NULL);
}
