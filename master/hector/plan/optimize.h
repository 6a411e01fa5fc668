/* optimize.h - hector optimize. */
#ifndef HECTOR_HECTOR_OPTIMIZE_H
#define HECTOR_HECTOR_OPTIMIZE_H

#include "master/hector/core/command.h"

extern const struct command optimize_command;

#endif
