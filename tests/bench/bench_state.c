/* bench_state.c - how long the slave needs to read what 1,000 tasks are doing:
 * the state of each one's thread, from 1,000 pages; and one whole model. */
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

#include "proto/base/clock.h"
#include "slave/page/registry.h"
#include "slave/page/state.h"
#include "slave/page/window.h"

enum { TASKS = 1000, ROUNDS = 51 };

static int by_value(const void *a, const void *b)
{
    uint64_t x = *(const uint64_t *)a, y = *(const uint64_t *)b;

    return (x > y) - (x < y);
}

static void fill(char *page, unsigned rank)
{
    struct page_header *h = (struct page_header *)page;
    struct page_slot *s = (struct page_slot *)(page + page_slot_at(0));
    struct page_thread *t = (struct page_thread *)
        (page + page_thread_at(PAGE_SLOTS, PAGE_CALLS, PAGE_RING_BYTES, 0));

    h->slots_used = 1;
    s->tid = 1;
    s->call = 12;
    s->comm = PAGE_COMM_WORLD;
    s->collective = rank;
    s->peer = PAGE_NONE;
    s->calls = 1000000;
    if (rank != 0)
        return;
    t->bank[1].phase = 1;               /* a model of 200 edges */
    for (unsigned i = 0; i < 100; i++)
        t->site[2 + i * 4].address = t->site[2 + i * 4].call = 1 + i;
    for (unsigned i = 0; i < 200; i++) {
        t->bank[1].edge[i].ends = (2 + i / 2 * 4) << 16 | (2 + i % 7 * 4);
        t->bank[1].edge[i].n = 1;
    }
    t->bank[1].used = 200;
}

/* What is kept of a task for the models of the last minutes. */
static int measure_window(struct state_model *m, const char *page)
{
    uint64_t ns[ROUNDS];
    struct windows k = { .kept[0].n = 0 };

    for (int r = 0; r < ROUNDS; r++) {
        uint64_t start = clock_monotonic_ns();

        if (!window_read(&k.kept[r % 2], m, page, start))
            return 1;
        ns[r] = clock_monotonic_ns() - start;
    }
    qsort(ns, ROUNDS, sizeof(ns[0]), by_value);
    printf("window of %zu edges: read in %.0f us (median of %d) once in %.0f s; "
           "%.1f kB a task are kept, at most %.0f\n", k.kept[0].n,
           (double)ns[ROUNDS / 2] / 1e3, ROUNDS, (double)window_ns / 1e9,
           (double)(WINDOWS_KEPT * k.kept[0].cap *
                    sizeof(struct window_edge)) / 1024,
           1. * WINDOWS_KEPT * WINDOW_EDGES * sizeof(struct window_edge) / 1024);
    window_fini(&k.kept[0]);
    window_fini(&k.kept[1]);
    return 0;
}

int main(void)
{
    static char *page[TASKS];
    static struct state_thread v[TASKS];
    uint64_t ns[ROUNDS], model_ns[ROUNDS];
    struct state_model m;
    struct err err;
    unsigned n = 0;

    for (unsigned i = 0; i < TASKS; i++) {
        int fd = registry_make_page(&page[i], 1, i, TASKS, &err);

        if (fd < 0) {
            fprintf(stderr, "bench_state: %s\n", err.text);
            return 1;
        }
        close(fd);
        fill(page[i], i);
    }
    if (state_model_init(&m, &err))
        return 1;
    for (int r = 0; r < ROUNDS; r++) {
        uint64_t start = clock_monotonic_ns();

        for (unsigned i = 0; i < TASKS; i++)
            n += state_threads(page[i], &v[i], 1);
        ns[r] = clock_monotonic_ns() - start;
        start = clock_monotonic_ns();
        state_model_read(&m, page[0], 0);
        model_ns[r] = clock_monotonic_ns() - start;
    }
    qsort(ns, ROUNDS, sizeof(ns[0]), by_value);
    qsort(model_ns, ROUNDS, sizeof(ns[0]), by_value);
    printf("state of %d tasks: %.0f us, model of %u edges: %.0f us "
           "(medians of %d)\n", TASKS, (double)ns[ROUNDS / 2] / 1e3, m.nedges,
           (double)model_ns[ROUNDS / 2] / 1e3, ROUNDS);
    if (measure_window(&m, page[0]))
        return 1;
    state_model_fini(&m);
    return n == TASKS * ROUNDS ? 0 : 1;
}
