/* test_model.c - the model of a thread in the page: sites, edges, phases. */
#include "tests/unit/pages.h"
#include "tests/unit/fakempi.h"

#include <math.h>

#include "mpi-wrappers/record/model.h"
#include "mpi-wrappers/record/phase.h"
#include "mpi-wrappers/record/record.h"

static struct attach page;
static struct page_thread *tables;
static struct model model;

static void start(const char *phases)
{
    page = page_make(2, RING_BYTES_MIN);
    fake_mpi();
    CHECK(phase_start(page.page, phases) == 0);
    tables = page_thread(&page, 0);
    model_init(&model, 0, page_slot(&page, 0), tables, page_shared(&page),
               PAGE_DO_ALL & ~PAGE_DO_FRAMES);
}

/* One call from a made-up place. */
static uint32_t call(unsigned from, uint64_t in, uint64_t out)
{
    uint32_t site = model_enter(&model, CALL_Send,
                                (const void *)(uintptr_t)(0x1000 + from * 16),
                                100, out, 7);

    model_leave(&model, in, from * from);
    return site;
}

static const struct page_edge *edge(unsigned bank, uint32_t from, uint32_t to)
{
    for (unsigned i = 0; i < PAGE_EDGES; i++)
        if (tables->bank[bank].edge[i].ends == (from << 16 | to))
            return &tables->bank[bank].edge[i];
    return NULL;
}

static bool about(double a, double b)
{
    return fabs(a - b) <= 1e-9 * (fabs(a) + fabs(b) + 1);
}

static void edges(void)
{
    const struct page_edge *ab, *ba;
    double sum = 0, squares = 0, sum_out = 0, mean, x;
    uint32_t a, b;
    enum { N = 1000 };

    start(NULL);
    for (int i = 0; i < N; i++) {
        /* the time in a and the time from a to b vary */
        a = call(1, 1000000 + (uint64_t)(i * 7919 % 1000), 50);
        b = call(2, 10, (uint64_t)(i * 104729 % 500));
    }
    for (int i = 0; i < N; i++) {
        sum += 1000000 + i * 7919 % 1000;
        sum_out += i * 104729 % 500;
    }
    mean = sum / N;
    for (int i = 0; i < N; i++) {
        x = 1000000 + i * 7919 % 1000;
        squares += (x - mean) * (x - mean);
    }
    ab = edge(1, a, b);
    ba = edge(1, b, a);
    CHECK(ab && ba && edge(1, PAGE_SITE_START, a)->n == 1);
    CHECK(ab->n == N && ba->n == N - 1 && ab->seq % 2 == 0);
    CHECK(about(ab->in_mean, mean) && about(ab->in_m2, squares));
    CHECK(about(ab->out_mean, sum_out / N));
    CHECK(ab->in_max == 1000999 && ba->in_max == 10 && ba->out_max == 50);
    CHECK(about(ba->in_m2, 0) && about(ba->in_mean, 10));
    CHECK(ab->in[2 * (19 - 8) + 1] == N);       /* 2^19.5 <= 10^6 < 2^20 */
    CHECK(ab->bytes_mean == 1 && ab->bytes_m2 == 0 && ba->bytes_mean == 4);
    CHECK(tables->site[a].calls == N && tables->site[a].bytes == N);
    CHECK(about((double)tables->site[b].out_ticks, sum_out));
    CHECK(tables->site[a].in_max == 1000999 && tables->site[b].in_max == 10);
    CHECK((double)tables->site[a].in_ticks == sum);
    CHECK(tables->bank[1].used == 3 && tables->bank[1].lost == 0);
}

/* What comes next is another call than last time, in every second step. */
static void guesses_are_only_guesses(void)
{
    enum { ROUNDS = 100 };
    uint32_t a = 0, next[3] = { 0 };

    start(NULL);
    for (unsigned i = 0; i < 3 * ROUNDS; i++) {
        uint32_t was = next[i % 3];

        a = call(1, 1000, 1000);
        next[i % 3] = call(2 + i % 3, 1000, 1000);
        CHECK(i < 3 || next[i % 3] == was);
    }
    CHECK(tables->site[a].calls == 3 * ROUNDS && tables->bank[1].used == 7);
    for (unsigned k = 0; k < 3; k++) {
        CHECK(tables->site[next[k]].calls == ROUNDS);
        CHECK(edge(1, a, next[k])->n == ROUNDS);
        CHECK(edge(1, next[k], a)->n == ROUNDS - (k == 2));
    }
}

static void histograms_stay_in_proportion(void)
{
    const struct page_edge *e;
    uint32_t a = 0;
    unsigned small, large;

    start(NULL);
    for (int i = 0; i < 400000; i++)
        a = call(1, i % 4 ? 300 : 300000, 0);
    e = edge(1, a, a);
    small = e->in[0];
    large = e->in[2 * (18 - 8)];
    CHECK(small > 20000 && large > 0);
    CHECK(fabs((double)small / large - 3) < 0.1);
}

/* Of each octave two halves; what is below the first and above the last one is
 * in those. */
static void buckets(void)
{
    static const struct { uint64_t ticks; unsigned bucket; } cases[] = {
        { 0, 0 }, { 255, 0 }, { 256, 0 }, { 362, 0 }, { 363, 1 }, { 511, 1 },
        { 512, 2 }, { 724, 2 }, { 725, 3 }, { 1 << 20, 24 }, { 1482910, 24 },
        { 1482911, 25 }, { (UINT64_C(1) << 37) - 1, 57 },
        { UINT64_C(1) << 37, 58 }, { UINT64_C(1) << 38, 59 },
        { UINT64_MAX, 59 },
    };

    for (unsigned i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
        uint32_t a;

        start(NULL);
        a = call(1, cases[i].ticks, 0);
        call(1, 0, cases[i].ticks);
        CHECK(edge(1, a, a)->in[cases[i].bucket] == 1);
        CHECK(edge(1, a, a)->out[cases[i].bucket] == 1);
    }
}

/* Of the call that the edge begins with: mean and spread, whatever they are. */
static void bytes(void)
{
    double sum = 0, squares = 0;
    uint32_t a, b;
    enum { N = 500 };

    start(NULL);
    for (unsigned i = 0; i < N; i++) {
        a = model_enter(&model, CALL_Send, (const void *)0x1000, 100, 0, 0);
        model_leave(&model, 1, i / 3 * 1000);
        b = model_enter(&model, CALL_Recv, (const void *)0x2000, 100, 0, 0);
        model_leave(&model, 1, 7);
        sum += i / 3 * 1000;
    }
    for (unsigned i = 0; i < N; i++)
        squares += (i / 3 * 1000 - sum / N) * (i / 3 * 1000 - sum / N);
    CHECK(about(edge(1, a, b)->bytes_mean, sum / N));
    CHECK(about(edge(1, a, b)->bytes_m2, squares));
    CHECK(edge(1, b, a)->bytes_mean == 7 && edge(1, b, a)->bytes_m2 == 0);
}

static void sites(void)
{
    uint32_t a, b, c, d;

    start(NULL);
    a = model_enter(&model, CALL_Send, (const void *)0x1000, 100, 0, 0);
    b = model_enter(&model, CALL_Send, (const void *)0x1000, 164, 0, 0);
    c = model_enter(&model, CALL_Recv, (const void *)0x1000, 100, 0, 0);
    d = model_enter(&model, CALL_Send, (const void *)0x1000, 100, 0, 0);
    CHECK(a == d && a != b && a != c && b != c);
    CHECK(tables->site[b].height == 164 && tables->site[c].call == CALL_Recv);
    CHECK(a >= PAGE_SITE_FIRST && b >= PAGE_SITE_FIRST);
}

static void more_than_there_is_room_for(void)
{
    struct page_slot *s;
    uint64_t transitions = 0;

    start(NULL);
    s = page_slot(&page, 0);
    for (unsigned i = 0; i < 20000; i++)
        call((unsigned)(random() % 3000), 1, 1);
    CHECK(s->sites_lost > 10000 && s->sites_lost < 20000);
    CHECK(tables->bank[1].used == PAGE_EDGES);
    for (unsigned i = 0; i < PAGE_EDGES; i++)
        transitions += tables->bank[1].edge[i].n;
    CHECK(transitions + tables->bank[1].lost == 20000);
    CHECK(tables->bank[1].lost > 0);
    CHECK(tables->site[PAGE_SITE_OTHER].calls == s->sites_lost);
}

/* Phases: the last ones by themselves, those before together; nothing is lost
 * and the sums are those of one long phase. */
static void phases(void)
{
    const struct page_edge *old, *now;
    uint32_t a = 0;

    start("pcontrol");
    for (int phase = 0; phase < 7; phase++) {
        if (phase)
            phase_pcontrol(phase * 10);
        for (int i = 0; i < 100; i++)
            a = call(1, (uint64_t)(phase * 1000 + i), 0);
    }
    CHECK(page.page->phase == 6);
    CHECK(tables->bank[page_bank_of(6)].phase == 7);
    CHECK(tables->bank[page_bank_of(6)].label == 60);
    CHECK(tables->bank[page_bank_of(5)].label == 50);
    CHECK(tables->bank[0].phase == 5);
    now = edge(page_bank_of(6), a, a);
    CHECK(now->n == 100);
    old = edge(0, a, a);
    CHECK(old->n == 499);                       /* one began in START */
    {
        double sum = 0, squares = 0, mean;
        int last = -1;

        /* Each transition carries the time of the call before it. */
        for (int pass = 0; pass < 2; pass++) {
            last = -1;
            mean = sum / 499;
            for (int phase = 0; phase < 5; phase++)
                for (int i = 0; i < 100; i++) {
                    if (last >= 0 && pass == 0)
                        sum += last;
                    if (last >= 0 && pass == 1)
                        squares += (last - mean) * (last - mean);
                    last = phase * 1000 + i;
                }
        }
        CHECK(about(old->in_mean, mean) && about(old->in_m2, squares));
    }
    CHECK(tables->bank[0].seq % 2 == 0 && tables->bank[0].lost == 0);
}

/* --------------------------------------------- through the entry points */

static __attribute__((noinline)) void one_place(int depth)
{
    volatile char room[64];

    room[0] = (char)depth;
    if (depth == 0)
        MPI_Barrier(FAKE_COMM(FAKE_WORLD));
    else
        one_place(depth - 1);
    room[1] = room[0];
}

/* Two ways down from each level, with the stack equally high. */
static __attribute__((noinline)) void way(unsigned bits, int depth)
{
    static volatile int left, right;

    if (depth == 0) {
        MPI_Barrier(FAKE_COMM(FAKE_WORLD));
    } else if (bits & 1) {
        way(bits >> 1, depth - 1);
        left++;
    } else {
        way(bits >> 1, depth - 1);
        right++;
    }
    right++;
}

/* How many there are, and what was called from them. */
static unsigned count_sites(uint64_t *calls)
{
    unsigned n = 0;

    *calls = 0;
    for (unsigned i = PAGE_SITE_FIRST; i < PAGE_SITES; i++) {
        n += tables->site[i].address != 0;
        *calls += tables->site[i].calls;
    }
    return n;
}

/* Callers are told apart by their frames, not only by where they stand. */
static void ways(void)
{
    struct page_slot *s;
    uint64_t calls;
    unsigned first = 0;

    page = page_make(2, RING_BYTES_MIN);
    fake_mpi();
    record_start(&page);
    record_init_end(true);
    tables = page_thread(&page, 0);
    s = page_slot(&page, 0);
    for (unsigned round = 0; round < 3; round++)
        for (unsigned bits = 0; bits < 8; bits++)
            way(bits, 3);
    CHECK(count_sites(&calls) == 8 && calls == 24);
    for (unsigned i = PAGE_SITE_FIRST; i < PAGE_SITES; i++) {
        const struct page_site *site = &tables->site[i];

        if (!site->address)
            continue;
        CHECK(site->calls == 3);
        CHECK(!first || site->address == tables->site[first].address);
        CHECK(!first || site->height == tables->site[first].height);
        first = first ? first : i;
    }
    /* When half of the room is taken they are one again, and none is lost. */
    for (int depth = 0; depth < 60; depth++)
        one_place(depth);
    for (int depth = 4; depth < 32; depth++)
        for (unsigned bits = 0; bits < 8; bits++)
            way(bits << (depth - 3), depth);
    CHECK(count_sites(&calls) < 8 + 60 + 28 * 8);
    CHECK(count_sites(&calls) >= PAGE_SITES / 2);
    CHECK(calls == 24 + 60 + 28 * 8 && s->sites_lost == 0);
}

static void contexts(void)
{
    const struct page_module *m;
    unsigned n = 0, deepest = 0;
    struct page_slot *s;
    char exe[192] = "";

    page = page_make(2, RING_BYTES_MIN);
    fake_mpi();
    record_start(&page);
    record_init_end(true);
    tables = page_thread(&page, 0);
    s = page_slot(&page, 0);
    for (int i = 0; i < 10; i++)
        one_place(i % 3);
    for (unsigned i = PAGE_SITE_FIRST; i < PAGE_SITES; i++) {
        const struct page_site *site = &tables->site[i];

        if (!site->address)
            continue;
        n++;
        CHECK(site->call == CALL_Barrier && site->calls >= 3);
        CHECK(tables->frame[i][0] == site->address && site->frames >= 3);
        CHECK(tables->frame[i][0] > (uintptr_t)one_place);
        if (site->frames > deepest)
            deepest = site->frames;
    }
    CHECK(n == 3 && deepest <= PAGE_FRAMES);
    CHECK(s->site == tables->bank[1].edge[0].ends % 65536 || s->site >= 2);
    m = &page_shared(&page)->module[0];
    CHECK(readlink("/proc/self/exe", exe, sizeof(exe) - 1) > 0);
    CHECK(strcmp(m->path, exe) == 0 && m->id_bytes == 20);
    CHECK(m->start <= (uintptr_t)one_place && (uintptr_t)one_place < m->end);
    /* The flight recorder knows the sites. */
    CHECK(tables->flight[9].site == s->site && tables->flight[9].number == 10);
}

static void switched_off(void)
{
    page = page_make(2, RING_BYTES_MIN);
    page.what = 0;
    fake_mpi();
    record_start(&page);
    record_init_end(true);
    tables = page_thread(&page, 0);
    for (int i = 0; i < 10; i++)
        one_place(0);
    CHECK(page_slot(&page, 0)->calls == 10);
    CHECK(page_slot(&page, 0)->peer == PAGE_NONE);
    CHECK(tables->bank[1].used == 0 && tables->flight[0].number == 0);
    CHECK(page_shared(&page)->comm[0].kind == 0);
}

#define IN_CHILD(name) \
    static void test_##name(void **state) { (void)state; in_child(name); }
#define TESTS(X) \
    X(edges) X(guesses_are_only_guesses) \
    X(histograms_stay_in_proportion) X(buckets) X(bytes) X(sites) \
    X(more_than_there_is_room_for) X(phases) X(contexts) X(ways) \
    X(switched_off)
TESTS(IN_CHILD)

int main(void)
{
#define LIST(name) cmocka_unit_test(test_##name),
    const struct CMUnitTest tests[] = { TESTS(LIST) };

    cmocka_set_message_output(CM_OUTPUT_TAP);
    return cmocka_run_group_tests(tests, NULL, NULL);
}
