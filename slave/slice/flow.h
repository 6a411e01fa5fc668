/* flow.h - the control-flow graph of one function, and what decides that a
 * block is reached.
 *
 * A block b depends on the branch at the end of block p where one way out of p
 * always leads to b and another one may not (Ferrante, Ottenstein and Warren:
 * The program dependence graph and its use in optimization, TOPLAS 1987,
 * 3.1): the dominance frontier of b in the graph with its edges turned around.
 * The last block of an endless loop is taken to lead out of the function. */
#ifndef HECTOR_FLOW_H
#define HECTOR_FLOW_H

#include "slave/slice/binary.h"
#include "slave/slice/insn.h"

#define FLOW_NONE UINT32_MAX
enum { FLOW_INSNS_MAX = 200000 };

struct flow_list { uint32_t *v; size_t n, cap; };       /* owned */

struct flow_block {
    uint32_t first, n;          /* instructions */
    struct flow_list to, from;  /* blocks */
    struct flow_list deciders;  /* blocks whose last instructions decide */
};

struct flow {
    struct insn *insns;         /* owned, by address */
    uint32_t *block_of;         /* owned: of each instruction */
    struct flow_block *blocks;  /* owned */
    uint32_t entry;             /* the block where it begins */
    size_t ninsns, cap_insns, cap_block_of, nblocks, cap_blocks;
};

/* Does a call of this function not come back? */
typedef bool flow_ends_f(void *arg, const struct insn *call);

/* False: there is no room, or nothing of it can be read. */
bool flow_make(struct flow *f, const struct binary *b, struct decoder *d,
               const struct binary_symbol *function, flow_ends_f *ends,
               void *arg);
void flow_fini(struct flow *f);                 /* {0} is fine */

/* The instruction at this address, or FLOW_NONE. */
uint32_t flow_find(const struct flow *f, uint64_t address);

/* Marks all blocks from which one can come to the n in todo, which are marked
 * already. Both arrays have room for each block. */
void flow_mark_before(const struct flow *f, uint32_t *todo, uint32_t n,
                      uint8_t *marks);

#endif
