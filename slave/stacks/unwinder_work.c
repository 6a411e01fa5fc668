/* unwinder_work.c - what the unwinder does in its own process: blocking reads,
 * one piece after the other. */
#include "slave/stacks/unwinder_work.h"

#include <errno.h>
#include <poll.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "proto/base/array.h"
#include "proto/base/paths.h"
#include "proto/base/str.h"
#include "proto/base/writeall.h"
#include "proto/tree/prefixtree.h"
#include "proto/tree/slicerows.h"
#include "slave/stacks/slicer.h"
#include "slave/stacks/unwinder.h"
#include "slave/stacks/unwind.h"
#include "slave/stacks/unwritten.h"
#include "slave/symbols/symbols.h"

enum { FILES = 256, NOTES_MAX = 16, FRAMES = UNWIND_DEPTH * 2,
       BUFFER = 256 * 1024 };
#define START_NAME "__libc_start"       /* what calls main begins so */

struct level {                  /* of a trace: a function */
    uint32_t id;                /* in the tree */
    bool is_main, is_start;
    const char *module;
};

/* What stands at an address (unwind.h: number). */
struct spelled {
    uint32_t tree;              /* that its levels are of; 0: none */
    uint32_t at, n;             /* in levels[] */
    enum { UNASKED, START, OTHER } start;
};

struct reading {                /* of a task */
    pid_t pid;
    struct unwind *unwind;      /* owned; NULL: no maps */
    char *maps;                 /* owned: what it was made of */
    struct spelled *spelled;    /* owned: by number */
    size_t nspelled;
    struct unwinder_remark remark;      /* the last one */
    struct slicerow row;        /* of it: reason is there, and so is where it
                                   is, or file is NULL */
    char *function, *file;      /* owned: of row */
};

struct work {
    FILE *in;
    uint32_t ntasks, nsamples;
    bool slice;                 /* in place of stacks: slicer.h */
    bool lines, offsets, more;  /* more trees, after this one */
    struct symbols *symbols;
    struct reading *readings;   /* owned: by position */
    uint32_t *traces;           /* owned: by position */
    size_t nreadings, ntraces;
    uint32_t ntrees;
    struct level *levels;       /* owned: of this tree */
    size_t nlevels, cap_levels;
    struct prefixtree tree;
    struct str notes;
    unsigned nnotes;
    void *piece;
    size_t cap;
};

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
        .offset = s->note == SYMBOL_FOUND && !w->offsets ? 0 : s->offset };

    f.file = name(w, from->file);
    f.line = from->line;
    return prefixtree_frame(&w->tree, &f);
}

struct trace {                  /* innermost first */
    struct level level[FRAMES];
    unsigned n;
};

static void add_level(struct trace *t, const struct level *l)
{
    if (t->n < FRAMES)
        t->level[t->n++] = *l;
}

static void add_symbol(struct work *w, struct trace *t,
                       const struct unwind_frame *f)
{
    const char *module = paths_base(f->path);
    /* Lines in our own wrappers say nothing. */
    bool lines = w->lines && strncmp(module, "libhector", 9) != 0;
    const struct symbol *s = symbols_find(w->symbols, f->path, NULL, 0,
                                          f->address, f->call, lines);

    if (!s)
        return;
    add_note(w, s);
    for (unsigned i = 0; i < s->n; i++) {
        const char *function = s->frame[i].function;
        const struct level l = {
            .id = make_frame(w, s, &s->frame[i], module), .module = module,
            .is_main = strcmp(function, "main") == 0,
            .is_start = strncmp(function, START_NAME,
                                sizeof(START_NAME) - 1) == 0 };

        add_level(t, &l);
    }
}

static void add_unknown(struct work *w, struct trace *t, uint64_t address)
{
    struct prefixtree_frame f = { .offset = address };
    struct level l = { .module = "" };
    char text[40];

    snprintf(text, sizeof(text), "0x%llx", (unsigned long long)address);
    f.function = name(w, text);
    l.id = prefixtree_frame(&w->tree, &f);
    add_level(t, &l);
}

/* NULL: there is no room. */
static struct spelled *get_spelled(struct reading *r, uint32_t number)
{
    if (number == UNWIND_NO_NUMBER ||
        array_reserve_zeros(&r->spelled, &r->nspelled, (size_t)number + 1))
        return NULL;
    return &r->spelled[number];
}

static void keep_levels(struct work *w, struct spelled *p,
                        const struct level *v, uint32_t n)
{
    if (array_reserve(&w->levels, &w->cap_levels, w->nlevels + n))
        return;
    p->tree = w->ntrees;
    p->at = (uint32_t)w->nlevels;
    p->n = n;
    memcpy(w->levels + w->nlevels, v, n * sizeof(*v));
    w->nlevels += n;
}

static void add_frame(struct work *w, struct reading *r, struct trace *t,
                      const struct unwind_frame *f)
{
    struct spelled *p = get_spelled(r, f->number);
    unsigned first = t->n;

    if (p && p->tree == w->ntrees) {
        for (uint32_t i = 0; i < p->n; i++)
            add_level(t, &w->levels[p->at + i]);
        return;
    }
    if (f->path)
        add_symbol(w, t, f);
    else
        add_unknown(w, t, f->address);
    if (p && t->n < FRAMES)     /* it is whole */
        keep_levels(w, p, t->level + first, t->n - first);
}

static bool starts_main(struct work *w, struct reading *r,
                        const struct unwind_frame *f)
{
    struct spelled *p = get_spelled(r, f->number);
    bool is;

    if (p && p->start != UNASKED)
        return p->start == START;
    is = symbols_begins(w->symbols, f->path, f->address, f->call, START_NAME);
    if (p)
        p->start = is ? START : OTHER;
    return is;
}

/* What runs before main is the same everywhere and says nothing: the names of
 * the C library's part of it are not even looked up, for that may take longer
 * than all the rest. How many frames are left. */
static unsigned without_library(struct work *w, struct reading *r,
                                const struct unwind_frame *v, unsigned n)
{
    unsigned left = n >= 2 ? n - 2 : 0;     /* the outermost one calls it */
    const char *path = v[left].path;

    if (n < 3 || !path || !v[n - 1].path || strcmp(path, v[n - 1].path) == 0 ||
        !starts_main(w, r, &v[left]))
        return n;
    while (left > 0 && v[left - 1].path && strcmp(v[left - 1].path, path) == 0)
        left--;
    return left ? left : n;
}

/* The same by names. Where main has none, it is what the C library calls
 * first. */
static unsigned without_start(const struct trace *t)
{
    const struct level *v = t->level;

    for (unsigned i = t->n; i-- > 0; )
        if (v[i].is_main)
            return i + 1;
    for (unsigned i = t->n; i-- > 0; )
        if (v[i].is_start) {
            unsigned n = i;

            while (n > 0 && strcmp(v[n - 1].module, v[i].module) == 0)
                n--;
            return n ? n : t->n;
        }
    return t->n;
}

static int add_trace(struct work *w, const struct unwinder_head *h,
                     const struct unwind_frame *v, unsigned n)
{
    struct reading *r = &w->readings[h->position];
    struct trace t;
    uint32_t outer_first[FRAMES];

    t.n = 0;
    if (w->slice) {
        const struct slicer_task task = { r->pid, r->maps, r->unwind, &r->remark,
                                          &r->row };

        w->traces[h->position]++;
        return slicer_add(&w->tree, &w->notes, h, &task, v, n);
    }
    n = without_library(w, r, v, n);
    for (unsigned i = 0; i < n; i++)
        add_frame(w, r, &t, &v[i]);
    n = without_start(&t);
    for (unsigned i = 0; i < n; i++)
        outer_first[i] = t.level[n - 1 - i].id;
    if (n == 0)
        return 0;
    w->traces[h->position]++;
    return prefixtree_add(&w->tree, h->position, h->sample, outer_first, n,
                          NULL);
}

/* ----------------------------------------------------------------- pieces */

static int take_copy(struct work *w, const struct unwinder_head *h)
{
    struct unwind *u = w->readings[h->position].unwind;
    struct unwind_frame v[UNWIND_DEPTH];

    if (!u)
        return 0;
    return add_trace(w, h, v, unwind_trace(u, w->piece, v, UNWIND_DEPTH));
}

static int take_addresses(struct work *w, const struct unwinder_head *h)
{
    struct unwind *u = w->readings[h->position].unwind;
    struct unwind_frame v[UNWIND_DEPTH];

    if (!u)
        return 0;
    return add_trace(w, h, v,
                     unwind_addresses(u, w->piece, (unsigned)(h->bytes /
                                      sizeof(uint64_t)), v, UNWIND_DEPTH));
}

/* What is read is the process as it is now. */
static int take_unwritten(struct work *w, const struct unwinder_head *h)
{
    const struct reading *r = &w->readings[h->position];
    struct prefixtree_frame f = { .module = name(w, "stdout") };
    char text[UNWRITTEN_ROOM];
    uint32_t frame;

    if (!r->maps)
        return 0;
    unwritten_read(r->pid, r->maps, text);
    if (!*text)
        return 0;
    f.function = name(w, text);
    frame = prefixtree_frame(&w->tree, &f);
    return prefixtree_add(&w->tree, h->position, h->sample, &frame, 1, NULL);
}

static void forget_remark(struct reading *r)
{
    free(r->function);
    free(r->file);
    r->function = r->file = NULL;
    r->row = (struct slicerow){ 0 };
}

/* Where it is: the first one that has a line, of those that are inlined there. */
static void place_remark(struct work *w, struct reading *r)
{
    struct unwind_frame v[PAGE_FRAMES];
    unsigned n = r->unwind
        ? unwind_addresses(r->unwind, r->remark.pc, r->remark.nframes, v,
                           PAGE_FRAMES) : 0;

    forget_remark(r);
    r->row = (struct slicerow){ .reason = r->remark.text,
                                .awaits = r->remark.awaits };
    for (unsigned i = 0; i < n && !r->file && *r->remark.text; i++) {
        const struct symbol *s = v[i].path
            ? symbols_find(w->symbols, v[i].path, NULL, 0, v[i].address,
                           v[i].call, true) : NULL;

        if (!s || s->note != SYMBOL_FOUND || !s->n || !s->frame[0].file)
            continue;
        r->function = strdup(s->frame[0].function);
        r->file = strdup(s->frame[0].file);
        r->row.line = s->frame[0].line;
    }
    r->row.function = r->function ? r->function : "";
    r->row.file = r->file;
}

static int take_remark(struct work *w, const struct unwinder_head *h)
{
    struct reading *r = &w->readings[h->position];
    uint32_t frame;

    if (h->bytes != sizeof(r->remark))
        return -1;
    memcpy(&r->remark, w->piece, sizeof(r->remark));
    r->remark.text[sizeof(r->remark.text) - 1] = '\0';
    if (r->remark.nframes > PAGE_FRAMES || r->remark.nloaded > PAGE_MODULES ||
        r->remark.nlately > UNWINDER_LATELY ||
        r->remark.ntheirs > UNWINDER_LATELY)
        return -1;
    place_remark(w, r);
    if (!r->remark.alone)
        return 0;
    w->traces[h->position]++;
    if (!r->row.file)
        return 0;
    if (slicerows_frame(&w->tree, &r->row, &frame, 0))
        return -1;
    return prefixtree_add(&w->tree, h->position, h->sample, &frame, 1, NULL);
}

static void take_maps(struct work *w, const struct unwinder_head *h)
{
    struct reading *r = &w->readings[h->position];

    if (r->maps && r->pid == (pid_t)h->pid && strcmp(r->maps, w->piece) == 0)
        return;
    forget_remark(r);
    free(r->maps);
    free(r->spelled);
    unwind_destroy(r->unwind);
    *r = (struct reading){ .pid = (pid_t)h->pid, .maps = strdup(w->piece) };
    r->unwind = unwind_create((pid_t)h->pid, w->piece, NULL);
}

/* 1: go on, 0: this was the end. */
static int take(struct work *w)
{
    struct unwinder_head h;

    if (fread(&h, sizeof(h), 1, w->in) != 1 || h.bytes > UNWINDER_PIECE_MAX)
        return -1;
    w->more = h.kind == UNWINDER_END && h.sample;
    if (h.kind == UNWINDER_END)
        return 0;
    if (h.position >= w->ntasks || h.sample >= w->nsamples)
        return -1;
    if (h.bytes + 1 > w->cap || w->cap < sizeof(struct halt_copy)) {
        free(w->piece);
        w->cap = h.bytes + sizeof(struct halt_copy);
        w->piece = malloc(w->cap);
    }
    if (!w->piece || fread(w->piece, 1, h.bytes, w->in) != h.bytes)
        return -1;
    ((char *)w->piece)[h.bytes] = '\0';
    switch ((enum unwinder_kind)h.kind) {
    case UNWINDER_MAPS:
        take_maps(w, &h);
        return 1;
    case UNWINDER_COPY:
        return take_copy(w, &h) ? -1 : 1;
    case UNWINDER_ADDRESSES:
        return take_addresses(w, &h) ? -1 : 1;
    case UNWINDER_UNWRITTEN:
        return take_unwritten(w, &h) ? -1 : 1;
    case UNWINDER_REMARK:
        return take_remark(w, &h) ? -1 : 1;
    case UNWINDER_BEGIN: case UNWINDER_END:
        break;
    }
    return -1;
}

static int answer(struct work *w, int fd)
{
    struct unwinder_answer a;
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
    struct unwinder_head h;

    if (fread(&h, sizeof(h), 1, w->in) != 1 || h.kind != UNWINDER_BEGIN ||
        h.position < 1 || h.bytes ||
        array_reserve_zeros(&w->readings, &w->nreadings, h.position) ||
        array_reserve(&w->traces, &w->ntraces, h.position))
        return -1;
    w->ntasks = h.position;
    w->nsamples = h.sample;
    w->lines = h.pid & UNWINDER_LINES;
    w->offsets = h.pid & UNWINDER_OFFSETS;
    w->slice = h.pid & UNWINDER_SLICE;
    prefixtree_fini(&w->tree);
    str_reset(&w->notes);
    w->nnotes = 0;
    w->nlevels = 0;
    w->ntrees++;
    memset(w->traces, 0, w->ntasks * sizeof(*w->traces));
    for (size_t i = 0; i < w->ntasks; i++)
        forget_remark(&w->readings[i]);
    symbols_refresh(w->symbols);
    return prefixtree_init(&w->tree, w->ntasks, w->nsamples, NULL);
}

/* False: nobody wants anything any more. */
static bool more(const struct work *w, int fd)
{
    struct pollfd in = { .fd = fd, .events = POLLIN };

    return w->more && poll(&in, 1, UNWINDER_IDLE_MS) == 1;
}

int unwinder_work(int fd)
{
    struct work w = { .ntasks = 0 };
    int rc;

    w.symbols = symbols_create(FILES, NULL);
    w.in = fdopen(fd, "r");
    if (!w.symbols || !w.in || setvbuf(w.in, NULL, _IOFBF, BUFFER))
        return 1;
    do {
        if (begin(&w))
            return 1;
        while ((rc = take(&w)) > 0)
            ;
        if (rc || answer(&w, fd))
            return 1;
    } while (more(&w, fd));
    return 0;
}
