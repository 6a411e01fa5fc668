/* test_onhang.c - what people may say is to be done about a hang, and when that
 * is: by the strength of the evidence. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "master/findings/remedy.h"
#include "proto/conf/onhang.h"

#define S 1000000000ull

static void good(void **state)
{
    static const struct { const char *text; struct onhang want; } cases[] = {
        { "", { ONHANG_REPORT, false, 0, 99.9, 0 } },
        { "report", { ONHANG_REPORT, false, 0, 99.9, 0 } },
        { "kill", { ONHANG_KILL, false, 0, 99.9, 0 } },
        { "suspend:age=90s", { ONHANG_SUSPEND, true, 90 * S, 99.9, 0 } },
        { "migrate", { ONHANG_MIGRATE, false, 0, 99.9, 0 } },
        { "rollback:age=3s", { ONHANG_ROLLBACK, true, 3 * S, 99.9, 0 } },
        { "kill:sure=100", { ONHANG_KILL, false, 0, 100, 0 } },
        { "kill:age=2,sure=95.5,patience=5m",
          { ONHANG_KILL, true, 2 * S, 95.5, 300 * S } },
    };

    (void)state;
    for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
        struct onhang h;

        assert_int_equal(onhang_parse(&h, cases[i].text, NULL), 0);
        assert_int_equal(h.action, cases[i].want.action);
        assert_int_equal(h.has_age, cases[i].want.has_age);
        assert_int_equal(h.age_ns, cases[i].want.age_ns);
        assert_true(h.sure <= cases[i].want.sure &&
                    h.sure >= cases[i].want.sure);
        assert_int_equal(h.patience_ns, cases[i].want.patience_ns);
    }
}

static void bad(void **state)
{
    static const struct { const char *text, *words; } cases[] = {
        { "wait", "one of report|migrate|suspend|rollback|kill is wanted" },
        { "kil", "one of" }, { "killx:age=1", "one of" }, { ":age=1", "one of" },
        { "report:age=1s", "report takes nothing behind it" },
        { "kill:", "is wanted after the colon" },
        { "kill:age", "KEY=VALUE" },
        { "kill:age=", "a time is wanted" }, { "kill:age=0", "a time" },
        { "kill:patience=soon", "a time is wanted, as 90s or 10m" },
        { "kill:sure=49", "from 50 to 100" }, { "kill:sure=x", "from 50" },
        { "kill:color=1", "color is none of age, sure and patience" },
    };

    (void)state;
    for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
        struct onhang h = { .action = 77 };
        struct err err;

        assert_int_equal(onhang_parse(&h, cases[i].text, &err), -1);
        assert_int_equal(h.action, 77);
        if (!strstr(err.text, cases[i].words))
            fail_msg("%s: %s", cases[i].text, err.text);
    }
}

/* When something is done; 0: at once, -1: never. */
static double when(const char *text, uint32_t kind, double score, double age_s,
                   uint32_t longest_s)
{
    struct hct_verdict v = { .kind = kind, .score = score,
        .age_ns = (uint64_t)(age_s * 1e9), .longest_ms = 1000 * longest_s };
    struct onhang h;
    struct remedy r;

    assert_int_equal(onhang_parse(&h, text, NULL), 0);
    r = remedy_decide(&h, &v, 0, 1000 * S);
    return r.wanted ? (double)(r.due_ns - 1000 * S) / 1e9 : -1;
}

static void strengths(void **state)
{
    static const struct {
        const char *text;
        uint32_t kind;
        double score, age_s;
        uint32_t longest_s;
        double want_s;
    } cases[] = {
        { "report", HCT_DEADLOCK, 1, 1, 0, -1 },
        { "kill", HCT_DEADLOCK, 1, 1, 0, 0 },
        { "kill:sure=100,age=1h", HCT_DEADLOCK, 1, 1, 0, 0 },
        { "kill", HCT_HANG, 0.9999, 2, 0, 58 },
        { "kill", HCT_HANG, 0.9999, 2, 5, 58 },
        { "kill", HCT_HANG, 0.9999, 2, 60, 598 },
        { "kill", HCT_HANG, 0.9999, 70, 0, 0 },
        { "kill:age=2s", HCT_HANG, 0.999, 1.5, 60, 0.5 },
        { "kill", HCT_HANG, 0.99, 1000, 0, -1 },
        { "kill:sure=99", HCT_HANG, 0.99, 1000, 0, 0 },
        { "kill:sure=100", HCT_HANG, 1, 1000, 0, -1 },
        { "kill:age=1s", HCT_NOTICE, 0, 3000, 0, -1 },
        { "migrate", HCT_DEADLOCK, 1, 100, 0, -1 },     /* helps nobody */
        { "migrate:age=2s", HCT_HANG, 0.9999, 1, 0, 1 },
        { "kill:patience=20s", HCT_NOTICE, 0, 12, 100, 8 },
        { "suspend:patience=10s", HCT_NOTICE, 0, 12, 100, 0 },
        /* found without a model: as a notice */
        { "kill:age=1s,sure=50", HCT_HANG, 0, 3000, 0, -1 },
        { "kill:patience=20s", HCT_HANG, 0, 3, 100, 17 },
        { "kill:patience=1s", HCT_HANG, 0, 3, 100, 0 },
        { "kill:patience=1s", HCT_SLOWDOWN, 1, 12, 0, -1 },
    };

    (void)state;
    for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
        double got = when(cases[i].text, cases[i].kind, cases[i].score,
                          cases[i].age_s, cases[i].longest_s);

        if (got < cases[i].want_s - 1e-6 || got > cases[i].want_s + 1e-6)
            fail_msg("case %zu: %g s in place of %g", i, got,
                     cases[i].want_s);
    }
}

static void said(const char *text, double score, const char *words)
{
    struct hct_verdict v = { .kind = HCT_HANG, .score = score, .age_ns = 3 * S };
    struct onhang h;
    struct str to = { 0 };

    assert_int_equal(onhang_parse(&h, text, NULL), 0);
    remedy_say(&to, &h, &v, 0, 0);
    if (!strstr(str_text(&to), words))
        fail_msg("%s: %s", text, str_text(&to));
    str_fini(&to);
}

/* Where nobody can say how sure it is, no percentage is asked for. */
static void words(void **state)
{
    (void)state;
    said("kill", 0.99, "it is not ended: --on-hang wants to be 99.9 % sure");
    said("kill", 0, "--on-hang kill:patience=TIME would");
    said("suspend", 0, "--on-hang suspend:patience=TIME would");
    said("report", 0, "--on-hang kill:patience=TIME would when it has lasted");
    said("kill:patience=9s", 0, "if it still stands when that has lasted for "
         "9 s");
}

/* Certainty is for what is proven. */
static void certain(void **state)
{
    struct hct_verdict v = { .kind = HCT_HANG, .score = 1 };

    (void)state;
    assert_true(remedy_score(&v) < 0.99995);
    v.kind = HCT_DEADLOCK;
    assert_true(remedy_score(&v) > 0.99999);
}

/* A policy's proposal: no more is done than it proposes, nor than --on-hang
 * allows, and nothing to a job that goes on. */
static void proposals(void **state)
{
    static const struct {
        const char *text;
        uint32_t kind, proposed;
        double score;
        int does;               /* -1: nothing, and words say why */
        const char *words;
    } cases[] = {
        { "kill", HCT_DEADLOCK, 0, 1, ONHANG_KILL, NULL },
        { "kill", HCT_DEADLOCK, HCT_REPORT, 1, ONHANG_KILL, NULL },
        { "kill", HCT_DEADLOCK, HCT_SUSPEND, 1, ONHANG_SUSPEND, NULL },
        { "kill", HCT_DEADLOCK, HCT_KILL, 1, ONHANG_KILL, NULL },
        { "suspend", HCT_DEADLOCK, HCT_KILL, 1, ONHANG_SUSPEND, NULL },
        { "rollback", HCT_DEADLOCK, HCT_KILL, 1, ONHANG_ROLLBACK, NULL },
        { "rollback", HCT_DEADLOCK, HCT_SUSPEND, 1, ONHANG_SUSPEND, NULL },
        { "report", HCT_DEADLOCK, HCT_KILL, 1, -1,
          "not done: --on-hang report" },
        { "kill", HCT_HANG, HCT_KILL, 0.99, -1,
          "not done: --on-hang wants to be 99.9 % sure" },
        { "suspend", HCT_HANG, HCT_KILL, 0, -1,
          "not done: --on-hang suspend has no patience" },
        { "kill", HCT_NOTICE, HCT_KILL, 0, -1,
          "not done: --on-hang kill has no patience" },
        { "kill:patience=1s", HCT_NOTICE, HCT_KILL, 0, ONHANG_KILL, NULL },
        { "kill:age=1s", HCT_OUTLIER, HCT_KILL, 1, -1,
          "not done: nothing is set for a job that goes on" },
        { "kill:patience=1s", HCT_DEADLINE, HCT_KILL, 0, -1,
          "not done: nothing is set for a job that goes on" },
    };

    (void)state;
    for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
        struct hct_verdict v = { .kind = cases[i].kind,
                                 .score = cases[i].score, .age_ns = 100 * S };
        struct str why = { 0 };
        struct onhang h;
        struct remedy r;

        assert_int_equal(onhang_parse(&h, cases[i].text, NULL), 0);
        r = remedy_decide(&h, &v, cases[i].proposed, 1000 * S);
        assert_int_equal(r.wanted, cases[i].does >= 0);
        if (r.wanted) {
            assert_int_equal(r.does, cases[i].does);
            continue;
        }
        remedy_why_not(&why, &h, &v);
        assert_string_equal(str_text(&why), cases[i].words);
        str_fini(&why);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(good), cmocka_unit_test(bad),
        cmocka_unit_test(strengths), cmocka_unit_test(words),
        cmocka_unit_test(certain),
        cmocka_unit_test(proposals),
    };

    cmocka_set_message_output(CM_OUTPUT_TAP);
    return cmocka_run_group_tests(tests, NULL, NULL);
}
