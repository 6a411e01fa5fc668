/* image_regions.c - mappings, and their files: see image_regions.h. */
#include "mpi-wrappers/image/image_regions.h"

#include <elf.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/uio.h>

#include "mpi-wrappers/image/image_elf.h"
#include "mpi-wrappers/image/image_maps.h"
#include "mpi-wrappers/image/sys.h"

static const char *name_of(const struct image_tables *t, uint64_t name)
{
    return image_arena_names(&t->arena) + name;
}

/* Its index, or IMAGE_NONE. Mappings of one file are mostly neighbours. */
static int32_t find_mapped(const struct image_tables *t, const char *name)
{
    for (size_t i = t->head->nmapped; i-- > 0; )
        if (strcmp(name_of(t, t->mapped[i].name), name) == 0)
            return (int32_t)i;
    return IMAGE_NONE;
}

static enum image_reason add_mapped(struct image_tables *t, const char *name,
                                    int32_t *index)
{
    struct image_mapped *m = &t->mapped[t->head->nmapped];
    struct stat st;
    int fd;

    *index = find_mapped(t, name);
    if (*index != IMAGE_NONE)
        return IMAGE_GOOD;
    fd = sys_open(name, O_RDONLY | O_NONBLOCK | O_NOCTTY);
    if (fd < 0 || sys(SYS_fstat, fd, &st) != 0 || !S_ISREG(st.st_mode)) {
        if (fd >= 0)
            sys_close(fd);
        return IMAGE_REFUSE(t, IMAGE_MAPPING, name, " is mapped and cannot be "
                            "opened");
    }
    m->name = image_arena_name(&t->arena, name);
    m->bytes = (uint64_t)st.st_size;
    m->changed_s = st.st_mtim.tv_sec;
    m->changed_ns = (uint32_t)st.st_mtim.tv_nsec;
    m->id_bytes = image_elf_id(fd, m->id, sizeof(m->id));
    sys_close(fd);
    *index = (int32_t)t->head->nmapped++;
    return m->name == (uint64_t)-1 ? IMAGE_MEMORY : IMAGE_GOOD;
}

static uint64_t up(uint64_t address)
{
    return (address + IMAGE_PAGE - 1) & ~(uint64_t)(IMAGE_PAGE - 1);
}

static uint64_t down(uint64_t address)
{
    return address & ~(uint64_t)(IMAGE_PAGE - 1);
}

static bool is_in(const struct image_range *v, size_t n,
                  const struct image_map *m)
{
    for (size_t i = 0; i < n; i++)
        if (up(v[i].start) <= m->start && m->end <= down(v[i].end))
            return true;
    return false;
}

/* Somebody who is going to do without. */
static bool left_out(const struct image_tables *t, const struct image_map *m)
{
    return t->ask && is_in(t->ask->but, t->ask->nranges, m);
}

/* ... or with what is in it alone. */
static bool is_copied(const struct image_tables *t, const struct image_map *m)
{
    return t->ask && m->shared && is_in(t->ask->copy, t->ask->ncopies, m);
}

static void add_vdso(struct image_head *h, const struct image_map *m,
                     enum image_map_kind kind)
{
    if (kind == IMAGE_MAP_VDSO) {
        h->vdso = m->start;
        h->vdso_bytes = m->end - m->start;
    } else if (!h->vvar) {
        h->vvar = m->start;
    }
}

static enum image_reason add(struct image_tables *t, const struct image_map *m)
{
    static const uint8_t kinds[] = {
        [IMAGE_MAP_ANON] = IMAGE_ANON, [IMAGE_MAP_STACK] = IMAGE_STACK,
        [IMAGE_MAP_ANON_SHARED] = IMAGE_ANON_SHARED,
        [IMAGE_MAP_FILE] = IMAGE_FILE, [IMAGE_MAP_GONE] = IMAGE_ANON,
        [IMAGE_MAP_FILE_SHARED] = IMAGE_FILE_SHARED,
        [IMAGE_MAP_OTHERS] = IMAGE_ANON, [IMAGE_MAP_SYSV] = IMAGE_ANON
    };
    enum image_map_kind kind = image_maps_kind(m);
    struct image_region *r = &t->regions[t->head->nregions];

    if (kind != IMAGE_MAP_FIXED && m->end > IMAGE_ACROSS && !left_out(t, m))
        return IMAGE_REFUSE(t, IMAGE_MAPPING, "it has memory at addresses that "
                            "not all processors have (above 2^47)");
    switch (kind) {
    case IMAGE_MAP_FIXED:
        return IMAGE_GOOD;
    case IMAGE_MAP_VDSO:
    case IMAGE_MAP_VVAR:
        add_vdso(t->head, m, kind);
        return IMAGE_GOOD;
    case IMAGE_MAP_SYSV:
    case IMAGE_MAP_OTHERS:
        if (is_copied(t, m))
            break;
        return left_out(t, m) ? IMAGE_GOOD
            : IMAGE_REFUSE(t, IMAGE_MAPPING, "it may share memory with other "
                           "processes (", m->name, ")");
    case IMAGE_MAP_DEVICE:
        return left_out(t, m) ? IMAGE_GOOD
            : IMAGE_REFUSE(t, IMAGE_MAPPING, "it has mapped a device (",
                           m->name, ")");
    default:
        break;
    }
    *r = (struct image_region){ .start = m->start, .end = m->end,
        .prot = m->prot, .kind = kinds[kind], .mapped = IMAGE_NONE,
        .pages = kind == IMAGE_MAP_GONE ? IMAGE_PAGES_ALL
            : m->shared ? IMAGE_PAGES_SHARED : IMAGE_PAGES_OWN };
    t->head->nregions++;
    if (is_copied(t, m)) {
        r->kind = IMAGE_ANON;
        return IMAGE_GOOD;
    }
    if (kind != IMAGE_MAP_FILE && kind != IMAGE_MAP_FILE_SHARED)
        return IMAGE_GOOD;
    r->offset = m->offset;
    return add_mapped(t, m->name, &r->mapped);
}

/* The program is in the file that its entry point is in: /proc/self/exe of a
 * restored process may be another. */
static enum image_reason find_program(struct image_tables *t)
{
    uint64_t entry = 0;
    Elf64_auxv_t a;

    for (size_t i = 0; i + sizeof(a) <= t->head->auxv_bytes; i += sizeof(a)) {
        memcpy(&a, t->head->auxv + i, sizeof(a));
        if (a.a_type == AT_ENTRY)
            entry = a.a_un.a_val;
    }
    for (size_t i = 0; i < t->head->nregions; i++) {
        const struct image_region *r = &t->regions[i];

        if (r->start <= entry && entry < r->end && r->mapped != IMAGE_NONE) {
            t->head->program = t->mapped[r->mapped].name;
            return IMAGE_GOOD;
        }
    }
    t->head->program = image_arena_name(&t->arena, "");
    return t->head->program == (uint64_t)-1 ? IMAGE_MEMORY : IMAGE_GOOD;
}

static void without(struct image_tables *t, uint64_t start, uint64_t end)
{
    size_t n = t->head->nregions;

    if (start >= end)
        return;
    image_maps_without(t->regions, &n, start, end);
    t->head->nregions = n;
}

enum image_reason image_regions_read(struct image_tables *t)
{
    enum image_reason r = IMAGE_GOOD;
    size_t nranges = t->ask ? t->ask->nranges : 0, lines = 2 + nranges;
    struct image_map m;
    long rc;
    char *text = image_arena_slurp(&t->arena, "/proc/thread-self/maps", &rc);

    if (!text)
        return rc == -ENOMEM ? IMAGE_MEMORY
            : IMAGE_REFUSE(t, IMAGE_MACHINE, "/proc/thread-self/maps cannot be read");
    for (const char *p = text; *p; p++)
        lines += *p == '\n';
    t->regions = image_arena_take(&t->arena, lines * sizeof(*t->regions));
    t->mapped = image_arena_take(&t->arena, lines * sizeof(*t->mapped));
    if (!t->regions || !t->mapped)
        return IMAGE_MEMORY;
    while (!r && (rc = image_maps_next(&text, &m)) > 0)
        r = add(t, &m);
    if (!r && rc < 0)
        r = IMAGE_REFUSE(t, IMAGE_MACHINE, "/proc/thread-self/maps is not understood");
    if (r)
        return r;
    if (t->head->vvar)
        t->head->vvar_bytes = t->head->vdso - t->head->vvar;
    without(t, (uint64_t)t->arena.at, (uint64_t)t->arena.at + t->arena.bytes);
    for (size_t i = 0; i < nranges; i++)
        without(t, up(t->ask->but[i].start), down(t->ask->but[i].end));
    return find_program(t);
}

static bool is_shared(const struct image_tables *t, uint64_t at)
{
    for (size_t i = 0; i < t->head->nregions; i++)
        if (t->regions[i].start <= at && at < t->regions[i].end)
            return t->regions[i].kind == IMAGE_FILE_SHARED;
    return false;
}

/* Whatever a program has made of it: false, there is no such word. */
static bool peek(uint64_t at, uint64_t *word)
{
    struct iovec to = { word, sizeof(*word) };
    struct iovec from = { (void *)at, sizeof(*word) };

    return sys(SYS_process_vm_readv, sys(SYS_getpid), &to, 1, &from, 1, 0) ==
           (long)sizeof(*word);
}

/* As the kernel goes through a thread's list when it ends; one bit of an
 * address says something else. */
static bool holds_shared(const struct image_tables *t,
                         const struct image_thread *k)
{
    enum { MANY = 1 << 20 };
    uint64_t at = k->robust;

    for (int n = 0; n < MANY && peek(at, &at); n++) {
        at &= ~1ull;
        if (!at || at == k->robust)
            return false;
        if (is_shared(t, at))
            return true;
    }
    return false;
}

enum image_reason image_regions_held(struct image_tables *t)
{
    for (size_t i = 0; i < t->head->nthreads; i++)
        if (holds_shared(t, &t->threads[i]))
            return IMAGE_REFUSE(t, IMAGE_MAPPING, "it holds a robust mutex in "
                                "a file that is mapped as shared, which others "
                                "would take for one that has been left");
    return IMAGE_GOOD;
}
