/* lookmodel.h - the model in the page of one task, as part of a look: for policies,
 * which see each task by itself. That of a whole job is taskmodel.h's. */
#ifndef HECTOR_LOOKMODEL_H
#define HECTOR_LOOKMODEL_H

#include <stdbool.h>
#include <stdint.h>

#include "hct.pb-c.h"
#include "slave/proc/ticks.h"

/* Room to read into, used again for each task. */
struct lookmodel;
struct lookmodel *lookmodel_create(void);       /* NULL: no memory */
void lookmodel_destroy(struct lookmodel *r);    /* NULL is fine */

/* Into m, all but the rank; its columns are one piece that begins with places:
 * free that. site is the one of hct_rank. False: it has called nothing yet, or
 * there is no memory. */
bool lookmodel_read(struct lookmodel *r, const char *page,
                    const struct ticks *ticks, uint32_t site,
                    Hct__Looked__Model *m);

#endif
