/* bench_look.c - what one look at tasks all of which have moved takes, without
 * what the system takes to wake processes: the slave reads the pages and packs
 * what it has seen, as one look of a series, the master unpacks it, makes a
 * snapshot and records it.
 *
 * usage: bench_look [LOOKS]     so many, and nothing is printed: for programs
 *                               that count instructions (look.sh) */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "master/watch/looks.h"
#include "master/watch/series.h"
#include "master/watch/tape.h"
#include "mpi-wrappers/table/calls.h"
#include "proto/base/clock.h"
#include "slave/jobs/look.h"
#include "slave/page/registry.h"

enum { TASKS = 16, LOOKS = 2000 };

static struct task task[TASKS];
static struct node node;
static struct looks looks;
static struct tape tape;
static struct series series;

static bool is_there(const void *arg, uint32_t rank)
{
    (void)arg;
    return rank < TASKS;
}

static int make_tasks(void)
{
    struct hct_job job = { .size = sizeof(job), .nranks = TASKS, .job = 1 };
    struct err err;

    ticks_init(&node.ticks);
    for (unsigned i = 0; i < TASKS; i++) {
        struct page_header *h;
        struct page_slot *s;

        if (registry_make_page(&task[i].tally.page, 1, i, TASKS, &err) < 0)
            return fprintf(stderr, "bench_look: %s\n", err.text), -1;
        h = (void *)task[i].tally.page;
        s = (struct page_slot *)(task[i].tally.page + page_slot_at(0));
        h->slots_used = 1;
        h->clock = PAGE_CLOCK_MONOTONIC;
        h->state = PAGE_STATE_RUNNING;
        s->tid = 1;
        s->call = CALL_Allreduce;
        s->comm = PAGE_COMM_WORLD;
        s->peer = PAGE_NONE;
        task[i].rank = i;
        task[i].pid = task[i].tally.pid = 1 << 30;
    }
    return looks_init(&looks, &job) || tape_init(&tape, TASKS) ||
           series_begin(&series, 1) ? -1 : 0;
}

/* All have made a hundred calls. */
static void move(uint64_t seq)
{
    for (unsigned i = 0; i < TASKS; i++) {
        struct page_slot *s = (struct page_slot *)
            (task[i].tally.page + page_slot_at(0));

        s->calls = 100 * seq + i;
        s->collective = 50 * seq;
        s->since_ticks = ticks_now(PAGE_CLOCK_MONOTONIC) - 1000;
        s->in_ticks = 5000000 * seq;
        s->out_ticks = 5000000 * seq + i;
    }
}

static void take(void *arg, size_t part, const uint8_t *look, size_t bytes)
{
    struct err err;

    (void)part;
    if (looks_take_packed(&looks, look, bytes, is_there, arg, &err))
        exit(1);
}

/* By this name look.sh finds it. */
__attribute__((noinline)) void look_once(uint64_t seq, struct str *row);

void look_once(uint64_t seq, struct str *row)
{
    Hct__Look order = HCT__LOOK__INIT;
    struct look l = { .node = &node, .order = &order };
    struct hct_snapshot s;
    Hct__Looked m = HCT__LOOKED__INIT;
    ProtobufCBinaryData packed;
    struct err err;
    uint64_t after_ns;

    order.seq = seq;
    for (unsigned i = 0; i < TASKS; i++)
        look_at(&l, &task[i]);
    if (!look_pack(&l, 0, &packed))
        exit(1);
    look_free(&l);
    m.more = &packed;
    m.n_more = 1;
    if (series_put(&series, 0, &m, is_there, NULL, &err))
        exit(1);
    looks_begin(&looks, 0);
    series_step(&series, 1, take, NULL, &after_ns);
    looks_end(&looks, clock_monotonic_ns(), &s);
    tape_write(&tape, &s, row);
    free(packed.data);
}

int main(int argc, char **argv)
{
    uint64_t n = argc > 1 ? strtoull(argv[1], NULL, 10) : LOOKS, began;
    struct str row = { 0 };

    if (make_tasks())
        return 1;
    move(1);
    look_once(1, &row);                 /* the tables are full then */
    began = clock_monotonic_ns();
    for (uint64_t seq = 2; seq < n + 2; seq++) {
        move(seq);
        look_once(seq, &row);
        if (row.n > 1 << 20)
            str_reset(&row);
    }
    if (argc == 1)
        printf("look at %d tasks that move, without wake-ups: %.1f us\n",
               TASKS, (double)(clock_monotonic_ns() - began) / 1e3 / (double)n);
    str_fini(&row);
    return 0;
}
