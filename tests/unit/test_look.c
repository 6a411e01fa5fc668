/* test_look.c - what a look finds in a page and in the texts of /proc, and
 * that only what has changed is said. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <stdio.h>

#include <cmocka.h>

#include "mpi-wrappers/page.h"
#include "mpi-wrappers/table/calls.h"
#include "policies/hct_policy.h"
#include "slave/jobs/look.h"
#include "slave/proc/procstate.h"

#define SET(field, value) \
    atomic_store_explicit(&(field), (value), memory_order_relaxed)

static struct node node;
static char *page;
static struct task task;
static uint8_t polls[PAGE_CALLS / 8];

static struct page_slot *slot(unsigned i)
{
    return (struct page_slot *)(page + page_slot_at(i));
}

static struct page_count *count_of(unsigned i, unsigned call)
{
    return (struct page_count *)
        (page + page_counts_at(PAGE_SLOTS, PAGE_CALLS, i)) + call;
}

static int setup(void **state)
{
    struct page_header *h;

    (void)state;
    page = mmap(NULL, page_bytes(PAGE_SLOTS, PAGE_CALLS, PAGE_RING_BYTES),
                PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS |
                MAP_NORESERVE, -1, 0);
    h = (void *)page;
    SET(h->state, PAGE_STATE_RUNNING);
    SET(h->clock, PAGE_CLOCK_MONOTONIC);
    SET(h->slots_used, 1);
    memset(&task, 0, sizeof(task));
    task.rank = 3;
    task.pid = 1 << 30;                 /* nobody */
    task.tally.page = page;
    task.tally.pid = 1 << 30;
    ticks_init(&node.ticks);
    memset(polls, 0, sizeof(polls));
    polls[CALL_Test / 8] |= (uint8_t)(1u << CALL_Test % 8);
    return 0;
}

static int teardown(void **state)
{
    (void)state;
    look_task_free(task.look);
    munmap(page, page_bytes(PAGE_SLOTS, PAGE_CALLS, PAGE_RING_BYTES));
    return 0;
}

static size_t look(struct look *l, Hct__Look *order, bool full)
{
    hct__look__init(order);
    order->full = full;
    if (full) {
        order->polls.data = polls;
        order->polls.len = sizeof(polls);
    }
    *l = (struct look){ .node = &node, .order = order };
    look_at(l, &task);
    return l->ntasks;
}

/* A full one, with these parts. */
static void look_with(struct look *l, Hct__Look *order, uint32_t parts)
{
    hct__look__init(order);
    order->full = true;
    order->polls.data = polls;
    order->polls.len = sizeof(polls);
    order->parts = parts;
    *l = (struct look){ .node = &node, .order = order };
    look_at(l, &task);
}

/* A task without room for its tags waits for Hector: nothing is known of what
 * it would do. */
static void test_no_room(void **state)
{
    struct look l;
    Hct__Look order;

    (void)state;
    SET(slot(0)->tid, 77);
    SET(slot(0)->calls, 5);
    SET(slot(0)->tail, 1 << 20);
    SET(slot(0)->head, (1 << 20) + PAGE_RING_BYTES / 2);
    assert_int_equal(look(&l, &order, true), 1);
    assert_int_equal(l.tasks[0].flags, HCT_OBSERVED | HCT_PAGE);
    free(l.tasks);
    SET(slot(0)->head, (1 << 20) + PAGE_RING_BYTES - 8);
    assert_int_equal(look(&l, &order, false), 1);
    assert_int_equal(l.tasks[0].flags, 0);
    free(l.tasks);
    SET(slot(0)->tail, (1 << 20) + PAGE_RING_BYTES - 8);
    assert_int_equal(look(&l, &order, false), 1);
    assert_int_equal(l.tasks[0].flags, HCT_OBSERVED | HCT_PAGE);
    free(l.tasks);
}

static void test_page(void **state)
{
    struct look l;
    Hct__Look order;

    (void)state;
    SET(slot(0)->tid, 77);
    SET(slot(0)->calls, 5);
    SET(slot(0)->call, CALL_Recv);
    SET(slot(0)->since_ticks, ticks_now(PAGE_CLOCK_MONOTONIC) - 1000000);
    SET(slot(0)->peer, 2);
    SET(slot(0)->tag, 9);
    SET(slot(0)->comm, PAGE_COMM_WORLD);
    SET(count_of(0, CALL_Test)->calls, 4);
    SET(count_of(0, CALL_Send)->calls, 8);
    assert_int_equal(look(&l, &order, true), 1);
    assert_int_equal(l.tasks[0].rank, 3);
    assert_int_equal(l.tasks[0].life, HCT_LIFE_RUNNING);
    assert_int_equal(l.tasks[0].flags, HCT_OBSERVED | HCT_PAGE | HCT_IN_MPI);
    assert_int_equal(l.tasks[0].call, CALL_Recv);
    assert_int_equal(l.tasks[0].calls, 5);
    assert_int_equal(l.tasks[0].polls, 4);
    assert_int_equal(l.tasks[0].peer, 2);
    assert_int_equal(l.tasks[0].tag, 9);
    assert_true(l.tasks[0].age_ns >= 1000000);
    free(l.tasks);
    assert_int_equal(look(&l, &order, false), 0);       /* nothing is new */
    SET(slot(0)->calls, 6);
    SET(slot(0)->call, 0);
    assert_int_equal(look(&l, &order, false), 1);
    assert_int_equal(l.tasks[0].flags, HCT_OBSERVED | HCT_PAGE);
    assert_int_equal(l.tasks[0].threads_in, 0);
    free(l.tasks);
    SET(((struct page_header *)page)->phase, 3);
    SET(((struct page_header *)page)->phase_id, 0xfedcba98u);
    assert_int_equal(look(&l, &order, false), 1);
    assert_int_equal(l.tasks[0].phase, 3);
    assert_int_equal(l.tasks[0].phase_id, 0xfedcba98u);
    free(l.tasks);
    task.held = true;
    assert_int_equal(look(&l, &order, false), 1);
    assert_int_equal(l.tasks[0].flags & (HCT_SUSPENDED | HCT_STOPPED), HCT_SUSPENDED);
    free(l.tasks);
    task.by_others = true;
    assert_int_equal(look(&l, &order, false), 1);
    assert_int_equal(l.tasks[0].flags & (HCT_SUSPENDED | HCT_STOPPED),
                     HCT_SUSPENDED | HCT_STOPPED);
    free(l.tasks);
    task.held = task.by_others = false;
}

/* A function that begins to be used is a question from then on. */
static void test_new_question(void **state)
{
    struct look l;
    Hct__Look order;

    (void)state;
    SET(slot(0)->tid, 77);
    SET(slot(0)->calls, 5);
    SET(slot(0)->call, CALL_Recv);
    assert_int_equal(look(&l, &order, true), 1);
    assert_int_equal(l.tasks[0].polls, 0);
    free(l.tasks);
    SET(slot(0)->calls, 1006);
    SET(slot(0)->call, CALL_Test);
    SET(count_of(0, CALL_Test)->calls, 1000);
    assert_int_equal(look(&l, &order, false), 1);
    assert_int_equal(l.tasks[0].polls, 1000);
    free(l.tasks);
}

/* ... and so are those that it called between two looks: else its progress
 * would go back, later. */
static void test_stands(void **state)
{
    struct look l;
    Hct__Look order;

    (void)state;
    SET(slot(0)->tid, 77);
    SET(slot(0)->calls, 5);
    assert_int_equal(look(&l, &order, true), 1);
    free(l.tasks);
    SET(slot(0)->calls, 1006);
    SET(slot(0)->call, CALL_Recv);
    SET(count_of(0, CALL_Test)->calls, 1000);
    assert_int_equal(look(&l, &order, false), 1);
    assert_int_equal(l.tasks[0].calls, 1006);
    assert_int_equal(l.tasks[0].polls, 1000);
    free(l.tasks);
    assert_int_equal(look(&l, &order, false), 0);
}

/* What is read of a task that asks in a loop is of several moments: its other
 * calls are never more than they were, nor do they become less. */
static void test_progress(void **state)
{
    static const struct {
        uint64_t calls, tests;
        uint32_t call;
        uint64_t progress;      /* calls but questions, when all is told */
    } reading[] = {
        { 10, 4, CALL_Test, 5 },
        { 2010, 2004, CALL_Test, 5 },
        { 3010, 3020, CALL_Test, 5 },   /* the questions were read later */
        { 3012, 3006, 0, 6 },           /* one more call has come */
        { 4012, 4005, CALL_Test, 6 },   /* 4006 were asked, it is in one */
        { 4013, 4006, CALL_Test, 6 },
        { 4014, 4007, CALL_Recv, 7 },
        { 3, 0, CALL_Recv, 3 },         /* of another page */
    };
    struct look l;
    Hct__Look order;

    (void)state;
    SET(slot(0)->tid, 77);
    for (size_t i = 0; i < sizeof(reading) / sizeof(reading[0]); i++) {
        uint64_t asks = reading[i].call == CALL_Test;

        SET(slot(0)->calls, reading[i].calls);
        SET(slot(0)->call, reading[i].call);
        SET(count_of(0, CALL_Test)->calls, reading[i].tests);
        assert_int_equal(look(&l, &order, i == 0), 1);
        if (l.tasks[0].calls - l.tasks[0].polls - asks != reading[i].progress)
            fail_msg("reading %zu: %d of %d calls are questions", i,
                     (int)l.tasks[0].polls, (int)l.tasks[0].calls);
        free(l.tasks);
    }
}

/* A thread in MPI speaks for a task whose main one computes. */
static void test_threads(void **state)
{
    struct look l;
    Hct__Look order;
    uint64_t now = ticks_now(PAGE_CLOCK_MONOTONIC);

    (void)state;
    SET(((struct page_header *)(void *)page)->slots_used, 3);
    for (unsigned i = 0; i < 3; i++) {
        SET(slot(i)->tid, 70 + i);
        SET(slot(i)->calls, 1);
        SET(slot(i)->since_ticks, now - 1000 * (i + 1));
    }
    SET(slot(1)->call, CALL_Send);
    SET(slot(2)->call, CALL_Barrier);
    assert_int_equal(look(&l, &order, true), 1);
    assert_int_equal(l.tasks[0].call, CALL_Barrier);    /* it entered first */
    assert_int_equal(l.tasks[0].threads, 3);
    assert_int_equal(l.tasks[0].threads_in, 2);
    assert_int_equal(l.tasks[0].calls, 3);
    free(l.tasks);
}

/* A thread that has only asked for the time is none of those that may send. */
static void test_helpers(void **state)
{
    struct look l;
    Hct__Look order;

    (void)state;
    SET(((struct page_header *)(void *)page)->slots_used, 2);
    for (unsigned i = 0; i < 2; i++) {
        SET(slot(i)->tid, 70 + i);
        SET(slot(i)->since_ticks, ticks_now(PAGE_CLOCK_MONOTONIC) - 1000);
    }
    SET(slot(0)->calls, 1);
    SET(slot(0)->call, CALL_Recv);
    SET(slot(1)->calls, 50);
    SET(count_of(1, CALL_Wtime)->calls, 50);
    assert_int_equal(look(&l, &order, true), 1);
    assert_int_equal(l.tasks[0].threads, 1);
    assert_int_equal(l.tasks[0].calls, 1);
    free(l.tasks);
    SET(slot(1)->calls, 51);            /* it has sent something */
    assert_int_equal(look(&l, &order, true), 1);
    assert_int_equal(l.tasks[0].threads, 2);
    assert_int_equal(l.tasks[0].calls, 52);
    free(l.tasks);
}

/* What the others wait for is told with the requests, those of each by a number
 * of its own. */
static void test_threads_wait(void **state)
{
    struct page_shared *s = (void *)
        (page + page_shared_at(PAGE_SLOTS, PAGE_CALLS, PAGE_RING_BYTES));
    struct look l;
    Hct__Look order;

    (void)state;
    SET(((struct page_header *)(void *)page)->slots_used, 3);
    for (unsigned i = 0; i < 3; i++) {
        SET(slot(i)->tid, 70 + i);
        SET(slot(i)->calls, 1);
        SET(slot(i)->call, i ? CALL_Waitall : CALL_Recv);
        SET(slot(i)->peer, 40 + (int)i);
        SET(slot(i)->site, 5);
        SET(s->request_key[i], 900 + i);
        SET(s->request[i].call, CALL_Irecv);
    }
    SET(s->request[1].waiter, 2);
    SET(s->request[2].waiter, 1);
    look_with(&l, &order, HCT_NEED_DETAIL);
    assert_int_equal(l.tasks[0].call, CALL_Recv);
    assert_int_equal(l.nrequests, 5);
    assert_int_equal(l.requests[0].waited, 0);
    assert_int_equal(l.requests[2].waited, HCT_WAITED_HERE);
    for (unsigned i = 1; i < 3; i++) {
        assert_int_equal(l.requests[2 + i].call, CALL_Waitall);
        assert_int_equal(l.requests[2 + i].peer, 40 + i);
        assert_int_equal(l.requests[2 + i].site, page_site_in(i, 5));
        assert_true(l.requests[2 + i].waited > HCT_WAITED_HERE);
    }
    assert_int_equal(l.requests[1].waited, l.requests[3].waited);
    assert_int_not_equal(l.requests[1].waited, l.requests[4].waited);
    look_free(&l);
}

/* Who may call only one at a time, and was seen to do otherwise, may do so again:
 * nothing is proven of the rule. */
static void test_serialized(void **state)
{
    struct page_header *h = (void *)page;
    struct look l;
    Hct__Look order;

    (void)state;
    SET(h->slots_used, 2);
    SET(h->level, HCT_LEVEL_SERIALIZED);
    for (unsigned i = 0; i < 2; i++) {
        SET(slot(i)->tid, 70 + i);
        SET(slot(i)->calls, 1);
    }
    SET(slot(1)->call, CALL_Recv);
    SET(slot(1)->site, 5);
    assert_int_equal(look(&l, &order, true), 1);
    assert_int_equal(l.tasks[0].level, HCT_LEVEL_SERIALIZED);
    assert_int_equal(l.tasks[0].site, page_site_in(1, 5));
    free(l.tasks);
    SET(slot(0)->call, CALL_Send);
    assert_int_equal(look(&l, &order, false), 1);
    assert_int_equal(l.tasks[0].level, HCT_LEVEL_MULTIPLE);
    free(l.tasks);
    SET(slot(0)->call, 0);
    assert_int_equal(look(&l, &order, false), 1);
    assert_int_equal(l.tasks[0].level, HCT_LEVEL_MULTIPLE);
    free(l.tasks);
}

/* Which message came first is known as long as no two threads may send at the
 * same time. */
static void test_sent_with_request(void **state)
{
    struct page_header *h = (void *)page;
    struct page_shared *s = (void *)(page + page_shared_at(
        PAGE_SLOTS, PAGE_CALLS, PAGE_RING_BYTES));
    static const struct { uint32_t level, slots; uint64_t sent; } cases[] = {
        { HCT_LEVEL_SINGLE, 1, 77 }, { HCT_LEVEL_SERIALIZED, 2, 77 },
        { HCT_LEVEL_MULTIPLE, 1, 77 }, { HCT_LEVEL_MULTIPLE, 2, 0 } };
    struct look l;
    Hct__Look order;

    (void)state;
    SET(slot(0)->tid, 70);
    SET(s->request_key[9], 1234);
    SET(s->request[9].call, CALL_Isend);
    SET(s->request[9].sent, 77);
    for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
        SET(h->level, cases[i].level);
        SET(h->slots_used, cases[i].slots);
        look_with(&l, &order, HCT_NEED_DETAIL);
        assert_int_equal(l.nrequests, 1);
        assert_int_equal(l.requests[0].sent, cases[i].sent);
        look_free(&l);
    }
}

/* Whatever a page holds, what is sent is within bounds. */
static void test_garbage(void **state)
{
    struct look l;
    Hct__Look order;

    (void)state;
    memset(page, 0xff, page_counts_at(PAGE_SLOTS, PAGE_CALLS, 2));
    assert_int_equal(look(&l, &order, true), 1);
    assert_true(l.tasks[0].life <= HCT_LIFE_ENDED);
    assert_true(l.tasks[0].call < PAGE_CALLS);
    assert_true(l.tasks[0].peer >= PAGE_UNKNOWN);
    free(l.tasks);
}

static void test_texts(void **state)
{
    char text[100];

    (void)state;
    assert_int_equal(procstate_letter("12 (a) S) D 1 2"), 'D');
    assert_int_equal(procstate_letter("12 (x) R"), 'R');
    assert_int_equal(procstate_letter("12 (x"), 0);
    assert_int_equal(procstate_letter(""), 0);
    snprintf(text, sizeof(text), "%ld 0x0 0x7ff 0x400", (long)SYS_read);
    assert_true(procstate_reads_stdin(text));
    snprintf(text, sizeof(text), "%ld 0x3 0x7ff 0x400", (long)SYS_read);
    assert_false(procstate_reads_stdin(text));
    assert_false(procstate_reads_stdin("running"));
    assert_false(procstate_reads_stdin("-1 0x0"));
    /* sleep until a signal comes; for a time, for a lock, for a file */
    assert_true(procstate_pauses("34 0x0 0x0 0x0 0x0 0x0 0x0 0x7f 0x7e") ==
                (SYS_ppoll == 271));
    snprintf(text, sizeof(text), "%ld 0x7f 0x8 0x0 0x0", (long)SYS_rt_sigsuspend);
    assert_true(procstate_pauses(text));
    snprintf(text, sizeof(text), "%ld 0x0 0x0 0x0 0x0", (long)SYS_ppoll);
    assert_true(procstate_pauses(text));
    snprintf(text, sizeof(text), "%ld 0x7f 0x1 0x0 0x0", (long)SYS_ppoll);
    assert_false(procstate_pauses(text));
    snprintf(text, sizeof(text), "%ld 0x0 0x0 0x7ff 0x0", (long)SYS_ppoll);
    assert_false(procstate_pauses(text));
    snprintf(text, sizeof(text), "%ld 0x1 0x1 0x7ff 0x0",
             (long)SYS_clock_nanosleep);
    assert_false(procstate_pauses(text));
    snprintf(text, sizeof(text), "%ld 0x7f 0x80 0x0 0x0", (long)SYS_futex);
    assert_false(procstate_pauses(text));
    assert_false(procstate_pauses("running"));
    assert_false(procstate_pauses(""));
}

/* What is known without a page; test_peek.c says where from. */
static void test_stack(void **state)
{
    char *kept = task.tally.page;
    struct look l;
    Hct__Look order;

    (void)state;
    task.tally.page = NULL;
    assert_int_equal(look(&l, &order, true), 1);
    assert_int_equal(l.tasks[0].life, HCT_LIFE_STARTED);
    assert_int_equal(l.tasks[0].flags & (HCT_OBSERVED | HCT_STACK), 0);
    free(l.tasks);
    task.facts = TASK_CONNECTED;
    task.nconnected = 1;
    task.peeked = (struct peeked){ .sample = 3, .in = true,
        .call = CALL_Recv, .at_ns = clock_monotonic_ns() - 5000000 };
    assert_int_equal(look(&l, &order, false), 1);
    assert_int_equal(l.tasks[0].life, HCT_LIFE_RUNNING);
    assert_int_equal(l.tasks[0].flags, HCT_OBSERVED | HCT_STACK | HCT_IN_MPI);
    assert_int_equal(l.tasks[0].call, CALL_Recv);
    assert_int_equal(l.tasks[0].sample, 3);
    assert_int_equal(l.tasks[0].peer, HCT_UNKNOWN);
    assert_true(l.tasks[0].age_ns >= 5000000);
    free(l.tasks);
    assert_int_equal(look(&l, &order, false), 0);       /* no new sample */
    task.peeked.sample++;
    task.peeked.call = CALL_Finalize;
    assert_int_equal(look(&l, &order, false), 1);
    assert_int_equal(l.tasks[0].life, HCT_LIFE_FINALIZE);
    free(l.tasks);
    task.tally.page = kept;
}

static size_t told_bytes(const struct look *l)
{
    Hct__Looked m = HCT__LOOKED__INIT;
    Hct__Looked__Task *tasks[] = { &l->tasks[0] };
    Hct__Looked__Model *models[] = { l->models };

    m.tasks = tasks;
    m.n_tasks = l->ntasks;
    m.models = models;
    m.n_models = l->nmodels;
    return hct__looked__get_packed_size(&m);
}

/* A model is read if that is asked for, and costs nothing if not. */
static void test_model(void **state)
{
    struct page_thread *t = (void *)(page + page_thread_at(
        PAGE_SLOTS, PAGE_CALLS, PAGE_RING_BYTES, 0));
    struct look l;
    Hct__Look order;
    size_t without;

    (void)state;
    SET(slot(0)->tid, 77);
    SET(slot(0)->calls, 1);
    SET(slot(0)->call, CALL_Recv);
    SET(slot(0)->site, PAGE_SITE_FIRST);
    SET(t->site[PAGE_SITE_FIRST].call, CALL_Recv);
    SET(t->site[PAGE_SITE_FIRST].address, 1);
    SET(t->bank[1].phase, 1);
    SET(t->bank[1].edge[0].ends, PAGE_SITE_START << 16 | PAGE_SITE_FIRST);
    SET(t->bank[1].edge[0].n, 1);
    SET(t->bank[1].used, 1);
    look(&l, &order, true);
    assert_int_equal(l.nmodels, 0);
    assert_null(l.reads);
    without = told_bytes(&l);
    look_free(&l);
    look_with(&l, &order, HCT_NEED_MODEL);
    assert_int_equal(l.nrequests + l.ncomms + l.nflights + l.naccounts, 0);
    assert_int_equal(l.nmodels, 1);
    assert_int_equal(l.models[0].rank, 3);
    assert_int_equal(l.models[0].n_sites, 3);
    assert_int_equal(l.models[0].at, 2);
    assert_int_equal(l.models[0].n_from, 1);
    assert_true(told_bytes(&l) > without + 50);
    look_free(&l);
}

int main(void)
{
#define T(f) cmocka_unit_test_setup_teardown(f, setup, teardown)
    const struct CMUnitTest tests[] = {
        T(test_page),
        T(test_no_room),
        T(test_new_question), T(test_stands), T(test_progress),
        T(test_serialized),
        T(test_threads), T(test_helpers), T(test_threads_wait),
        T(test_sent_with_request),
        T(test_garbage),
        T(test_texts),
        T(test_stack),
        T(test_model),
    };

    cmocka_set_message_output(CM_OUTPUT_TAP);
    return cmocka_run_group_tests(tests, NULL, NULL);
}
