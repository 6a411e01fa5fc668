/* odds.c - see odds.h. Invariant: what is in the list waits for a name, and
 * nobody is asked for it. */
#include "master/findings/odds.h"

#include <stdlib.h>
#include <string.h>

#include "master/findings/oddrows.h"
#include "master/places/placebook.h"

enum { WAITING_MAX = 32 };      /* comparisons; the oldest goes */

struct odds {
    const struct acts *acts;    /* borrowed, like the next */
    struct job *job;
    struct placebook *book;     /* owned, as the rest; NULL: no memory */
    struct oddrows *asked;      /* whose places slaves look for; or NULL */
    struct oddrows *waiting[WAITING_MAX];
    size_t n;
};

struct odds *odds_create(const struct acts *a, struct job *j)
{
    struct odds *o = calloc(1, sizeof(*o));

    if (!o)
        return NULL;
    o->acts = a;
    o->job = j;
    o->book = placebook_create();
    return o;
}

void odds_destroy(struct odds *o)
{
    if (!o)
        return;
    oddrows_free(o->asked);
    for (size_t i = 0; i < o->n; i++)
        oddrows_free(o->waiting[i]);
    placebook_destroy(o->book);
    free(o);
}

static void drop(struct odds *o, size_t i)
{
    oddrows_free(o->waiting[i]);
    o->n--;
    memmove(&o->waiting[i], &o->waiting[i + 1],
            (o->n - i) * sizeof(o->waiting[0]));
}

/* All has been asked for that can be: as it is it goes into the record, and
 * what has no line yet may get one. */
static void keep(struct odds *o, struct oddrows *rows)
{
    oddrows_name(rows, o->book);
    oddrows_put(rows, o->acts->journal, o->job);
    if (!oddrows_bare(rows)) {
        oddrows_free(rows);
        return;
    }
    if (o->n == WAITING_MAX)
        drop(o, 0);
    o->waiting[o->n++] = rows;
}

/* With what has come so far. */
static void take_asked(struct odds *o)
{
    struct oddrows *rows = o->asked;

    o->asked = NULL;
    if (!rows)
        return;
    oddrows_place(rows);
    keep(o, rows);
}

static void on_places(void *arg, bool found)
{
    (void)found;
    take_asked(arg);
}

/* Of those before them nobody is asked any more: they have most lines by then.
 * */
void odds_take(struct odds *o, const struct found *f)
{
    struct oddrows *rows = o ? oddrows_make(f) : NULL;

    if (!rows)
        return;
    oddrows_name(rows, o->book);
    oddrows_put(rows, o->acts->journal, o->job);
    take_asked(o);
    o->asked = rows;
    if (!oddrows_find(rows, o->acts, o->job, on_places, o))
        take_asked(o);
}

void odds_names(struct odds *o, const Hct__Profile *m)
{
    if (!o || !o->book || (!m->n_sites && !m->n_names))
        return;
    placebook_take(o->book, m);
    for (size_t i = o->n; i-- > 0;) {
        if (oddrows_name(o->waiting[i], o->book))
            oddrows_put(o->waiting[i], o->acts->journal, o->job);
        if (!oddrows_bare(o->waiting[i]))
            drop(o, i);
    }
}

void odds_stop(struct odds *o)
{
    if (o)
        take_asked(o);
}
