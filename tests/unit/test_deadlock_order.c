/* test_deadlock_order.c - the proof of deadlocks: which of several messages is
 * which, and who took it; what a model of MPI has shown to be missed, or wrong. */
#include <stdarg.h>
#include <stddef.h>
#include <setjmp.h>
#include <stdint.h>
#include <cmocka.h>
#include <string.h>

#include "master/watch/callclass.h"
#include "policies/deadlock/deadlock.h"
#include "tests/unit/look.h"
#include "tests/unit/proof.h"

enum { TASKS = 4 };

static struct deadlock_rank work[TASKS];

/* How many are in the deadlock, after so long. */
static uint32_t proof(uint64_t still_ns)
{
    return proof_of(work, still_ns, -1);
}

static void on_two_nodes(void)
{
    for (uint32_t r = 0; r < look.in.nranks; r++)
        look.account[r].node = 1 + r;
}

/* Rank 0 waits for the end of a send, and has sent another message like it
 * before or after: which one the receiver has got, who waits for a third one? */
static void one_of_two(const char *before, const char *behind)
{
    look_at(2);
    on_two_nodes();
    is_in(0, "Wait");
    asks(0, "Isend", 1, 7);
    talks(1, "Recv", 0, 8);
    world(0);
    if (before)
        flew(0, before, WORLD, 0, 1, 7);
    flew(0, "Isend", WORLD, 0, 1, 7);
    if (behind)
        flew(0, behind, WORLD, 0, 1, 7);
    sent(0, 1, WORLD, 7);               /* one of them was received */
    received(1, 0, WORLD, 7);
}

static void later_ones_like_it(void **state)
{
    (void)state;
    one_of_two("Bsend", NULL);
    assert_int_equal(proof(S), 2);
    one_of_two(NULL, "Bsend");
    assert_int_equal(proof(S), 0);      /* the word of it may be under way */
    sent(0, 1, WORLD, 7);
    assert_int_equal(proof(S), 2);      /* neither was received */
    one_of_two("Isend", "Wait");        /* which of them is over? */
    assert_int_equal(proof(S), 0);
    one_of_two("Isend", "Startall");
    assert_int_equal(proof(S), 0);
    one_of_two(NULL, "Send_init");      /* sends nothing */
    assert_int_equal(proof(S), 2);
    one_of_two(NULL, "Wait");
    look.flight[1].tag = 9;             /* for another one */
    assert_int_equal(proof(S), 2);
}

/* On one node the word of it would have come. */
static void later_ones_on_one_node(void **state)
{
    (void)state;
    one_of_two(NULL, "Bsend");
    look.account[1].node = 1;
    assert_int_equal(proof(S), 0);
    assert_int_equal(proof(3 * S), 2);
}

/* Where the request tells what had been sent with it, nobody has to remember
 * what was sent since. */
static void knows_what_is_later(void **state)
{
    const uint64_t one = hct_message(WORLD, 7), all = 5 * one;
    struct hct_request *q;

    (void)state;
    one_of_two(NULL, "Bsend");
    q = &look.request[0];
    for (int i = 0; i < 3; i++)         /* beside the two */
        sent(0, 1, WORLD, 7);
    q->sent = all - one;                /* one of the five is later */
    assert_int_equal(proof(S), 2);
    for (int i = 0; i < 3; i++)
        received(1, 0, WORLD, 7);
    assert_int_equal(proof(S), 0);      /* it was received */
    q->sent = all;
    assert_int_equal(proof(S), 2);      /* the last one never was */
    asks(1, "Irecv", 0, 7)->waited = 0; /* ... but is about to be */
    assert_int_equal(proof(S), 0);
}

/* What the receiver on another node has got is not known to be finished: the word
 * of it may be under way. A send that may have left long ago says nothing then. */
static void word_of_it(void **state)
{
    (void)state;
    look_at(3);
    look.account[0].eager = HCT_EAGER_UNKNOWN;
    look.account[1].node = 2;
    is_in(0, "Waitall");
    asks(0, "Issend", 1, 7);
    asks(0, "Isend", 2, 7);
    is_in(1, "Finalize");
    is_in(2, "Finalize");
    world(0);
    received(1, 0, WORLD, 7);
    assert_int_equal(proof(3 * S), 0);
    look.account[1].node = look.account[0].node;
    assert_int_equal(proof(3 * S), 1);
}

/* Rank 0 waits on a communicator of two, and rank 1 has sent on another one, of
 * which rank 0 is a member, too. */
static uint32_t on_another(uint32_t size, uint32_t place)
{
    struct hct_comm *c;

    look_at(3);
    on_two_nodes();
    talks(0, "Recv", 1, 7)->comm = 0xaa;
    talks(1, "Recv", 0, 8)->comm = 0xbb;
    talks(2, "Recv", 0, 8);
    world(0);
    member(0, 0xaa, 2, 0, NULL);
    member(0, 0xbb, 3, 0, NULL);
    c = member(1, 0xbb, size, 0, NULL);
    c->local = place;
    sent(1, 0, 0xbb, 7);
    return proof(S);
}

/* Each may know one communicator by another number, but not by another size, nor
 * from the same place in it. */
static void other_communicator(void **state)
{
    (void)state;
    assert_int_equal(on_another(3, 1), 3);
    assert_int_equal(on_another(2, 0), 3);
    assert_int_equal(on_another(2, 1), 0);
}

/* A message that came before is for a request that was made before. */
static void taken_before(void **state)
{
    (void)state;
    look_at(2);
    on_two_nodes();
    talks(0, "Recv", 1, 7);
    asks(0, "Irecv", HCT_ANY, 7)->waited = 0;
    talks(1, "Recv", 0, 8);
    world(0);
    sent(1, 0, WORLD, 7);
    assert_int_equal(proof(S), 2);
    sent(1, 0, WORLD, 7);
    assert_int_equal(proof(S), 0);
}

/* Of two requests for one message the one that was started first takes it. */
static void first_started(void **state)
{
    struct hct_request *first, *next;

    (void)state;
    look_at(2);
    on_two_nodes();
    is_in(0, "Wait");
    first = asks(0, "Irecv", HCT_ANY, 7);
    first->waited = 0;
    next = asks(0, "Irecv", 1, 7);
    look.rank[0].requests = 1;
    talks(1, "Recv", 0, 8);
    world(0);
    sent(1, 0, WORLD, 7);
    assert_int_equal(proof(S), 0);      /* it is not known which one was */
    first->sent = 4;
    next->sent = 5;
    assert_int_equal(proof(S), 2);
    first->sent = 6;
    assert_int_equal(proof(S), 0);
}

/* ... whatever else is on its way that is for none of these. */
static void others_are_elsewhere(void **state)
{
    (void)state;
    look_at(3);
    on_two_nodes();
    talks(0, "Recv", 1, 7);
    asks(0, "Irecv", HCT_ANY, 7)->waited = 0;
    talks(1, "Recv", 0, 8);
    talks(2, "Recv", 0, 8);
    world(0);
    sent(1, 0, WORLD, 7);
    sent(2, 0, WORLD, 9);
    assert_int_equal(proof(S), 3);
    look.request[0].tag = HCT_ANY;      /* it may take that one */
    assert_int_equal(proof(S), 0);
    look.request[0].tag = 7;
    sent(2, 0, WORLD, 7);
    assert_int_equal(proof(S), 0);
}

/* ... and not where it is not known what another one has sent: that may have been
 * taken before, and this one is left. */
static void others_are_unknown(void **state)
{
    (void)state;
    look_at(3);
    on_two_nodes();
    talks(0, "Recv", 1, 7);
    asks(0, "Irecv", HCT_ANY, 7)->waited = 0;
    talks(1, "Recv", 0, 8);
    talks(2, "Recv", 0, 8);
    world(0);
    sent(1, 0, WORLD, 7);
    assert_int_equal(proof(S), 3);
    look.in.naccounts = 2;
    assert_int_equal(proof(S), 0);
}

/* What another thread has sent meanwhile is not to be told from what this one
 * sends; but where none of that kind has been received, both are there yet. */
static void sent_by_threads(void **state)
{
    static const struct { int32_t tag; uint32_t blind, stuck; } taken[] = {
        { 0, 0, 2 },            /* none */
        { 7, 0, 0 },            /* one like it */
        { 8, 0, 2 },            /* one of another kind */
        { 8, 1, 0 },            /* ... and one that nobody knows */
        { 400, 0, 0 } };        /* a kind that nobody remembers */

    (void)state;
    for (size_t i = 0; i < sizeof(taken) / sizeof(taken[0]); i++) {
        look_at(2);
        on_two_nodes();
        talks(0, "Ssend", 1, 7);
        talks(1, "Recv", 0, 8);
        world(0);
        look.rank[0].level = HCT_LEVEL_MULTIPLE;
        look.rank[0].threads = 2;
        look.rank[0].flags |= HCT_ALONE;
        if (taken[i].tag) {
            sent(0, 1, WORLD, taken[i].tag);
            received(1, 0, WORLD, taken[i].tag);
        }
        look.account[1].blind = taken[i].blind;
        sent(0, 1, WORLD, 7);
        assert_int_equal(proof(S), taken[i].stuck);
    }
}

/* ... but not if that was cancelled. */
static void cancelled_before(void **state)
{
    (void)state;
    look_at(2);
    on_two_nodes();
    talks(0, "Recv", 1, 7);
    asks(0, "Irecv", 1, 7)->waited = 0;
    talks(1, "Recv", 0, 8);
    world(0);
    sent(1, 0, WORLD, 7);
    assert_int_equal(proof(S), 2);
    look.account[0].unsure = 1;
    assert_int_equal(proof(S), 0);
}

/* ... and if there is one for each of them, no other receive gets any. */
static void all_taken_before(void **state)
{
    (void)state;
    look_at(2);
    on_two_nodes();
    talks(0, "Recv", HCT_ANY, HCT_ANY);
    asks(0, "Irecv", 1, 7)->waited = 0;
    asks(0, "Irecv", 1, 9)->waited = 0;
    talks(1, "Recv", 0, 8);
    world(0);
    sent(1, 0, WORLD, 7);
    sent(1, 0, WORLD, 9);
    assert_int_equal(proof(S), 2);
    sent(1, 0, WORLD, 9);
    assert_int_equal(proof(S), 0);
    asks(0, "Irecv", HCT_ANY, 9)->waited = 0;
    assert_int_equal(proof(S), 2);      /* whoever it is from */
    sent(1, 0, WORLD, 9);
    assert_int_equal(proof(S), 0);
}

/* Of two messages the receiver's request takes the first. */
static void takes_the_first(void **state)
{
    (void)state;
    look_at(2);
    on_two_nodes();
    talks(0, "Ssend", 1, 7);
    asks(1, "Irecv", 0, 7)->waited = 0;
    talks(1, "Recv", 0, 8);
    world(0);
    assert_int_equal(proof(S), 0);
    sent(0, 1, WORLD, 7);
    assert_int_equal(proof(S), 2);
}

/* One has come and is not waited for any more, the other is never received. */
static void one_has_come(void **state)
{
    (void)state;
    look_at(3);
    look.account[0].eager = HCT_EAGER_UNKNOWN;
    is_in(0, "Waitall");
    asks(0, "Irecv", 1, 7);
    asks(0, "Isend", 2, 7);
    is_in(1, "Finalize");
    is_in(2, "Finalize");
    world(0);
    sent(1, 0, WORLD, 7);
    assert_int_equal(proof(3 * S), 1);
}

/* What was sent long ago with another tag is not what is waited for. */
static void stray_message(void **state)
{
    (void)state;
    look_at(2);
    on_two_nodes();
    talks(0, "Recv", 1, 2);
    talks(1, "Recv", 0, 8);
    world(0);
    sent(1, 0, WORLD, 11);
    assert_int_equal(proof(S), 2);
    sent(1, 0, WORLD, 2);
    assert_int_equal(proof(S), 0);
    look.in.npairs = 0;
    for (unsigned i = 0; i < 3; i++)
        sent(1, 0, WORLD, 12);
    assert_int_equal(proof(S), 2);
    flew(1, "Bsend", WORLD, 0, 0, 11);
    sent(1, 0, WORLD, 11);
    assert_int_equal(proof(S), 2);
    sent(1, 0, WORLD, 13);              /* two kinds that nobody remembers */
    assert_int_equal(proof(S), 0);
    look.in.npairs = 0;
    sent(1, 0, WORLD, 11);
    flew(1, "Bsend", WORLD, 0, 0, 12);
    sent(1, 0, WORLD, 12);
    sent(1, 0, WORLD, 13);              /* one, and two that are known */
    assert_int_equal(proof(S), 2);
    look.in.npairs = 0;
    sent(1, 0, WORLD, 5000);            /* nobody tries all of them */
    assert_int_equal(proof(S), 0);
}

static void window(uint32_t r, const char *call, uint64_t win, int target)
{
    is_in(r, call)->comm = win;
    look.rank[r].peer = target;
}

static void locks_crosswise(void **state)
{
    (void)state;
    look_at(2);
    flew(0, "Win_lock", 0xaaaa, 0, 0, HCT_NONE);
    flew(1, "Win_lock", 0xbbbb, 0, 1, HCT_NONE);
    window(0, "Win_lock", 0xbbbb, 1);
    window(1, "Win_lock", 0xaaaa, 0);
    world(0);
    assert_int_equal(proof(20 * S), 2);
    flew(1, "Win_unlock", 0xbbbb, 0, 1, HCT_NONE);
    assert_int_equal(proof(20 * S), 0);
}

/* Who holds the lock waits for others to complete what they have put there. */
static void keeps_locked(void **state)
{
    (void)state;
    look_at(3);
    flew(1, "Win_lock", 0xaaaa, 0, 2, HCT_NONE);
    window(0, "Win_lock", 0xaaaa, 2);
    window(1, "Win_wait", 0xaaaa, HCT_NONE);
    is_in(2, "Finalize");
    world(0);
    for (uint32_t r = 0; r < 3; r++)
        member(r, 0xaaaa, 3, 0, NULL)->kind = HCT_KIND_WIN;
    assert_int_equal(proof(20 * S), 2);
    window(1, "Win_unlock", 0xaaaa, 2);
    assert_int_equal(proof(20 * S), 0);
}

static void locks_twice(void **state)
{
    (void)state;
    look_at(2);
    flew(0, "Win_lock", 0xaaaa, 0, 1, HCT_NONE);
    window(0, "Win_lock", 0xaaaa, 1);
    is_in(1, "Finalize");
    world(0);
    assert_int_equal(proof(20 * S), 1);
}

/* Locks that are shared, and much that is put: that is at work. */
static void flushes_much(void **state)
{
    static const char *const calls[] = { "Win_flush", "Win_unlock" };

    (void)state;
    for (unsigned i = 0; i < 2; i++) {
        look_at(2);
        flew(0, "Win_lock", 0xaaaa, 0, 1, HCT_NONE);
        flew(1, "Win_lock_all", 0xaaaa, 0, HCT_NONE, HCT_NONE);
        window(0, calls[i], 0xaaaa, 1);
        talks(1, "Recv", 0, 7);
        world(0);
        assert_int_equal(proof(20 * S), 0);
    }
}

/* The root has left a call out, so that numbers do not mean the same: on one
 * node time says that nothing comes of it. */
static void root_behind(void **state)
{
    (void)state;
    look_at(2);
    joins(0, "Bcast", WORLD, 3, 1)->bytes = 8;
    talks(1, "Recv", 0, 7);
    member(0, WORLD, 2, 3, "Bcast")->history_before = 77;
    member(1, WORLD, 2, 2, "Bcast");
    assert_int_equal(proof(S), 0);
    assert_int_equal(proof(20 * S), 2);
    on_two_nodes();
    assert_int_equal(proof(20 * S), 0);
}

/* Two are in different calls: the third one, who may yet come, does not help. */
static void different_before_all_came(void **state)
{
    (void)state;
    look_at(3);
    on_two_nodes();
    joins(0, "Barrier", WORLD, 1, HCT_NONE);
    joins(1, "Allreduce", WORLD, 1, HCT_NONE)->bytes = 8;
    member(0, WORLD, 3, 1, "Barrier");
    member(1, WORLD, 3, 1, "Allreduce");
    member(2, WORLD, 3, 0, NULL);
    assert_int_equal(proof(S), 2);
    joins(1, "Barrier", WORLD, 1, HCT_NONE);
    look.comm[1].call = number_of("Barrier");
    assert_int_equal(proof(S), 0);
}

/* Calls that need not wait are matched by their number alone: who has gone on
 * since has perhaps made another one, that lets go who waits. */
static void what_it_made_is_forgotten(void **state)
{
    struct hct_comm *c;

    (void)state;
    look_at(3);
    on_two_nodes();
    is_in(0, "Wait");
    asks(0, "Ibarrier", HCT_NONE, HCT_NONE)->collective = 1;
    is_in(1, "Finalize");
    is_in(2, "Finalize");
    member(0, WORLD, 3, 1, "Ibarrier")->history = 77;
    c = member(1, WORLD, 3, 2, "Ibarrier");
    c->history_before = 77;
    member(2, WORLD, 3, 0, NULL);
    assert_int_equal(proof(S), 1);
    c->history_before = 88;
    assert_int_equal(proof(S), 0);
    c->collectives = 3;
    assert_int_equal(proof(S), 0);
}

/* Who has just ended has perhaps completed what another one waits for. */
static void has_just_ended(void **state)
{
    (void)state;
    look_at(2);
    is_in(0, "Win_wait")->comm = 0xdddd;
    is_in(1, "Finalize");
    world(0);
    member(0, 0xdddd, 2, 0, NULL)->kind = HCT_KIND_WIN;
    member(1, 0xdddd, 2, 0, NULL)->kind = HCT_KIND_WIN;
    assert_int_equal(proof(20 * S), 1);
    look.rank[1].age_ns = 50 * MS;
    assert_int_equal(proof(20 * S), 0);
}

/* All have entered it, but one has made other calls before, or named another
 * root, of which only the history tells. */
static void histories_differ(void **state)
{
    (void)state;
    for (unsigned i = 0; i < 4; i++) {
        look_at(2);
        joins(0, "Allgather", WORLD, 2, HCT_NONE)->bytes = 8;
        is_in(1, "Finalize");
        member(0, WORLD, 2, 2, "Allgather")->history = i % 2 ? 77 : 1002;
        member(1, WORLD, 2, 2 + i / 2, "Allgather");
        assert_int_equal(proof(S), 0);
        assert_int_equal(proof(20 * S), i % 2);
        on_two_nodes();
        assert_int_equal(proof(20 * S), 0);
    }
}

/* All have entered the first call on what has one number and is two things: a
 * window to one, to the other a communicator that it has freed. */
static void one_number_for_two(void **state)
{
    (void)state;
    for (unsigned i = 0; i < 2; i++) {
        look_at(2);
        on_two_nodes();
        joins(0, "Win_free", 0xdddd, 1, HCT_NONE);
        talks(1, "Recv", 0, 7);
        flew(1, "Comm_free", 0xdddd, 1, HCT_NONE, HCT_NONE);
        world(0);
        member(0, 0xdddd, 2, 1, "Win_free")->kind = HCT_KIND_WIN;
        member(1, 0xdddd, 2, 1, "Comm_free")->freed = 1;
        look.comm[3].kind = i ? HCT_KIND_WIN : HCT_KIND_COMM;
        assert_int_equal(proof(20 * S), i ? 2 : 0);
    }
}

/* Rank 1 has made its receive, and waits for something else; of the other message
 * it is not known whether it waits for its receiver. */
static void two_sends(const char *there)
{
    look_at(4);
    look.account[3].node = 2;
    is_in(0, "Waitall");
    asks(0, "Isend", 1, 7)->bytes = 4000;
    asks(0, "Isend", 2, 7)->bytes = 4000;
    talks(1, there, 3, 8);
    asks(1, "Irecv", 0, 7)->waited = 0;
    is_in(2, "Finalize");
    world(0);
}

static void another_send_has_gone(void **state)
{
    (void)state;
    two_sends("Recv");                  /* of one who computes */
    assert_int_equal(proof(S), 0);
    assert_int_equal(proof(3 * S), 1);
    sent(0, 1, WORLD, 7);               /* one more than are asked for */
    assert_int_equal(proof(3 * S), 0);
    two_sends("Recv");
    look.rank[1].flags &= (uint16_t)~HCT_IN_MPI;
    assert_int_equal(proof(3 * S), 0);
    two_sends("Recv");
    look.rank[1].flags &= (uint16_t)~HCT_RUNS;
    assert_int_equal(proof(3 * S), 0);
    two_sends("Recv");
    look.account[1].node = 2;
    assert_int_equal(proof(3 * S), 0);
}

/* MPI_Sendrecv takes one message, and no other one like it. */
static void behind_a_sendrecv(void **state)
{
    (void)state;
    look_at(3);
    on_two_nodes();
    talks(0, "Send", 1, 7);
    talks(1, "Sendrecv", 2, 7)->source = 0;
    look.account[1].source_tag = 7;
    is_in(2, "Finalize");
    world(0);
    assert_int_equal(proof(S), 1);      /* only who sends to the one that ends */
    sent(0, 1, WORLD, 7);
    assert_int_equal(proof(S), 2);
    asks(1, "Irecv", 0, 7)->waited = 0; /* ... but it has asked for two */
    assert_int_equal(proof(S), 1);
}

/* Of those that have not entered the call, one has made other ones before. */
static void one_of_those_missing(void **state)
{
    (void)state;
    look_at(4);
    on_two_nodes();
    joins(0, "Barrier", WORLD, 2, HCT_NONE);
    member(0, WORLD, 4, 2, "Barrier");
    for (uint32_t r = 1; r < 4; r++) {
        is_in(r, "Finalize");
        member(r, WORLD, 4, 1, "Bcast")->history = 4 + r;
    }
    assert_int_equal(proof(S), 0);
    look.comm[2].history = look.comm[0].history_before;
    assert_int_equal(proof(S), 1);
    look.comm[2].history = 6;
    look.comm[3].collectives = look.comm[3].history = 0;
    assert_int_equal(proof(S), 1);
}

/* The first one that has made a different call has made another one since; the next
 * one has not, and will not. */
static void one_of_those_different(void **state)
{
    (void)state;
    look_at(3);
    on_two_nodes();
    is_in(0, "Finalize");
    joins(1, "Barrier", WORLD, 1, HCT_NONE);
    joins(2, "Allgather", WORLD, 1, HCT_NONE);
    world(1);
    flew(0, "Scan", WORLD, 1, HCT_NONE, HCT_NONE);
    look.comm[0].collectives = 2;
    assert_int_equal(proof(S), 2);
    joins(2, "Barrier", WORLD, 1, HCT_NONE);
    look.comm[2].call = number_of("Barrier");
    assert_int_equal(proof(S), 0);
    look.comm[0].collectives = 1;
    look.comm[0].call = number_of("Ibarrier");
    look.flight[0].call = number_of("Ibarrier");
    assert_int_equal(proof(S), 2);
    look.comm[0].kind = HCT_KIND_WIN;   /* another one, with that number */
    assert_int_equal(proof(S), 0);
}

/* The first one in a different call turns out to be free, and another one not. */
static void another_different_one(void **state)
{
    (void)state;
    look_at(3);
    on_two_nodes();
    joins(0, "Scatter", WORLD, 1, 2);
    joins(1, "Barrier", WORLD, 1, HCT_NONE);
    is_in(2, "Finalize");
    world(1);
    look.comm[2].call = number_of("Scatter");
    assert_int_equal(proof(S), 1);
    look.rank[2].flags &= (uint16_t)~HCT_IN_MPI;
    look.rank[2].life = HCT_LIFE_RUNNING;
    assert_int_equal(proof(S), 0);
}

/* Those in the same call pass on what it moves, and that has to have its time. */
static void different_and_much(void **state)
{
    (void)state;
    look_at(3);
    joins(0, "Scan", WORLD, 1, HCT_NONE)->bytes = 50000000;
    joins(1, "Scan", WORLD, 1, HCT_NONE)->bytes = 50000000;
    joins(2, "Allgather", WORLD, 1, HCT_NONE)->bytes = 8;
    world(1);
    assert_int_equal(proof(5 * S), 0);
    assert_int_equal(proof(20 * S), 3);
}

/* MPI_Scan waits for those before, and for no others. */
static void scan_of_those_before(void **state)
{
    (void)state;
    for (uint32_t r = 0; r < 2; r++) {
        look_at(2);
        on_two_nodes();
        is_in(1 - r, "Finalize");
        joins(r, "Scan", WORLD, 1, HCT_NONE)->bytes = 8;
        world(0);
        look.comm[0].local = 0;
        look.comm[1].local = 1;
        assert_int_equal(proof(3 * S), r);
    }
    look.rank[1].bytes = 0;
    assert_int_equal(proof(3 * S), 0);
}

/* MPI_Win_fence that ends nothing need not wait: but then it would be over. */
static void fence_of_all(void **state)
{
    (void)state;
    look_at(2);
    on_two_nodes();
    is_in(0, "Finalize");
    joins(1, "Win_fence", 77, 2, HCT_NONE);
    for (uint32_t r = 0; r < 2; r++)
        member(r, 77, 2, 1 + r, "Win_fence")->kind = HCT_KIND_WIN;
    world(0);
    assert_int_equal(proof(S), 0);
    assert_int_equal(proof(3 * S), 1);
    look.rank[1].flags &= (uint16_t)~HCT_RUNS;
    assert_int_equal(proof(10 * S), 0);
}

/* Ranks 0 and 1 know a communicator of all three by number 70, and rank 2, which
 * has made another call before, by another one. */
static void two_numbers(uint64_t first, uint64_t second, uint64_t third)
{
    look_at(3);
    if (first)
        joins(0, "Barrier", 70, first, HCT_NONE);
    else
        talks(0, "Recv", HCT_ANY, 7)->comm = 70;
    if (second)
        joins(1, "Barrier", 70, second, HCT_NONE);
    else
        is_in(1, "Finalize");
    is_in(2, "Finalize");
    world(1);
    member(0, 70, 3, first, NULL);
    member(1, 70, 3, second, NULL);
    member(2, 80, 3, third, NULL);
}

/* One who knows it by this number has not come: who else there is does not
 * matter. */
static void one_number_lacks(void **state)
{
    (void)state;
    two_numbers(1, 0, 0);
    on_two_nodes();
    assert_int_equal(proof(S), 1);
    two_numbers(1, 1, 0);
    on_two_nodes();
    assert_int_equal(proof(S), 0);
    two_numbers(1, 0, 0);
    look.rank[1].life = HCT_LIFE_RUNNING;       /* it may come yet */
    look.rank[1].flags &= (uint16_t)~HCT_IN_MPI;
    assert_int_equal(proof(S), 0);
}

/* All who know it by this number have come, and on one node it would be over, if
 * the others had, too. */
static void stranger_lacks(void **state)
{
    (void)state;
    two_numbers(1, 1, 0);
    assert_int_equal(proof(S), 0);
    assert_int_equal(proof(3 * S), 2);
    two_numbers(1, 1, 1);                       /* it has */
    assert_int_equal(proof(3 * S), 0);
    two_numbers(1, 1, 0);
    look.rank[2].life = HCT_LIFE_RUNNING;
    look.rank[2].flags &= (uint16_t)~HCT_IN_MPI;
    assert_int_equal(proof(3 * S), 0);
    two_numbers(1, 1, 0);
    on_two_nodes();
    assert_int_equal(proof(3 * S), 0);
}

/* Whoever the others are, there is nobody who could send. */
static void any_stranger(void **state)
{
    (void)state;
    two_numbers(0, 0, 0);
    on_two_nodes();
    assert_int_equal(proof(S), 1);
    look.rank[2].life = HCT_LIFE_RUNNING;
    look.rank[2].flags &= (uint16_t)~HCT_IN_MPI;
    assert_int_equal(proof(S), 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(later_ones_like_it),
        cmocka_unit_test(later_ones_on_one_node),
        cmocka_unit_test(knows_what_is_later),
        cmocka_unit_test(word_of_it),
        cmocka_unit_test(other_communicator),
        cmocka_unit_test(different_before_all_came),
        cmocka_unit_test(what_it_made_is_forgotten),
        cmocka_unit_test(taken_before),
        cmocka_unit_test(first_started),
        cmocka_unit_test(others_are_elsewhere),
        cmocka_unit_test(others_are_unknown),
        cmocka_unit_test(sent_by_threads),
        cmocka_unit_test(cancelled_before),
        cmocka_unit_test(all_taken_before),
        cmocka_unit_test(takes_the_first),
        cmocka_unit_test(one_has_come),
        cmocka_unit_test(stray_message),
        cmocka_unit_test(locks_crosswise),
        cmocka_unit_test(keeps_locked),
        cmocka_unit_test(locks_twice),
        cmocka_unit_test(flushes_much),
        cmocka_unit_test(root_behind),
        cmocka_unit_test(histories_differ),
        cmocka_unit_test(has_just_ended),
        cmocka_unit_test(one_number_for_two),
        cmocka_unit_test(another_send_has_gone),
        cmocka_unit_test(behind_a_sendrecv),
        cmocka_unit_test(one_of_those_missing),
        cmocka_unit_test(one_of_those_different),
        cmocka_unit_test(another_different_one),
        cmocka_unit_test(different_and_much),
        cmocka_unit_test(scan_of_those_before),
        cmocka_unit_test(fence_of_all),
        cmocka_unit_test(one_number_lacks),
        cmocka_unit_test(stranger_lacks),
        cmocka_unit_test(any_stranger),
    };

    cmocka_set_message_output(CM_OUTPUT_TAP);
    return cmocka_run_group_tests(tests, NULL, NULL);
}
