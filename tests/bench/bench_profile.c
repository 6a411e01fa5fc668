/* bench_profile.c - what the account of calls costs a slave: reading the pages
 * of 64 tasks that have called MPI from 100 places each, and writing what has
 * changed into messages; when all has changed, and when nothing has. Beside
 * it the same bytes copied, which no reader can be faster than. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "hct.pb-c.h"
#include "proto/base/clock.h"
#include "slave/page/profile.h"
#include "slave/page/registry.h"
#include "slave/page/profilewire.h"

enum { TASKS = 64, SITES = 100, DEPTH = 6, ROUNDS = 51 };

static char *page[TASKS];
static struct profile profile[TASKS];
static struct sites sites;
static size_t packed;

static int by_value(const void *a, const void *b)
{
    uint64_t x = *(const uint64_t *)a, y = *(const uint64_t *)b;

    return (x > y) - (x < y);
}

static double median_us(uint64_t *v)
{
    qsort(v, ROUNDS, sizeof(*v), by_value);
    return (double)v[ROUNDS / 2] / 1e3;
}

static struct page_thread *thread_of(unsigned task)
{
    return (struct page_thread *)(page[task] + page_thread_at(
        PAGE_SLOTS, PAGE_CALLS, PAGE_RING_BYTES, 0));
}

/* Every task has mapped the program elsewhere. */
static void fill(unsigned task)
{
    struct page_header *h = (struct page_header *)page[task];
    struct page_shared *s = (struct page_shared *)(page[task] +
        page_shared_at(PAGE_SLOTS, PAGE_CALLS, PAGE_RING_BYTES));
    struct page_slot *slot = (struct page_slot *)(page[task] +
                                                  page_slot_at(0));
    struct page_thread *t = thread_of(task);
    uint64_t base = 0x100000 * (1 + task);

    h->slots_used = 1;
    h->clock = PAGE_CLOCK_MONOTONIC;
    slot->tid = 1;
    s->module[0].base = base;
    s->module[0].end = base + 0x100000;
    s->module[0].id_bytes = 20;
    strcpy(s->module[0].path, "/home/user/project/build/bin/solver");
    s->module[0].start = base;
    for (unsigned i = 0; i < SITES; i++) {
        unsigned at = PAGE_SITE_FIRST + i * 5;

        t->site[at].call = 1 + i % 60;
        t->site[at].frames = DEPTH;
        for (unsigned f = 0; f < DEPTH; f++)
            t->frame[at][f] = base + (f ? 64 * f : 4096 + 16 * i);
        t->site[at].address = t->frame[at][0];
    }
}

static void work(unsigned task)
{
    struct page_count *c = (struct page_count *)(page[task] + page_counts_at(
        PAGE_SLOTS, PAGE_CALLS, 0));

    for (unsigned i = 0; i < SITES; i++) {
        struct page_site *s = &thread_of(task)->site[PAGE_SITE_FIRST + i * 5];

        s->calls += 1000;
        s->in_ticks += 123456789;
        s->bytes += 4096000;
        c[s->call].calls += 1000;
        c[s->call].in_ticks += 123456789;
        c[s->call].bytes += 4096000;
    }
}

static void on_message(void *arg, const void *message)
{
    size_t n = protobuf_c_message_get_packed_size(message);
    uint8_t *p = malloc(n);

    (void)arg;
    packed += protobuf_c_message_pack(message, p);
    free(p);
}

static void read_all(const struct ticks *ticks)
{
    for (unsigned i = 0; i < TASKS; i++)
        profile_read(&profile[i], page[i], ticks, &sites);
}

static void tell_all(void)
{
    struct profilewire s;

    profilewire_init(&s, 1, &sites);
    for (unsigned i = 0; i < TASKS; i++)
        profilewire_add_task(&s, i, &profile[i]);
    if (!profilewire_is_empty(&s))
        profilewire_send(&s, on_message, NULL);
    profilewire_fini(&s);
}

int main(void)
{
    uint64_t read_ns[ROUNDS], tell_ns[ROUNDS], idle_ns[ROUNDS], copy_ns[ROUNDS];
    static char copy[PAGE_SITES * sizeof(struct page_site)];
    struct ticks ticks;
    struct err err;
    double copied;

    ticks_init(&ticks);
    for (unsigned i = 0; i < TASKS; i++) {
        int fd = registry_make_page(&page[i], 1, i, TASKS, &err);

        if (fd < 0) {
            fprintf(stderr, "bench_profile: %s\n", err.text);
            return 1;
        }
        close(fd);
        fill(i);
    }
    for (int r = 0; r < ROUNDS; r++) {
        uint64_t start;

        for (unsigned i = 0; i < TASKS; i++)
            work(i);
        start = clock_monotonic_ns();
        read_all(&ticks);
        read_ns[r] = clock_monotonic_ns() - start;
        packed = 0;
        start = clock_monotonic_ns();
        tell_all();
        tell_ns[r] = clock_monotonic_ns() - start;
        start = clock_monotonic_ns();
        read_all(&ticks);
        tell_all();
        idle_ns[r] = clock_monotonic_ns() - start;
        start = clock_monotonic_ns();
        for (unsigned i = 0; i < TASKS; i++) {
            memcpy(copy, thread_of(i)->site, sizeof(copy));
            __asm__ volatile("" : : "r"(copy) : "memory");
        }
        copy_ns[r] = clock_monotonic_ns() - start;
        if (sites.nsites != SITES || profile[TASKS - 1].n != SITES)
            return 1;
    }
    copied = median_us(copy_ns);
    printf("account of %d tasks, %d sites each: read %.0f us (tables copied"
           " %.0f us), told %.0f us in %zu kB, without news %.0f us; every"
           " %.1f s that is %.4f %% of a processor (medians of %d)\n", TASKS,
           SITES, median_us(read_ns), copied, median_us(tell_ns),
           packed >> 10, median_us(idle_ns), 5 + 0.003 * TASKS,
           (median_us(read_ns) + median_us(tell_ns)) / 1e4 /
           (5 + 0.003 * TASKS), ROUNDS);
    return 0;
}
