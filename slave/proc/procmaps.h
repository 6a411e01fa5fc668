/* procmaps.h - what is mapped in a process, as the text of /proc/PID/maps. */
#ifndef HECTOR_PROCMAPS_H
#define HECTOR_PROCMAPS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

/* At most size - 1 bytes and a NUL; how many. 0: it is ending. -1: errno says
 * why not. */
ssize_t procmaps_read(pid_t pid, char *text, size_t size);

/* Is what is mapped there the process's alone? False also if it cannot be
 * read. */
bool procmaps_private(pid_t pid, uint64_t address);

#endif
