/* sessions.h - who is logged in on this machine: by utmp(5), or by the files that
 * systemd-logind keeps of its sessions, where there is no utmp any more. */
#ifndef HECTOR_SESSIONS_H
#define HECTOR_SESSIONS_H

#include <stdbool.h>
#include <stddef.h>
#include <sys/types.h>

/* Does that user not count? */
typedef bool sessions_passes_f(void *arg, uid_t uid);

/* What there is of them on this system: a file or a directory; NULL: nothing. */
const char *sessions_path(void);

/* 1: somebody is, and why says who ("alice is logged in on tty1"); 0: nobody.
 * -1: path cannot be read. Reads files of this machine, and asks no name service:
 * it does not wait for anybody. */
int sessions_look(const char *path, sessions_passes_f *passes, void *arg,
                  char *why, size_t size);

#endif
