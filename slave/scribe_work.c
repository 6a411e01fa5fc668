/* scribe_work.c - what the scribe does in its own process: blocking reads,
 * one piece after the other. */
#include "slave/scribe_work.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "proto/base/str.h"
#include "proto/prefixtree.h"
#include "slave/symbols.h"
#include "slave/unwind.h"

enum { FILES = 256, NOTES_MAX = 16, FRAMES = UNWIND_DEPTH * 2 };

struct work {
    uint32_t ntasks, nsamples;
    bool lines, more;           /* more trees, after this one */
    struct symbols *symbols;
    struct unwind **unwinds;    /* by position; NULL: no maps */
    char **maps;                /* by position: what they were made of */
    uint32_t *traces;           /* by position */
    struct prefixtree tree;
    struct str notes;
    unsigned nnotes;
    void *piece;
    size_t cap;
};

static int read_all(int fd, void *to, size_t n)
{
    char *p = to;

    while (n > 0) {
        ssize_t got = read(fd, p, n);

        if (got < 0 && errno == EINTR)
            continue;
        if (got <= 0)
            return -1;
        p += got;
        n -= (size_t)got;
    }
    return 0;
}

static int write_all(int fd, const void *from, size_t n)
{
    const char *p = from;

    while (n > 0) {
        ssize_t put = write(fd, p, n);

        if (put < 0 && errno == EINTR)
            continue;
        if (put <= 0)
            return -1;
        p += put;
        n -= (size_t)put;
    }
    return 0;
}

/* ----------------------------------------------------------------- frames */

/* One sentence a file. */
static void add_note(struct work *w, const struct symbol *s)
{
    const char *what = symbol_note_text(s->note);
    struct str line = { 0 };

    if (!what || s->note == SYMBOL_UNNAMED || w->nnotes >= NOTES_MAX)
        return;
    str_addf(&line, "%s: %s\n", s->module, what);
    if (!strstr(str_text(&w->notes), str_text(&line))) {
        str_add(&w->notes, str_text(&line));
        w->nnotes++;
    }
    str_fini(&line);
}

static uint32_t name(struct work *w, const char *text)
{
    return text ? prefixtree_name(&w->tree, text, strlen(text)) : 0;
}

static uint32_t make_frame(struct work *w, const struct symbol *s,
                           const struct symbol_frame *from, const char *module)
{
    struct prefixtree_frame f = {
        .module = name(w, module), .function = name(w, from->function),
        .offset = s->note == SYMBOL_FOUND ? 0 : s->offset };

    /* Lines in our own wrappers say nothing. */
    if (w->lines && strncmp(module, "libhector", 9) != 0) {
        f.file = name(w, from->file);
        f.line = from->line;
    }
    return prefixtree_frame(&w->tree, &f);
}

struct trace {                  /* innermost first */
    uint32_t id[FRAMES];
    bool is_main[FRAMES], is_start[FRAMES];
    const char *module[FRAMES];
    unsigned n;
};

static const char *base_name(const char *path)
{
    const char *slash = strrchr(path, '/');

    return slash ? slash + 1 : path;
}

static void add_symbol(struct work *w, struct trace *t,
                       const struct unwind_frame *f)
{
    const struct symbol *s = symbols_find(w->symbols, f->path, NULL, 0,
                                          f->address, f->call);
    const char *module = base_name(f->path);

    if (!s)
        return;
    add_note(w, s);
    for (unsigned i = 0; i < s->n && t->n < FRAMES; i++) {
        const char *function = s->frame[i].function;

        t->is_main[t->n] = strcmp(function, "main") == 0;
        t->is_start[t->n] = strncmp(function, "__libc_start", 12) == 0;
        t->module[t->n] = module;
        t->id[t->n++] = make_frame(w, s, &s->frame[i], module);
    }
}

static void add_unknown(struct work *w, struct trace *t, uint64_t address)
{
    struct prefixtree_frame f = { .offset = address };
    char text[40];

    snprintf(text, sizeof(text), "0x%llx", (unsigned long long)address);
    f.function = name(w, text);
    if (t->n < FRAMES) {
        t->is_main[t->n] = t->is_start[t->n] = false;
        t->module[t->n] = "";
        t->id[t->n++] = prefixtree_frame(&w->tree, &f);
    }
}

/* What runs before main is the same everywhere and says nothing. Where main
 * has no name, it is what the C library calls first. */
static unsigned without_start(const struct trace *t)
{
    for (unsigned i = t->n; i-- > 0; )
        if (t->is_main[i])
            return i + 1;
    for (unsigned i = t->n; i-- > 0; )
        if (t->is_start[i]) {
            unsigned n = i;

            while (n > 0 && strcmp(t->module[n - 1], t->module[i]) == 0)
                n--;
            return n ? n : t->n;
        }
    return t->n;
}

static int add_trace(struct work *w, uint32_t position, uint32_t sample,
                     const struct unwind_frame *v, unsigned n)
{
    struct trace t = { .n = 0 };
    uint32_t outer_first[FRAMES];

    for (unsigned i = 0; i < n; i++)
        if (v[i].path)
            add_symbol(w, &t, &v[i]);
        else
            add_unknown(w, &t, v[i].address);
    n = without_start(&t);
    for (unsigned i = 0; i < n; i++)
        outer_first[i] = t.id[n - 1 - i];
    if (n == 0)
        return 0;
    w->traces[position]++;
    return prefixtree_add(&w->tree, position, sample, outer_first, n, NULL);
}

/* ----------------------------------------------------------------- pieces */

static int take_copy(struct work *w, const struct scribe_head *h)
{
    struct unwind_frame v[UNWIND_DEPTH];
    unsigned n;

    if (!w->unwinds[h->position])
        return 0;
    n = unwind_trace(w->unwinds[h->position], w->piece, v, UNWIND_DEPTH);
    return add_trace(w, h->position, h->sample, v, n);
}

static int take_addresses(struct work *w, const struct scribe_head *h)
{
    struct unwind_frame v[UNWIND_DEPTH];
    unsigned n;

    if (!w->unwinds[h->position])
        return 0;
    n = unwind_addresses(w->unwinds[h->position], w->piece,
                         (unsigned)(h->bytes / sizeof(uint64_t)), v,
                         UNWIND_DEPTH);
    return add_trace(w, h->position, h->sample, v, n);
}

static void take_maps(struct work *w, const struct scribe_head *h)
{
    char **known = &w->maps[h->position];

    if (*known && strcmp(*known, w->piece) == 0)
        return;
    free(*known);
    *known = strdup(w->piece);
    unwind_destroy(w->unwinds[h->position]);
    w->unwinds[h->position] = unwind_create((pid_t)h->pid, w->piece, NULL);
}

/* 1: go on, 0: this was the end. */
static int take(struct work *w, int fd)
{
    struct scribe_head h;

    if (read_all(fd, &h, sizeof(h)) || h.bytes > SCRIBE_PIECE_MAX)
        return -1;
    w->more = h.kind == SCRIBE_END && h.sample;
    if (h.kind == SCRIBE_END)
        return 0;
    if (h.position >= w->ntasks || h.sample >= w->nsamples)
        return -1;
    if (h.bytes + 1 > w->cap || w->cap < sizeof(struct halt_copy)) {
        free(w->piece);
        w->cap = h.bytes + sizeof(struct halt_copy);
        w->piece = malloc(w->cap);
    }
    if (!w->piece || read_all(fd, w->piece, h.bytes))
        return -1;
    ((char *)w->piece)[h.bytes] = '\0';
    switch ((enum scribe_kind)h.kind) {
    case SCRIBE_MAPS:
        take_maps(w, &h);
        return 1;
    case SCRIBE_COPY:
        return take_copy(w, &h) ? -1 : 1;
    case SCRIBE_ADDRESSES:
        return take_addresses(w, &h) ? -1 : 1;
    case SCRIBE_END:
        break;
    }
    return -1;
}

static int answer(struct work *w, int fd)
{
    struct scribe_answer a;
    struct str tree = { 0 };
    int rc = -1;

    if (prefixtree_pack(&w->tree, &tree) == 0 && !str_failed(&tree)) {
        a.tree_bytes = tree.n;
        a.notes_bytes = w->notes.n;
        rc = write_all(fd, &a, sizeof(a)) ||
             write_all(fd, w->traces, w->ntasks * sizeof(*w->traces)) ||
             write_all(fd, str_text(&tree), tree.n) ||
             write_all(fd, str_text(&w->notes), w->notes.n) ? -1 : 0;
    }
    str_fini(&tree);
    return rc;
}

/* An empty tree; what is known of binaries stays. */
static int begin(struct work *w)
{
    prefixtree_fini(&w->tree);
    str_reset(&w->notes);
    w->nnotes = 0;
    memset(w->traces, 0, w->ntasks * sizeof(*w->traces));
    return prefixtree_init(&w->tree, w->ntasks, w->nsamples, NULL);
}

int scribe_work(int fd, uint32_t ntasks, uint32_t nsamples, bool lines)
{
    struct work w = { .ntasks = ntasks, .nsamples = nsamples, .lines = lines };
    int rc;

    w.symbols = symbols_create(FILES, NULL);
    w.unwinds = calloc(ntasks, sizeof(*w.unwinds));
    w.maps = calloc(ntasks, sizeof(*w.maps));
    w.traces = calloc(ntasks, sizeof(*w.traces));
    if (!w.symbols || !w.unwinds || !w.maps || !w.traces)
        return 1;
    do {
        if (begin(&w))
            return 1;
        while ((rc = take(&w, fd)) > 0)
            ;
        if (rc || answer(&w, fd))
            return 1;
    } while (w.more);
    return 0;
}
