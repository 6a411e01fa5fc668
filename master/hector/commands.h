/* commands.h - the commands of hector(1) that have one file each; see tool.h for
 * what a command is. */
#ifndef HECTOR_COMMANDS_H
#define HECTOR_COMMANDS_H

#include "master/hector/core/tool.h"

int ps_command(const struct tool *t);
int nodes_command(const struct tool *t);
int events_command(const struct tool *t);
int report_command(const struct tool *t);
int sql_command(const struct tool *t);
int kill_command(const struct tool *t);
int suspend_command(const struct tool *t);
int resume_command(const struct tool *t);
int replay_command(const struct tool *t);
int tree_command(const struct tool *t);

#endif
