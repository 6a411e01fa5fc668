/* restore_frames.c - frames of signals: see restore_frames.h.
 *
 * A thread stands in the handler of a signal, which may have interrupted another
 * one, and so on. From the top of its stack on upwards, a frame is what has the
 * kernel's two marks and points at its own registers; behind it the stack goes on
 * where the signal came, which is another one if the handler had a stack of its
 * own. */
#include "mpi-wrappers/restore/restore_frames.h"

#include <string.h>

#include "mpi-wrappers/restore/restore_check.h"
#include "mpi-wrappers/restore/restore_memory.h"

enum {
    MARK_BEGIN = 0x46505853, MARK_END = 0x46505845,
    LEGACY = 512, HEADER = 64, LEAST = LEGACY + HEADER, MOST = 16 << 10,
    ALIGN = 64,
    /* From the registers of vectors back to the pointer at them, and to the
     * stack pointer: struct rt_sigframe of the kernel. */
    POINTER = 224, STACK = 288
};
#define X87_SSE 3ull

/* At byte 464 of what fxsave writes: the kernel's own. */
struct mark {
    uint32_t begin, extended;
    uint64_t features;
    uint32_t bytes;
};

struct walk {
    const struct restore *r;
    struct image_layout here;
    uint8_t *copy;              /* MOST bytes */
    uint64_t *done;             /* frames that have been made fit */
    size_t n, room;
};

static struct mark *mark_of(uint64_t at)
{
    return (struct mark *)(at + 464);
}

static uint64_t *number_at(uint64_t at)
{
    return (uint64_t *)at;
}

static bool is_frame(const struct image_region *g, uint64_t at)
{
    const struct mark *m = mark_of(at);
    uint32_t end;

    if (at - g->start < STACK || g->end - at < LEAST + sizeof(end) ||
        m->begin != MARK_BEGIN || m->bytes < LEAST || m->bytes > MOST ||
        m->extended < m->bytes || m->extended > m->bytes + ALIGN ||
        g->end - at < m->bytes + sizeof(end) || *number_at(at - POINTER) != at)
        return false;
    memcpy(&end, (const void *)(at + m->bytes), sizeof(end));
    return end == MARK_END;
}

static void refuse(const struct walk *w, const char *what)
{
    restore_refuse(w->r, "has registers ", what, ": choose a node like the one it "
                   "was made on", NULL);
}

/* Which registers have something in them that has to be there again. Keys of
 * memory are not: images have none. */
static uint64_t in_use(const struct walk *w, uint64_t at)
{
    uint64_t used = *number_at(at + LEGACY) & mark_of(at)->features &
                    ~cpu_states(CPU_KEYS);

    if (used & ~w->here.states)
        refuse(w, "in use that this processor has not");
    return used;
}

static void put(const struct walk *w, uint64_t at)
{
    const struct image_layout *was = &w->r->head.cpu.layout, *is = &w->here;
    struct mark *m = mark_of(at);
    uint64_t used = in_use(w, at), *header = number_at(at + LEGACY);
    uint32_t bytes = LEAST, end = MARK_END;

    memcpy(w->copy, (const void *)at, m->bytes);
    for (int i = 2; i < IMAGE_STATES; i++)
        if (used >> i & 1 && is->at[i] + is->bytes[i] > bytes)
            bytes = is->at[i] + is->bytes[i];
    if (used >> IMAGE_STATES || bytes > m->bytes)
        refuse(w, "in use that have no room on its stack as this processor has "
               "them");
    for (int i = 2; i < IMAGE_STATES; i++)
        if (!(used >> i & 1))
            continue;
        else if (was->bytes[i] != is->bytes[i] ||
                 was->at[i] + was->bytes[i] > m->bytes)
            refuse(w, "which this processor has in another form");
        else
            memcpy((char *)at + is->at[i], w->copy + was->at[i], is->bytes[i]);
    memset(header, 0, HEADER);
    *header = used;
    m->features = used | X87_SSE;
    m->bytes = bytes;
    m->extended = bytes + sizeof(end);
    memcpy((char *)at + bytes, &end, sizeof(end));
}

static bool is_done(const struct walk *w, uint64_t at)
{
    for (size_t i = 0; i < w->n; i++)
        if (w->done[i] == at)
            return true;
    return false;
}

/* How many frames the stack has from there on. */
static size_t walk(struct walk *w, uint64_t at)
{
    size_t found = 0;

    for (const struct image_region *g; (g = restore_memory_region(w->r, at)); ) {
        uint64_t back;

        at = (at + ALIGN - 1) & ~(uint64_t)(ALIGN - 1);
        while (g->end > at && g->end - at > LEAST && !is_frame(g, at))
            at += ALIGN;
        if (g->end <= at || g->end - at <= LEAST || is_done(w, at))
            break;
        if (w->n == w->room)
            refuse(w, "in too many frames");
        back = *number_at(at - STACK);
        put(w, at);
        w->done[w->n++] = at;
        found++;
        at = back;
    }
    return found;
}

static bool same(const struct image_layout *a, const struct image_layout *b)
{
    return memcmp(a, b, sizeof(*a)) == 0;
}

void restore_frames_fit(const struct restore *r)
{
    struct walk w = { .r = r, .copy = (uint8_t *)r->scratch,
                      .done = (uint64_t *)(r->scratch + MOST),
                      .room = (RESTORE_SCRATCH - MOST) / sizeof(uint64_t) };
    struct cpu_set cpu;
    size_t found = 0;

    restore_check_here(r, &cpu, &w.here);
    if (same(&w.here, &r->head.cpu.layout))
        return;
    for (size_t i = 0; i < r->head.nthreads; i++)
        found += walk(&w, r->threads[i].context.rsp);
    /* All but the one that has written the image were stopped by a signal. */
    if (found + 1 < r->head.nthreads)
        refuse(&w, "in frames that are not where they were looked for");
}
