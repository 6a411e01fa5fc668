/* series.h - looks that slaves have taken several at a time, of one order, put
 * together in the order of time. Pure: no I/O, no clock.
 *
 * Each slave counts from when the order reached it, on its own monotonic clock,
 * so the clocks of the nodes need not agree, and looks that belong together are
 * as far apart as a message takes longer to one node than to another. What
 * drifts is the rhythm: a slave that reads rings is late now and then. So they
 * are not paired by number but by time: the node with most looks leads, and with
 * each of its looks goes all that others have seen until then. */
#ifndef HECTOR_SERIES_H
#define HECTOR_SERIES_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "hct.pb-c.h"
#include "proto/base/err.h"

enum { SERIES_MAX = 64 };       /* looks of an order */

struct series_part;
struct series {                 /* {0} has no nodes */
    struct series_part *part;   /* owned: of each node */
    size_t n;
    uint32_t at;                /* looks of the leader that are done */
};

/* For so many nodes; what there was is gone. -1: no memory, there are none. */
int series_begin(struct series *s, size_t nodes);
void series_fini(struct series *s);

/* An answer with several looks. there says which ranks are that node's. -1: it
 * makes no sense, and nothing of it is kept. */
int series_put(struct series *s, size_t node, const Hct__Looked *m,
               bool (*there)(const void *arg, uint32_t rank), const void *arg,
               struct err *err);
bool series_any(const struct series *s);

/* What belongs to the next look, given to take() in order; *after_ns: when it
 * was. True: there are more. After the last one it is empty again. */
typedef void series_take_f(void *arg, size_t node, const uint8_t *look,
                           size_t bytes);
bool series_step(struct series *s, uint64_t every_ns, series_take_f *take,
                 void *arg, uint64_t *after_ns);

#endif
