/* model.h - hector model: how the tasks of a job move from call
 * to call. */
#ifndef HECTOR_MODEL_H
#define HECTOR_MODEL_H

#include "master/hector/core/command.h"

extern const struct command model_command;

#endif
