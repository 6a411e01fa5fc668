/* debugfile.c - where the debug information of a stripped binary is.
 *
 * By its build id; else by a name, in the directory of the binary, in .debug
 * there, and in the same directory below DEBUG_ROOT, or in one that lacks its
 * first parts. If there is a file of that name, libdwfl looks whether it is
 * the right one. */
#include "slave/symbols/debugfile.h"

#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#define DEBUG_ROOT "/usr/lib/debug"

enum { PATH_BYTES = 8192 };

static bool is_there(const char *root, const char *dir, int dir_bytes,
                     const char *below, const char *name)
{
    char path[PATH_BYTES];
    int n = snprintf(path, sizeof(path), "%s%.*s%s%s", root, dir_bytes, dir,
                     below, name);

    return n > 0 && n < (int)sizeof(path) && access(path, F_OK) == 0;
}

static bool is_anywhere(const char *file, const char *name)
{
    const char *slash = strrchr(file, '/');
    int n = slash ? (int)(slash - file) + 1 : 0;

    if (is_there("", file, n, "", name) || is_there("", file, n, ".debug/", name))
        return true;
    for (const char *p = slash ? file : NULL; p;
         p = p < slash ? strchr(p + 1, '/') : NULL)
        if (is_there(DEBUG_ROOT, p, (int)(slash - p) + 1, "", name))
            return true;
    return false;
}

static bool is_near(const char *file, const char *link)
{
    const char *slash = strrchr(file, '/');
    char own[PATH_BYTES];
    int n = snprintf(own, sizeof(own), "%s.debug", slash ? slash + 1 : file);

    return n >= (int)sizeof(own) || is_anywhere(file, link ? link : own);
}

int debugfile_find(Dwfl_Module *mod, void **data, const char *name,
                   Dwarf_Addr base, const char *file, const char *link,
                   GElf_Word crc, char **found)
{
    int fd = dwfl_build_id_find_debuginfo(mod, data, name, base, file, link,
                                          crc, found);
    char *real;
    bool near;

    if (fd >= 0 || !file)
        return fd;
    real = realpath(file, NULL);
    near = is_near(file, link) || (real && is_near(real, link));
    free(real);
    return near ? dwfl_standard_find_debuginfo(mod, data, name, base, file,
                                               link, crc, found) : -1;
}
