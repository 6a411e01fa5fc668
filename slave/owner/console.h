/* console.h - when somebody has last typed at this machine: the time at which input
 * was last read from its terminals, as w(1) and finger(1) have it. */
#ifndef HECTOR_CONSOLE_H
#define HECTOR_CONSOLE_H

#include <stddef.h>
#include <stdint.h>

#include "slave/owner/sessions.h"

#define CONSOLE_DEVICES "/dev/console /dev/tty[0-9]* /dev/pts/[0-9]*"

/* The last input at any of these (patterns of glob(7), with blanks between) was so
 * long ago, and why says where. No device is ever opened. Pseudo terminals of users
 * who pass do not count. -1: there is no such device. */
int console_look(const char *devices, sessions_passes_f *passes, void *arg,
                 uint64_t wall_ns, uint64_t *ago_ns, char *why, size_t size);

#endif
