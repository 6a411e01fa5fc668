/* shell.c - libhector-inside.so, the first library of the namespace that Open MPI
 * is in. What is defined here stands before the C library's for all that lives
 * there: libraries are loaded for those only that ask for them, since the loader
 * knows nothing global in a namespace; all memory that is allocated comes from one
 * region (heap.c), which goes when the namespace goes; and values of threads are
 * apart from the program's (keys.c). */
#include <dlfcn.h>
#include <locale.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "mpi-wrappers/shell/heap.h"

#define SHELL_EXPORT __attribute__((visibility("default")))

/* Makes libmpi.so.40 needed here. */
extern int MPI_Init(int *argc, char ***argv);
SHELL_EXPORT int (*const inside_needs)(int *argc, char ***argv) = MPI_Init;

SHELL_EXPORT void *dlopen(const char *name, int flags)
{
    static void *(*next)(const char *, int);

    if (!next)
        *(void **)&next = dlsym(RTLD_NEXT, "dlopen");
    return next(name, flags & ~RTLD_GLOBAL);
}

/* Libraries that hwloc looks for could never be unloaded again. */
static const char shell_plugins[] = "HWLOC_PLUGINS_PATH=/none";

void inside_set_environ(char **from);
SHELL_EXPORT void inside_set_environ(char **from)
{
    size_t n = 0;
    char **copy;

    while (from && from[n])
        n++;
    copy = calloc(n + 2, sizeof(*copy));
    if (!copy)
        return;
    n = 0;
    for (; from && *from; from++)
        if (strncmp(*from, shell_plugins, sizeof("HWLOC_PLUGINS_PATH")) != 0)
            copy[n++] = strdup(*from);
    copy[n] = strdup(shell_plugins);
    environ = copy;
}

/* A thread that the program has made comes here for the first time: the C library
 * of the namespace has not prepared its tables of characters for it. */
void inside_thread_begin(void);
SHELL_EXPORT void inside_thread_begin(void)
{
    uselocale(LC_GLOBAL_LOCALE);
}

/* The last call of the namespace: nothing that is written stays unwritten, and
 * the C library's own reference to what unwinds stacks, which would keep the
 * namespace for ever, goes; the second dlclose() is for that one. */
void inside_release(void **heap, void **end);
SHELL_EXPORT void inside_release(void **heap, void **end)
{
    void *unwinder = dlopen("libgcc_s.so.1", RTLD_LAZY | RTLD_NOLOAD);

    fflush(NULL);
    if (unwinder) {
        dlclose(unwinder);
        dlclose(unwinder);
    }
    heap_region(heap, end);
}
