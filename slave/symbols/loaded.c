/* loaded.c - see loaded.h. */
#include "slave/symbols/loaded.h"

#include <elf.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/uio.h>
#include <time.h>
#include <unistd.h>

#include "proto/base/clock.h"
#include "slave/proc/smallfile.h"

enum { PARTS = 64, NOTES = 1024, STAT_STARTED = 22 };

/* Times of files and of processes come from two clocks, the latter in steps of
 * 10 ms: who was started just behind its compiler was not overwritten. */
static const uint64_t loaded_slack_ns = 50 * CLOCK_NS_PER_MS;

static const char deleted[] = " (deleted)";

/* A line about a file: where its name begins, and how long it is. */
static size_t read_line(const char *line, const char *end,
                        struct loaded_range *r, const char **path)
{
    unsigned long long from, to;
    int at = 0;

    if (sscanf(line, "%llx-%llx %*s %*s %*s %*s %n", &from, &to, &at) != 2 ||
        !at || line + at >= end || line[at] != '/')
        return 0;
    *r = (struct loaded_range){ from, to };
    *path = line + at;
    return (size_t)(end - *path);
}

static size_t without_deleted(const char *path, size_t n)
{
    size_t m = sizeof(deleted) - 1;

    return n > m && strncmp(path + n - m, deleted, m) == 0 ? n - m : n;
}

size_t loaded_path_length(const char *path)
{
    return without_deleted(path, strlen(path));
}

bool loaded_where(const char *maps, const char *path, struct loaded_range *r)
{
    size_t n = loaded_path_length(path);

    *r = (struct loaded_range){ 0, 0 };
    for (const char *end; (end = strchr(maps, '\n')); maps = end + 1) {
        struct loaded_range at;
        const char *is;
        size_t bytes = read_line(maps, end, &at, &is);

        if (!bytes || without_deleted(is, bytes) != n || strncmp(is, path, n))
            continue;
        if (!r->to || at.from < r->from)
            r->from = at.from;
        if (at.to > r->to)
            r->to = at.to;
    }
    return r->to > 0;
}

/* Lines in the middle of a file may have been left out of the text. */
static bool goes_on_to(const char *maps, const char *path, size_t bytes,
                       uint64_t address)
{
    struct loaded_range at;
    const char *is;

    for (const char *end; (end = strchr(maps, '\n')); maps = end + 1)
        if (read_line(maps, end, &at, &is) == bytes && at.to > address &&
            strncmp(is, path, bytes) == 0)
            return true;
    return false;
}

size_t loaded_file(const char *maps, uint64_t address, const char **path)
{
    for (const char *end; (end = strchr(maps, '\n')); maps = end + 1) {
        struct loaded_range at;
        size_t bytes = read_line(maps, end, &at, path);

        if (bytes && address >= at.from &&
            goes_on_to(maps, *path, bytes, address))
            return bytes;
    }
    return 0;
}

/* ---------------------------------------------------------------- build ids */

static bool read_at(pid_t pid, uint64_t address, void *to, size_t n)
{
    const struct iovec own = { to, n };
    const struct iovec its = { (void *)(uintptr_t)address, n };

    return process_vm_readv(pid, &own, 1, &its, 1, 0) == (ssize_t)n;
}

static uint32_t id_in_notes(const uint8_t *notes, size_t bytes,
                            uint8_t id[LOADED_ID])
{
    Elf64_Nhdr n;

    for (size_t at = 0; at + sizeof(n) <= bytes; ) {
        size_t body;

        memcpy(&n, notes + at, sizeof(n));
        body = at + sizeof(n) + (((size_t)n.n_namesz + 3) & ~(size_t)3);
        if (body > bytes || n.n_descsz > bytes - body)
            break;
        if (n.n_type == NT_GNU_BUILD_ID && n.n_namesz == 4 &&
            n.n_descsz <= LOADED_ID &&
            memcmp(notes + at + sizeof(n), "GNU", 4) == 0) {
            memcpy(id, notes + body, n.n_descsz);
            return n.n_descsz;
        }
        at = body + (((size_t)n.n_descsz + 3) & ~(size_t)3);
    }
    return 0;
}

/* Notes lie in what is mapped first, in front of the code. */
uint32_t loaded_id(pid_t pid, uint64_t from, uint8_t id[LOADED_ID])
{
    uint8_t notes[NOTES];
    Elf64_Phdr part[PARTS];
    Elf64_Ehdr head;
    uint32_t bytes = 0;

    if (!read_at(pid, from, &head, sizeof(head)) ||
        memcmp(head.e_ident, ELFMAG, SELFMAG) != 0 ||
        head.e_ident[EI_CLASS] != ELFCLASS64 || head.e_phnum > PARTS ||
        !read_at(pid, from + head.e_phoff, part, head.e_phnum * sizeof(*part)))
        return 0;
    for (int i = 0; i < head.e_phnum && !bytes; i++) {
        size_t n = part[i].p_filesz < NOTES ? part[i].p_filesz : NOTES;

        if (part[i].p_type == PT_NOTE &&
            read_at(pid, from + part[i].p_offset, notes, n))
            bytes = id_in_notes(notes, n, id);
    }
    return bytes;
}

void loaded_hex(const uint8_t *id, uint32_t bytes, char out[LOADED_HEX])
{
    out[0] = '\0';
    for (uint32_t i = 0; i < bytes && i < LOADED_ID; i++)
        snprintf(out + 2 * i, 3, "%02x", id[i]);
}

/* -------------------------------------------------------------------- times */

/* Since the machine was started; 0: not known. The name of the program, in
 * brackets, may have anything in it. */
static uint64_t started_ns(pid_t pid)
{
    unsigned long long ticks;
    char path[40], text[1024], *at;
    int field = 2;

    snprintf(path, sizeof(path), "/proc/%d/stat", (int)pid);
    if (!smallfile_read(path, text, sizeof(text)) || !(at = strrchr(text, ')')))
        return 0;
    for (at++; *at && field < STAT_STARTED; at++)
        field += *at == ' ';
    if (sscanf(at, "%llu", &ticks) != 1)
        return 0;
    return ticks * (CLOCK_NS_PER_S / (uint64_t)sysconf(_SC_CLK_TCK));
}

static uint64_t ns_of(const struct timespec *t)
{
    return (uint64_t)t->tv_sec * CLOCK_NS_PER_S + (uint64_t)t->tv_nsec;
}

bool loaded_before(pid_t pid, const char *path)
{
    uint64_t began_ns = started_ns(pid), up_ns;
    struct timespec up;
    struct stat st;

    if (!began_ns || stat(path, &st) || clock_gettime(CLOCK_BOOTTIME, &up))
        return false;
    up_ns = ns_of(&up);
    if (up_ns < began_ns)
        return false;
    return ns_of(&st.st_mtim) >
           clock_wall_ns() - (up_ns - began_ns) + loaded_slack_ns;
}
