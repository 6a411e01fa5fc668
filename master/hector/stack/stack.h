/* stack.h - hector stack: where the tasks of a job are. */
#ifndef HECTOR_STACK_H
#define HECTOR_STACK_H

#include "master/hector/core/tool.h"

int stack_command(const struct tool *t);

#endif
