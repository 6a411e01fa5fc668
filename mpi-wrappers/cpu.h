/* cpu.h - what programs may use of a processor: a set of features, which have
 * the names that the C library has for them. Slaves tell theirs to the master,
 * images say what their program may use.
 *
 * Only what a program would miss is in a set: neither what all x86-64 have,
 * nor what makes the same instructions faster. A processor of another kind has
 * an empty set, about which nothing is said. Nothing here calls the C library
 * but for what is in <string.h>. */
#ifndef HECTOR_CPU_H
#define HECTOR_CPU_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum { CPU_WORDS = 9 };
struct cpu_set { uint32_t has[CPU_WORDS]; };    /* {0}: nothing is known */

/* How the C library is told to do without it. */
enum cpu_libc {
    CPU_LIBC_NEVER,             /* it never uses it */
    CPU_LIBC_NAME,              /* by its name, in GLIBC_TUNABLES */
    CPU_LIBC_USABLE             /* before 2.33 by another one, NAME_Usable */
};

struct cpu_feature {
    uint8_t word, bit;          /* in a set: words of cpuid(1), see cpu.c */
    uint8_t libc;               /* enum cpu_libc */
    uint8_t states;             /* of enum cpu_states */
    char name[24];
};
extern const struct cpu_feature cpu_features[];
extern const size_t cpu_nfeatures;

/* Registers that the kernel has to save, each a bit of XCR0, or more. */
enum cpu_states { CPU_PLAIN, CPU_AVX, CPU_AVX512, CPU_TILES, CPU_KEYS };
uint64_t cpu_states(enum cpu_states s);

/* Which of them it saves here: XCR0; 0: none, or it is no x86-64. */
uint64_t cpu_saved_states(void);

/* What this processor has and the kernel lets programs use. */
void cpu_read(struct cpu_set *s);

/* As another program tells it, which may be of a version with more words, or
 * fewer. */
void cpu_take(struct cpu_set *s, const uint32_t *words, size_t n);

bool cpu_none(const struct cpu_set *s);
bool cpu_names(const struct cpu_set *s, const char *name);      /* has it that? */
bool cpu_has(const struct cpu_set *s, const struct cpu_feature *f);
void cpu_and(struct cpu_set *s, const struct cpu_set *with);
void cpu_without(struct cpu_set *s, const struct cpu_set *less);

/* Those of wants that are not in has. */
struct cpu_set cpu_missing(const struct cpu_set *has,
                           const struct cpu_set *wants);

/* Has it registers of vectors that than has not? Where functions are bound when
 * they are called first, the C library saves all of these, and has made up its
 * mind about the room for them when the program began. */
bool cpu_is_wider(const struct cpu_set *s, const struct cpu_set *than);

/* The names, most of them at most, and how many more there are: "AVX2, FMA and 3
 * more"; as far as it fits. */
void cpu_say(const struct cpu_set *s, size_t most, char *buf, size_t size);

#endif
