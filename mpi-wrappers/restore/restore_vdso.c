/* restore_vdso.c - the code of the kernel: see restore_vdso.h. */
#include "mpi-wrappers/restore/restore_vdso.h"

#include <string.h>
#include <sys/mman.h>

#include "mpi-wrappers/image/image_elf.h"
#include "mpi-wrappers/image/image_maps.h"
#include "mpi-wrappers/image/sys.h"
#include "mpi-wrappers/restore/restore_place.h"

uint64_t restore_vdso_bytes(struct restore *r)
{
    char *text = r->scratch;
    struct image_map m;

    r->npieces = 0;
    r->live = r->live_bytes = r->live_vvar_bytes = 0;
    sys_slurp("/proc/self/maps", text, RESTORE_SCRATCH);
    while (image_maps_next(&text, &m) > 0 && r->npieces < RESTORE_PIECES) {
        enum image_map_kind kind = image_maps_kind(&m);

        if (kind != IMAGE_MAP_VDSO && kind != IMAGE_MAP_VVAR)
            continue;
        if (!r->npieces)
            r->live = m.start;
        r->piece[r->npieces].at = m.start - r->live;
        r->piece[r->npieces++].bytes = m.end - m.start;
        if (kind == IMAGE_MAP_VDSO) {
            r->live_vvar_bytes = m.start - r->live;
            r->live_bytes = m.end - m.start;
        }
    }
    return r->live_vvar_bytes + r->live_bytes;
}

static uint64_t live_code(const struct restore *r)
{
    return r->live + r->live_vvar_bytes;
}

static void move(struct restore *r, uint64_t to)
{
    for (size_t i = 0; i < r->npieces; i++) {
        const struct restore_piece *p = &r->piece[i];
        uint64_t place = to + p->at;

        if (sys(SYS_mremap, r->live + p->at, p->bytes, p->bytes,
                MREMAP_MAYMOVE | MREMAP_FIXED, place) != (long)place)
            restore_refuse(r, "cannot become a process here: this kernel does "
                           "not let its vdso be moved; choose another node",
                           NULL);
    }
    r->live = to;
}

void restore_vdso_take(struct restore *r, uint64_t to)
{
    if (r->live_bytes)
        move(r, to);
}

static bool is_same(const struct restore *r)
{
    return !r->trampolines && r->live_bytes == r->head.vdso_bytes &&
           r->live_vvar_bytes == r->head.vvar_bytes &&
           memcmp((const void *)live_code(r), r->vdso, r->live_bytes) == 0;
}

/* At an old function: go on at the new one, or there is none any more. */
static void lead(uint8_t *old, uint64_t now)
{
    static const uint8_t jump[] = { 0x48, 0xb8, 0, 0, 0, 0, 0, 0, 0, 0,
                                    0xff, 0xe0 };     /* mov $..., %rax; jmp */
    static const uint8_t none[] = { 0x48, 0xc7, 0xc0, 0xda, 0xff, 0xff, 0xff,
                                    0xc3 };     /* mov $-ENOSYS, %rax; ret */

    if (now) {
        memcpy(old, jump, sizeof(jump));
        memcpy(old + 2, &now, sizeof(now));
    } else {
        memcpy(old, none, sizeof(none));
    }
}

static void lead_all(const struct restore *r)
{
    static const char names[][28] = { "__vdso_clock_gettime",
        "__vdso_gettimeofday", "__vdso_time", "__vdso_getcpu",
        "__vdso_clock_getres", "__vdso_getrandom", "__vdso_sgx_enter_enclave" };
    uint8_t *old = (uint8_t *)r->head.vdso;

    for (size_t i = 0; i < sizeof(names) / sizeof(names[0]); i++) {
        uint64_t at = image_elf_function(r->vdso, r->head.vdso_bytes, names[i]);
        uint64_t to = image_elf_function((const void *)live_code(r),
                                         r->live_bytes, names[i]);

        if (at && at + 16 <= r->head.vdso_bytes)
            lead(old + at, to ? live_code(r) + to : 0);
    }
}

static void keep_elsewhere(struct restore *r)
{
    uint64_t at = restore_place_find(r, &r->hole, 1,
                                     r->live_vvar_bytes + r->live_bytes);

    if (!at)
        restore_refuse(r, "leaves no room for this kernel's vdso", NULL);
    move(r, at);
}

void restore_vdso_put(struct restore *r)
{
    const struct image_head *h = &r->head;

    if (!r->live_bytes || !h->vdso_bytes)
        return;
    if (is_same(r)) {
        move(r, h->vdso - h->vvar_bytes);
        return;
    }
    keep_elsewhere(r);
    if (sys(SYS_mmap, h->vdso, h->vdso_bytes, PROT_READ | PROT_WRITE,
            MAP_PRIVATE | MAP_ANONYMOUS | MAP_FIXED_NOREPLACE, -1, 0) !=
        (long)h->vdso)
        restore_refuse(r, "has a vdso that cannot be made again", NULL);
    memcpy((void *)h->vdso, r->vdso, h->vdso_bytes);
    lead_all(r);
    sys(SYS_mprotect, h->vdso, h->vdso_bytes, PROT_READ | PROT_EXEC);
}
