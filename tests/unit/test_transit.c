/* test_transit.c - what may be under way between nodes, on looks made by hand:
 * tasks that the network may hold up, each beside one that waits for a task. */
#include "tests/unit/look.h"

#include "master/watch/callclass.h"
#include "policies/deadlock/transit.h"

static char text[TRANSIT_TEXT];

/* What may be under way; text is what is said of it. */
static struct transit found(void)
{
    static const struct deadlock_limits limits = {
        .still_ns = 300 * MS, .asleep_ns = 5 * S, .small_ns = 2 * S,
        .spin_ns = 3 * S,
    };
    static struct deadlock_rank work[RANKS];
    static struct hct_pair said[MANY];
    uint32_t pairs = look.in.npairs;
    struct transit t;
    uint64_t steps;

    look_sort();
    memcpy(said, look.pair, sizeof(said));
    look_account();
    memset(work, 0, sizeof(work));
    for (uint32_t r = 0; r < look.in.nranks; r++)
        work[r].still_ns = 6 * S;
    deadlock_set(&look.in, work, &limits, &steps);
    t = transit_find(&look.in, work, &steps);
    transit_text(text, &look.in, &t);
    memcpy(look.pair, said, sizeof(said));      /* a test may go on */
    look.in.npairs = pairs;
    return t;
}

/* The second half of them on another node, all in a barrier of their own that
 * is of no interest, as members of the world who have entered so many. */
static void begin(uint32_t n, uint64_t entered)
{
    look_at(n);
    for (uint32_t r = n / 2; r < n; r++)
        look.account[r].node = 2;
    world(entered);
}

static void finds(uint32_t what)
{
    struct transit t = found();

    if (t.what != what)
        fail_msg("found %u instead of %u: \"%s\"", t.what, what, text);
    assert_int_equal(what == TRANSIT_NOTHING, text[0] == '\0');
}

static void names(uint32_t from, uint32_t to)
{
    struct transit t = found();

    finds(TRANSIT_MESSAGE);
    assert_int_equal(t.from, from);
    assert_int_equal(t.to, to);
}

static void on_one_node(void)
{
    for (uint32_t r = 0; r < look.in.nranks; r++)
        look.account[r].node = 1;
}

static void receives(void **state)
{
    static const char *const calls[] = { "Recv", "Probe", "Mprobe" };

    (void)state;
    for (size_t i = 0; i < sizeof(calls) / sizeof(calls[0]); i++) {
        begin(4, 1);
        talks(0, calls[i], 2, 7);
        finds(TRANSIT_NOTHING);         /* nothing was sent */
        flew(2, "Send", WORLD, 0, 0, 8);
        sent(2, 0, WORLD, 8);
        finds(TRANSIT_NOTHING);         /* ... that fits */
        flew(2, "Send", WORLD, 0, 0, 7);
        sent(2, 0, WORLD, 7);
        names(2, 0);
        assert_string_equal(text, "; a message of rank 2 to rank 0, on another "
                            "node, is under way: the network may lose packets");
        look.rank[0].tag = HCT_ANY;
        names(2, 0);
        look.rank[0].peer = HCT_ANY;
        names(2, 0);
        on_one_node();
        finds(TRANSIT_NOTHING);
    }
    /* From its own node another one could send, and has not. */
    begin(4, 1);
    talks(0, "Recv", 1, 7);
    sent(2, 0, WORLD, 7);
    finds(TRANSIT_NOTHING);
    /* What is there is for a request that was made before. */
    begin(4, 1);
    talks(0, "Recv", 2, 7);
    asks(0, "Irecv", 2, 7)->waited = 0;
    sent(2, 0, WORLD, 7);
    finds(TRANSIT_NOTHING);
    sent(2, 0, WORLD, 7);
    names(2, 0);
}

/* What is received was under way; who is outside does not look for it. */
static void received_or_not_looked_for(void **state)
{
    (void)state;
    begin(4, 1);
    talks(0, "Recv", 2, 7);
    sent(2, 0, WORLD, 7);
    received(0, 2, WORLD, 7);
    finds(TRANSIT_NOTHING);
    begin(4, 1);
    asks(0, "Irecv", 2, 7)->waited = 0;
    sent(2, 0, WORLD, 7);
    finds(TRANSIT_NOTHING);
    look.rank[0].call = number_of("Irecv");
    finds(TRANSIT_NOTHING);
}

static void sends(void **state)
{
    (void)state;
    begin(4, 1);
    talks(0, "Send", 2, 7);             /* a megabyte that nobody asks for */
    finds(TRANSIT_NOTHING);
    asks(2, "Irecv", 0, 7)->waited = 0;
    names(0, 2);
    look.request[0].peer = HCT_ANY;
    names(0, 2);
    look.request[0].tag = 8;
    finds(TRANSIT_NOTHING);
    look.rank[0].bytes = 65536;         /* need not wait to be asked for */
    names(0, 2);
    look.account[0].eager_far = HCT_EAGER_UNKNOWN;
    finds(TRANSIT_PERHAPS);
    look.account[0].eager_far = 65536;
    look.rank[0].call = number_of("Ssend");
    finds(TRANSIT_NOTHING);
    on_one_node();
    look.request[0].tag = 7;
    finds(TRANSIT_NOTHING);
    /* It has got it, and the word of that may be under way. */
    begin(4, 1);
    talks(0, "Send", 2, 7);
    received(2, 0, WORLD, 7);
    finds(TRANSIT_PERHAPS);
}

/* Both parts are needed. */
static void sendrecv(void **state)
{
    (void)state;
    begin(2, 1);
    for (uint32_t r = 0; r < 2; r++) {
        talks(r, "Sendrecv", 1 - (int)r, 7);
        look.account[r].source_tag = 7;
    }
    finds(TRANSIT_MESSAGE);
    look.account[0].source_tag = look.account[1].source_tag = 8;
    finds(TRANSIT_NOTHING);
}

static void waits(void **state)
{
    static const struct { const char *call; bool all; } calls[] = {
        { "Waitall", true }, { "Waitany", false }, { "Waitsome", false },
        { "Testall", true }, { "Testany", false },
    };

    (void)state;
    for (size_t i = 0; i < sizeof(calls) / sizeof(calls[0]); i++) {
        begin(4, 1);
        is_in(0, calls[i].call);
        asks(0, "Irecv", 2, 7);
        asks(0, "Irecv", 3, 7);
        finds(TRANSIT_NOTHING);
        sent(2, 0, WORLD, 7);           /* the other one will never come */
        finds(calls[i].all ? TRANSIT_NOTHING : TRANSIT_MESSAGE);
        sent(3, 0, WORLD, 7);
        finds(TRANSIT_MESSAGE);
        look.in.nrequests = 1;          /* the other one found no room */
        sent(2, 0, WORLD, 7);
        finds(TRANSIT_MESSAGE);
    }
    /* One after the other, and seen between two questions. */
    begin(4, 1);
    is_in(0, "Test")->flags &= (uint16_t)~HCT_IN_MPI;
    asks(0, "Irecv", 2, 7)->waited = 0;
    asks(0, "Irecv", 3, 7)->waited = 0;
    look.rank[0].requests = 1;
    finds(TRANSIT_NOTHING);
    sent(2, 0, WORLD, 7);
    finds(TRANSIT_MESSAGE);
    /* Asks for what is not there yet. */
    begin(4, 1);
    is_in(0, "Iprobe")->flags &= (uint16_t)~HCT_IN_MPI;
    flew(0, "Iprobe", WORLD, 0, 3, 7)->left_ns = MS;
    finds(TRANSIT_NOTHING);
    sent(3, 0, WORLD, 7);
    names(3, 0);
}

static void collectives(void **state)
{
    (void)state;
    begin(4, 0);
    for (uint32_t r = 0; r < 4; r++)
        joins(r, "Barrier", WORLD, 5, HCT_NONE);
    for (uint32_t i = 0; i < 4; i++)
        look.comm[i].collectives = 5;
    finds(TRANSIT_COLLECTIVE);
    assert_string_equal(text, "; what MPI_Barrier sends between nodes may be "
                        "under way: the network may lose packets");
    look.comm[3].collectives = 4;       /* one has not come */
    look.rank[3].flags &= (uint16_t)~HCT_IN_MPI;
    finds(TRANSIT_NOTHING);
    /* Data of the root comes without it. */
    for (uint32_t r = 0; r < 3; r++)
        joins(r, "Bcast", WORLD, 5, 0);
    finds(TRANSIT_COLLECTIVE);
    look.comm[0].collectives = 4;       /* ... if that has come */
    look.rank[0].flags &= (uint16_t)~HCT_IN_MPI;
    finds(TRANSIT_NOTHING);
    /* The root needs all; of the others nobody knows whom they send to. */
    begin(4, 0);
    for (uint32_t r = 0; r < 3; r++)
        joins(r, "Reduce", WORLD, 5, 0);
    for (uint32_t i = 0; i < 3; i++)
        look.comm[i].collectives = 5;
    finds(TRANSIT_COLLECTIVE);
    look.rank[1].flags = look.rank[2].flags = HCT_OBSERVED | HCT_PAGE;
    finds(TRANSIT_NOTHING);
    /* Of members on one node it is another matter. */
    begin(4, 1);
    for (uint32_t r = 0; r < 2; r++) {
        member(r, 99, 2, 5, "Barrier");
        joins(r, "Barrier", 99, 5, HCT_NONE);
    }
    finds(TRANSIT_NOTHING);
    /* Nobody knows who is in it. */
    joins(0, "Intercomm_create", WORLD, 0, HCT_NONE);
    finds(TRANSIT_COLLECTIVE);
}

static void one_sided(void **state)
{
    static const char *const calls[] = { "Win_lock", "Win_unlock", "Win_flush",
                                         "Win_complete", "Win_wait" };

    (void)state;
    for (size_t i = 0; i < sizeof(calls) / sizeof(calls[0]); i++) {
        begin(4, 1);
        for (uint32_t r = 0; r < 4; r++)
            member(r, 99, 4, 1, "Win_create")->kind = HCT_KIND_WIN;
        is_in(0, calls[i])->comm = 99;
        look.rank[0].peer = HCT_NONE;
        finds(TRANSIT_ONE_SIDED);
        assert_non_null(strstr(text, "; what rank 0 waits for in MPI_Win_"));
        look.rank[0].peer = 1;          /* on its own node */
        finds(TRANSIT_NOTHING);
        look.rank[0].peer = 3;
        finds(TRANSIT_ONE_SIDED);
        on_one_node();
        finds(TRANSIT_NOTHING);
    }
}

/* Whose account is not known may be anywhere, and may have sent anything. */
static void no_account(void **state)
{
    (void)state;
    begin(2, 1);
    talks(0, "Recv", 1, 7);
    on_one_node();
    finds(TRANSIT_NOTHING);
    look.in.naccounts = 1;
    finds(TRANSIT_PERHAPS);
    look.rank[0].peer = HCT_ANY;
    finds(TRANSIT_PERHAPS);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(receives),
        cmocka_unit_test(received_or_not_looked_for),
        cmocka_unit_test(sends),
        cmocka_unit_test(sendrecv),
        cmocka_unit_test(waits),
        cmocka_unit_test(collectives),
        cmocka_unit_test(one_sided),
        cmocka_unit_test(no_account),
    };

    cmocka_set_message_output(CM_OUTPUT_TAP);
    return cmocka_run_group_tests(tests, NULL, NULL);
}
