/* whereis.h - where in their sources the tasks of a job are just now: some
 * samples of all their stacks, through the tree of slaves. The tree is kept in
 * the database, with the verdict that asks. */
#ifndef HECTOR_WHEREIS_H
#define HECTOR_WHEREIS_H

#include <stddef.h>
#include <stdint.h>

#include "hct.pb-c.h"
#include "master/act/act.h"
#include "master/tree/reduce.h"
#include "proto/base/str.h"
#include "proto/tree/prefixtree.h"

struct whereis;

/* There is a reducer. seq: of the verdict. done() comes once, later, also when nothing was found:
 * tree is NULL then. */
typedef void whereis_done_f(void *arg, const struct prefixtree *tree);
struct whereis *whereis_start(const struct acts *a, struct job *j,
                              uint64_t seq, whereis_done_f *done, void *arg);
/* Of these places that tasks have called MPI from, at most one of a rank; as
 * in hct_line. Nobody's stack is looked at, and the tree is not kept. */
enum { WHEREIS_PLACES = 256 };
struct whereis_place { uint32_t rank, site; };
struct whereis *whereis_ask(const struct acts *a, struct job *j,
                            const struct whereis_place *v, size_t n,
                            whereis_done_f *done, void *arg);

/* What these tasks, "0,2-3", have printed and not written yet. */
struct whereis *whereis_unwritten(const struct acts *a, struct job *j,
                                  const char *ranks, whereis_done_f *done,
                                  void *arg);

/* NULL is fine. */
void whereis_cancel(struct whereis *w);

/* Append "in solve (solver.c:214)": the innermost function of this rank that
 * is not part of MPI, and has a source if any has. Nothing if not known. */
void whereis_text(const struct prefixtree *tree, uint32_t rank,
                  struct str *to);

/* The text that this rank has not written yet, as a list of quoted lines; NULL:
 * none is known. tree is that of whereis_unwritten(), and has it. */
const char *whereis_unwritten_text(const struct prefixtree *tree,
                                   uint32_t rank);

#endif
