/* whereis.h - where in their sources the tasks of a job are just now: some
 * samples of all their stacks, through the tree of slaves. The tree is kept in
 * the database, with the verdict that asks. */
#ifndef HECTOR_WHEREIS_H
#define HECTOR_WHEREIS_H

#include <stddef.h>
#include <stdint.h>

#include "hct.pb-c.h"
#include "master/state/job.h"
#include "master/store/journal.h"
#include "master/tree/reduce.h"
#include "proto/base/str.h"
#include "proto/tree/prefixtree.h"

/* Who asks, all borrowed: it outlives what is asked, and may change. */
struct whereis_by {
    struct reducer *reducer;    /* NULL: none, or not any more */
    struct journal *journal;
    uint32_t samples;           /* of all stacks at a hang; 0: nobody is asked */
};

struct whereis;

/* There is a reducer. seq: of the verdict. done() comes once, later, also when nothing was found:
 * tree is NULL then. */
typedef void whereis_done_f(void *arg, const struct prefixtree *tree);
struct whereis *whereis_start(const struct whereis_by *by, struct job *j,
                              uint64_t seq, whereis_done_f *done, void *arg);
/* Of these places that tasks have called MPI from, at most one of a rank; as
 * in hct_line. Nobody's stack is looked at, and the tree is not kept. */
enum { WHEREIS_PLACES = 256 };
struct whereis_place { uint32_t rank, site; };
struct whereis *whereis_ask(const struct whereis_by *by, struct job *j,
                            const struct whereis_place *v, size_t n,
                            whereis_done_f *done, void *arg);

/* So many samples of the stack of one task, a few ms apart; not kept. */
struct whereis *whereis_sample(const struct whereis_by *by, struct job *j,
                               uint32_t rank, uint32_t samples,
                               whereis_done_f *done, void *arg);

/* What these tasks, "0,2-3", have printed and not written yet. */
struct whereis *whereis_unwritten(const struct whereis_by *by, struct job *j,
                                  const char *ranks, whereis_done_f *done,
                                  void *arg);

/* NULL is fine. */
void whereis_cancel(struct whereis *w);

/* Append "in solve (solver.c:214)". */
void whereis_add(const struct prefixtree *tree,
                 const struct prefixtree_frame *f, struct str *to);
/* The same of where this rank is: the innermost function of this rank that
 * is not part of MPI, and has a source if any has. Nothing if not known. */
void whereis_text(const struct prefixtree *tree, uint32_t rank,
                  struct str *to);

/* Where it was outside of MPI: of each trace the innermost function that has a source
 * if any has, and what is called there belongs to it. */
typedef void whereis_seen_f(void *arg, const struct prefixtree *tree,
                            const struct prefixtree_frame *f, uint64_t traces);
int whereis_outside(const struct prefixtree *tree, whereis_seen_f *seen,
                    void *arg);

/* The text that this rank has not written yet, as a list of quoted lines; NULL:
 * none is known. tree is that of whereis_unwritten(), and has it. */
const char *whereis_unwritten_text(const struct prefixtree *tree,
                                   uint32_t rank);

#endif
