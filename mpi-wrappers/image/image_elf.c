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

/* Copies what stands there in the vdso, which may be at any address, as in an
 * image; false unless all of it is there. */
static bool copied(void *to, size_t n, const char *vdso, size_t bytes, uint64_t at)
{
    if (at > bytes || n > bytes - at)
        return false;
    memcpy(to, vdso + at, n);
    return true;
}

static bool same_name(const char *vdso, size_t bytes, uint64_t at,
                      const char *name)
{
    size_t n = strlen(name) + 1;

    return at <= bytes && n <= bytes - at && memcmp(vdso + at, name, n) == 0;
}

/* Where its dynamic section is, and what it has taken for its own address. */
static bool find_dynamic(const char *vdso, size_t bytes, Elf64_Phdr *dynamic,
                         uint64_t *first)
{
    Elf64_Ehdr head;
    Elf64_Phdr part;
    bool found = false;

    if (!copied(&head, sizeof(head), vdso, bytes, 0))
        return false;
    for (uint64_t i = 0; i < head.e_phnum; i++) {
        if (!copied(&part, sizeof(part), vdso, bytes, head.e_phoff + i * sizeof(part)))
            return false;
        if (part.p_type == PT_LOAD && part.p_offset == 0)
            *first = part.p_vaddr;
        else if (part.p_type == PT_DYNAMIC)
            *dynamic = part, found = true;
    }
    return found;
}

uint64_t image_elf_function(const void *vdso, size_t bytes, const char *name)
{
    uint64_t first = 0, symbols = 0, strings = 0;
    Elf64_Phdr dynamic;
    Elf64_Dyn d;
    Elf64_Sym s;

    if (!find_dynamic(vdso, bytes, &dynamic, &first))
        return 0;
    for (uint64_t at = 0; at + sizeof(d) <= dynamic.p_filesz &&
         copied(&d, sizeof(d), vdso, bytes, dynamic.p_offset + at) &&
         d.d_tag != DT_NULL; at += sizeof(d))
        if (d.d_tag == DT_SYMTAB)
            symbols = d.d_un.d_ptr - first;
        else if (d.d_tag == DT_STRTAB)
            strings = d.d_un.d_ptr - first;
    /* The strings come behind the symbols. */
    for (; symbols && symbols + sizeof(s) <= strings &&
         copied(&s, sizeof(s), vdso, bytes, symbols); symbols += sizeof(s))
        if (s.st_shndx != SHN_UNDEF &&
            same_name(vdso, bytes, strings + s.st_name, name))
            return s.st_value - first < bytes ? s.st_value - first : 0;
    return 0;
}
