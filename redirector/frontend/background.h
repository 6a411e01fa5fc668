/* background.h - a session that goes on behind a shell: in the background, away
 * from the terminal, until the shell has ended. */
#ifndef HECTOR_BACKGROUND_H
#define HECTOR_BACKGROUND_H

#include <stddef.h>
#include <sys/types.h>

/* Run session(arg, script) in the background; script is a descriptor. What is
 * written there comes out of our standard output; when it is closed, return:
 * 0 if anything was written, else the session's status. */
int background_run(int (*session)(void *arg, int script), void *arg);

/* The session's words, which are freed, and no more. */
void background_send(int script, char *text);

/* The name of a process, "shell" if it has none. */
void background_name(pid_t shell, char *buf, size_t size);

#endif
