/* lines.c - assembles lines and decides what is written when; see lines.h.
 *
 * Invariants of a domain:
 *  - nobody owns => nothing waits in wait/segs: what could wait is written.
 *  - the owner's tail is empty: what it writes passes at once.
 *  - tails holds exactly the sources with a tail, the longest idle first.
 *  - open <=> the last byte written was not a newline. open without an owner
 *    is the end of a stream that did not end its line. */
#include "redirector/out/lines.h"

#include <assert.h>
#include <stdlib.h>
#include <string.h>
#include <sys/queue.h>

#include "proto/base/array.h"

struct buffer { char *p; size_t n, cap; };

struct source {
    TAILQ_ENTRY(source) place;          /* in domain.tails */
    struct buffer tail;                 /* unfinished line, not yet written */
    uint64_t tail_at_ns;                /* wall time of its first byte */
    uint64_t touched;                   /* when its last byte came */
    uint32_t rank;
    enum lines_port port;
};

struct segment { size_t n; enum lines_port port; };

struct domain {
    struct source *owner;
    TAILQ_HEAD(, source) tails;
    struct buffer wait;                 /* whole lines of others, labelled */
    struct segment *segs;               /* how wait is divided */
    size_t nsegs, segs_cap;
    uint64_t blocked;                   /* since when the owner keeps others
                                           waiting; 0: it does not */
    size_t held;                        /* bytes in wait and tails */
    enum lines_port open_port;
    bool open;
    bool single;                        /* one task, no labels: a pipe */
};

struct lines {
    struct lines_conf conf;
    struct source **sources;            /* [rank * LINES_PORTS + port] */
    struct domain domains[LINES_PORTS];
    struct buffer scratch;
};

static const char *const port_names[] = { "stdout", "stderr", "stdtim" };

/* --------------------------------------------------------------- buffers */

static bool buffer_add(struct buffer *b, const void *p, size_t n)
{
    if (n == 0)
        return true;
    if (array_reserve(&b->p, &b->cap, b->n + n))
        return false;
    memcpy(b->p + b->n, p, n);
    b->n += n;
    return true;
}

static void buffer_fini(struct buffer *b)
{
    free(b->p);
    *b = (struct buffer){ 0 };
}

/* Empty it; big ones give their memory back. */
static void buffer_clear(struct buffer *b)
{
    if (b->cap > 64 << 10)
        buffer_fini(b);
    b->n = 0;
}

/* ---------------------------------------------------------------- create */

struct lines *lines_create(const struct lines_conf *conf)
{
    struct lines *l = calloc(1, sizeof(*l));

    if (!l)
        return NULL;
    l->conf = *conf;
    l->sources = calloc((size_t)conf->ntasks * LINES_PORTS,
                        sizeof(struct source *));
    if (!l->sources) {
        lines_destroy(l);
        return NULL;
    }
    for (int i = 0; i < LINES_PORTS; i++) {
        struct domain *d = &l->domains[conf->domain[i]];

        TAILQ_INIT(&l->domains[i].tails);
        assert(conf->domain[i] >= 0 && conf->domain[i] < LINES_PORTS);
        d->single = conf->ntasks == 1 && !conf->label &&
                    !(conf->stdtim &&
                      conf->domain[LINES_STDTIM] == conf->domain[i]);
    }
    return l;
}

static struct domain *lines_domain(struct lines *l, enum lines_port port)
{
    return &l->domains[l->conf.domain[port]];
}

static struct source **source_slot(struct lines *l, enum lines_port port,
                                   uint32_t rank)
{
    return &l->sources[(size_t)rank * LINES_PORTS + port];
}

static struct source *source_get(struct lines *l, enum lines_port port,
                                 uint32_t rank)
{
    struct source **slot = source_slot(l, port, rank);

    if (!*slot) {
        *slot = calloc(1, sizeof(**slot));
        if (*slot) {
            (*slot)->rank = rank;
            (*slot)->port = port;
        }
    }
    return *slot;
}

static void source_destroy(struct lines *l, struct source *s)
{
    *source_slot(l, s->port, s->rank) = NULL;
    buffer_fini(&s->tail);
    free(s);
}

void lines_destroy(struct lines *l)
{
    if (!l)
        return;
    size_t n = l->sources ? (size_t)l->conf.ntasks * LINES_PORTS : 0;

    for (size_t i = 0; i < n; i++)
        if (l->sources[i])
            source_destroy(l, l->sources[i]);
    for (int i = 0; i < LINES_PORTS; i++) {
        buffer_fini(&l->domains[i].wait);
        free(l->domains[i].segs);
    }
    buffer_fini(&l->scratch);
    free(l->sources);
    free(l);
}

/* --------------------------------------------------------------- writing */

static void lines_emit(struct lines *l, struct domain *d,
                       enum lines_port port, const char *p, size_t n)
{
    l->conf.emit(l->conf.arg, port, p, n);
    d->open = p[n - 1] != '\n';
    d->open_port = port;
}

/* Write text of somebody (the owner, or anybody while nobody owns). */
static void lines_put(struct lines *l, struct domain *d, bool is_owner,
                      enum lines_port port, const char *p, size_t n)
{
    assert(is_owner || !d->owner);
    if (n == 0)
        return;
    if (d->open && !is_owner)
        lines_emit(l, d, d->open_port, "\n", 1);
    lines_emit(l, d, port, p, n);
}

static size_t lines_label(struct lines *l, const struct source *s,
                          char buf[LABEL_MAX], uint64_t at_ns)
{
    if (!l->conf.label || s->port == LINES_STDTIM)
        return 0;
    return label_format(l->conf.label, buf, s->rank, port_names[s->port],
                        at_ns);
}

/* Nobody owns any more: what waited is written. */
static void lines_release(struct lines *l, struct domain *d)
{
    const char *p = d->wait.p;

    d->owner = NULL;
    d->blocked = 0;
    for (size_t i = 0; i < d->nsegs; i++) {
        lines_put(l, d, false, d->segs[i].port, p, d->segs[i].n);
        p += d->segs[i].n;
    }
    d->held -= d->wait.n;
    d->nsegs = 0;
    buffer_clear(&d->wait);
}

/* Close the owner's line for it; the rest will be a line of its own. */
static void lines_cut(struct lines *l, struct domain *d)
{
    if (d->open)
        lines_emit(l, d, d->open_port, "\n", 1);
    lines_release(l, d);
}

/* Write p now, or have it wait while somebody else owns. */
static void lines_pass(struct lines *l, struct domain *d,
                       enum lines_port port, const char *p, size_t n,
                       uint64_t now)
{
    if (n == 0)
        return;
    if (d->owner && (array_reserve(&d->segs, &d->segs_cap, d->nsegs + 1) ||
                     !buffer_add(&d->wait, p, n)))
        lines_cut(l, d);        /* no memory */
    if (!d->owner) {
        lines_put(l, d, false, port, p, n);
        return;
    }
    d->segs[d->nsegs++] = (struct segment){ n, port };
    d->held += n;
    if (d->blocked == 0)
        d->blocked = now;
}

/* Write the tail of s, labelled; nobody owns. */
static void lines_put_tail(struct lines *l, struct domain *d,
                           struct source *s)
{
    char label[LABEL_MAX];
    size_t n = lines_label(l, s, label, s->tail_at_ns);

    lines_put(l, d, false, s->port, label, n);
    lines_put(l, d, n > 0, s->port, s->tail.p, s->tail.n);
    d->held -= s->tail.n;
    buffer_clear(&s->tail);
    TAILQ_REMOVE(&d->tails, s, place);
}

/* s becomes the owner: its unfinished line is written. */
static void lines_take(struct lines *l, struct domain *d, struct source *s)
{
    char label[LABEL_MAX];
    size_t n = lines_label(l, s, label, s->tail_at_ns);

    lines_put(l, d, false, s->port, label, n);
    if (d->open && n == 0)
        lines_emit(l, d, d->open_port, "\n", 1);
    d->owner = s;
    lines_put(l, d, true, s->port, s->tail.p, s->tail.n);
    d->held -= s->tail.n;
    buffer_clear(&s->tail);
    TAILQ_REMOVE(&d->tails, s, place);
}

/* ----------------------------------------------------------------- input */

/* Whole lines, the first of which the tail of s begins, with labels. */
static void lines_whole_labelled(struct lines *l, struct domain *d,
                                 struct source *s, const char *p, size_t n,
                                 uint64_t at_ns, uint64_t now)
{
    struct buffer *out = &l->scratch;
    char label[LABEL_MAX];
    size_t len = lines_label(l, s, label,
                             s->tail.n > 0 ? s->tail_at_ns : at_ns);
    bool ok = buffer_add(out, label, len) &&
              buffer_add(out, s->tail.p, s->tail.n);

    len = lines_label(l, s, label, at_ns);
    for (bool first = true; ok && n > 0; first = false) {
        size_t line = (size_t)((const char *)memchr(p, '\n', n) - p) + 1;

        ok = (first || buffer_add(out, label, len)) &&
             buffer_add(out, p, line);
        p += line;
        n -= line;
        if (out->n >= 64 << 10) {
            lines_pass(l, d, s->port, out->p, out->n, now);
            out->n = 0;
        }
    }
    lines_pass(l, d, s->port, out->p, out->n, now);
    if (n > 0)                  /* no memory */
        lines_pass(l, d, s->port, p, n, now);
    buffer_clear(out);
}

/* p ends in a newline; s does not own. */
static void lines_whole(struct lines *l, struct domain *d, struct source *s,
                        const char *p, size_t n, uint64_t at_ns, uint64_t now)
{
    size_t had = s->tail.n;

    if (l->conf.label && s->port != LINES_STDTIM) {
        lines_whole_labelled(l, d, s, p, n, at_ns, now);
    } else if (had > 0) {       /* the line together, the rest uncopied */
        size_t line = (size_t)((const char *)memchr(p, '\n', n) - p) + 1;

        if (buffer_add(&s->tail, p, line)) {
            p += line;
            n -= line;
        }
        lines_pass(l, d, s->port, s->tail.p, s->tail.n, now);
        lines_pass(l, d, s->port, p, n, now);
    } else {
        lines_pass(l, d, s->port, p, n, now);
    }
    if (had > 0) {
        d->held -= had;
        buffer_clear(&s->tail);
        TAILQ_REMOVE(&d->tails, s, place);
    }
}

/* The beginning or middle of a line; s does not own. */
static void lines_tail(struct lines *l, struct domain *d, struct source *s,
                       const char *p, size_t n, uint64_t at_ns, uint64_t now)
{
    bool had = s->tail.n > 0;

    if (!buffer_add(&s->tail, p, n)) {
        lines_pass(l, d, s->port, p, n, now);
        return;
    }
    d->held += n;
    if (had)
        TAILQ_REMOVE(&d->tails, s, place);
    else
        s->tail_at_ns = at_ns;
    TAILQ_INSERT_TAIL(&d->tails, s, place);
    s->touched = now;
    if (s->tail.n < LINES_LONG)
        return;
    if (!d->owner)
        lines_take(l, d, s);
    else if (d->blocked == 0)
        d->blocked = now;
}

/* Too much waits: lines are cut until it does not. */
static void lines_relieve(struct lines *l, struct domain *d)
{
    while (d->held > LINES_HELD) {
        if (d->owner)
            lines_cut(l, d);
        else
            lines_take(l, d, TAILQ_FIRST(&d->tails));
    }
}

void lines_input(struct lines *l, enum lines_port port, uint32_t rank,
                 const void *data, size_t n, uint64_t at_ns, uint64_t now)
{
    struct domain *d = lines_domain(l, port);
    const char *p = data;

    assert(rank < l->conf.ntasks);
    if (n == 0)
        return;
    struct source *s = d->single ? NULL : source_get(l, port, rank);

    if (!s) {
        lines_emit(l, d, port, p, n);
        return;
    }
    if (d->owner == s) {
        const char *end = memchr(p, '\n', n);
        size_t line = end ? (size_t)(end - p) + 1 : n;

        lines_put(l, d, true, port, p, line);
        if (end)
            lines_release(l, d);
        p += line;
        n -= line;
    }
    const char *last = n > 0 ? memrchr(p, '\n', n) : NULL;

    if (last) {
        size_t whole = (size_t)(last - p) + 1;

        lines_whole(l, d, s, p, whole, at_ns, now);
        p += whole;
        n -= whole;
    }
    if (n > 0)
        lines_tail(l, d, s, p, n, at_ns, now);
    lines_relieve(l, d);
}

void lines_end(struct lines *l, enum lines_port port, uint32_t rank,
               uint64_t now)
{
    struct domain *d = lines_domain(l, port);

    assert(rank < l->conf.ntasks);
    struct source *s = *source_slot(l, port, rank);

    if (!s)
        return;
    if (s->tail.n > 0 && d->owner) {
        char label[LABEL_MAX];
        size_t n = lines_label(l, s, label, s->tail_at_ns);

        l->scratch.n = 0;
        if (buffer_add(&l->scratch, label, n) &&
            buffer_add(&l->scratch, s->tail.p, s->tail.n))
            lines_pass(l, d, port, l->scratch.p, l->scratch.n, now);
        else
            lines_pass(l, d, port, s->tail.p, s->tail.n, now);
        buffer_clear(&l->scratch);
        d->held -= s->tail.n;
        TAILQ_REMOVE(&d->tails, s, place);
    } else if (s->tail.n > 0) {
        lines_put_tail(l, d, s);
    } else if (d->owner == s) {
        lines_release(l, d);
    }
    source_destroy(l, s);
    lines_relieve(l, d);
}

void lines_say(struct lines *l, enum lines_port port, const char *text,
               size_t n)
{
    struct domain *d = lines_domain(l, port);

    if (d->owner)
        lines_cut(l, d);
    lines_put(l, d, false, port, text, n);
}

/* ------------------------------------------------------------------ time */

static bool lines_is_long(const struct source *s)
{
    return s->tail.n >= LINES_LONG;
}

static void lines_tick_domain(struct lines *l, struct domain *d, uint64_t now)
{
    struct source *s;

    if (d->owner && d->blocked && now >= d->blocked + LINES_WAIT_NS) {
        lines_cut(l, d);
        TAILQ_FOREACH(s, &d->tails, place)
            if (!d->owner && lines_is_long(s)) {
                lines_take(l, d, s);
                break;
            }
    }
    s = TAILQ_FIRST(&d->tails);
    if (!d->owner && s && now >= s->touched + LINES_IDLE_NS)
        lines_take(l, d, s);
}

void lines_tick(struct lines *l, uint64_t now)
{
    for (int i = 0; i < LINES_PORTS; i++)
        lines_tick_domain(l, &l->domains[i], now);
}

uint64_t lines_due(const struct lines *l)
{
    uint64_t least = 0;

    for (int i = 0; i < LINES_PORTS; i++) {
        const struct domain *d = &l->domains[i];
        uint64_t due = 0;

        if (d->owner && d->blocked)
            due = d->blocked + LINES_WAIT_NS;
        else if (!d->owner && !TAILQ_EMPTY(&d->tails))
            due = TAILQ_FIRST(&d->tails)->touched + LINES_IDLE_NS;
        if (due && (least == 0 || due < least))
            least = due;
    }
    return least;
}

void lines_finish(struct lines *l)
{
    for (int i = 0; i < LINES_PORTS; i++) {
        struct domain *d = &l->domains[i];

        if (d->owner)
            lines_release(l, d);
        while (!TAILQ_EMPTY(&d->tails))
            lines_put_tail(l, d, TAILQ_FIRST(&d->tails));
    }
}

size_t lines_held(const struct lines *l)
{
    size_t n = 0;

    for (int i = 0; i < LINES_PORTS; i++)
        n += l->domains[i].held;
    return n;
}
