/* test_deadlock_many.c - the deadlock proof for many ranks: what it says, and
 * that its work grows as their number does, and not as the square of that. */
#define LOOK_RANKS 20000
#include "tests/unit/look.h"

#include <inttypes.h>
#include <time.h>

#include "master/watch/callclass.h"
#include "policies/deadlock/deadlock.h"
#include "policies/deadlock/transit.h"

#define SUB 0xabcdu

static struct deadlock_rank work[RANKS];
static const struct deadlock_limits limits = {
    .still_ns = 300 * MS, .asleep_ns = 5 * S, .small_ns = 2 * S,
    .spin_ns = 3 * S,
};

static double cpu_ms(void)
{
    struct timespec t;

    clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &t);
    return (double)t.tv_sec * 1e3 + (double)t.tv_nsec / 1e6;
}

/* How many are in the deadlock. No more than so many looks at each entry. */
static uint32_t proof(const char *what, uint64_t most)
{
    uint64_t steps = 0, entries;
    uint32_t n;
    double before;

    look_sort();
    look_account();
    look_empty_out();
    memset(work, 0, sizeof(work));
    for (uint32_t r = 0; r < look.in.nranks; r++)
        work[r].still_ns = work[r].span_ns = look.rank[r].age_ns
            ? look.rank[r].age_ns : 500 * MS;
    before = cpu_ms();
    n = deadlock_set(&look.in, work, &limits, &steps);
    entries = look.in.nranks + look.in.ncomms + look.in.nrequests;
    printf("# %s: %" PRIu64 " steps for %" PRIu64 " entries, %.1f ms\n", what,
           steps, entries, cpu_ms() - before);
    if (steps > most * entries)
        fail_msg("%s: %" PRIu64 " steps for %" PRIu64 " entries", what, steps,
                 entries);
    if (n)
        deadlock_say(&look.in, work, &look.out);
    return n;
}

#define SAYS(what) \
    do { \
        bool said = false; \
        for (uint32_t i = 0; i < look.out.nlines; i++) \
            said |= strstr(look.lines[i].text, what) != NULL; \
        if (!said) \
            fail_msg("\"%s\" is not in what begins with: %s", what, \
                     look.out.nlines ? look.lines[0].text : ""); \
    } while (0)

static void all_join(const char *call, int root)
{
    look_at(RANKS);
    for (uint32_t r = 0; r < RANKS; r++)
        joins(r, call, WORLD, 4, root);
}

static void all_in_one_call(void **state)
{
    (void)state;
    all_join("Allreduce", HCT_NONE);
    world(3);
    assert_int_equal(proof("all in one call", 8), 0);
    all_join("Bcast", 7);
    world(3);
    assert_int_equal(proof("all in one call with a root", 8), 0);
}

static void one_computes(void **state)
{
    (void)state;
    all_join("Allreduce", HCT_NONE);
    look.rank[9999].flags &= (uint16_t)~HCT_IN_MPI;
    look.rank[9999].collective = 0;
    world(3);
    assert_int_equal(proof("one computes", 8), 0);
}

static void one_waits_elsewhere(void **state)
{
    (void)state;
    all_join("Allreduce", HCT_NONE);
    look.rank[9999].collective = 0;
    talks(9999, "Recv", 3, 7);
    world(3);
    assert_int_equal(proof("one waits elsewhere", 8), RANKS);
    SAYS("rank 3 waits in MPI_Allreduce for rank 9999, which has not entered "
         "collective call 4");
}

static void another_call(void **state)
{
    (void)state;
    all_join("Barrier", HCT_NONE);
    joins(RANKS - 1, "Allreduce", WORLD, 4, HCT_NONE);
    world(3);
    assert_int_equal(proof("one in another call", 10), RANKS);
    SAYS("rank 0 has entered MPI_Barrier as collective call 4");
    SAYS("rank 19999 entered MPI_Allreduce as the same call");
    all_join("Bcast", 7);
    look.rank[RANKS - 1].peer = 8;
    for (uint32_t r = 0; r < RANKS; r++)
        look.rank[r].age_ns = 3 * S;
    world(3);
    assert_int_equal(proof("one with another root", 10), RANKS);
    SAYS("rank 19999 entered MPI_Bcast with root 8 as the same call");
}

/* A farm whose tasks ask for work or results from any of the others, all but
 * the last one, which is not in it. */
static void farm(int source)
{
    look_at(RANKS);
    for (uint32_t r = 0; r < RANKS - 1; r++) {
        talks(r, "Recv", r ? source : HCT_ANY, 5)->comm = SUB;
        member(r, SUB, RANKS - 1, 0, NULL);
    }
    world(0);
}

static void any_source(void **state)
{
    (void)state;
    farm(0);
    assert_int_equal(proof("a farm", 8), RANKS - 1);
    SAYS("rank 0 waits in MPI_Recv for a message from any rank (tag 5");
    SAYS("ranks 0-1 all wait for messages from each other");
    farm(HCT_ANY);
    look.rank[123].age_ns = 700 * MS;
    assert_int_equal(proof("all wait for any", 8), RANKS - 1);
    SAYS("ranks 0,123 all wait for messages from each other");
    farm(HCT_ANY);
    look.rank[RANKS - 2].flags &= (uint16_t)~HCT_IN_MPI;
    assert_int_equal(proof("all wait for any, one computes", 8), 0);
    farm(HCT_ANY);
    for (uint32_t r = 0; r < RANKS; r++)
        look.rank[r].comm = WORLD;
    assert_int_equal(proof("all wait for any of the world", 8), 0);
    talks(RANKS - 1, "Recv", 0, 5);
    assert_int_equal(proof("all wait, and the last one", 8), RANKS);
}

/* One's message has another tag. */
static void wrong_tag(void **state)
{
    (void)state;
    farm(HCT_ANY);
    for (uint32_t r = 0; r < RANKS - 2; r++)
        asks(r, "Issend", (int)r + 1, 6)->waited = 0;
    assert_int_equal(proof("all send with another tag", 8), RANKS - 1);
    look.request[100].comm = SUB;
    look.request[100].tag = 5;
    assert_int_equal(proof("all send, one as it is wanted", 8), 0);
}

/* Communicators of two, each rank in two of them. */
static void pairs(void **state)
{
    (void)state;
    look_at(RANKS);
    for (uint32_t r = 0; r < RANKS; r++) {
        uint32_t left = (r + RANKS - 1) % RANKS;

        joins(r, "Barrier", 0x10000 + r, 1, HCT_NONE);
        member(r, 0x10000 + r, 2, 1, NULL);
        member(r, 0x10000 + left, 2, 0, NULL);
    }
    assert_int_equal(proof("a ring of barriers", 10), RANKS);
    SAYS("collective calls on different communicators");
}

/* A chain that the last one will end, and the first one. */
static void chains(void **state)
{
    (void)state;
    for (int up = 0; up < 2; up++) {
        look_at(RANKS);
        for (uint32_t r = 1; r < RANKS - 1; r++)
            talks(r, "Recv", (int)r + (up ? 1 : -1), 5);
        world(0);
        assert_int_equal(proof(up ? "a chain up" : "a chain down", 8), 0);
    }
}

/* A chain that leads to one that has ended: its end is why all of them wait. Two
 * that wait for each other are named before. */
static void chain_to_the_end(void **state)
{
    (void)state;
    for (int two = 0; two < 2; two++) {
        look_at(RANKS);
        for (uint32_t r = 0; r < RANKS - 1; r++)
            talks(r, "Recv", (int)r + 1, 5);
        is_in(RANKS - 1, "Finalize");
        if (two)
            talks(RANKS - 2, "Recv", RANKS - 3, 5);
        if (two)
            talks(RANKS / 2, "Recv", RANKS - 1, 5);
        world(0);
        assert_int_equal(proof("a chain to the end", 8), RANKS - 1);
        if (two) {
            SAYS("ranks 19997-19998 all wait for messages from each other");
        } else {
            SAYS("rank 19998 waits for rank 19999, which has ended its part");
            SAYS("rank 19999 is in MPI_Finalize");
        }
    }
}

/* In a call that waits for nobody until its request is waited for: the last one
 * does not come, or makes another one. */
static void nonblocking(void **state)
{
    (void)state;
    for (int differs = 0; differs < 2; differs++) {
        look_at(RANKS);
        for (uint32_t r = 0; r < RANKS - 1; r++) {
            const char *call = differs && r == 7 ? "Ialltoall" : "Ibarrier";

            is_in(r, "Wait");
            asks(r, call, HCT_NONE, HCT_NONE)->collective = 5;
            member(r, WORLD, RANKS, 5, call);
        }
        is_in(RANKS - 1, "Finalize");
        member(RANKS - 1, WORLD, RANKS, 4, NULL);
        assert_int_equal(proof("requests of a call", 10),
                         differs ? 0 : RANKS - 1);
    }
}

/* Each in another call of one communicator, as far as the root is ahead. */
static void all_apart(void **state)
{
    (void)state;
    look_at(RANKS);
    for (uint32_t r = 0; r < RANKS; r++)
        joins(r, "Bcast", WORLD, 1 + r, 0);
    world(0);
    assert_int_equal(proof("each in another call", 10), 0);
}

/* All wait for anybody, while from far below and above something comes that fits
 * nobody: that is too much to look at, and nothing is said. */
static void too_much(void **state)
{
    uint64_t steps;

    (void)state;
    look_at(RANKS);
    for (uint32_t r = 0; r < RANKS; r++) {
        talks(r, "Recv", HCT_ANY, 5);
        sent(r, (int)((r + RANKS / 4) % RANKS), WORLD, 6);
        sent(r, (int)((r + RANKS / 4 * 3) % RANKS), WORLD, 6);
    }
    world(0);
    look_sort();
    look_account();
    memset(work, 0, sizeof(work));
    for (uint32_t r = 0; r < RANKS; r++)
        work[r].still_ns = work[r].span_ns = 500 * MS;
    assert_int_equal(deadlock_set(&look.in, work, &limits, &steps), 0);
    printf("# too much: %" PRIu64 " steps\n", steps);
    assert_true(steps > DEADLOCK_STEPS &&
                steps < DEADLOCK_STEPS + 8 * (uint64_t)RANKS);
}

/* Post, start, complete and wait: any member of the window may be meant. */
static void windows(void **state)
{
    (void)state;
    look_at(RANKS);
    for (uint32_t r = 0; r < RANKS; r++) {
        look.rank[r].age_ns = 20 * S;
        is_in(r, "Win_wait")->comm = 0xdddd;
        member(r, 0xdddd, RANKS, 0, NULL)->kind = HCT_KIND_WIN;
    }
    assert_int_equal(proof("a window", 8), RANKS);
    is_in(77, "Win_complete")->comm = 0xdddd;
    assert_int_equal(proof("a window, one completes", 8), 0);
}

/* On two nodes, in collective calls of more communicators than are kept in mind:
 * what comes of it is the network, in the end. */
static void under_way(void **state)
{
    enum { COLUMNS = 500 };
    uint64_t steps;
    struct transit t;

    (void)state;
    look_at(RANKS);
    for (uint32_t r = 0; r < RANKS; r++) {
        joins(r, "Allreduce", SUB + r % COLUMNS, 4, HCT_NONE);
        member(r, SUB + r % COLUMNS, RANKS / COLUMNS, 4, NULL);
    }
    look_sort();
    for (uint32_t r = 0; r < RANKS; r++)
        look.account[r].node = 1 + r % COLUMNS % 2;
    look_account();
    memset(work, 0, sizeof(work));
    for (uint32_t r = 0; r < RANKS; r++)
        work[r].still_ns = work[r].span_ns = 6 * S;
    deadlock_set(&look.in, work, &limits, &steps);
    t = transit_find(&look.in, work, &steps);
    printf("# under way: %" PRIu64 " steps for %u ranks\n", steps,
           (unsigned)RANKS);
    assert_int_equal(t.what, TRANSIT_PERHAPS);
    assert_true(steps < 300 * 2 * (uint64_t)RANKS);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(all_in_one_call),
        cmocka_unit_test(one_computes),
        cmocka_unit_test(one_waits_elsewhere),
        cmocka_unit_test(another_call),
        cmocka_unit_test(any_source),
        cmocka_unit_test(wrong_tag),
        cmocka_unit_test(pairs),
        cmocka_unit_test(chains),
        cmocka_unit_test(chain_to_the_end),
        cmocka_unit_test(nonblocking),
        cmocka_unit_test(all_apart),
        cmocka_unit_test(too_much),
        cmocka_unit_test(windows),
        cmocka_unit_test(under_way),
    };

    cmocka_set_message_output(CM_OUTPUT_TAP);
    return cmocka_run_group_tests(tests, NULL, NULL);
}
