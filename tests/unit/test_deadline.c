/* test_deadline.c - the policy deadline as its host sees it: instances of all
 * kinds, met, missed and open, what is said of them, and how often. */
#include "tests/unit/deadline_rig.h"

#include "master/watch/callclass.h"

static void said(uint32_t declining, uint32_t missed, uint32_t again, uint32_t never)
{
    uint32_t wanted[5] = { 0, declining, missed, again, never };

    for (unsigned i = 1; i < 5; i++)
        if (rig.told[i] != wanted[i])
            fail_msg("%u verdicts %u, not %u; last:\n%s\n%s", rig.told[i], i,
                     wanted[i], rig.text[0], rig.text[1]);
}

static void row(uint64_t number, int64_t release_ns, int64_t due_ns, int64_t done_ns,
                bool late)
{
    assert_int_equal(rig.row.instance, number);
    assert_int_equal(rig.row.release_ns, release_ns);
    assert_int_equal(rig.row.due_ns, due_ns);
    assert_int_equal(rig.row.open, done_ns == 0);
    assert_int_equal(rig.row.done_ns, done_ns);
    assert_int_equal(rig.row.late, late);
}

/* ---------------------------------------------------------------- the kinds */

static void calls(void **state)
{
    (void)state;
    rig_open(4, NULL, 0);
    rig_due(HCT_DUE_CALL, 20 * MS, 0.2);
    rig_look(S, false);
    for (int i = 1; i <= 20; i++) {
        rig_call(2, 1, S + i * 100 * MS, S + i * 100 * MS + 12 * MS);
        rig_look(S + i * 100 * MS + 13 * MS, true);
        row((uint64_t)i - 1, S + i * 100 * MS, S + i * 100 * MS + 20 * MS,
            S + i * 100 * MS + 12 * MS, false);
        assert_int_equal(rig.row.rank, 2);
        assert_int_equal(rig.row.deadline, 1);
    }
    assert_true(fabs(rig.row.slope) < 1e-9 && rig.row.chance < 1e-9);
    said(0, 0, 0, 0);
    rig_call(2, 1, 4 * S, 4 * S + 23200000);
    assert_int_equal(rig_look(4 * S + 24 * MS, true), 1);
    row(20, 4 * S, 4 * S + 20 * MS, 4 * S + 23200000, true);
    said(0, 1, 0, 0);
    SAYS("deadline halo1: missed by 3.2 ms in instance 20 of rank 2 (MPI_Sendrecv); "
         "margin fell from 40 % to -16 % over the last 2");
    assert_int_equal(rig.last_rank, 2);
    assert_int_equal(rig.last.deadline, 1);
    assert_true(rig.last.score < 1);
}

/* It is missed when it is due, and not when its event comes. */
static void open_calls(void **state)
{
    (void)state;
    rig_open(4, NULL, 0);
    rig_due(HCT_DUE_CALL, 20 * MS, 0.2);
    rig_look(S, false);
    rig_look(2 * S - MS, false);
    rig_call(1, 1, 2 * S, 0)->bound_ns = 2 * MS;
    rig_look(2 * S + 5 * MS, true);
    assert_int_equal(rig.nrows, 0);
    /* 20 ms, the error of clocks, and 20 ms in which its end may be told. */
    assert_true(rig.out.wake_ns == (uint64_t)(2 * S + 42 * MS + 1));
    rig_look(2 * S + 42 * MS + 1, true);        /* nothing of a look without tasks */
    said(0, 0, 0, 0);
    assert_true(rig.out.wake_ns <= (uint64_t)(2 * S + 44 * MS));
    rig_look(2 * S + 43 * MS, false);
    said(0, 1, 0, 0);
    SAYS("missed: instance 0 of rank 1 (MPI_Sendrecv) was due 23 ms ago and has not "
         "ended");
    row(0, 2 * S, 2 * S + 20 * MS, 0, true);
    rig_until(3 * S);
    assert_int_equal(rig.nrows, 1);             /* once */
    rig_call(1, 1, 2 * S, 3 * S);               /* told again, with an end */
    rig_look(3 * S + MS, true);
    row(0, 2 * S, 2 * S + 20 * MS, 3 * S, true);
    said(0, 1, 0, 0);
    rig_call(1, 1, 4 * S, 4 * S + MS);
    rig_look(4 * S + 2 * MS, true);
    row(1, 4 * S, 4 * S + 20 * MS, 4 * S + MS, false);
}

/* Its end was told late: it was met. */
static void late_news(void **state)
{
    (void)state;
    rig_open(1, NULL, 0);
    rig_due(HCT_DUE_CALL, 20 * MS, 0);
    rig_look(S, false);
    rig_call(0, 1, 2 * S, 0);
    rig_look(2 * S + 5 * MS, true);
    rig_look(2 * S + 100 * MS, false);
    said(0, 1, 0, 0);
    rig_call(0, 1, 2 * S, 2 * S + 19 * MS);
    rig_look(2 * S + 200 * MS, true);
    row(0, 2 * S, 2 * S + 20 * MS, 2 * S + 19 * MS, false);
    for (int i = 0; i < 2; i++) {
        rig_call(0, 1, 3 * S + i * S, 3 * S + i * S + MS);
        rig_look(3 * S + i * S + 2 * MS, true);
    }
    said(0, 1, 1, 0);
    SAYS("met again, with a margin of 95 %");
    /* From then on calls have as long to be told as it took. */
    rig_call(0, 1, 5 * S, 0);
    rig_look(5 * S + MS, false);
    assert_true(rig.out.wake_ns > (uint64_t)(5 * S + 100 * MS));
}

static void periods(void **state)
{
    int64_t t = 2 * S;

    (void)state;
    rig_open(2, NULL, 0);
    rig_due(HCT_DUE_PERIOD, 50 * MS, 0.1);
    rig_look(S, false);
    rig_call(0, 1, t - MS, t);
    rig_look(t, true);
    assert_int_equal(rig.nrows, 0);             /* it only starts it */
    for (int i = 0; i < 20; i++) {
        rig_call(0, 1, t + 38 * MS, t + 40 * MS);
        t += 40 * MS;
        rig_look(t + MS, true);
        row((uint64_t)i, t - 40 * MS, t + 10 * MS, t, false);
    }
    said(0, 0, 0, 0);
    rig_until(t + S);
    said(0, 1, 0, 0);
    SAYS("instance 20 of rank 0 (MPI_Sendrecv) was due");
    row(20, t, t + 50 * MS, 0, true);
    rig_call(0, 1, t + S - 3 * MS, t + S);
    rig_look(t + S, true);
    row(20, t, t + 50 * MS, t + S, true);
    rig_call(0, 1, t + S + 55 * MS, t + S + 56 * MS);
    rig_look(t + S + 57 * MS, true);
    row(21, t + S, t + S + 50 * MS, t + S + 56 * MS, true);
    said(0, 1, 0, 0);
}

/* A period that was long before the call, and one that was long in it. */
static void where_it_went(void **state)
{
    int64_t t = 2 * S;

    (void)state;
    for (int in = 0; in < 2; in++) {
        rig_open(1, NULL, 0);
        rig_due(HCT_DUE_PERIOD, 50 * MS, 0.1);
        rig_call(0, 1, t - MS, t);
        for (int i = 0; i < 10; i++, t += 40 * MS) {
            rig_call(0, 1, t + 30 * MS, t + 40 * MS);
            rig_look(t + 41 * MS, i % 2);
        }
        rig_call(0, 1, t + (in ? 30 : 60) * MS, t + 70 * MS);
        rig_look(t + 71 * MS, true);
        said(0, 1, 0, 0);
        if (in)
            SAYS("40 ms in MPI_Sendrecv, usually 10 ms");
        else
            SAYS("60 ms before MPI_Sendrecv, usually 30 ms");
        assert_int_equal(rig.last.where, in ? HCT_WHERE_COMMUNICATION
                                            : HCT_WHERE_COMPUTATION);
    }
}

static void clocks(void **state)
{
    (void)state;
    rig_open(2, NULL, 0);
    rig_due(HCT_DUE_CLOCK, 50 * MS, 0.1);
    rig.due[0].from_ns = S;
    rig_look(S, false);
    for (int i = 0; i < 10; i++) {
        rig_call(1, 1, S + i * 50 * MS + 20 * MS, S + i * 50 * MS + 30 * MS);
        rig_look(S + i * 50 * MS + 31 * MS, true);
        row((uint64_t)i, S + i * 50 * MS, S + i * 50 * MS + 50 * MS,
            S + i * 50 * MS + 30 * MS, false);
    }
    /* Nothing for 200 ms: of four instances one is due after the other. */
    rig_until(S + 700 * MS);
    said(0, 1, 0, 0);
    row(12, S + 600 * MS, S + 650 * MS, 0, true);
    /* They are done behind the time, each in its turn. */
    for (int i = 10; i < 14; i++) {
        rig_call(1, 1, S + 700 * MS + i * MS, S + 701 * MS + i * MS);
        rig_look(S + 702 * MS + i * MS, true);
        row((uint64_t)i, S + i * 50 * MS, S + i * 50 * MS + 50 * MS,
            S + 701 * MS + i * MS, true);
    }
    said(0, 1, 0, 0);
    rig_call(1, 1, S + 720 * MS, S + 730 * MS);
    rig_look(S + 731 * MS, true);
    row(14, S + 700 * MS, S + 750 * MS, S + 730 * MS, false);
}

static void stage(uint32_t rank, bool to, int marker, int64_t enter, int64_t exit)
{
    struct hct_event *e = rig_call(rank, to ? 0 : 1, enter, exit);

    e->to = to;
    e->marker = marker;
}

static void spans(void **state)
{
    (void)state;
    rig_open(4, NULL, 0);
    rig_due(HCT_DUE_SPAN, 30 * MS, 0.1);
    rig_look(S, false);
    /* Two ranks leave it: that is known when the first one is due. */
    for (int i = 0; i < 12; i++) {
        int64_t t = 2 * S + i * 100 * MS;

        stage(2, true, i, t + 9 * MS, t + 12 * MS);     /* before it is begun */
        stage(0, false, i, t, t + MS);
        stage(1, false, i, t - MS, t + MS);
        rig_look(t + 13 * MS, true);
        stage(2, true, i, t + 9 * MS, t + 12 * MS);
        stage(3, true, i, t + 10 * MS, t + 15 * MS);
        rig_look(t + 16 * MS, true);
        if (i == 0)
            assert_int_equal(rig.nrows, 0);
        if (i == 0)
            rig_until(t + 80 * MS);
        row((uint64_t)i, t - MS, t + 29 * MS, t + 15 * MS, false);
        assert_int_equal(rig.row.rank, HCT_NO_RANK);
    }
    said(0, 0, 0, 0);
    /* One does not come: it is missed when it is due. */
    stage(0, false, 99, 4 * S, 4 * S + MS);
    stage(2, true, 99, 4 * S + MS, 4 * S + 2 * MS);
    rig_look(4 * S + 3 * MS, true);
    rig_until(4 * S + 100 * MS);
    said(0, 1, 0, 0);
    row(12, 4 * S, 4 * S + 30 * MS, 0, true);
    stage(3, true, 99, 4 * S + MS, 4 * S + 102 * MS);
    rig_look(4 * S + 103 * MS, true);
    row(12, 4 * S, 4 * S + 30 * MS, 4 * S + 102 * MS, true);
    /* The marker comes again: another instance. */
    stage(0, false, 99, 5 * S, 5 * S + MS);
    stage(2, true, 99, 5 * S + MS, 5 * S + 2 * MS);
    stage(3, true, 99, 5 * S + MS, 5 * S + 3 * MS);
    rig_look(5 * S + 4 * MS, true);
    row(13, 5 * S, 5 * S + 30 * MS, 5 * S + 3 * MS, false);
}

/* An exit after it was judged makes it late. */
static void span_late(void **state)
{
    (void)state;
    rig_open(4, NULL, 0);
    rig_due(HCT_DUE_SPAN, 30 * MS, 0);
    rig_look(S, false);
    stage(0, false, 7, S, S + MS);
    stage(1, true, 7, S, S + 2 * MS);
    rig_look(S + 3 * MS, true);
    rig_until(S + 60 * MS);
    row(0, S, S + 30 * MS, S + 2 * MS, false);
    stage(2, true, 7, S, S + 61 * MS);
    rig_look(S + 62 * MS, true);
    row(0, S, S + 30 * MS, S + 61 * MS, true);
    said(0, 1, 0, 0);
    SAYS("missed by 31 ms in instance 0, last rank 2 (MPI_Sendrecv)");
    assert_int_equal(rig.last_rank, 2);
}

static void the_end(void **state)
{
    (void)state;
    rig_open(2, NULL, 0);
    rig_due(HCT_DUE_END, 10 * S, 0);
    rig.due[0].from_ns = S;
    rig_due(HCT_DUE_END, 60 * S, 0);
    rig_look(S, false);
    rig_until(10 * S);
    said(0, 0, 0, 0);
    rig_until(12 * S);
    said(0, 1, 0, 0);
    assert_int_equal(rig.last_rank, HCT_NO_RANK);
    row(0, S, 11 * S, 0, true);
    rig.rank[0].life = HCT_LIFE_ENDED;
    rig_until(13 * S);
    rig.rank[1].life = HCT_LIFE_DONE;
    rig_until(14 * S);
    assert_int_equal(rig.nrows, 3);
    assert_int_equal(rig.rows[0].late, 1);
    row(0, 0, 60 * S, 14 * S, false);
    assert_int_equal(rig.row.deadline, 2);
    said(0, 1, 0, 0);
    assert_true(rig.out.wake_ns == HCT_WAKE_NEVER);
}

/* -------------------------------------------------------- what holds a task */

static void held(void **state)
{
    static const struct { uint16_t flag; const char *says; } how[] = {
        { HCT_SUSPENDED, "while it was suspended by Hector" },
        { HCT_TRACED, "while it was held by a debugger" },
        { HCT_MIGRATING, "while it was moved" },
        { HCT_STOPPED, "while it was stopped by a signal" },
        { HCT_STOPPED | HCT_SUSPENDED, "while it was stopped by a signal" } };

    (void)state;
    for (unsigned i = 0; i < sizeof(how) / sizeof(how[0]); i++)
        for (int open = 0; open < 2; open++) {
            rig_open(1, NULL, 0);
            rig_due(HCT_DUE_CALL, 20 * MS, 0);
            rig_look(S, false);
            rig_call(0, 1, 2 * S, 0);
            rig.rank[0].flags |= how[i].flag;
            rig_look(2 * S + 5 * MS, false);
            if (open)
                rig_look(3 * S, false);
            rig.rank[0].flags &= (uint16_t)~how[i].flag;
            rig_call(0, 1, 2 * S, 3 * S);
            rig_look(3 * S + MS, true);
            said(0, 1, 0, 0);
            SAYS(how[i].says);
            assert_true(rig.row.late);
        }
}

/* Who has ended owes nothing. */
static void ended(void **state)
{
    (void)state;
    rig_open(2, NULL, 0);
    rig_due(HCT_DUE_PERIOD, 50 * MS, 0);
    rig_due(HCT_DUE_CLOCK, 50 * MS, 0);
    rig_due(HCT_DUE_SPAN, 50 * MS, 0);
    rig.due[1].from_ns = S;
    rig_look(S, false);
    for (int i = 0; i < 2; i++)
        stage((uint32_t)i, false, 0, S + 10 * MS, S + 20 * MS);
    for (uint32_t i = 0; i < rig.in.nevents; i++)
        rig.event[i].of = 7;
    rig_look(S + 21 * MS, true);
    rig.rank[0].life = HCT_LIFE_FINALIZE;
    rig.rank[1].life = HCT_LIFE_ENDED;
    rig_look(S + 60 * MS, false);
    rig.rank[0].life = HCT_LIFE_ENDED;
    rig_until(3 * S);
    said(0, 0, 0, 0);
    assert_int_equal(rig.nrows, 2);             /* the clock's first instances */
    assert_true(rig.out.wake_ns == HCT_WAKE_NEVER);
}

/* What is told when all have ended comes in a last look, which has read nothing. */
static void last_look(void **state)
{
    (void)state;
    rig_open(2, NULL, 0);
    rig_due(HCT_DUE_SPAN, 30 * MS, 0);
    rig_look(S, false);
    stage(0, false, 7, 2 * S, 2 * S + MS);
    rig_look(2 * S + 2 * MS, true);
    assert_int_equal(rig.nrows, 0);
    rig.rank[0].life = HCT_LIFE_ENDED;
    stage(1, true, 7, 2 * S, 2 * S + 3 * MS);
    rig_look(2 * S + 4 * MS, true);
    assert_int_equal(rig.nrows, 0);             /* there may be more of them */
    rig.rank[1].life = HCT_LIFE_ENDED;
    stage(0, true, 7, 2 * S, 2 * S + 4 * MS);
    rig_look(2 * S + 5 * MS, true);
    row(0, 2 * S, 2 * S + 30 * MS, 2 * S + 4 * MS, false);
    assert_int_equal(rig.nrows, 1);
    said(0, 0, 0, 0);
    assert_true(rig.out.wake_ns == HCT_WAKE_NEVER);
}

/* ---------------------------------------------------------- error of clocks */

static void bounds(void **state)
{
    (void)state;
    rig_open(2, NULL, 0);
    rig_due(HCT_DUE_CLOCK, 50 * MS, 0);
    rig_due(HCT_DUE_CALL, 5 * MS, 0);
    rig.due[0].from_ns = S;
    rig_look(S, false);
    /* Late by 3 ms, off by 4: not for certain. The same clock at both ends is off by
       nothing. */
    rig_call(0, 3, S + 47 * MS, S + 53 * MS)->bound_ns = 4 * MS;
    rig_look(S + 54 * MS, true);
    assert_int_equal(rig.rows[0].late, 0);
    assert_int_equal(rig.rows[0].bound_ns, 4 * MS);
    row(0, S + 47 * MS, S + 52 * MS, S + 53 * MS, true);
    assert_int_equal(rig.told[HCT_DEADLINE_MISSED], 1);
    assert_int_equal(rig.last.deadline, 2);
    rig_call(0, 1, S + 54 * MS, S + 105 * MS)->bound_ns = 4 * MS;
    rig_look(S + 106 * MS, true);
    row(1, S + 50 * MS, S + 100 * MS, S + 105 * MS, true);
    assert_int_equal(rig.last.deadline, 1);
    SAYS("clocks are 4 ms at most");
}

/* What is late by less than that is said to be so, when the margin is too
 * low. */
static void unsure(void **state)
{
    (void)state;
    rig_open(1, NULL, 0);
    rig_due(HCT_DUE_CLOCK, 50 * MS, 0.2);
    rig.due[0].from_ns = S;
    rig_look(S, false);
    for (int i = 1; i < 4; i++) {
        rig_call(0, 1, S + i * 50 * MS, S + i * 50 * MS + MS)->bound_ns = 2 * MS;
        rig_look(S + i * 50 * MS + 2 * MS, true);
        assert_false(rig.row.late);
    }
    said(1, 0, 0, 0);
    SAYS("3 were late by no more than clocks may be off");
}

static void too_short(void **state)
{
    (void)state;
    rig_open(2, NULL, 0);
    rig_due(HCT_DUE_SPAN, MS, 0);
    rig_look(S, false);
    for (int i = 0; i < 5; i++) {
        stage(0, false, i, S + i * S, S + i * S + MS);
        rig.event[0].bound_ns = MS;
        rig_look(S + i * S + 2 * MS, true);
    }
    said(0, 0, 0, 0);
    assert_int_equal(rig.told[0], 1);
    SAYS("deadline halo1: clocks may be off by 2 ms");
    assert_int_equal(rig.last.deadline, 1);
}

/* What ends it has another marker than what begins it, each time. */
static void strays(void **state)
{
    (void)state;
    rig_open(2, NULL, 0);
    rig_due(HCT_DUE_SPAN, 50 * MS, 0);
    rig_look(S, false);
    for (int i = 0; i < 20; i++) {
        stage(0, false, i, S + i * 100 * MS, S + i * 100 * MS + MS);
        stage(1, true, i + 1000, S + i * 100 * MS, S + i * 100 * MS + 2 * MS);
        rig_look(S + i * 100 * MS + 3 * MS, true);
        assert_int_equal(rig.told[0], i >= 7);  /* once */
        if (i == 7)
            SAYS("deadline halo1: none of 8 calls of its second label has had the "
                 "marker of a call of the first one before it");
    }
    rig_open(2, NULL, 0);               /* one that fits is enough */
    rig_due(HCT_DUE_SPAN, 50 * MS, 0);
    rig_look(S, false);
    for (int i = 0; i < 20; i++) {
        stage(0, false, i, S + i * 100 * MS, S + i * 100 * MS + MS);
        stage(1, true, i ? i + 1000 : 0, S + i * 100 * MS,
              S + i * 100 * MS + 2 * MS);
        rig_look(S + i * 100 * MS + 3 * MS, true);
    }
    assert_int_equal(rig.told[0], 0);
}

/* -------------------------------------------------------- what is said when */

static int64_t go_call(int64_t t, uint32_t rank, int64_t takes_ns)
{
    rig_call(rank, 1, t, t + takes_ns);
    rig_look(t + takes_ns + MS, true);
    return t + 100 * MS;
}

static void no_flood(void **state)
{
    int64_t t = S;

    (void)state;
    rig_open(1, NULL, 0);
    rig_due(HCT_DUE_CALL, 20 * MS, 0.2);
    for (int i = 0; i < 1500; i++)
        t = go_call(t, 0, 25 * MS);
    said(0, 4, 0, 0);                   /* 1, 10, 100, 1000 */
    SAYS("1000 in 99");
    for (int i = 0; i < 2; i++)
        t = go_call(t, 0, 10 * MS);
    said(0, 4, 0, 0);
    t = go_call(t, 0, 10 * MS);
    said(0, 4, 1, 0);
    SAYS("met again, with a margin of 50 %, after 1500 missed");
}

/* Up and down: it takes twice as many good ones each time. */
static void up_and_down(void **state)
{
    int64_t t = S;

    (void)state;
    rig_open(1, NULL, 0);
    rig_due(HCT_DUE_CALL, 20 * MS, 0.2);
    for (int i = 0; i < 2000; i++)
        t = go_call(t, 0, i % 7 ? 10 * MS : 25 * MS);
    assert_true(rig.told[HCT_DEADLINE_MISSED] <= 6);
    assert_true(rig.told[HCT_DEADLINE_MET_AGAIN] <= 3);
}

static void declining(void **state)
{
    int64_t t = S;
    uint32_t n;

    (void)state;
    rig_open(4, NULL, 0);
    rig_due(HCT_DUE_CALL, 20 * MS, 0.2);
    for (int i = 0; i < 40; i++)
        t = go_call(t, (uint32_t)i % 4, 12 * MS);
    said(0, 0, 0, 0);
    /* Rank 3 has less than 20 % left: three points of four instances are a
     * decline. */
    for (n = 0; n < 16 && !rig.told[HCT_DEADLINE_DECLINING]; n++)
        t = go_call(t, n % 4, n % 4 == 3 ? 17 * MS : 12 * MS);
    assert_in_range(n, 10, 16);
    said(1, 0, 0, 0);
    SAYS("deadline halo1: still met, with a margin of 15 %");
    SAYS("worst of rank 3");
    assert_int_equal(rig.last_rank, 3);
    for (n = 0; n < 20 && !rig.told[HCT_DEADLINE_MET_AGAIN]; n++)
        t = go_call(t, n % 4, 12 * MS);
    assert_in_range(n, 10, 16);
    said(1, 0, 1, 0);
}

static void firm(void **state)
{
    (void)state;
    rig_open(1, NULL, 0);
    rig_due(HCT_DUE_CALL, 20 * MS, 0.2);
    rig.due[0].firm = 1;
    go_call(S, 0, 21 * MS);
    said(0, 1, 0, 0);
    SAYS("it is of no use any more");
    assert_true(rig.last.score >= 1);
}

static void never(void **state)
{
    (void)state;
    rig_open(2, NULL, 0);
    rig_due(HCT_DUE_CALL, 20 * MS, 0);
    rig_due(HCT_DUE_CALL, S, 0);
    rig_due(HCT_DUE_SPAN, 20 * MS, 0);
    rig.rank[0].life = rig.rank[1].life = HCT_LIFE_STARTED;
    rig_look(S, false);
    rig_until(30 * S);
    said(0, 0, 0, 0);                   /* it does not run yet */
    rig.rank[1].life = HCT_LIFE_RUNNING;
    rig_look(31 * S, false);
    rig_until(41 * S);
    said(0, 0, 0, 0);
    rig_until(43 * S);
    said(0, 0, 0, 2);
    SAYS("deadline halo3: no call with its label has come in");
    rig_until(130 * S);
    said(0, 0, 0, 2);
    rig_until(140 * S);
    said(0, 0, 0, 3);                   /* a hundred times a second */
    assert_int_equal(rig.last.deadline, 2);
    rig_until(500 * S);
    said(0, 0, 0, 3);
}

/* What comes round is missed after a period; of all the job's end is the last chance. */
static void never_till_the_end(void **state)
{
    (void)state;
    rig_open(2, NULL, 0);
    rig_due(HCT_DUE_PERIOD, 15 * S, 0);
    rig_due(HCT_DUE_CLOCK, 15 * S, 0);
    rig_due(HCT_DUE_CALL, S, 0);
    rig.due[1].from_ns = 10 * S;
    rig_look(S, false);
    rig_until(15 * S);
    said(0, 0, 0, 0);
    rig_until(20 * S);
    said(0, 0, 0, 1);
    rig.rank[0].life = rig.rank[1].life = HCT_LIFE_ENDED;
    rig_look(21 * S, true);
    said(0, 0, 0, 3);
    SAYS("no call with its label has come in");
}

/* The first label comes, the second one does not. */
static void half(void **state)
{
    (void)state;
    rig_open(2, NULL, 0);
    rig_due(HCT_DUE_SPAN, 20 * MS, 0);
    rig_look(S, false);
    stage(0, false, 1, S, S + MS);
    rig_look(S + 2 * MS, true);
    rig_until(20 * S);
    said(0, 1, 0, 1);
    SAYS("its second label has not come in");
}

/* A node whose link is broken, as when a master has begun anew and its slave has not
 * come yet: what its tasks have done is told later. */
static void silent_node(void **state)
{
    (void)state;
    rig_open(2, NULL, 0);
    rig_due(HCT_DUE_SPAN, 30 * MS, 0);
    rig_due(HCT_DUE_CALL, 20 * MS, 0);
    rig_look(S, false);
    rig_call(1, 2, S, 0);
    stage(0, false, 2, S, S + MS);
    rig_look(S + 2 * MS, true);
    rig.rank[1].flags = 0;
    rig_until(4 * S);
    said(0, 0, 0, 0);
    rig_call(1, 2, S, S + 10 * MS)->seq = 0;
    stage(1, true, 2, S, S + 20 * MS);
    rig_look(4 * S + 2 * MS, true);
    rig.rank[1].flags = HCT_OBSERVED | HCT_PAGE;
    rig_until(5 * S);
    said(0, 0, 0, 0);

    rig_call(1, 2, 5 * S, 0);           /* ... and who stays silent is late */
    rig_look(5 * S + 2 * MS, true);
    rig.rank[1].flags = 0;
    rig_until(14 * S);
    said(0, 0, 0, 0);
    rig_until(16 * S);
    said(0, 1, 0, 0);
}

/* The end of a span may be told before its beginning: it is of another node. */
static void ends_first(void **state)
{
    (void)state;
    rig_open(3, NULL, 0);
    rig_due(HCT_DUE_SPAN, 30 * MS, 0.1);
    rig_look(S, false);
    for (int i = 0; i < 20; i++) {
        int64_t t = S + i * 100 * MS;

        stage(1, true, i, t + 2 * MS, t + 10 * MS);
        rig_look(t + 11 * MS, true);
        if (i % 2)
            stage(2, true, i, t + 2 * MS, t + 12 * MS);
        stage(0, false, i, t, t + MS);
        rig_look(t + 13 * MS, true);
        if (i % 2 == 0)
            stage(2, true, i, t + 2 * MS, t + 14 * MS);
        rig_look(t + 15 * MS, true);
    }
    rig_until(4 * S);
    said(0, 0, 0, 0);
    assert_int_equal(rig.row.instance, 19);
    assert_int_equal(rig.row.done_ns - rig.row.release_ns, 12 * MS);

    stage(1, true, 100, 4 * S, 4 * S + MS);     /* ... of an earlier one */
    rig_look(4 * S + 2 * MS, true);
    stage(0, false, 100, 4 * S + 10 * MS, 4 * S + 11 * MS);
    rig_look(4 * S + 12 * MS, true);
    rig_until(5 * S);
    said(0, 1, 0, 0);
    for (int i = 0; i < 1000; i++) {        /* strays take no room of others */
        if (i % 10 == 0)
            stage(0, false, 200 + i, 5 * S, 5 * S + MS);
        stage(1, true, 5000 + i, 5 * S, 5 * S + MS);
        if (i % 10 == 9)
            rig_look(5 * S + 2 * MS + i, true);
    }
    for (int i = 0; i < 1000; i += 10) {
        stage(1, true, 200 + i, 5 * S, 5 * S + 5 * MS);
        stage(2, true, 200 + i, 5 * S, 5 * S + 5 * MS);
    }
    rig_look(5 * S + 6 * MS, true);
    rig_until(6 * S);
    said(0, 1, 1, 0);
}

/* The end of a span may be among what was lost, also of one that is told after
 * that. */
static void lost_ends(void **state)
{
    (void)state;
    rig_open(2, NULL, 0);
    rig_due(HCT_DUE_SPAN, 100 * MS, 0);
    rig_look(S, false);
    stage(0, false, 1, S, S + MS);
    stage(1, true, 1, S, S + 10 * MS);
    stage(0, false, 2, S + 20 * MS, S + 21 * MS);
    rig_look(S + 30 * MS, true);
    rig.in.events_lost++;
    stage(0, false, 3, S + 40 * MS, S + 41 * MS);
    rig_look(S + 80 * MS, true);
    rig_until(2 * S);
    said(0, 0, 0, 0);
    stage(0, false, 4, 2 * S, 2 * S + MS);  /* ... that of later ones is not */
    rig_look(2 * S + 10 * MS, true);
    rig_until(3 * S);
    said(0, 1, 0, 0);
}

int main(int argc, char **argv)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(calls),     cmocka_unit_test(open_calls),
        cmocka_unit_test(late_news), cmocka_unit_test(periods),
        cmocka_unit_test(where_it_went), cmocka_unit_test(clocks),
        cmocka_unit_test(spans),     cmocka_unit_test(span_late),
        cmocka_unit_test(the_end),   cmocka_unit_test(held),
        cmocka_unit_test(ended),     cmocka_unit_test(last_look),
        cmocka_unit_test(bounds),
        cmocka_unit_test(unsure),    cmocka_unit_test(too_short),
        cmocka_unit_test(strays),
        cmocka_unit_test(no_flood),  cmocka_unit_test(up_and_down),
        cmocka_unit_test(declining), cmocka_unit_test(firm),
        cmocka_unit_test(never),
        cmocka_unit_test(never_till_the_end),     cmocka_unit_test(half),
        cmocka_unit_test(silent_node), cmocka_unit_test(lost_ends),
        cmocka_unit_test(ends_first),
    };
    int failed;

    (void)argc;
    if (rig_load(argv[0]))
        return 1;
    cmocka_set_message_output(CM_OUTPUT_TAP);
    failed = cmocka_run_group_tests(tests, NULL, NULL);
    free(rig.state);
    return failed;
}
