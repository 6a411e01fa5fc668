/* test_eventbook.c - tagged calls of a job with deadlines as policies see them: those
 * that something is due of, once with an end, and before that once without. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "master/watch/eventbook.h"

enum { RANKS = 4 };
static const struct eventbook_clock clocks = { -1000, 7 };

struct fixture {
    struct eventbook book;
    struct looks looks;
    struct hct_snapshot s;
};

static void begin(struct fixture *f, char *a, char *b)
{
    struct hct_job job = { .size = sizeof(job), .nranks = RANKS };
    Hct__Submit s = HCT__SUBMIT__INIT;
    char *deadlines[] = { a, b };
    struct err err;

    memset(f, 0, sizeof(*f));
    s.n_deadlines = b ? 2 : 1;
    s.deadlines = deadlines;
    assert_int_equal(eventbook_init(&f->book, &s, &err), 0);
    assert_int_equal(eventbook_begin(&f->book, RANKS), 0);
    assert_int_equal(looks_init(&f->looks, &job), 0);
}

static void end(struct fixture *f)
{
    eventbook_fini(&f->book);
    looks_fini(&f->looks);
}

/* One record, with the number `first` in its task. */
static void come(struct fixture *f, uint32_t rank, uint64_t first, const char *label,
                 uint64_t seq, uint64_t enter, uint64_t exit, uint64_t known)
{
    Hct__Events m = HCT__EVENTS__INIT;
    Hct__Events__Record r = HCT__EVENTS__RECORD__INIT, *records[] = { &r };
    ProtobufCBinaryData text = { .data = (uint8_t *)label, .len = strlen(label) };

    m.rank = rank;
    m.first = first;
    m.records = records;
    m.n_records = 1;
    m.labels = &text;
    m.n_labels = 1;
    r.seq = seq;
    r.marker = (int32_t)seq + 100;
    r.call = 5;
    r.enter_ns = enter;
    r.exit_ns = exit;
    eventbook_take(&f->book, &m, known, &clocks);
}

static void look(struct fixture *f)
{
    looks_begin(&f->looks, 0);
    eventbook_show(&f->book, &f->looks, -500, 2500);
    looks_end(&f->looks, f->looks.now_ns + 1000, &f->s);
}

static void test_whole(void **state)
{
    struct fixture f;
    const struct hct_event *e;

    (void)state;
    begin(&f, (char *)"halo<=20ms", (char *)"in..halo<=1s,ranks=1");
    look(&f);
    assert_int_equal(f.s.ndeadlines, 2);
    assert_int_equal(f.s.nevents, 0);
    assert_int_equal(hct_deadline(&f.s, 0)->kind, HCT_DUE_CALL);
    assert_int_equal(hct_deadline(&f.s, 0)->ranks, RANKS);
    assert_int_equal(hct_deadline(&f.s, 1)->number, 2);
    assert_int_equal(hct_deadline(&f.s, 1)->ranks, 1);
    assert_true(f.s.parts & HCT_NEED_EVENTS);
    come(&f, 1, 0, "halo", 0, 5000, 6000, 0);
    come(&f, 2, 0, "other", 0, 5000, 6000, 0);
    come(&f, 2, 1, "halo", 1, 7000, 8000, 1);
    assert_true(eventbook_any(&f.book));
    look(&f);
    assert_false(eventbook_any(&f.book));
    assert_int_equal(f.s.nevents, 2);
    e = hct_event(&f.s, 0);
    assert_int_equal(e->rank, 1);
    assert_int_equal(e->marker, 100);
    assert_int_equal(e->enter_ns, 4000);
    assert_int_equal(e->exit_ns, 5000);
    assert_int_equal(e->bound_ns, 7);
    assert_int_equal(e->of, 1);
    assert_int_equal(e->to, 2);
    assert_string_equal(e->label, "halo");
    e = hct_event(&f.s, 1);
    assert_int_equal(e->rank, 2);
    assert_int_equal(e->of, 1);
    assert_int_equal(e->to, 0);
    look(&f);
    assert_int_equal(f.s.nevents, 0);
    end(&f);
}

static void test_in_two(void **state)
{
    struct fixture f;
    const struct hct_event *e;

    (void)state;
    begin(&f, (char *)"a*<=20ms", NULL);
    come(&f, 0, 0, "a1", 0, 5000, 0, 0);
    come(&f, 0, 1, "a2", 1, 5500, 0, 1);        /* of another thread */
    come(&f, 3, 0, "a3", 0, 5600, 0, 0);
    come(&f, 0, 2, "b", 2, 5700, 0, 2);
    look(&f);
    assert_int_equal(f.s.nevents, 3);
    assert_int_equal(hct_event(&f.s, 0)->in, 1);
    assert_int_equal(hct_event(&f.s, 0)->exit_ns, 0);
    come(&f, 0, 3, "", 0, 0, 9000, 3);
    come(&f, 0, 4, "", 2, 0, 9100, 4);          /* nothing is due of it */
    come(&f, 0, 5, "", 0, 0, 9200, 5);          /* it has ended already */
    look(&f);
    assert_int_equal(f.s.nevents, 1);
    e = hct_event(&f.s, 0);
    assert_string_equal(e->label, "a1");
    assert_int_equal(e->marker, 100);
    assert_int_equal(e->in, 0);
    assert_int_equal(e->enter_ns, 4000);
    assert_int_equal(e->exit_ns, 8000);
    come(&f, 3, 1, "", 0, 0, 9300, 1);
    come(&f, 0, 6, "", 1, 0, 9400, 6);
    look(&f);
    assert_int_equal(f.s.nevents, 2);
    assert_string_equal(hct_event(&f.s, 0)->label, "a3");
    assert_string_equal(hct_event(&f.s, 1)->label, "a2");
    end(&f);
}

/* What is sent again after a broken link has been here before. */
static void test_again(void **state)
{
    struct fixture f;

    (void)state;
    begin(&f, (char *)"a<=20ms", NULL);
    come(&f, 0, 0, "a", 0, 5000, 6000, 0);
    come(&f, 0, 0, "a", 0, 5000, 6000, 1);
    come(&f, RANKS, 0, "a", 0, 5000, 6000, 0);  /* nobody is that */
    look(&f);
    assert_int_equal(f.s.nevents, 1);
    end(&f);
}

/* Calls that do not end are bounded, and so is what nobody looks at. */
static void test_full(void **state)
{
    struct hct_snapshot last = { .events_lost = 30 };
    uint64_t n;
    struct fixture f;

    (void)state;
    begin(&f, (char *)"a<=20ms", NULL);
    for (uint64_t i = 0; i < EVENTBOOK_MAX + 10; i++)
        come(&f, 0, i, "a", i, 5000 + i, 0, i);
    look(&f);
    assert_int_equal(f.s.nevents, HCT_INSTANCES_MAX / 2);       /* of so many */
    assert_true(eventbook_any(&f.book));
    for (n = f.s.nevents; eventbook_any(&f.book); n += f.s.nevents) {
        look(&f);
        assert_int_equal(hct_event(&f.s, 0)->enter_ns, 4000 + n);
    }
    assert_int_equal(n, EVENTBOOK_MAX);
    assert_int_equal(f.s.events_lost, 20);      /* as open ones, and to be shown */
    come(&f, 0, EVENTBOOK_MAX + 10, "", 3, 0, 99000, EVENTBOOK_MAX + 10);
    look(&f);
    assert_int_equal(f.s.nevents, 1);
    come(&f, 1, 0, "a", 0, 5000, 0, 0);         /* there is room again */
    look(&f);
    assert_int_equal(f.s.events_lost, 20);
    eventbook_go_on(&f.book, &f.looks, &last, 0);   /* another master goes on */
    look(&f);
    assert_int_equal(f.s.events_lost, 31);
    end(&f);
}

/* What comes before the looks of another master are known is told after that,
 * in their time. */
static void test_early(void **state)
{
    struct fixture f;

    (void)state;
    begin(&f, (char *)"a<=20ms", NULL);
    come(&f, 0, 0, "a", 0, 5000, 6000, 0);
    come(&f, 1, 0, "a", 0, 5500, 0, 0);
    eventbook_go_on(&f.book, &f.looks, NULL, 100);
    look(&f);
    assert_int_equal(f.s.events_lost, 1);
    assert_int_equal(f.s.nevents, 2);
    assert_int_equal(hct_event(&f.s, 0)->enter_ns, 5000 - 1000 + 100);
    assert_int_equal(hct_event(&f.s, 0)->exit_ns, 6000 - 1000 + 100);
    assert_int_equal(hct_event(&f.s, 1)->exit_ns, 0);
    come(&f, 1, 1, "", 0, 0, 7000, 1);
    look(&f);
    assert_int_equal(f.s.nevents, 1);
    assert_int_equal(hct_event(&f.s, 0)->enter_ns, 5500 - 1000 + 100);
    assert_int_equal(hct_event(&f.s, 0)->exit_ns, 7000 - 1000);
    end(&f);
}

static void test_times(void **state)
{
    struct fixture f;

    (void)state;
    begin(&f, (char *)"60s", (char *)"a@start+k*50ms");
    look(&f);
    assert_int_equal(hct_deadline(&f.s, 0)->kind, HCT_DUE_END);
    assert_int_equal(hct_deadline(&f.s, 0)->from_ns, 2000);
    assert_true(hct_deadline(&f.s, 1)->from_ns == INT64_MAX);
    assert_int_equal(hct_deadline(&f.s, 1)->limit_ns, 50000000);
    come(&f, 1, 0, "a", 0, 7000, 9000, 0);      /* it begins with the first call */
    come(&f, 0, 0, "a", 0, 6000, 0, 0);
    look(&f);
    assert_int_equal(hct_deadline(&f.s, 1)->from_ns, 5000);
    come(&f, 2, 0, "a", 0, 5500, 9000, 0);      /* and goes on */
    look(&f);
    assert_int_equal(hct_deadline(&f.s, 1)->from_ns, 5000);
    eventbook_show(&f.book, &f.looks, -900, 2500);      /* a clock was set */
    assert_int_equal(f.looks.deadlines[0].from_ns, 2000);
    end(&f);
}

static void test_wrong(void **state)
{
    Hct__Submit s = HCT__SUBMIT__INIT;
    char *deadlines[] = { (char *)"a<=" };
    struct eventbook b;
    struct err err = { 0 };

    (void)state;
    s.n_deadlines = 1;
    s.deadlines = deadlines;
    assert_int_equal(eventbook_init(&b, &s, &err), -1);
    assert_true(err.text[0]);
    eventbook_fini(&b);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_whole), cmocka_unit_test(test_in_two),
        cmocka_unit_test(test_again), cmocka_unit_test(test_full),
        cmocka_unit_test(test_times), cmocka_unit_test(test_wrong),
        cmocka_unit_test(test_early),
    };

    cmocka_set_message_output(CM_OUTPUT_TAP);
    return cmocka_run_group_tests(tests, NULL, NULL);
}
