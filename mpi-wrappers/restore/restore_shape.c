/* restore_shape.c - do the tables make sense? See restore_shape.h. */
#include "mpi-wrappers/restore/restore_shape.h"

#include <sys/mman.h>

#include "mpi-wrappers/image/image.h"

enum { STDIO = 3, FDS_MAX = 1 << 30, BACK = 16, RSEQ = 32 };

static bool has(uint64_t *left, uint64_t n, uint64_t size)
{
    if (n > *left / size)
        return false;
    *left -= n * size;
    return true;
}

bool restore_shape_fits(const struct image_head *h)
{
    uint64_t left = h->tables_bytes;

    return has(&left, h->nregions, sizeof(struct image_region)) &&
           has(&left, h->nmapped, sizeof(struct image_mapped)) &&
           has(&left, h->nfds, sizeof(struct image_fd)) &&
           has(&left, h->nthreads, sizeof(struct image_thread)) &&
           has(&left, h->name_bytes, 1) && has(&left, h->vdso_bytes, 1) &&
           left == 0;
}

static bool whole_pages(uint64_t n)
{
    return n % IMAGE_PAGE == 0;
}

static bool is_name(const struct restore *r, uint64_t name)
{
    return name < r->head.name_bytes;
}

/* May the process write to all of that? */
static bool is_memory(const struct restore *r, uint64_t at, uint64_t bytes)
{
    for (size_t i = 0; i < r->head.nregions; i++) {
        const struct image_region *g = &r->regions[i];

        if (at < g->start)
            break;
        if (at >= g->end)
            continue;
        if (!(g->prot & PROT_WRITE) || g->kind == IMAGE_FILE_SHARED)
            break;
        if (bytes <= g->end - at)
            return true;
        bytes -= g->end - at;
        at = g->end;
    }
    return false;
}

static bool good_head(const struct restore *r)
{
    const struct image_head *h = &r->head;

    return h->release[sizeof(h->release) - 1] == '\0' &&
           h->auxv_bytes <= sizeof(h->auxv) && h->nthreads > 0 &&
           h->name_bytes > 0 && r->names[h->name_bytes - 1] == '\0' &&
           is_name(r, h->program) && is_name(r, h->directory) &&
           is_memory(r, h->back, BACK) &&
           (!h->told || is_memory(r, h->told, h->told_bytes));
}

static bool good_vdso(const struct image_head *h)
{
    return whole_pages(h->vdso) && whole_pages(h->vdso_bytes) &&
           whole_pages(h->vvar_bytes) && h->vdso < IMAGE_ACROSS &&
           h->vdso_bytes <= IMAGE_ACROSS - h->vdso &&
           h->vvar_bytes <= h->vdso;
}

static bool good_region(const struct restore *r, const struct image_region *g,
                        uint64_t after)
{
    bool file = g->kind == IMAGE_FILE || g->kind == IMAGE_FILE_SHARED;

    return g->start >= after && g->end > g->start && g->end <= IMAGE_ACROSS &&
           whole_pages(g->start) && whole_pages(g->end) &&
           whole_pages(g->offset) && g->kind <= IMAGE_FILE_SHARED && g->huge <= 1 &&
           g->prot <= (PROT_READ | PROT_WRITE | PROT_EXEC) &&
           (file ? g->mapped >= 0 && (uint64_t)g->mapped < r->head.nmapped
                 : g->mapped == IMAGE_NONE);
}

static bool good_fd(const struct restore *r, const struct image_fd *f,
                    int after)
{
    if (f->fd <= after || f->fd >= FDS_MAX || f->offset < -1)
        return false;
    switch (f->kind) {
    case IMAGE_FD_FILE:     return is_name(r, f->name);
    case IMAGE_FD_CONTENTS: return is_name(r, f->name) &&
                                   f->bytes <= IMAGE_CONTENTS;
    case IMAGE_FD_SAME:     return f->same >= 0 && f->same < f->fd;
    default:                return false;
    }
}

static bool good_thread(const struct restore *r, const struct image_thread *t)
{
    return is_memory(r, t->context.rsp - 8, 8) &&
           (!t->tid_address || is_memory(r, t->tid_address, 4)) &&
           (!t->rseq || is_memory(r, t->rseq, RSEQ));
}

bool restore_shape_good(const struct restore *r)
{
    const struct image_head *h = &r->head;

    for (size_t i = 0; i < h->nregions; i++)
        if (!good_region(r, &r->regions[i], i ? r->regions[i - 1].end : 0))
            return false;
    for (size_t i = 0; i < h->nmapped; i++)
        if (!is_name(r, r->mapped[i].name) ||
            r->mapped[i].id_bytes > IMAGE_BUILD_ID)
            return false;
    for (size_t i = 0; i < h->nfds; i++)
        if (!good_fd(r, &r->fds[i], i ? r->fds[i - 1].fd : STDIO - 1))
            return false;
    for (size_t i = 0; i < h->nthreads; i++)
        if (!good_thread(r, &r->threads[i]))
            return false;
    return good_head(r) && good_vdso(h);
}
