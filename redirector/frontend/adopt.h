/* adopt.h - hector-run --adopt and --adopt-env: a command that starts MPI
 * tasks by itself is run, or a shell's commands are let run, and what they
 * start is watched.
 *
 * The streams of the command are none of ours. Its status is ours: Hector's
 * own failures, once the command runs, are said and change nothing. */
#ifndef HECTOR_ADOPT_H
#define HECTOR_ADOPT_H

struct frontend_conf;

/* Returns the exit status. What there is to say has been said. */
int adopt_run(const struct frontend_conf *conf);

#endif
