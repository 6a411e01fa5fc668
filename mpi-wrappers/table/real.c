/* real.c - finding the functions that are wrapped.
 *
 * Once found, an entry of the table stays: the library it is from is kept
 * from being unloaded where it was not part of the program from the start. */
#include "mpi-wrappers/table/real.h"

#include <ctype.h>
#include <dlfcn.h>
#include <errno.h>
#include <link.h>
#include <limits.h>
#include <stdio.h>
#include <string.h>

enum { NAME_BYTES = 64, LIBS_MAX = 8 };

real_f *_Atomic real_table[REAL_KINDS][CALL_END];

struct libs { unsigned n; char path[LIBS_MAX][PATH_MAX]; };

static void build_name(char *to, enum real_kind kind, unsigned call)
{
    static const char *const ends[REAL_KINDS] = { "", "_c", "_", "_cptr_",
                                                  "_f08_", "" };
    const char *name = call_name(call);

    snprintf(to, NAME_BYTES, "%s%s%s", kind == REAL_P ? "P" : "", name,
             ends[kind]);
    if (kind != REAL_C && kind != REAL_LARGE && kind != REAL_P)
        for (char *p = to; *p; p++)
            *p = (char)tolower((unsigned char)*p);
}

static int note_mpi(struct dl_phdr_info *info, size_t size, void *arg)
{
    struct libs *libs = arg;
    const char *base = strrchr(info->dlpi_name, '/');

    (void)size;
    base = base ? base + 1 : info->dlpi_name;
    if (strncmp(base, "libmpi", 6) == 0 && libs->n < LIBS_MAX &&
        strlen(info->dlpi_name) < PATH_MAX)
        strcpy(libs->path[libs->n++], info->dlpi_name);
    return 0;
}

/* In a library that is loaded, but not for everyone. */
static void *find_private(const char *name)
{
    static struct libs libs;    /* too large for a small thread's stack */
    static atomic_flag busy = ATOMIC_FLAG_INIT;
    void *f = NULL;

    while (atomic_flag_test_and_set(&busy))
        ;
    libs.n = 0;
    dl_iterate_phdr(note_mpi, &libs);
    for (unsigned i = 0; i < libs.n && !f; i++) {
        void *lib = dlopen(libs.path[i], RTLD_LAZY | RTLD_NOLOAD);

        if (!lib)
            continue;
        f = dlsym(lib, name);
        if (!f)
            dlclose(lib);
    }
    atomic_flag_clear(&busy);
    return f;
}

real_f *real_symbol(const char *name)
{
    int saved = errno;
    real_f *f;
    void *p = dlsym(RTLD_NEXT, name);

    if (!p)
        p = find_private(name);
    dlerror();                  /* the program is not to see our failures */
    errno = saved;
    memcpy(&f, &p, sizeof(f));  /* ISO C has no such cast */
    return f;
}

real_f *real_find(enum real_kind kind, unsigned call)
{
    char name[NAME_BYTES];
    real_f *f;

    build_name(name, kind, call);
    f = real_symbol(name);
    if (f)
        atomic_store_explicit(&real_table[kind][call], f, memory_order_relaxed);
    return f;
}
