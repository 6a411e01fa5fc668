/* unwritten.c - what a process has printed and not written yet. */
#include "slave/stacks/unwritten.h"

#include <limits.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>
#include <sys/uio.h>
#include <unistd.h>

#include "proto/base/str.h"
#include "slave/symbols/variable.h"

/* glibc's marks in _flags: that this is a FILE, and that it is being written. */
#define FILE_MAGIC 0xfbad0000u
#define FILE_MAGIC_MASK 0xffff0000u
#define FILE_PUTTING 0x0800u
enum { BUFFER_MAX = 1 << 20 };  /* nobody has a larger one */

static bool read_at(pid_t pid, uint64_t address, void *to, size_t n)
{
    const struct iovec own = { to, n };
    const struct iovec its = { (void *)(uintptr_t)address, n };

    return process_vm_readv(pid, &own, 1, &its, 1, 0) == (ssize_t)n;
}

/* ------------------------------------------------------------------- stdout */

/* A line of maps that is about the first byte of a file: where that is. */
static bool first_of_file(const char *line, const char *end,
                          uint64_t *from, char path[PATH_MAX])
{
    unsigned long long start, to, offset;
    int at = 0;

    if (sscanf(line, "%llx-%llx %*s %llx %*s %*s %n", &start, &to, &offset,
               &at) != 3 || offset || !at || line + at >= end ||
        end - line - at >= PATH_MAX)
        return false;
    memcpy(path, line + at, (size_t)(end - line - at));
    path[end - line - at] = '\0';
    *from = start;
    return true;
}

/* The address of the variable stdout, if this file has it. */
static uint64_t variable_in(const char *path, uint64_t from)
{
    struct variable v;

    if (!variable_find(&v, path, "stdout") || v.bytes != sizeof(void *))
        return 0;
    return v.moves ? from + v.address - v.begin : v.address;
}

static bool is_libc(const char *path)
{
    const char *name = strrchr(path, '/');

    return name && (strncmp(name, "/libc.so.", 9) == 0 ||
                    strncmp(name, "/libc-2.", 8) == 0);
}

/* The program's own comes before the library's: it is the one that is used. */
static uint64_t find_stdout(pid_t pid, const char *maps)
{
    char link[40], exe[PATH_MAX], path[PATH_MAX];
    uint64_t from, libc = 0, program = 0;
    ssize_t n;

    snprintf(link, sizeof(link), "/proc/%d/exe", (int)pid);
    n = readlink(link, exe, sizeof(exe) - 1);
    exe[n < 0 ? 0 : n] = '\0';
    for (const char *end; (end = strchr(maps, '\n')); maps = end + 1) {
        if (!first_of_file(maps, end, &from, path))
            continue;
        if (!program && strcmp(path, exe) == 0)
            program = variable_in(link, from);
        else if (!libc && is_libc(path))
            libc = variable_in(path, from);
    }
    return program ? program : libc;
}

/* ------------------------------------------------------------------- buffer */

/* Where what is not written is: so many bytes; 0: none. */
static size_t find_text(const FILE *f, uint64_t *at)
{
    uintptr_t base = (uintptr_t)f->_IO_write_base;
    uintptr_t end = (uintptr_t)f->_IO_write_ptr;

    if (((unsigned)f->_flags & FILE_MAGIC_MASK) != FILE_MAGIC ||
        !((unsigned)f->_flags & FILE_PUTTING) ||
        (uintptr_t)f->_IO_buf_base > base || base >= end ||
        end > (uintptr_t)f->_IO_buf_end || end - base > BUFFER_MAX)
        return 0;
    *at = base;
    return end - base;
}

/* The last lines of text, as a list of quoted ones. */
static void quote(const char *text, size_t n, bool cut, char *out, size_t size)
{
    size_t first = n, lines = 0, at = 0;

    while (first > 0 && (text[first - 1] != '\n' || first == n ||
                         ++lines < UNWRITTEN_LINES))
        first--;
    for (const char *p = text + first, *end = text + n; p < end; ) {
        const char *newline = memchr(p, '\n', (size_t)(end - p));
        const char *stop = newline ? newline : end;

        at += (size_t)snprintf(out + at, size - at, "%s\"%s", at ? ", " : "",
                               cut && p == text ? "..." : "");
        at += str_visible(out + at, size - at, p, (size_t)(stop - p));
        at += (size_t)snprintf(out + at, size - at, "\"");
        p = stop + 1;
    }
}

void unwritten_read(pid_t pid, const char *maps, char out[UNWRITTEN_ROOM])
{
    uint64_t at, variable = find_stdout(pid, maps);
    char text[UNWRITTEN_BYTES];
    uintptr_t file;
    size_t n, shown;
    FILE f;

    out[0] = '\0';
    if (!variable || !read_at(pid, variable, &file, sizeof(file)) ||
        !read_at(pid, file, &f, sizeof(f)))
        return;
    n = find_text(&f, &at);
    shown = n < sizeof(text) ? n : sizeof(text);
    if (shown && read_at(pid, at + n - shown, text, shown))
        quote(text, shown, n > shown, out, UNWRITTEN_ROOM);
}
