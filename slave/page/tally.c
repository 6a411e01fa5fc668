/* tally.c - what is known of a task from its page. */
#include "slave/page/tally.h"

#include <stdio.h>
#include <string.h>

#include "mpi-wrappers/page.h"
#include "proto/base/log.h"
#include "slave/page/losses.h"
#include "slave/page/registry.h"
#include "slave/streams/stdtim.h"
#include "slave/vault/vault.h"

void tally_init(struct tally *w, uint64_t job, uint32_t rank,
                struct records_window *window)
{
    memset(w, 0, sizeof(*w));
    w->job = job;
    w->rank = rank;
    records_init(&w->records, job, rank, window);
    w->records.ledger = vault_open_ledger(window->vault, job, rank);
}

/* The rings up to `taken` are in the records that are kept now. */
static void tally_note(struct tally *w)
{
    struct vault_ledger *l = w->records.ledger;
    struct vault_state *s;

    if (!l)
        return;
    s = vault_draft(l);
    s->page = w->page ? w->page_number : 0;
    s->next = w->records.next;
    s->next_seq = w->next_seq;
    s->nopen = 0;
    for (unsigned i = 0; s->page && i < PAGE_SLOTS; i++) {
        const struct rings_slot *from = &w->rings.slot[i];

        s->tail[i] = from->taken;
        for (size_t k = 0; k < from->nopen && s->nopen < VAULT_OPEN; k++)
            s->open[s->nopen++] = (struct vault_open){
                .seq = from->open[k].seq, .marker = from->open[k].marker,
                .call = from->open[k].call, .slot = (uint16_t)i };
    }
    vault_commit(l);
}

static void drop_page(struct tally *w)
{
    if (!w->page)
        return;
    w->damaged += w->rings.damaged;
    rings_fini(&w->rings);
    windows_free(w->windows);
    w->windows = NULL;
    w->delays = (struct delay_phases){ .n = 0 };
    registry_drop_page(w->page);
    w->page = NULL;
}

void tally_forget_page(struct tally *w)
{
    drop_page(w);
    tally_note(w);
}

void tally_fini(struct tally *w)
{
    drop_page(w);
    profile_fini(&w->profile);
    records_fini(&w->records);
    vault_close_ledger(w->records.window->vault, w->records.ledger);
}

/* Whole characters of the newest tag, for sentences. */
static void keep_tag(struct tally *w, const struct rings_batch *b)
{
    for (size_t i = b->n; i-- > 0; ) {
        const struct rings_stamp *s = &b->v[i];
        size_t n = s->text_bytes;

        if (s->exit)
            continue;
        if (n >= sizeof(w->last_tag)) {
            n = sizeof(w->last_tag) - 1;
            while (n && ((unsigned char)str_text(&b->text)[s->text + n] &
                         0xc0) == 0x80)
                n--;
        }
        memcpy(w->last_tag, str_text(&b->text) + s->text, n);
        w->last_tag[n] = '\0';
        w->last_mark = s->marker;
        return;
    }
}

static void take(struct tally *w, const struct tally_sink *sink)
{
    const struct rings_batch *b = sink->batch;
    const struct records_chunk *fresh;
    struct err err;

    keep_tag(w, b);
    for (size_t i = 0; sink->lines && i < b->n; i++)
        stdtim_add(sink->lines, w->rank, b->v[i].exit,
                   str_text(&b->text) + b->v[i].text, b->v[i].text_bytes,
                   b->v[i].marker, b->v[i].wall_ns);
    if (records_keep(&w->records, b, &fresh, &err))
        log_warn("watch", "%zu tagged calls are lost job=%llu rank=%u: %s",
                 b->n, (unsigned long long)w->job, w->rank, err.text);
    tally_note(w);              /* before anybody hears of the records */
    records_send(&w->records, fresh, &sink->records);
}

/* One reading. Only when it is in the ledger the task may write over it. */
static long read_once(struct tally *w, const struct tally_sink *sink)
{
    long n = rings_take(&w->rings, PAGE_RING_BYTES, sink->batch);

    if (n > 0)
        take(w, sink);
    if (rings_release(&w->rings) && n == 0)
        tally_note(w);
    return n;
}

void tally_beat(struct tally *w)
{
    struct page_header *h = (struct page_header *)w->page;

    if (h)
        atomic_fetch_add_explicit(&h->slave_beat, 1, memory_order_relaxed);
}

long tally_read(struct tally *w, const struct tally_sink *sink)
{
    long n;

    if (!w->page)
        return 0;
    tally_beat(w);
    if (sink->told)
        losses_tell(w->page, w->job, w->rank, sink->told);
    if (sink->hold || records_window_full(sink->window))
        return 0;
    n = read_once(w, sink);
    return n > 0 ? n : 0;
}

bool tally_pending(const struct tally *w)
{
    return w->page && rings_pending(&w->rings);
}

bool tally_in_fence(const struct tally *w)
{
    const struct page_header *h = (const struct page_header *)w->page;
    uint32_t state = h ? atomic_load(&h->state) : PAGE_STATE_NEW;

    return w->past_torn || state == PAGE_STATE_INIT ||
           state == PAGE_STATE_FINALIZE;
}

void tally_counters(const struct tally *w, const struct ticks *ticks,
                    struct sample_page *out)
{
    struct sample_page now;

    *out = w->past;
    if (!w->page)
        return;
    sample_page_read(w->page, ticks, &now);
    sample_page_add(out, &now);
}

int tally_attach(struct tally *w, pid_t pid, uint32_t ntasks,
                 const struct tally_sink *sink, struct err *err)
{
    struct sample_page last;
    char *mem;
    int fd = registry_make_page(&mem, w->job, w->rank, ntasks, err);

    if (fd < 0)
        return -1;
    if (w->page) {
        /* At most what two readings find: its program may still write. */
        for (int i = 0; i < 2 && tally_pending(w); i++)
            read_once(w, sink);
        sample_page_read(w->page, sink->ticks, &last);
        sample_page_add(&w->past, &last);
        w->past.call = 0;
        profile_read(&w->profile, w->page, sink->ticks, sink->sites);
        profile_keep(&w->profile);
        w->past_torn = tally_in_fence(w);
        drop_page(w);
    }
    w->page = mem;
    w->pid = pid;
    rings_init(&w->rings, mem, PAGE_SLOTS, PAGE_CALLS, PAGE_RING_BYTES,
               &w->next_seq);
    w->page_number = vault_keep_page(w->records.window->vault,
                                     w->records.ledger, fd);
    tally_note(w);
    return fd;
}

void tally_goes_on(struct tally *w, uint64_t records, uint64_t tagged,
                   const struct tally_open *open, size_t nopen)
{
    w->records.next = w->records.acked = records;
    w->next_seq = tagged;
    if (w->page)
        rings_skip(&w->rings);
    for (size_t i = 0; w->page && i < nopen; i++)
        if (rings_reopen(&w->rings, open[i].slot, &open[i].call))
            w->damaged++;
    tally_note(w);
}
