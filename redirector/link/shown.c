/* shown.c - see shown.h.
 *
 * Invariants: lines end at ascending positions, all at or before now. What is
 * held begins where the line before lines[at] ends, and is not complete; nothing
 * is held at or beyond before. */
#include "redirector/link/shown.h"

#include <stdlib.h>
#include <string.h>

#include "proto/base/array.h"

/* FNV-1a (Fowler, Noll, Vo 1991). */
#define HASH_BASIS 0xcbf29ce484222325u
#define HASH_PRIME 0x100000001b3u

static uint64_t hash_more(uint64_t h, const uint8_t *p, size_t n)
{
    for (size_t i = 0; i < n; i++)
        h = (h ^ p[i]) * HASH_PRIME;
    return h;
}

/* Up to the end of a line, or of a piece of it, of which have bytes are there. */
static size_t piece(const uint8_t *p, size_t n, uint64_t have)
{
    size_t most = have < SHOWN_LINE ? SHOWN_LINE - (size_t)have : 1;
    const uint8_t *end = memchr(p, '\n', n < most ? n : most);

    return end ? (size_t)(end - p) + 1 : n < most ? n : most;
}

static bool is_complete(const uint8_t *last, uint64_t bytes)
{
    return *last == '\n' || bytes >= SHOWN_LINE;
}

/* -------------------------------------------------------- what was shown */

static void keep_line(struct shown *w, uint64_t end, uint64_t hash)
{
    if (w->nlines == SHOWN_LINES) {
        w->nlines /= 2;
        w->base = w->lines[w->nlines - 1].end;
        memmove(w->lines, w->lines + w->nlines,
                w->nlines * sizeof(*w->lines));
        w->at = w->at > w->nlines ? w->at - w->nlines : 0;
    }
    if (array_reserve(&w->lines, &w->cap, w->nlines + 1))
        w->nlines = 0;          /* then all count as the same */
    else
        w->lines[w->nlines++] = (struct shown_line){ end, hash };
}

/* These bytes are shown. */
static void note(struct shown *w, uint64_t before, const uint8_t *p, size_t n)
{
    uint64_t late = before < w->now ? w->now - before : 0;

    if (late >= n) {            /* by another way, in another order */
        w->odd |= late > 0;
        return;
    }
    if (before != w->now || !w->hash) {
        w->odd = before != w->now;
        w->hash = HASH_BASIS;
        w->now = w->start = before + late;
        p += late;
        n -= (size_t)late;
    }
    while (n) {
        size_t k = piece(p, n, w->now - w->start);

        w->hash = hash_more(w->hash, p, k);
        w->now += k;
        if (is_complete(p + k - 1, w->now - w->start)) {
            keep_line(w, w->now, w->odd ? 0 : w->hash);
            w->start = w->now;
            w->hash = HASH_BASIS;
            w->odd = false;
        }
        p += k;
        n -= k;
    }
}

static void show(struct shown *w, uint64_t before, const uint8_t *p, size_t n,
                 shown_emit_f *emit, void *arg)
{
    if (!n)
        return;
    emit(arg, p, n);
    note(w, before, p, n);
}

/* ------------------------------------------------------ what comes again */

static uint64_t line_start(const struct shown *w)
{
    return w->at ? w->lines[w->at - 1].end : w->base;
}

/* From where the line began that is compared: all of it is news. */
static void differ(struct shown *w, uint64_t from, shown_emit_f *emit,
                   void *arg)
{
    size_t n = w->nheld;

    w->differs = true;
    w->before = w->now = w->start = from;
    w->hash = HASH_BASIS;
    w->odd = false;
    w->nlines = w->at;
    w->nheld = 0;
    show(w, from, w->held, n, emit, arg);
}

/* The line that holds this byte; one whose beginning does not come again counts
 * as the same. */
static void find_line(struct shown *w, uint64_t position)
{
    size_t from = 0, to = w->nlines;

    while (from < to) {
        size_t mid = from + (to - from) / 2;

        if (w->lines[mid].end <= position)
            from = mid + 1;
        else
            to = mid;
    }
    w->at = from;
    w->nheld = 0;
    if (from < w->nlines && position != line_start(w))
        w->lines[from].hash = 0;
}

/* One piece of what was written again at that position. */
static void compare(struct shown *w, uint64_t position, const uint8_t *p,
                    size_t n, shown_emit_f *emit, void *arg)
{
    const struct shown_line *l = &w->lines[w->at];
    bool complete = is_complete(p + n - 1, w->nheld + n);

    if (!w->held)
        w->held = malloc(SHOWN_LINE);
    if (!w->held || !l->hash) {         /* nothing to compare, or with */
        w->at += position + n >= l->end;
        return;
    }
    memcpy(w->held + w->nheld, p, n);
    w->nheld += n;
    if (!complete && position + n < l->end)
        return;
    if (!complete || position + n != l->end ||
        hash_more(HASH_BASIS, w->held, w->nheld) != l->hash) {
        differ(w, position + n - w->nheld, emit, arg);
        return;
    }
    w->nheld = 0;
    w->at++;
}

void shown_take(struct shown *w, bool again, uint64_t before, const void *data,
                size_t n, shown_emit_f *emit, void *arg)
{
    const uint8_t *p = data;

    if (!again) {               /* late: only what was not shown by now */
        uint64_t skip = before < w->now ? w->now - before : 0;

        if (skip < n)
            show(w, before + skip, p + skip, n - (size_t)skip, emit, arg);
        if (w->before < w->now && !w->differs)
            w->before = w->now;
        return;
    }
    while (n && before < w->before) {
        size_t k;

        if (w->at == SIZE_MAX || (!w->nheld && w->at < w->nlines &&
                                  before != line_start(w)))
            find_line(w, before);
        if (w->at >= w->nlines) {       /* in the line that was not complete */
            k = n < w->before - before ? n : (size_t)(w->before - before);
        } else {
            k = piece(p, n, w->nheld);
            compare(w, before, p, k, emit, arg);
        }
        before += k;
        p += k;
        n -= k;
    }
    show(w, before, p, n, emit, arg);
}

void shown_end(struct shown *w, shown_emit_f *emit, void *arg)
{
    if (w->nheld)
        differ(w, line_start(w), emit, arg);
}

void shown_again(struct shown *w)
{
    w->before = w->now;
    w->at = SIZE_MAX;
    w->nheld = 0;
    w->differs = false;
}

void shown_fini(struct shown *w)
{
    free(w->lines);
    free(w->held);
    *w = (struct shown){ 0 };
}
