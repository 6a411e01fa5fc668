/* value.h - what registers of a function have in them, as far as it is an
 * address: a base and an offset.
 *
 * Bases are numbers that mean the same in all functions of a slice: the frame
 * of a function (its canonical frame address), what a register had when it was
 * entered, addresses of the file, what stands in memory at another address, and
 * what one instruction has made, or one block has put together. Two pieces of
 * memory are the same one if base and bytes are; what lies behind pointers of
 * different bases is taken to be different, which may be wrong. */
#ifndef HECTOR_VALUE_H
#define HECTOR_VALUE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "proto/base/idtable.h"
#include "slave/slice/flow.h"

enum base_kind {
    BASE_NOTHING,               /* number 0: not known yet */
    BASE_FILE,                  /* number 1: the offset is an address */
    BASE_THREAD,                /* number 2: the thread's own memory */
    BASE_FRAME,                 /* of function a */
    BASE_ENTRY,                 /* register b at the entry of function a */
    BASE_MEMORY,                /* what is at base a, offset b */
    BASE_MADE,                  /* in function a: by instruction b / BASE_REGS, in
                                   register b % BASE_REGS */
    BASE_JOINED,                /* the same, by block b / BASE_REGS */
};
enum { BASE_REGS = 64 };
enum { BASE_NUMBER_NOTHING, BASE_NUMBER_FILE, BASE_NUMBER_THREAD };

struct base { uint8_t kind; uint32_t a; int64_t b; };

struct bases {
    struct base *v;             /* owned */
    size_t n, cap;
    struct idtable by_key;
};
bool bases_init(struct bases *b);
void bases_fini(struct bases *b);

/* The number of a base; 0 if there is no room. */
uint32_t bases_number(struct bases *b, enum base_kind kind, uint32_t a,
                      int64_t of);

struct value {
    uint32_t base;
    bool wide;                  /* the offset is not known: somewhere in the
                                   variable at it */
    int64_t offset;
};

/* Bytes from low up to high, which is not one of them. base 0: not known. If
 * there is a step, it is only so many bytes of each step, as one field of the
 * records of an array: the first ones begin at low + first. */
struct area {
    uint32_t base;
    int64_t low, high, first;
    uint32_t step, bytes;
};
#define AREA_END INT64_MAX

bool area_meets(const struct area *a, const struct area *b);
bool area_covers(const struct area *a, const struct area *b);

/* Widen an area to the variable that it is in; element: to the array, as
 * nothing but its index is not known. */
typedef void value_whole_f(void *arg, struct area *a, bool element);

enum { VALUE_KEPT = 40, VALUE_PLACES = REG_GENERAL + VALUE_KEPT };

/* Is it a number, and no address, what is known by this base only? */
typedef bool value_number_f(void *arg, uint32_t base);

/* Which registers a call may change. */
typedef uint64_t value_changes_f(void *arg, const struct insn *call);

struct values {
    const struct flow *flow;    /* borrowed, like the next */
    struct bases *bases;
    uint32_t function;
    value_whole_f *whole;
    value_changes_f *changes;
    value_number_f *number;
    void *arg;
    struct value *at_block;     /* owned: [block * VALUE_PLACES + register], slots
                                   that are kept behind those */
    struct value *at_call;      /* owned: [call * REG_GENERAL + register] */
    uint32_t *call_of;          /* owned: of an instruction */
    struct area *areas;         /* owned: [instruction * 2 + operand] */
    struct { int64_t offset; struct value value; uint32_t n; bool pointer; } *slots;
    size_t nslots, cap_slots;   /* owned: of the frame, that are written */
    int64_t kept[VALUE_KEPT];   /* those that get several values, addresses among
                                   them, or one that was put together from several:
                                   they are followed like registers */
    uint32_t nkept;
};

/* False: there is no room. */
bool values_make(struct values *v, const struct flow *f, struct bases *bases,
                 uint32_t function, value_whole_f *whole,
                 value_changes_f *changes, value_number_f *number, void *arg);
void values_fini(struct values *v);             /* {0} is fine */

/* At a call: what the register has. */
const struct value *values_at_call(const struct values *v, uint32_t insn,
                                   uint8_t reg);
/* What a call is given on the stack, as its argument number k behind those in
 * registers, if that was put there in its block. */
struct value values_stacked(struct values *v, uint32_t call, int k);
/* Before an instruction: what the register has. */
struct value values_before(struct values *v, uint32_t insn, uint8_t reg);
/* Before an instruction: what stands in the frame there, if that is known. */
struct value values_in_frame(struct values *v, uint32_t insn, uint32_t frame,
                             int64_t offset);
/* Where in these bytes of the frame an address of this base stands; false:
 * nowhere. */
bool values_held(struct values *v, uint32_t insn, const struct area *in,
                 uint32_t base, int64_t *at, struct value *is);
/* Before an instruction: which registers have just what is this base. */
uint64_t values_holding(struct values *v, uint32_t insn, uint32_t base);
/* The memory of an operand. */
const struct area *values_area(const struct values *v, uint32_t insn,
                               uint8_t operand);

#endif
