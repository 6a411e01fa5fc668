/* test_profile.c - costs of calls from pages: places are told apart by where
 * they are in their files, counters only grow, pages of several programs add
 * up, what has no place is counted; pages that are scribbled over; what is
 * told of it; and names. */
#include <link.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <cmocka.h>

#include "hct.pb-c.h"
#include "proto/base/clock.h"
#include "slave/page/account.h"
#include "slave/page/names.h"
#include "slave/page/profile.h"
#include "slave/page/registry.h"
#include "slave/page/profilewire.h"

enum { SEND = 12, RECV = 13 };

struct rig {
    struct sites sites;
    struct profile profile;
    struct ticks ticks;
    char *page;
};

static char *new_page(void)
{
    struct err err;
    char *page;
    int fd = registry_make_page(&page, 1, 0, 1, &err);

    assert_true(fd >= 0);
    close(fd);
    ((struct page_header *)page)->clock = PAGE_CLOCK_MONOTONIC;
    ((struct page_header *)page)->slots_used = 1;
    return page;
}

static int setup(void **state)
{
    struct rig *r = calloc(1, sizeof(*r));

    r->page = new_page();
    ticks_init(&r->ticks);
    *state = r;
    return 0;
}

static int teardown(void **state)
{
    struct rig *r = *state;

    registry_drop_page(r->page);
    profile_fini(&r->profile);
    sites_fini(&r->sites);
    free(r);
    return 0;
}

static struct page_thread *thread_of(char *page, unsigned slot)
{
    return (struct page_thread *)(page + page_thread_at(
        PAGE_SLOTS, PAGE_CALLS, PAGE_RING_BYTES, slot));
}

static struct page_slot *slot_of(char *page, unsigned slot)
{
    return (struct page_slot *)(page + page_slot_at(slot));
}

static void add_module(char *page, unsigned i, const char *path,
                       uint64_t start, const char *id)
{
    struct page_shared *s = (struct page_shared *)(page + page_shared_at(
        PAGE_SLOTS, PAGE_CALLS, PAGE_RING_BYTES));

    s->module[i].start = start;
    s->module[i].base = start;
    s->module[i].end = start + 0x10000;
    s->module[i].id_bytes = (uint32_t)strlen(id);
    memcpy(s->module[i].id, id, strlen(id));
    strcpy(s->module[i].path, path);
}

/* So many calls of 10 ns and 4 bytes, with the function's own counters. */
static void add_calls(char *page, unsigned slot, unsigned at, unsigned call,
                      uint64_t calls, const uint64_t *frames, unsigned n)
{
    struct page_count *c = (struct page_count *)(page + page_counts_at(
        PAGE_SLOTS, PAGE_CALLS, slot)) + call;
    struct page_thread *t = thread_of(page, slot);
    struct page_site *s = &t->site[at];

    slot_of(page, slot)->tid = 1;
    s->call = call;
    s->frames = n;
    for (unsigned i = 0; i < n; i++)
        t->frame[at][i] = frames[i];
    s->calls += calls;
    s->in_ticks += 10 * calls;
    s->bytes += 4 * calls;
    s->out_ticks += 3;
    s->in_max = 10;
    s->address = frames ? frames[0] : 0;
    c->calls += calls;
    c->in_ticks += 10 * calls;
    c->bytes += 4 * calls;
}

static void read_it(struct rig *r)
{
    profile_read(&r->profile, r->page, &r->ticks, &r->sites);
}

static void expect_cost(const struct rig *r, size_t i, uint64_t calls,
                        uint64_t in_ns, uint64_t out_ns, uint64_t bytes)
{
    struct profile_counters c;

    assert_true(i < r->profile.n);
    c = profile_sum(&r->profile.cost[i]);
    assert_int_equal(c.calls, calls);
    assert_int_equal(c.in_ns, in_ns);
    assert_int_equal(c.out_ns, out_ns);
    assert_int_equal(c.bytes, bytes);
}

/* The same place from two heights of the stack, from another thread, and in a
 * task that has mapped the file elsewhere. */
static void test_one_place(void **state)
{
    struct rig *r = *state;
    const uint64_t here[] = { 0x10010, 0x10020 }, there[] = { 0x50010, 0x50020 };
    char *other = new_page();

    add_module(r->page, 0, "/bin/a", 0x10000, "idA");
    add_calls(r->page, 0, 5, SEND, 2, here, 2);
    add_calls(r->page, 0, 9, SEND, 3, here, 2);
    ((struct page_header *)r->page)->slots_used = 2;
    add_calls(r->page, 1, 7, SEND, 4, here, 2);
    add_calls(r->page, 1, 8, RECV, 1, here, 2);
    read_it(r);
    assert_int_equal(r->profile.n, 2);
    expect_cost(r, 0, 9, 90, 9, 36);
    expect_cost(r, 1, 1, 10, 3, 4);

    registry_drop_page(r->page);
    r->page = other;
    profile_keep(&r->profile);
    add_module(r->page, 3, "/bin/a (deleted)", 0x50000, "idA");
    add_calls(r->page, 0, 100, SEND, 10, there, 2);
    read_it(r);
    assert_int_equal(r->profile.n, 2);
    assert_int_equal(r->sites.nsites, 2);
    expect_cost(r, 0, 19, 190, 12, 76);
    read_it(r);                         /* reading adds nothing */
    expect_cost(r, 0, 19, 190, 12, 76);
    expect_cost(r, 1, 1, 10, 3, 4);
}

static void test_other_files(void **state)
{
    struct rig *r = *state;
    const uint64_t a[] = { 0x10010 }, b[] = { 0x50010 }, c[] = { 0x90010 };

    add_module(r->page, 0, "/bin/a", 0x10000, "idA");
    add_module(r->page, 1, "/bin/a", 0x50000, "idB");
    add_calls(r->page, 0, 2, SEND, 1, a, 1);
    add_calls(r->page, 0, 3, SEND, 1, b, 1);
    add_calls(r->page, 0, 4, SEND, 1, c, 1);    /* in no file */
    read_it(r);
    assert_int_equal(r->profile.n, 3);
    assert_int_equal(r->sites.nmodules, 2);
    assert_int_equal(r->sites.frame[2].module, 0);
    assert_int_equal(r->sites.frame[2].offset, 0x90010);
}

/* Calls whose place found no room, and one that has not returned. */
static void test_rest_and_open(void **state)
{
    struct rig *r = *state;
    const uint64_t here[] = { 0x10010 };
    struct page_slot *s = slot_of(r->page, 0);
    struct page_count *c = (struct page_count *)(r->page + page_counts_at(
        PAGE_SLOTS, PAGE_CALLS, 0));
    uint64_t now = clock_monotonic_ns(), first;

    add_calls(r->page, 0, 5, SEND, 2, here, 1);
    c[SEND].calls += 7;
    c[SEND].in_ticks += 70;
    c[RECV].calls = 1;
    c[RECV].in_ticks = 5;
    s->site = 5;
    s->call = SEND;
    s->since_ticks = now - 1000000;
    read_it(r);
    assert_int_equal(r->profile.n, 3);
    first = profile_sum(&r->profile.cost[0]).in_ns;
    assert_true(first >= 1000020);
    assert_int_equal(profile_sum(&r->profile.cost[0]).calls, 2);
    assert_true(profile_sum(&r->profile.cost[0]).max_ns >= 1000000);
    expect_cost(r, 1, 7, 70, 0, 0);
    expect_cost(r, 2, 1, 5, 0, 0);
    assert_int_equal(r->sites.site[r->profile.cost[2].site].call, RECV);
    assert_int_equal(r->sites.site[r->profile.cost[2].site].frames, 0);
    r->profile.end_ticks = now;         /* it has died in there */
    read_it(r);
    read_it(r);
    expect_cost(r, 0, 2, 1000020, 3, 8);
}

static void test_news(void **state)
{
    struct rig *r = *state;
    const uint64_t here[] = { 0x10010 };

    add_calls(r->page, 0, 5, SEND, 2, here, 1);
    read_it(r);
    assert_true(profile_is_news(&r->profile.cost[0]));
    profile_sent(&r->profile.cost[0]);
    read_it(r);
    assert_false(profile_is_news(&r->profile.cost[0]));
    add_calls(r->page, 0, 5, SEND, 1, here, 1);
    read_it(r);
    assert_true(profile_is_news(&r->profile.cost[0]));
    profile_sent(&r->profile.cost[0]);
    profile_forget_sent(&r->profile);
    assert_true(profile_is_news(&r->profile.cost[0]));
}

/* Any bytes at all, and other ones at each reading. */
static void test_scribbled(void **state)
{
    struct rig *r = *state;
    size_t bytes = page_bytes(PAGE_SLOTS, PAGE_CALLS, PAGE_RING_BYTES);
    size_t threads = page_thread_at(PAGE_SLOTS, PAGE_CALLS, PAGE_RING_BYTES,
                                    2);
    uint64_t x = 88172645463325252u;

    for (int round = 0; round < 20; round++) {
        for (size_t i = 0; i + 8 <= threads && i + 8 <= bytes; i += 8) {
            x ^= x << 13;
            x ^= x >> 7;
            x ^= x << 17;
            memcpy(r->page + i, &x, round % 2 ? 8 : 1);
        }
        ((struct page_header *)r->page)->slots_used = round % 3 ? 2 : UINT32_MAX;
        read_it(r);
        assert_true(r->sites.nsites <= SITES_MAX);
        assert_true(r->sites.nframes <= SITES_FRAMES_MAX);
        for (size_t i = 0; i < r->profile.n; i++)
            assert_true(r->profile.cost[i].site < r->sites.nsites);
    }
}

/* More places than there is room for. */
static void test_full(void **state)
{
    struct rig *r = *state;
    struct state_site s = { .call = SEND, .frames = 1 };
    uint32_t last = 0, other;

    for (uint64_t i = 0; i < SITES_MAX + 1000; i++) {
        s.frame[0] = i;
        last = sites_find(&r->sites, &s, NULL, 0);
        assert_true(last < r->sites.nsites);
    }
    other = sites_find_other(&r->sites, SEND);
    assert_int_equal(last, other);
    assert_int_equal(r->sites.site[other].frames, 0);
    s.call = RECV;
    assert_int_not_equal(sites_find(&r->sites, &s, NULL, 0), other);
    for (uint32_t call = 0; call < PAGE_CALLS; call++)
        assert_int_not_equal(sites_find_other(&r->sites, call), SITES_NONE);
    assert_true(r->sites.nsites <= SITES_MAX);
    s.call = SEND;
    s.frame[0] = 7;
    assert_int_equal(sites_find(&r->sites, &s, NULL, 0), 7);
}

/* -------------------------------------------------------------- messages */

static size_t messages, costs_told;

static void on_message(void *arg, const void *message)
{
    const Hct__Profile *m = message;
    size_t bytes = hct__profile__get_packed_size(m);
    uint8_t *p = malloc(bytes);
    Hct__Profile *got;

    hct__profile__pack(m, p);
    got = hct__profile__unpack(NULL, bytes, p);
    assert_non_null(got);
    assert_int_equal(got->job, 77);
    for (size_t i = 0; i < got->n_frames; i++)
        assert_true(got->frames[i]->module <= got->n_modules);
    for (size_t i = 0; i < got->n_sites; i++)
        for (size_t f = 0; f < got->sites[i]->n_frames; f++)
            assert_true(got->sites[i]->frames[f] < got->n_frames);
    for (size_t i = 0; i < got->n_tasks; i++) {
        assert_int_equal(got->tasks[i]->n_site, got->tasks[i]->n_max_ns);
        for (size_t k = 0; k < got->tasks[i]->n_site; k++)
            assert_true(got->tasks[i]->site[k] < got->n_sites);
        costs_told += got->tasks[i]->n_site;
    }
    messages++;
    hct__profile__free_unpacked(got, NULL);
    free(p);
    (void)arg;
}

static void test_statement(void **state)
{
    struct rig *r = *state;
    const uint64_t here[] = { 0x10010, 0x10020 }, there[] = { 0x10030 };
    struct names names = { 0 };
    struct profilewire s;

    add_module(r->page, 0, "/bin/a", 0x10000, "idA");
    add_calls(r->page, 0, 5, SEND, 2, here, 2);
    add_calls(r->page, 0, 6, RECV, 2, there, 1);
    read_it(r);
    messages = costs_told = 0;
    profilewire_init(&s, 77, &r->sites);
    assert_true(profilewire_is_empty(&s));
    profilewire_add_task(&s, 3, &r->profile);
    profilewire_add_names(&s, &names, 0);
    assert_false(profilewire_is_empty(&s));
    assert_int_equal(profilewire_send(&s, on_message, NULL), 0);
    profilewire_fini(&s);
    profilewire_init(&s, 77, &r->sites);
    profilewire_add_task(&s, 3, &r->profile);   /* no news */
    assert_true(profilewire_is_empty(&s));
    profilewire_fini(&s);
    assert_int_equal(messages, 1);
    assert_int_equal(costs_told, 2);
}

/* ------------------------------------------------------------------ names */

static void wait_for_names(struct event_base *base, struct names *n,
                           const struct sites *s)
{
    uint64_t end = clock_monotonic_ns() + 60 * CLOCK_NS_PER_S;

    while (!names_settled(n, s) && clock_monotonic_ns() < end) {
        event_base_loop(base, EVLOOP_NONBLOCK);
        usleep(500);
    }
    assert_true(names_settled(n, s));
}

static const struct name *name_of(const struct names *n, uint32_t frame)
{
    for (size_t i = 0; i < n->n; i++)
        if (n->v[i].frame == frame)
            return &n->v[i];
    return NULL;
}

/* The first one is the program. */
static int on_module(struct dl_phdr_info *info, size_t size, void *base)
{
    (void)size;
    *(uint64_t *)base = info->dlpi_addr;
    return 1;
}

/* Ourselves, a file that is no program, one that is not there, and no file:
 * a child says what is what. */
static void test_names(void **state)
{
    struct rig *r = *state;
    struct event_base *base = event_base_new();
    const struct launch_user me = { 0 };
    struct names n = { 0 };
    char exe[192] = "";
    ssize_t bytes = readlink("/proc/self/exe", exe, sizeof(exe) - 1);
    struct state_site s = { .call = SEND, .frames = 1 };
    struct state_module m[3] = { { .start = 1, .end = 1000 },
                                 { .start = 1000, .end = 2000 },
                                 { .start = 2000, .end = UINT64_MAX } };

    assert_true(bytes > 0);
    strcpy(m[0].path, "/etc/passwd");
    strcpy(m[1].path, "/none/such");
    strcpy(m[2].path, exe);
    dl_iterate_phdr(on_module, &m[2].base);
    s.frame[0] = 0;                             /* no file */
    sites_find(&r->sites, &s, m, 3);
    s.frame[0] = 5;
    sites_find(&r->sites, &s, m, 3);
    s.frame[0] = 1005;
    sites_find(&r->sites, &s, m, 3);
    names_ask(&n, base, &r->sites, &me, true);
    wait_for_names(base, &n, &r->sites);
    assert_int_equal(n.known, 3);
    s.frame[0] = (uint64_t)(uintptr_t)new_page + 1;
    sites_find(&r->sites, &s, m, 3);
    names_ask(&n, base, &r->sites, &me, false);
    wait_for_names(base, &n, &r->sites);
    assert_int_equal(n.known, 4);
    for (uint32_t i = 0; i < 3; i++) {
        assert_string_equal(name_text(&n, name_of(&n, i)->function), "");
        assert_true(*name_text(&n, name_of(&n, i)->note));
    }
    assert_string_equal(name_text(&n, name_of(&n, 3)->function), "new_page");
    names_fini(&n);
    event_base_free(base);
}

int main(void)
{
#define T(f) cmocka_unit_test_setup_teardown(f, setup, teardown)
    const struct CMUnitTest tests[] = {
        T(test_one_place), T(test_other_files), T(test_rest_and_open),
        T(test_news), T(test_scribbled), T(test_full), T(test_statement),
        T(test_names),
    };

    cmocka_set_message_output(CM_OUTPUT_TAP);
    return cmocka_run_group_tests(tests, NULL, NULL);
}
