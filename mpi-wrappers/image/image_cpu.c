/* image_cpu.c - features of processors: see image_cpu.h.
 *
 * Libraries choose their functions by cpuid when a program starts, so all that
 * was there has to be there again; but for what is only the kernel's. */
#include "mpi-wrappers/image/image_cpu.h"

#include <string.h>

#include "mpi-wrappers/image/image_text.h"

#if defined(__x86_64__)
#include <cpuid.h>

/* Of each word the bits that programs can make use of. */
static const uint32_t used[IMAGE_CPU_WORDS] = {
    0x7ed83203,                 /* leaf 1, ecx, */
    0x07888111,                 /* and edx */
    0xfdaf0b39,                 /* leaf 7, ebx, */
    0x1a405f72,                 /* ecx, */
    0x03c1413c,                 /* and edx */
    0x00210961,                 /* leaf 0x80000001, ecx, */
    0x08000000                  /* and edx */
};

static uint64_t enabled(void)
{
    uint32_t low, high;

    __asm__ volatile("xgetbv" : "=a"(low), "=d"(high) : "c"(0));
    return (uint64_t)high << 32 | low;
}

bool image_cpu_read(struct image_cpu *cpu)
{
    uint32_t a, b, c, d;

    memset(cpu, 0, sizeof(*cpu));
    if (!__get_cpuid(1, &a, &b, &c, &d) || !(c & bit_OSXSAVE))
        return false;
    cpu->has[0] = c;
    cpu->has[1] = d;
    if (__get_cpuid_count(7, 0, &a, &b, &c, &d)) {
        cpu->has[2] = b;
        cpu->has[3] = c;
        cpu->has[4] = d;
    }
    if (__get_cpuid(0x80000001, &a, &b, &c, &d)) {
        cpu->has[5] = c;
        cpu->has[6] = d;
    }
    if (!__get_cpuid_count(0xd, 0, &a, &b, &c, &d))
        return false;
    cpu->state_bytes = b;
    cpu->states = enabled();
    for (int i = 0; i < IMAGE_CPU_WORDS; i++)
        cpu->has[i] &= used[i];
    return true;
}
#else
bool image_cpu_read(struct image_cpu *cpu)
{
    memset(cpu, 0, sizeof(*cpu));
    return false;
}
#endif

static const struct { uint8_t word, bit; char name[14]; } names[] = {
    { 0, 0, "sse3" }, { 0, 9, "ssse3" }, { 0, 12, "fma" },
    { 0, 19, "sse4_1" }, { 0, 20, "sse4_2" }, { 0, 22, "movbe" },
    { 0, 23, "popcnt" }, { 0, 25, "aes" }, { 0, 28, "avx" },
    { 0, 29, "f16c" }, { 0, 30, "rdrand" }, { 2, 3, "bmi1" },
    { 2, 5, "avx2" }, { 2, 8, "bmi2" }, { 2, 9, "erms" }, { 2, 11, "rtm" },
    { 2, 16, "avx512f" }, { 2, 17, "avx512dq" }, { 2, 18, "rdseed" },
    { 2, 19, "adx" }, { 2, 21, "avx512ifma" }, { 2, 24, "clwb" },
    { 2, 28, "avx512cd" }, { 2, 29, "sha_ni" }, { 2, 30, "avx512bw" },
    { 2, 31, "avx512vl" }, { 3, 1, "avx512vbmi" }, { 3, 9, "vaes" },
    { 3, 11, "avx512_vnni" }, { 4, 4, "fsrm" }, { 4, 22, "amx_bf16" },
    { 4, 23, "avx512_fp16" }, { 4, 24, "amx_tile" }
};

static void name_feature(char *what, size_t size, int word, int bit)
{
    struct image_text t;

    for (size_t i = 0; i < sizeof(names) / sizeof(names[0]); i++)
        if (names[i].word == word && names[i].bit == bit) {
            image_text_all(what, size, names[i].name, NULL);
            return;
        }
    image_text_begin(&t, what, size);
    image_text_add(&t, "bit ");
    image_text_number(&t, (uint64_t)bit);
    image_text_add(&t, " of word ");
    image_text_number(&t, (uint64_t)word);
}

bool image_cpu_serves(const struct image_cpu *here,
                      const struct image_cpu *there, char *what, size_t size)
{
    for (int i = 0; i < IMAGE_CPU_WORDS; i++) {
        uint32_t misses = there->has[i] & ~here->has[i];

        if (misses) {
            name_feature(what, size, i, __builtin_ctz(misses));
            return false;
        }
    }
    if (here->states != there->states ||
        here->state_bytes != there->state_bytes) {
        image_text_all(what, size, "the same registers to save", NULL);
        return false;
    }
    return true;
}
