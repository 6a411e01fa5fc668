/* own.h - jobs whose tasks this master has started: what follows from what
 * slaves say of them. See job_ops.h. */
#ifndef HECTOR_MASTER_OWN_H
#define HECTOR_MASTER_OWN_H

#include "master/state/job_ops.h"

extern const struct job_ops own_ops;

#endif
