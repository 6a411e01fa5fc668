/* test_lookmodel.c - the model in a page as a look tells it: states of each thread
 * with their places, edges between them, where the task is; and pages that are
 * scribbled over, of which what comes out is one that the master takes. */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <cmocka.h>

#include "master/watch/looks.h"
#include "proto/base/clock.h"
#include "proto/base/idtable.h"
#include "slave/page/lookmodel.h"
#include "slave/page/registry.h"

enum { SEND = 12, RECV = 13, TASKS = 2, A = 2, B = 3 };

static char *page[TASKS];
static struct lookmodel *reads;
static struct ticks ticks;
static Hct__Looked__Model model;

static struct page_thread *thread_of(unsigned task, unsigned slot)
{
    return (struct page_thread *)(page[task] + page_thread_at(
        PAGE_SLOTS, PAGE_CALLS, PAGE_RING_BYTES, slot));
}

static struct page_slot *slot_of(unsigned task, unsigned slot)
{
    return (struct page_slot *)(page[task] + page_slot_at(slot));
}

static int setup(void **state)
{
    struct err err;

    (void)state;
    for (unsigned i = 0; i < TASKS; i++) {
        int fd = registry_make_page(&page[i], 1, i, TASKS, &err);
        struct page_header *h = (struct page_header *)page[i];
        struct page_shared *s = (struct page_shared *)(page[i] +
            page_shared_at(PAGE_SLOTS, PAGE_CALLS, PAGE_RING_BYTES));

        assert_true(fd >= 0);
        close(fd);
        h->clock = PAGE_CLOCK_MONOTONIC;
        h->slots_used = 1;
        slot_of(i, 0)->tid = 100 + i;
        slot_of(i, 0)->calls = 1;
        s->module[0].start = 0x10000 * (i + 1);         /* mapped elsewhere */
        s->module[0].base = 0x10000 * (i + 1);
        s->module[0].end = 0x10000 * (i + 2);
        s->module[0].id_bytes = 4;
        memcpy(s->module[0].id, "same", 4);
    }
    ticks_init(&ticks);
    reads = lookmodel_create();
    assert_non_null(reads);
    hct__looked__model__init(&model);
    return 0;
}

static int teardown(void **state)
{
    (void)state;
    lookmodel_destroy(reads);
    free(model.places);
    for (unsigned i = 0; i < TASKS; i++)
        registry_drop_page(page[i]);
    return 0;
}

static struct lookmodel_time time_of;

static bool read_one(unsigned task, uint32_t site)
{
    free(model.places);
    hct__looked__model__init(&model);
    model.rank = task;
    return lookmodel_read(reads, page[task], &ticks, site, &time_of, &model);
}

static void put_site(unsigned task, unsigned slot, unsigned at, uint32_t call,
                     uint64_t offset)
{
    struct page_thread *t = thread_of(task, slot);

    t->site[at].call = call;
    t->site[at].frames = 1;
    t->site[at].calls = 10 * at;
    t->site[at].in_ticks = 1000;
    t->site[at].in_max = 70;
    t->site[at].out_ticks = 500;
    t->frame[at][0] = 0x10000 * (task + 1) + offset;
    t->site[at].address = 1;
}

static struct page_edge *put_edge(unsigned task, unsigned slot, unsigned bank,
                                  unsigned at, unsigned from, unsigned to)
{
    struct page_bank *b = &thread_of(task, slot)->bank[bank];
    struct page_edge *e = &b->edge[at];

    if (!b->phase)
        b->phase = bank ? bank : 5;     /* 5 of them are over */
    if (b->used <= at)
        b->used = at + 1;
    e->ends = from << 16 | to;
    e->n = 9;
    e->in_mean = 100;
    e->in_m2 = 4;
    e->out_mean = 1000;
    e->out_m2 = 16;
    e->bytes_mean = 1 << 20;
    e->bytes_m2 = 25;
    return e;
}

/* Two tasks that have made the same calls in another order: the numbers differ,
 * the places do not. */
static void test_places(void **state)
{
    uint64_t send, recv;

    (void)state;
    assert_true(read_one(0, 0));                /* in MPI_Init, say */
    assert_int_equal(model.n_sites, 2);
    assert_int_equal(model.n_from, 0);
    put_site(0, 0, A, SEND, 0x500);
    put_site(0, 0, B, RECV, 0x600);
    put_site(1, 0, A, RECV, 0x600);
    put_site(1, 0, B, SEND, 0x500);
    put_edge(0, 0, 1, 7, PAGE_SITE_START, A);
    put_edge(0, 0, 1, 8, A, B);
    put_edge(0, 0, 0, 3, B, A);
    slot_of(0, 0)->sites_lost = 3;
    thread_of(0, 0)->bank[1].lost = 4;
    assert_true(read_one(0, B));
    assert_int_equal(model.rank, 0);
    assert_int_equal(model.threads, 1);
    assert_int_equal(model.n_sites, 4);
    assert_int_equal(model.at, 3);
    assert_int_equal(model.lost, 7);
    assert_int_equal(model.calls[2], SEND);
    assert_int_equal(model.sites[2], A);
    assert_int_equal(model.visits[3], 10 * B);
    assert_int_equal(model.in_ns[2], 1000);     /* ticks are ns */
    assert_int_equal(model.longest_ns[2], 70);
    assert_int_equal(model.out_ns[2], 500);
    send = model.places[2];
    recv = model.places[3];
    assert_true(send && recv && send != recv);
    assert_int_equal(model.n_from, 3);
    assert_int_equal(model.phases[0], HCT_PHASES_OVER);
    assert_int_equal(model.from[0], 3);
    assert_int_equal(model.to[0], 2);
    assert_int_equal(model.phases[1], 0);
    assert_int_equal(model.from[1], 0);
    assert_int_equal(model.n[1], 9);
    assert_true(fabs(model.in_mean[1] - 100) < 1e-6);
    assert_true(fabs(model.in_m2[1] - 4) < 1e-6);
    assert_true(fabs(model.bytes_mean[1] - (1 << 20)) < 1e-6);
    assert_true(fabs(model.bytes_m2[1] - 25) < 1e-6);
    assert_true(fabs(model.out_mean[1] - 1000) < 1e-6);
    assert_true(fabs(model.out_m2[1] - 16) < 1e-6);
    assert_true(read_one(1, 99));
    assert_true(model.places[2] == recv && model.places[3] == send);
    assert_int_equal(model.at, 4);              /* nowhere that is known */
}

/* Each thread has states of its own. */
static void test_threads(void **state)
{
    (void)state;
    ((struct page_header *)page[0])->slots_used = 3;
    slot_of(0, 2)->tid = 7;
    slot_of(0, 2)->calls = 1;
    put_site(0, 0, A, SEND, 0x500);
    put_site(0, 2, A, SEND, 0x500);
    put_edge(0, 0, 1, 0, A, A);
    put_edge(0, 2, 1, 0, PAGE_SITE_START, A);
    put_edge(0, 2, 1, 1, A, B);                 /* which is not there */
    assert_true(read_one(0, page_site_in(2, A)));
    assert_int_equal(model.threads, 2);
    assert_int_equal(model.n_sites, 6);
    assert_int_equal(model.at, 5);
    assert_true(model.places[2] == model.places[5]);
    assert_int_equal(model.n_from, 3);
    assert_true(model.from[0] == 2 && model.to[0] == 2);
    assert_true(model.from[1] == 3 && model.to[1] == 5);
    assert_true(model.from[2] == 5 && model.to[2] == 4);
}

static void test_nothing(void **state)
{
    (void)state;
    ((struct page_header *)page[0])->slots_used = 0;
    assert_false(read_one(0, 0));
    ((struct page_header *)page[1])->clock = 77;
    assert_false(read_one(1, 0));
}

static bool all(const void *arg, uint32_t rank)
{
    (void)arg;
    return rank < TASKS;
}

static void test_scribbled(void **state)
{
    const struct hct_job job = { .size = sizeof(job), .nranks = TASKS };
    uint64_t *words = (uint64_t *)(void *)thread_of(0, 0);
    size_t n = sizeof(struct page_thread) / sizeof(*words);
    Hct__Looked__Model *models[] = { &model };
    Hct__Looked m = HCT__LOOKED__INIT;
    unsigned edges = 0;
    struct looks l;
    struct hct_snapshot s;

    (void)state;
    assert_int_equal(looks_init(&l, &job), 0);
    m.models = models;
    m.n_models = 1;
    for (uint64_t round = 0; round < 30; round++) {
        for (size_t i = 0; i < n; i++)
            words[i] = idtable_mix(round, i) >> (idtable_mix(i, round) & 62);
        for (unsigned b = 0; b < PAGE_BANKS; b++)
            for (unsigned i = 0; i < PAGE_EDGES; i++)
                thread_of(0, 0)->bank[b].edge[i].seq &= ~1u;
        for (unsigned b = 0; b < PAGE_BANKS; b++)
            thread_of(0, 0)->bank[b].seq &= ~1u;
        assert_true(read_one(0, 5));
        looks_begin(&l, HCT_NEED_MODEL);
        m.seq = l.seq;
        assert_int_equal(looks_take(&l, &m, 1, all, NULL, NULL), 0);
        looks_end(&l, 1000 * round, &s);
        assert_int_equal(s.nmodels, 1);         /* and not left out */
        edges += s.nedges;
    }
    assert_true(edges > 100);
    looks_fini(&l);
}

/* Of the phase alone, and of the last minutes: states have what edges say. */
static void test_window(void **state)
{
    struct windows *kept = NULL;
    struct page_edge *e;

    (void)state;
    put_site(0, 0, A, SEND, 0x500);
    put_site(0, 0, B, RECV, 0x600);
    put_edge(0, 0, 1, 0, A, B);                 /* phase 0 */
    put_edge(0, 0, 2, 0, A, A);                 /* phase 1 */
    e = put_edge(0, 0, 2, 1, A, B);
    ((struct page_header *)page[0])->phase = 1;
    time_of.window = WINDOW_PHASE;
    assert_true(read_one(0, B));
    assert_int_equal(model.n_from, 2);
    assert_int_equal(model.phases[0], 1);
    assert_int_equal(model.phases[1], 1);
    assert_int_equal(model.visits[2], 9);       /* A, from A */
    assert_int_equal(model.visits[3], 9);       /* B, from A, in this phase */
    assert_int_equal(model.in_ns[2], 2 * 9 * 100);
    assert_int_equal(model.out_ns[3], 9 * 1000);
    assert_int_equal(model.longest_ns[2], 0);

    windows_tick(&kept, page[0], getpid(), 1);
    windows_tick(&kept, page[0], getpid(), 1 + window_ns);
    e->n = 12;
    e->in_mean = 200;                           /* 3 of 500 */
    e->in_m2 = 4 + 9 * 1e4 + 3 * 9e4;
    time_of = (struct lookmodel_time){ .window = WINDOW_LAST, .kept = kept };
    assert_true(read_one(0, B));
    assert_int_equal(model.n_from, 1);
    assert_int_equal(model.lost, 0);
    assert_int_equal(model.n[0], 3);
    assert_int_equal(model.phases[0], UINT32_MAX);
    assert_true(fabs(model.in_mean[0] - 500) < 1e-6 && model.in_m2[0] < 1e-3);
    assert_int_equal(model.visits[2], 0);
    assert_int_equal(model.visits[3], 3);
    time_of.kept = NULL;                        /* all: nothing is kept */
    assert_true(read_one(0, B));
    assert_int_equal(model.n_from, 2);
    assert_int_equal(model.n[0] + model.n[1], 9 + 9 + 12);
    e->n = 5;                                   /* scribbled over */
    time_of.kept = kept;
    assert_true(read_one(0, B));
    assert_int_equal(model.n_from, 0);
    assert_int_equal(model.lost, 1);
    windows_free(kept);
    time_of = (struct lookmodel_time){ 0 };
}

/* Of a phase by its number, as long as it has a bank of its own, and of those that
 * are merged. */
static void test_phase(void **state)
{
    uint32_t phase = 2;

    (void)state;
    put_site(0, 0, A, SEND, 0x500);
    put_site(0, 0, B, RECV, 0x600);
    put_edge(0, 0, 0, 0, B, B);                 /* 0, and others */
    put_edge(0, 0, 1, 0, A, B);
    put_edge(0, 0, 2, 0, A, A);
    thread_of(0, 0)->bank[1].phase = 3;         /* number 2 */
    thread_of(0, 0)->bank[2].phase = 4;
    thread_of(0, 0)->bank[1].since_ticks = clock_monotonic_ns() - 5000000000;
    ((struct page_header *)page[0])->start_ticks =
        clock_monotonic_ns() - 9000000000;
    ((struct page_header *)page[0])->phase = 3;
    time_of = (struct lookmodel_time){ .window = WINDOW_PHASE, .phase = &phase };
    assert_true(read_one(0, B));
    assert_int_equal(model.n_from, 1);
    assert_int_equal(model.phases[0], 2);
    assert_int_equal(model.to[0], 3);
    assert_in_range(model.ago_ns, 5000000000, 65000000000);
    phase = 3;                                  /* since it is not known when */
    assert_true(read_one(0, B));
    assert_int_equal(model.n_from, 1);
    assert_int_equal(model.to[0], 2);
    assert_in_range(model.ago_ns, 9000000000, 69000000000);
    phase = UINT32_MAX;
    assert_true(read_one(0, B));
    assert_int_equal(model.n_from, 1);
    assert_int_equal(model.from[0], 3);
    assert_in_range(model.ago_ns, 9000000000, 69000000000);     /* at first */
    for (unsigned i = 0; i < 2; i++) {          /* over, and yet to come */
        phase = i ? 1 : 4;
        assert_true(read_one(0, B));
        assert_int_equal(model.n_from, 0);
        assert_int_equal(model.ago_ns, 0);
    }
    time_of = (struct lookmodel_time){ .window = WINDOW_START };
    assert_true(read_one(0, B));
    assert_int_equal(model.n_from, 3);
    assert_true(model.ago_ns > 0);
    assert_null(model.last);
}

/* All time, and the last one besides: edges between the same states. */
static void test_last(void **state)
{
    uint64_t now_ns = clock_monotonic_ns();
    struct windows *kept = NULL;
    struct page_edge *e;

    (void)state;
    put_site(0, 0, A, SEND, 0x500);
    put_site(0, 0, B, RECV, 0x600);
    put_edge(0, 0, 1, 0, A, A);
    e = put_edge(0, 0, 1, 1, A, B);
    windows_tick(&kept, page[0], getpid(), now_ns - 3 * window_ns);
    windows_tick(&kept, page[0], getpid(), now_ns - 2 * window_ns);
    e->n = 12;
    e->in_mean = 200;                           /* 3 of 500 */
    e->in_m2 = 4 + 9 * 1e4 + 3 * 9e4;
    time_of = (struct lookmodel_time){ WINDOW_START, kept, NULL, 2 * window_ns };
    assert_true(read_one(0, B));
    assert_int_equal(model.n_from, 2);
    assert_int_equal(model.n[0] + model.n[1], 9 + 12);
    assert_non_null(model.last);
    assert_int_equal(model.last->n_sites, 0);
    assert_int_equal(model.last->n_from, 1);
    assert_int_equal(model.last->n[0], 3);
    assert_int_equal(model.last->from[0], 2);
    assert_int_equal(model.last->to[0], 3);
    assert_true(fabs(model.last->in_mean[0] - 500) < 1e-6);
    assert_in_range(model.last->ago_ns, 2 * window_ns, 3 * window_ns);
    time_of.window = WINDOW_LAST;
    assert_true(read_one(0, B));
    assert_null(model.last);
    assert_int_equal(model.n_from, 1);
    assert_in_range(model.ago_ns, 2 * window_ns, 3 * window_ns);
    time_of.kept = NULL;                        /* since the start */
    ((struct page_header *)page[0])->start_ticks = now_ns - 1000;
    assert_true(read_one(0, B));
    assert_int_equal(model.n_from, 2);
    assert_in_range(model.ago_ns, 1000, window_ns);
    windows_free(kept);
    time_of = (struct lookmodel_time){ 0 };
}

int main(void)
{
#define T(f) cmocka_unit_test_setup_teardown(f, setup, teardown)
    const struct CMUnitTest tests[] = {
        T(test_places), T(test_threads), T(test_nothing), T(test_scribbled),
        T(test_window), T(test_phase), T(test_last),
    };

    cmocka_set_message_output(CM_OUTPUT_TAP);
    return cmocka_run_group_tests(tests, NULL, NULL);
}
