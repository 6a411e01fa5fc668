/* image_elf.c - of a program or library: see image_elf.h. */
#include "mpi-wrappers/image/image_elf.h"

#include <elf.h>
#include <stdbool.h>
#include <string.h>

#include "mpi-wrappers/image/sys.h"

enum { PARTS = 64, NOTES = 1024 };      /* program headers; bytes of notes */

static bool read_at(int fd, void *to, size_t bytes, uint64_t at)
{
    return sys(SYS_pread64, fd, to, bytes, at) == (long)bytes;
}

static uint32_t id_in_notes(const uint8_t *notes, size_t bytes, uint8_t *id,
                            uint32_t room)
{
    Elf64_Nhdr n;

    for (size_t at = 0; at + sizeof(n) <= bytes; ) {
        size_t name, body;

        memcpy(&n, notes + at, sizeof(n));
        name = at + sizeof(n);
        body = name + (((size_t)n.n_namesz + 3) & ~3ul);
        if (body > bytes || n.n_descsz > bytes - body)
            break;
        if (n.n_type == NT_GNU_BUILD_ID && n.n_namesz == 4 &&
            memcmp(notes + name, "GNU", 4) == 0) {
            if (n.n_descsz < room)
                room = n.n_descsz;
            memcpy(id, notes + body, room);
            return room;
        }
        at = body + (((size_t)n.n_descsz + 3) & ~3ul);
    }
    return 0;
}

uint32_t image_elf_id(int fd, uint8_t *id, uint32_t room)
{
    uint8_t notes[NOTES];
    Elf64_Ehdr head;
    Elf64_Phdr part;

    if (!read_at(fd, &head, sizeof(head), 0) ||
        memcmp(head.e_ident, ELFMAG, SELFMAG) != 0 ||
        head.e_ident[EI_CLASS] != ELFCLASS64)
        return 0;
    for (int i = 0; i < head.e_phnum && i < PARTS; i++) {
        size_t n;
        uint32_t have;

        if (!read_at(fd, &part, sizeof(part),
                     head.e_phoff + (uint64_t)i * sizeof(part)))
            return 0;
        n = part.p_filesz < NOTES ? part.p_filesz : NOTES;
        if (part.p_type == PT_NOTE && read_at(fd, notes, n, part.p_offset) &&
            (have = id_in_notes(notes, n, id, room)) > 0)
            return have;
    }
    return 0;
}

/* What is at an address of the vdso, which begins at first; NULL unless bytes
 * of it are there. */
static const void *inside(const void *vdso, size_t bytes, uint64_t first,
                          uint64_t at, uint64_t wanted)
{
    at -= first;
    return at <= bytes && wanted <= bytes - at ? (const char *)vdso + at : NULL;
}

static bool same_name(const char *vdso, size_t bytes, uint64_t at,
                      const char *name)
{
    size_t n = strlen(name) + 1;

    return at <= bytes && n <= bytes - at && memcmp(vdso + at, name, n) == 0;
}

uint64_t image_elf_function(const void *vdso, size_t bytes, const char *name)
{
    const Elf64_Ehdr *head = inside(vdso, bytes, 0, 0, sizeof(*head));
    const Elf64_Phdr *part;
    const Elf64_Dyn *d = NULL;
    uint64_t first = 0, symbols = 0, strings = 0, ndyn = 0;

    if (!head || !(part = inside(vdso, bytes, 0, head->e_phoff,
                                 head->e_phnum * sizeof(*part))))
        return 0;
    for (int i = 0; i < head->e_phnum; i++)
        if (part[i].p_type == PT_LOAD && part[i].p_offset == 0) {
            first = part[i].p_vaddr;
        } else if (part[i].p_type == PT_DYNAMIC) {
            ndyn = part[i].p_filesz / sizeof(*d);
            d = inside(vdso, bytes, 0, part[i].p_offset, part[i].p_filesz);
        }
    for (; d && ndyn && d->d_tag != DT_NULL; d++, ndyn--)
        if (d->d_tag == DT_SYMTAB)
            symbols = d->d_un.d_ptr - first;
        else if (d->d_tag == DT_STRTAB)
            strings = d->d_un.d_ptr - first;
    /* The strings come behind the symbols. */
    for (; symbols && symbols + sizeof(Elf64_Sym) <= strings;
         symbols += sizeof(Elf64_Sym)) {
        const Elf64_Sym *s = inside(vdso, bytes, 0, symbols, sizeof(*s));

        if (!s)
            break;
        if (s->st_shndx != SHN_UNDEF &&
            same_name(vdso, bytes, strings + s->st_name, name))
            return s->st_value - first < bytes ? s->st_value - first : 0;
    }
    return 0;
}
