/* test_deadline_runs.c - the policy deadline over whole runs: steady ones, ones
 * that become slower, more than fits, numbers without sense, and the same bytes
 * each time. */
#include "tests/unit/deadline_rig.h"

#include "master/watch/callclass.h"

static uint64_t lot;

static double part(void)
{
    lot = lot * 6364136223846793005u + 1442695040888963407u;
    return ((double)(lot >> 11) + 0.5) / 9007199254740992.0;
}

static double normal(void)
{
    double r = sqrt(-2 * log(part()));

    return r * cos(6.283185307179586 * part());
}

/* ------------------------------------------------------------ what declines */

/* Cycles of 50 ms of four tasks whose work takes this part of it, with a jitter
 * of a tenth of that; it grows to grown. Returns cycles until the first
 * verdict. */
static unsigned cycles(unsigned n, enum hct_due kind, double work, double grown,
                       double margin)
{
    int64_t t = 2 * S, late_ns[4] = { 0 };

    rig_open(4, margin > 0 ? NULL : "chance", 0.05);
    rig_due(kind, 50 * MS, margin);
    rig.due[0].from_ns = t;
    rig_look(S, false);
    for (unsigned i = 0; i < n; i++) {
        for (uint32_t r = 0; r < 4; r++) {
            double is = (work + (grown - work) * i / n) * (1 + 0.1 * normal());
            int64_t takes = (int64_t)(is * 50e6);

            if (kind == HCT_DUE_PERIOD)
                takes = 30 * MS + (int64_t)((is - work) * 50e6);
            late_ns[r] = takes;
            rig_call(r, 1, t + (kind == HCT_DUE_CALL ? 0 : takes - MS),
                     t + takes);
        }
        t += kind == HCT_DUE_PERIOD ? 30 * MS : 50 * MS;
        if (kind == HCT_DUE_PERIOD && grown > work)
            t += late_ns[0] - 30 * MS;
        if (rig_look(t, i % 20 != 0) && rig.told[0] == 0)
            return i;
    }
    return n;
}

static void steady(void **state)
{
    static const enum hct_due kinds[] = { HCT_DUE_CALL, HCT_DUE_CLOCK,
                                          HCT_DUE_PERIOD };

    (void)state;
    for (unsigned k = 0; k < 3; k++)
        for (unsigned seed = 1; seed <= 10; seed++) {
            lot = seed * 1000003;
            if (cycles(2000, kinds[k], 0.4, 0.4, 0.2) < 2000)
                fail_msg("kind %u, seed %u: %s", kinds[k], seed, rig.text[0]);
            assert_true(rig.nrows >= 4 * 1999);
        }
}

/* Told before the first miss: with a margin that is to be left; and without
 * one, where it falls four times as fast, by the chance of a miss alone. How
 * jitter crosses a line for the first time nobody knows before: half a chance
 * is as often too late. */
static void slow_decline(void **state)
{
    static const enum hct_due kinds[] = { HCT_DUE_CALL, HCT_DUE_CLOCK };

    (void)state;
    for (unsigned k = 0; k < 2; k++)
        for (unsigned margin = 0; margin < 2; margin++) {
            unsigned before = 0;

            for (unsigned seed = 1; seed <= 10; seed++) {
                lot = seed * 7919;
                before += cycles(margin ? 600 : 150, kinds[k], 0.4, 1.2,
                                 margin ? 0.2 : 0) < 600 &&
                          rig.last.what == HCT_DEADLINE_DECLINING;
            }
            print_message("# kind %u, margin %u %%: %u of 10 before the first "
                          "miss\n", kinds[k], 20 * margin, before);
            assert_true(before >= 9);
        }
}

/* What it is by its trend: no margin is wanted, and little noise. */
static void trend(void **state)
{
    (void)state;
    rig_open(1, NULL, 0);
    rig_due(HCT_DUE_CALL, 100 * MS, 0);
    for (int i = 0; i < 60 && !rig.told[HCT_DEADLINE_DECLINING]; i++) {
        rig_call(0, 1, S * i, S * i + (70 + i) * MS);
        rig_look(S * i + 200 * MS, true);
        assert_int_equal(rig.told[HCT_DEADLINE_MISSED], 0);
    }
    SAYS("margin fell from");
    SAYS("one of the next 10 is missed with a chance of 100 %");
    assert_true(fabs(rig.row.slope + 0.01) < 1e-6);
}

/* ------------------------------------------------------ where the time went */

static void look_at(int64_t t, double cpu, double delayed, double in,
                    uint16_t flags)
{
    static int64_t before;
    double ns = before && t > before ? (double)(t - before) : 1e9;
    struct hct_rank *k = &rig.rank[0];

    k->flags = (uint16_t)(HCT_OBSERVED | HCT_PAGE | flags);
    k->cpu_ns += (uint64_t)(cpu * ns);
    k->delayed_ns += (uint64_t)(delayed * ns);
    k->in_ns += (uint64_t)(in * ns);
    before = t;
    rig_look(t, false);
}

static void evidence(void **state)
{
    static const struct {
        double cpu, delayed, in;
        uint16_t flags;
        const char *says;
    } how[] = {
        {0.5, 0.45, 0.05, HCT_RUNS,
         "wanted a processor and had none for 45 % of"},
        {0.5, 0, 0.05, HCT_RUNS,
         "had a processor for 50 % of 1.0 s, and wanted one at each look"},
        {1, 0, 0.1, HCT_RUNS, "% more of 1.0 s than before"},
        {0.3, 0, 0.5, 0, NULL}};

    (void)state;
    for (unsigned i = 0; i < 4; i++) {
        int64_t t = 2 * S;

        rig_open(1, NULL, 0);
        rig_due(HCT_DUE_CALL, 2 * S, 0);
        rig.rank[0].delayed_ns = how[i].delayed > 0;
        look_at(t, 1, 0, 0.5, HCT_RUNS);
        for (int n = 0; n < 6; n++, t += S)
            look_at(t + S, 1, 0, 0.5, HCT_RUNS);
        rig_call(0, 1, t, 0);
        look_at(t + S, how[i].cpu, how[i].delayed, how[i].in, how[i].flags);
        look_at(t + 2 * S, how[i].cpu, how[i].delayed, how[i].in, how[i].flags);
        look_at(t + 3 * S, how[i].cpu, how[i].delayed, how[i].in, how[i].flags);
        assert_int_equal(rig.told[HCT_DEADLINE_MISSED], 1);
        if (how[i].says)
            SAYS(how[i].says);
        else
            assert_int_equal(rig.last.nlines, 1);
    }
}

/* How long tasks are kept from processors comes with models: those of the worst are
 * asked for as long as it is not well, and once a second. */
static void asks(void **state)
{
    int64_t t = 2 * S;
    unsigned asked = 0;

    (void)state;
    rig_open(4, NULL, 0);
    rig_due(HCT_DUE_CALL, 20 * MS, 0.2);
    for (int i = 0; i < 100; i++, t += 100 * MS) {
        rig_call((uint32_t)i % 4, 1, t, t + (i % 4 == 2 ? 25 : 5) * MS);
        rig_look(t + 30 * MS, i % 5 != 0);
        assert_true(!rig.out.need == !rig.out.nsample);
        if (!rig.out.need)
            continue;
        asked++;
        assert_int_equal(rig.out.need, HCT_NEED_MODEL);
        assert_int_equal(rig.out.nsample, 1);
        assert_int_equal(rig.out.ranks[rig.out.sample], 2);
        /* What has grown for ten minutes says nothing of this second. */
        rig.rank[2].delayed_ns = 1 + (asked == 9) * 300ull * S;
        t += (asked == 8) * 600 * S;
    }
    assert_in_range(asked, 9, 11);
    for (int i = 0; i < 60; i++, t += 100 * MS) {
        rig_call((uint32_t)i % 4, 1, t, t + 5 * MS);
        rig_look(t + 30 * MS, i % 5 != 0);
        assert_false(rig_says("wanted a processor"));
    }
    assert_int_equal(rig.told[HCT_DEADLINE_MET_AGAIN], 1);
    assert_int_equal(rig.out.need, 0);
}

/* An instance that is due calls for a look, but not for one after the other. */
static void few_looks(void **state)
{
    unsigned looks = 0;

    (void)state;
    rig_open(4, NULL, 0);
    rig_due(HCT_DUE_CLOCK, MS / 1000, 0);
    rig.due[0].from_ns = S;
    rig_look(S, false);
    rig_call(0, 1, S, S + 1);
    for (rig_look(S + 2, true); rig.in.now_ns < 3 * (uint64_t)S; looks++)
        rig_look((int64_t)rig.out.wake_ns, false);
    assert_in_range(looks, 19, 23);
    assert_in_range(rig.told[HCT_DEADLINE_MISSED], 3, 7);      /* of 2,000,000 */
    assert_int_equal(rig.last.deadline, 1);
}

/* Of a collective call it is known who came last, when all have. */
static void last_one(void **state)
{
    (void)state;
    for (int all = 0; all < 2; all++) {
        rig_open(3, NULL, 0);
        rig_due(HCT_DUE_CALL, 20 * MS, 0);
        for (uint32_t r = 0; r < (all ? 3 : 2); r++)
            rig_call(r, 1, S + (r == 2 ? 40 : r) * MS, S + 45 * MS)->call =
                call_find("MPI_Allreduce");
        rig_look(S + 46 * MS, true);
        assert_int_equal(rig.told[HCT_DEADLINE_MISSED], 1);
        rig_call(0, 1, S + 50 * MS, S + 90 * MS)->call =
            call_find("MPI_Barrier");
        rig_look(S + 91 * MS, true);
        if (all)
            SAYS("entered MPI_Allreduce last, 40 ms after rank 0");
        else
            assert_int_equal(rig.last.nlines, 1);
    }
}

/* --------------------------------------------------------------- much of it */

static void many(void **state)
{
    int64_t t = 2 * S;

    (void)state;
    rig_open(RIG_RANKS, NULL, 0);
    for (int i = 0; i < 64; i++)
        rig_due(HCT_DUE_CALL, (10 + i) * MS, 0);
    rig_look(S, false);
    for (int n = 0; n < 3; n++, t += S) {
        for (uint32_t r = 0; r < RIG_RANKS; r++)
            rig_call(r, UINT64_MAX, t, t + 9 * MS);
        rig_look(t + 10 * MS, true);
        assert_int_equal(rig.out.ninstances, HCT_INSTANCES_MAX);
        assert_int_equal(rig.out.lost, 64 * RIG_RANKS - HCT_INSTANCES_MAX);
    }
    assert_int_equal(rig.told[0] + rig.told[HCT_DEADLINE_MISSED], 0);
    /* All are late at once: that is 64 verdicts, which are said one step after the
       other where there is room for 16. */
    for (uint32_t r = 0; r < RIG_RANKS; r++)
        rig_call(r, UINT64_MAX, t, t + 99 * MS);
    assert_int_equal(rig_look(t + 100 * MS, true), 16);
    for (int i = 0; i < 3; i++)
        assert_int_equal(rig_look((int64_t)rig.out.wake_ns, false), 16);
    assert_int_equal(rig_look((int64_t)rig.out.wake_ns, false), 0);
    assert_int_equal(rig.told[HCT_DEADLINE_MISSED], 64);
}

/* Spans that nobody ends: the oldest are given up, and that is said. */
static void too_many_spans(void **state)
{
    (void)state;
    rig_open(2, NULL, 0);
    rig_due(HCT_DUE_SPAN, 1000 * S, 0);
    rig_look(S, false);
    for (int i = 0; i < 300; i++)
        rig_call(0, 1, S + i * MS, S + i * MS + 1)->marker = i;
    rig_look(2 * S, true);
    assert_int_equal(rig.told[0], 1);
    SAYS("instances found no room");
    /* Those with an exit are closed as they stand. */
    rig_open(2, NULL, 0);
    rig_due(HCT_DUE_SPAN, 1000 * S, 0);
    for (int i = 0; i < 300; i++) {
        struct hct_event *e = rig_call(0, 1, S + i * MS, S + i * MS + 1);

        e->marker = i;
        e->to = 1;
    }
    rig_look(2 * S, true);
    assert_int_equal(rig.told[0], 0);
    assert_true(rig.nrows >= 300 - 256);
}

/* The largest jobs have a place for each rank of one deadline, and say what
 * finds none. */
static void a_million(void **state)
{
    struct hct_rank *ranks = calloc(1000000, sizeof(*ranks));

    (void)state;
    assert_non_null(ranks);
    for (uint32_t i = 0; i < 1000000; i++)
        ranks[i] = (struct hct_rank){ .rank = i, .life = HCT_LIFE_RUNNING };
    rig_open(1000000, NULL, 0);
    rig.in.ranks = ranks;
    rig_due(HCT_DUE_CALL, 20 * MS, 0);
    rig_due(HCT_DUE_CALL, 20 * MS, 0);
    rig_look(S, false);
    for (uint32_t r = 0; r < 1000000;) {
        for (uint32_t i = 0; i < RIG_EVENTS && r < 1000000; i++, r++)
            *rig_call(0, 1, S + r, S + r + MS) =
                (struct hct_event){.rank = r,
                                   .of = r % 16 ? 1 : 3,
                                   .enter_ns = S,
                                   .exit_ns = S + MS};
        rig_look(S + 2 * MS, true);
    }
    assert_in_range(rig.told[0], 1, 3);
    SAYS("deadlines: ");
    SAYS("instances found no room, and are not judged");
    assert_int_equal(rig.told[HCT_DEADLINE_MISSED], 0);
    free(ranks);
}

/* A deadline is taken back, and others come. */
static void calendar(void **state)
{
    (void)state;
    rig_open(2, NULL, 0);
    rig_due(HCT_DUE_CALL, 20 * MS, 0);
    rig_look(S, false);
    rig_call(0, 1, 2 * S, 0);
    rig_look(2 * S + MS, true);
    rig.due[0].over = 1;
    rig_due(HCT_DUE_CALL, 200 * MS, 0);
    rig_due(HCT_DUE_CLOCK, 100 * MS, 0);
    rig_until(4 * S);
    rig_call(0, 7, 2 * S, 4 * S);
    rig_look(4 * S + MS, true);
    assert_int_equal(rig.told[HCT_DEADLINE_MISSED], 1);
    assert_int_equal(rig.last.deadline, 2);
    rig_call(0, 7, 5 * S, 5 * S + 50 * MS);
    rig_look(5 * S + 51 * MS, true);
    for (uint32_t i = 0; i < rig.out.ninstances; i++)
        assert_true(rig.rows[i].deadline != 1);
    /* The calls before it came do not count for a clock. */
    assert_int_equal(rig.row.deadline, 3);
    assert_int_equal(rig.row.release_ns, 5 * S);
    assert_false(rig.row.late);
    for (uint32_t i = 0; i < rig.in.ndeadlines; i++)
        rig.due[i].over = 1;
    rig_until(60 * S);
    assert_int_equal(rig.told[HCT_DEADLINE_MISSED], 1);
}

/* Ranks tell what they did in no order among each other. */
static void no_order(void **state)
{
    int64_t due[] = { 2 * S, 2 * S };

    (void)state;
    rig_open(2, NULL, 0);
    rig_due(HCT_DUE_PERIOD, 50 * MS, 0);
    rig_due(HCT_DUE_SPAN, 50 * MS, 0);
    rig_look(S, false);
    for (uint32_t i = 0; i < 400; i++) {
        uint32_t r = i / 10 % 2;        /* ten of one, ten of the other */
        struct hct_event *e = rig_call(r, 3, due[r] - 10 * MS, due[r]);

        e->marker = (int)(i % 10 + i / 20 * 10);
        e->to = 2;
        due[r] += 45 * MS;
        if (i % 20 == 19)
            rig_look(due[r], false);
    }
    assert_int_equal(rig.told[HCT_DEADLINE_MISSED], 0);
    assert_true(rig.nrows >= 398 + 190);
}

/* What was lost may have been the exit that a period waits for. */
static void lost(void **state)
{
    int64_t t = 2 * S;

    (void)state;
    rig_open(1, NULL, 0);
    rig_due(HCT_DUE_PERIOD, 50 * MS, 0);
    rig_due(HCT_DUE_CLOCK, 40 * MS, 0);
    rig.due[1].from_ns = 2 * S;
    for (int i = 0; i < 20; i++, t += 40 * MS) {
        if (i == 10) {
            rig.in.events_lost++;
            t += 40 * MS;
        }
        rig_call(0, 3, t + 29 * MS, t + 30 * MS);
        rig_look(t + 31 * MS, true);
    }
    assert_int_equal(rig.told[HCT_DEADLINE_MISSED], 0);
    assert_false(rig.row.late);
    assert_int_equal(rig.row.instance, 20);
}

/* ... and some are told again that had been told. */
static void told_twice(void **state)
{
    static const uint64_t all = 3;
    int64_t t = 2 * S;
    uint64_t rows;

    (void)state;
    rig_open(1, NULL, 0);
    rig_due(HCT_DUE_CALL, 20 * MS, 0);
    rig_due(HCT_DUE_PERIOD, 150 * MS, 0);
    rig_look(S, false);
    for (int i = 0; i < 5; i++, t += 100 * MS)
        rig_call(0, all, t, t + MS);
    rig_look(t, true);
    rows = rig.nrows;
    rig.in.events_lost++;
    rig.seq[0] = 2;
    for (int i = 2; i < 7; i++)         /* three of these again */
        rig_call(0, all, 2 * S + i * 100 * MS, 2 * S + i * 100 * MS + MS);
    rig_look(t + 200 * MS, true);
    assert_int_equal(rig.nrows - rows, 2 + 1);
    assert_int_equal(rig.rows[0].instance, 5);
    assert_int_equal(rig.told[HCT_DEADLINE_MISSED], 0);
}

/* A clock that begins when the first call of any rank is entered. */
static void first_call(void **state)
{
    (void)state;
    rig_open(2, NULL, 0);
    rig_due(HCT_DUE_CLOCK, 50 * MS, 0);
    rig.due[0].from_ns = INT64_MAX;
    rig_look(S, false);
    rig_until(5 * S);
    assert_int_equal(rig.nrows, 0);
    rig_call(1, 1, 5 * S + 4 * MS, 5 * S + 5 * MS);
    rig_call(0, 1, 5 * S, 5 * S + 6 * MS);
    rig_look(5 * S + 7 * MS, true);
    assert_int_equal(rig.rows[0].release_ns, 5 * S);
    rig_call(0, 1, 5 * S + 51 * MS, 5 * S + 52 * MS);
    rig_look(5 * S + 53 * MS, true);
    assert_int_equal(rig.row.release_ns, 5 * S + 50 * MS);
    assert_int_equal(rig.row.due_ns, 5 * S + 100 * MS);
    assert_false(rig.row.late);
    rig_until(5 * S + 200 * MS);
    assert_int_equal(rig.told[HCT_DEADLINE_MISSED], 1);
}

/* ---------------------------------------------------- numbers without sense */

static int64_t any(void)
{
    static const int64_t odd[] = {
        0, 1, -1, INT64_MAX, INT64_MIN, INT64_MAX - 1, S, 2 * S, -S, 1000 * S};

    return part() < 0.5 ? odd[(unsigned)(part() * 10)]
                        : (int64_t)(part() * 20e9) - 5 * S;
}

static void scramble(uint32_t ranks, uint64_t now_ns)
{
    for (uint32_t i = (uint32_t)(part() * 6); i > 0; i--) {
        struct hct_event *e =
            rig_call((uint32_t)(part() * ranks), 0, any(), any());

        e->in = part() < 0.3;
        e->of = (uint64_t)(part() * 1024);
        e->to = (uint64_t)(part() * 1024);
        e->marker = (int)(part() * 4);
        e->seq = (uint64_t)(part() * 8);
        e->call = (uint32_t)(part() * 2000);
        e->bound_ns = part() < 0.8 ? 0 : (uint64_t)any();
        e->rank += part() < 0.02 ? 1000000 : 0;
    }
    for (uint32_t i = 0; i < ranks; i++) {
        rig.rank[i].flags = (uint16_t)(part() * 65536);
        rig.rank[i].life =
            (uint16_t)(part() < 0.98 ? HCT_LIFE_RUNNING : part() * 8);
        rig.rank[i].cpu_ns = (uint64_t)any();
        rig.rank[i].delayed_ns = (uint64_t)any();
        rig.rank[i].in_ns = (uint64_t)any();
        rig.rank[i].age_ns = (uint64_t)any();
    }
    rig.in.events_lost += part() < 0.01;
    rig.due[(unsigned)(part() * 10)].over |= part() < 0.002;
    (void)now_ns;
}

static void wild(uint64_t seed)
{
    lot = seed;
    rig_open(3, NULL, 0);
    for (unsigned i = 0; i < 10; i++) {
        rig_due((enum hct_due)(1 + i % 5), any(),
                part() < 0.2 ? NAN : 3 * part() - 1);
        rig.due[i].from_ns = any();
        memset(rig.due[i].text, 'x', sizeof(rig.due[i].text));
        rig.due[i].firm = i % 2;
    }
}

static void senseless(void **state)
{
    (void)state;
    for (uint64_t seed = 1; seed <= 40; seed++) {
        uint64_t now = S;

        wild(seed);
        for (unsigned i = 0; i < 200; i++) {
            now += (uint64_t)(part() * 1e9);
            if (i == 150)
                now = UINT64_MAX / 2 - 100 * S;
            scramble(3, now);
            rig.in.now_ns = now;
            rig_look((int64_t)now, part() < 0.5);
        }
    }
    rig.due[0].number = 0;
    rig.due[1].number = 1000;
    rig_look(INT64_MAX - S, false);
}

/* ----------------------------------------------------------- the same bytes */

static uint64_t sum(uint64_t h, const void *p, size_t n)
{
    for (const unsigned char *c = p; n--; c++)
        h = (h ^ *c) * 0x100000001b3u;
    return h;
}

/* The sum of all that it said; move: its state goes elsewhere now and then. */
static uint64_t told_by(uint64_t seed, bool move, void **state, size_t *bytes)
{
    uint64_t now = S, h = 0xcbf29ce484222325u;

    wild(seed);
    for (unsigned i = 0; i < 300; i++) {
        now += (uint64_t)(part() * 1e9);
        scramble(3, now);
        if (move && i % 7 == 0) {
            void *other = malloc(rig.bytes);

            assert_non_null(other);
            memcpy(other, rig.state, rig.bytes);
            memset(rig.state, 0xa5, rig.bytes);
            free(rig.state);
            rig.state = other;
        }
        rig_look((int64_t)now, i % 3 == 0);
        h = sum(h, rig.verdicts, rig.out.nverdicts * sizeof(*rig.verdicts));
        h = sum(h, rig.lines, rig.out.nlines * sizeof(*rig.lines));
        h = sum(h, rig.rows, rig.out.ninstances * sizeof(*rig.rows));
        h = sum(h, &rig.out.wake_ns, sizeof(rig.out.wake_ns));
    }
    *state = rig.state;
    *bytes = rig.bytes;
    rig.state = NULL;
    return h;
}

static void same_bytes(void **state)
{
    (void)state;
    for (uint64_t seed = 1; seed <= 5; seed++) {
        void *a, *b;
        size_t n, m;

        assert_true(told_by(seed, false, &a, &n) ==
                    told_by(seed, true, &b, &m));
        assert_true(n == m && memcmp(a, b, n) == 0);
        free(a);
        free(b);
    }
}

int main(int argc, char **argv)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(steady),    cmocka_unit_test(slow_decline),
        cmocka_unit_test(trend),     cmocka_unit_test(evidence),
        cmocka_unit_test(asks),      cmocka_unit_test(few_looks),
        cmocka_unit_test(last_one),  cmocka_unit_test(many),
        cmocka_unit_test(too_many_spans), cmocka_unit_test(a_million),
        cmocka_unit_test(calendar),  cmocka_unit_test(no_order),
        cmocka_unit_test(lost),      cmocka_unit_test(told_twice),
        cmocka_unit_test(first_call), cmocka_unit_test(senseless),
        cmocka_unit_test(same_bytes),
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
