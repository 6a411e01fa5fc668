/* inside.c - see inside.h. The first library of the namespace is ours
 * (libhector-inside.so, ../shell/): it needs libmpi.so.40, which the loader looks
 * for as it does for any program, since nothing of the namespace has that name;
 * and it stands before what Open MPI would call in it. */
#include "mpi-wrappers/inside/inside.h"

#include <dlfcn.h>
#include <limits.h>
#include <mpi.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "mpi-wrappers/inside/internals.h"
#include "mpi-wrappers/inside/object.h"
#include "mpi-wrappers/inside/reserve.h"

enum { INSIDE_FAILED = 125, INSIDE_NAME = 64 };
static const char inside_shell[] = "libhector-inside.so";

inside_f *_Atomic inside_table[CALL_END];
_Atomic uint32_t inside_age = 1;
_Thread_local uint32_t inside_thread;

static struct {
    pthread_mutex_t lock;
    void *_Atomic library;
} inside = { .lock = PTHREAD_MUTEX_INITIALIZER };

static void inside_fail(const char *why)
{
    char line[1024];
    int n = snprintf(line, sizeof(line), "hector: MPI cannot be loaded for a task "
                     "that can be moved: %s\n", why);

    if (n > 0 && write(STDERR_FILENO, line, (size_t)n) < 0)
        _exit(INSIDE_FAILED);
    _exit(INSIDE_FAILED);
}

/* It lies beside this library: beside the file itself, since a slave may have one that
 * is called otherwise, which other hosts do not have. So it is found out once. */
static const char *inside_path(void)
{
    static char path[PATH_MAX];
    Dl_info info;
    char *end = NULL;

    if (*path)
        return path;
    if (dladdr((void *)inside_path, &info) && info.dli_fname &&
        realpath(info.dli_fname, path))
        end = strrchr(path, '/');
    if (!end || (size_t)(end + 1 - path) + sizeof(inside_shell) > sizeof(path))
        inside_fail("it is not known where this library lies");
    memcpy(end + 1, inside_shell, sizeof(inside_shell));
    return path;
}

static void *inside_nothing(void *arg)
{
    return arg;
}

/* Threads of the namespace get memory from the program's C library by way of the
 * loader, and that takes no lock until it has made a thread itself. */
static void inside_expect_threads(void)
{
    pthread_t thread;

    if (pthread_create(&thread, NULL, inside_nothing, NULL))
        inside_fail("no thread can be made");
    pthread_join(thread, NULL);
}

/* What this library takes for the inside of Open MPI is that of one version. */
static void inside_check(void *library)
{
    char version[MPI_MAX_LIBRARY_VERSION_STRING] = "", why[256];
    int (*get)(char *, int *), bytes = 0;
    unsigned major;

    *(void **)&get = dlsym(library, "PMPI_Get_library_version");
    if (!get || get(version, &bytes) != 0 ||
        sscanf(version, "Open MPI v%u", &major) != 1 ||
        major == OMPI_MAJOR_VERSION)
        return;
    snprintf(why, sizeof(why), "the program has %.100s, and this can be done "
             "with version %d only", strtok(version, ","), OMPI_MAJOR_VERSION);
    inside_fail(why);
}

static void *inside_library(void)
{
    void *library = atomic_load_explicit(&inside.library,
                                         memory_order_acquire);
    const char *path;

    if (library)
        return library;
    pthread_mutex_lock(&inside.lock);
    library = atomic_load(&inside.library);
    if (!library) {
        path = inside_path();
        inside_expect_threads();
        reserve_yield();
        library = dlmopen(LM_ID_NEWLM, path, RTLD_NOW | RTLD_LOCAL);
        if (!library)
            inside_fail(dlerror());
        inside_check(library);
        ((void (*)(__typeof__(&pthread_create)))
         dlsym(library, "inside_threads"))(pthread_create);
        atomic_store_explicit(&inside.library, library, memory_order_release);
        object_bind(inside_symbol);
        internals_bind(inside_symbol);
    }
    pthread_mutex_unlock(&inside.lock);
    return library;
}

void *inside_symbol(const char *name)
{
    return dlsym(inside_library(), name);
}

static inside_f *inside_function(const char *name)
{
    void *symbol = inside_symbol(name);
    inside_f *f;

    memcpy(&f, &symbol, sizeof(f));     /* ISO C has no such cast */
    return f;
}

inside_f *inside_find(unsigned call)
{
    char name[INSIDE_NAME];
    inside_f *f;
    uint32_t age = atomic_load_explicit(&inside_age, memory_order_relaxed);

    if (inside_thread != age) {
        inside_function("inside_thread_begin")();
        inside_thread = age;
    }
    snprintf(name, sizeof(name), "P%s", call_name(call));
    f = inside_function(name);
    if (f)
        atomic_store_explicit(&inside_table[call], f, memory_order_relaxed);
    return f;
}

void inside_environ(char **variables)
{
    ((void (*)(char **))inside_function("inside_set_environ"))(variables);
}

/* With the loader's own handle, which is the address of what it knows of it. */
static bool inside_namespace(void *library, Lmid_t *is)
{
    return library && dlinfo(library, RTLD_DI_LMID, is) == 0;
}

bool inside_owns(const void *address)
{
    Lmid_t ours, its;
    void *map = NULL;
    Dl_info info;

    return inside_namespace(atomic_load(&inside.library), &ours) &&
           dladdr1(address, &info, &map, RTLD_DL_LINKMAP) &&
           inside_namespace(map, &its) && its == ours;
}

size_t inside_bytes(void *block)
{
    return ((size_t (*)(void *))inside_function("malloc_usable_size"))(block);
}

int inside_drop(void)
{
    void *library = atomic_load(&inside.library), *heap = NULL, *end = NULL;
    inside_f *release;
    Dl_info info;

    if (!library)
        return 0;
    release = inside_function("inside_release");
    ((void (*)(void **, void **))release)(&heap, &end);
    for (unsigned i = 0; i < CALL_END; i++)
        atomic_store_explicit(&inside_table[i], NULL, memory_order_relaxed);
    atomic_fetch_add(&inside_age, 1);
    atomic_store(&inside.library, NULL);
    internals_unbind();
    object_unbind();
    if (dlclose(library) != 0 || dladdr(*(void **)&release, &info))
        return -1;
    if (heap)
        munmap(heap, (size_t)((char *)end - (char *)heap));
    return 0;
}
