/* keys.c - values of threads, for all that lives in the namespace of Open MPI.
 *
 * The C library there numbers its keys from 0, as the program's does, but a
 * thread has one place for each number, which both would use. So keys are made
 * here, and values are in the thread's memory of this library. No destructor is
 * called: what a thread leaves behind is in the heap of the namespace, and goes
 * with that. */
#include <errno.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stddef.h>
#include <stdint.h>
#include <threads.h>

#define KEYS_EXPORT __attribute__((visibility("default")))
enum { KEYS = 256 };

/* Odd: the key exists; each one that is made or deleted counts it up. */
static _Atomic uint32_t keys_age[KEYS];
static __thread struct {
    uint32_t age;
    const void *value;
} keys_value[KEYS];

KEYS_EXPORT int pthread_key_create(pthread_key_t *key, void (*destroy)(void *))
{
    (void)destroy;
    for (unsigned i = 0; i < KEYS; i++) {
        uint32_t age = atomic_load(&keys_age[i]);

        if (!(age & 1) &&
            atomic_compare_exchange_strong(&keys_age[i], &age, age + 1)) {
            *key = i;
            return 0;
        }
    }
    return EAGAIN;
}

KEYS_EXPORT int pthread_key_delete(pthread_key_t key)
{
    uint32_t age = key < KEYS ? atomic_load(&keys_age[key]) : 0;

    return (age & 1) &&
           atomic_compare_exchange_strong(&keys_age[key], &age, age + 1)
           ? 0 : EINVAL;
}

KEYS_EXPORT void *pthread_getspecific(pthread_key_t key)
{
    return key < KEYS && keys_value[key].age == atomic_load(&keys_age[key])
           ? (void *)(uintptr_t)keys_value[key].value : NULL;
}

KEYS_EXPORT int pthread_setspecific(pthread_key_t key, const void *value)
{
    uint32_t age = key < KEYS ? atomic_load(&keys_age[key]) : 0;

    if (!(age & 1))
        return EINVAL;
    keys_value[key].age = age;
    keys_value[key].value = value;
    return 0;
}

KEYS_EXPORT int tss_create(tss_t *key, tss_dtor_t destroy)
{
    return pthread_key_create(key, destroy) ? thrd_error : thrd_success;
}

KEYS_EXPORT void tss_delete(tss_t key)
{
    pthread_key_delete(key);
}

KEYS_EXPORT void *tss_get(tss_t key)
{
    return pthread_getspecific(key);
}

KEYS_EXPORT int tss_set(tss_t key, void *value)
{
    return pthread_setspecific(key, value) ? thrd_error : thrd_success;
}
