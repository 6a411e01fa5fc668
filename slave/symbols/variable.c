/* variable.c - where a variable of a binary is. */
#include "slave/symbols/variable.h"

#include <fcntl.h>
#include <gelf.h>
#include <libelf.h>
#include <string.h>
#include <unistd.h>

static bool in_table(struct variable *v, Elf *elf, Elf_Scn *section,
                     const GElf_Shdr *h, const char *name)
{
    Elf_Data *data = elf_getdata(section, NULL);
    GElf_Sym s;

    for (int i = 0; data && gelf_getsym(data, i, &s); i++) {
        const char *is = elf_strptr(elf, h->sh_link, s.st_name);

        if (s.st_shndx == SHN_UNDEF || GELF_ST_TYPE(s.st_info) != STT_OBJECT ||
            !is || strcmp(is, name) != 0)
            continue;
        v->address = s.st_value;
        v->bytes = s.st_size;
        return true;
    }
    return false;
}

static bool in_tables(struct variable *v, Elf *elf, GElf_Word type,
                      const char *name)
{
    Elf_Scn *section = NULL;
    GElf_Shdr h;

    while ((section = elf_nextscn(elf, section)))
        if (gelf_getshdr(section, &h) && h.sh_type == type &&
            in_table(v, elf, section, &h, name))
            return true;
    return false;
}

static bool find_begin(struct variable *v, Elf *elf)
{
    GElf_Phdr h;
    size_t n;

    if (elf_getphdrnum(elf, &n))
        return false;
    for (size_t i = 0; i < n; i++)
        if (gelf_getphdr(elf, (int)i, &h) && h.p_type == PT_LOAD) {
            v->begin = h.p_vaddr - h.p_offset;
            return true;
        }
    return false;
}

static bool find(struct variable *v, Elf *elf, const char *name)
{
    GElf_Ehdr e;

    if (!gelf_getehdr(elf, &e) ||
        e.e_ident[EI_CLASS] != (sizeof(void *) == 8 ? ELFCLASS64 : ELFCLASS32))
        return false;
    v->moves = e.e_type == ET_DYN;
    return find_begin(v, elf) && (in_tables(v, elf, SHT_DYNSYM, name) ||
                                  in_tables(v, elf, SHT_SYMTAB, name));
}

bool variable_find(struct variable *v, const char *path, const char *name)
{
    int fd = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK);
    bool found = false;
    Elf *elf;

    if (fd < 0)
        return false;
    elf_version(EV_CURRENT);
    elf = elf_begin(fd, ELF_C_READ, NULL);
    if (elf) {
        found = find(v, elf, name);
        elf_end(elf);
    }
    close(fd);
    return found;
}
