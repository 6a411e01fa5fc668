/* test_parcels.c - the proof of deadlocks in calls in which each member gives each
 * other one an amount of its own: MPI_Gatherv, Scatterv, Alltoallv. */
#include "tests/unit/proof.h"

#include "master/watch/callclass.h"
#include "policies/deadlock/deadlock.h"

enum { TASKS = 4 };

static struct deadlock_rank work[TASKS];
static char text[8192];

static uint32_t proof(uint64_t still_ns)
{
    uint32_t n = proof_of(work, still_ns, -1);

    text[0] = '\0';
    for (uint32_t i = 0; i < look.out.nlines; i++)
        snprintf(text + strlen(text), sizeof(text) - strlen(text), "%s\n",
                 look.lines[i].text);
    return n;
}

#define SAYS(what) \
    do { \
        if (!strstr(text, what)) \
            fail_msg("\"%s\" is not in:\n%s", what, text); \
    } while (0)

/* Rank "from" gives so many bytes more to rank "to" in the second call on the
 * world, or takes them from it. */
static struct hct_comm *row(uint32_t r)
{
    for (uint32_t i = 0; i < look.in.ncomms; i++)
        if (look.comm[i].rank == r)
            return &look.comm[i];
    fail();
    return NULL;
}

static void gives(uint32_t from, uint32_t to, uint64_t bytes)
{
    row(from)->gives += bytes;
    row(from)->gives_to += bytes * (to + 1);
}

static void takes(uint32_t to, uint32_t from, uint64_t bytes)
{
    row(to)->takes += bytes;
    row(to)->takes_from += bytes * (from + 1);
}

/* All ranks have entered it; the first of them are in it, the others wait for a
 * message of rank 0. All give 100 bytes to rank 0. */
static void gathers(const char *call, uint32_t in)
{
    look_at(TASKS);
    for (uint32_t r = 0; r < TASKS; r++) {
        struct hct_comm *c = member(r, WORLD, TASKS, 2, call);

        c->local = r;
        c->parcels_in = 2;
        if (r < in)
            joins(r, call, WORLD, 2, strcmp(call, "Alltoallv") ? 0 : HCT_NONE);
        else
            talks(r, "Recv", 0, 7);
        if (r < in)
            continue;
        flew(r, call, WORLD, 2, 0, HCT_NONE);
    }
    for (uint32_t r = 1; r < TASKS; r++) {
        gives(r, 0, 100);
        takes(0, r, 100);
    }
}

static void one_gives_nothing(void **state)
{
    (void)state;
    gathers("Gatherv", 1);
    assert_int_equal(proof(20 * S), 0);         /* it fits, and may be slow */
    gives(2, 0, (uint64_t)-100);
    assert_int_equal(proof(20 * S), TASKS);
    SAYS("deadlock: what rank 2 gives to rank 0 in one collective call is not "
         "what that takes");
    SAYS("rank 0 has entered MPI_Gatherv as collective call 2 of "
         "MPI_COMM_WORLD, and takes 100 bytes more from rank 2 than that gives");
    SAYS("rank 2 entered MPI_Gatherv as the same call");
}

static void one_gives_much(void **state)
{
    (void)state;
    gathers("Gatherv", 3);
    gives(2, 0, 100000);
    assert_int_equal(proof(20 * S), TASKS);
    SAYS("what rank 2 gives to rank 0 in one collective call");
    SAYS("rank 2 entered MPI_Gatherv as the same call");
    SAYS("rank 0 has entered MPI_Gatherv as collective call 2 of "
         "MPI_COMM_WORLD, and takes 100000 bytes less from rank 2");
}

/* Who waits besides is not to blame. */
static void between_two_of_all(void **state)
{
    (void)state;
    gathers("Alltoallv", 4);
    takes(3, 1, 1);
    assert_int_equal(proof(20 * S), TASKS);
    SAYS("what rank 1 gives to rank 3 in one collective call");
    SAYS("rank 1 has entered MPI_Alltoallv as collective call 2 of "
         "MPI_COMM_WORLD, and gives 1 byte less to rank 3 than that takes");
    assert_int_equal(look.verdicts[0].nranks, 2);
}

static void several_do_not_fit(void **state)
{
    (void)state;
    gathers("Alltoallv", 4);
    takes(3, 1, 100);
    takes(2, 0, 1000);
    assert_int_equal(proof(20 * S), TASKS);
    SAYS("what members give each other in one collective call is not what they "
         "take");
    gathers("Alltoallv", 4);            /* the same sum, but not each */
    takes(3, 1, 100);
    gives(2, 3, 100);
    assert_int_equal(proof(20 * S), TASKS);
    SAYS("what members give each other");
}

/* The same, but it may go on, or is not known. */
static void without_proof(void **state)
{
    (void)state;
    gathers("Gatherv", 1);
    gives(2, 0, (uint64_t)-100);
    row(3)->parcels_in = 1;             /* of another call */
    assert_int_equal(proof(20 * S), 0);
    row(3)->parcels_in = 2;
    assert_int_equal(proof(1 * S), 0);  /* not for long enough */
    row(1)->age_ns = 1 * S;             /* it has come just now */
    assert_int_equal(proof(20 * S), 0);
    row(1)->age_ns = 100 * S;
    look.account[3].node = 2;           /* over a network it may come yet */
    assert_int_equal(proof(20 * S), 0);
    look.account[3].node = 1;
    look.rank[3].flags &= (uint16_t)~HCT_IN_MPI;        /* computes */
    assert_int_equal(proof(20 * S), 0);
    look.rank[3].flags |= HCT_IN_MPI;
    gives(3, 0, 1000000000);            /* nor for so much */
    takes(0, 3, 1000000000);
    assert_int_equal(proof(20 * S), 0);
    assert_int_equal(proof(500 * S), 0);        /* ... since it was entered */
    for (uint32_t r = 0; r < TASKS; r++)
        row(r)->age_ns = 500 * S;
    assert_int_equal(proof(500 * S), TASKS);
}

/* Two groups: there is no number for a pair. */
static void two_groups(void **state)
{
    (void)state;
    gathers("Alltoallv", 4);
    takes(3, 1, 100);
    for (uint32_t r = 0; r < TASKS; r++) {
        row(r)->size = 2;
        row(r)->remote_size = 2;
    }
    assert_int_equal(proof(20 * S), 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(one_gives_nothing),
        cmocka_unit_test(one_gives_much),
        cmocka_unit_test(between_two_of_all),
        cmocka_unit_test(several_do_not_fit),
        cmocka_unit_test(without_proof),
        cmocka_unit_test(two_groups),
    };

    cmocka_set_message_output(CM_OUTPUT_TAP);
    return cmocka_run_group_tests(tests, NULL, NULL);
}
