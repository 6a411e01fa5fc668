/* cpu.c - features of processors: see cpu.h. */
#include "mpi-wrappers/cpu.h"

#include <string.h>

/* Words: leaf 1 ecx; leaf 7 ebx, ecx, edx; leaf 7.1 eax, edx; leaf 13.1 eax; leaf
 * 0x80000001 ecx, edx. */
const struct cpu_feature cpu_features[] = {
    { 0, 0, CPU_LIBC_NEVER, CPU_PLAIN, "SSE3" },
    { 0, 1, CPU_LIBC_NEVER, CPU_PLAIN, "PCLMULQDQ" },
    { 0, 9, CPU_LIBC_NAME, CPU_PLAIN, "SSSE3" },
    { 0, 12, CPU_LIBC_USABLE, CPU_AVX, "FMA" },
    { 0, 13, CPU_LIBC_NEVER, CPU_PLAIN, "CMPXCHG16B" },
    { 0, 19, CPU_LIBC_NAME, CPU_PLAIN, "SSE4_1" },
    { 0, 20, CPU_LIBC_NAME, CPU_PLAIN, "SSE4_2" },
    { 0, 22, CPU_LIBC_NAME, CPU_PLAIN, "MOVBE" },
    { 0, 23, CPU_LIBC_NAME, CPU_PLAIN, "POPCNT" },
    { 0, 25, CPU_LIBC_NEVER, CPU_PLAIN, "AES" },
    { 0, 28, CPU_LIBC_USABLE, CPU_AVX, "AVX" },
    { 0, 29, CPU_LIBC_NEVER, CPU_AVX, "F16C" },
    { 0, 30, CPU_LIBC_NEVER, CPU_PLAIN, "RDRAND" },
    { 1, 0, CPU_LIBC_NEVER, CPU_PLAIN, "FSGSBASE" },
    { 1, 3, CPU_LIBC_NAME, CPU_PLAIN, "BMI1" },
    { 1, 5, CPU_LIBC_USABLE, CPU_AVX, "AVX2" },
    { 1, 8, CPU_LIBC_NAME, CPU_PLAIN, "BMI2" },
    { 1, 11, CPU_LIBC_NAME, CPU_PLAIN, "RTM" },
    { 1, 16, CPU_LIBC_USABLE, CPU_AVX512, "AVX512F" },
    { 1, 17, CPU_LIBC_USABLE, CPU_AVX512, "AVX512DQ" },
    { 1, 18, CPU_LIBC_NEVER, CPU_PLAIN, "RDSEED" },
    { 1, 19, CPU_LIBC_NEVER, CPU_PLAIN, "ADX" },
    { 1, 21, CPU_LIBC_NEVER, CPU_AVX512, "AVX512_IFMA" },
    { 1, 23, CPU_LIBC_NEVER, CPU_PLAIN, "CLFLUSHOPT" },
    { 1, 24, CPU_LIBC_NEVER, CPU_PLAIN, "CLWB" },
    { 1, 26, CPU_LIBC_NAME, CPU_AVX512, "AVX512PF" },
    { 1, 27, CPU_LIBC_NAME, CPU_AVX512, "AVX512ER" },
    { 1, 28, CPU_LIBC_NAME, CPU_AVX512, "AVX512CD" },
    { 1, 29, CPU_LIBC_NEVER, CPU_PLAIN, "SHA" },
    { 1, 30, CPU_LIBC_NAME, CPU_AVX512, "AVX512BW" },
    { 1, 31, CPU_LIBC_NAME, CPU_AVX512, "AVX512VL" },
    { 2, 1, CPU_LIBC_NEVER, CPU_AVX512, "AVX512_VBMI" },
    { 2, 4, CPU_LIBC_NEVER, CPU_KEYS, "OSPKE" },
    { 2, 5, CPU_LIBC_NEVER, CPU_PLAIN, "WAITPKG" },
    { 2, 6, CPU_LIBC_NEVER, CPU_AVX512, "AVX512_VBMI2" },
    { 2, 8, CPU_LIBC_NEVER, CPU_PLAIN, "GFNI" },
    { 2, 9, CPU_LIBC_NEVER, CPU_AVX, "VAES" },
    { 2, 10, CPU_LIBC_NEVER, CPU_AVX, "VPCLMULQDQ" },
    { 2, 11, CPU_LIBC_NEVER, CPU_AVX512, "AVX512_VNNI" },
    { 2, 12, CPU_LIBC_NEVER, CPU_AVX512, "AVX512_BITALG" },
    { 2, 14, CPU_LIBC_NEVER, CPU_AVX512, "AVX512_VPOPCNTDQ" },
    { 2, 22, CPU_LIBC_NEVER, CPU_PLAIN, "RDPID" },
    { 2, 27, CPU_LIBC_NEVER, CPU_PLAIN, "MOVDIRI" },
    { 2, 28, CPU_LIBC_NEVER, CPU_PLAIN, "MOVDIR64B" },
    { 3, 2, CPU_LIBC_NEVER, CPU_AVX512, "AVX512_4VNNIW" },
    { 3, 3, CPU_LIBC_NEVER, CPU_AVX512, "AVX512_4FMAPS" },
    { 3, 5, CPU_LIBC_NEVER, CPU_PLAIN, "UINTR" },
    { 3, 8, CPU_LIBC_NEVER, CPU_AVX512, "AVX512_VP2INTERSECT" },
    { 3, 14, CPU_LIBC_NEVER, CPU_PLAIN, "SERIALIZE" },
    { 3, 16, CPU_LIBC_NEVER, CPU_PLAIN, "TSXLDTRK" },
    { 3, 22, CPU_LIBC_NEVER, CPU_TILES, "AMX_BF16" },
    { 3, 23, CPU_LIBC_NEVER, CPU_AVX512, "AVX512_FP16" },
    { 3, 24, CPU_LIBC_NEVER, CPU_TILES, "AMX_TILE" },
    { 3, 25, CPU_LIBC_NEVER, CPU_TILES, "AMX_INT8" },
    { 4, 0, CPU_LIBC_NEVER, CPU_AVX, "SHA512" },
    { 4, 1, CPU_LIBC_NEVER, CPU_AVX, "SM3" },
    { 4, 2, CPU_LIBC_NEVER, CPU_AVX, "SM4" },
    { 4, 3, CPU_LIBC_NEVER, CPU_PLAIN, "RAO_INT" },
    { 4, 4, CPU_LIBC_NEVER, CPU_AVX, "AVX_VNNI" },
    { 4, 5, CPU_LIBC_NEVER, CPU_AVX512, "AVX512_BF16" },
    { 4, 7, CPU_LIBC_NEVER, CPU_PLAIN, "CMPCCXADD" },
    { 4, 21, CPU_LIBC_NEVER, CPU_TILES, "AMX_FP16" },
    { 4, 23, CPU_LIBC_NEVER, CPU_AVX, "AVX_IFMA" },
    { 5, 4, CPU_LIBC_NEVER, CPU_AVX, "AVX_VNNI_INT8" },
    { 5, 5, CPU_LIBC_NEVER, CPU_AVX, "AVX_NE_CONVERT" },
    { 5, 8, CPU_LIBC_NEVER, CPU_TILES, "AMX_COMPLEX" },
    { 5, 10, CPU_LIBC_NEVER, CPU_AVX, "AVX_VNNI_INT16" },
    { 5, 19, CPU_LIBC_NEVER, CPU_AVX512, "AVX10" },
    { 6, 0, CPU_LIBC_NEVER, CPU_PLAIN, "XSAVEOPT" },
    { 6, 1, CPU_LIBC_USABLE, CPU_PLAIN, "XSAVEC" },
    { 6, 2, CPU_LIBC_NEVER, CPU_PLAIN, "XGETBV_ECX_1" },
    { 7, 0, CPU_LIBC_NEVER, CPU_PLAIN, "LAHF64_SAHF64" },
    { 7, 5, CPU_LIBC_NAME, CPU_PLAIN, "LZCNT" },
    { 7, 6, CPU_LIBC_NEVER, CPU_PLAIN, "SSE4A" },
    { 7, 8, CPU_LIBC_NEVER, CPU_PLAIN, "PREFETCHW" },
    { 7, 11, CPU_LIBC_NEVER, CPU_AVX, "XOP" },
    { 7, 16, CPU_LIBC_USABLE, CPU_AVX, "FMA4" },
    { 7, 21, CPU_LIBC_NEVER, CPU_PLAIN, "TBM" },
    { 8, 27, CPU_LIBC_NEVER, CPU_PLAIN, "RDTSCP" },
};
const size_t cpu_nfeatures = sizeof(cpu_features) / sizeof(cpu_features[0]);

uint64_t cpu_states(enum cpu_states s)
{
    switch (s) {
    case CPU_AVX:    return 1ull << 1 | 1ull << 2;
    case CPU_AVX512: return cpu_states(CPU_AVX) | 7ull << 5;
    case CPU_TILES:  return 3ull << 17;
    case CPU_KEYS:   return 1ull << 9;
    default:         return 0;
    }
}

#if defined(__x86_64__)
#include <cpuid.h>

uint64_t cpu_saved_states(void)
{
    uint32_t a, b, c, d, low, high;

    if (!__get_cpuid(1, &a, &b, &c, &d) || !(c & bit_OSXSAVE))
        return 0;
    __asm__ volatile("xgetbv" : "=a"(low), "=d"(high) : "c"(0));
    return (uint64_t)high << 32 | low;
}

void cpu_read(struct cpu_set *s)
{
    uint32_t a, b, c, d, *has = s->has;
    uint64_t states;

    memset(s, 0, sizeof(*s));
    if (!__get_cpuid(1, &a, &b, &has[0], &d))
        return;
    states = cpu_saved_states();
    if (__get_cpuid_count(7, 0, &a, &has[1], &has[2], &has[3]) && a >= 1)
        __get_cpuid_count(7, 1, &has[4], &b, &c, &has[5]);
    if (states)
        __get_cpuid_count(13, 1, &has[6], &b, &c, &d);
    __get_cpuid(0x80000001, &a, &b, &has[7], &has[8]);
    for (int w = 0; w < CPU_WORDS; w++) {
        uint32_t usable = 0;

        for (size_t i = 0; i < cpu_nfeatures; i++) {
            uint64_t needs = cpu_states(cpu_features[i].states);

            if (cpu_features[i].word == w && (states & needs) == needs)
                usable |= 1u << cpu_features[i].bit;
        }
        has[w] &= usable;
    }
}
#else
uint64_t cpu_saved_states(void)
{
    return 0;
}

void cpu_read(struct cpu_set *s)
{
    memset(s, 0, sizeof(*s));
}
#endif

void cpu_take(struct cpu_set *s, const uint32_t *words, size_t n)
{
    memset(s, 0, sizeof(*s));
    if (n)
        memcpy(s->has, words, (n < CPU_WORDS ? n : CPU_WORDS) * sizeof(*words));
}

bool cpu_none(const struct cpu_set *s)
{
    for (int w = 0; w < CPU_WORDS; w++)
        if (s->has[w])
            return false;
    return true;
}

bool cpu_has(const struct cpu_set *s, const struct cpu_feature *f)
{
    return s->has[f->word] >> f->bit & 1;
}

bool cpu_names(const struct cpu_set *s, const char *name)
{
    for (size_t i = 0; i < cpu_nfeatures; i++)
        if (strcmp(cpu_features[i].name, name) == 0)
            return cpu_has(s, &cpu_features[i]);
    return false;
}

void cpu_and(struct cpu_set *s, const struct cpu_set *with)
{
    for (int w = 0; w < CPU_WORDS; w++)
        s->has[w] &= with->has[w];
}

void cpu_without(struct cpu_set *s, const struct cpu_set *less)
{
    for (int w = 0; w < CPU_WORDS; w++)
        s->has[w] &= ~less->has[w];
}

struct cpu_set cpu_missing(const struct cpu_set *has,
                           const struct cpu_set *wants)
{
    struct cpu_set s = *wants;

    cpu_without(&s, has);
    return s;
}

static uint64_t vectors(const struct cpu_set *s)
{
    uint64_t states = 0;

    for (size_t i = 0; i < cpu_nfeatures; i++)
        if (cpu_has(s, &cpu_features[i]))
            states |= cpu_states(cpu_features[i].states);
    return states & cpu_states(CPU_AVX512);
}

bool cpu_is_wider(const struct cpu_set *s, const struct cpu_set *than)
{
    return (vectors(s) & ~vectors(than)) != 0;
}

static char *add(char *at, const char *end, const char *text)
{
    while (*text && at < end)
        *at++ = *text++;
    return at;
}

static char *add_number(char *at, const char *end, size_t n)
{
    char digits[24], *d = digits + sizeof(digits);

    *--d = '\0';
    do
        *--d = (char)('0' + n % 10);
    while (n /= 10);
    return add(at, end, d);
}

void cpu_say(const struct cpu_set *s, size_t most, char *buf, size_t size)
{
    char *at = buf;
    const char *end = buf + size - 1;
    size_t n = 0;

    for (size_t i = 0; i < cpu_nfeatures; i++)
        if (cpu_has(s, &cpu_features[i]) && n++ < most)
            at = add(add(at, end, at == buf ? "" : ", "), end,
                     cpu_features[i].name);
    if (n > most)
        at = add(add_number(add(at, end, " and "), end, n - most), end,
                 " more");
    *at = '\0';
}
