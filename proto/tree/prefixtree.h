/* prefixtree.h - where tasks are in their programs: the call graph prefix tree
 * over space (tasks) and time (samples).
 *
 * A trace is a list of frames, outermost first. Traces that begin alike share
 * nodes; each node is labelled with the set of tasks that have a trace through
 * it and, for each sample, with the number of traces. One sample of many
 * tasks is the tree over space (2D), many samples of one task the tree over
 * time, many of many both (3D).
 *
 * A tree that travels knows nothing of ranks. Its tasks have the positions 0
 * to width - 1, and a label is a vector of width bits at most: the words
 * between its first and its last bit. Merging puts the tree of a part at the
 * part's place in the whole; prefixtree_remap() gives the positions their
 * ranks at the end, once, wherever the tasks were placed.
 *
 * Everything is in flat arrays and is found by hashes, so that merging costs
 * what the smaller tree has in bytes. */
#ifndef HECTOR_PREFIXTREE_H
#define HECTOR_PREFIXTREE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "proto/base/err.h"
#include "proto/base/idtable.h"
#include "proto/base/str.h"
#include "proto/base/taskset.h"

#define PREFIXTREE_NONE UINT32_MAX

enum {
    PREFIXTREE_WIDTH_MAX = 1 << 24,     /* tasks */
    PREFIXTREE_SAMPLES_MAX = 4096,
    PREFIXTREE_ITEMS_MAX = 1 << 20,     /* nodes, and frames, and names */
    PREFIXTREE_NAME_MAX = 4096,         /* bytes; longer ones are cut */
    PREFIXTREE_DEPTH_MAX = 1024,        /* frames of a trace; inner ones are
                                           left out */
    PREFIXTREE_WORDS_MAX = 1 << 25,     /* of all labels: 256 MiB */
    PREFIXTREE_COUNTS_MAX = 1 << 25,    /* of all nodes and samples */
    PREFIXTREE_THREADS_MAX = 1 << 16,   /* traces of a task in a sample */
};

/* Names are numbers, too: 0 is "", what is not known. */
struct prefixtree_frame {
    uint32_t module, function, file, line;
    uint64_t offset;            /* in the module, or 0 */
};

/* Node 0 is the root: no frame, everybody who has a trace. A parent's number
 * is smaller than its child's. 0 for child and sibling is none. */
struct prefixtree_node {
    uint32_t frame, parent, child, sibling;
    uint32_t first, nwords;     /* of the label: the words it covers, */
    uint32_t cap;               /* has room for */
    size_t at;                  /* and where they are */
};

struct prefixtree {
    uint32_t width, nsamples;
    struct prefixtree_node *nodes;      /* owned, as all arrays here */
    struct prefixtree_frame *frames;
    uint32_t *counts;           /* traces: [node * nsamples + sample] */
    size_t *name_at;            /* of each name, in text; one more */
    char *text;                 /* each name ends in NUL */
    uint64_t *words;            /* the labels */
    size_t nnodes, nframes, nnames, nwords, ntext;
    size_t cap_nodes, cap_frames, cap_names, cap_words, cap_text, cap_counts;
    struct idtable edges, by_frame, by_name;
    struct { uint32_t frame, node, name; } *map;        /* scratch of merging:
                                   from the other's numbers to ours */
    size_t cap_map;
};

/* Returns -1 when memory runs out, or with EINVAL beyond the limits. */
int prefixtree_init(struct prefixtree *t, uint32_t width, uint32_t nsamples,
                    struct err *err);
void prefixtree_fini(struct prefixtree *t);     /* {0} is fine */

/* The number of a name or a frame, the same for the same; PREFIXTREE_NONE
 * when memory or numbers run out. */
uint32_t prefixtree_name(struct prefixtree *t, const char *text, size_t n);
uint32_t prefixtree_frame(struct prefixtree *t,
                          const struct prefixtree_frame *f);
uint64_t prefixtree_frame_hash(const struct prefixtree_frame *f);
const char *prefixtree_text(const struct prefixtree *t, uint32_t name);

/* A trace of the task at this position, frames outermost first. A task may
 * have several in a sample: threads. */
int prefixtree_add(struct prefixtree *t, uint32_t position, uint32_t sample,
                   const uint32_t *frames, size_t n, struct err *err);

/* Take in another tree, whose position 0 is our position at. It must fit.
 * After an error t holds a part of it: give t up. */
int prefixtree_merge(struct prefixtree *t, const struct prefixtree *from,
                     uint32_t at, struct err *err);

/* The same tree over ntasks ranks: the task at position p has rank rank_of[p],
 * which must be below ntasks. out is initialised by it. */
int prefixtree_remap(struct prefixtree *out, const struct prefixtree *t,
                     const uint32_t *rank_of, uint32_t ntasks,
                     struct err *err);

/* As bytes, and from bytes of anybody: whatever they are, the tree that comes
 * out is in order, and takes no more memory than the limits allow. t is
 * initialised by it; on error there is nothing to free. */
int prefixtree_pack(const struct prefixtree *t, struct str *out);
int prefixtree_parse(struct prefixtree *t, const uint8_t *bytes, size_t n,
                     struct err *err);

/* For who builds a tree node by node: a child without tasks, which there must
 * not be yet. -1 if there is, or no room. */
int prefixtree_push(struct prefixtree *t, uint32_t parent, uint32_t frame);

/* ------------------------------------------------------------ what it says */

/* The tasks of a node; how many; is this one among them. */
int prefixtree_tasks(const struct prefixtree *t, uint32_t node,
                     struct taskset *out);
uint32_t prefixtree_count(const struct prefixtree *t, uint32_t node);
bool prefixtree_has(const struct prefixtree *t, uint32_t node,
                    uint32_t position);

/* The child of the node with this task; 0: none. */
uint32_t prefixtree_child(const struct prefixtree *t, uint32_t node,
                          uint32_t position);

/* Traces through the node in all samples. */
uint64_t prefixtree_traces(const struct prefixtree *t, uint32_t node);

/* Tasks that have traces through the same nodes are equivalent. The smallest
 * classes come first, for they are the outliers; of equal ones the one with
 * the lowest representative. */
struct prefixtree_class {
    uint32_t count, representative;     /* the lowest position in it */
    uint32_t leaf, nleaves;     /* in leaves[]: the last nodes of its paths */
};
struct prefixtree_classes {
    struct prefixtree_class *v; /* owned, like the next two */
    uint32_t *class_of;         /* of a position; PREFIXTREE_NONE: no trace */
    uint32_t *leaves;
    uint32_t n;
};
int prefixtree_classify(struct prefixtree_classes *c,
                        const struct prefixtree *t);
void prefixtree_classes_fini(struct prefixtree_classes *c);
int prefixtree_class_tasks(const struct prefixtree_classes *c,
                           const struct prefixtree *t, uint32_t i,
                           struct taskset *out);

#endif
