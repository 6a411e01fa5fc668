/* image_born.c - what a process may use of processors: see image_born.h.
 *
 * It is what the one has on which it began, without that which its C library was
 * told to do without. What the library uses all the same it may use. The rest is
 * believed: a library that asks the processor itself hears of everything. */
#include "mpi-wrappers/image/image_born.h"

#include <stdlib.h>

#include "mpi-wrappers/image/image_cpu.h"
#include "mpi-wrappers/image/sys.h"
#include "mpi-wrappers/tunable.h"

enum { GET_PERMITTED = 0x1022 };        /* of arch_prctl(2) */
#ifndef SYS_arch_prctl
#define SYS_arch_prctl -1
#endif

static struct image_cpu born;

#if defined(__x86_64__) && __GLIBC_PREREQ(2, 33)
#include <sys/platform/x86.h>

/* Of a C library before 2.33 nothing can be asked. */
#pragma weak __x86_get_cpuid_feature_leaf

/* Whether the C library uses it: the words of cpu.c, in its own terms. */
static bool is_active(const struct cpu_feature *f)
{
    static const struct { uint8_t leaf, reg; } words[CPU_WORDS] = {
        { CPUID_INDEX_1, 2 }, { CPUID_INDEX_7, 1 }, { CPUID_INDEX_7, 2 },
        { CPUID_INDEX_7, 3 }, { CPUID_INDEX_7_ECX_1, 0 },
        { CPUID_INDEX_7_ECX_1, 3 }, { CPUID_INDEX_D_ECX_1, 0 },
        { CPUID_INDEX_80000001, 2 }, { CPUID_INDEX_80000001, 3 },
    };
    const struct cpuid_feature *leaf;

    if (!&__x86_get_cpuid_feature_leaf || f->libc == CPU_LIBC_NEVER)
        return false;
    leaf = __x86_get_cpuid_feature_leaf(words[f->word].leaf);
    return leaf->active_array[words[f->word].reg] >> f->bit & 1;
}
#else
static bool is_active(const struct cpu_feature *f)
{
    return (void)f, false;
}
#endif

__attribute__((constructor)) static void be_born(void)
{
    const char *now = getenv("LD_BIND_NOW");
    struct cpu_set off = tunable_off(getenv(TUNABLES));

    cpu_read(&born.may);
    born.saved = cpu_saved_states();
    born.bound = now && *now;
    for (size_t i = 0; i < cpu_nfeatures; i++)
        if (is_active(&cpu_features[i]))
            off.has[cpu_features[i].word] &= ~(1u << cpu_features[i].bit);
    cpu_without(&born.may, &off);
}

bool image_born_read(struct image_cpu *cpu)
{
    *cpu = born;
    sys(SYS_arch_prctl, GET_PERMITTED, &cpu->permitted);
    return image_cpu_layout(&cpu->layout);
}
