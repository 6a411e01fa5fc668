/* nodemap.h - which nodes a job has and which ranks are on each, as Prepare
 * tells it to every slave: in a few words where names and ranks follow each
 * other, so that a job of very many nodes costs each of them little to hear.
 *
 * Ranks are dealt out in order, by deals: to each of so many nodes in a row so
 * many of them, and so for some rounds. By slot that is one deal of one round,
 * by node one of many. */
#ifndef HECTOR_NODEMAP_H
#define HECTOR_NODEMAP_H

#include <stddef.h>
#include <stdint.h>

#include "hct.pb-c.h"
#include "proto/base/err.h"
#include "proto/base/taskset.h"

struct nodemap_node { char *name; struct taskset ranks; };      /* owned */
struct nodemap { struct nodemap_node *v; size_t n; };           /* owned */

/* Fill what p says of nodes; p owns it until nodemap_drop(). name(arg, i) is
 * the name of node i of n; node_of[rank] is an index of a node, and NULL where
 * ranks come later. -1: out of memory, and nothing is filled. */
int nodemap_write(Hct__Prepare *p, size_t n,
                  const char *(*name)(const void *arg, size_t i),
                  const void *arg, const uint32_t *node_of, uint32_t ntasks);
void nodemap_drop(Hct__Prepare *p);

/* All nodes of a message from outside; every rank is below its ntasks. On
 * error *m is empty. */
int nodemap_read(struct nodemap *m, const Hct__Prepare *p, struct err *err);
void nodemap_fini(struct nodemap *m);

/* The ranks of the node that it is sent to, alone. What *ranks held is gone. */
int nodemap_here(struct taskset *ranks, const Hct__Prepare *p,
                 struct err *err);

#endif
