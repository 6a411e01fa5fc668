/* replayplans.h - an optimizer is asked again about the systems that a master has
 * recorded: its steps, a line each, as they were stored. */
#ifndef HECTOR_REPLAYPLANS_H
#define HECTOR_REPLAYPLANS_H

#include "master/hector/core/tool.h"

/* spec "-": whoever was asked then. The exit status. */
int replayplans(const struct tool *t, const char *spec);

#endif
