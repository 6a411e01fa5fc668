/* planshow.h - optimizers side by side, on the same fleet: what --optimizer
 * prints. */
#ifndef HECTOR_EMULATE_PLANSHOW_H
#define HECTOR_EMULATE_PLANSHOW_H

#include <stdbool.h>

#include "proto/base/err.h"
#include "slave/emulate/plan/fleet.h"

/* That optimizer beside `stay`, `balance` and the bound. *misused: the
 * optimizer cannot be loaded, which is the user's mistake. */
int planshow_run(const char *optimizer, const struct fleet_conf *conf,
                 bool json, bool *misused, struct err *err);

#endif
