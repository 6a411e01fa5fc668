/* fuzz_page.c - a task scribbles over its whole page, again and again: what
 * the slave reads from it stays within the page, records keep their order,
 * and the reading comes to an end.
 *
 * The bytes are pieces as scribble.h has them. */
#include "tests/fuzz/scribble.h"

#include <assert.h>
#include <stdlib.h>
#include <unistd.h>

#include "hct.pb-c.h"
#include "slave/page/registry.h"
#include "slave/page/profilewire.h"
#include "slave/page/tally.h"
#include "slave/proc/ticks.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

enum { PIECES = 64 };

struct world {
    uint64_t next;              /* record */
    uint64_t upto;
};

static int on_send(void *arg, const void *events)
{
    struct world *w = arg;
    const Hct__Events *m = events;

    assert(m->first == w->next);
    for (size_t i = 0; i < m->n_records; i++) {
        assert(m->records[i]->label < m->n_labels ||
               m->records[i]->enter_ns == 0 || m->n_labels > 0);
        assert(m->records[i]->thread < PAGE_SLOTS);
    }
    for (size_t i = 0; i < m->n_labels; i++)
        assert(m->labels[i].len <= PAGE_TEXT_MAX);
    w->next += m->n_records;
    return 0;
}

static void on_profile(void *arg, const void *profile)
{
    (void)arg;
    assert(protobuf_c_message_check(profile));
}

static void check_profile(struct profile *p, const struct sites *sites)
{
    struct profilewire s;

    for (size_t i = 0; i < p->n; i++)
        assert(p->cost[i].site < sites->nsites);
    for (size_t i = 0; i < sites->nsites; i++)
        for (uint32_t f = 0; f < sites->site[i].frames; f++)
            assert(sites->site[i].frame[f] < sites->nframes);
    for (size_t i = 0; i < sites->nframes; i++)
        assert(sites->frame[i].module <= sites->nmodules);
    for (size_t i = 0; i < sites->nmodules; i++)
        assert(memchr(sites->module[i].path, 0,
                      sizeof(sites->module[i].path)));
    profilewire_init(&s, 7, sites);
    profilewire_add_task(&s, 0, p);
    profilewire_send(&s, on_profile, NULL);
    profilewire_fini(&s);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    static struct rings_batch batch;
    static struct str lines;
    struct records_window window = { .max = RECORDS_WINDOW };
    struct sites sites = { 0 };
    struct world w = { 0 };
    struct ticks ticks;
    struct tally_sink sink = {
        .records = { on_send, &w }, .batch = &batch, .lines = &lines,
        .window = &window, .ticks = &ticks, .sites = &sites };
    struct sample_page sample;
    struct tally tally;
    struct err err;
    int fd;

    ticks_init(&ticks);
    tally_init(&tally, 7, 0, &window);
    fd = tally_attach(&tally, getpid(), 4, &sink, &err);
    assert(fd >= 0 && ftruncate(fd, 4096) < 0);         /* it is sealed */
    for (int i = 0; i < PIECES && size >= SCRIBBLE_HEAD; i++) {
        size_t n = scribble(tally.page, data, size);

        data += n;
        size -= n;
        if (i % 4 == 3 || size < SCRIBBLE_HEAD) {
            tally_read(&tally, &sink);
            tally_counters(&tally, &ticks, &sample);
            assert(memchr(tally.last_tag, 0, sizeof(tally.last_tag)));
            profile_read(&tally.profile, tally.page, &ticks, &sites);
            check_profile(&tally.profile, &sites);
            str_reset(&lines);
        }
    }
    tally_read(&tally, &sink);
    assert(!tally_pending(&tally));
    assert(records_ack(&tally.records, w.next, &err) == 0);
    assert(records_empty(&tally.records));
    close(fd);
    tally_fini(&tally);
    sites_fini(&sites);
    return 0;
}
