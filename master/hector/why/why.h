/* why.h - hector why: what policies have found about a job. */
#ifndef HECTOR_WHY_H
#define HECTOR_WHY_H

#include "master/hector/core/tool.h"

int why_command(const struct tool *t);

#endif
