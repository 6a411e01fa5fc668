/* test_slave_effort.c - what a slave tells of what a task does: nothing at the
 * first look, then what came since; the sites and partners that count most; a
 * new page begins anew. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <cmocka.h>

#include "mpi-wrappers/page.h"
#include "proto/tree/placekey.h"
#include "slave/effort/effort.h"
#include "slave/page/registry.h"

enum { SITES = 8 };

struct rig {
    struct sites sites;
    struct tally tally;
    struct effort effort;
    struct effort_told told;
    struct page_messages *messages;
};

static char *new_page(struct rig *r)
{
    struct err err;
    char *page;
    int fd = registry_make_page(&page, 1, 0, 1, &err);

    assert_true(fd >= 0);
    close(fd);
    r->messages = (struct page_messages *)(page + page_messages_at(
        PAGE_SLOTS, PAGE_CALLS, PAGE_RING_BYTES));
    atomic_store(&r->messages->valid, 1);
    return page;
}

/* Site i is call i + 1 from its own place in a file; the last one has no
 * file. */
static int setup(void **state)
{
    struct rig *r = calloc(1, sizeof(*r));
    struct sites *s = &r->sites;

    s->module = calloc(1, sizeof(*s->module));
    s->frame = calloc(SITES, sizeof(*s->frame));
    s->site = calloc(SITES, sizeof(*s->site));
    s->nmodules = 1;
    s->nframes = s->nsites = SITES;
    s->module[0].id_bytes = 4;
    memcpy(s->module[0].id, "abcd", 4);
    r->tally.rank = 3;
    r->tally.page = new_page(r);
    r->tally.profile.cost = calloc(SITES, sizeof(*r->tally.profile.cost));
    r->tally.profile.n = SITES;
    for (uint32_t i = 0; i < SITES; i++) {
        s->frame[i] = (struct sites_frame){ i < SITES - 1, 0x100 + i };
        s->site[i] = (struct site){ .call = i + 1, .frames = 1, .frame = { i } };
        r->tally.profile.cost[i].site = i;
    }
    *state = r;
    return 0;
}

static int teardown(void **state)
{
    struct rig *r = *state;

    registry_drop_page(r->tally.page);
    profile_fini(&r->tally.profile);
    sites_fini(&r->sites);
    effort_fini(&r->effort);
    free(r);
    return 0;
}

static void computed(struct rig *r, uint32_t site, uint64_t calls, uint64_t ns)
{
    r->tally.profile.cost[site].now.calls += calls;
    r->tally.profile.cost[site].now.out_ns += ns;
}

static void sent(struct rig *r, uint32_t rank, uint64_t bytes)
{
    struct page_peer *p = &r->messages->peer[rank];

    atomic_store(&p->peer, rank + 1);
    atomic_fetch_add(&p->bytes, bytes);
}

static bool look(struct rig *r)
{
    memset(&r->told, 0, sizeof(r->told));
    return effort_look(&r->effort, &r->tally, &r->sites, &r->told);
}

static uint64_t key(uint32_t site)
{
    return placekey_frame(placekey_begin(site + 1), (const uint8_t *)"abcd", 4,
                          0x100 + site);
}

static void test_since(void **state)
{
    struct rig *r = *state;

    computed(r, 0, 1000, 1000000000);
    sent(r, 1, 1 << 20);
    assert_false(look(r));
    assert_false(look(r));      /* nothing has come */
    computed(r, 0, 10, 50000000);
    sent(r, 1, 100);
    sent(r, 3, 100);            /* to itself */
    r->tally.split = (struct sample_split){ .cpu_ns = 70, .cpu_in_ns = 20,
                                            .in_ns = 100, .out_ns = 90 };
    assert_true(look(r));
    assert_int_equal(r->told.m.rank, 3);
    assert_int_equal(r->told.m.outside_ns, 90);
    assert_int_equal(r->told.m.computed_ns, 50);
    assert_int_equal(r->told.m.n_sites, 1);
    assert_int_equal(r->told.m.sites[0], key(0));
    assert_int_equal(r->told.m.calls[0], 10);
    assert_int_equal(r->told.m.out_ns[0], 50000000);
    assert_int_equal(r->told.m.n_partners, 1);
    assert_int_equal(r->told.m.partners[0], 1);
    assert_int_equal(r->told.m.bytes[0], 100);
}

/* Of more than there is room for those with most, without any whose file nobody
 * knows. */
static void test_most(void **state)
{
    struct rig *r = *state;
    uint64_t sites = 0, partners = 0;

    look(r);
    for (uint32_t i = 0; i < SITES; i++)
        computed(r, i, 10, 1000 * (i + 1));
    for (uint32_t i = 10; i < 30; i++)
        sent(r, i, i * 1000);
    assert_true(look(r));
    assert_int_equal(r->told.m.n_sites, EFFORT_SITES);
    for (size_t i = 0; i < EFFORT_SITES; i++)
        for (uint32_t k = SITES - 1 - EFFORT_SITES; k < SITES - 1; k++)
            sites += r->told.m.sites[i] == key(k);
    assert_int_equal(sites, EFFORT_SITES);
    assert_int_equal(r->told.m.n_partners, EFFORT_PARTNERS);
    for (size_t i = 0; i < EFFORT_PARTNERS; i++)
        partners += r->told.m.partners[i] >= 30 - EFFORT_PARTNERS;
    assert_int_equal(partners, EFFORT_PARTNERS);
}

static void collected(struct rig *r, unsigned at, uint64_t id, uint32_t rank,
                      uint32_t size, uint64_t bytes)
{
    struct page_shared *s = (struct page_shared *)(r->tally.page +
        page_shared_at(PAGE_SLOTS, PAGE_CALLS, PAGE_RING_BYTES));
    struct page_comm *c = &s->comm[at];

    atomic_store(&c->kind, PAGE_KIND_COMM);
    atomic_store(&c->id, id);
    atomic_store(&c->rank, rank);
    atomic_store(&c->size, size);
    atomic_fetch_add(&c->bytes, bytes);
}

/* Of what collective calls are about those communicators with most, which
 * others know by the same number and that have others in them. */
static void test_comms(void **state)
{
    struct rig *r = *state;

    collected(r, 0, PAGE_COMM_WORLD, 3, 8, 1000000);
    collected(r, 1, PAGE_COMM_SELF, 0, 1, 0);
    assert_false(look(r));
    assert_false(look(r));
    collected(r, 0, PAGE_COMM_WORLD, 3, 8, 100);
    collected(r, 1, PAGE_COMM_SELF, 0, 1, 5000);
    collected(r, 3, 77, 1, 2, 300);             /* new */
    collected(r, 4, 78, 1, 2, 200);
    collected(r, 5, 79 | PAGE_COMM_LOCAL, 1, 2, 5000);
    assert_true(look(r));
    assert_int_equal(r->told.m.n_comms, 2);
    assert_int_equal(r->told.m.n_collected, 2);
    assert_int_equal(r->told.m.comms[0], 78);   /* in place of the least */
    assert_int_equal(r->told.m.collected[0], 200);
    assert_int_equal(r->told.m.comms[1], 77);
    assert_int_equal(r->told.m.collected[1], 300);
    assert_int_equal(r->told.m.comm_ranks[1], 1);
    assert_int_equal(r->told.m.comm_sizes[1], 2);
    collected(r, 0, PAGE_COMM_WORLD, 3, 8, 7);
    assert_true(look(r));
    assert_int_equal(r->told.m.n_comms, 1);
    assert_int_equal(r->told.m.comms[0], PAGE_COMM_WORLD);
    assert_int_equal(r->told.m.comm_ranks[0], 3);
    assert_int_equal(r->told.m.comm_sizes[0], 8);
    assert_int_equal(r->told.m.collected[0], 7);
}

/* What was sent before it came here is in its new page, too. */
static void test_new_page(void **state)
{
    struct rig *r = *state;
    char *old = r->tally.page;

    sent(r, 1, 1 << 20);
    look(r);
    r->tally.page = new_page(r);
    registry_drop_page(old);
    sent(r, 1, 1 << 22);
    collected(r, 0, PAGE_COMM_WORLD, 3, 8, 1000);
    assert_false(look(r));
    collected(r, 0, PAGE_COMM_WORLD, 3, 8, 10);
    sent(r, 1, 7);
    assert_true(look(r));
    assert_int_equal(r->told.m.bytes[0], 7);
    assert_int_equal(r->told.m.n_comms, 1);
    assert_int_equal(r->told.m.collected[0], 10);
    atomic_store(&r->messages->valid, 0);       /* it begins once more */
    sent(r, 1, 7);
    assert_false(look(r));
    assert_int_equal(r->told.m.n_partners, 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(test_since, setup, teardown),
        cmocka_unit_test_setup_teardown(test_most, setup, teardown),
        cmocka_unit_test_setup_teardown(test_comms, setup, teardown),
        cmocka_unit_test_setup_teardown(test_new_page, setup, teardown),
    };

    cmocka_set_message_output(CM_OUTPUT_TAP);
    return cmocka_run_group_tests(tests, NULL, NULL);
}
