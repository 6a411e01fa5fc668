/* why.h - hector why: what policies have found about a job. */
#ifndef HECTOR_WHY_H
#define HECTOR_WHY_H

#include "master/hector/core/command.h"

extern const struct command why_command;

#endif
