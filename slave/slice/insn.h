/* insn.h - one instruction of an x86-64 program: which registers it reads and
 * writes, which memory, and where it goes on.
 *
 * Only what a slice asks for is kept. A register stands for all of its parts;
 * the flags are one. The one file that knows of the disassembler is insn.c. */
#ifndef HECTOR_INSN_H
#define HECTOR_INSN_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "proto/base/err.h"

enum insn_reg {                 /* in the order of their codes */
    REG_AX, REG_CX, REG_DX, REG_BX, REG_SP, REG_BP, REG_SI, REG_DI,
    REG_R8, REG_R9, REG_R10, REG_R11, REG_R12, REG_R13, REG_R14, REG_R15,
    REG_FLAGS,
    REG_XMM0,                   /* 32 of them */
    REG_X87 = REG_XMM0 + 32,    /* its stack */
    REG_K0,                     /* 8 of them */
    REG_COUNT = REG_K0 + 8,
    REG_GENERAL = 16,
    REG_NONE = 255,
};
#define REG_BIT(r) ((uint64_t)1 << (r))

enum insn_kind {
    INSN_PLAIN, INSN_CALL, INSN_JUMP, INSN_BRANCH, INSN_RETURN,
    INSN_STOP,                  /* nothing comes behind it */
    INSN_TAIL,                  /* a jump to another function, in place of a
                                   call and a return; see flow.h */
};

/* What becomes of an address in it, as far as it can be followed. */
enum insn_move {
    MOVE_NONE,                  /* what is written is something new */
    MOVE_COPY,                  /* to = from */
    MOVE_CONST,                 /* to = value */
    MOVE_ADD,                   /* to += value */
    MOVE_SUM,                   /* to += from */
    MOVE_ADDRESS,               /* to = address of mem[0] */
    MOVE_LOAD,                  /* to = mem[0], 8 bytes */
    MOVE_STORE,                 /* mem[0] = from, 8 bytes */
    MOVE_STORE_CONST,           /* mem[0] = value */
    MOVE_PUSH, MOVE_POP, MOVE_LEAVE,
};

struct insn_mem {
    uint8_t base, index, scale; /* registers, or REG_NONE; scale of index */
    bool reads, writes;
    uint32_t bytes;             /* 0: not known, as in a loop of its own */
    int64_t disp;               /* an address if there is no base */
};

struct insn {
    uint64_t address;
    uint8_t bytes;
    uint8_t kind;               /* enum insn_kind */
    uint8_t move;               /* enum insn_move */
    uint8_t to, from;
    uint8_t nmem;
    bool copies;                /* it moves a value, and makes no new one */
    bool counts;                /* it adds a number that stands in it */
    bool compares;              /* nothing but flags is left of it */
    bool zeroes;                /* what it writes is 0, whatever it reads */
    bool thread;                /* of the thread's own memory */
    bool has_value;             /* a number stands in it: see value */
    uint64_t target;            /* of a call or jump; 0: it is computed */
    uint64_t reads, writes;     /* registers */
    uint64_t kills;             /* of those written: nothing is left of it */
    uint64_t addresses;         /* of those read: only to make an address */
    int64_t value;
    struct insn_mem mem[2];
};

struct decoder;
struct decoder *decoder_open(struct err *err);
void decoder_close(struct decoder *d);          /* NULL is fine */

/* The instruction at the beginning of these bytes; false: it is none. */
bool decoder_read(struct decoder *d, const uint8_t *bytes, size_t n,
                  uint64_t address, struct insn *out);

#endif
