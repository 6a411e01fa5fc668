/* callview.h - a call tree as it is shown: cut below MPI if wanted, outliers
 * first, with its classes. What the renderers (stack_text.c and others) draw.
 *
 * Outliers first: of siblings the one with fewer tasks, of classes the
 * smaller one. */
#ifndef HECTOR_CALLVIEW_H
#define HECTOR_CALLVIEW_H

#include <stdbool.h>
#include <stdint.h>

#include "hct.pb-c.h"
#include "proto/base/err.h"
#include "proto/base/str.h"
#include "proto/tree/prefixtree.h"

struct callview {
    const Hct__CallTree *m;     /* borrowed */
    const char *title;          /* borrowed: job 7, processes 1-3 */
    bool processes;             /* positions are processes, not ranks */
    uint32_t ntasks;            /* that have a trace */
    struct prefixtree tree;
    struct prefixtree_classes classes;
    uint32_t *order, *depth;    /* owned: nodes for people, without the root;
                                   depth from 0 */
    uint32_t n;                 /* of them */
    bool *in_mpi;               /* owned: by node */
};

/* cut: frames inside MPI are left out, but for the call that leads there. */
int callview_init(struct callview *v, const Hct__CallTree *m, bool cut,
                  struct err *err);
void callview_fini(struct callview *v);

/* Texts of a node's frame, "" if not known. */
const char *callview_function(const struct callview *v, uint32_t node);
const char *callview_module(const struct callview *v, uint32_t node);
const char *callview_file(const struct callview *v, uint32_t node);
uint32_t callview_line(const struct callview *v, uint32_t node);

/* Append "[0-3,7]", of a node's tasks or of a class. */
void callview_ranks(const struct callview *v, uint32_t node, struct str *out);
void callview_class_ranks(const struct callview *v, uint32_t i,
                          struct str *out);

/* Traces that end in this node. */
uint64_t callview_self(const struct callview *v, uint32_t node);

/* The nodes from the outermost frame to this one; returns how many, at most
 * max. */
unsigned callview_path(const struct callview *v, uint32_t node,
                       uint32_t *path, unsigned max);

/* Text in a page of HTML or SVG, or between double quotes of DOT. */
void callview_escape_xml(struct str *out, const char *text);
void callview_escape_dot(struct str *out, const char *text);

#endif
