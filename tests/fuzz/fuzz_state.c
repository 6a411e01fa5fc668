/* fuzz_state.c - a page full of anything: what the slave reads of threads,
 * communicators, requests, last calls and models is bounded, whatever stands
 * there.
 *
 * The first byte chooses how the rest is laid over the page: over and over
 * again, or in pieces (where: two bytes; how many: one; bytes). */
#include <assert.h>
#include <math.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "slave/page/lookmodel.h"
#include "slave/page/losses.h"
#include "slave/page/registry.h"
#include "slave/page/state.h"
#include "slave/page/taskmodel.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

enum { SLOTS = 2 };             /* that are filled */

static char *page;
static struct state_thread threads[PAGE_SLOTS];
static struct state_comm comms[PAGE_COMMS];
static struct state_request requests[PAGE_REQUESTS];
static struct state_flight flights[PAGE_FLIGHT];
static struct state_module modules[PAGE_MODULES];
static struct state_meeting meetings[PAGE_MEETINGS];
static struct state_model model;

/* The parts that are read here, one behind the other. */
static const struct part { size_t at, bytes; } *part_of(unsigned i)
{
    static struct part parts[4 + SLOTS];

    parts[0] = (struct part){ offsetof(struct page_header, state), 128 };
    parts[1] = (struct part){ page_slot_at(0),
                              SLOTS * sizeof(struct page_slot) };
    parts[2] = (struct part){ page_shared_at(PAGE_SLOTS, PAGE_CALLS,
                                             PAGE_RING_BYTES),
                              sizeof(struct page_shared) };
    for (unsigned s = 0; s < SLOTS; s++)
        parts[3 + s] = (struct part){ page_thread_at(PAGE_SLOTS, PAGE_CALLS,
            PAGE_RING_BYTES, s), sizeof(struct page_thread) };
    parts[3 + SLOTS] = (struct part){ page_meetings_at(PAGE_SLOTS, PAGE_CALLS,
        PAGE_RING_BYTES), sizeof(struct page_meetings) };
    return i < 4 + SLOTS ? &parts[i] : NULL;
}

static void lay_all(const uint8_t *data, size_t size)
{
    const struct part *p;

    for (unsigned i = 0; (p = part_of(i)) != NULL; i++)
        for (size_t at = 0; at < p->bytes; at += size)
            memcpy(page + p->at + at, data,
                   size < p->bytes - at ? size : p->bytes - at);
}

static void lay_pieces(const uint8_t *data, size_t size)
{
    const struct part *p;

    for (unsigned i = 0; (p = part_of(i)) != NULL; i++)
        memset(page + p->at, 0, p->bytes);
    while (size > 4) {
        size_t at, n = data[3] < size - 4 ? data[3] : size - 4;

        p = part_of(data[0] % (4 + SLOTS));
        at = (size_t)(data[1] | data[2] << 8) * 8 % p->bytes;
        if (n > p->bytes - at)
            n = p->bytes - at;
        memcpy(page + p->at + at, data + 4, n);
        data += 4 + n;
        size -= 4 + n;
    }
}

static void read_threads(void)
{
    unsigned n = state_threads(page, threads, PAGE_SLOTS);

    for (unsigned i = 0; i < n; i++)
        assert(threads[i].call < PAGE_CALLS && threads[i].slot < PAGE_SLOTS &&
               threads[i].waits_call < PAGE_CALLS &&
               threads[i].site < PAGE_SITES &&
               threads[i].peer >= PAGE_UNKNOWN &&
               threads[i].source >= PAGE_UNKNOWN &&
               threads[i].tag >= PAGE_UNKNOWN &&
               threads[i].requests <= PAGE_REQUESTS);
}

static void read_shared(void)
{
    unsigned n = state_comms(page, comms, PAGE_COMMS);

    for (unsigned i = 0; i < n; i++)
        assert(comms[i].kind >= PAGE_KIND_COMM &&
               comms[i].kind <= PAGE_KIND_FILE &&
               comms[i].call < PAGE_CALLS);
    n = state_requests(page, requests, PAGE_REQUESTS);
    for (unsigned i = 0; i < n; i++)
        assert(requests[i].call < PAGE_CALLS && requests[i].waiter >= -1 &&
               requests[i].waiter < PAGE_SLOTS &&
               requests[i].peer >= PAGE_UNKNOWN &&
               requests[i].tag >= PAGE_UNKNOWN);
    n = state_modules(page, modules, PAGE_MODULES);
    for (unsigned i = 0; i < n; i++)
        assert(modules[i].id_bytes <= sizeof(modules[i].id) &&
               memchr(modules[i].path, 0, sizeof(modules[i].path)));
}

static void read_meetings(void)
{
    bool lost;
    unsigned n = state_meetings(page, meetings, PAGE_MEETINGS, &lost);

    for (unsigned i = 0; i < n; i++)
        assert(meetings[i].id && meetings[i].call < PAGE_CALLS &&
               meetings[i].runs <= PAGE_RUNS &&
               meetings[i].tag >= PAGE_UNKNOWN);
}

static void read_model(unsigned slot)
{
    unsigned n = state_flights(page, slot, flights, PAGE_FLIGHT);

    for (unsigned i = 0; i < n; i++)
        assert(flights[i].call < PAGE_CALLS && flights[i].site < PAGE_SITES);
    n = state_flights_all(page, flights, 8);
    for (unsigned i = 0; i < n; i++)
        assert(flights[i].site < PAGE_SLOTS * PAGE_SITES &&
               (i == 0 || flights[i - 1].exit_ticks <= flights[i].exit_ticks));
    state_model_read(&model, page, slot);
    assert(model.nsites <= PAGE_SITES);
    assert(model.nedges <= PAGE_BANKS * PAGE_EDGES);
    for (unsigned i = 0; i < model.nsites; i++)
        assert(model.site[i].call > 0 && model.site[i].call < PAGE_CALLS &&
               model.site[i].number < PAGE_SITES &&
               model.site[i].frames <= PAGE_FRAMES);
    for (unsigned i = 0; i < model.nedges; i++)
        assert(model.edge[i].bank < PAGE_BANKS && model.edge[i].n > 0 &&
               model.edge[i].from < PAGE_SITES &&
               model.edge[i].to < PAGE_SITES &&
               isfinite(model.edge[i].in_mean) && model.edge[i].in_m2 >= 0 &&
               isfinite(model.edge[i].out_mean) &&
               model.edge[i].out_m2 >= 0 &&
               isfinite(model.edge[i].bytes_mean) &&
               model.edge[i].bytes_m2 >= 0);
}

/* As a part of the job's model: whoever gets it believes it. */
static void read_task(void)
{
    static struct ticks ticks;
    struct tally w = { .page = page };
    struct account account = { 0 };
    struct taskmodel t;
    struct jobmodel again;
    struct str s = { 0 };
    struct err err;
    Hct__Model *m;

    ticks_init(&ticks);
    assert(taskmodel_init(&t, 1, &account, &ticks, true, &err) == 0);
    assert(taskmodel_add(&t, &w, 0) >= 0);
    assert(jobmodel_write(&t.model, NULL, NULL, 0, &s, &err) == 0);
    m = hct__model__unpack(NULL, s.n, (uint8_t *)s.s);
    assert(m && jobmodel_read(&again, m, &err) == 0);
    jobmodel_fini(&again);
    hct__model__free_unpacked(m, NULL);
    str_fini(&s);
    taskmodel_fini(&t);
    account_fini(&account);
}

/* By itself, for policies. */
static void read_own(void)
{
    static struct lookmodel *reads;
    static struct ticks ticks;
    const struct page_header *h = (const struct page_header *)page;
    const uint32_t phase = h->rank % 16 ? h->rank % 5 : UINT32_MAX;
    const struct lookmodel_time time = {
        .window = (enum window_what)(h->rank % WINDOWS),
        .phase = h->rank % 2 ? &phase : NULL, .ago_ns = h->rank % 7 };
    Hct__Looked__Model m = HCT__LOOKED__MODEL__INIT;

    if (!reads) {
        ticks_init(&ticks);
        assert((reads = lookmodel_create()));
    }
    if (!lookmodel_read(reads, page, &ticks, 5, &time, &m))
        return;
    assert(m.at <= m.n_sites);
    for (size_t i = 0; i < m.n_from; i++)
        assert(m.from[i] < m.n_sites && m.to[i] < m.n_sites && m.n[i] &&
               isfinite(m.in_mean[i]) && m.in_m2[i] >= 0 &&
               isfinite(m.out_mean[i]) && m.out_m2[i] >= 0);
    for (size_t i = 0; m.last && i < m.last->n_from; i++)
        assert(m.last->from[i] < m.n_sites && m.last->to[i] < m.n_sites &&
               m.last->n[i] && m.last->ago_ns && !m.last->n_sites);
    free(m.places);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    unsigned told = ~0u;        /* the sentences are many */
    struct err err;

    if (!page) {
        int fd = registry_make_page(&page, 1, 0, 1, &err);

        assert(fd >= 0 && state_model_init(&model, &err) == 0);
        close(fd);
    }
    if (size < 2)
        return 0;
    if (*data & 1)
        lay_all(data + 1, size - 1);
    else
        lay_pieces(data + 1, size - 1);
    read_threads();
    read_shared();
    read_meetings();
    for (unsigned s = 0; s < SLOTS; s++)
        read_model(s);
    read_task();
    read_own();
    state_phase(page);
    losses_tell(page, 1, 0, &told);
    return 0;
}
