/* signals.h - signals by the names people use. */
#ifndef HECTOR_SIGNALS_H
#define HECTOR_SIGNALS_H

#include <signal.h>
#include <stdbool.h>

#include "proto/base/err.h"

/* "TERM", "SIGTERM", "term", "15", "RTMIN+2" -> 15; -1 with err. */
int signals_number(const char *text, struct err *err);

/* 15 -> "SIGTERM", "SIGRTMIN+2"; "signal 99" for what is none. Static, or in
 * a buffer of this thread that the next call overwrites. */
const char *signals_name(int number);

/* A batch system that sends one of these to processes of its job means the
 * tasks (sbatch --signal): whatever of ours gets it lives on, and hands it to
 * them. private: it is of that job alone, and so are those that stop it, let
 * it go on, or end it with a core. */
bool signals_is_passed(int number, bool private);
void signals_add_passed(sigset_t *set, bool private);

/* One that stops a process, unless that makes something else of it. */
bool signals_is_stop(int number);

/* Can a process have been ended by this? 0, none, is fine. */
bool signals_may_end(int number);

/* 11 -> "Segmentation fault", as strsignal() in the C locale. */
const char *signals_describe(int number);

#endif
