/* moment.h - a time that has been, as people write it: by the clock, or how long
 * ago it was. */
#ifndef HECTOR_MOMENT_H
#define HECTOR_MOMENT_H

#include <stdint.h>

#include "proto/base/err.h"

/* "5m", "90s", "1.5h" ago; "14:03", "14:03:59", the last time that it was; a day,
 * "2026-11-20", and a time of it, behind a blank or a T, local, or with a Z of UTC.
 * In ns since the epoch, before now_ns. -1: it is none of these, or has not been;
 * the sentence is to have what it was for in front. */
int moment_parse(uint64_t *ns, const char *text, uint64_t now_ns,
                 struct err *err);

#endif
