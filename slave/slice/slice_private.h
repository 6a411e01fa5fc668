/* slice_private.h - what the files of a slice share. */
#ifndef HECTOR_SLICE_PRIVATE_H
#define HECTOR_SLICE_PRIVATE_H

#include "proto/base/idtable.h"
#include "proto/base/str.h"
#include "slave/slice/calls.h"
#include "slave/slice/folded.h"
#include "slave/slice/program.h"
#include "slave/slice/slice.h"

/* How far a step is. Costs were tried out on tests/eval/slices: that of others'
 * messages is such that they come behind what the task itself decides. */
enum {
    COST_MAX = 80,              /* steps that are worth a look */
    COST_SET = 1, COST_DECIDES = 0,     /* whoever decides is as near */
    COST_ALIKE = 4,             /* more: one that all tasks decide alike */
    COST_SAME = 2,              /* more: what all of them set alike */
    COST_POINTER = 6,           /* what an address is made of */
    COST_OTHERS = 8,            /* what others have put into a message */
    COST_MESSAGE = 8,           /* who may have sent what is received */
    COST_FRAME = 2,             /* a call on the path, from that further in */
    COST_VIA = 1,               /* a call that is followed, by itself */
    COST_SENDS = 14,            /* what others may wait for, */
    COST_SENDS_IT = 4,          /* what this task waits for, by its tag, */
    COST_SENDS_OTHER = 20,      /* and what it does not; */
    COST_THEIRS = 4,            /* where those are that it may wait for */
    COST_FOR_THEIRS = 7,        /* what these wait for */
    COST_LATELY = 6,            /* what it has called last; more: each before */
    COST_BEFORE = 1,
    COST_ENDS = 6,              /* what ends loops of messages before it */
    COST_FOLDED = 6,            /* more: a line that has no code of its own */
    COST_RANK = 4,              /* less: what reads the task's rank */
    COST_WORKED = 2,            /* more: what was right when the task came by */
    COST_FLOATS = 3,            /* more: an instruction on floating point, or
                                   vectors */
    COST_MAKES_NOTHING = 5,     /* more: a line that only hands on, or calls */
    COST_COUNTS = 4,            /* more: a line that only counts, */
    COST_TURNS = 3,             /* and more: and decides, as heads of loops do */
    COST_ZERO = 2,              /* more: a line that sets 0, as counts begin */
    COST_SINGLE = 1,            /* more: a line on which no two others depend */
    COST_NAMED = 6,             /* more: a call of MPI, which a verdict names */
    COST_IN_STACK = 6,          /* more: a line that is in the stack anyhow, or
                                   that only calls who talks to others */
    FOLLOW_MAX = 2,             /* levels of calls that are followed */
    NODES_MAX = 20000, SEARCHES_MAX = 40000, DEPTH_MAX = 64,
    STEPS_MAX = 200000,
};
#define NO_NODE UINT32_MAX

/* A function as it was called: one of the path, or one that is followed. */
struct context {
    struct function *function;  /* borrowed */
    uint32_t caller, call;      /* context and instruction there; FLOW_NONE */
    uint32_t depth;             /* 0: on the path */
};

/* A value that is read: what a register, or some memory, has in it. */
struct want {
    bool is_reg;
    uint8_t reg;
    struct area area;
};

enum node_kind {
    NODE_HERE,                  /* where the task is */
    NODE_PATH,                  /* a call on the way there */
    NODE_SETS,                  /* sets what is read */
    NODE_MAY,                   /* a call that may */
    NODE_PASSES,                /* sets what a function on the path is given */
    NODE_DECIDES,               /* a branch */
    NODE_VIA,                   /* a call of what sets it */
    NODE_SENDS,                 /* a call that another task may wait for */
    NODE_RECEIVES,              /* in which another one may take what this one
                                   sends */
    NODE_THEIRS,                /* a call that another task is in, for which
                                   this one may wait */
    NODE_LEADS,                 /* a call of what has one of these three */
    NODE_ENDS,                  /* the branch that ends a loop in front of it */
    NODE_ELSEWHERE,             /* sets it, by who is not on the path */
    NODE_PUTS,                  /* a call by which another task may have sent what
                                   is received */
};

struct node {
    uint32_t number;            /* of the node itself */
    uint32_t context, insn;
    uint8_t kind;
    uint16_t cost;              /* when it was found */
    uint16_t begins;            /* the same of one that a slice begins with; else
                                   UINT16_MAX */
    const struct line *reader;  /* who reads it, is decided */
    const char *name;           /* of what is read; borrowed, or NULL */
    uint32_t next;              /* in its bucket */
    uint32_t steps;             /* the first of those that lead from it */
    bool counts;                /* it adds to what it was before */
    bool of_several;            /* another one may set what is read as well */
    bool reads_given, reads_rank;       /* what a task has from MPI: how many
                                   they are, say; which one it is */
    bool again;                 /* slice_is_again(), if the task came by before */
    bool differs;               /* tasks may have other values: of what it reads,
                                   as far as is known from itself */
    bool is_address;            /* what it reads is one that is known, as far as
                                   it was looked for */
};

/* From who reads, or is decided, to who sets it, or decides. */
struct step {
    uint32_t to, next;          /* next: of the same node; NO_NODE */
    uint16_t cost;
    bool decides;               /* else it sets what is read */
};

/* A call that sends. */
struct put { uint32_t context, insn; };

struct slice {
    struct program *program;    /* owned, as all here */
    struct folded *folded;
    struct context *contexts;
    struct node *nodes;
    struct step *steps;
    struct slice_row *rows;
    struct put *puts;
    size_t ncontexts, cap_contexts, nnodes, cap_nodes, nsteps, cap_steps, nrows,
           cap_rows, nputs, cap_puts;
    struct idtable seen_nodes, seen_searches;
    uint32_t nsearches, nothers;
    uint32_t bucket[COST_MAX + 1];      /* of nodes that wait */
    size_t npath;
    unsigned nlines;
    struct str unseen, not_followed, lineless;
    unsigned npointers;         /* reads of memory that is not known */
    uint32_t here;              /* the instruction that the task is in */
    bool came_by;               /* it has been there before, and gone on */
    bool cut, other_tasks;
    bool sends;                 /* the task is in a call that sends */
    bool awaits_tag;            /* it waits for a message with this one, or for
                                   who receives that */
    int32_t awaited_tag;
};

/* Who reads, and what; of the first ones of a slice: nobody. */
struct reader {
    uint32_t node;              /* NO_NODE: none */
    const struct line *line;    /* of it */
    const char *name;           /* of what is read */
    unsigned cost;              /* of the next step */
};

/* ----------------------------------------------------------------- slice.c */

/* A step to this instruction, which costs so much more; it is taken later,
 * unless it was before. The node that it leads to, or NO_NODE. */
uint32_t slice_add(struct slice *s, uint32_t context, uint32_t insn,
                   enum node_kind kind, const struct reader *r, unsigned more);

/* The instruction that this frame is in; FLOW_NONE: it is not there. */
uint32_t slice_insn_at(const struct function *f,
                       const struct slice_frame *frame);

/* The context of a call that is followed; FLOW_NONE: it cannot be. */
uint32_t slice_context(struct slice *s, struct function *f, uint32_t caller,
                       uint32_t call, uint32_t depth);

static inline bool slice_is_call(const struct insn *n)
{
    return n->kind == INSN_CALL || n->kind == INSN_TAIL;
}

/* ----------------------------------------------------------- slice_reach.c */

/* Find who has set what is wanted before this instruction, and add steps to
 * them. */
void slice_reach(struct slice *s, uint32_t context, uint32_t insn,
                 const struct want *w, const struct reader *r);

/* ---------------------------------------------------------- slice_others.c */

/* If the task is in a call of MPI, what the functions on the path, and those
 * that they call, send, and the collectives in them, decide about that as
 * well. */
void slice_add_others(struct slice *s, const struct slice_place *at);

/* Who may have sent what this node receives, as far as its tag and its type are
 * known. */
void slice_add_puts(struct slice *s, const struct node *n);

/* ----------------------------------------------------------- slice_loops.c */

/* What ends the loops of messages that have ended when this call is reached. */
void slice_add_loops(struct slice *s, uint32_t context, uint32_t call,
                     unsigned cost);

/* Is it done again, as far as is known, when the task comes to where it is once
 * more? */
bool slice_is_again(const struct slice *s, uint32_t context, uint32_t insn);

/* ------------------------------------------------------------ slice_rank.c */

/* Make rows of all that was found, the nearest first. */
int slice_rank(struct slice *s, struct err *err);

/* What is given to a function is put where it stays, on its first line, and
 * what it returns where that is expected, on its last one: that says nothing.
 */
bool slice_is_brace(struct slice *s, uint32_t context, uint32_t insn,
                    const struct line *l);

/* What a call of the path is given as it is, on the line of that call: whoever
 * asks has that one in the stack. */
bool slice_is_handed(struct slice *s, uint32_t context, uint32_t insn,
                     const struct line *l);

/* ----------------------------------------------------------- slice_words.c */

/* What it is called at this instruction; NULL: not known. */
const char *slice_name(struct slice *s, uint32_t context, uint32_t insn,
                       const struct want *w);
void slice_reason(struct slice *s, const struct node *n,
                  char out[SLICE_REASON]);
void slice_say_unseen(struct slice *s);

#endif
