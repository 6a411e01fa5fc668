/* spool.c - the tape of a job, in pieces, see spool.h. */
#include "master/watch/spool.h"

#include <stdlib.h>
#include <string.h>

#include "master/store/journal.h"
#include "proto/base/array.h"
#include "proto/base/clock.h"

static const uint64_t spool_piece_ns = 10 * CLOCK_NS_PER_S;
static const uint64_t spool_soon_ns = 2 * CLOCK_NS_PER_S;
enum { SPOOL_PIECE_BYTES = 128 * 1024 };

void spool_drop(struct spool *r)
{
    str_reset(&r->row);
    r->npieces = 0;
    r->stored_bytes = 0;
    journal_trim_looks(r->journal, r->job, INT64_MAX);
}

int spool_begin(struct spool *r, uint32_t nranks)
{
    if (r->tape.last && r->tape.nranks != nranks)
        spool_drop(r);
    tape_fini(&r->tape);
    return tape_init(&r->tape, nranks);
}

void spool_fini(struct spool *r)
{
    tape_fini(&r->tape);
    str_fini(&r->row);
    free(r->pieces);
    memset(r, 0, sizeof(*r));
}

static void spool_trim(struct spool *r)
{
    size_t n = 0;

    while (n + 1 < r->npieces && r->stored_bytes > r->keep_bytes)
        r->stored_bytes -= r->pieces[n++].bytes;
    if (n == 0)
        return;
    memmove(r->pieces, r->pieces + n, (r->npieces - n) * sizeof(*r->pieces));
    r->npieces -= n;
    journal_trim_looks(r->journal, r->job, r->pieces[0].seq);
}

void spool_know(struct spool *r, uint64_t seq, size_t bytes)
{
    if (array_reserve(&r->pieces, &r->cap, r->npieces + 1))
        return;                 /* it is kept for longer than it should be */
    r->pieces[r->npieces++] = (struct spool_piece){ seq, bytes };
    r->stored_bytes += bytes;
}

void spool_flush(struct spool *r)
{
    struct store_look row = { .seq = r->row_seq, .at_ns = r->last_wall_ns,
                              .data = { str_text(&r->row), r->row.n } };

    if (r->row.n == 0)
        return;
    journal_look(r->journal, r->job, &row);
    spool_know(r, r->row_seq, r->row.n);
    tape_cut(&r->tape);
    str_reset(&r->row);
    r->soon = false;
    spool_trim(r);
}

static uint64_t standing(const struct hct_snapshot *s)
{
    const uint16_t reasons = HCT_SUSPENDED | HCT_MIGRATING | HCT_TRACED |
                             HCT_STDIN | HCT_STOPPED | HCT_SLEEPS;
    uint64_t mixed = 0;

    for (uint32_t i = 0; i < s->nranks; i++)
        mixed = 31 * mixed + (hct_rank(s, i)->flags & reasons);
    return mixed;
}

void spool_add(struct spool *r, const struct hct_snapshot *s,
               struct tape_frame *frame)
{
    uint64_t wait_ns = r->soon ? spool_soon_ns : spool_piece_ns, now;
    size_t before;

    if (r->row.n && (r->row.n >= SPOOL_PIECE_BYTES ||
                     s->now_ns - r->row_ns >= wait_ns))
        spool_flush(r);
    if (r->row.n == 0) {
        r->row_seq = s->seq;
        r->row_ns = s->now_ns;
    }
    now = standing(s);
    r->soon |= now != r->standing;
    r->standing = now;
    r->last_wall_ns = clock_wall_ns();
    before = r->row.n;
    frame->look_bytes = tape_write(&r->tape, s, &r->row);
    frame->p = str_text(&r->row) + before;
    frame->bytes = r->row.n - before;
    frame->parts = s->parts;
    frame->asked = s->asked;
}
