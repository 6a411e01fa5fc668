/* tunable.c - GLIBC_TUNABLES: see tunable.h. When one is there twice, the last one
 * counts. That of processors comes first: C libraries of 2023 and before end the
 * variable in a program's environment behind the first one of several. */
#include "mpi-wrappers/tunable.h"

#include <stdio.h>
#include <string.h>

static const char hwcaps[] = "glibc.cpu.hwcaps=";

/* Its words, up to a colon or the end; NULL: it is not there. */
static const char *find(const char *tunables)
{
    const char *found = NULL, *p = tunables;

    while (p && *p) {
        if (strncmp(p, hwcaps, sizeof(hwcaps) - 1) == 0)
            found = p + sizeof(hwcaps) - 1;
        p = strchr(p, ':');
        p = p ? p + 1 : NULL;
    }
    return found;
}

/* With the first of those that need the same registers all others go. */
static bool goes_with(const struct cpu_feature *f, const char *name,
                      size_t length)
{
    static const struct { char name[12]; uint64_t need; } first[] = {
        { "AVX", 1ull << 2 }, { "AVX512F", 1ull << 5 }, { "AMX_TILE", 1ull << 17 }
    };

    for (size_t i = 0; i < sizeof(first) / sizeof(first[0]); i++)
        if (strlen(first[i].name) == length &&
            memcmp(first[i].name, name, length) == 0)
            return cpu_states(f->states) & first[i].need;
    return strlen(f->name) == length && memcmp(f->name, name, length) == 0;
}

static void turn_off(struct cpu_set *s, const char *name, size_t length)
{
    for (size_t i = 0; i < cpu_nfeatures; i++)
        if (goes_with(&cpu_features[i], name, length))
            s->has[cpu_features[i].word] |= 1u << cpu_features[i].bit;
}

struct cpu_set tunable_off(const char *tunables)
{
    const char *p = find(tunables);
    struct cpu_set off = { { 0 } };

    while (p && *p && *p != ':') {
        size_t length = strcspn(p, ",:");

        if (*p == '-')
            turn_off(&off, p + 1, length - 1);
        p += length;
        p += *p == ',';
    }
    return off;
}

/* AVX brings another word along: it decides by that, and not by AVX, how memory is
 * copied. */
static size_t words(const struct cpu_feature *f, bool first, char *buf,
                    size_t size)
{
    int n = snprintf(buf, size, "%s-%s%s%s%s%s", first ? "" : ",", f->name,
                     f->libc == CPU_LIBC_USABLE ? ",-" : "",
                     f->libc == CPU_LIBC_USABLE ? f->name : "",
                     f->libc == CPU_LIBC_USABLE ? "_Usable" : "",
                     strcmp(f->name, "AVX") ? "" : ",-AVX_Fast_Unaligned_Load");

    return n < 0 ? size : (size_t)n;
}

/* All but what find() finds. */
static size_t rest(const char *tunables, char *buf, size_t size)
{
    size_t n = 0;

    for (const char *p = tunables; p && *p && n < size; p += *p == ':') {
        int length = (int)strcspn(p, ":");

        if (length && strncmp(p, hwcaps, sizeof(hwcaps) - 1) != 0)
            n += (size_t)snprintf(buf + n, size - n, ":%.*s", length, p);
        p += length;
    }
    return n;
}

int tunable_turn_off(const char *tunables, const struct cpu_set *off,
                     char *buf, size_t size)
{
    const char *has = find(tunables);
    int length = has ? (int)strcspn(has, ":") : 0;
    size_t n = (size_t)snprintf(buf, size, "%s%.*s", hwcaps, length,
                                has ? has : "");
    bool first = length == 0;

    for (size_t i = 0; i < cpu_nfeatures && n < size; i++)
        if (cpu_has(off, &cpu_features[i])) {
            n += words(&cpu_features[i], first, buf + n, size - n);
            first = false;
        }
    if (n < size)
        n += rest(tunables, buf + n, size - n);
    return n < size ? 0 : -1;
}
