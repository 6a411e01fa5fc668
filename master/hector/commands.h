/* commands.h - the commands of hector(1) that have one file each. */
#ifndef HECTOR_COMMANDS_H
#define HECTOR_COMMANDS_H

#include "master/hector/core/command.h"

extern const struct command ps_command;
extern const struct command nodes_command;
extern const struct command events_command;
extern const struct command deadline_command;
extern const struct command deadlines_command;
extern const struct command report_command;
extern const struct command sql_command;
extern const struct command kill_command;
extern const struct command migrate_command;
extern const struct command checkpoint_command;
extern const struct command checkpoints_command;
extern const struct command drain_command;
extern const struct command undrain_command;
extern const struct command suspend_command;
extern const struct command priority_command;
extern const struct command resume_command;
extern const struct command replay_command;
extern const struct command tree_command;

#endif
