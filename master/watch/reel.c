/* reel.c - the tape of a job, in pieces, see reel.h. */
#include "master/watch/reel.h"

#include <stdlib.h>
#include <string.h>

#include "master/store/journal.h"
#include "proto/base/array.h"
#include "proto/base/clock.h"

static const uint64_t reel_piece_ns = 10 * CLOCK_NS_PER_S;
static const uint64_t reel_soon_ns = 2 * CLOCK_NS_PER_S;
enum { REEL_PIECE_BYTES = 128 * 1024 };

void reel_drop(struct reel *r)
{
    str_reset(&r->row);
    r->npieces = 0;
    r->stored_bytes = 0;
    journal_trim_looks(r->journal, r->job, INT64_MAX);
}

int reel_begin(struct reel *r, uint32_t nranks)
{
    if (r->tape.last && r->tape.nranks != nranks)
        reel_drop(r);
    tape_fini(&r->tape);
    return tape_init(&r->tape, nranks);
}

void reel_fini(struct reel *r)
{
    tape_fini(&r->tape);
    str_fini(&r->row);
    free(r->pieces);
    memset(r, 0, sizeof(*r));
}

static void reel_trim(struct reel *r)
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

void reel_know(struct reel *r, uint64_t seq, size_t bytes)
{
    if (array_reserve(&r->pieces, &r->cap, r->npieces + 1))
        return;                 /* it is kept for longer than it should be */
    r->pieces[r->npieces++] = (struct reel_piece){ seq, bytes };
    r->stored_bytes += bytes;
}

void reel_flush(struct reel *r)
{
    struct store_look row = { .seq = r->row_seq, .at_ns = r->last_wall_ns,
                              .data = { str_text(&r->row), r->row.n } };

    if (r->row.n == 0)
        return;
    journal_look(r->journal, r->job, &row);
    reel_know(r, r->row_seq, r->row.n);
    tape_cut(&r->tape);
    str_reset(&r->row);
    r->soon = false;
    reel_trim(r);
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

void reel_add(struct reel *r, const struct hct_snapshot *s,
              struct tape_frame *frame)
{
    uint64_t wait_ns = r->soon ? reel_soon_ns : reel_piece_ns, now;
    size_t before;

    if (r->row.n && (r->row.n >= REEL_PIECE_BYTES ||
                     s->now_ns - r->row_ns >= wait_ns))
        reel_flush(r);
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
}
