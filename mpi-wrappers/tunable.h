/* tunable.h - GLIBC_TUNABLES, by which the C library of a program that begins is
 * told to do without some features of the processor:
 *
 *   GLIBC_TUNABLES=glibc.malloc.check=0:glibc.cpu.hwcaps=-AVX2,-AVX512F
 *
 * It does not hear of features that it never uses, and passes over names that it
 * does not know; they are listed nevertheless, for who reads this afterwards. */
#ifndef HECTOR_TUNABLE_H
#define HECTOR_TUNABLE_H

#include "mpi-wrappers/cpu.h"

#define TUNABLES "GLIBC_TUNABLES"
enum { TUNABLE_BYTES = 4096 };  /* room for the words of all features */

/* The features that tunables, as they are in the environment, turn off, with those
 * that nobody has without them; NULL: there are none. */
struct cpu_set tunable_off(const char *tunables);

/* The same tunables, with all that they say, and those of off turned off as well.
 * -1: they do not fit. */
int tunable_turn_off(const char *tunables, const struct cpu_set *off,
                     char *buf, size_t size);

#endif
