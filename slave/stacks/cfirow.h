/* cfirow.h - how the registers of a frame's caller are found at one address: a
 * row of the unwinding tables, in a form that costs next to nothing to
 * evaluate.
 *
 * Only rules that are a register, or the address of the frame, and an offset:
 * nearly all of them, those of signal handlers and of realigned stacks too.
 * For others no row can be made, and libdw has to evaluate them. What can be
 * evaluated gives just what libdw gives. */
#ifndef HECTOR_CFIROW_H
#define HECTOR_CFIROW_H

#include <stdbool.h>
#include <stdint.h>
#include <elfutils/libdw.h>

#if defined(__x86_64__)
enum { CFIROW_REGS = 17 };      /* the last one is the return address */
#else
enum { CFIROW_REGS = 1 };       /* no rows are made */
#endif

enum cfi_where {
    CFI_LOST,
    CFI_SAME,                   /* in register from, even without a CFA */
    CFI_SUM,                    /* it is from + offset */
    CFI_AT,                     /* it is in the memory at from + offset */
};

enum { CFI_CFA = CFIROW_REGS }; /* as from: the address of the frame */

struct cfi_rule { uint8_t where, from; int32_t offset; };

struct cfirow {
    bool signal;                /* the frame that a signal has made */
    struct cfi_rule cfa, reg[CFIROW_REGS];
};

struct cfi_regs { uint64_t v[CFIROW_REGS]; uint32_t set; };

/* False: it cannot be read. */
typedef bool cfirow_read_f(void *arg, uint64_t at, uint64_t *out);

/* False: this one is left to libdw. */
bool cfirow_make(struct cfirow *row, Dwarf_Frame *frame);

/* From the registers of a frame to those of its caller; false: there is no
 * caller. */
bool cfirow_step(const struct cfirow *row, struct cfi_regs *regs,
                 cfirow_read_f *read, void *arg);

#endif
