/* test_climbtext.c - what a step was decided from is written and read so that
 * the same is decided, byte for byte, of any system; what is none is refused. */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "master/ladder/climbtext.h"

enum { NODES = 5, JOBS = 6, SHARES = 12 };
struct world {
    struct climb_node nodes[NODES];
    struct climb_job jobs[JOBS];
    struct climb_share shares[SHARES];
    struct climb_in in;
};

static uint64_t lot_state;
static uint64_t lot(uint64_t n)
{
    lot_state = lot_state * 6364136223846793005u + 1442695040888963407u;
    return (lot_state >> 33) % n;
}
static double part(void)
{
    return (double)lot(1000003) / 1000003;
}

static struct climb_cpus some_cpus(void)
{
    struct climb_cpus c = { { lot(16) } };

    c.w[CLIMB_CPUS / 64 - 1] = lot(2) << 63;
    return c;
}

static void make(struct world *w, uint64_t seed)
{
    static const char *const names[NODES] = { "n1", "n2", "a-b.c", "n4", "x" };

    lot_state = seed;
    *w = (struct world){ 0 };
    for (int i = 0; i < NODES; i++)
        w->nodes[i] = (struct climb_node){
            .cpus = some_cpus(), .speed = 0.1 + part(), .others = 3 * part(),
            .short_bytes = lot(2) * lot(100000000), .takes = lot(2),
            .name = names[i] };
    for (unsigned i = 0; i < JOBS; i++)
        w->jobs[i] = (struct climb_job){
            .id = 10 + i, .uid = (uint32_t)lot(2), .class = (int)lot(3) - 1,
            .priority = (int)lot(41) - 20, .started_ns = lot(1u << 30),
            .going = lot(4) > 0, .held = lot(4) == 0, .due = lot(4) == 0,
            .movable = lot(2), .storable = lot(2),
            .may_s = lot(3) ? 20 * part() : INFINITY,
            .rests = (unsigned)lot(64) & (unsigned)lot(64) };
    for (uint32_t i = 0; i < SHARES; i++)
        w->shares[i] = (struct climb_share){
            .job = i < JOBS ? i : (uint32_t)lot(JOBS),
            .node = (uint32_t)lot(NODES), .tasks = (uint32_t)lot(4),
            .ran = part(), .wanted = 3 * part() - 0.3,
            .cpus = some_cpus(), .weight = lot(2) ? 1024 : 90761 * part(),
            .bytes = lot(1u << 30), .calm = lot(4) == 0, .aside = lot(4) == 0,
            .can_calm = lot(2), .can_aside = lot(2) };
    w->in = (struct climb_in){
        .nodes = w->nodes, .jobs = w->jobs, .shares = w->shares, .nnodes = NODES,
        .njobs = JOBS, .nshares = SHARES, .job = (uint32_t)lot(JOBS),
        .any_user = lot(2),
        .due = { .margin = part() - 0.5, .want = part(), .chance = part(),
                 .limit_ns = 1 + lot(2000000000), .missed = lot(5), .firm = lot(2),
                 .text = "in..out<=20ms,firm" },
        .moves = { part(), 1e8 * part(), part() } };
}

static void test_up(void **state)
{
    unsigned steps = 0;

    (void)state;
    for (uint64_t seed = 1; seed <= 2000; seed++) {
        struct str seen = { 0 }, was = { 0 }, is = { 0 };
        struct climb_step s;
        struct world w;
        struct err err;

        make(&w, seed);
        climbtext_up(&seen, &w.in);
        assert_int_equal(climbtext_again(&is, 7, str_text(&seen), &err), 0);
        if (climb_up(&w.in, &s)) {
            steps++;
            climbtext_step(&was, 7, &w.in, &s);
            assert_string_equal(str_text(&is), str_text(&was));
        } else {
            str_addf(&was, "job %u step 7: none: %s", 10 + w.in.job, s.why);
            assert_string_equal(str_text(&is), str_text(&was));
        }
        str_fini(&seen);
        str_fini(&was);
        str_fini(&is);
    }
    assert_true(steps > 200 && steps < 2000);
}

static void test_down(void **state)
{
    const struct climb_stand v[] = {
        { .number = 3, .kind = CLIMB_CALM, .pressure = 1.7, .stood_s = 9,
          .may_s = INFINITY },
        { .number = 4, .kind = CLIMB_SUSPEND, .stood_s = 3.25, .may_s = 0.125 },
    };
    struct climb_mood m = { .may_undo = true, .dwell_s = 2, .pressure = 1.4 };
    struct str seen = { 0 }, is = { 0 };
    struct err err;

    (void)state;
    climbtext_down(&seen, 5, v, 2, &m);
    assert_int_equal(climbtext_again(&is, 4, str_text(&seen), &err), 0);
    assert_string_equal(str_text(&is), "job 5 step 4 is taken back: the margin is "
                        "good");
    str_reset(&seen);
    str_reset(&is);
    climbtext_down(&seen, 5, v, 1, &m); /* others want as much as then */
    assert_int_equal(climbtext_again(&is, 3, str_text(&seen), &err), 0);
    assert_string_equal(str_text(&is), "job 5 takes nothing back");
    str_fini(&seen);
    str_fini(&is);
}

/* Every text that lacks its end, and most that differ in a letter: a sentence,
 * or a decision, and nothing worse. */
static void test_broken(void **state)
{
    struct str seen = { 0 }, is = { 0 };
    struct world w;
    struct err err;
    char *t;

    (void)state;
    make(&w, 11);
    climbtext_up(&seen, &w.in);
    t = strdup(str_text(&seen));
    assert_non_null(t);
    for (size_t n = 0; n + 2 < seen.n; n++) {
        char *cut = strndup(t, n);

        assert_non_null(cut);
        assert_int_equal(climbtext_again(&is, 1, cut, &err), -1);
        free(cut);
    }
    for (size_t n = 0; n < seen.n; n++)
        for (const char *c = "9-x \nf"; *c; c++) {
            char had = t[n];

            t[n] = *c;
            str_reset(&is);
            climbtext_again(&is, 1, t, &err);
            t[n] = had;
        }
    free(t);
    assert_int_equal(climbtext_again(&is, 1, "down 1 9999999 0 0 0x1p+1 0x0p+0\n",
                                     &err), -1);
    assert_string_equal(err.text, "what a step was decided from is broken");
    str_fini(&seen);
    str_fini(&is);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_up), cmocka_unit_test(test_down),
        cmocka_unit_test(test_broken),
    };

    cmocka_set_message_output(CM_OUTPUT_TAP);
    return cmocka_run_group_tests(tests, NULL, NULL);
}
