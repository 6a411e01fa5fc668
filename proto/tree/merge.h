/* merge.h - how the parts of a reduction are merged: one row for each kind of
 * thing that is gathered from the slaves. The same functions run in every
 * slave on the way up and in the master.
 *
 * A part covers a range of positions: the tasks of a job, or nodes. What is
 * merged does not know which ranks they are; finish() tells it. */
#ifndef HECTOR_MERGE_H
#define HECTOR_MERGE_H

#include <stddef.h>
#include <stdint.h>

#include "proto/base/err.h"
#include "proto/base/str.h"

struct merge_kind {
    const char *name;
    /* A whole over so many positions that is still empty. */
    void *(*create)(uint32_t width, struct err *err);
    void (*destroy)(void *whole);       /* NULL is fine */
    /* Take in the bytes of a part, whose position 0 is ours at, from anybody.
     * -1: they are wrong, and the whole is as it was, or no memory is left. */
    int (*add)(void *whole, const uint8_t *bytes, size_t n, uint32_t at,
               uint32_t width, struct err *err);
    /* As bytes, that is as a part for the next level. */
    int (*pack)(const void *whole, struct str *out, struct err *err);
    /* As bytes for who has asked: position p is rank rank_of[p] of ntasks. */
    int (*finish)(const void *whole, const uint32_t *rank_of, uint32_t ntasks,
                  struct str *out, struct err *err);
};

/* NULL if there is no such kind. */
const struct merge_kind *merge_find(const char *name);

/* "who": which slaves are there. A part is lines "POSITION TEXT". */
extern const struct merge_kind merge_who;
/* "tree": a call graph prefix tree, see prefixtree.h. */
extern const struct merge_kind merge_tree;
/* "stack": a CallTree of hct.proto: a tree, with notes about tasks. */
extern const struct merge_kind merge_stack;
/* "model": a Model of hct.proto: the models of all tasks, with notes. */
extern const struct merge_kind merge_model;
/* "scores": Scores of hct.proto: tasks against the models of a question. */
extern const struct merge_kind merge_scores;
/* "progress": Whereabouts of hct.proto: where tasks are, and who waits for whom by
 * their models. */
extern const struct merge_kind merge_whereabouts;

#endif
