/* test_hang.c - the policy hang as its host sees it: what it says of jobs that
 * stand still, and of those that have a reason to. */
#include "tests/unit/hang_so.h"

#include "master/watch/callclass.h"

static char text[8192];
/* What each rank gets of a processor while it stands: as a process, and its
 * main thread. */
static struct { double all, own; } works[64];

static void start(uint32_t n, const char *name, double value)
{
    model_of(n, name, value);
    memset(works, 0, sizeof(works));
}

/* One look; how long until the next one. */
static uint64_t see(void)
{
    look_empty_out();
    assert_int_equal(policy->step(model, &look.in, &look.out), 0);
    look.in.seq++;
    assert_true(look.out.wake_ns > look.in.now_ns);
    text[0] = '\0';
    for (uint32_t i = 0; i < look.out.nlines; i++)
        snprintf(text + strlen(text), sizeof(text) - strlen(text), "%s\n",
                 look.lines[i].text);
    return look.out.wake_ns - look.in.now_ns;
}

/* Nothing moves: until something is found, a notice or not, or for so long.
 * Returns when. */
static uint64_t stand_until(uint64_t limit_ns, bool notices)
{
    uint64_t passed = 0;

    while (passed < limit_ns) {
        uint64_t wait = see();

        if (look.out.nverdicts &&
            (notices || look.verdicts[0].kind != HCT_NOTICE))
            return passed;
        look.in.has_detail = !!(look.out.need & HCT_NEED_DETAIL);
        look.in.now_ns += wait;
        passed += wait;
        for (uint32_t r = 0; r < look.in.nranks; r++) {
            look.rank[r].age_ns += wait;
            look.rank[r].cpu_ns += (uint64_t)(works[r].all * (double)wait);
            look.rank[r].own_cpu_ns += (uint64_t)(works[r].own * (double)wait);
            if (look.rank[r].waited_cpu_us)
                look.rank[r].waited_cpu_us += (uint32_t)(works[r].own *
                                                         (double)wait / 1000);
        }
    }
    return limit_ns;
}

static uint64_t stand(uint64_t limit_ns)
{
    return stand_until(limit_ns, false);
}

/* A notice it is, of one line, without a score. */
static uint64_t noticed(uint64_t limit_ns)
{
    uint64_t after = stand_until(limit_ns, true);

    assert_int_equal(look.out.nverdicts, 1);
    assert_int_equal(look.verdicts[0].kind, HCT_NOTICE);
    assert_int_equal(look.verdicts[0].nlines, 1);
    assert_true(look.verdicts[0].score <= 0);
    assert_int_equal(look.out.nproposals, 0);
    return after;
}

/* All go round and round for that long. */
static void run(uint64_t ns)
{
    for (uint64_t until = look.in.now_ns + ns; look.in.now_ns < until;) {
        look.in.now_ns += see();
        for (uint32_t i = 0; i < look.out.nverdicts; i++)
            assert_int_equal(look.verdicts[i].kind, HCT_PROGRESS);
        for (uint32_t r = 0; r < look.in.nranks; r++) {
            look.rank[r].calls += 7;
            look.rank[r].age_ns = MS;
            look.rank[r].site = 2;
            look.rank[r].site_calls = look.rank[r].calls;
            look.rank[r].call = number_of("Allreduce");
            look.rank[r].flags = (uint16_t)(HCT_OBSERVED | HCT_PAGE |
                (look.rank[r].calls * 31 % 3 == r % 3 ? HCT_IN_MPI : 0));
        }
    }
}

/* Rank 2 does not come; the others wait in call n. */
static void without_two(uint64_t n)
{
    world(n);
    for (uint32_t r = 0; r < look.in.nranks; r++) {
        joins(r, "Allreduce", WORLD, n, HCT_NONE);
        look.rank[r].calls += 3;
        look.rank[r].age_ns = MS;
    }
    look.rank[2].flags &= (uint16_t)~HCT_IN_MPI;
    look.rank[2].collective = 0;
    look.rank[2].been = HCT_BEEN_HERE;
    for (uint32_t i = 0; i < look.in.ncomms; i++)
        look.comm[i].collectives = look.comm[i].rank == 2 ? n - 1 : n;
}

#define SAYS(what) \
    do { \
        if (!strstr(text, what)) \
            fail_msg("\"%s\" is not in:\n%s", what, text); \
    } while (0)

static void computation(void **state)
{
    uint64_t after;

    (void)state;
    start(8, NULL, 0);
    run(20 * S);
    without_two(100);
    snprintf(look.rank[2].tag_text, sizeof(look.rank[2].tag_text), "step 12");
    after = stand(100 * S);
    assert_true(after >= 5 * S && after < 8 * S);
    assert_int_equal(look.verdicts[0].kind, HCT_HANG);
    assert_int_equal(look.verdicts[0].where, HCT_WHERE_COMPUTATION);
    assert_int_equal(look.verdicts[0].nranks, 1);
    assert_int_equal(look.blamed[0], 2);
    assert_true(look.verdicts[0].score >= 0.999);
    SAYS("rank 2 has not come back to MPI");
    SAYS("after MPI_Allreduce");
    SAYS("its last tag was \"step 12\"");
    SAYS("ranks 0-1,3-7 wait in MPI_Allreduce");
    assert_int_equal(look.proposals[0].action, HCT_REPORT);

    /* Once; and it is taken back. */
    look.in.now_ns += S;
    assert_int_equal(stand(100 * S), 100 * S);
    look.rank[2].calls++;
    look.rank[2].flags |= HCT_IN_MPI;
    look.rank[2].age_ns = 0;
    see();
    assert_int_equal(look.out.nverdicts, 1);
    assert_int_equal(look.verdicts[0].kind, HCT_PROGRESS);
    SAYS("the job moves again");
    /* A later one is found, but it has to be longer. */
    run(10 * S);
    without_two(200);
    assert_true(stand(10000 * S) >= 400 * S);
    assert_int_equal(look.verdicts[0].kind, HCT_HANG);
}

static void communication(void **state)
{
    (void)state;
    start(4, NULL, 0);
    run(20 * S);
    world(5);
    for (uint32_t r = 0; r < 4; r++) {
        joins(r, "Allreduce", WORLD, 5, HCT_NONE)->calls += 3;
        look.rank[r].age_ns = MS;
    }
    for (uint32_t i = 0; i < 4; i++)
        look.comm[i].collectives = 5;
    assert_true(stand(100 * S) < 8 * S);
    assert_int_equal(look.verdicts[0].kind, HCT_HANG);
    assert_int_equal(look.verdicts[0].where, HCT_WHERE_COMMUNICATION);
    assert_int_equal(look.verdicts[0].nranks, 0);
    SAYS("hang in the communication");
}

/* ---------------------------------------------------------- on two nodes */

/* Ranks 2 and 3 on another node, in a ring with a barrier (tests/apps/ring.c):
 * what rank 1 has sent to rank 2 has not come, and the others are in the
 * barrier. */
static void ring_stalls(void)
{
    start(4, NULL, 0);
    run(20 * S);
    look.account[2].node = look.account[3].node = 2;
    for (uint32_t r = 0; r < 4; r++) {
        joins(r, "Barrier", WORLD, 9, HCT_NONE)->calls += 3;
        look.rank[r].age_ns = MS;
        look.rank[r].bytes = 0;
    }
    is_in(2, "Waitall")->collective = 0;
    world(8);
    for (uint32_t i = 0; i < 4; i++)
        look.comm[i].collectives = i == 2 ? 8 : 9;
    asks(2, "Irecv", 1, 1)->bytes = 400;
    asks(2, "Isend", 3, 1)->bytes = 400;
    sent(1, 2, WORLD, 1);
    received(3, 2, WORLD, 1);
    look_account();
}

/* TCP has stood still for seven seconds where three packets in ten are lost: of
 * what is under way between nodes nobody says that it hangs. */
static void network(void **state)
{
    uint64_t after;

    (void)state;
    ring_stalls();
    after = noticed(100 * S);
    assert_true(after >= 11 * S && after < 14 * S);
    SAYS("nothing has moved for 12");
    SAYS("all wait: ranks 0-1,3 in MPI_Barrier, rank 2 in MPI_Waitall; a message "
         "of rank 1 to rank 2, on another node, is under way: the network may "
         "lose packets");
    assert_int_equal(stand(3600 * S), 3600 * S);

    /* The last one has entered the barrier, and nobody leaves it. */
    ring_stalls();
    joins(2, "Barrier", WORLD, 9, HCT_NONE)->requests = 0;
    look.in.nrequests = look.in.npairs = 0;
    look.comm[2].collectives = 9;
    after = noticed(100 * S);
    assert_true(after >= 11 * S && after < 14 * S);
    SAYS("what MPI_Barrier sends between nodes may be under way");
    assert_int_equal(stand(3600 * S), 3600 * S);
}

/* Whoever does not come back to MPI is found as on one node, whatever is under
 * way to it; and so are those who all wait for what no network brings. */
static void no_network(void **state)
{
    uint64_t after;

    (void)state;
    for (int sleeps = 0; sleeps < 2; sleeps++) {
        ring_stalls();
        look.rank[2].flags &= (uint16_t)~(HCT_IN_MPI | HCT_RUNS);
        look.rank[2].flags |= sleeps ? HCT_PAUSES : 0;
        look.rank[2].been = HCT_BEEN_HERE;
        look.rank[2].call = number_of("Irecv");
        after = stand(100 * S);
        assert_true(sleeps ? after < 2 * S : after >= 5 * S && after < 8 * S);
        assert_int_equal(look.verdicts[0].kind, HCT_HANG);
        assert_int_equal(look.verdicts[0].where, HCT_WHERE_COMPUTATION);
        assert_int_equal(look.verdicts[0].nranks, 1);
        assert_int_equal(look.blamed[0], 2);
        assert_true(look.verdicts[0].score >= 0.999);
    }
    ring_stalls();
    is_in(2, "File_write")->requests = 0;
    look.in.nrequests = 0;
    after = stand(100 * S);
    assert_true(after >= 11 * S && after < 14 * S);
    assert_int_equal(look.verdicts[0].kind, HCT_HANG);
    assert_int_equal(look.verdicts[0].where, HCT_WHERE_COMMUNICATION);
    /* It sleeps in MPI, where it does not even look for messages. */
    ring_stalls();
    look.rank[2].flags |= HCT_PAUSES;
    assert_true(stand(100 * S) < 2 * S);
    assert_int_equal(look.verdicts[0].kind, HCT_HANG);
    assert_int_equal(look.blamed[0], 2);
}

static void deadlock_at_once(void **state)
{
    uint64_t after;

    (void)state;
    start(3, NULL, 0);          /* no history at all */
    see();
    look.in.now_ns += 200 * MS;
    world(0);
    for (uint32_t r = 0; r < 3; r++)
        talks(r, "Recv", (int)(r + 1) % 3, 1)->calls++;
    after = stand(100 * S);
    assert_true(after < S);
    assert_int_equal(look.verdicts[0].kind, HCT_DEADLOCK);
    SAYS("deadlock: ranks 0-2 all wait for messages");
    look.rank[0].calls += 2;
    look.rank[0].age_ns = 0;
    see();
    assert_int_equal(look.verdicts[0].kind, HCT_PROGRESS);

    start(3, "prove", 0);       /* not asked for: a hang like others */
    run(20 * S);
    world(0);
    for (uint32_t r = 0; r < 3; r++) {
        talks(r, "Recv", (int)(r + 1) % 3, 1)->calls += 2;
        look.rank[r].bytes = 8;
        look.rank[r].age_ns = 1;
    }
    after = stand(100 * S);
    assert_true(after > 5 * S && after < 8 * S);
    assert_int_equal(look.verdicts[0].kind, HCT_HANG);
}

/* One second of looks, in which ranks get older but for the first. */
static bool moves_again_in(uint64_t ns, void (*change)(uint64_t wait))
{
    for (uint64_t until = look.in.now_ns + ns; look.in.now_ns < until;) {
        uint64_t wait = see();

        if (look.out.nverdicts) {
            assert_int_equal(look.verdicts[0].kind, HCT_PROGRESS);
            return true;
        }
        look.in.has_detail = !!(look.out.need & HCT_NEED_DETAIL);
        look.in.now_ns += wait;
        change(wait);
    }
    return false;
}

static void stands_on(uint64_t wait)
{
    for (uint32_t r = 0; r < look.in.nranks; r++)
        look.rank[r].age_ns += wait;
}

static void asks_on(uint64_t wait)
{
    stands_on(wait);
    look.rank[0].calls += 1000;
    look.rank[0].polls += 1000;
    look.rank[0].age_ns = 0;
}

/* ... and every other reading is torn: more has been asked than called. */
static uint64_t too_many;

static void whole_again(void)
{
    look.rank[0].polls -= too_many;
    too_many = 0;
}

static void torn_on(uint64_t wait)
{
    uint64_t next = too_many ? 0 : 9000;

    asks_on(wait);
    whole_again();
    look.rank[0].polls += too_many = next;
}

/* Of a deadlock it is not taken back that a count was corrected, be it down or
 * up; but it is when one of its tasks, not only the first, is elsewhere. */
static void moves_again(void **state)
{
    (void)state;
    for (int i = 0; i < 4; i++) {
        start(3, NULL, 0);
        see();
        look.in.now_ns += 200 * MS;
        world(0);
        for (uint32_t r = 0; r < 3; r++) {
            talks(r, "Recv", (int)(r + 1) % 3, 1)->calls += 20;
            look.rank[r].polls += 2;
        }
        stand(100 * S);
        assert_int_equal(look.verdicts[0].kind, HCT_DEADLOCK);
        look.in.now_ns += 100 * MS;
        stands_on(100 * MS);
        look.rank[i].polls += i == 0 ? 9 : 0;
        look.rank[i].polls -= i == 1 ? 2 : 0;
        assert_false(moves_again_in(20 * S, stands_on));
        if (i < 2) {                    /* the very next call counts */
            look.rank[i].calls++;
            look.rank[i].age_ns = 0;
        } else if (i == 2) {
            look.rank[2].flags &= (uint16_t)~HCT_IN_MPI;
            look.rank[2].age_ns = 0;
        } else {                        /* who is killed has not gone on */
            look.rank[1].life = HCT_LIFE_ENDED;
            look.rank[1].flags &= (uint16_t)~HCT_IN_MPI;
            assert_false(moves_again_in(S, stands_on));
            look.rank[1].calls += 2;
        }
        assert_true(moves_again_in(S, stands_on));
        SAYS("the job moves again");
    }
}

/* Rank 0 asks in a loop for a message from rank 1, which waits for one from it. */
static void asks_a_waiter(void)
{
    world(0);
    for (uint32_t r = 0; r < 2; r++)
        look.rank[r].flags = HCT_OBSERVED | HCT_PAGE;
    talks(1, "Recv", 0, 1)->calls++;
    look.rank[1].age_ns = 0;
    is_in(0, "Test");
    asks(0, "Irecv", 1, 7)->waited = 0;
    for (int f = 0; f < 5; f++)
        flew(0, "Test", 0, 0, HCT_NONE, HCT_NONE);
    look.out.nverdicts = 0;
}

/* Who asks in a loop is behind a question now and then, and miscounted. */
static void gives_up(void **state)
{
    (void)state;
    for (int i = 0; i < 2; i++) {
        uint64_t began;

        start(2, NULL, 0);
        run(i * 20 * S);
        asks_a_waiter();
        began = look.in.now_ns;
        for (int l = 0; l < 200 && !look.out.nverdicts; l++) {
            uint64_t wait = see();

            if (look.out.nverdicts)
                break;
            look.in.has_detail = !!(look.out.need & HCT_NEED_DETAIL);
            look.in.now_ns += wait;
            torn_on(wait);
        }
        assert_int_equal(look.out.nverdicts, 1);
        assert_int_equal(look.verdicts[0].kind, HCT_NOTICE);
        assert_int_equal(look.verdicts[0].nlines, 1);
        assert_int_equal(look.out.nproposals, 0);
        assert_true(look.in.now_ns - began > 12 * S);
        assert_true(look.in.now_ns - began < 14 * S);
        SAYS("ranks 0-1 have waited for each other for 12");
        SAYS("asking in a loop for a message from rank 1 (tag 7, MPI_COMM_WORLD); "
             "nothing seen so far says whether that is wrong");
        assert_false(moves_again_in(5 * S, torn_on));
        whole_again();
        look.rank[0].polls -= 1;        /* one too few */
        assert_false(moves_again_in(5 * S, asks_on));
        look.rank[0].polls += i ? 700 : 6;      /* and some too many */
        assert_false(moves_again_in(5 * S, asks_on));
        if (i == 0)
            look.rank[0].calls += 10;   /* more than were ever seen */
        else
            look.rank[0].call = number_of("Allreduce");
        assert_true(moves_again_in(S, i == 0 ? asks_on : stands_on));
    }
}

/* On a busy machine it may be long until a look at details shows once more that one
 * of them asks: it asks as long as nobody has moved. */
static void asked_once(void **state)
{
    (void)state;
    start(2, NULL, 0);
    run(20 * S);
    asks_a_waiter();
    while (!look.out.nverdicts) {
        uint64_t wait = see();

        look.in.has_detail = !!(look.out.need & HCT_NEED_DETAIL);
        look.in.now_ns += wait;
        asks_on(wait);
    }
    assert_int_equal(look.verdicts[0].kind, HCT_NOTICE);
    look.in.nrequests = 0;
    assert_false(moves_again_in(100 * S, asks_on));
}

/* Tasks that get no processor do not see the messages that have come. */
static void no_processor(void **state)
{
    uint64_t own[3] = { S, S, S }, found = 0;

    (void)state;
    start(3, NULL, 0);
    see();
    look.in.now_ns += 200 * MS;
    world(0);
    for (uint32_t r = 0; r < 3; r++)
        talks(r, "Recv", (int)(r + 1) % 3, 1)->calls++;
    while (look.in.now_ns < 12 * S && !found) {
        uint64_t wait;

        for (uint32_t r = 0; r < 3; r++)
            look.rank[r].own_cpu_ns = own[r];
        wait = see();
        found = look.out.nverdicts ? look.in.now_ns : 0;
        look.in.has_detail = !!(look.out.need & HCT_NEED_DETAIL);
        look.in.now_ns += wait;
        for (uint32_t r = 0; r < 3; r++) {
            look.rank[r].age_ns += wait;
            own[r] += r < 2 || look.in.now_ns > 4 * S ? wait / 10 : 0;
        }
    }
    assert_true(found > 4 * S && found < 8 * S);
    assert_int_equal(look.verdicts[0].kind, HCT_DEADLOCK);
}

/* Rank 0 sends what may leave at once to rank 1, which is in MPI_Finalize: when is
 * that a deadlock? */
static uint64_t unfit_and_left(double sender, double receiver, bool naps)
{
    start(2, NULL, 0);
    see();
    look.in.now_ns += 200 * MS;
    world(0);
    talks(0, "Send", 1, 7)->calls++;
    look.rank[0].bytes = look.rank[0].count = 4000;     /* near the limit */
    is_in(1, "Finalize")->calls++;
    if (naps)
        look.rank[1].flags &= (uint16_t)~HCT_RUNS;
    look.rank[0].own_cpu_ns = look.rank[1].own_cpu_ns = S;
    works[0].own = sender;
    works[1].own = receiver;
    look_account();
    return stand(10 * S);
}

/* How long they have looked for messages is what their processor says, where it
 * is sooner than the clock; who naps between is not believed without. */
static void needs_a_processor(void **state)
{
    (void)state;
    assert_true(unfit_and_left(1, 1, false) < S);
    assert_int_equal(look.verdicts[0].kind, HCT_DEADLOCK);
    assert_true(unfit_and_left(1, 0.1, true) < S);
    assert_int_equal(look.verdicts[0].kind, HCT_DEADLOCK);
    assert_true(unfit_and_left(0.01, 0.1, true) < 2 * S);
    assert_int_equal(look.verdicts[0].kind, HCT_DEADLOCK);
    assert_true(unfit_and_left(0.001, 0.1, true) > 3 * S);
    assert_int_equal(look.verdicts[0].kind, HCT_DEADLOCK);
    assert_true(unfit_and_left(1, 0.01, true) > 2 * S);
    assert_int_equal(look.verdicts[0].kind, HCT_DEADLOCK);
    unfit_and_left(1, 0, true);
    assert_true(look.out.nverdicts == 0 ||
                look.verdicts[0].kind != HCT_DEADLOCK);
}

/* A hang is spoken of before it is known that they have looked for messages: it is
 * proven when it is, once. */
static void proven_after_a_hang(void **state)
{
    (void)state;
    start(2, NULL, 0);
    run(20 * S);
    world(0);
    talks(0, "Send", 1, 7)->calls += 3;
    look.rank[0].bytes = look.rank[0].count = 4000;
    is_in(1, "Finalize")->calls += 3;
    look.rank[1].flags &= (uint16_t)~HCT_RUNS;
    for (uint32_t r = 0; r < 2; r++) {
        look.rank[r].age_ns = MS;
        look.rank[r].own_cpu_ns = S;
    }
    works[0].own = 0.1;
    works[1].own = 0.002;
    look_account();
    assert_true(stand(100 * S) < 9 * S);
    assert_int_equal(look.verdicts[0].kind, HCT_HANG);
    look.in.now_ns += S;
    assert_true(stand(100 * S) < 30 * S);
    assert_int_equal(look.verdicts[0].kind, HCT_DEADLOCK);
    look.in.now_ns += S;
    assert_int_equal(stand(100 * S), 100 * S);
    look.rank[0].calls += 3;
    look.rank[0].age_ns = 0;
    see();
    assert_int_equal(look.out.nverdicts, 1);
    assert_int_equal(look.verdicts[0].kind, HCT_PROGRESS);
}

/* Rank 0 is in a collective call that rank 1 has left for MPI_Finalize, where it naps,
 * but woke as it was read. */
static void woke_as_it_was_read(void **state)
{
    (void)state;
    start(2, NULL, 0);
    see();
    look.in.now_ns += 200 * MS;
    joins(0, "Bcast", WORLD, 1, 1)->calls++;
    look.rank[0].bytes = 4;
    world(1);
    is_in(1, "Finalize")->calls++;
    look.rank[0].own_cpu_ns = look.rank[1].own_cpu_ns = S;
    works[0].own = 1;
    works[1].own = 0.05;
    assert_true(stand(10 * S) < 800 * MS);
    assert_int_equal(look.verdicts[0].kind, HCT_DEADLOCK);
}

/* So is it of several threads, where the one that is shown says nothing of the
 * others. */
static void threads_need_a_processor(void **state)
{
    static const double own[] = { 1, 0.0001 };

    (void)state;
    for (int i = 0; i < 2; i++) {
        start(2, NULL, 0);
        see();
        look.in.now_ns += 200 * MS;
        world(0);
        talks(0, "Send", 1, 7)->calls++;
        look.rank[0].bytes = look.rank[0].count = 4000;
        is_in(1, "Finalize")->calls++;
        for (uint32_t r = 0; r < 2; r++) {
            look.rank[r].level = HCT_LEVEL_MULTIPLE;
            look.rank[r].threads = 2;
            look.rank[r].flags |= HCT_ALONE;
            look.rank[r].own_cpu_ns = S;
            look.rank[r].waited_cpu_us = 1;
            works[r].own = own[i];
        }
        look_account();
        assert_true(i == 0 ? stand(10 * S) < S : stand(10 * S) >= 10 * S);
        assert_int_equal(look.out.nverdicts, i == 0);
    }
}

/* What moves a lot of data needs a processor for it, not only time. */
static void much_and_starved(void **state)
{
    static const double own[] = { 0.5, 0.01 };

    (void)state;
    for (int i = 0; i < 2; i++) {
        uint64_t after;

        start(4, NULL, 0);
        run(20 * S);
        world(9);
        for (uint32_t r = 0; r < 4; r++) {
            joins(r, "Allreduce", WORLD, 9, HCT_NONE)->bytes = 100000000;
            look.rank[r].calls += 3;
            look.rank[r].age_ns = MS;
            look.rank[r].own_cpu_ns = S;
            works[r].own = own[i];
        }
        after = stand_until(400 * S, true);
        assert_int_equal(look.out.nverdicts, 1);
        assert_true(i == 0 ? after < 20 * S : after > 90 * S);
        assert_true(after > 15 * S && after < 210 * S);
    }
}

/* The last one comes to wait when the others have for so long, and nothing could be
 * proven of them: it is as soon as it can be. */
static void the_last_one_comes(void **state)
{
    (void)state;
    for (uint64_t ns = S; ns < 6 * S; ns += 130 * MS) {
        start(3, NULL, 0);
        see();
        look.in.now_ns += 200 * MS;
        world(0);
        talks(0, "Recv", 2, 1)->calls++;
        talks(1, "Recv", 0, 1)->calls++;
        assert_int_equal(stand(ns), ns);
        talks(2, "Recv", 1, 1)->calls++;
        look.rank[2].age_ns = MS;
        assert_true(stand(100 * S) < 800 * MS);
        assert_int_equal(look.verdicts[0].kind, HCT_DEADLOCK);
    }
}

/* Two wait for each other, one of them for long, while another works on: as soon
 * as if all did, and since the second has come. */
static void deadlock_of_some(void **state)
{
    uint64_t begin;

    (void)state;
    start(3, NULL, 0);
    see();
    look.in.now_ns += 200 * MS;
    world(0);
    talks(0, "Recv", 1, 1)->calls++;
    look.rank[0].age_ns = 50 * S;
    talks(1, "Recv", 0, 1)->calls++;
    begin = look.in.now_ns += 100 * S;
    for (;;) {
        uint64_t wait = see();

        if (look.out.nverdicts)
            break;
        assert_true(look.in.now_ns < begin + S);
        look.in.has_detail = !!(look.out.need & HCT_NEED_DETAIL);
        look.in.now_ns += wait;
        look.rank[0].age_ns += wait;
        look.rank[1].age_ns += wait;
        look.rank[2].calls += 9;
        look.rank[2].age_ns = 0;
    }
    assert_int_equal(look.verdicts[0].kind, HCT_DEADLOCK);
    assert_int_equal(look.verdicts[0].nranks, 2);
    assert_true(look.verdicts[0].age_ns <= look.in.now_ns - begin);
}

/* Whoever has a reason that is not the program's. */
static void excused(void **state)
{
    static const uint16_t flags[] = {
        HCT_SUSPENDED, HCT_MIGRATING, HCT_TRACED, HCT_STDIN, HCT_STOPPED,
    };

    (void)state;
    for (unsigned i = 0; i < sizeof(flags) / sizeof(flags[0]); i++) {
        start(4, NULL, 0);
        run(20 * S);
        without_two(9);
        look.rank[2].flags |= flags[i];
        assert_int_equal(stand(3600 * S), 3600 * S);
        /* From then on it counts. */
        look.rank[2].flags &= (uint16_t)~flags[i];
        assert_true(stand(3600 * S) < 10 * S);
        assert_int_equal(look.verdicts[0].kind, HCT_HANG);
    }
    start(4, NULL, 0);                  /* nobody can be seen */
    run(20 * S);
    without_two(9);
    look.rank[2].flags = 0;
    assert_int_equal(stand(3600 * S), 3600 * S);
}

/* One who makes calls is alive, one who only asks is not. */
static void loops(void **state)
{
    (void)state;
    for (int alive = 0; alive < 2; alive++) {
        bool found = false;

        start(4, NULL, 0);
        run(20 * S);
        without_two(9);
        look.rank[2].call = number_of("Test");
        for (uint64_t t = 0; t < 60 * S && !found;) {
            uint64_t wait = see();

            found = look.out.nverdicts > 0;
            look.in.has_detail = !!(look.out.need & HCT_NEED_DETAIL);
            look.in.now_ns += wait;
            t += wait;
            for (uint32_t r = 0; r < 4; r++)
                look.rank[r].age_ns += r == 2 ? 0 : wait;
            look.rank[2].calls += 1000;
            look.rank[2].polls += alive ? 999 : 1000;
            look.rank[2].flags ^= HCT_IN_MPI;
        }
        assert_int_equal(found, !alive);
        if (!alive) {
            assert_int_equal(look.verdicts[0].kind, HCT_HANG);
            assert_int_equal(look.verdicts[0].where,
                             HCT_WHERE_COMMUNICATION);
            SAYS("rank 2 waits in MPI_Test, asking in a loop");
        }
    }
}

/* One who asks in a loop, and is kept from the processor between two questions
 * for most of the time, waits for an answer all the same. */
static void asks_under_load(void **state)
{
    uint64_t began;

    (void)state;
    start(4, NULL, 0);
    without_two(9);
    look.rank[2].call = number_of("Testany");
    look.out.nverdicts = 0;
    began = look.in.now_ns;
    for (unsigned i = 0; look.in.now_ns < began + 30 * S; i++) {
        uint64_t wait = see();

        if (look.out.nverdicts)
            break;
        look.in.has_detail = !!(look.out.need & HCT_NEED_DETAIL);
        look.in.now_ns += wait;
        for (uint32_t r = 0; r < 4; r++)
            look.rank[r].age_ns += r == 2 ? 0 : wait;
        look.rank[2].calls += wait / MS;
        look.rank[2].polls += wait / MS;
        look.rank[2].age_ns = i % 8 ? 40 * MS : 0;
    }
    assert_int_equal(look.out.nverdicts, 1);
    assert_int_equal(look.verdicts[0].kind, HCT_NOTICE);
    assert_int_equal(look.verdicts[0].where, HCT_WHERE_COMMUNICATION);
    SAYS("all wait: ranks 0-1,3 in MPI_Allreduce, rank 2 in MPI_Testany, "
         "asking in a loop");

    /* Once in 50 ms is a computation that asks in between. */
    start(4, NULL, 0);
    without_two(9);
    look.rank[2].call = number_of("Testany");
    look.out.nverdicts = 0;
    for (began = look.in.now_ns; look.in.now_ns < began + 30 * S;) {
        uint64_t wait = see();

        if (look.out.nverdicts)
            break;
        look.in.has_detail = !!(look.out.need & HCT_NEED_DETAIL);
        look.in.now_ns += wait;
        for (uint32_t r = 0; r < 4; r++)
            look.rank[r].age_ns += r == 2 ? 0 : wait;
        look.rank[2].calls += wait / (50 * MS);
        look.rank[2].polls += wait / (50 * MS);
        look.rank[2].age_ns = 20 * MS;
    }
    assert_int_equal(look.out.nverdicts, 1);
    assert_int_equal(look.verdicts[0].kind, HCT_NOTICE);
    SAYS("rank 2 has only asked, by MPI_Testany, for 12");
    SAYS("and ranks 0-1,3 wait for it in MPI_Allreduce; nothing seen so far says");
}

/* Questions that were taken for more at first do not hide what comes then. */
static void miscounted(void **state)
{
    (void)state;
    start(4, NULL, 0);
    run(2 * S);
    for (uint32_t r = 0; r < 4; r++) {
        look.rank[r].call = number_of("Testany");
        look.rank[r].calls += 20000;
    }
    look.in.now_ns += see();
    for (uint32_t r = 0; r < 4; r++)
        look.rank[r].polls += 20000;
    for (uint64_t until = look.in.now_ns + 60 * S; look.in.now_ns < until;) {
        look.in.now_ns += see();
        assert_int_equal(look.out.nverdicts, 0);
        for (uint32_t r = 0; r < 4; r++) {
            look.rank[r].calls += 101;
            look.rank[r].polls += 100;
            look.rank[r].age_ns = 0;
        }
    }
}

/* One who asks in a loop, and whose calls are counted while it does. */
static void torn(void **state)
{
    bool found = false;

    (void)state;
    start(4, NULL, 0);
    run(20 * S);
    without_two(9);
    look.rank[2].call = number_of("Test");
    look.rank[2].flags |= HCT_IN_MPI;
    for (uint64_t t = 0, i = 0; t < 60 * S; i++) {
        uint64_t wait = see();

        if (look.out.nverdicts)
            assert_int_not_equal(look.verdicts[0].kind, HCT_PROGRESS);
        found |= look.out.nverdicts > 0;
        look.in.has_detail = !!(look.out.need & HCT_NEED_DETAIL);
        look.in.now_ns += wait;
        t += wait;
        for (uint32_t r = 0; r < 4; r++)
            look.rank[r].age_ns += r == 2 ? 0 : wait;
        look.rank[2].calls += 1000;
        look.rank[2].polls += i % 5 == 3 ? 4000 : i % 5 == 4 ? (uint64_t)-2000
                                                : 1000;
    }
    assert_true(found);
}

/* Where it has not been before, only a notice says so, once. */
static void new_place(void **state)
{
    (void)state;
    for (int busy = 0; busy < 2; busy++) {
        uint64_t after;

        start(4, NULL, 0);
        run(20 * S);
        without_two(9);
        look.rank[2].been = HCT_BEEN_NEVER;
        look.rank[2].cpu_ns = 10 * S;
        look.rank[2].waits = busy ? HCT_WAITS_UNKNOWN : HCT_WAITS_OTHER;
        snprintf(look.rank[2].place, sizeof(look.rank[2].place), "post");
        works[2].all = busy;
        after = noticed(3600 * S);
        assert_true(after >= 11 * S && after < 13 * S);
        assert_int_equal(look.verdicts[0].nranks, 1);
        assert_int_equal(look.blamed[0], 2);
        SAYS(busy ? "rank 2 has been in post() for 12" : "rank 2 has been "
             "outside of MPI for 12");
        SAYS("after MPI_Allreduce");
        SAYS(busy ? "uses the processor" : "and sleeps");
        SAYS("and ranks 0-1,3 wait for it in MPI_Allreduce; nothing seen so "
             "far says whether that is wrong");
        look.in.now_ns += S;
        assert_int_equal(stand_until(3600 * S, true), 3600 * S);
    }
}

/* What the others wait for is told, where that is the same. */
static void waited_by_request(void **state)
{
    (void)state;
    start(4, NULL, 0);
    run(20 * S);
    without_two(9);
    look.rank[2].been = HCT_BEEN_NEVER;
    for (uint32_t r = 0; r < 4; r++)
        if (r != 2) {
            look.rank[r].call = number_of("Wait");
            look.rank[r].waits_call = number_of("Ibarrier");
        }
    noticed(3600 * S);
    SAYS("and ranks 0-1,3 wait for it in MPI_Wait by MPI_Ibarrier; nothing seen "
         "so far");
}

/* Nobody has looked at its stack, or could: the same. */
static void no_stack(void **state)
{
    (void)state;
    start(4, NULL, 0);
    run(20 * S);
    without_two(9);
    look.rank[2].been = HCT_BEEN_UNKNOWN;
    noticed(100 * S);
    assert_int_equal(stand(3600 * S), 3600 * S);
}

/* The next one is worth a word only if it takes twice as long. */
static void notices_get_rare(void **state)
{
    (void)state;
    start(4, NULL, 0);
    run(20 * S);
    for (unsigned i = 0; i < 3; i++) {
        uint64_t after;

        without_two(9 + i);
        look.rank[2].been = HCT_BEEN_NEVER;
        after = noticed(600 * S);
        assert_true(after >= (11 * S << i) && after < (14 * S << i));
        look.rank[2].calls++;
        look.rank[2].age_ns = 0;
        look.rank[2].flags |= HCT_IN_MPI;
        see();
        assert_int_equal(look.verdicts[0].kind, HCT_PROGRESS);
        run(20 * S);
    }
}

/* Asleep for something that is known by name: never a verdict, though it is
 * where it has been before; and of a sleep that ends soon nothing at all. */
static void sleeps_for(void **state)
{
    static const struct { uint32_t waits; const char *words; } cases[] = {
        { HCT_WAITS_CHILD, "waits for a child process, pid 7 (gzip)" },
        { HCT_WAITS_LOCK, "waits for a lock on a file, pid 7 (gzip)" },
        { HCT_WAITS_PIPE, "waits for a pipe" },
        { HCT_WAITS_SOCKET, "waits for a socket" },
        { HCT_WAITS_DEVICE, "waits for a device" },
        { HCT_WAITS_FILE, "waits for a file" },
        { HCT_WAITS_TIME, "and sleeps, for 100 s at a time" },
        { HCT_WAITS_OTHER, "and sleeps, and ranks" },
    };

    (void)state;
    for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
        start(4, NULL, 0);
        run(20 * S);
        without_two(9);
        look.rank[2].waits = cases[i].waits;
        look.rank[2].waits_ns = cases[i].waits == HCT_WAITS_TIME ? 100 * S : 0;
        snprintf(look.rank[2].place, sizeof(look.rank[2].place),
                 "pid 7 (gzip)");
        noticed(100 * S);
        SAYS(cases[i].words);
        assert_int_equal(stand(3600 * S), 3600 * S);
    }
    start(4, NULL, 0);
    run(20 * S);
    without_two(9);
    look.rank[2].waits = HCT_WAITS_TIME;
    look.rank[2].waits_ns = 20 * S;
    assert_true(noticed(100 * S) >= 19 * S);
}

/* Names are whole: what is left of a line is for what the one does. */
static void long_names(void **state)
{
    (void)state;
    start(4, NULL, 0);
    run(20 * S);
    without_two(9);
    look.rank[2].call = number_of("File_read_ordered_begin");
    look.rank[2].been = HCT_BEEN_NEVER;
    look.rank[2].waits = HCT_WAITS_THREAD;
    snprintf(look.rank[2].place, sizeof(look.rank[2].place),
             "wait_for_the_output_thread");
    for (uint32_t r = 0; r < 4; r++)
        if (r != 2)
            is_in(r, "File_write_at_all");
    noticed(100 * S);
    SAYS("a thread or a lock in memory, wait_for_");
    SAYS("and ranks 0-1,3 wait for it in MPI_File_write_at_all; nothing seen "
         "so far says whether that is wrong");
}

/* One that is kept from the processor does not sleep. */
static void starved(void **state)
{
    (void)state;
    start(4, NULL, 0);
    run(20 * S);
    without_two(9);
    look.rank[2].been = HCT_BEEN_NEVER;
    look.rank[2].flags |= HCT_RUNS;
    look.rank[2].cpu_ns = 10 * S;
    noticed(100 * S);
    SAYS("and would run, but gets no processor");
    assert_null(strstr(text, "sleeps"));
}

/* It gets some time of a processor, if not much. */
static void hungry(void **state)
{
    (void)state;
    start(4, NULL, 0);
    run(20 * S);
    without_two(9);
    look.rank[2].been = HCT_BEEN_NEVER;
    look.rank[2].flags |= HCT_RUNS;
    look.rank[2].cpu_ns = 10 * S;
    stand(2 * S);
    look.rank[2].cpu_ns += S / 10;
    noticed(100 * S);
    SAYS("and would run, but gets little of a processor");
}

/* One that asks in a loop, and sleeps between, is awake at some looks. */
static void naps(void **state)
{
    (void)state;
    start(4, NULL, 0);
    run(20 * S);
    without_two(9);
    look.rank[2].been = HCT_BEEN_NEVER;
    look.rank[2].waits = HCT_WAITS_TIME;
    look.rank[2].waits_ns = S / 100;
    look.rank[2].cpu_ns = 10 * S;
    stand(2 * S);
    look.rank[2].waits = HCT_WAITS_UNKNOWN;
    look.rank[2].flags |= HCT_RUNS;
    noticed(100 * S);
    SAYS("and sleeps again and again");
}

/* In a call that waits for nobody it computes, whatever that is. */
static void long_call(void **state)
{
    (void)state;
    start(4, NULL, 0);
    run(20 * S);
    without_two(9);
    is_in(2, "Put");
    noticed(100 * S);
    SAYS("rank 2 has been in MPI_Put for 12");
    assert_int_equal(look.verdicts[0].where, HCT_WHERE_COMPUTATION);
    assert_int_equal(stand(3600 * S), 3600 * S);
}

/* The others are in MPI_Finalize; or it has not begun when they have. */
static void first_and_last(void **state)
{
    (void)state;
    start(4, NULL, 0);
    run(20 * S);
    without_two(9);
    look.rank[2].been = HCT_BEEN_NEVER;
    for (uint32_t r = 0; r < 4; r++)
        if (r != 2)
            is_in(r, "Finalize");
    noticed(100 * S);
    SAYS("and ranks 0-1,3 wait for it in MPI_Finalize");

    start(4, NULL, 0);
    for (uint32_t r = 0; r < 4; r++)
        look.rank[r].life = r == 2 ? HCT_LIFE_ENDED : HCT_LIFE_INIT;
    assert_true(noticed(100 * S) < 14 * S);
    SAYS("rank 2 has ended, and ranks 0-1,3 have waited in MPI_Init for 12");

    start(4, NULL, 0);
    for (uint32_t r = 0; r < 4; r++)
        look.rank[r].life = r == 2 ? HCT_LIFE_STARTED : HCT_LIFE_INIT;
    assert_true(noticed(100 * S) < 14 * S);
    SAYS("rank 2 has not called MPI_Init for 12.");
    SAYS("ranks 0-1,3 wait in it");
    look.in.now_ns += S;
    assert_int_equal(stand_until(3600 * S, true), 3600 * S);
}

/* All make the same few calls for ever; with some computation between, or with
 * calls from more places now and then, they solve something. Not where so many
 * calls are so short that half of the time is nobody's. */
static void same_calls(void **state)
{
    static const struct { bool computes, other, noticed; uint32_t n; } cases[] = {
        { false, false, true, 2000 }, { true, false, false, 2000 },
        { false, true, false, 2000 }, { true, false, true, 200000 },
    };

    (void)state;
    for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
        bool found = false;

        start(4, NULL, 0);
        for (uint64_t n = 0, began = look.in.now_ns;
             look.in.now_ns - began < 60 * S && !found; n++) {
            uint64_t wait = see();

            found = look.out.nverdicts > 0;
            look.in.has_detail = !!(look.out.need & HCT_NEED_DETAIL);
            look.in.now_ns += wait;
            for (uint32_t r = 0; r < 4; r++) {
                struct hct_rank *k = &look.rank[r];

                k->calls += cases[i].n;
                k->call = number_of("Sendrecv");
                k->site = cases[i].other && n % 20 == 19 ? 9 + (uint32_t)n : 2;
                k->site_calls = cases[i].other && n % 20 == 19 ? n : k->calls;
                k->age_ns = MS / 10;
                k->out_ns += cases[i].computes ? wait / 2 : wait / 50;
                k->flags |= HCT_IN_MPI;
            }
        }
        assert_int_equal(found, cases[i].noticed);
        if (!found)
            continue;
        assert_int_equal(look.verdicts[0].kind, HCT_NOTICE);
        assert_true(look.in.now_ns < 16 * S);
        SAYS("ranks 0-3 have made the same calls at the same places for 1");
        SAYS("MPI_Sendrecv");
    }
}

/* A slave that was stopped for half a minute: what its tasks did meanwhile nobody
 * has seen, and it does not count. */
static void same_calls_unseen(void **state)
{
    uint64_t began, back = 0;

    (void)state;
    start(4, NULL, 0);
    began = look.in.now_ns;
    for (bool found = false; !found;) {
        uint64_t wait = see(), passed = look.in.now_ns - began;
        bool stopped = passed > 5 * S && passed < 35 * S;

        found = look.out.nverdicts > 0;
        assert_true(passed < 120 * S);
        look.in.has_detail = !!(look.out.need & HCT_NEED_DETAIL);
        look.in.now_ns += wait;
        back = stopped || !back ? look.in.now_ns : back;
        for (uint32_t r = 0; r < 4; r++) {
            struct hct_rank *k = &look.rank[r];

            k->calls += 2000;
            k->call = number_of("Sendrecv");
            k->site = 2;
            k->site_calls = k->calls;
            k->age_ns = MS / 10;
            k->out_ns += wait / 50;
            k->flags = stopped && r > 1 ? 0
                       : HCT_OBSERVED | HCT_PAGE | HCT_IN_MPI | HCT_RUNS;
        }
    }
    SAYS("ranks 0-3 have made the same calls at the same places for 1");
    assert_true(look.in.now_ns - back >= 12 * S);
}

/* On a machine so busy that a call takes milliseconds, and tasks are not seen for
 * seconds now and then: what counts is how much has been seen of them. */
static void same_calls_starved(void **state)
{
    static const struct { uint64_t calls; bool computes; } cases[] = {
        { 200, false }, { 9, false }, { 200, true } };

    (void)state;
    for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
        uint64_t began, passed = 0;
        bool found = false;

        start(4, NULL, 0);
        began = look.in.now_ns;
        for (unsigned n = 0; !found && passed < 400 * S; n++) {
            uint64_t wait = see();

            found = look.out.nverdicts > 0;
            look.in.has_detail = !!(look.out.need & HCT_NEED_DETAIL);
            wait = n % 9 ? wait : 3 * S;
            look.in.now_ns += wait;
            passed = look.in.now_ns - began;
            for (uint32_t r = 0; r < 4; r++) {
                struct hct_rank *k = &look.rank[r];

                k->calls += cases[i].calls * wait / S;
                k->call = number_of("Sendrecv");
                k->site = 2;
                k->site_calls = k->calls;
                k->age_ns = 5 * MS;
                k->out_ns += cases[i].computes ? wait / 8 : wait / 5000;
                k->flags |= HCT_IN_MPI;
            }
        }
        assert_int_equal(found, i == 0);
        if (found)              /* 12,000 calls, while somebody looked */
            assert_true(passed > 120 * S);
    }
}

/* An early one in calls of which nothing can be proved: a notice, too. */
static void for_each_other(void **state)
{
    static const char *const calls[] = {
        "Intercomm_create", "Comm_create_group", "Comm_accept", "File_open",
    };

    (void)state;
    for (size_t i = 0; i < sizeof(calls) / sizeof(calls[0]); i++) {
        uint64_t after;

        start(4, NULL, 0);
        for (uint32_t r = 0; r < 4; r++) {
            joins(r, calls[i], WORLD, 1, HCT_NONE);
            look.rank[r].cpu_ns = look.rank[r].own_cpu_ns = S;
            works[r].all = works[r].own = 1;
        }
        after = noticed(1300 * S);
        assert_int_equal(look.verdicts[0].where, HCT_WHERE_COMMUNICATION);
        assert_true(after >= 11 * S && after < 14 * S);
        SAYS("nothing has moved for 12");
        SAYS(calls[i]);
        assert_int_equal(stand(3600 * S), 3600 * S);
    }
}

static void sleeps_in_the_kernel(void **state)
{
    (void)state;
    start(4, NULL, 0);
    run(20 * S);
    without_two(9);
    look.rank[2].flags |= HCT_SLEEPS;
    snprintf(look.rank[2].wchan, sizeof(look.rank[2].wchan), "nfs_wait_bit");
    noticed(100 * S);
    SAYS("in uninterruptible sleep in nfs_wait_bit");
    assert_int_equal(stand(3600 * S), 3600 * S);
}

/* Who waits for a signal is not stalled by the system: outside of MPI, inside,
 * and while the others begin. */
static void sleeps_for_good(void **state)
{
    uint64_t after;

    (void)state;
    start(8, NULL, 0);
    run(20 * S);
    without_two(100);
    look.rank[2].flags |= HCT_PAUSES;
    after = stand(100 * S);
    assert_true(after >= 1400 * MS && after < 2 * S);
    assert_int_equal(look.verdicts[0].where, HCT_WHERE_COMPUTATION);
    assert_int_equal(look.blamed[0], 2);
    SAYS("and sleeps until a signal comes");

    start(8, NULL, 0);
    run(20 * S);
    without_two(100);
    joins(2, "Allreduce", WORLD, 100, HCT_NONE)->flags |= HCT_PAUSES;
    for (uint32_t i = 0; i < look.in.ncomms; i++)
        look.comm[i].collectives = 100;
    after = stand(100 * S);
    assert_true(after >= 1400 * MS && after < 2 * S);
    assert_int_equal(look.verdicts[0].kind, HCT_HANG);
    assert_int_equal(look.verdicts[0].where, HCT_WHERE_COMMUNICATION);
    assert_int_equal(look.verdicts[0].nranks, 1);
    assert_int_equal(look.blamed[0], 2);
    SAYS("rank 2 sleeps in MPI, and the others wait");
    SAYS("ranks 0-1,3-7 wait in MPI_Allreduce");

    start(8, NULL, 0);                  /* it has, and a signal came */
    run(20 * S);
    without_two(100);
    look.rank[2].flags |= HCT_PAUSES;
    look.rank[2].site_calls = 0;        /* where it has not been before */
    assert_int_equal(stand(5 * S), 5 * S);
    look.rank[2].flags &= (uint16_t)~HCT_PAUSES;
    run(20 * S);
    without_two(200);
    look.rank[2].flags |= HCT_PAUSES;
    after = stand(100 * S);
    assert_true(after >= 19 * S && after < 22 * S);

    start(4, NULL, 0);
    for (uint32_t r = 0; r < 4; r++)
        look.rank[r].life = HCT_LIFE_INIT;
    assert_int_equal(stand(3600 * S), 3600 * S);
    look.rank[1].flags |= HCT_PAUSES;
    after = stand(100 * S);
    assert_true(after > 5 * S && after < 7 * S);
    assert_int_equal(look.blamed[0], 1);
}

/* Others go on: it hangs all the same, and comes back itself or not at all. */
static void sleeps_alone(void **state)
{
    uint64_t began;

    (void)state;
    start(4, NULL, 0);
    run(20 * S);
    joins(2, "Send", WORLD, 0, HCT_NONE)->flags |= HCT_PAUSES;
    look.rank[2].age_ns = 0;
    began = look.in.now_ns;
    while (look.in.now_ns < began + 20 * S) {
        uint64_t wait = see();

        if (look.out.nverdicts)
            break;
        look.in.now_ns += wait;
        for (uint32_t r = 0; r < 4; r++) {
            look.rank[r].calls += r == 2 ? 0 : 5;
            look.rank[r].age_ns = r == 2 ? look.in.now_ns - began : MS;
        }
    }
    assert_int_equal(look.out.nverdicts, 1);
    assert_true(look.in.now_ns - began > 5 * S);
    assert_int_equal(look.verdicts[0].kind, HCT_HANG);
    assert_int_equal(look.blamed[0], 2);
    SAYS("rank 2 hangs");
    look.in.now_ns += S;
    look.rank[1].calls += 5;
    see();
    assert_int_equal(look.out.nverdicts, 0);
    look.in.now_ns += S;
    look.rank[2].calls += 5;
    look.rank[2].age_ns = 0;
    see();
    assert_int_equal(look.out.nverdicts, 1);
    assert_int_equal(look.verdicts[0].kind, HCT_PROGRESS);
}

/* Two have waited for each other for long, one of them in a loop; a third one that
 * comes to wait for them does not put it off. */
static void waits_for_who_asks(void **state)
{
    uint64_t began;

    (void)state;
    start(3, NULL, 0);
    run(20 * S);
    world(0);
    is_in(0, "Test");
    asks(0, "Irecv", 1, 7)->waited = 0;
    for (int i = 0; i < 5; i++)
        flew(0, "Test", 0, 0, HCT_NONE, HCT_NONE);
    talks(1, "Recv", 0, 1)->calls++;
    look.rank[1].age_ns = 0;
    look.out.nverdicts = 0;
    began = look.in.now_ns;
    while (look.in.now_ns < began + 30 * S) {
        uint64_t wait = see();

        if (look.out.nverdicts)
            break;
        look.in.has_detail = !!(look.out.need & HCT_NEED_DETAIL);
        look.in.now_ns += wait;
        asks_on(wait);
        if (look.in.now_ns < began + 8 * S) {
            look.rank[2].calls += 100;
            look.rank[2].age_ns = 0;
        } else if (!(look.rank[2].flags & HCT_IN_MPI)) {
            talks(2, "Recv", 1, 3)->calls++;
            look.rank[2].age_ns = 0;
        }
    }
    assert_int_equal(look.out.nverdicts, 1);
    assert_int_equal(look.verdicts[0].kind, HCT_NOTICE);
    assert_true(look.in.now_ns - began < 15 * S);
    SAYS("ranks 0-1 have waited for each other for 12");
}

/* A task that asks for a message of its own, while others go on. */
static void asks_itself(void **state)
{
    uint64_t began;

    (void)state;
    start(3, NULL, 0);
    run(20 * S);
    world(0);
    is_in(2, "Test");
    asks(2, "Irecv", 2, 7)->waited = 0;
    for (int i = 0; i < 5; i++)
        flew(2, "Test", 0, 0, HCT_NONE, HCT_NONE);
    began = look.in.now_ns;
    while (look.in.now_ns < began + 30 * S) {
        uint64_t wait = see();

        if (look.out.nverdicts)
            break;
        look.in.has_detail = !!(look.out.need & HCT_NEED_DETAIL);
        look.in.now_ns += wait;
        for (uint32_t r = 0; r < 3; r++) {
            look.rank[r].calls += 100;
            look.rank[r].polls += r == 2 ? 100 : 0;
            look.rank[r].age_ns = MS;
        }
    }
    assert_int_equal(look.out.nverdicts, 1);
    assert_int_equal(look.verdicts[0].kind, HCT_NOTICE);    /* it may stop */
    assert_true(look.verdicts[0].score == 0);
    assert_true(look.in.now_ns - began > 12 * S);
    assert_int_equal(look.blamed[0], 2);
    SAYS("rank 2 has waited for itself for 12");
}

/* Work is told from a stall by the processor time it takes. */
static void overworked(void **state)
{
    (void)state;
    for (int busy = 0; busy < 2; busy++) {
        uint64_t after;

        start(8, NULL, 0);
        run(60 * S);
        without_two(100);
        look.rank[2].own_cpu_ns = 5 * S;
        works[2].own = busy ? 0.9 : 0.01;
        after = stand(100 * S);
        assert_true(busy ? after > 2 * S && after < 3 * S
                          : after > 5 * S && after < 7 * S);
        assert_int_equal(look.blamed[0], 2);
    }
    /* Of a young job nobody knows what it does in the long run. */
    start(8, NULL, 0);
    run(6 * S);
    without_two(100);
    look.rank[2].own_cpu_ns = 5 * S;
    works[2].own = 1;
    assert_int_equal(stand(5 * S), 5 * S);
}

/* One that asks for the time again and again is not at the place where it
 * has asked so often before: it writes, say, and looks at the clock. */
static void looks_at_the_clock(void **state)
{
    (void)state;
    start(4, NULL, 0);
    run(20 * S);
    without_two(9);
    look.rank[2].call = number_of("Wtime");
    look.rank[2].site_calls = 1000;
    for (uint64_t t = 0; t < 50 * S;) {
        uint64_t wait = see();

        for (uint32_t i = 0; i < look.out.nverdicts; i++)
            assert_int_equal(look.verdicts[i].kind, HCT_NOTICE);
        look.in.has_detail = !!(look.out.need & HCT_NEED_DETAIL);
        look.in.now_ns += wait;
        t += wait;
        for (uint32_t r = 0; r < 4; r++)
            look.rank[r].age_ns += r == 2 ? 0 : wait;
        look.rank[2].calls += 10;
        look.rank[2].polls += 10;
        look.rank[2].site_calls += 10;
        look.rank[2].age_ns = 20 * MS;
    }
}

/* The method as published, on the same looks. */
static void parastack(void **state)
{
    (void)state;
    for (int mode = 1; mode <= 3; mode++) {
        uint64_t after;

        start(32, "mode", mode);
        run(120 * S);
        without_two(50);
        after = stand(3600 * S);
        assert_true(after > S && after < 60 * S);
        assert_int_equal(look.verdicts[0].kind, HCT_HANG);
        assert_int_equal(look.verdicts[0].where, HCT_WHERE_COMPUTATION);
        assert_int_equal(look.verdicts[0].nranks, 1);
        assert_int_equal(look.blamed[0], 2);
    }
}

/* Somebody steps on, while few are outside. */
static void transient(void **state)
{
    bool slow = false;

    (void)state;
    start(32, "mode", 2);
    run(120 * S);
    without_two(50);
    for (unsigned i = 0; i < 2000; i++) {
        look.in.now_ns += see();
        for (uint32_t j = 0; j < look.out.nverdicts; j++) {
            assert_int_equal(look.verdicts[j].kind, HCT_SLOWDOWN);
            slow = true;
        }
        look.rank[5].call = number_of(i % 2 ? "Send" : "Recv");
    }
    assert_true(slow);
}

/* Tasks that are known by their stacks, which are looked at each 400 ms, for
 * so long; in or out of MPI by chance at first, one of so many times alike; one
 * rank stays outside from hung_ns on, or none, and the others in a call. Returns
 * when something was found, after that. */
enum { NOBODY = RANKS };

static unsigned of_times = 4;
static bool out_once;           /* out once in so many times, not in */

static uint64_t by_stacks(uint32_t nstacks, uint64_t ns, uint64_t hung_ns,
                          uint32_t outside)
{
    uint64_t begin = look.in.now_ns, stacked = 0;

    for (uint64_t passed; (passed = look.in.now_ns - begin) < ns;) {
        bool fresh = passed - stacked >= 400 * MS, hung = passed >= hung_ns;
        uint64_t wait = see();

        look.in.has_detail = !!(look.out.need & HCT_NEED_DETAIL);
        if (look.out.nverdicts && look.verdicts[0].kind != HCT_SLOWDOWN)
            return passed;
        look.in.now_ns += wait;
        for (uint32_t r = 0; r < look.in.nranks; r++) {
            struct hct_rank *k = &look.rank[r];
            bool stack = r < nstacks;
            bool once = (passed / MS * 2654435761u >> (r + 7)) % of_times == 0;
            bool in = hung ? r != outside : once != out_once;

            k->age_ns += wait;
            if (stack ? !fresh : hung && in == !!(k->flags & HCT_IN_MPI))
                continue;
            k->age_ns = stack ? 20 * MS : 0;
            k->flags = (uint16_t)(HCT_OBSERVED |
                (stack ? HCT_STACK : HCT_PAGE) | (in ? HCT_IN_MPI : 0));
            k->call = number_of("Allreduce");
            k->sample += stack;
            k->calls += !stack;
        }
        if (fresh)
            stacked = passed;
    }
    return UINT64_MAX;
}

/* Mode 0 has no counters then, and is ParaStack's. */
static void without_pages(void **state)
{
    (void)state;
    for (uint32_t nstacks = 4; nstacks <= 8; nstacks += 4) {
        uint64_t after;

        start(8, NULL, 0);
        for (uint32_t r = 0; r < 8; r++)
            look.rank[r].calls = 0;
        assert_true(by_stacks(nstacks, 600 * S, UINT64_MAX, 2) == UINT64_MAX);
        after = by_stacks(nstacks, 600 * S, 0, 2);
        assert_true(after > 2 * S && after < 60 * S);
        assert_int_equal(look.verdicts[0].kind, HCT_HANG);
        assert_int_equal(look.verdicts[0].where, HCT_WHERE_COMPUTATION);
        assert_int_equal(look.verdicts[0].nranks, 1);
        assert_int_equal(look.blamed[0], 2);
        SAYS("rank 2 is outside of MPI, after MPI_Allreduce");
        SAYS(nstacks == 8 ? "states come from stacks, looked at now and then: "
                            "ranks 0-7 have no wrapper library"
                          : "ranks 0-3 have no wrapper library");
    }
}

/* Where nobody is often out what the model takes to be low is that: one that is
 * out for ever would hide that the others hang. Section 3.3, the corner case. */
static void rarely_out(void **state)
{
    (void)state;
    out_once = true;
    for (of_times = 3; of_times <= 6; of_times++) {
        uint64_t after;

        start(4, NULL, 0);
        for (uint32_t r = 0; r < 4; r++)
            look.rank[r].calls = 0;
        assert_true(by_stacks(4, 600 * S, UINT64_MAX, 2) == UINT64_MAX);
        after = by_stacks(4, 600 * S, 0, 2);
        assert_true(after > 2 * S && after < 120 * S);
        assert_int_equal(look.verdicts[0].kind, HCT_HANG);
        assert_int_equal(look.verdicts[0].nranks, 1);
        assert_int_equal(look.blamed[0], 2);
        SAYS("hang in the computation: rank 2 out of MPI in");
    }
    of_times = 4;
    out_once = false;
}

/* All of them wait in MPI, on one node or on two, or nobody knows: between two
 * the network may keep what they wait for, and what they have sent is not
 * known. One that is outside is not held up by it. */
static void without_pages_on_nodes(void **state)
{
    (void)state;
    for (uint32_t nodes = 0; nodes <= 2; nodes++) {
        uint64_t after;

        start(8, NULL, 0);
        for (uint32_t r = 0; r < 8; r++)
            look.rank[r].node = nodes ? 1 + r % nodes : 0;
        assert_true(by_stacks(8, 600 * S, UINT64_MAX, NOBODY) == UINT64_MAX);
        after = by_stacks(8, 600 * S, 0, NOBODY);
        assert_int_equal(look.verdicts[0].where, HCT_WHERE_COMMUNICATION);
        if (nodes < 2) {
            assert_true(after > 2 * S && after < 60 * S);
            assert_int_equal(look.verdicts[0].kind, HCT_HANG);
            SAYS("hang in the communication");
            continue;
        }
        assert_true(after >= 12 * S && after < 120 * S);
        assert_int_equal(look.verdicts[0].kind, HCT_NOTICE);
        assert_int_equal(look.verdicts[0].nlines, 1);
        assert_true(look.verdicts[0].score == 0);
        assert_int_equal(look.out.nproposals, 0);
        SAYS("a message between nodes may be under way: the network may lose "
             "packets");
        assert_true(by_stacks(8, 600 * S, 0, NOBODY) == UINT64_MAX);
        assert_true(by_stacks(8, 7200 * S, 0, 5) < 7200 * S);
        assert_int_equal(look.verdicts[0].kind, HCT_HANG);
        assert_int_equal(look.verdicts[0].where, HCT_WHERE_COMPUTATION);
        assert_int_equal(look.blamed[0], 5);
    }
}

/* Who has no counters may move unseen, however long the others wait. */
static void unseen(void **state)
{
    (void)state;
    start(8, NULL, 0);
    for (uint32_t r = 0; r < 8; r++)
        is_in(r, "Allreduce");
    while (look.in.now_ns < 3000 * S) {
        uint64_t wait = see();

        assert_int_equal(look.out.nverdicts, 0);
        look.in.now_ns += wait;
        for (uint32_t r = 0; r < 8; r++) {
            look.rank[r].age_ns += wait;
            if (r >= 4)
                continue;
            look.rank[r].flags = HCT_OBSERVED | HCT_STACK | HCT_IN_MPI;
            look.rank[r].age_ns = 0;
            look.rank[r].sample++;
        }
    }
}

/* What was counted does not count again: if nobody looks at a stack any more,
 * nothing is known. */
static void old_stacks(void **state)
{
    (void)state;
    start(8, "mode", 2);
    assert_true(by_stacks(8, 60 * S, UINT64_MAX, 2) == UINT64_MAX);
    for (uint32_t r = 0; r < 8; r++) {
        look.rank[r].flags |= HCT_IN_MPI;
        look.rank[r].sample++;
        look.rank[r].age_ns = 0;
    }
    assert_true(stand(600 * S) >= 600 * S);
}

/* The others may be waiting for one that nothing is known of. */
static void no_proof(void **state)
{
    (void)state;
    for (int stack = 0; stack < 2; stack++) {
        start(3, NULL, 0);
        talks(0, "Recv", 1, 7);
        talks(1, "Recv", 0, 7);
        is_in(2, "Barrier");
        world(0);
        if (stack) {
            look.rank[1].flags = HCT_OBSERVED | HCT_STACK | HCT_IN_MPI;
            look.rank[1].sample = 1;
        }
        assert_true(stack ? stand(60 * S) == 60 * S : stand(60 * S) < 2 * S);
    }
}

/* The same looks give the same bytes. */
static void same_again(void **state)
{
    static struct hct_verdict first;
    static char said[8192];
    uint64_t after[2];

    (void)state;
    for (int i = 0; i < 2; i++) {
        start(8, NULL, 0);
        run(20 * S);
        without_two(100);
        after[i] = stand(100 * S);
        if (i == 0) {
            first = look.verdicts[0];
            memcpy(said, text, sizeof(said));
        }
    }
    assert_int_equal(after[0], after[1]);
    assert_memory_equal(&first, &look.verdicts[0], sizeof(first));
    assert_string_equal(said, text);
}

/* A host with little room: nothing is written beyond it. */
static void little_room(void **state)
{
    (void)state;
    start(8, NULL, 0);
    run(20 * S);
    without_two(100);
    for (unsigned i = 0; i < 200; i++) {
        look_empty_out();
        look.out.lines_max = look.out.ranks_max = look.out.proposals_max = 0;
        look.out.verdicts_max = i % 2;
        assert_int_equal(policy->step(model, &look.in, &look.out), 0);
        if (look.out.lost)
            break;
        for (uint32_t r = 0; r < look.in.nranks; r++)
            look.rank[r].age_ns += look.out.wake_ns - look.in.now_ns;
        look.in.now_ns = look.out.wake_ns;
    }
    assert_true(look.out.lost > 0);
}

static void room_for_a_million(void **state)
{
    const struct hct_job job = { .size = sizeof(job), .nranks = 1048576 };
    double param[HCT_PARAMS_MAX] = { 0 };

    (void)state;
    assert_true(policy->state_bytes(&job, param) <= HCT_STATE_MAX);
}

int main(int argc, char **argv)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(computation),
        cmocka_unit_test(communication),
        cmocka_unit_test(network), cmocka_unit_test(no_network),
        cmocka_unit_test(deadlock_at_once),
        cmocka_unit_test(moves_again), cmocka_unit_test(gives_up),
        cmocka_unit_test(asked_once),
        cmocka_unit_test(no_processor),
        cmocka_unit_test(needs_a_processor),
        cmocka_unit_test(proven_after_a_hang),
        cmocka_unit_test(woke_as_it_was_read),
        cmocka_unit_test(threads_need_a_processor),
        cmocka_unit_test(much_and_starved),
        cmocka_unit_test(the_last_one_comes),
        cmocka_unit_test(deadlock_of_some),
        cmocka_unit_test(excused),
        cmocka_unit_test(loops),
        cmocka_unit_test(asks_under_load),
        cmocka_unit_test(miscounted),
        cmocka_unit_test(torn),
        cmocka_unit_test(new_place),
        cmocka_unit_test(waited_by_request),
        cmocka_unit_test(no_stack),
        cmocka_unit_test(notices_get_rare),
        cmocka_unit_test(sleeps_for),
        cmocka_unit_test(long_names),
        cmocka_unit_test(starved),
        cmocka_unit_test(hungry),
        cmocka_unit_test(naps),
        cmocka_unit_test(long_call),
        cmocka_unit_test(first_and_last),
        cmocka_unit_test(same_calls),
        cmocka_unit_test(same_calls_unseen),
        cmocka_unit_test(same_calls_starved),
        cmocka_unit_test(for_each_other),
        cmocka_unit_test(sleeps_in_the_kernel),
        cmocka_unit_test(sleeps_for_good),
        cmocka_unit_test(sleeps_alone),
        cmocka_unit_test(waits_for_who_asks),
        cmocka_unit_test(asks_itself),
        cmocka_unit_test(overworked),
        cmocka_unit_test(looks_at_the_clock),
        cmocka_unit_test(parastack),
        cmocka_unit_test(transient),
        cmocka_unit_test(without_pages),
        cmocka_unit_test(rarely_out),
        cmocka_unit_test(without_pages_on_nodes),
        cmocka_unit_test(old_stacks),
        cmocka_unit_test(unseen),
        cmocka_unit_test(no_proof),
        cmocka_unit_test(same_again),
        cmocka_unit_test(little_room),
        cmocka_unit_test(room_for_a_million),
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
