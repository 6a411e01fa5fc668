/* threads.c - threads of all that lives in the namespace of Open MPI.
 *
 * The program's C library makes them, and cleans up after them: the loader gets
 * memory for them from that one, which would keep what it has set apart for a
 * thread that it does not see end. What the C library of the namespace wants to
 * know of a thread is told when it begins. */
#include <dlfcn.h>
#include <errno.h>
#include <locale.h>
#include <pthread.h>
#include <stdlib.h>

#define THREADS_EXPORT __attribute__((visibility("default")))

typedef int threads_create_f(pthread_t *, const pthread_attr_t *,
                             void *(*)(void *), void *);

struct threads_start {
    void *(*run)(void *);
    void *arg;
};

static threads_create_f *threads_create;

void inside_threads(threads_create_f *create);
THREADS_EXPORT void inside_threads(threads_create_f *create)
{
    threads_create = create;
}

static void *threads_run(void *arg)
{
    struct threads_start start = *(struct threads_start *)arg;

    free(arg);
    uselocale(LC_GLOBAL_LOCALE);
    return start.run(start.arg);
}

THREADS_EXPORT int pthread_create(pthread_t *to, const pthread_attr_t *attributes,
                                  void *(*run)(void *), void *arg)
{
    struct threads_start *start = malloc(sizeof(*start));
    int rc;

    if (!start)
        return EAGAIN;
    if (!threads_create)
        *(void **)&threads_create = dlsym(RTLD_NEXT, "pthread_create");
    *start = (struct threads_start){ run, arg };
    rc = threads_create(to, attributes, threads_run, start);
    if (rc)
        free(start);
    return rc;
}
