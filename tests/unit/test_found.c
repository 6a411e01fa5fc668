/* test_found.c - what a step has found, as bytes and back; and bytes that make no
 * sense, as a process that a policy has spoilt may send them. */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <cmocka.h>

#include "master/watch/found.h"

enum { RANKS = 4 };

static struct found from, to;
static struct str bytes;
static struct err err;

static int setup(void **state)
{
    (void)state;
    bytes = (struct str){ 0 };
    return found_init(&from, RANKS) || found_init(&to, RANKS);
}

static int teardown(void **state)
{
    (void)state;
    found_fini(&from);
    found_fini(&to);
    str_fini(&bytes);
    return 0;
}

static void fill(void)
{
    from.seq = 7;
    from.now_ns = 8;
    from.out.need = HCT_NEED_DETAIL;
    from.out.nverdicts = 1;
    from.verdicts[0] = (struct hct_verdict){ .kind = HCT_HANG, .score = 0.5,
                                             .nranks = 2, .nlines = 1 };
    from.out.nranks = 2;
    from.ranks[0] = 1;
    from.ranks[1] = 3;
    from.out.nlines = 1;
    from.lines[0] = (struct hct_line){ .rank = 3, .text = "stands" };
    strcpy(from.tags[0], "step 4");
    from.out.nproposals = 1;
    from.proposals[0] = (struct hct_proposal){ HCT_KILL, 0 };
    from.out.nodds = 1;
    from.odds[0] = (struct hct_odd){ .method = HCT_METHOD_POLISH, .place = 1,
                                     .rank = 3, .line_to = HCT_NO_LINE };
    from.out.when = (struct hct_when){ HCT_WINDOW_PHASE, 6, 90 };
    from.out.remarks = 0;
    from.out.nremarks = 1;
    from.out.nlearnt = 1;
    from.learnt[0] = (struct hct_learnt){ .what = 7, .groups = 2, .most = 2,
                                          .times = 1 };
    from.out.ninstances = 2;
    from.instances[0] = (struct hct_instance){ .deadline = 1, .rank = 3, .instance = 9,
                                               .release_ns = -5, .due_ns = 20,
                                               .done_ns = 30, .late = 1 };
    from.instances[1] = (struct hct_instance){ .deadline = 64, .rank = HCT_NO_RANK,
                                               .open = 1, .slope = NAN };
    from.text[0] = strdup("all of it\n");
}

static int back(void)
{
    str_reset(&bytes);
    found_pack(&from, &bytes);
    return found_unpack(&to, RANKS, str_text(&bytes), bytes.n, &err);
}

static void test_all(void **state)
{
    (void)state;
    fill();
    assert_int_equal(back(), 0);
    assert_int_equal(to.seq, 7);
    assert_int_equal(to.out.need, HCT_NEED_DETAIL);
    assert_int_equal(to.out.nverdicts, 1);
    assert_int_equal(to.ranks[1], 3);
    assert_string_equal(to.lines[0].text, "stands");
    assert_string_equal(to.tags[0], "step 4");
    assert_string_equal(to.text[0], "all of it\n");
    assert_int_equal(to.proposals[0].action, HCT_KILL);
    assert_int_equal(to.odds[0].rank, 3);
    assert_int_equal(to.out.nremarks, 1);
    assert_int_equal(to.out.nlearnt, 1);
    assert_memory_equal(&to.learnt[0], &from.learnt[0], sizeof(to.learnt[0]));
    assert_int_equal(to.out.ninstances, 2);
    assert_memory_equal(to.instances, from.instances, 2 * sizeof(to.instances[0]));
    assert_memory_equal(&to.out.when, &from.out.when, sizeof(to.out.when));
}

static void nonsense(void)
{
    assert_int_equal(back(), -1);
    assert_string_equal(err.text, "it answered what makes no sense");
    assert_int_equal(to.out.nverdicts + to.out.nlines + to.out.nranks, 0);
}

/* Each is what found_check() would have taken away before it was sent. */
static void test_nonsense(void **state)
{
    (void)state;
    fill();
    from.verdicts[0].kind = 99;
    nonsense();
    from.verdicts[0].deadline = HCT_DEADLINES_MAX + 1;
    from.verdicts[0].kind = HCT_HANG;
    nonsense();
    from.verdicts[0].deadline = 0;
    from.verdicts[0].what = HCT_DEADLINE_NEVER + 1;
    nonsense();
    from.verdicts[0].what = 0;
    from.instances[0].rank = RANKS;
    nonsense();
    from.instances[0].rank = 0;
    from.instances[0].due_ns = -6;      /* before it begins */
    nonsense();
    from.instances[0].due_ns = 6;
    from.instances[1].deadline = 0;
    nonsense();
    from.instances[1].deadline = 2;
    from.instances[1].chance = INFINITY;
    nonsense();
    from.instances[1].chance = NAN;
    assert_int_equal(back(), 0);
    from.learnt[0].groups = 3;
    from.verdicts[0].kind = HCT_HANG;
    nonsense();
    from.learnt[0].groups = 1;
    from.verdicts[0].kind = HCT_HANG;
    from.verdicts[0].nranks = UINT32_MAX;
    nonsense();
    from.verdicts[0].nranks = 2;
    from.ranks[0] = RANKS;
    nonsense();
    from.ranks[0] = 0;
    memset(from.lines[0].text, 'x', sizeof(from.lines[0].text));
    nonsense();
    strcpy(from.lines[0].text, "two\nlines");
    nonsense();
    strcpy(from.lines[0].text, "one");
    from.proposals[0].verdict = 1;
    nonsense();
    from.proposals[0].verdict = 0;
    from.odds[0].line_to = 1;           /* which is not there */
    nonsense();
    from.odds[0].line_to = HCT_NO_LINE;
    from.odds[0].rank = 2;              /* its line is about another one */
    nonsense();
    from.odds[0].rank = 3;
    from.out.when.window = HCT_WINDOW_LAST + 1;
    nonsense();
    from.out.when.window = HCT_WINDOW_LAST;
    from.out.remarks = 1;
    nonsense();
    from.out.remarks = 0;
    assert_int_equal(back(), 0);
}

/* Cut anywhere, or with counts that nothing fits. */
static void test_cut(void **state)
{
    (void)state;
    fill();
    assert_int_equal(back(), 0);
    for (size_t n = 0; n < bytes.n; n++) {
        char *exact = malloc(n + 1);        /* sanitizers see its end */

        memcpy(exact, str_text(&bytes), n);
        assert_int_equal(found_unpack(&to, RANKS, exact, n, &err), -1);
        free(exact);
    }
    str_add(&bytes, "x");
    assert_int_equal(found_unpack(&to, RANKS, str_text(&bytes), bytes.n, &err),
                     -1);
    for (size_t at = 0; at < 64; at += 4) {
        back();
        memset(bytes.s + at, 0xff, 4);
        found_unpack(&to, RANKS, str_text(&bytes), bytes.n, &err);
        assert_true(to.out.nverdicts <= 1 && to.out.nlines <= 1);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(test_all, setup, teardown),
        cmocka_unit_test_setup_teardown(test_nonsense, setup, teardown),
        cmocka_unit_test_setup_teardown(test_cut, setup, teardown),
    };

    cmocka_set_message_output(CM_OUTPUT_TAP);
    return cmocka_run_group_tests(tests, NULL, NULL);
}
