/* lookmodel.h - the model in the page of one task, as part of a look: for policies,
 * which see each task by itself. That of a whole job is taskmodel.h's. */
#ifndef HECTOR_LOOKMODEL_H
#define HECTOR_LOOKMODEL_H

#include <stdbool.h>
#include <stdint.h>

#include "hct.pb-c.h"
#include "slave/page/window.h"
#include "slave/proc/ticks.h"

/* Room to read into, used again for each task. */
struct lookmodel;
struct lookmodel *lookmodel_create(void);       /* NULL: no memory */
void lookmodel_destroy(struct lookmodel *r);    /* NULL is fine */

/* Of what time, and what is kept of the task for that. */
struct lookmodel_time {
    enum window_what window;
    const struct windows *kept;         /* borrowed; NULL: nothing */
    const uint32_t *phase;      /* WINDOW_PHASE: of that one, or UINT32_MAX,
                                   those that are merged; NULL: of the current
                                   one */
    uint64_t ago_ns;            /* WINDOW_LAST: since so long ago, as nearly as
                                   is kept; 0: the last minutes. Others, not 0:
                                   the time since then is to be in m->last */
};

/* Into m, all but the rank; its columns are one piece that begins with places,
 * also of m->last, whose edges are between states of m: free that. site is the
 * one of hct_rank. False: it has called nothing yet, or there is no memory, or
 * what it was asked for cannot be read just now. m->ago_ns 0: it is not there:
 * the task is not in that phase yet, or keeps it apart no more.
 *
 * Of a window states have what its edges say: how often they were come to, the
 * time in them and before them, and no longest one. Of the last minutes all
 * phases are one, HCT_PHASES_OVER. */
bool lookmodel_read(struct lookmodel *r, const char *page,
                    const struct ticks *ticks, uint32_t site,
                    const struct lookmodel_time *time, Hct__Looked__Model *m);

/* Of what was read last for WINDOW_LAST: what the process had had of a processor when
 * that began. */
struct delay lookmodel_delay(const struct lookmodel *r);

#endif
