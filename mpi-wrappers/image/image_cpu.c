/* image_cpu.c - whether processors are enough alike: see image_cpu.h.
 *
 * Libraries choose their functions when a program starts, so all that it may use
 * has to be there. More may be there, but for registers of vectors: where functions
 * are bound at their first call, the C library saves all registers that arguments
 * may be in, into room that it has measured where the program began. */
#include "mpi-wrappers/image/image_cpu.h"

#include <string.h>

#include "mpi-wrappers/image/image_text.h"

enum { LEAST_STATES = 3, SAYS = 3 };

#if defined(__x86_64__)
#include <cpuid.h>

bool image_cpu_layout(struct image_layout *l)
{
    uint32_t a, b, c, d;

    memset(l, 0, sizeof(*l));
    l->states = cpu_saved_states();
    for (uint32_t i = 2; i < IMAGE_STATES; i++)
        if (l->states & 1ull << i &&
            __get_cpuid_count(13, i, &a, &b, &c, &d)) {
            l->bytes[i] = a;
            l->at[i] = b;
        }
    return (l->states & LEAST_STATES) == LEAST_STATES;
}
#else
bool image_cpu_layout(struct image_layout *l)
{
    memset(l, 0, sizeof(*l));
    return false;
}
#endif

bool image_cpu_serves(const struct cpu_set *here, const struct image_layout *l,
                      const struct image_cpu *image, char *why, size_t size)
{
    struct cpu_set lacks = cpu_missing(here, &image->may);
    uint64_t more = l->states & ~image->saved & cpu_states(CPU_AVX512);
    char names[128];

    if (!cpu_none(&lacks)) {
        cpu_say(&lacks, SAYS, names, sizeof(names));
        image_text_all(why, size, "with ", names, ", which this one has not",
                       NULL);
        return false;
    }
    if (more && !image->bound) {
        image_text_all(why, size, "without registers for ",
                       more & ~cpu_states(CPU_AVX) ? "AVX512" : "AVX",
                       ", which it was not started for (LD_BIND_NOW)", NULL);
        return false;
    }
    return true;
}
