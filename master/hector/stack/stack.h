/* stack.h - hector stack: where the tasks of a job are. */
#ifndef HECTOR_STACK_H
#define HECTOR_STACK_H

#include "master/hector/core/command.h"

extern const struct command stack_command;

#endif
