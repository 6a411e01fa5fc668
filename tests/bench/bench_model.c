/* bench_model.c - models without any network: what a slave needs to read those
 * of its 128 tasks, 200 edges each, as one part; and what merging such parts
 * costs, of 32 below one slave and of 1,024 below the master. Processor time. */
#include <malloc.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

#include "proto/base/clock.h"
#include "proto/tree/merge.h"
#include "slave/jobs/modelpart.h"
#include "slave/page/registry.h"

enum { TASKS = 128, STATES = 100, EDGES = 200, ROUNDS = 11, BASE = 0x10000 };

static int by_value(const void *a, const void *b)
{
    uint64_t x = *(const uint64_t *)a, y = *(const uint64_t *)b;

    return (x > y) - (x < y);
}

static double median_ms(uint64_t ns[ROUNDS])
{
    qsort(ns, ROUNDS, sizeof(ns[0]), by_value);
    return (double)ns[ROUNDS / 2] / 1e6;
}

/* Each state leads to the next one and to one that is farther on. */
static void fill(char *page)
{
    struct page_header *h = (struct page_header *)page;
    struct page_slot *s = (struct page_slot *)(page + page_slot_at(0));
    struct page_shared *m = (struct page_shared *)(page + page_shared_at(
        PAGE_SLOTS, PAGE_CALLS, PAGE_RING_BYTES));
    struct page_thread *t = (struct page_thread *)
        (page + page_thread_at(PAGE_SLOTS, PAGE_CALLS, PAGE_RING_BYTES, 0));

    h->slots_used = 1;
    h->clock = PAGE_CLOCK_MONOTONIC;
    s->tid = 1;
    s->calls = 1;
    m->module[0].start = m->module[0].base = BASE;
    m->module[0].end = 2 * BASE;
    snprintf(m->module[0].path, sizeof(m->module[0].path), "/bin/solver");
    for (unsigned i = 0; i < STATES; i++) {
        t->site[2 + i].call = 12;
        t->site[2 + i].frames = 4;
        for (unsigned f = 0; f < 4; f++)
            t->frame[2 + i][f] = BASE + 64 * (f ? f : 16 + i);
        t->site[2 + i].address = t->frame[2 + i][0];
    }
    t->bank[1].phase = 1;
    t->bank[1].used = EDGES;
    for (unsigned i = 0; i < EDGES; i++) {
        struct page_edge *e = &t->bank[1].edge[i];

        e->ends = (2 + i / 2) << 16 | (2 + (i / 2 + 1 + i % 2) % STATES);
        e->n = 1000 + i;
        e->in_mean = 1e4;
        e->out_mean = 1e5;
    }
}

/* Merge n parts, as those of one node after the other. */
static double merge(const struct str *part, uint32_t n, size_t *bytes)
{
    uint64_t ns[ROUNDS];
    size_t before = mallinfo2().uordblks;

    for (int r = 0; r < ROUNDS; r++) {
        uint64_t start = clock_process_ns(0);
        void *whole = merge_model.create(n * TASKS, NULL);
        struct str out = { 0 };

        for (uint32_t i = 0; i < n; i++)
            if (merge_model.add(whole, (const uint8_t *)part->s, part->n,
                                i * TASKS, TASKS, NULL))
                exit(1);
        *bytes = mallinfo2().uordblks - before;
        if (merge_model.pack(whole, &out, NULL))
            exit(1);
        merge_model.destroy(whole);
        str_fini(&out);
        ns[r] = clock_process_ns(0) - start;
    }
    return median_ms(ns);
}

int main(void)
{
    static struct task task[TASKS], *tasks[TASKS];
    struct account account = { 0 };
    struct ticks ticks;
    const struct taskset all = { 0 };
    struct modelpart p = {
        .tasks = tasks, .n = TASKS, .ranks = &all, .account = &account, .ticks = &ticks
    };
    struct str part = { 0 };
    uint64_t ns[ROUNDS];
    size_t few, many;
    struct err err;
    double read_ms, few_ms, many_ms;

    ticks_init(&ticks);
    for (unsigned i = 0; i < TASKS; i++) {
        int fd = registry_make_page(&task[i].tally.page, 1, i, TASKS, &err);

        if (fd < 0) {
            fprintf(stderr, "bench_model: %s\n", err.text);
            return 1;
        }
        close(fd);
        fill(task[i].tally.page);
        tasks[i] = &task[i];
    }
    for (int r = 0; r < ROUNDS; r++) {
        uint64_t start = clock_process_ns(0);

        str_reset(&part);
        if (modelpart_make(&p, &part, &err))
            return 1;
        ns[r] = clock_process_ns(0) - start;
    }
    read_ms = median_ms(ns);
    few_ms = merge(&part, 32, &few);
    many_ms = merge(&part, 1024, &many);
    printf("models of %d tasks, %d edges each: read as a part of %.1f kB in "
           "%.2f ms; 32 parts merged in %.2f ms, %.0f kB; 1,024 in %.1f ms, "
           "%.0f kB (processor time, medians of %d)\n", TASKS, EDGES,
           (double)part.n / 1e3, read_ms, few_ms, (double)few / 1e3, many_ms,
           (double)many / 1e3, ROUNDS);
    return 0;
}
