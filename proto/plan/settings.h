/* settings.h - parameters of a policy or an optimizer, read by its own
 * table. */
#ifndef HECTOR_SETTINGS_H
#define HECTOR_SETTINGS_H

#include "policies/hct_policy.h"
#include "proto/base/err.h"

/* "KEY=VALUE,KEY=VALUE" over the defaults, into v, which has HCT_PARAMS_MAX.
 * who, "policy hang", begins the sentence of what is wrong. */
int settings_read(const struct hct_param *table, double *v, const char *who,
                  const char *text, struct err *err);

#endif
