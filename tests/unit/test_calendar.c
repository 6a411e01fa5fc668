/* test_calendar.c - what is due in a job: how it is written, what is wrong with
 * it, files of it, and which calls it is about. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include <cmocka.h>

#include "policies/hct_policy.h"
#include "proto/conf/calendar.h"
#include "proto/conf/instant.h"

#define MS 1000000ull
#define S 1000000000ull

_Static_assert(DUE_END == (int)HCT_DUE_END && DUE_CALL == (int)HCT_DUE_CALL &&
               DUE_PERIOD == (int)HCT_DUE_PERIOD &&
               DUE_SPAN == (int)HCT_DUE_SPAN && DUE_CLOCK == (int)HCT_DUE_CLOCK,
               "policies have the same kinds");

static void take(struct due *d, const char *text)
{
    struct err err = { 0 };

    if (due_parse(d, text, false, &err))
        fail_msg("%s: %s", text, err.text);
}

/* text: as it is written shortest; NULL: as it is. */
static void good(void **state)
{
    static const struct {
        const char *in;
        enum due_kind kind;
        uint64_t limit_ns;
        const char *of, *to, *text;
    } table[] = {
        { "60s", DUE_END, 60 * S, NULL, NULL, NULL },
        { "60", DUE_END, 60 * S, NULL, NULL, "60s" },
        { " 2m ", DUE_END, 120 * S, NULL, NULL, "2m" },
        { "1.5h,firm", DUE_END, 5400 * S, NULL, NULL, "90m,firm" },
        { "3653d", DUE_END, 3653 * 86400 * S, NULL, NULL, NULL },
        { "24h", DUE_END, 86400 * S, NULL, NULL, NULL },
        { "A<=20ms", DUE_CALL, 20 * MS, "A", NULL, NULL },
        { "A<=1ns", DUE_CALL, 1, "A", NULL, NULL },
        { "A<=1.5ms", DUE_CALL, 1500000, "A", NULL, "A<=1500us" },
        { " A \t<= 20 ms", DUE_KINDS, 0, NULL, NULL, NULL },
        { " A  b \t<= 20ms , firm", DUE_CALL, 20 * MS, "A  b", NULL,
          "A  b<=20ms,firm" },
        { "60s<=20ms", DUE_CALL, 20 * MS, "60s", NULL, NULL },
        { "Sending assignment...<=20ms", DUE_CALL, 20 * MS,
          "Sending assignment...", NULL, NULL },
        { "...<=1s", DUE_CALL, S, "...", NULL, NULL },
        { "a.b.c/50ms", DUE_PERIOD, 50 * MS, "a.b.c", NULL, NULL },
        { "cycle / 50ms,soft", DUE_PERIOD, 50 * MS, "cycle", NULL,
          "cycle/50ms" },
        { "A..B<=30ms", DUE_SPAN, 30 * MS, "A", "B", NULL },
        { "A .. B <= 30ms", DUE_SPAN, 30 * MS, "A", "B", "A..B<=30ms" },
        { "A...B<=30ms", DUE_CALL, 30 * MS, "A...B", NULL, NULL },
        { "A....B<=30ms", DUE_CALL, 30 * MS, "A....B", NULL, NULL },
        { "A.b..c.D<=30ms", DUE_SPAN, 30 * MS, "A.b", "c.D", NULL },
        { "\"A...\"..\".B\"<=3ms", DUE_SPAN, 3 * MS, "A...", ".B", NULL },
        { "A*..B*<=30ms", DUE_SPAN, 30 * MS, "A*", "B*", NULL },
        { "*<=30ms", DUE_CALL, 30 * MS, "*", NULL, NULL },
        { "a*b<=30ms", DUE_CALL, 30 * MS, "a*b", NULL, NULL },
        { "\"a*\"<=30ms", DUE_CALL, 30 * MS, "a*", NULL, NULL },
        { "\"a\"*<=30ms", DUE_CALL, 30 * MS, "a*", NULL, "a*<=30ms" },
        { "\"\"<=30ms", DUE_CALL, 30 * MS, "", NULL, NULL },
        { "\"a\\\"b\\\\c\"<=30ms", DUE_CALL, 30 * MS, "a\"b\\c", NULL, NULL },
        { "\"a, b@c/d<e..f\"/1s", DUE_PERIOD, S, "a, b@c/d<e..f", NULL, NULL },
        { "\" a\"/1s", DUE_PERIOD, S, " a", NULL, NULL },
        { "\"plain\"/1s", DUE_PERIOD, S, "plain", NULL, "plain/1s" },
        { "a\\b/1s", DUE_PERIOD, S, "a\\b", NULL, NULL },
        { "\303\244rger/1s", DUE_PERIOD, S, "\303\244rger", NULL, NULL },
        { "x@start+k*50ms", DUE_CLOCK, 50 * MS, "x", NULL, NULL },
        { "x @ start + k * 50ms,margin=5%", DUE_CLOCK, 50 * MS, "x", NULL,
          "x@start+k*50ms,margin=5%" },
        { "x@1795747873.25+k*50ms", DUE_CLOCK, 50 * MS, "x", NULL,
          "x@2026-11-27T02:51:13.25Z+k*50ms" },
        { "x@2026-11-27T02:51:13.250Z+k*1s", DUE_CLOCK, S, "x", NULL,
          "x@2026-11-27T02:51:13.25Z+k*1s" },
        { "x@2026-11-27 03:51+01:00+k*1s", DUE_CLOCK, S, "x", NULL,
          "x@2026-11-27T02:51:00Z+k*1s" },
        { "x@2026-11-27T00:51-0200+k*1s", DUE_CLOCK, S, "x", NULL,
          "x@2026-11-27T02:51:00Z+k*1s" },
        { "A<=1s,ranks=0-3,7", DUE_CALL, S, "A", NULL, NULL },
        { "A<=1s,ranks=7,0-1, 2-3 ,firm,margin=0.5%", DUE_CALL, S, "A", NULL,
          "A<=1s,ranks=0-3,7,firm,margin=0.5%" },
        { "A<=1s,ranks=[0,2],soft", DUE_CALL, S, "A", NULL,
          "A<=1s,ranks=0,2" },
        { "A<=1s,ranks=all,firm", DUE_CALL, S, "A", NULL, "A<=1s,firm" },
        { "A<=1s,margin=20%", DUE_CALL, S, "A", NULL, "A<=1s" },
        { "A<=1s,margin=0%", DUE_CALL, S, "A", NULL, NULL },
        { "A<=1s,margin=100%,ranks=5", DUE_CALL, S, "A", NULL,
          "A<=1s,ranks=5,margin=100%" },
    };

    (void)state;
    for (size_t i = 0; i < sizeof(table) / sizeof(table[0]); i++) {
        struct due d, again;

        if (table[i].kind == DUE_KINDS) {
            assert_int_equal(due_parse(&d, table[i].in, false, NULL), -1);
            continue;
        }
        take(&d, table[i].in);
        assert_int_equal(d.kind, table[i].kind);
        assert_int_equal(d.limit_ns, table[i].limit_ns);
        assert_string_equal(d.text,
                            table[i].text ? table[i].text : table[i].in);
        for (int k = 0; k < 2; k++) {
            const struct due_label *l = k ? &d.to : &d.of;
            const char *want = k ? table[i].to : table[i].of;
            char buf[64];

            assert_int_equal(l->text != NULL, want != NULL);
            if (!want)
                continue;
            assert_int_equal(l->n, strlen(l->text));
            /* "a*" in quotes is the one label here that only looks so. */
            snprintf(buf, sizeof(buf), "%s%s", l->text, l->prefix ? "*" : "");
            assert_string_equal(buf, want);
        }
        take(&again, d.text);
        assert_string_equal(again.text, d.text);
        assert_int_equal(again.kind, d.kind);
        assert_int_equal(again.limit_ns, d.limit_ns);
        assert_int_equal(again.from_ns, d.from_ns);
        due_fini(&again);
        due_fini(&d);
        assert_null(d.text);
    }
}

static void options(void **state)
{
    struct due d;

    (void)state;
    take(&d, "A<=1s,ranks=0-3,7,firm,margin=12.5%");
    assert_true(d.firm && d.some && !d.from_start);
    assert_int_equal(taskset_count(&d.ranks), 5);
    assert_true(d.margin > 0.12499 && d.margin < 0.12501);
    due_fini(&d);
    take(&d, "A@start+k*1s");
    assert_true(!d.firm && !d.some && d.from_start);
    assert_true(d.margin > 0.1999 && d.margin < 0.2001);
    due_fini(&d);
    take(&d, "\"a*\"<=1s");
    assert_false(d.of.prefix);
    assert_string_equal(d.of.text, "a*");
    due_fini(&d);
    take(&d, "a**<=1s");
    assert_true(d.of.prefix);
    assert_string_equal(d.of.text, "a*");
    due_fini(&d);
}

static void wrong(void **state)
{
    static const struct { const char *in, *says; } table[] = {
        { "", "column 1: nothing is written here; say what is due" },
        { "  ", "column 3: nothing is written here" },
        { "soon", "column 1: \"soon\" is neither a time for the job's end" },
        { "A,firm", "column 1: \"A\" is neither a time" },
        { "0", "column 1: 0 is not from 1ns to ten years" },
        { "-5s", "column 1: \"-5s\" is neither" },
        { "3654d", "column 1: 3654d is not from 1ns to ten years" },
        { "A<=", "column 4: a time is wanted here, as 20ms" },
        { "A<=,firm", "column 4: a time is wanted here" },
        { "A<=xx", "column 4: \"xx\" is no time, which is written as 20ms" },
        { "A<= 20 ms", "column 5: \"20 ms\" is no time" },
        { "A<=0ms", "column 4: 0ms is not from 1ns" },
        { "A<=-1s", "column 4: \"-1s\" is no time" },
        { "A<5ms", "column 2: after a label <=TIME, /TIME, ..LABEL<=TIME" },
        { "<=5ms", "column 1: a label is wanted here" },
        { "/5ms", "column 1: a label is wanted here" },
        { ",firm", "column 1: a label is wanted here" },
        { "a/b<=5ms", "column 3: \"b<=5ms\" is no time" },
        { "a\"b<=5ms", "column 2: a label with a quote in it is written in" },
        { "\"ab<=5ms", "column 1: this quote is not closed" },
        { "\"a\\nb\"<=5ms", "column 3: in a quoted label \\ stands only before" },
        { "\"a\\", "column 3: in a quoted label \\ stands" },
        { "\"a\"b<=5ms", "column 4: after a label <=TIME" },
        { "\"a\"", "column 1: \"a\" is neither a time" },
        { "\303\244\303\266<=x", "column 5: \"x\" is no time" },
        { "A..<=5ms", "column 4: a label is wanted here" },
        { "A..B", "column 5: after A..B <= and a time are wanted" },
        { "A..B/5ms", "column 5: after A..B <= and a time are wanted" },
        { "A..B..C<=5ms", "column 5: after A..B <= and a time are wanted" },
        { "A@", "column 3: after @ a beginning and a period are wanted, as "
          "start+k*50ms" },
        { "A@start", "column 3: after @ a beginning and a period" },
        { "A@start+50ms", "column 3: after @ a beginning and a period" },
        { "A@now+k*50ms", "column 3: \"now\" is no beginning: start, seconds" },
        { "A@+k*50ms", "column 3: \"\" is no beginning" },
        { "A@starting+k*50ms", "column 3: \"starting\" is no beginning" },
        { "A@2026-02-30T00:00+k*1s", "\"2026-02-30T00:00\" is no beginning" },
        { "A@2026-11-27T24:00+k*1s", "is no beginning" },
        { "A@2026-11-27+k*1s", "is no beginning" },
        { "A@9999999999+k*1s", "is no beginning" },
        { "A@1e9+k*1s", "is no beginning" },
        { "A@start+k*", "column 11: a time is wanted here" },
        { "A@start+k*0", "column 11: 0 is not from 1ns" },
        { "A<=1s,", "column 7: \"\" is none of ranks=0-3,7 soft firm" },
        { "A<=1s,hard", "column 7: \"hard\" is none of ranks=0-3,7 soft firm" },
        { "A, b<=1s", "column 1: \"A\" is neither a time" },
        { "A<=1s,firm,soft", "column 12: \"soft\": this has been said before" },
        { "A<=1s,margin=1%,margin=2%", "column 17: \"margin=2%\": this has" },
        { "A<=1s,ranks=1,firm,ranks=2", "this has been said before" },
        { "60s,ranks=1", "column 5: the end of a job is no matter of ranks" },
        { "A<=1s,ranks=", "column 13: ranks are wanted here, as 0-3,7" },
        { "A<=1s,ranks=[]", "column 13: ranks are wanted here" },
        { "A<=1s,ranks=x", "column 13: ranks \"x\": \"x\" is not a number" },
        { "A<=1s,ranks=3-1", "column 13: ranks \"3-1\"" },
        { "A<=1s,ranks=[1", "column 13: ranks \"[1\": no \"]\"" },
        { "A<=1s,ranks=4294967295", "column 13: ranks" },
        { "A<=1s,margin=", "column 14: a margin from 0% to 100% is wanted" },
        { "A<=1s,margin=20", "column 14: a margin from 0% to 100%" },
        { "A<=1s,margin=101%", "column 14: a margin from 0% to 100%" },
        { "A<=1s,margin=-1%", "column 14: a margin from 0% to 100%" },
        { "A\n<=1s", "column 2: a control character" },
        { "A<=1s\177", "column 6: a control character" },
        { "60s # the end", "column 1: \"60s # the end\" is neither" },
        { "A<=1s # b", "column 4: \"1s # b\" is no time" },
    };
    char *large = malloc(20001);

    (void)state;
    for (size_t i = 0; i < sizeof(table) / sizeof(table[0]); i++) {
        struct err err = { 0 };
        struct due d;

        if (due_parse(&d, table[i].in, false, &err) == 0)
            fail_msg("%s: taken as %s", table[i].in, d.text);
        if (!strstr(err.text, table[i].says))
            fail_msg("%s: %s", table[i].in, err.text);
        assert_null(strchr(err.text, '\n'));
        assert_null(d.text);
        assert_int_equal(due_parse(&d, table[i].in, false, NULL), -1);
    }
    struct err err;
    struct due d;

    assert_non_null(large);
    memset(large, 'a', 20000);
    strcpy(large + 16380, "<=1s");
    assert_int_equal(due_parse(&d, large, false, &err), 0);
    due_fini(&d);
    large[16384] = 'a';
    strcpy(large + 19000, "<=1s");
    assert_int_equal(due_parse(&d, large, false, &err), -1);
    assert_non_null(strstr(err.text, "column 16385: it is longer"));
    free(large);
}

/* Local time is that of TZ, and a time that a clock skips is none. */
static void instants(void **state)
{
    uint64_t ns = 7, utc;
    char buf[32];

    (void)state;
    setenv("TZ", "CET-1CEST,M3.5.0,M10.5.0/3", 1);
    tzset();
    assert_int_equal(instant_parse(&ns, "2026-11-27T03:51:13.000000001"), 0);
    assert_int_equal(instant_parse(&utc, "2026-11-27T02:51:13.000000001Z"), 0);
    assert_int_equal(ns, utc);
    assert_int_equal(ns, 1795747873000000001ull);
    assert_int_equal(instant_parse(&ns, "2026-07-01T02:00"), 0);
    assert_int_equal(instant_parse(&utc, "2026-07-01T00:00Z"), 0);
    assert_int_equal(ns, utc);
    assert_int_equal(instant_parse(&ns, "2026-03-29T02:30"), -1);
    assert_int_equal(instant_parse(&ns, "2026-03-29T02:30Z"), 0);
    assert_int_equal(instant_parse(&ns, "1969-12-31T23:00Z"), -1);
    assert_int_equal(instant_parse(&ns, "2200-01-01T00:00Z"), -1);
    assert_int_equal(instant_parse(&ns, "2026-11-27T02:51:13.Z"), -1);
    assert_int_equal(instant_parse(&ns, "2026-11-27T02:51:13Zx"), -1);
    assert_int_equal(instant_parse(&ns, "1795747873.1234567899"), 0);
    instant_format(ns, buf, sizeof(buf));
    assert_string_equal(buf, "2026-11-27T02:51:13.123456789Z");
    assert_int_equal(instant_parse(&ns, "0"), 0);
    instant_format(ns, buf, sizeof(buf));
    assert_string_equal(buf, "1970-01-01T00:00:00Z");
    setenv("TZ", "UTC0", 1);
    tzset();
}

/* ------------------------------------------------------------- calendars */

static void put(struct calendar *c, const char *text)
{
    struct err err = { 0 };

    if (calendar_add(c, text, &err))
        fail_msg("%s: %s", text, err.text);
}

static void matches(const struct calendar *c, const char *label, uint32_t rank,
                    uint64_t want_of, uint64_t want_to)
{
    uint64_t of = 99, to = 99;

    calendar_match(c, label, strlen(label), rank, &of, &to);
    if (of != want_of || to != want_to)
        fail_msg("%s by %u: %llx %llx, not %llx %llx", label, rank,
                 (unsigned long long)of, (unsigned long long)to,
                 (unsigned long long)want_of, (unsigned long long)want_to);
}

static void match(void **state)
{
    struct calendar c = { 0 };
    struct err err;

    (void)state;
    matches(&c, "A", 0, 0, 0);
    put(&c, "60s");                                     /* 1 */
    matches(&c, "60s", 0, 0, 0);
    put(&c, "A<=1s");                                   /* 2 */
    put(&c, "A/2s,ranks=1-2");                          /* 4 */
    put(&c, "A..B<=1s,ranks=0-1");                      /* 8 */
    put(&c, "A*@start+k*1s");                           /* 10 */
    put(&c, "\"\"<=1s");                                /* 20 */
    put(&c, "*..C*<=1s,ranks=5");                       /* 40 */
    matches(&c, "A", 0, 0x1a, 0);
    matches(&c, "A", 1, 0x1e, 0);
    matches(&c, "A", 2, 0x16, 0);
    matches(&c, "A", 5, 0x52, 0);
    matches(&c, "B", 0, 0, 8);
    matches(&c, "B", 2, 0, 0);
    matches(&c, "B", 5, 0x40, 0);
    matches(&c, "Ab", 0, 0x10, 0);
    matches(&c, "", 0, 0x20, 0);
    matches(&c, "", 5, 0x60, 0);
    matches(&c, "Cx", 5, 0x40, 0x40);
    matches(&c, "a", 0, 0, 0);
    assert_int_equal(calendar_take_back(&c, 2, &err), 0);
    matches(&c, "A", 1, 0x1c, 0);
    assert_int_equal(calendar_take_back(&c, 2, &err), -1);
    assert_non_null(strstr(err.text, "deadline 2 has been taken back"));
    assert_int_equal(calendar_take_back(&c, 8, &err), -1);
    assert_non_null(strstr(err.text, "no deadline 8: the job has 7"));
    assert_int_equal(calendar_take_back(&c, 0, &err), -1);
    put(&c, "A <= 1s");                                 /* 80 */
    assert_int_equal(c.v[7].number, 8);
    matches(&c, "A", 1, 0x9c, 0);
    assert_int_equal(calendar_add(&c, "A<=1000ms", &err), -1);
    assert_non_null(strstr(err.text, "already, with number 8"));
    assert_int_equal(calendar_check(&c, 6, &err), 0);
    assert_int_equal(calendar_check(&c, 5, &err), -1);
    assert_non_null(strstr(err.text, "*..C*<=1s,ranks=5: there is no rank 5, the "
                           "job has 5 tasks"));
    calendar_fini(&c);
    matches(&c, "A", 0, 0, 0);
}

static void in_force(const struct calendar *c, uint64_t wanted)
{
    uint64_t bits = 0;

    for (size_t i = 0; i < c->n; i++)
        bits |= (uint64_t)!c->v[i].over << i;
    assert_int_equal(bits, wanted);
    assert_int_equal(calendar_any(c), wanted != 0);
}

/* What takes the place of what, and a calendar as it was. */
static void changed(void **state)
{
    static const struct { const char *text; uint64_t in_force; } steps[] = {
        { "A<=20ms", 1 }, { "A*<=20ms", 3 }, { "A/20ms", 7 },
        { "A<=20ms,ranks=0", 0xf }, { "A..B<=20ms", 0x1f }, { "60s", 0x3f },
        { "A <= 0.03s", 0x7e }, { "A<=30ms", 0x7e }, { "A<=9ms,ranks=0-0", 0xf6 },
        { "2m", 0x1d6 }, { "A..\"B\"<=1s,firm", 0x3c6 }, { "A*<=1s", 0x7c4 },
        { "\"A*\"<=1s", 0xfc4 }, { "A@start+k*1s", 0x1fc4 },
        { "A@5+k*2s", 0x2fc4 },
    };
    struct calendar c = { 0 }, back = { 0 };
    char *texts[CALENDAR_MAX];
    uint32_t over[CALENDAR_MAX], n, nover = 0;
    struct err err;

    (void)state;
    in_force(&c, 0);
    for (size_t i = 0; i < sizeof(steps) / sizeof(steps[0]); i++) {
        if (calendar_put(&c, steps[i].text, &err))
            fail_msg("%s: %s", steps[i].text, err.text);
        in_force(&c, steps[i].in_force);
    }
    assert_int_equal(calendar_put(&c, "A<20ms", &err), -1);
    in_force(&c, 0x2fc4);
    assert_int_equal(calendar_find(&c, "120s", &n, &err), 0);
    assert_int_equal(n, 9);
    assert_int_equal(calendar_find(&c, "60s", &n, &err), 0);
    assert_int_equal(n, 0);
    assert_int_equal(calendar_find(&c, "60 sheep", &n, &err), -1);
    for (size_t i = 0; i < c.n; i++) {
        texts[i] = c.v[i].text;
        if (c.v[i].over)
            over[nover++] = (uint32_t)i + 1;
    }
    assert_int_equal(calendar_restore(&back, texts, c.n, over, nover, &err), 0);
    in_force(&back, 0x2fc4);
    matches(&back, "A", 1, 0x2644, 0);
    calendar_fini(&back);
    assert_int_equal(calendar_restore(&back, texts, c.n, NULL, 0, &err), 0);
    calendar_fini(&back);
    texts[3] = texts[2];
    assert_int_equal(calendar_restore(&back, texts, c.n, over, nover, &err), -1);
    calendar_fini(&back);
    calendar_fini(&c);
}

/* The last of 64 is taken, and no other: also over ones count. */
static void full(void **state)
{
    struct calendar c = { 0 };
    struct err err;
    char text[40];

    (void)state;
    for (int i = 0; i < CALENDAR_MAX; i++) {
        snprintf(text, sizeof(text), "l%d..m%d<=1s", i, i);
        put(&c, text);
        if (i % 2)
            assert_int_equal(calendar_take_back(&c, (uint32_t)i + 1, NULL), 0);
    }
    assert_int_equal(calendar_add(&c, "x<=1s", &err), -1);
    assert_non_null(strstr(err.text, "no more than 64 deadlines"));
    matches(&c, "l62", 9, (uint64_t)1 << 62, 0);
    matches(&c, "l63", 9, 0, 0);
    matches(&c, "m62", 9, 0, (uint64_t)1 << 62);
    calendar_fini(&c);
}

static uint64_t now_ns(void)
{
    struct timespec t;

    clock_gettime(CLOCK_MONOTONIC, &t);
    return (uint64_t)t.tv_sec * S + (uint64_t)t.tv_nsec;
}

/* Against the plain rule, over labels of all lengths; and what it takes is
 * said, in the log. */
static void match_all(void **state)
{
    struct calendar c = { 0 };
    char label[4096], text[200];
    uint64_t ns, sum = 0;

    (void)state;
    srand(7);
    for (int i = 0; i < CALENDAR_MAX; i++) {
        int n = rand() % 20;

        memset(label, 0, sizeof(label));
        for (int k = 0; k < n; k++)
            label[k] = (char)('a' + rand() % 2);
        snprintf(text, sizeof(text), "\"%.20s\"%s%s<=%dms,ranks=%d-9", label,
                 rand() % 3 ? "" : "*", rand() % 2 ? "" : "..\"ab\"*", i + 1,
                 rand() % 9);
        put(&c, text);
    }
    for (int round = 0; round < 20000; round++) {
        uint64_t of, to, want_of = 0, want_to = 0;
        uint32_t rank = (uint32_t)(rand() % 12);
        size_t n = (size_t)(rand() % 20);

        for (size_t k = 0; k < n; k++)
            label[k] = (char)('a' + rand() % 2);
        for (size_t i = 0; i < c.n; i++) {
            const struct due_label *l[] = { &c.v[i].of, &c.v[i].to };
            uint64_t *want[] = { &want_of, &want_to };

            for (int k = 0; k < 2; k++)
                if (l[k]->text && (l[k]->n == n || (l[k]->prefix && l[k]->n < n)) &&
                    memcmp(l[k]->text, label, l[k]->n) == 0 &&
                    taskset_has(&c.v[i].ranks, rank))
                    *want[k] |= (uint64_t)1 << i;
        }
        calendar_match(&c, label, n, rank, &of, &to);
        assert_int_equal(of, want_of);
        assert_int_equal(to, want_to);
    }
    memset(label, 'x', sizeof(label));
    ns = now_ns();
    for (int i = 0; i < 10000; i++) {
        uint64_t of, to;

        calendar_match(&c, label, sizeof(label), 3, &of, &to);
        sum += of | to;
    }
    ns = now_ns() - ns;
    print_message("# %llu ns for a label of 4 kB among %d (%llu)\n",
                  (unsigned long long)ns / 10000, CALENDAR_MAX,
                  (unsigned long long)sum);
    calendar_fini(&c);
}

/* -------------------------------------------------------------- files */

static void write_file(const char *path, const char *text, size_t n)
{
    FILE *f = fopen(path, "w");

    assert_non_null(f);
    assert_int_equal(fwrite(text, 1, n, f), n);
    assert_int_equal(fclose(f), 0);
}

static void file_says(const char *path, const char *text, size_t n,
                      const char *says)
{
    struct calendar c = { 0 };
    struct err err = { 0 };

    put(&c, "before<=1s");
    write_file(path, text, n);
    assert_int_equal(calendar_file(&c, path, &err), -1);
    if (!strstr(err.text, says))
        fail_msg("%s: %s", text, err.text);
    assert_int_equal(c.n, 1);
    matches(&c, "before", 0, 1, 0);
    calendar_fini(&c);
}

static void files(void **state)
{
    static const char text[] =
        "# what is due\n\n60s # the end, A<=1s\r\n \t# more\n"
        "A<=20ms,firm # see a/b\n \t\r\nStep #3<=1s\n"
        "B/50ms,ranks=0-3,7 # c\nC..D<=1s,ranks=1,2,margin=5%";
    static const char *const want[] = {
        "60s", "A<=20ms,firm", "\"Step #3\"<=1s", "B/50ms,ranks=0-3,7",
        "C..D<=1s,ranks=1-2,margin=5%",
    };
    char path[] = "/tmp/calendar.XXXXXX";
    int fd = mkstemp(path);
    struct calendar c = { 0 };
    struct err err = { 0 };

    (void)state;
    assert_true(fd >= 0);
    close(fd);
    write_file(path, text, sizeof(text) - 1);
    if (calendar_file(&c, path, &err))
        fail_msg("%s", err.text);
    assert_int_equal(c.n, sizeof(want) / sizeof(want[0]));
    for (size_t i = 0; i < c.n; i++) {
        assert_string_equal(c.v[i].text, want[i]);
        assert_int_equal(c.v[i].number, i + 1);
    }
    matches(&c, "D", 1, 0, 0x10);
    assert_int_equal(calendar_file(&c, path, &err), -1);
    assert_non_null(strstr(err.text, ":3: the job has this deadline already, with "
                           "number 1"));
    assert_int_equal(c.n, 5);
    matches(&c, "D", 1, 0, 0x10);
    calendar_fini(&c);
    write_file(path, "", 0);
    assert_int_equal(calendar_file(&c, path, &err), 0);
    assert_int_equal(c.n, 0);
    file_says(path, "A<=1s\nB<1s\nC<=x", 15, ":2: column 2: after a label");
    file_says(path, "A<=1s\n\n\0\n", 9, ":3: column 1: a zero byte");
    file_says(path, "A<=1s\n  soon\n", 13, ":2: column 3: \"soon\" is neither");
    file_says(path, "A<=1s\rB<=1s", 11, ":1: column 6: a control character");
    file_says("/dev/zero", "", 0, "larger than 1048576 bytes");
    unlink(path);
    assert_int_equal(calendar_file(&c, path, &err), -1);
    assert_non_null(strstr(err.text, "cannot read the calendar /tmp/calendar."));
    assert_int_equal(calendar_file(&c, "/tmp", &err), -1);
    assert_non_null(strstr(err.text, "cannot read the calendar /tmp"));
    calendar_fini(&c);
}

/* Any text is taken and comes back from its own, or there is a sentence. */
static void garbage(void **state)
{
    static const char *const words[] = {
        "A", "b c", "..", "...", ".", "<=", "<", "/", "@", "start", "+k*", "5ms",
        "1s", ",", "ranks=", "0-3", "7", "firm", "soft", "margin=", "5%", "\"",
        "\\", "*", " ", "#", "[", "]", "all", "-", "1795747873.5",
        "2026-11-27T02:51Z", "\303\244", "\n", "60",
    };
    enum { WORDS = sizeof(words) / sizeof(words[0]) };
    unsigned taken = 0;

    (void)state;
    srand(4711);
    for (int i = 0; i < 200000; i++) {
        char text[400] = "";
        struct err err = { 0 };
        struct due d, again;

        for (int k = rand() % 12; k >= 0; k--)
            strcat(text, words[rand() % WORDS]);
        if (i % 4 == 0 && *text)
            text[(size_t)rand() % strlen(text)] = (char)(1 + rand() % 255);
        if (due_parse(&d, text, rand() % 2, &err)) {
            assert_true(*err.text && strstr(err.text, "column "));
            assert_null(d.text);
            continue;
        }
        taken++;
        if (due_parse(&again, d.text, true, &err))
            fail_msg("%s, from %s: %s", d.text, text, err.text);
        assert_string_equal(again.text, d.text);
        assert_int_equal(again.kind, d.kind);
        assert_int_equal(again.of.prefix, d.of.prefix);
        assert_true(taskset_equal(&again.ranks, &d.ranks));
        if (d.kind != DUE_END)
            assert_string_equal(again.of.text, d.of.text);
        if (d.kind == DUE_SPAN)
            assert_string_equal(again.to.text, d.to.text);
        due_fini(&again);
        due_fini(&d);
    }
    assert_true(taken > 500);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(good), cmocka_unit_test(options),
        cmocka_unit_test(wrong), cmocka_unit_test(instants),
        cmocka_unit_test(match), cmocka_unit_test(changed),
        cmocka_unit_test(full),
        cmocka_unit_test(match_all), cmocka_unit_test(files),
        cmocka_unit_test(garbage),
    };

    cmocka_set_message_output(CM_OUTPUT_TAP);
    return cmocka_run_group_tests(tests, NULL, NULL);
}
