/* test_phasebook.c - phases that come again: that they are known, and that the
 * policy hang goes on with what it has learned of each. */
#include "tests/unit/hang_so.h"

#include "master/watch/callclass.h"
#include "policies/lib/phasebook.h"

enum { TASKS = 8, IN_A = 0xa, IN_B = 0xb };

static uint64_t random_state;

/* ---------------------------------------------------------------- the book */

static enum phasebook_turn turn(struct phasebook *b, uint32_t number,
                                uint32_t id)
{
    struct hct_rank k = { .phase = number, .phase_id = id };
    enum phasebook_turn t = phasebook_turn(b, &k);

    assert_true(phasebook_is_at(b, &k));
    assert_true(b->at < PHASEBOOK_MAX);
    return t;
}

static void comes_again(void **state)
{
    struct phasebook b = { 0 };
    struct hct_rank k = { .phase = 2, .phase_id = IN_B };
    uint32_t a;

    (void)state;
    assert_false(phasebook_is_at(&b, &k));
    assert_int_equal(turn(&b, 0, 0), PHASEBOOK_NEW);
    assert_int_equal(turn(&b, 0, 0), PHASEBOOK_STAYS);
    assert_int_equal(turn(&b, 1, IN_A), PHASEBOOK_NEW);
    assert_int_equal(turn(&b, 1, IN_A), PHASEBOOK_STAYS);
    a = b.at;
    assert_false(phasebook_is_at(&b, &k));
    assert_int_equal(turn(&b, 2, IN_B), PHASEBOOK_NEW);
    assert_true(phasebook_is_at(&b, &k));
    assert_int_not_equal(b.at, a);
    assert_int_equal(turn(&b, 3, IN_A), PHASEBOOK_AGAIN);
    assert_int_equal(b.at, a);
    /* one after itself: begun again */
    assert_int_equal(turn(&b, 4, IN_A), PHASEBOOK_AGAIN);
    assert_int_equal(b.at, a);
}

/* What is not known does not come again, and is no other's identity. */
static void by_number(void **state)
{
    struct phasebook b = { 0 };

    (void)state;
    for (uint32_t i = 0; i < 100; i++)
        assert_int_equal(turn(&b, i, 0), PHASEBOOK_NEW);
    assert_int_equal(turn(&b, 100, 99), PHASEBOOK_NEW);
    assert_int_equal(turn(&b, 0, 0), PHASEBOOK_NEW);
}

/* Who was begun longest ago goes, never the one before. */
static void more_than_fit(void **state)
{
    struct phasebook b = { 0 };
    uint32_t number = 0, before;

    (void)state;
    for (uint32_t i = 1; i <= PHASEBOOK_MAX; i++)
        assert_int_equal(turn(&b, number++, i), PHASEBOOK_NEW);
    for (uint32_t i = 1; i <= PHASEBOOK_MAX; i++)
        assert_int_equal(turn(&b, number++, i), PHASEBOOK_AGAIN);
    assert_int_equal(turn(&b, number++, 1), PHASEBOOK_AGAIN);
    before = b.at;
    assert_int_equal(turn(&b, number++, 50), PHASEBOOK_NEW);    /* for 2 */
    assert_int_not_equal(b.at, before);
    assert_int_equal(turn(&b, number++, 1), PHASEBOOK_AGAIN);
    assert_int_equal(turn(&b, number++, 3), PHASEBOOK_AGAIN);
    assert_int_equal(turn(&b, number++, 2), PHASEBOOK_NEW);     /* for 4 */
    assert_int_equal(turn(&b, number++, 4), PHASEBOOK_NEW);
    assert_int_equal(turn(&b, number++, 50), PHASEBOOK_AGAIN);
}

/* -------------------------------------------------------------- the policy */

static void start(double mode)
{
    model_of(TASKS, "mode", mode);
    random_state = 1;
}

static uint32_t draw(uint32_t n)
{
    random_state = random_state * 6364136223846793005u + 1442695040888963407u;
    return (uint32_t)(random_state >> 33) % n;
}

static void begin(uint32_t id)
{
    for (uint32_t r = 0; r < TASKS; r++) {
        look.rank[r].phase++;
        look.rank[r].phase_id = id;
    }
}

/* So many, from the first on, are outside of MPI. */
static void are_out(uint32_t n)
{
    for (uint32_t r = 0; r < TASKS; r++) {
        look.rank[r].call = number_of("Allreduce");
        look.rank[r].threads_in = r >= n;
        look.rank[r].been = HCT_BEEN_HERE;
        look.rank[r].flags = (uint16_t)(HCT_OBSERVED | HCT_PAGE |
                                        (r >= n ? HCT_IN_MPI | HCT_RUNS : 0));
    }
}

static bool found(uint32_t kind)
{
    for (uint32_t i = 0; i < look.out.nverdicts; i++)
        if (look.out.verdicts[i].kind == kind)
            return true;
    return false;
}

static void see(void)
{
    uint64_t passed;

    look_empty_out();
    assert_int_equal(policy->step(model, &look.in, &look.out), 0);
    look.in.seq++;
    passed = look.out.wake_ns - look.in.now_ns;
    look.in.now_ns = look.out.wake_ns;
    look.in.has_detail = !!(look.out.need & HCT_NEED_DETAIL);
    for (uint32_t r = 0; r < TASKS; r++)
        look.rank[r].age_ns += passed;
}

/* A visit: in A most are outside of MPI, in B few or none are. */
static void visit(uint32_t what, uint32_t id, unsigned looks)
{
    begin(id);
    while (looks--) {
        are_out(what == IN_A ? 5 + draw(4) : draw(3));
        for (uint32_t r = 0; r < TASKS; r++) {
            look.rank[r].calls += 7;
            look.rank[r].site_calls = look.rank[r].calls;
            look.rank[r].site = 2;
            look.rank[r].age_ns = MS;
        }
        see();
        assert_false(found(HCT_HANG));
    }
}

/* From now on so many are outside, and stay there: after how many looks is that
 * found? */
static unsigned stand(uint32_t out, unsigned limit)
{
    are_out(out);
    for (unsigned i = 1; i <= limit; i++) {
        see();
        if (found(HCT_HANG))
            return i;
    }
    return limit + 1;
}

static unsigned hang(unsigned limit)
{
    return stand(1, limit);
}

static void both(uint32_t a, uint32_t b, unsigned times)
{
    for (unsigned i = 0; i < times; i++) {
        visit(IN_A, a, 6);
        visit(IN_B, b, 6);
    }
}

/* ParaStack: a visit is too short to learn from, many of them are not. */
static void learns_of_each(void **state)
{
    unsigned known, unknown;

    (void)state;
    for (int mode = 1; mode <= 2; mode++) {
        start(mode);
        both(IN_A, IN_B, 60);
        begin(IN_A);
        known = hang(40);
        assert_true(known <= 12);       /* 5 of them to find who it is */
        start(mode);
        both(0, 0, 60);                 /* nobody knows which it is */
        begin(0);
        unknown = hang(40);
        assert_true(unknown > 40);
    }
}

/* What is rare in A is usual in B: there it is no sign of a hang; that never more
 * than one is out is one in the end. */
static void not_of_the_other(void **state)
{
    unsigned after;

    (void)state;
    start(2);
    both(IN_A, IN_B, 60);
    begin(IN_B);
    assert_true(stand(2, 100) > 100);
    begin(IN_A);
    assert_true(hang(100) <= 12);
    start(2);
    both(IN_A, IN_B, 60);
    begin(IN_B);
    after = hang(100);
    assert_true(after > 20 && after <= 100);
}

/* A streak ends where a phase does, and its values count. */
static void streaks_end(void **state)
{
    unsigned fresh, after;

    (void)state;
    start(2);
    both(IN_A, IN_B, 60);
    begin(IN_A);
    fresh = hang(40);
    start(2);
    both(IN_A, IN_B, 60);
    begin(IN_A);
    assert_int_equal(hang(fresh / 3), fresh / 3 + 1);
    begin(IN_A);
    after = hang(40);
    assert_true(after >= fresh && after <= 40);
}

/* A hang that was none does not hide the next one. */
static void next_one(void **state)
{
    (void)state;
    start(2);
    both(IN_A, IN_B, 60);
    begin(IN_A);
    assert_true(hang(40) <= 40);
    begin(IN_A);
    see();
    assert_true(found(HCT_PROGRESS));
    assert_true(hang(40) <= 40);
}

/* So many looks at one phase, begun anew at each look or once for all. */
static void keep_to(uint32_t what, uint32_t id, bool anew, unsigned looks)
{
    while (looks--) {
        for (uint32_t r = 0; r < TASKS && !anew; r++)
            look.rank[r].phase = 4;
        visit(what, id, 1);
    }
}

/* With one phase for ever it is the same under any name. */
static void one_phase(void **state)
{
    unsigned after[2];

    (void)state;
    for (int i = 0; i < 2; i++) {
        start(2);
        keep_to(IN_A, i ? IN_A : 0, false, 300);
        after[i] = hang(40);
    }
    assert_true(after[0] <= 12);
    assert_int_equal(after[0], after[1]);
}

/* The same tag at each step: it is the same model, and low values that are not
 * rare are not made to seem so. */
static void each_step(void **state)
{
    unsigned after[2];

    (void)state;
    for (int i = 0; i < 2; i++) {
        start(2);
        keep_to(IN_B, IN_B, i, 300);
        begin(IN_B);
        after[i] = stand(0, 40);
    }
    assert_true(after[0] <= 40);
    assert_int_equal(after[0], after[1]);
}

/* Phases that come once do not drive out those that come again. */
static void many_phases(void **state)
{
    (void)state;
    start(2);
    for (uint32_t i = 0; i < 60; i++) {
        both(IN_A, IN_B, 1);
        visit(IN_B, 100 + i, 3);
    }
    begin(IN_A);
    assert_true(hang(40) <= 12);
    /* More of them than there is room for: each is as new. */
    start(2);
    for (uint32_t i = 0; i < 60 * (PHASEBOOK_MAX + 1); i++)
        visit(IN_A, 1 + i % (PHASEBOOK_MAX + 1), 6);
    begin(1);
    assert_true(hang(40) > 40);
}

/* By counters: how sure it is grows with what is known of the phase. */
static void sure(void **state)
{
    double score[2];

    (void)state;
    for (int i = 0; i < 2; i++) {
        start(0);
        both(i ? IN_A : 0, i ? IN_B : 0, 60);
        begin(i ? IN_A : 0);
        assert_true(hang(1000) <= 1000);
        score[i] = look.out.verdicts[0].score;
    }
    assert_true(score[1] > score[0]);
}

int main(int argc, char **argv)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(comes_again), cmocka_unit_test(by_number),
        cmocka_unit_test(more_than_fit),
        cmocka_unit_test(learns_of_each), cmocka_unit_test(not_of_the_other),
        cmocka_unit_test(streaks_end), cmocka_unit_test(next_one),
        cmocka_unit_test(one_phase), cmocka_unit_test(each_step),
        cmocka_unit_test(many_phases),
        cmocka_unit_test(sure),
    };
    int failed;

    (void)argc;
    if (hang_open(argv[0]))
        return 1;
    cmocka_set_message_output(CM_OUTPUT_TAP);
    failed = cmocka_run_group_tests(tests, NULL, NULL);
    free(model);
    return failed;
}
