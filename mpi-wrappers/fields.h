/* fields.h - how what is in the program writes the page: relaxed, and with the
 * rare case out of the way. */
#ifndef HECTOR_FIELDS_H
#define HECTOR_FIELDS_H

#include <stdatomic.h>

#define LIKELY(x)   __builtin_expect(!!(x), 1)
#define UNLIKELY(x) __builtin_expect(!!(x), 0)
#define COLD        __attribute__((noinline, cold))
#define GET(field)  atomic_load_explicit(&(field), memory_order_relaxed)
#define SET(field, value) \
    atomic_store_explicit(&(field), (value), memory_order_relaxed)

#endif
