/* test_taskmodel.c - models from pages: threads, phases, states that several
 * tasks share, times in nanoseconds, losses; and pages that are scribbled over,
 * of which whatever is made can be read by anybody above. */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <cmocka.h>

#include "proto/base/clock.h"
#include "proto/base/idtable.h"
#include "slave/page/registry.h"
#include "slave/page/taskmodel.h"

enum { SEND = 12, RECV = 13, TASKS = 2, A = 2, B = 3, C = 4 };

struct rig {
    struct tally tally[TASKS];
    struct account account;
    struct ticks ticks;
    struct taskmodel model;
};

static struct page_thread *thread_of(struct rig *r, unsigned task,
                                     unsigned slot)
{
    return (struct page_thread *)(r->tally[task].page + page_thread_at(
        PAGE_SLOTS, PAGE_CALLS, PAGE_RING_BYTES, slot));
}

static struct page_slot *slot_of(struct rig *r, unsigned task, unsigned slot)
{
    return (struct page_slot *)(r->tally[task].page + page_slot_at(slot));
}

static int setup(void **state)
{
    struct rig *r = calloc(1, sizeof(*r));
    struct err err;

    assert_non_null(r);
    for (unsigned i = 0; i < TASKS; i++) {
        int fd = registry_make_page(&r->tally[i].page, 1, i, TASKS, &err);
        struct page_header *h = (struct page_header *)r->tally[i].page;
        struct page_shared *s = (struct page_shared *)(r->tally[i].page +
            page_shared_at(PAGE_SLOTS, PAGE_CALLS, PAGE_RING_BYTES));

        assert_true(fd >= 0);
        close(fd);
        h->clock = PAGE_CLOCK_MONOTONIC;
        h->slots_used = 1;
        slot_of(r, i, 0)->tid = 100 + i;
        slot_of(r, i, 0)->calls = 1;
        s->module[0].start = 0x10000 * (i + 1);         /* mapped elsewhere */
        s->module[0].base = 0x10000 * (i + 1);
        s->module[0].end = 0x10000 * (i + 2);
        strcpy(s->module[0].path, "/bin/solver");
    }
    ticks_init(&r->ticks);
    assert_int_equal(taskmodel_init(&r->model, TASKS, &r->account, &r->ticks,
                                    true, &err), 0);
    *state = r;
    return 0;
}

static int teardown(void **state)
{
    struct rig *r = *state;

    taskmodel_fini(&r->model);
    account_fini(&r->account);
    for (unsigned i = 0; i < TASKS; i++) {
        registry_drop_page(r->tally[i].page);
        windows_free(r->tally[i].windows);
        profile_fini(&r->tally[i].profile);
    }
    free(r);
    return 0;
}

/* A call from this offset of the program. */
static void put_site(struct rig *r, unsigned task, unsigned slot, unsigned at,
                     uint32_t call, uint64_t offset)
{
    struct page_thread *t = thread_of(r, task, slot);
    uint64_t address = 0x10000 * (task + 1) + offset;

    t->site[at].call = call;
    t->site[at].frames = 1;
    t->frame[at][0] = address;
    t->site[at].address = address;
}

static struct page_bank *put_bank(struct rig *r, unsigned task, unsigned slot,
                                  unsigned b, uint32_t phase, int32_t label)
{
    struct page_bank *bank = &thread_of(r, task, slot)->bank[b];

    bank->phase = phase;
    bank->label = label;
    bank->since_ticks = clock_monotonic_ns() - 1000000;
    return bank;
}

static void put_edge(struct page_bank *b, unsigned at, unsigned from,
                     unsigned to, uint64_t n, double in, double out)
{
    struct page_edge *e = &b->edge[at];

    e->ends = from << 16 | to;
    e->n = n;
    e->in_mean = in;
    e->in_m2 = 4 * (double)n;
    e->in_max = in < 1e18 ? (uint64_t)in + 9 : UINT64_MAX;
    e->out_mean = out;
    e->out_max = (uint64_t)out;
    e->bytes_mean = 100;
    e->bytes_m2 = (double)n;
    e->in[5] = (uint16_t)n;                     /* 2^10.5 ticks and more */
    e->out[PAGE_BUCKETS - 1] = 1;
    if (b->used <= at)
        b->used = at + 1;
}

static const struct jobmodel_edge *find(struct rig *r, uint32_t phase,
                                        uint32_t from, uint32_t to)
{
    const struct jobmodel *m = &r->model.model;

    for (size_t i = 0; i < m->nedges; i++)
        if (m->edge[i].phase == phase && m->edge[i].to < m->nstates &&
            m->state[m->edge[i].from].call == from &&
            m->state[m->edge[i].to].call == to)
            return &m->edge[i];
    fail_msg("no step from %u to %u in phase %u", from, to, phase);
    return NULL;
}

static void read_all(struct rig *r)
{
    for (unsigned i = 0; i < TASKS; i++)
        assert_true(taskmodel_add(&r->model, &r->tally[i], i) > 0);
}

/* Two tasks, whose tables are in another order. */
static void test_tasks(void **state)
{
    struct rig *r = *state;
    const struct jobmodel_edge *e;

    for (unsigned i = 0; i < TASKS; i++) {
        struct page_bank *b = put_bank(r, i, 0, 1, 1, 0);
        unsigned send = i ? B : A, recv = i ? A : B;

        put_site(r, i, 0, send, SEND, 0x500);
        put_site(r, i, 0, recv, RECV, 0x600);
        put_edge(b, 0, PAGE_SITE_START, send, 1, 0, 10000);
        put_edge(b, 1, send, recv, 10, 1000 + 1000 * i, 5000);
        if (i)
            put_edge(b, 2, recv, send, 9, 5, 6);
    }
    read_all(r);
    assert_int_equal(r->model.model.nstates, JOBMODEL_FIRST + 2);
    assert_int_equal(r->model.model.nedges, 3);
    assert_int_equal(r->model.model.threads, 2);
    e = find(r, 0, SEND, RECV);
    assert_int_equal(e->n, 20);
    assert_int_equal(taskset_count(&e->tasks), 2);
    assert_true(fabs(e->in.mean - 1500) < 1e-6);        /* ticks are ns */
    assert_true(fabs(e->in.m2 - (80 + 20 * 500. * 500)) < 1e-3);
    assert_int_equal(e->in.max, 2009);
    assert_true(fabs(e->out.mean - 5000) < 1e-6);
    assert_int_equal(e->histogram[9], 20);      /* 2^10.5 ns and more */
    assert_int_equal(e->histogram[JOBMODEL_BUCKETS + 63], 20);
    assert_true(fabs(e->bytes.mean - 100) < 1e-9);
    assert_true(fabs(e->bytes.m2 - 20) < 1e-9);
    e = find(r, 0, RECV, SEND);
    assert_int_equal(taskset_count(&e->tasks), 1);
    assert_true(taskset_has(&e->tasks, 1));
    e = find(r, 0, 0, SEND);
    assert_int_equal(e->from, JOBMODEL_START);
    assert_true(r->model.model.phase[0].age_ns >= 1000000);
}

static void test_threads(void **state)
{
    struct rig *r = *state;
    struct page_header *h = (struct page_header *)r->tally[0].page;

    h->slots_used = 3;
    slot_of(r, 0, 2)->tid = 7;
    for (unsigned slot = 0; slot < 3; slot += 2) {
        put_site(r, 0, slot, A + slot, SEND, 0x500);
        put_edge(put_bank(r, 0, slot, 1, 1, 0), slot, A + slot, A + slot, 5,
                 100, 0);
    }
    assert_int_equal(taskmodel_add(&r->model, &r->tally[0], 0), 2);
    assert_int_equal(find(r, 0, SEND, SEND)->n, 10);
    assert_int_equal(r->model.model.threads, 2);
}

static void test_phases(void **state)
{
    struct rig *r = *state;
    const struct jobmodel *m = &r->model.model;

    for (unsigned i = 0; i < TASKS; i++) {
        put_site(r, i, 0, A, SEND, 0x500);
        put_edge(put_bank(r, i, 0, 0, 2 + i, 0), 0, A, A, 3, 1, 1);
        put_edge(put_bank(r, i, 0, 1, 3 + i, 20), 0, A, A, 4, 1, 1);
        put_bank(r, i, 0, 2, 4 + i, 30)->lost = 5;
    }
    slot_of(r, 0, 0)->sites_lost = 6;
    read_all(r);
    assert_int_equal(m->nphases, 4);
    assert_int_equal(m->phase[0].merged, 3);            /* the most */
    assert_int_equal(taskset_count(&m->phase[0].tasks), 2);
    assert_int_equal(m->phase[1].number, 2);
    assert_int_equal(m->phase[1].label, 20);
    assert_int_equal(m->phase[2].number, 3);            /* 2 of one, 1 of the */
    assert_true(m->phase[2].labels);                    /* other */
    assert_int_equal(m->phase[2].lost, 5);
    assert_int_equal(find(r, 0, SEND, SEND)->n, 6);
    assert_int_equal(find(r, 2, SEND, SEND)->n, 4);
    assert_int_equal(m->edges_lost, 10);
    assert_int_equal(m->sites_lost, 6);
}

/* What would not be believed above is left out here, and counted. */
static void test_senseless(void **state)
{
    struct rig *r = *state;
    struct page_bank *b = put_bank(r, 0, 0, 1, 1, 0);

    put_site(r, 0, 0, A, SEND, 0x500);
    put_edge(b, 0, A, A, 5, 1e300, 1);
    put_edge(b, 1, A, B, UINT64_MAX, 1, 1);
    put_edge(b, 2, A, C, 5, 1, 1);
    b->edge[2].in_m2 = NAN;
    put_edge(b, 3, C, A, 5, 1, 1);              /* a site that is not there */
    assert_int_equal(taskmodel_add(&r->model, &r->tally[0], 0), 1);
    assert_int_equal(r->model.model.nedges, 1);
    assert_int_equal(r->model.model.edge[0].from, JOBMODEL_OTHER);
    assert_int_equal(r->model.model.damaged, 3);
    ((struct page_header *)r->tally[1].page)->clock = 77;
    assert_int_equal(taskmodel_add(&r->model, &r->tally[1], 1), 0);
    assert_int_equal(r->model.model.damaged, 4);
}

/* Of the current phase alone; and what is new since a reading that was kept. */
static void test_windows(void **state)
{
    struct rig *r = *state;
    struct page_header *h = (struct page_header *)r->tally[0].page;
    const struct jobmodel *m = &r->model.model;
    struct page_bank *b;

    h->phase = 3;
    put_site(r, 0, 0, A, SEND, 0x500);
    put_edge(put_bank(r, 0, 0, 0, 2, 0), 0, A, A, 3, 1, 1);
    put_edge(put_bank(r, 0, 0, 1, 3, 20), 0, A, A, 4, 1, 1);
    b = put_bank(r, 0, 0, 2, 4, 30);
    put_edge(b, 0, A, A, 5, 1000, 1);
    r->model.window = WINDOW_PHASE;
    assert_int_equal(taskmodel_add(&r->model, &r->tally[0], 0), 1);
    assert_int_equal(m->nphases, 1);
    assert_int_equal(m->phase[0].number, 3);
    assert_int_equal(m->nedges, 1);
    assert_int_equal(m->edge[0].n, 5);
    assert_non_null(m->edge[0].histogram);

    windows_tick(&r->tally[0].windows, r->tally[0].page, getpid(), 1);
    windows_tick(&r->tally[0].windows, r->tally[0].page, getpid(),
                 1 + window_ns);
    put_edge(b, 0, A, A, 15, 2000, 1);          /* 10 of 2500 */
    b->edge[0].in_m2 = 20 + 5 * 1e6 + 10 * 25e4;
    r->model.window = WINDOW_LAST;
    assert_int_equal(taskmodel_add(&r->model, &r->tally[0], 0), 1);
    assert_int_equal(m->nphases, 2);
    assert_int_equal(m->phase[1].merged, 1);
    assert_int_equal(m->nedges, 2);
    assert_int_equal(m->edge[1].phase, 1);
    assert_int_equal(m->edge[1].n, 10);
    assert_true(fabs(m->edge[1].in.mean - 2500) < 1e-6);
    assert_true(m->edge[1].in.m2 < 1);
    assert_null(m->edge[1].histogram);
    assert_int_equal(m->damaged, 0);
}

/* Written, and read again. */
static void travel(const struct jobmodel *model)
{
    struct jobmodel again;
    struct str s = { 0 };
    struct err err;
    Hct__Model *m;

    assert_int_equal(jobmodel_write(model, NULL, NULL, 0, &s, &err), 0);
    m = hct__model__unpack(NULL, s.n, (uint8_t *)s.s);
    assert_non_null(m);
    if (jobmodel_read(&again, m, &err))
        fail_msg("%s", err.text);
    jobmodel_fini(&again);
    hct__model__free_unpacked(m, NULL);
    str_fini(&s);
}

/* Whatever stands in a page, the part is one that can be read. */
static void test_scribbled(void **state)
{
    struct rig *r = *state;
    uint64_t *words = (uint64_t *)(void *)thread_of(r, 0, 0);
    size_t n = sizeof(struct page_thread) / sizeof(*words);

    for (uint64_t round = 0; round < 6; round++) {
        for (size_t i = 0; i < n; i++)
            words[i] = idtable_mix(round, i) >> (idtable_mix(i, round) & 62);
        taskmodel_fini(&r->model);
        assert_int_equal(taskmodel_init(&r->model, TASKS, &r->account,
                                        &r->ticks, true, NULL), 0);
        assert_true(taskmodel_add(&r->model, &r->tally[0], 0) >= 0);
        travel(&r->model.model);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(test_tasks, setup, teardown),
        cmocka_unit_test_setup_teardown(test_threads, setup, teardown),
        cmocka_unit_test_setup_teardown(test_phases, setup, teardown),
        cmocka_unit_test_setup_teardown(test_senseless, setup, teardown),
        cmocka_unit_test_setup_teardown(test_windows, setup, teardown),
        cmocka_unit_test_setup_teardown(test_scribbled, setup, teardown),
    };

    cmocka_set_message_output(CM_OUTPUT_TAP);
    return cmocka_run_group_tests(tests, NULL, NULL);
}
