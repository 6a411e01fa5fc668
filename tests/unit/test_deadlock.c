/* test_deadlock.c - the deadlock proof, on looks made by hand: deadlocks of
 * every kind, each with a correct look-alike that must be left alone. */
#include "tests/unit/look.h"

#include "master/watch/callclass.h"
#include "policies/deadlock/deadlock.h"
#include "tests/unit/proof.h"

static struct deadlock_rank work[RANKS];
static int starved_rank = -1;
static uint64_t still_ns;
static char text[8192];

/* How many ranks are in a deadlock; text is what is said. */
static uint32_t proof(void)
{
    uint32_t n = proof_of(work, still_ns, starved_rank);

    text[0] = '\0';
    for (uint32_t i = 0; i < look.out.nlines; i++)
        snprintf(text + strlen(text), sizeof(text) - strlen(text), "%s\n",
                 look.lines[i].text);
    if (getenv("SHOW"))
        fputs(text, stderr);
    assert_int_equal(look.out.nverdicts, n > 0);
    assert_int_equal(look.out.lost, 0);
    return n;
}

static void begin(uint32_t n)
{
    look_at(n);
    still_ns = 500 * MS;
}

#define SAYS(what) \
    do { \
        if (!strstr(text, what)) \
            fail_msg("\"%s\" is not in:\n%s", what, text); \
    } while (0)

/* ------------------------------------------------------------- messages */

static void receive_cycle(void **state)
{
    (void)state;
    begin(3);
    for (uint32_t r = 0; r < 3; r++)
        talks(r, "Recv", (int)(r + 1) % 3, 7);
    world(0);
    assert_int_equal(proof(), 3);
    SAYS("ranks 0-2 all wait for messages from each other");
    SAYS("rank 1 waits in MPI_Recv for a message from rank 2 (tag 7, "
         "MPI_COMM_WORLD)");
    assert_int_equal(look.verdicts[0].nranks, 3);

    /* Not yet for long enough; or one of them has been elsewhere since. */
    still_ns = 200 * MS;
    assert_int_equal(proof(), 0);
    still_ns = 500 * MS;
    look.rank[1].age_ns = 1;
    assert_int_equal(proof(), 0);
}

static void receive_from_who_computes(void **state)
{
    (void)state;
    begin(3);
    talks(0, "Recv", 1, 7);
    talks(1, "Recv", 2, 7);
    world(0);
    assert_int_equal(proof(), 0);
}

/* One of the cycle's messages is being sent. */
static void receive_cycle_with_a_message(void **state)
{
    (void)state;
    begin(3);
    for (uint32_t r = 0; r < 3; r++)
        talks(r, "Recv", (int)(r + 1) % 3, 7);
    asks(1, "Isend", 0, 7)->waited = 0;
    world(0);
    assert_int_equal(proof(), 0);
    /* ... with another tag, or on another communicator, it does not help */
    look.request[0].tag = 8;
    assert_int_equal(proof(), 3);
    look.request[0].tag = 7;
    look.request[0].comm = 99;
    member(0, 99, 2, 1, NULL);
    member(1, 99, 2, 1, NULL);
    assert_int_equal(proof(), 3);
    /* ... unless each side may know one by another number */
    talks(0, "Recv", 1, 7)->comm = 98;
    assert_int_equal(proof(), 0);
    talks(0, "Recv", 1, 7);
    look.request[0].comm = WORLD;
    look.request[0].idle = 1;           /* persistent, not started */
    look.request[0].call = number_of("Send_init");
    assert_int_equal(proof(), 3);
}

static void part_of_the_job(void **state)
{
    (void)state;
    begin(5);
    talks(1, "Recv", 3, 0);
    talks(3, "Recv", 1, 0);
    talks(4, "Recv", 3, 0);
    world(0);
    assert_int_equal(proof(), 3);
    SAYS("ranks 1,3 all wait for messages from each other");
    SAYS("rank 4 waits for these in the end");
    assert_int_equal(look.verdicts[0].nranks, 2);
}

static void to_itself(void **state)
{
    (void)state;
    begin(2);
    talks(0, "Recv", 0, 3);
    world(0);
    assert_int_equal(proof(), 1);
    SAYS("rank 0 waits for itself");
    begin(2);
    talks(0, "Ssend", 0, 3);
    world(0);
    assert_int_equal(proof(), 1);
}

static void sends(void **state)
{
    (void)state;
    begin(2);
    talks(0, "Send", 1, 7);
    talks(1, "Send", 0, 7);
    world(0);
    assert_int_equal(proof(), 2);
    SAYS("ranks 0-1 all wait to send to each other, and nobody receives");
    /* Small ones come through. */
    look.rank[0].bytes = look.rank[1].bytes = 100;
    look.rank[0].count = look.rank[1].count = 100;
    still_ns = 100 * S;
    assert_int_equal(proof(), 0);
    /* In between it takes longer to be sure. */
    look.rank[0].bytes = look.rank[1].bytes = 4060;
    still_ns = S;
    assert_int_equal(proof(), 0);
    still_ns = 3 * S;
    assert_int_equal(proof(), 2);
    /* Synchronous ones never come through. */
    begin(2);
    talks(0, "Ssend", 1, 7)->bytes = 4;
    talks(1, "Ssend", 0, 7)->bytes = 4;
    world(0);
    assert_int_equal(proof(), 2);
    /* The first use of a type: bytes are not known. */
    begin(2);
    talks(0, "Send", 1, 7)->bytes = 0;
    talks(1, "Send", 0, 7)->bytes = 0;
    world(0);
    assert_int_equal(proof(), 2);
    look.rank[0].count = look.rank[1].count = 1;
    assert_int_equal(proof(), 0);
    /* To another node even large ones may stand in a network for long, but
     * not those that wait for the receiver. */
    look.account[1].node = 2;
    look.rank[0].bytes = look.rank[1].bytes = 65536;
    still_ns = 100 * S;
    assert_int_equal(proof(), 0);
    look.rank[0].bytes = look.rank[1].bytes = 65537;
    assert_int_equal(proof(), 2);
    /* Nobody knows what other transports do: then time says it. */
    look.account[0].eager_far = HCT_EAGER_UNKNOWN;
    assert_int_equal(proof(), 0);
    look.account[1].node = 1;
    look.account[0].eager = HCT_EAGER_UNKNOWN;
    still_ns = S;
    assert_int_equal(proof(), 0);
    still_ns = 3 * S;
    assert_int_equal(proof(), 2);
}

static void a_long_message(void **state)
{
    (void)state;
    begin(2);
    talks(0, "Send", 1, 7)->bytes = 1 << 30;
    talks(1, "Recv", 0, 7)->bytes = 1 << 30;
    world(0);
    for (still_ns = 300 * MS; still_ns < 200 * S; still_ns *= 2)
        assert_int_equal(proof(), 0);
    look.rank[1].peer = HCT_ANY;
    assert_int_equal(proof(), 0);
    look.rank[1].peer = 0;
    look.rank[1].tag = HCT_ANY;
    assert_int_equal(proof(), 0);
}

static void wrong_tag(void **state)
{
    (void)state;
    begin(2);
    talks(0, "Ssend", 1, 7);
    talks(1, "Recv", 0, 8);
    world(0);
    assert_int_equal(proof(), 2);
    SAYS("ranks 0-1 wait for each other");
    SAYS("tag 7");
    SAYS("tag 8");
}

static void wrong_communicator(void **state)
{
    (void)state;
    begin(2);
    talks(0, "Ssend", 1, 7);
    talks(1, "Recv", 0, 7)->comm = 0xabcd;
    world(0);
    member(0, 0xabcd, 2, 0, NULL);
    member(1, 0xabcd, 2, 0, NULL);
    assert_int_equal(proof(), 2);
    SAYS("communicator abcd of 2");
}

static void any_source(void **state)
{
    (void)state;
    begin(3);
    talks(0, "Recv", HCT_ANY, HCT_ANY);
    talks(1, "Recv", 0, 1);
    talks(2, "Recv", 0, 1);
    world(0);
    assert_int_equal(proof(), 3);
    SAYS("rank 0 waits in MPI_Recv for a message from any rank (any tag");
    SAYS("ranks 0-1 all wait");
    /* Of several, the one that has waited longest is named. */
    look.rank[1].age_ns = 500 * MS;
    look.rank[2].age_ns = 700 * MS;
    assert_int_equal(proof(), 3);
    SAYS("ranks 0,2 all wait");
    SAYS("rank 1 waits for these in the end");
    /* Not one that has ended, as long as others wait. */
    look.rank[2].age_ns = 500 * MS;
    look.rank[1].life = HCT_LIFE_FINALIZE;
    assert_int_equal(proof(), 2);
    SAYS("ranks 0,2 all wait");
    look.rank[1].life = HCT_LIFE_RUNNING;
    look.rank[1].age_ns = look.rank[2].age_ns = 0;
    /* One who computes may send. */
    look.rank[2].flags &= (uint16_t)~HCT_IN_MPI;
    assert_int_equal(proof(), 0);
    /* ... but not on this communicator. */
    look.rank[0].comm = 77;
    member(0, 77, 2, 0, NULL);
    member(1, 77, 2, 0, NULL);
    assert_int_equal(proof(), 2);
    /* Who is not in it is not named, however long it has waited. */
    look.rank[2].flags |= HCT_IN_MPI;
    look.rank[2].age_ns = 700 * MS;
    member(2, 78, 2, 0, NULL);
    assert_int_equal(proof(), 3);
    SAYS("ranks 0-1 all wait");
}

/* Rank 0 has dealt out so many pieces to ranks 1 to 3, and got so many back. */
static void deals(int pieces, const int back[])
{
    begin(4);
    talks(0, "Recv", HCT_ANY, 5);
    for (int r = 1; r < 4; r++) {
        talks((uint32_t)r, "Recv", 0, 4);
        for (int i = 0; i < pieces; i++) {
            sent(0, r, WORLD, 4);
            received((uint32_t)r, 0, WORLD, 4);
        }
        for (int i = 0; i < back[r - 1]; i++) {
            received(0, r, WORLD, 5);
            sent((uint32_t)r, 0, WORLD, 5);
        }
    }
    look.rank[1].age_ns = 700 * MS;
    for (int r = 2; r < 4; r++)
        look.rank[r].age_ns = 500 * MS;
    world(0);
}

static void owes_an_answer(void **state)
{
    (void)state;
    /* Whoever has waited longest, one result of rank 2 has not come. */
    deals(3, (const int[]){ 3, 2, 3 });
    assert_int_equal(proof(), 4);
    SAYS("ranks 0,2 all wait");
    SAYS("ranks 1,3 wait for these in the end");
    /* ... also where all of them were told something else besides */
    deals(3, (const int[]){ 2, 1, 2 });
    assert_int_equal(proof(), 4);
    SAYS("ranks 0,2 all wait");
    /* Where several differ, it says nothing. */
    deals(3, (const int[]){ 3, 2, 1 });
    assert_int_equal(proof(), 4);
    SAYS("ranks 0-1 all wait");
    deals(3, (const int[]){ 2, 3, 2 });
    assert_int_equal(proof(), 4);
    SAYS("ranks 0-1 all wait");
    /* Who is not in the communicator is not meant. */
    deals(3, (const int[]){ 3, 2, 3 });
    look.rank[0].comm = 77;
    member(0, 77, 3, 0, NULL);
    member(1, 77, 3, 0, NULL);
    member(3, 77, 3, 0, NULL);
    assert_int_equal(proof(), 4);
    SAYS("ranks 0-1 all wait");
}

static void any_source_and_a_send(void **state)
{
    (void)state;
    begin(3);
    talks(0, "Recv", HCT_ANY, 5);
    talks(1, "Ssend", 0, 5);
    talks(2, "Recv", 0, 1);
    world(0);
    assert_int_equal(proof(), 0);
    look.rank[1].tag = 6;
    assert_int_equal(proof(), 3);
}

static void sendrecv(void **state)
{
    (void)state;
    begin(3);                           /* a shift: all is well */
    for (uint32_t r = 0; r < 3; r++) {
        talks(r, "Sendrecv", (int)(r + 1) % 3, 7);
        look.rank[r].source = (int)(r + 2) % 3;
    }
    world(0);
    assert_int_equal(proof(), 0);
    begin(3);                           /* all from the wrong side */
    for (uint32_t r = 0; r < 3; r++) {
        talks(r, "Sendrecv", (int)(r + 1) % 3, 7);
        look.rank[r].source = (int)(r + 1) % 3;
    }
    world(0);
    assert_int_equal(proof(), 3);
    begin(2);                           /* an open end */
    talks(0, "Sendrecv", HCT_NULL, 7);
    look.rank[0].source = 1;
    talks(1, "Recv", 0, 7);
    world(0);
    assert_int_equal(proof(), 2);
}

/* One waits for a message with another tag, and the other one's has come to it;
 * whether it has left need not be known. It takes as long as its size does. */
static void sendrecv_tag(void **state)
{
    (void)state;
    begin(2);
    for (uint32_t r = 0; r < 2; r++) {
        talks(r, "Sendrecv", 1 - (int)r, 1)->bytes = 4096;
        look.rank[r].count = 4096;
        look.account[r].source_tag = 1 + (int)r;
    }
    world(0);
    still_ns = 1900 * MS;
    assert_int_equal(proof(), 0);
    still_ns = 2100 * MS;
    assert_int_equal(proof(), 2);
    /* More comes to it than it sends: that may be under way yet; nor is
     * anything said where nobody knows how much, or of another node. */
    look.rank[1].bytes = 100000000;
    assert_int_equal(proof(), 0);
    still_ns = 11900 * MS;
    assert_int_equal(proof(), 0);
    still_ns = 12100 * MS;
    assert_int_equal(proof(), 2);
    look.rank[1].bytes = 0;
    still_ns = 8600 * MS;
    assert_int_equal(proof(), 0);
    look.rank[1].bytes = 4096;
    assert_int_equal(proof(), 2);
    look.account[1].node = 2;
    still_ns = 100 * S;
    assert_int_equal(proof(), 0);
    /* Large ones under way both ways, each asked for. */
    look.account[1].node = 1;
    look.account[1].source_tag = 1;
    look.rank[0].bytes = look.rank[1].bytes = 1 << 30;
    look.account[0].source_tag = 1;
    assert_int_equal(proof(), 0);
}

/* Two wait for each other; one of them has sent a message with another tag. */
static void receive_both(void)
{
    begin(2);
    still_ns = 3 * S;
    for (uint32_t r = 0; r < 2; r++)
        talks(r, "Recv", 1 - (int)r, 1);
    world(0);
    flew(1, "Send", WORLD, 0, 0, 2)->site = 9;
}

static void sent_instead(void **state)
{
    (void)state;
    receive_both();
    sent(1, 0, WORLD, 2);
    assert_int_equal(proof(), 2);
    SAYS("wait for messages from each other, and what was sent does not fit");
    SAYS("rank 1 has sent rank 0 a message that it has not asked for (tag 2, "
         "MPI_COMM_WORLD)");
    assert_int_equal(look.lines[2].rank, 1);
    assert_int_equal(look.lines[2].site, 9);

    receive_both();                     /* it has been received */
    sent(1, 0, WORLD, 2);
    received(0, 1, WORLD, 2);
    assert_int_equal(proof(), 2);
    SAYS("nobody sends");
    assert_null(strstr(text, "has sent"));

    receive_both();                     /* ... or will be */
    sent(1, 0, WORLD, 2);
    asks(0, "Irecv", 1, 2)->waited = 0;
    assert_int_equal(proof(), 2);
    SAYS("nobody sends");
    assert_null(strstr(text, "has sent"));

    receive_both();                     /* by the call that it is in */
    look.in.nflights = 0;
    talks(1, "Sendrecv", 0, 2)->site = 7;
    look.account[1].source_tag = 3;
    assert_int_equal(proof(), 2);
    SAYS("rank 1 has sent rank 0 a message that it has not asked for (tag 2");
    SAYS("rank 1 waits in MPI_Sendrecv for a message from rank 0 (tag 3, ");
    assert_int_equal(look.lines[2].site, 7);
}

static void probe(void **state)
{
    (void)state;
    begin(2);
    talks(0, "Probe", 1, 7);
    talks(1, "Probe", 0, 7);
    world(0);
    assert_int_equal(proof(), 2);
    SAYS("waits in MPI_Probe for a message from rank 1");
    talks(1, "Ssend", 0, 7);
    assert_int_equal(proof(), 0);
    talks(1, "Mrecv", 0, 7);
    assert_int_equal(proof(), 0);
}

static void after_the_end(void **state)
{
    (void)state;
    begin(3);
    talks(0, "Recv", 1, 7);
    is_in(1, "Finalize");
    world(0);
    assert_int_equal(proof(), 1);
    SAYS("rank 0 waits for rank 1, which has ended its part in MPI");
    SAYS("rank 1 is in MPI_Finalize");
    begin(3);
    talks(0, "Recv", 1, 7);
    look.rank[1].life = HCT_LIFE_ENDED;
    look.rank[1].flags = 0;
    world(0);
    assert_int_equal(proof(), 1);
    begin(2);                           /* all are in Finalize */
    is_in(0, "Finalize");
    is_in(1, "Finalize");
    world(0);
    assert_int_equal(proof(), 0);
}

/* ------------------------------------------------------------- requests */

static void waits(void **state)
{
    static const char *const calls[] = { "Wait", "Waitall", "Waitany",
                                         "Waitsome" };

    (void)state;
    for (int i = 0; i < 4; i++) {
        begin(3);
        is_in(0, calls[i]);
        asks(0, "Irecv", 1, 7);
        if (i > 0)
            asks(0, "Irecv", 2, 7);
        talks(1, "Recv", 0, 7);
        talks(2, "Recv", 0, 7);
        world(0);
        assert_int_equal(proof(), 3);
        SAYS("by MPI_Irecv for a message from rank 1 (tag 7");
        /* Another one computes: it may be the one, where one is enough. */
        if (i > 0) {
            look.rank[2].flags &= (uint16_t)~HCT_IN_MPI;
            assert_int_equal(proof(), i == 1 ? 2 : 0);
        }
        /* A message is under way, and nobody knows which one is finished. */
        if (i == 1) {
            sent(1, 0, WORLD, 7);
            assert_int_equal(proof(), 0);
        }
    }
}

/* Of two requests the first is served, and may be finished already: only the
 * second one counts, and its sender still computes. Or it is not served, and
 * never will be. */
static void waits_for_the_other(void **state)
{
    (void)state;
    begin(3);
    is_in(0, "Waitall");
    asks(0, "Irecv", 1, 7);
    asks(0, "Irecv", 2, 7);
    talks(1, "Recv", 0, 8);
    world(0);
    still_ns = 100 * S;
    assert_int_equal(proof(), 2);
    sent(1, 0, WORLD, 7);
    assert_int_equal(proof(), 0);
}

/* A neighbour exchange in which one receives with the wrong tag: matched
 * messages are under way, but not the one that is waited for. */
static void exchange(void **state)
{
    (void)state;
    begin(4);
    for (uint32_t r = 0; r < 4; r++) {
        int right = (int)(r + 1) % 4, left = (int)(r + 3) % 4;

        is_in(r, "Waitall");
        asks(r, "Irecv", left, r == 2 ? 9 : 1);
        asks(r, "Irecv", right, 2);
        asks(r, "Isend", right, 1);
        asks(r, "Isend", left, 2);
        flew(r, "Isend", WORLD, 0, right, 1);
        flew(r, "Isend", WORLD, 0, left, 2);
    }
    world(0);
    assert_int_equal(proof(), 2);
    SAYS("rank 2 waits in MPI_Waitall by MPI_Irecv for a message from rank 1 "
         "(tag 9");
}

static void nobody_serves(void **state)
{
    (void)state;
    begin(2);
    is_in(0, "Waitall");
    asks(0, "Irecv", 1, 7);
    joins(1, "Barrier", WORLD, 1, HCT_NONE);
    world(0);
    assert_int_equal(proof(), 2);
    SAYS("has not entered collective call 1 of MPI_COMM_WORLD");
    /* What is lost, or not seen, is no evidence. */
    look.rank[0].requests = 2;
    assert_int_equal(proof(), 0);
    look.rank[0].requests = 1;
    look.rank[0].flags |= HCT_LOST;
    assert_int_equal(proof(), 0);
}

static void not_waited_for(void **state)
{
    (void)state;
    begin(2);
    is_in(0, "Wait");
    asks(0, "Irecv", 1, 7)->waited = 0;
    asks(0, "Ssend_init", 1, 7);
    talks(1, "Recv", 0, 7);
    look.rank[0].requests = 1;
    world(0);
    assert_int_equal(proof(), 0);
}

static void persistent(void **state)
{
    (void)state;
    begin(2);
    is_in(0, "Wait");
    asks(0, "Recv_init", 1, 7);
    is_in(1, "Wait");
    asks(1, "Recv_init", 0, 7);
    asks(1, "Send_init", 0, 7)->idle = 1;
    look.rank[1].requests = 1;
    world(0);
    assert_int_equal(proof(), 2);
    SAYS("by MPI_Recv_init");
    look.request[2].idle = 0;           /* started after all */
    assert_int_equal(proof(), 0);
}

static void other_requests(void **state)
{
    static const char *const calls[] = { "File_iread", "Rput",
                                         "Grequest_start" };

    (void)state;
    for (int i = 0; i < 3; i++) {
        begin(2);
        is_in(0, "Wait");
        asks(0, calls[i], 1, 7);
        talks(1, "Recv", 0, 7);
        world(0);
        assert_int_equal(proof(), 0);
    }
}

/* Who has not run may have a message that it has not seen. */
static void starved(void **state)
{
    (void)state;
    begin(2);
    talks(0, "Recv", 1, 7);
    talks(1, "Recv", 0, 7);
    world(0);
    starved_rank = 1;
    assert_int_equal(proof(), 0);
    starved_rank = -1;
    assert_int_equal(proof(), 2);
}

/* What a call sends comes behind what was sent like it before: if one is left,
 * it is the call's. */
static void the_last_send(void **state)
{
    struct hct_request *q;

    (void)state;
    begin(2);
    talks(0, "Send", 1, 7);
    q = asks(0, "Isend", 1, 7);
    q->waited = 0;
    look.rank[0].requests = 0;
    talks(1, "Recv", 0, 8);
    received(1, 0, WORLD, 7);           /* of two that were sent */
    world(0);
    assert_int_equal(proof(), 2);
    SAYS("rank 0 waits in MPI_Send for rank 1 to receive its message");
}

static void in_a_loop(void **state)
{
    (void)state;
    begin(2);
    is_in(0, "Test")->flags &= (uint16_t)~HCT_IN_MPI;
    asks(0, "Irecv", 1, 7)->waited = 0;
    talks(1, "Recv", 0, 7);
    world(0);
    for (int i = 0; i < 5; i++)
        flew(0, "Test", 0, 0, HCT_NONE, HCT_NONE);
    assert_int_equal(proof(), 0);       /* it may give up soon */
    still_ns = 4 * S;
    assert_int_equal(proof(), 2);
    SAYS("asking in a loop");
    SAYS(" in MPI_Test by MPI_");
    look.flight[2].call = number_of("Send");    /* it does something else */
    assert_int_equal(proof(), 0);
    look.flight[2].left_ns = 5 * S;             /* ... that is long ago */
    assert_int_equal(proof(), 2);
}

/* ... for a collective call that one never enters: all of that is said. */
static void call_in_a_loop(void **state)
{
    (void)state;
    begin(3);
    talks(2, "Recv", 0, 7);
    member(2, WORLD, 3, 20, "Barrier");
    for (uint32_t r = 0; r < 2; r++) {
        is_in(r, "Test");
        asks(r, "Ibarrier", HCT_NONE, HCT_NONE)->collective = 21;
        member(r, WORLD, 3, 21, "Ibarrier");
        for (int i = 0; i < 5; i++)
            flew(r, "Test", WORLD, 21, HCT_NONE, HCT_NONE);
    }
    still_ns = 4 * S;
    assert_int_equal(proof(), 3);
    SAYS("rank 0 waits in MPI_Test by MPI_Ibarrier, asking in a loop for rank 2, "
         "which has not entered collective call 21 of MPI_COMM_WORLD; nothing "
         "seen so far says whether that is wrong");
}

/* Of all that it asks for in one question one never comes; what else is there
 * it does not ask for. */
static void one_question_in_a_loop(void **state)
{
    struct hct_rank *k;

    (void)state;
    begin(3);
    k = is_in(0, "Testall");
    asks(0, "Irecv", 2, 7)->comm = WORLD;
    asks(0, "Irecv", 1, 7);
    talks(1, "Recv", 0, 7);
    look.rank[2].age_ns = MS;           /* computes, and may send */
    world(0);
    for (int i = 0; i < 5; i++)
        flew(0, "Testall", WORLD, 0, 2, 7);
    still_ns = 4 * S;
    assert_int_equal(proof(), 2);
    SAYS("MPI_Testall by MPI_Irecv, asking in a loop");
    k->flags &= (uint16_t)~HCT_IN_MPI;  /* what it asked for are all */
    look.request[0].waited = look.request[1].waited = 0;
    assert_int_equal(proof(), 2);
    k->requests = 1;                    /* ... or not */
    assert_int_equal(proof(), 0);
    k->requests = 2;
    for (int i = 0; i < 5; i++)
        look.flight[i].call = number_of("Testany");
    k->call = number_of("Testany");
    assert_int_equal(proof(), 0);
    for (int i = 0; i < 5; i++)
        look.flight[i].call = number_of("Testall");
    look.flight[1].site = 3;            /* it asks in two places */
    assert_int_equal(proof(), 0);
}

/* It is to blame, and not those that wait for somebody, also each other. */
static void waits_for_itself(void **state)
{
    (void)state;
    begin(4);
    for (uint32_t r = 0; r < 3; r++)
        talks(r, "Recv", r ? 0 : HCT_ANY, 7);
    is_in(3, "Test")->flags &= (uint16_t)~HCT_IN_MPI;
    asks(3, "Irecv", 3, 7)->waited = 0;
    world(0);
    for (int i = 0; i < 5; i++)
        flew(3, "Test", 0, 0, HCT_NONE, HCT_NONE);
    still_ns = 4 * S;
    assert_int_equal(proof(), 4);
    assert_int_equal(look.verdicts[0].nranks, 1);
    assert_int_equal(look.blamed[0], 3);
    SAYS("rank 3 has waited for itself for 4");
}

static void probes_in_a_loop(void **state)
{
    (void)state;
    begin(3);
    is_in(0, "Iprobe");
    talks(1, "Recv", 0, 7);
    world(0);
    for (int i = 0; i < 6; i++)
        flew(0, "Iprobe", WORLD, 0, i % 2 + 1, 7);
    still_ns = 4 * S;
    assert_int_equal(proof(), 0);       /* rank 2 computes */
    talks(2, "Recv", 0, 7);
    assert_int_equal(proof(), 3);
}

/* Between two questions it looks at the clock: that is none. */
static void probes_and_looks_at_the_clock(void **state)
{
    (void)state;
    begin(2);
    is_in(0, "Wtime")->comm = 0;
    talks(1, "Recv", 0, 8);
    world(0);
    for (int i = 0; i < 6; i++) {
        flew(0, "Iprobe", WORLD, 0, HCT_ANY, 7);
        flew(0, "Wtime", 0, 0, HCT_NONE, HCT_NONE);
    }
    still_ns = 4 * S;
    assert_int_equal(proof(), 2);
    SAYS("rank 0 waits in MPI_Iprobe, asking in a loop for a message from any rank "
         "(tag 7, MPI_COMM_WORLD)");
}

/* ------------------------------------------------------ collective calls */

static void missing_member(void **state)
{
    (void)state;
    begin(3);
    joins(0, "Barrier", WORLD, 4, HCT_NONE);
    joins(1, "Barrier", WORLD, 4, HCT_NONE);
    talks(2, "Recv", 0, 7);
    world(3);
    assert_int_equal(proof(), 3);
    SAYS("ranks 0,2 wait for each other");
    SAYS("rank 0 waits in MPI_Barrier for rank 2, which has not entered "
         "collective call 4 of MPI_COMM_WORLD");
    look.rank[2].flags &= (uint16_t)~HCT_IN_MPI;        /* will come */
    assert_int_equal(proof(), 0);
}

static void all_have_entered(void **state)
{
    (void)state;
    begin(3);
    for (uint32_t r = 0; r < 3; r++)
        joins(r, "Allreduce", WORLD, 4, HCT_NONE);
    world(3);
    for (still_ns = 300 * MS; still_ns < 200 * S; still_ns *= 2)
        assert_int_equal(proof(), 0);
}

static void left_before(void **state)
{
    (void)state;
    begin(3);
    still_ns = 3 * S;
    joins(0, "Barrier", WORLD, 4, HCT_NONE);
    joins(1, "Barrier", WORLD, 4, HCT_NONE);
    is_in(2, "Finalize");
    world(3);
    assert_int_equal(proof(), 2);
    SAYS("which has ended its part in MPI");
    look.rank[2].life = HCT_LIFE_ENDED;
    look.rank[2].flags = 0;
    assert_int_equal(proof(), 2);
    /* Its page is gone: it may have entered the call, and be through. */
    look.in.ncomms--;
    assert_int_equal(proof(), 0);
}

/* Who has freed a communicator does nothing more there, whatever else it
 * does; but for what it has begun before. */
static void freed(void **state)
{
    struct hct_comm *c = NULL;
    struct hct_request *q;

    (void)state;
    begin(3);
    joins(0, "Barrier", 99, 4, HCT_NONE);
    joins(1, "Barrier", 99, 4, HCT_NONE);
    member(0, 99, 3, 4, "Barrier");
    member(1, 99, 3, 4, "Barrier");
    member(2, 99, 3, 4, "Comm_free");
    look.rank[2].age_ns = MS;
    world(3);
    assert_int_equal(proof(), 0);
    for (uint32_t i = 0; i < look.in.ncomms; i++)
        if (look.comm[i].rank == 2 && look.comm[i].id == 99)
            c = &look.comm[i];
    c->freed = 1;
    assert_int_equal(proof(), 2);
    SAYS("rank 2 entered MPI_Comm_free as the same call");
    talks(0, "Recv", 2, 7);
    look.rank[0].comm = 99;
    talks(1, "Recv", 2, 7);
    look.rank[1].comm = 99;
    assert_int_equal(proof(), 2);
    SAYS("waits for rank 2, which has freed what they have in common");
    SAYS("rank 2 has freed communicator");
    /* One that it may start again. */
    q = asks(2, "Send_init", 0, 7);
    q->comm = 99;
    q->idle = 1;
    assert_int_equal(proof(), 0);
}

static void mismatch(void **state)
{
    (void)state;
    begin(3);
    joins(0, "Barrier", WORLD, 4, HCT_NONE);
    joins(1, "Allreduce", WORLD, 4, HCT_NONE);
    joins(2, "Barrier", WORLD, 4, HCT_NONE);
    world(3);
    assert_int_equal(proof(), 3);
    SAYS("are in different collective calls that ought to be one");
    SAYS("rank 0 has entered MPI_Barrier as collective call 4");
    SAYS("rank 1 entered MPI_Allreduce as the same call");
}

/* The one with the other call has left it, and waits elsewhere. */
static void mismatch_before(void **state)
{
    (void)state;
    begin(2);
    still_ns = 3 * S;
    joins(0, "Barrier", WORLD, 5, HCT_NONE);
    joins(1, "Barrier", WORLD, 4, HCT_NONE);
    flew(0, "Bcast", WORLD, 4, 0, HCT_NONE);
    world(3);
    assert_int_equal(proof(), 2);
    SAYS("rank 1 has entered MPI_Barrier as collective call 4");
    SAYS("rank 0 entered MPI_Bcast as the same call");
    /* It was the same call: then it will go on, or the network is stuck. */
    look.flight[0].call = number_of("Barrier");
    assert_int_equal(proof(), 0);
}

/* The place of a call that is over is that of the flight recorder; of one that
 * a rank is in, where it is. */
static void places_of_a_mismatch(void **state)
{
    (void)state;
    begin(2);
    still_ns = 3 * S;
    joins(0, "Barrier", WORLD, 5, HCT_NONE)->site = 9;
    joins(1, "Barrier", WORLD, 4, HCT_NONE)->site = 8;
    flew(0, "Bcast", WORLD, 3, 0, HCT_NONE)->site = 6;
    flew(1, "Bcast", WORLD, 3, 0, HCT_NONE)->site = 5;
    flew(0, "Bcast", WORLD, 4, 0, HCT_NONE)->site = 7;
    world(3);
    assert_int_equal(proof(), 2);
    SAYS("rank 0 entered MPI_Bcast as the same call");
    for (uint32_t i = 1; i < look.out.nlines; i++)
        assert_int_equal(look.lines[i].site, look.lines[i].rank == 0 ? 7 : 0);
    assert_null(strstr(text, "first one that differs"));
}

/* Both got through it, and are stuck in what followed. */
static void first_that_differs(void **state)
{
    (void)state;
    begin(2);
    still_ns = 3 * S;
    joins(0, "Barrier", WORLD, 6, HCT_NONE);
    joins(1, "Allreduce", WORLD, 6, HCT_NONE);
    for (uint32_t r = 0; r < 2; r++) {
        flew(r, "Barrier", WORLD, 3, HCT_NONE, HCT_NONE)->site = 3;
        flew(r, "Bcast", WORLD, 4, (int)r, HCT_NONE)->site = 4 + r;
        flew(r, r ? "Bcast" : "Reduce", WORLD, 5, 0, HCT_NONE)->site = 6;
    }
    world(3);
    assert_int_equal(proof(), 2);
    SAYS("rank 0 has entered MPI_Barrier as collective call 6");
    SAYS("rank 0 entered MPI_Bcast with root 0 as collective call 4 of "
         "MPI_COMM_WORLD, the first one that differs\n"
         "rank 1 entered MPI_Bcast with root 1 as the same call");
    assert_int_equal(look.lines[3].site, 4);
    assert_int_equal(look.lines[4].site, 5);

    /* One call was left out: who comes to the next one waits for the other. */
    look.rank[1].call = number_of("Barrier");
    look.rank[1].collective = look.comm[1].collectives = 5;
    talks(0, "Recv", 1, 1);
    look.rank[0].collective = 0;
    look.comm[0].collectives = 4;
    assert_int_equal(proof(), 2);
    SAYS("which has not entered collective call 5");
    SAYS("as collective call 4 of MPI_COMM_WORLD, the first one that differs");
    look.flight[1].peer = 1;            /* equal, as far as they are known */
    assert_int_equal(proof(), 2);
    assert_null(strstr(text, "first one that differs"));
}

static void place_of_a_request(void **state)
{
    (void)state;
    begin(2);
    for (uint32_t r = 0; r < 2; r++) {
        is_in(r, "Wait")->site = 5;
        asks(r, "Irecv", (int)(1 - r), 7)->site = 20 + r;
    }
    world(0);
    assert_int_equal(proof(), 2);
    for (uint32_t i = 1; i < look.out.nlines; i++) {
        assert_int_equal(look.lines[i].site, 0);
        assert_int_equal(look.lines[i].made, 20 + look.lines[i].rank);
    }
}

static void anybody(void **state)
{
    (void)state;
    begin(3);
    for (uint32_t r = 0; r < 3; r++)
        talks(r, "Recv", HCT_ANY, 7);
    world(0);
    assert_int_equal(proof(), 3);
    assert_null(strstr(text, "itself"));
}

static void roots(void **state)
{
    (void)state;
    begin(2);
    still_ns = 3 * S;
    joins(0, "Bcast", WORLD, 4, 1);
    joins(1, "Bcast", WORLD, 4, 0);
    world(3);
    assert_int_equal(proof(), 2);
    SAYS("name different roots");
    SAYS("MPI_Bcast with root 1 as collective call 4");
    SAYS("with root 0 as the same call");
    look.rank[0].peer = 0;
    assert_int_equal(proof(), 0);
}

static void root_missing(void **state)
{
    (void)state;
    begin(3);
    joins(0, "Bcast", WORLD, 4, 2);
    joins(1, "Bcast", WORLD, 4, 2);
    talks(2, "Recv", 1, 0);
    world(3);
    assert_int_equal(proof(), 3);
    SAYS("for rank 2, which has not entered");
    /* Without another rank, the root's data may come. */
    begin(3);
    still_ns = 3 * S;
    joins(0, "Bcast", WORLD, 4, 2);
    talks(1, "Recv", 0, 0);
    world(3);
    member(2, WORLD, 3, 4, NULL);
    look.in.ncomms--;
    look.comm[2].collectives = 4;
    assert_int_equal(proof(), 0);       /* 2 may pass it on yet */
    is_in(2, "Finalize");
    assert_int_equal(proof(), 2);       /* 1 is all that is missing */
    look.account[1].node = 2;           /* ... or it is still on its way */
    assert_int_equal(proof(), 0);
    look.account[1].node = 1;
    look.comm[1].collectives = 4;
    look.comm[1].history = look.comm[2].history = look.comm[0].history;
    look.comm[1].call = look.comm[2].call = look.rank[0].call;
    assert_int_equal(proof(), 0);
}

static void orders(void **state)
{
    (void)state;
    begin(2);
    joins(0, "Barrier", 0xaaaa, 1, HCT_NONE);
    joins(1, "Barrier", 0xbbbb, 1, HCT_NONE);
    member(0, 0xaaaa, 2, 1, NULL);
    member(1, 0xaaaa, 2, 0, NULL);
    member(0, 0xbbbb, 2, 0, NULL);
    member(1, 0xbbbb, 2, 1, NULL);
    world(0);
    assert_int_equal(proof(), 2);
    SAYS("ranks 0-1 wait for each other in collective calls on different "
         "communicators: made in different orders, or one of them never");
    /* Two groups that have nothing to do with each other. */
    begin(4);
    joins(0, "Barrier", 0xaaaa, 1, HCT_NONE);
    joins(1, "Barrier", 0xbbbb, 1, HCT_NONE);
    member(0, 0xaaaa, 2, 1, NULL);
    member(2, 0xaaaa, 2, 0, NULL);
    member(1, 0xbbbb, 2, 1, NULL);
    member(3, 0xbbbb, 2, 0, NULL);
    world(0);
    assert_int_equal(proof(), 0);
}

static void not_blocking(void **state)
{
    (void)state;
    begin(2);
    still_ns = 3 * S;
    is_in(0, "Wait");
    asks(0, "Ibarrier", HCT_NONE, HCT_NONE)->collective = 2;
    talks(1, "Recv", 0, 7);
    world(1);
    look.comm[0].collectives = 2;
    look.comm[0].call = number_of("Ibarrier");
    assert_int_equal(proof(), 2);
    SAYS("rank 0 waits in MPI_Wait by MPI_Ibarrier for rank 1, which has not "
         "entered collective call 2");
    look.comm[1].collectives = 2;
    look.comm[1].call = look.comm[0].call;
    assert_int_equal(proof(), 0);
    /* A blocking one does not match it. */
    joins(1, "Barrier", WORLD, 2, HCT_NONE);
    flew(0, "Ibarrier", WORLD, 2, HCT_NONE, HCT_NONE);
    assert_int_equal(proof(), 2);
    is_in(0, "Recv")->peer = 1;
    look.rank[0].tag = 3;
    assert_int_equal(proof(), 2);
    SAYS("different collective calls");
}

/* It was entered where it was begun, not where it is waited for. */
static void place_of_what_was_begun(void **state)
{
    struct hct_rank *k;

    (void)state;
    begin(2);
    still_ns = 3 * S;
    k = is_in(1, "Wait");
    k->comm = WORLD;
    k->collective = 2;
    k->level = HCT_LEVEL_SERIALIZED;    /* its site is its own */
    k->site = 8;
    asks(1, "Ibarrier", HCT_NONE, HCT_NONE)->collective = 2;
    look.request[0].site = 7;
    joins(0, "Barrier", WORLD, 2, HCT_NONE);
    world(1);
    look.comm[1].collectives = 2;
    look.comm[1].call = number_of("Ibarrier");
    assert_int_equal(proof(), 2);
    SAYS("rank 1 entered MPI_Ibarrier as the same call");
    for (uint32_t i = 1; i < look.out.nlines; i++)
        if (strstr(look.lines[i].text, "entered MPI_Ibarrier"))
            assert_int_equal(look.lines[i].site, 7);
}

/* What lies in a buffer goes when it is received: whoever may do so is no part of a
 * deadlock, and who has been sent nothing, or has got all, is not waited for. */
static void what_lies_in_a_buffer(void **state)
{
    struct hct_request *q;

    (void)state;
    begin(3);
    still_ns = 3 * S;
    is_in(0, "Buffer_detach");
    talks(1, "Recv", 0, 2);
    talks(2, "Recv", 1, 3);
    sent(0, 1, WORLD, 7);
    sent(0, 2, WORLD, 7);
    received(2, 0, WORLD, 7);
    world(0);
    assert_int_equal(proof(), 3);
    SAYS("rank 0 waits in MPI_Buffer_detach for rank 1 to receive what it has sent");
    /* It is what he receives. */
    look.rank[1].tag = 7;
    assert_int_equal(proof(), 0);
    look.rank[1].tag = HCT_ANY;
    assert_int_equal(proof(), 0);
    look.rank[1].tag = 2;
    assert_int_equal(proof(), 3);
    /* ... or has asked for, or may have. */
    q = asks(1, "Irecv", HCT_ANY, 7);
    q->waited = 0;
    assert_int_equal(proof(), 0);
    q->tag = 8;
    assert_int_equal(proof(), 3);
    look.account[1].unsure = 1;
    assert_int_equal(proof(), 0);
    look.account[1].unsure = 0;
    /* One that another one may receive may be the one that is left. */
    sent(0, 2, WORLD, 5);
    assert_int_equal(proof(), 3);
    talks(2, "Recv", 0, 5);
    assert_int_equal(proof(), 0);
    talks(2, "Recv", 1, 3);
    look.rank[2].age_ns = 1;
    assert_int_equal(proof(), 0);
    look.rank[2].age_ns = 0;
    /* Between nodes it may be on its way. */
    look.account[1].node = 2;
    assert_int_equal(proof(), 0);
    look.account[1].node = 1;
    /* All has been received, so it does something else. */
    received(1, 0, WORLD, 7);
    received(2, 0, WORLD, 5);
    assert_int_equal(proof(), 0);
}

static void amounts_may_be_zero(void **state)
{
    (void)state;
    begin(3);
    still_ns = 20 * S;
    joins(0, "Alltoallv", WORLD, 4, HCT_NONE);
    talks(1, "Recv", 0, 7);
    world(3);
    assert_int_equal(proof(), 0);       /* 2 may be the one it waits for */
    talks(2, "Recv", 0, 7);
    assert_int_equal(proof(), 3);
}

static void intercommunicators(void **state)
{
    (void)state;
    begin(4);
    still_ns = 20 * S;
    joins(0, "Barrier", 0xcccc, 1, HCT_NONE);
    joins(1, "Barrier", 0xcccc, 1, HCT_NONE);
    talks(2, "Recv", 0, 1)->comm = 0xcccc;
    talks(3, "Recv", 1, 1)->comm = 0xcccc;
    for (uint32_t r = 0; r < 4; r++)
        member(r, 0xcccc, 2, r < 2, NULL)->remote_size = 2;
    world(0);
    assert_int_equal(proof(), 4);
    SAYS("an intercommunicator of 2+2");
    look.rank[3].flags &= (uint16_t)~HCT_IN_MPI;
    assert_int_equal(proof(), 0);
    begin(2);                           /* with another world */
    talks(0, "Recv", 1, 0)->comm = HCT_COMM_LOCAL | 5;
    talks(1, "Recv", 0, 0)->comm = HCT_COMM_LOCAL | 5;
    world(0);
    assert_int_equal(proof(), 0);
}

static void of_some_members(void **state)
{
    static const char *const calls[] = { "Comm_accept", "Comm_create_group",
                                         "Comm_spawn" };

    (void)state;
    for (int i = 0; i < 3; i++) {
        begin(2);
        joins(0, calls[i], WORLD, 1, 0);
        talks(1, "Recv", 0, 7);
        world(0);
        assert_int_equal(proof(), 0);
    }
}

/* Ranks 0, 2 and 4 make a communicator, 4 does not come: it waits for 1. */
static void a_group(void)
{
    begin(5);
    meets(0, "Comm_create_group", 2, 7, 0, 3, 2);
    meets(2, "Comm_create_group", 2, 7, 0, 3, 2);
    talks(1, "Recv", 0, 3);
    talks(3, "Recv", 1, 3);
    talks(4, "Recv", 1, 3);
    world(0);
}

static void member_of_a_group(void **state)
{
    struct hct_meeting *m;

    (void)state;
    a_group();
    assert_int_equal(proof(), 5);
    SAYS("rank 0 waits in MPI_Comm_create_group for rank 4, which has not "
         "entered it for this group (tag 7, MPI_COMM_WORLD)");
    is_in(4, "Finalize");
    assert_int_equal(proof(), 4);
    SAYS("waits for rank 4, which has ended its part in MPI");
    /* It has come before, but not this time; or it has come. */
    a_group();
    m = meets(4, "Comm_create_group", 1, 7, 0, 3, 2);
    m->in = 0;
    talks(4, "Recv", 1, 3);
    assert_int_equal(proof(), 5);
    m->count = 2;
    assert_int_equal(proof(), 0);
    meets(4, "Comm_create_group", 2, 7, 0, 3, 2);
    look.in.nmeetings--;
    m->in = 1;
    assert_int_equal(proof(), 0);
    /* With another tag, it is another one: each waits for the other. */
    a_group();
    meets(4, "Comm_create_group", 2, 8, 0, 3, 2);
    assert_int_equal(proof(), 5);
    SAYS("ranks 0,4 wait for each other");
    SAYS("rank 4 waits in MPI_Comm_create_group for rank 0, which has not "
         "entered it for this group (tag 8, MPI_COMM_WORLD)");
}

static void member_may_come(void **state)
{
    struct hct_meeting *m;

    (void)state;
    /* The one that is missing computes, or one that has come does. */
    a_group();
    look.rank[4].flags &= (uint16_t)~HCT_IN_MPI;
    assert_int_equal(proof(), 0);
    a_group();
    look.rank[2].age_ns = 1;
    assert_int_equal(proof(), 0);
    /* It is not known who has to come, what has come, or who it is. */
    a_group();
    look.meeting[0].nruns = look.meeting[1].nruns = 0;
    assert_int_equal(proof(), 0);
    a_group();
    look.meeting[0].size = look.meeting[1].size = 5000;
    look.meeting[0].runs[0].n = look.meeting[1].runs[0].n = 5000;
    assert_int_equal(proof(), 0);
    a_group();
    look.meeting[0].runs[0].step = look.meeting[1].runs[0].step = -2;
    assert_int_equal(proof(), 0);
    a_group();
    m = meets(4, "Comm_create_group", 0, 0, 0, 0, 0);
    m->id = m->in = 0;
    talks(4, "Recv", 1, 3);
    assert_int_equal(proof(), 0);
    a_group();
    look.in.ncomms = 4;
    assert_int_equal(proof(), 0);
    a_group();
    look.rank[4].flags |= HCT_LOST;
    assert_int_equal(proof(), 0);
    /* Two threads of a rank: in which of the two it is, is not known. */
    a_group();
    look.meeting[1] = look.meeting[0];
    assert_int_equal(proof(), 0);
}

/* What the library sends for itself may be taken for the program's, and the
 * other way round. */
static void mistaken_messages(void **state)
{
    (void)state;
    a_group();
    talks(4, "Recv", 2, 7);
    assert_int_equal(proof(), 0);
    talks(4, "Probe", HCT_ANY, HCT_ANY);
    assert_int_equal(proof(), 0);
    talks(4, "Recv", 2, 6);
    assert_int_equal(proof(), 5);
    asks(4, "Irecv", 0, 7)->waited = 0;
    assert_int_equal(proof(), 0);
    a_group();
    sent(4, 2, WORLD, 7);
    assert_int_equal(proof(), 0);
    a_group();
    sent(4, 2, WORLD, 6);
    flew(4, "Send", WORLD, 0, 2, 6);
    assert_int_equal(proof(), 5);
    /* Another group with the same tag: on one node it would have ended. */
    a_group();
    meets(4, "Comm_create_group", 1, 7, 0, 5, 1);
    assert_int_equal(proof(), 0);
    still_ns = 20 * S;
    assert_int_equal(proof(), 5);
    look.account[4].node = 2;
    assert_int_equal(proof(), 0);
    /* ... but for one that the others are not in. */
    look.in.nmeetings--;
    meets(4, "Comm_create_group", 1, 7, 4, 2, -1);
    assert_int_equal(proof(), 5);
    look.meeting[2].runs[0].n = 3;      /* 4, 3, 2 */
    look.meeting[2].size = 3;
    assert_int_equal(proof(), 0);
    look.meeting[2].nruns = 0;
    assert_int_equal(proof(), 0);
}

/* Ranks 0 and 2, 1 and 3: leaders are 0 and 1. */
static void two_groups(unsigned come)
{
    begin(4);
    for (uint32_t r = 0; r < 4; r++)
        if (come & 1u << r) {
            if (r < 2)
                meets(r, "Intercomm_create", 1, 5, 0, 2, 1);
            joins(r, "Intercomm_create", 0xaa00 + r % 2, 3, (int)r % 2)->tag = 5;
        } else {
            talks(r, "Recv", (int)(r + 1) % 4, 9);
        }
    for (uint32_t r = 0; r < 4; r++)
        member(r, 0xaa00 + r % 2, 2, come & 1u << r ? 3 : 2, NULL);
    world(0);
}

static void leaders(void **state)
{
    (void)state;
    two_groups(1 | 2 | 4 | 8);
    assert_int_equal(proof(), 0);
    still_ns = 200 * S;
    assert_int_equal(proof(), 0);
    two_groups(1 | 4 | 8);
    assert_int_equal(proof(), 4);
    SAYS("rank 0 waits in MPI_Intercomm_create for rank 1, the leader of the "
         "other group (tag 5, MPI_COMM_WORLD)");
    SAYS("rank 2 waits in MPI_Intercomm_create for rank 0, the leader of its "
         "group");
    two_groups(1 | 2 | 4);
    assert_int_equal(proof(), 4);
    SAYS("rank 1 waits in MPI_Intercomm_create for rank 3, which has not "
         "entered collective call 3 of communicator aa01 of 2");
    two_groups(2 | 8);
    talks(0, "Recv", 2, 9);
    assert_int_equal(proof(), 4);
    two_groups(1 | 4);
    look.rank[1].flags &= (uint16_t)~HCT_IN_MPI;
    assert_int_equal(proof(), 0);
    two_groups(1 | 4);
    look.rank[3].flags &= (uint16_t)~HCT_IN_MPI;
    assert_int_equal(proof(), 3);       /* it need not come for that */
    talks(1, "Recv", 3, 9);
    assert_int_equal(proof(), 0);
    two_groups(1 | 4 | 8);
    talks(1, "Recv", 0, 5);             /* takes what the leader says */
    assert_int_equal(proof(), 0);
}

static void leaders_alone(void **state)
{
    (void)state;
    begin(2);
    meets(0, "Intercomm_create", 1, 5, 0, 2, 1);
    joins(0, "Intercomm_create", HCT_COMM_SELF, 1, 0);
    is_in(1, "Finalize");
    for (uint32_t r = 0; r < 2; r++)
        member(r, HCT_COMM_SELF, 1, !r, NULL);
    world(0);
    assert_int_equal(proof(), 1);
    SAYS("waits for rank 1, which has ended its part in MPI");
    meets(1, "Intercomm_create", 1, 5, 0, 2, 1);
    look.rank[1].life = HCT_LIFE_RUNNING;
    joins(1, "Intercomm_create", HCT_COMM_SELF, 1, 1);
    assert_int_equal(proof(), 0);
}

/* Ranks 0 to 2 in the third call on the world, with so many bytes each; rank 3
 * has left it, and waits for 0. */
static void amounts(const char *call, int root, uint64_t a, uint64_t b,
                    uint64_t c, uint64_t d)
{
    const uint64_t bytes[] = { a, b, c };

    begin(4);
    still_ns = 20 * S;
    for (uint32_t r = 0; r < 3; r++) {
        joins(r, call, WORLD, 3, root)->bytes = bytes[r];
        look.rank[r].count = bytes[r];
    }
    talks(3, "Recv", 0, 7);
    flew(3, call, WORLD, 3, root, HCT_NONE)->bytes = d;
    world(3);
}

static void different_amounts(void **state)
{
    static const char *const as_they_like[] = { "Gatherv", "Scatterv",
        "Allgatherv", "Alltoallv", "Barrier", "Neighbor_alltoall" };

    (void)state;
    amounts("Bcast", 0, 100, 100, 100, 100);
    assert_int_equal(proof(), 0);
    amounts("Bcast", 0, 100, 100, 200, 100);
    assert_int_equal(proof(), 4);
    SAYS("ranks 0 and 2 give different amounts to one collective call");
    SAYS("rank 0 has entered MPI_Bcast with 100 bytes as collective call 3 of "
         "MPI_COMM_WORLD");
    SAYS("rank 2 entered MPI_Bcast with 200 bytes as the same call");
    amounts("Allgather", HCT_NONE, 100, 100, 100, 0);
    assert_int_equal(proof(), 4);
    SAYS("rank 3 entered MPI_Allgather with 0 bytes as the same call");
    amounts("Reduce", 1, 8, 1, 1, 1);
    assert_int_equal(proof(), 4);
    SAYS("ranks 0 and 1 give different amounts to one collective call");
    for (int i = 0; i < 6; i++) {
        amounts(as_they_like[i], HCT_NONE, 100, 100, 200, 50);
        assert_int_equal(proof(), 0);
    }
}

/* The same, but it may go on, or is not known. */
static void amounts_without_proof(void **state)
{
    (void)state;
    amounts("Bcast", 0, 100, 100, 0, 100);
    look.rank[2].count = 100;           /* of a type of unknown size */
    assert_int_equal(proof(), 0);
    amounts("Bcast", 0, 100, 100, 100, 0);
    look.flight[0].tag = HCT_UNKNOWN;
    assert_int_equal(proof(), 0);
    amounts("Bcast", 0, 100, 100, 100, 200);
    look.in.nflights = 0;
    look.comm[3].call = number_of("Bcast");
    assert_int_equal(proof(), 0);
    amounts("Bcast", 0, 100, 100, 200, 100);
    look.rank[3].flags &= (uint16_t)~HCT_IN_MPI;        /* computes */
    assert_int_equal(proof(), 0);
    amounts("Bcast", 0, 100, 100, 200, 100);
    still_ns = 1 * S;                   /* not for long enough */
    assert_int_equal(proof(), 0);
    amounts("Bcast", 0, 100, 100, 200000000, 100);      /* nor for so much */
    assert_int_equal(proof(), 0);
    amounts("Bcast", 0, 100, 100, 200, 100);
    look.comm[3].age_ns = 1 * S;        /* the last one came just now */
    assert_int_equal(proof(), 0);
    amounts("Bcast", 0, 100, 100, 200, 100);
    look.account[3].node = 2;           /* over a network it may come yet */
    assert_int_equal(proof(), 0);
    amounts("Bcast", 0, 100, 100, 200, 100);
    starved_rank = 0;
    assert_int_equal(proof(), 0);
    starved_rank = -1;
    assert_int_equal(proof(), 4);
    /* Two groups, each of which gives its own amount. */
    begin(4);
    still_ns = 20 * S;
    for (uint32_t r = 0; r < 4; r++) {
        joins(r, "Allgather", 0xcccc, 1, HCT_NONE)->bytes = 10 + r % 2;
        look.rank[r].count = 1;
        member(r, 0xcccc, 2, 1, NULL)->remote_size = 2;
    }
    world(0);
    assert_int_equal(proof(), 0);
}

/* ----------------------------------------------------------- one-sided */

static void windows(uint64_t entered)
{
    for (uint32_t r = 0; r < look.in.nranks; r++)
        member(r, 0xdddd, look.in.nranks,
               look.rank[r].comm == 0xdddd && look.rank[r].collective
                   ? look.rank[r].collective : entered,
               NULL)->kind = HCT_KIND_WIN;
}

static void fence(void **state)
{
    (void)state;
    begin(2);
    still_ns = 20 * S;
    joins(0, "Win_fence", 0xdddd, 3, HCT_NONE);
    joins(1, "Barrier", WORLD, 1, HCT_NONE);
    world(0);
    windows(2);
    assert_int_equal(proof(), 2);
    SAYS("made in different orders");
    SAYS("window dddd");
    joins(1, "Win_fence", 0xdddd, 3, HCT_NONE);
    look.comm[3].collectives = 3;
    look_sort();
    for (uint32_t i = 0; i < look.in.ncomms; i++)
        if (look.comm[i].id == 0xdddd) {
            look.comm[i].collectives = 3;
            look.comm[i].history = 1003;
        }
    assert_int_equal(proof(), 0);
}

static void locks(void **state)
{
    (void)state;
    begin(3);
    still_ns = 20 * S;
    flew(0, "Win_lock", 0xdddd, 0, 2, HCT_NONE);
    joins(0, "Barrier", WORLD, 1, HCT_NONE);
    joins(2, "Barrier", WORLD, 1, HCT_NONE);
    is_in(1, "Win_lock")->comm = 0xdddd;
    look.rank[1].peer = 2;
    world(0);
    windows(0);
    assert_int_equal(proof(), 3);
    SAYS("rank 1 waits in MPI_Win_lock for rank 0, which keeps rank 2 of "
         "window dddd locked");
    flew(0, "Win_unlock", 0xdddd, 0, 2, HCT_NONE);
    assert_int_equal(proof(), 0);
}

static void post_and_wait(void **state)
{
    (void)state;
    begin(2);
    still_ns = 20 * S;
    is_in(0, "Win_wait")->comm = 0xdddd;
    is_in(1, "Win_wait")->comm = 0xdddd;
    world(0);
    windows(0);
    assert_int_equal(proof(), 2);
    SAYS("waits in MPI_Win_wait for the other members of window dddd");
    is_in(1, "Win_complete")->comm = 0xdddd;
    assert_int_equal(proof(), 0);
    is_in(1, "Barrier")->comm = WORLD;
    look.rank[1].collective = 1;
    for (uint32_t i = 0; i < look.in.ncomms; i++)
        if (look.comm[i].id == WORLD && look.comm[i].rank == 1)
            look.comm[i].collectives = 1;
    assert_int_equal(proof(), 2);
}

/* ---------------------------------------------------- what is no evidence */

static void not_free_to_go(void **state)
{
    static const uint16_t flags[] = {
        HCT_SUSPENDED, HCT_MIGRATING, HCT_TRACED, HCT_STDIN, HCT_STOPPED,
        HCT_SLEEPS, HCT_TORN, HCT_LOST,
    };

    (void)state;
    begin(2);
    talks(0, "Recv", 1, 7);
    talks(1, "Recv", 0, 7);
    world(0);
    assert_int_equal(proof(), 2);
    for (unsigned i = 0; i < sizeof(flags) / sizeof(flags[0]); i++) {
        look.rank[1].flags |= flags[i];
        assert_int_equal(proof(), 0);
        look.rank[1].flags &= (uint16_t)~flags[i];
    }
    look.rank[1].threads = 2;           /* the other one may send */
    assert_int_equal(proof(), 0);
    look.rank[1].threads = 1;
    look.rank[1].level = HCT_LEVEL_MULTIPLE;    /* one may yet begin to */
    assert_int_equal(proof(), 0);
    look.rank[1].level = HCT_LEVEL_FUNNELED;
    assert_int_equal(proof(), 2);
    look.rank[1].flags = HCT_OBSERVED | HCT_STACK | HCT_IN_MPI;
    assert_int_equal(proof(), 0);
    look.rank[1].flags = 0;
    assert_int_equal(proof(), 0);
}

/* What other threads of a task may do: see deadlock_others(). */
static void threads(void **state)
{
    static const struct {
        uint32_t level, threads, in;
        uint16_t flags;
        uint32_t proven;
    } cases[] = {
        { HCT_LEVEL_SINGLE, 1, 1, 0, 2 },
        { HCT_LEVEL_FUNNELED, 2, 1, 0, 0 },
        { HCT_LEVEL_SERIALIZED, 1, 1, 0, 2 },
        { HCT_LEVEL_SERIALIZED, 3, 1, 0, 2 },
        { HCT_LEVEL_SERIALIZED, 3, 2, 0, 0 },
        { HCT_LEVEL_MULTIPLE, 1, 1, 0, 0 },
        { HCT_LEVEL_MULTIPLE, 1, 1, HCT_ALONE, 2 },
        { HCT_LEVEL_MULTIPLE, 3, 1, HCT_ALONE, 2 },
        { HCT_LEVEL_MULTIPLE, 3, 2, HCT_ALONE, 0 },
    };

    (void)state;
    begin(2);
    talks(0, "Recv", 1, 7);
    talks(1, "Recv", 0, 7);
    world(0);
    for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
        look.rank[1].level = cases[i].level;
        look.rank[1].threads = cases[i].threads;
        look.rank[1].threads_in = cases[i].in;
        look.rank[1].flags &= (uint16_t)~HCT_ALONE;
        look.rank[1].flags |= cases[i].flags;
        if (proof() != cases[i].proven)
            fail_msg("case %zu", i);
    }
}

/* Another thread of r is in this call. */
static struct hct_request *beside(uint32_t r, const char *call, int peer, int tag)
{
    struct hct_request *q = asks(r, call, peer, tag);

    look.rank[r].requests--;
    look.rank[r].threads = ++look.rank[r].threads_in;
    look.rank[r].level = HCT_LEVEL_MULTIPLE;
    look.rank[r].flags |= HCT_ALONE;
    q->waited = (uint16_t)(1 + look.rank[r].threads_in);
    return q;
}

static void two_receive(void)
{
    begin(3);
    talks(0, "Recv", 1, 7);
    talks(1, "Recv", 0, 7);
    world(0);
}

/* Of several threads in MPI each has to wait for what will not come. */
static void threads_in_mpi(void **state)
{
    struct hct_request *q;

    (void)state;
    two_receive();
    q = beside(1, "Recv", 0, 8);
    assert_int_equal(proof(), 2);
    look.rank[1].flags &= (uint16_t)~HCT_ALONE;
    assert_int_equal(proof(), 0);
    look.rank[1].flags |= HCT_ALONE;
    q->peer = 2;                        /* who computes */
    assert_int_equal(proof(), 0);
    q->peer = 0;
    look.rank[1].threads_in = 3;        /* of one nobody knows what it does */
    assert_int_equal(proof(), 0);
    look.rank[1].threads_in = 2;
    sent(0, 1, WORLD, 8);
    assert_int_equal(proof(), 0);
    received(1, 0, WORLD, 8);
    assert_int_equal(proof(), 2);

    two_receive();
    beside(1, "Probe", 0, HCT_ANY);
    assert_int_equal(proof(), 2);
    talks(0, "Ssend", 1, 9);            /* for the probe */
    assert_int_equal(proof(), 0);

    two_receive();                      /* calls that are not known enough */
    beside(1, "Send", 0, 8);
    assert_int_equal(proof(), 0);
    two_receive();
    beside(1, "Iprobe", 0, 8);
    assert_int_equal(proof(), 0);
    two_receive();
    beside(1, "Sendrecv", 0, 8);
    assert_int_equal(proof(), 0);
    two_receive();
    beside(1, "Mrecv", 0, 8);
    assert_int_equal(proof(), 0);
}

static void a_thread_waits(void **state)
{
    struct hct_request *q, *wait;

    (void)state;
    two_receive();
    wait = beside(1, "Waitall", HCT_NONE, HCT_NONE);
    q = asks(1, "Irecv", 0, 8);
    look.rank[1].requests = 0;
    q->waited = wait->waited;
    assert_int_equal(proof(), 2);
    q->peer = 2;
    assert_int_equal(proof(), 0);
    q->peer = 0;
    q->waited = HCT_WAITED_HERE;        /* not by that one */
    assert_int_equal(proof(), 0);
    q->waited = wait->waited;
    wait->call = number_of("Waitany");
    assert_int_equal(proof(), 0);
}

static void a_thread_joins(void **state)
{
    struct hct_request *q;

    (void)state;
    begin(2);
    talks(0, "Recv", 1, 7);
    talks(1, "Recv", 0, 7);
    member(0, WORLD, 2, 0, NULL);
    member(1, WORLD, 2, 1, NULL);
    q = beside(1, "Barrier", HCT_NONE, HCT_NONE);
    q->collective = 1;
    assert_int_equal(proof(), 2);
    q->call = number_of("Bcast");       /* it need not wait for rank 0 */
    assert_int_equal(proof(), 0);
}

/* What a thread has asked for may have been asked for after another one has
 * entered its call. */
static void threads_in_any_order(void **state)
{
    (void)state;
    two_receive();
    asks(1, "Irecv", 0, 7)->waited = 0;
    sent(0, 1, WORLD, 7);
    assert_int_equal(proof(), 2);
    look.rank[1].level = HCT_LEVEL_MULTIPLE;
    look.rank[1].flags |= HCT_ALONE;
    assert_int_equal(proof(), 2);
    look.rank[1].threads = 2;
    assert_int_equal(proof(), 0);
}

/* The message of a request by MPI_Imrecv is there, whatever else is asked for. */
static void matched(void **state)
{
    (void)state;
    begin(2);
    talks(0, "Recv", 1, 7);
    is_in(1, "Wait");
    asks(1, "Imrecv", 0, 7);
    asks(1, "Irecv", 0, 7)->waited = 0;
    look.rank[1].requests = 1;
    world(0);
    sent(0, 1, WORLD, 7);
    assert_int_equal(proof(), 0);
}

/* Who sleeps may have a message that it has not looked at yet. */
static void asleep(void **state)
{
    (void)state;
    begin(2);
    talks(0, "Recv", 1, 7);
    talks(1, "Recv", 0, 7)->flags &= (uint16_t)~HCT_RUNS;
    world(0);
    assert_int_equal(proof(), 0);
    still_ns = 6 * S;
    assert_int_equal(proof(), 2);
}

static void io(void **state)
{
    (void)state;
    begin(2);
    joins(0, "Barrier", WORLD, 1, HCT_NONE);
    is_in(1, "File_write_at");
    world(0);
    still_ns = 1000 * S;
    assert_int_equal(proof(), 0);
}

/* Damaged numbers are looked at, and lead nowhere. */
static void nonsense(void **state)
{
    (void)state;
    begin(4);
    talks(0, "Recv", 1 << 30, 7);
    talks(1, "Recv", -100, 7);
    joins(2, "Barrier", WORLD, UINT64_MAX, HCT_NONE);
    look.rank[3].call = 100000;
    look.rank[3].flags |= HCT_IN_MPI;
    world(0);
    member(77, WORLD, 4, 1, NULL);
    asks(77 % RANKS, "Irecv", 1 << 20, 5)->rank = 9999;
    flew(9, "Recv", WORLD, 0, 1 << 20, 5)->rank = 9999;
    assert_int_equal(proof(), 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(receive_cycle),
        cmocka_unit_test(receive_from_who_computes),
        cmocka_unit_test(receive_cycle_with_a_message),
        cmocka_unit_test(part_of_the_job),
        cmocka_unit_test(to_itself),
        cmocka_unit_test(sends),
        cmocka_unit_test(a_long_message),
        cmocka_unit_test(wrong_tag),
        cmocka_unit_test(wrong_communicator),
        cmocka_unit_test(any_source),
        cmocka_unit_test(any_source_and_a_send),
        cmocka_unit_test(owes_an_answer),
        cmocka_unit_test(sendrecv), cmocka_unit_test(sendrecv_tag),
        cmocka_unit_test(sent_instead),
        cmocka_unit_test(probe),
        cmocka_unit_test(after_the_end),
        cmocka_unit_test(waits),
        cmocka_unit_test(waits_for_the_other),
        cmocka_unit_test(exchange),
        cmocka_unit_test(nobody_serves),
        cmocka_unit_test(not_waited_for),
        cmocka_unit_test(persistent),
        cmocka_unit_test(other_requests),
        cmocka_unit_test(starved),
        cmocka_unit_test(in_a_loop), cmocka_unit_test(one_question_in_a_loop),
        cmocka_unit_test(the_last_send),
        cmocka_unit_test(waits_for_itself),
        cmocka_unit_test(probes_in_a_loop),
        cmocka_unit_test(probes_and_looks_at_the_clock), cmocka_unit_test(call_in_a_loop),
        cmocka_unit_test(missing_member),
        cmocka_unit_test(all_have_entered),
        cmocka_unit_test(left_before), cmocka_unit_test(freed),
        cmocka_unit_test(mismatch),
        cmocka_unit_test(mismatch_before),
        cmocka_unit_test(places_of_a_mismatch),
        cmocka_unit_test(first_that_differs),
        cmocka_unit_test(place_of_a_request), cmocka_unit_test(anybody),
        cmocka_unit_test(roots),
        cmocka_unit_test(root_missing),
        cmocka_unit_test(orders),
        cmocka_unit_test(not_blocking),
        cmocka_unit_test(place_of_what_was_begun),
        cmocka_unit_test(what_lies_in_a_buffer),
        cmocka_unit_test(amounts_may_be_zero),
        cmocka_unit_test(intercommunicators),
        cmocka_unit_test(of_some_members),
        cmocka_unit_test(member_of_a_group),
        cmocka_unit_test(member_may_come),
        cmocka_unit_test(mistaken_messages),
        cmocka_unit_test(leaders), cmocka_unit_test(leaders_alone),
        cmocka_unit_test(different_amounts),
        cmocka_unit_test(amounts_without_proof),
        cmocka_unit_test(fence),
        cmocka_unit_test(locks),
        cmocka_unit_test(post_and_wait),
        cmocka_unit_test(not_free_to_go), cmocka_unit_test(threads),
        cmocka_unit_test(threads_in_mpi), cmocka_unit_test(a_thread_waits),
        cmocka_unit_test(a_thread_joins),
        cmocka_unit_test(threads_in_any_order), cmocka_unit_test(matched),
        cmocka_unit_test(asleep),
        cmocka_unit_test(io),
        cmocka_unit_test(nonsense),
    };

    cmocka_set_message_output(CM_OUTPUT_TAP);
    return cmocka_run_group_tests(tests, NULL, NULL);
}
