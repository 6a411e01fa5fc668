/* calendar.c - what is due in a job, see calendar.h.
 *
 * Invariants: v[i].number is i + 1. words are all labels of those that are not
 * over, each once, first those that end with a *, then the others, which exact
 * has by the hash of their text; they are made anew whenever v changes. v and
 * words have room for all at once: labels stay where they are. */
#include "proto/conf/calendar.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "proto/base/array.h"
#include "proto/base/str.h"

enum { FILE_MAX = 1 << 20 };    /* bytes of a file */

void calendar_fini(struct calendar *c)
{
    for (size_t i = 0; i < c->n; i++)
        due_fini(&c->v[i]);
    free(c->v);
    free(c->words);
    idtable_fini(&c->exact);
    *c = (struct calendar){ 0 };
}

/* --------------------------------------------------------------- labels */

/* The room is there. */
static void add_word(struct calendar *c, const struct due_label *l, uint64_t of,
                     uint64_t to)
{
    size_t i = 0;

    while (i < c->nwords && !due_same_label(c->words[i].label, l))
        i++;
    if (i == c->nwords)
        c->words[c->nwords++] = (struct calendar_word){ .label = l };
    c->words[i].of |= of;
    c->words[i].to |= to;
}

static void add_words(struct calendar *c, bool prefix)
{
    for (size_t i = 0; i < c->n; i++) {
        const struct due *d = &c->v[i];
        uint64_t bit = (uint64_t)1 << i;

        if (d->over)
            continue;
        if (d->of.text && d->of.prefix == prefix)
            add_word(c, &d->of, bit, 0);
        if (d->to.text && d->to.prefix == prefix)
            add_word(c, &d->to, 0, bit);
    }
}

/* -1: there is no memory, and some may be missing among exact. */
static int words_make(struct calendar *c)
{
    idtable_reset(&c->exact);
    c->lengths = 0;
    c->longest = 0;
    c->nwords = 0;
    add_words(c, true);
    c->nprefixes = c->nwords;
    add_words(c, false);
    for (size_t i = c->nprefixes; i < c->nwords; i++) {
        const struct due_label *l = c->words[i].label;

        c->lengths |= (uint64_t)1 << l->n % 64;
        if (l->n > c->longest)
            c->longest = l->n;
        if (idtable_add(&c->exact, idtable_hash(l->text, l->n), (uint32_t)i))
            return -1;
    }
    return 0;
}

/* Bits of entries that are about the rank. */
static uint64_t of_rank(const struct calendar *c, uint64_t bits, uint32_t rank)
{
    for (uint64_t left = bits; left; left &= left - 1) {
        const struct due *d = &c->v[__builtin_ctzll(left)];

        if (d->some && !taskset_has(&d->ranks, rank))
            bits &= ~(left & -left);
    }
    return bits;
}

void calendar_match(const struct calendar *c, const char *label, size_t bytes,
                    uint32_t rank, uint64_t *of, uint64_t *to)
{
    const struct calendar_word *w = c->words;

    *of = *to = 0;
    for (size_t i = 0; i < c->nprefixes; i++, w++)
        if (w->label->n <= bytes &&
            memcmp(w->label->text, label, w->label->n) == 0) {
            *of |= w->of;
            *to |= w->to;
        }
    if (bytes <= c->longest && (c->lengths >> bytes % 64 & 1)) {
        uint64_t hash = idtable_hash(label, bytes);
        size_t at = idtable_first(&c->exact, hash);
        uint32_t id;

        for (; (id = idtable_at(&c->exact, hash, &at)) != IDTABLE_NONE; at++) {
            w = &c->words[id];
            if (w->label->n == bytes && memcmp(w->label->text, label, bytes) == 0) {
                *of |= w->of;
                *to |= w->to;
            }
        }
    }
    *of = of_rank(c, *of, rank);
    *to = of_rank(c, *to, rank);
}

/* -------------------------------------------------------------- entries */

/* Those from n on are no more. */
static void truncate_to(struct calendar *c, size_t n)
{
    while (c->n > n)
        due_fini(&c->v[--c->n]);
}

/* 0: none in force is written like that. */
static uint32_t find_text(const struct calendar *c, const char *text)
{
    for (size_t i = 0; i < c->n; i++)
        if (!c->v[i].over && strcmp(c->v[i].text, text) == 0)
            return (uint32_t)i + 1;
    return 0;
}

int calendar_find(const struct calendar *c, const char *text, uint32_t *number,
                  struct err *err)
{
    struct due d;

    if (due_parse(&d, text, false, err))
        return -1;
    *number = find_text(c, d.text);
    due_fini(&d);
    return 0;
}

static int add(struct calendar *c, const char *text, bool comments,
               struct err *err)
{
    struct due d;
    uint32_t same;

    if (due_parse(&d, text, comments, err))
        return -1;
    same = find_text(c, d.text);
    if (same) {
        due_fini(&d);
        return err_set(err, EEXIST, "the job has this deadline already, with "
                       "number %u: leave one of them away", same);
    }
    if (c->n == CALENDAR_MAX) {
        due_fini(&d);
        return err_set(err, ENOSPC, "a job can have no more than %d deadlines in "
                       "all its life: put some together by a final * of the "
                       "label", CALENDAR_MAX);
    }
    if (array_reserve(&c->v, &c->cap, CALENDAR_MAX) ||
        array_reserve(&c->words, &c->words_cap, 2 * CALENDAR_MAX)) {
        due_fini(&d);
        return err_memory(err);
    }
    d.number = (uint32_t)c->n + 1;
    c->v[c->n++] = d;
    return 0;
}

/* What was added since n; without memory it is no more. */
static int settle(struct calendar *c, size_t n, struct err *err)
{
    if (words_make(c) == 0)
        return 0;
    truncate_to(c, n);
    words_make(c);              /* it had the room for these */
    return err_memory(err);
}

int calendar_add(struct calendar *c, const char *text, struct err *err)
{
    if (add(c, text, false, err))
        return -1;
    return settle(c, c->n - 1, err);
}

/* Only what is as it was before the new one was taken; it has the last
 * number. */
int calendar_put(struct calendar *c, const char *text, struct err *err)
{
    struct due d;
    size_t n = c->n;
    uint32_t same;

    if (due_parse(&d, text, false, err))
        return -1;
    same = find_text(c, d.text);
    if (!same && add(c, d.text, false, err)) {
        due_fini(&d);
        return -1;
    }
    for (size_t i = 0; i < n; i++)
        c->v[i].over |= i + 1 != same && due_alike(&c->v[i], &d);
    due_fini(&d);
    return words_make(c) ? err_memory(err) : 0;
}

int calendar_take_back(struct calendar *c, uint32_t number, struct err *err)
{
    if (number == 0 || number > c->n)
        return err_set(err, ENOENT, "there is no deadline %u: the job has %zu",
                       number, c->n);
    if (c->v[number - 1].over)
        return err_set(err, EALREADY, "deadline %u has been taken back before",
                       number);
    c->v[number - 1].over = true;
    return words_make(c) ? err_memory(err) : 0;
}

int calendar_restore(struct calendar *c, char *const *texts, size_t n,
                     const uint32_t *over, size_t nover, struct err *err)
{
    for (size_t i = 0; i < n; i++) {
        bool gone = false;

        for (size_t k = 0; k < nover; k++)
            gone |= over[k] == i + 1;
        if (calendar_add(c, texts[i], err) ||
            (gone && calendar_take_back(c, (uint32_t)i + 1, err)))
            return -1;
    }
    return 0;
}

bool calendar_any(const struct calendar *c)
{
    for (size_t i = 0; i < c->n; i++)
        if (!c->v[i].over)
            return true;
    return false;
}

int calendar_check(const struct calendar *c, uint32_t nranks, struct err *err)
{
    for (size_t i = 0; i < c->n; i++) {
        const struct due *d = &c->v[i];
        uint32_t last = d->ranks.n ? d->ranks.v[d->ranks.n - 1].last : 0;

        if (!d->over && last >= nranks)
            return err_set(err, ERANGE, "deadline %.120s: there is no rank %u, the "
                           "job has %u tasks", d->text, last, nranks);
    }
    return 0;
}

/* ---------------------------------------------------------------- files */

static int read_file(struct str *s, const char *path, struct err *err)
{
    FILE *f = fopen(path, "re");
    char buf[4096];
    size_t n;
    int rc = 0;

    if (!f)
        return err_sys(err, "cannot read the calendar %.100s", path);
    while ((n = fread(buf, 1, sizeof(buf), f)) > 0 && s->n <= FILE_MAX)
        str_add_bytes(s, buf, n);
    if (ferror(f))
        rc = err_sys(err, "cannot read the calendar %.100s", path);
    else if (str_failed(s))
        rc = err_memory(err);
    else if (s->n > FILE_MAX)
        rc = err_set(err, EFBIG, "%.100s is larger than %d bytes: that is no "
                     "calendar", path, FILE_MAX);
    fclose(f);
    return rc;
}

/* Its end is a zero already. */
static int add_line(struct calendar *c, char *line, size_t n, struct err *err)
{
    size_t blanks;

    if (n && line[n - 1] == '\r')
        line[--n] = '\0';
    if (strlen(line) != n)
        return err_set(err, EINVAL, "column %zu: a zero byte: this is no text",
                       strlen(line) + 1);
    blanks = strspn(line, " \t");
    if (line[blanks] == '\0' || line[blanks] == '#')
        return 0;
    return add(c, line, true, err);
}

int calendar_file(struct calendar *c, const char *path, struct err *err)
{
    struct str s = { 0 };
    size_t before = c->n;
    unsigned number = 0;
    int rc = read_file(&s, path, err);

    for (char *p = s.s, *end = p ? p + s.n : NULL; rc == 0 && p < end; ) {
        char *stop = memchr(p, '\n', (size_t)(end - p));
        size_t n = (size_t)((stop ? stop : end) - p);

        p[n] = '\0';
        number++;
        rc = add_line(c, p, n, err);
        if (rc)
            err_prefix(err, "%.100s:%u", path, number);
        p += n + 1;
    }
    str_fini(&s);
    if (rc == 0)
        return settle(c, before, err);
    truncate_to(c, before);
    return -1;
}
