/* alive.h - is another master dead? Only what can be proved counts: a master
 * on another machine, or in a container we cannot look into, is alive. */
#ifndef HECTOR_ALIVE_H
#define HECTOR_ALIVE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* What tells this process from every other that has or had its pid: boot,
 * pid namespace and time of start. "" if the system does not say. */
void alive_self(char *buf, size_t size);

/* Is the hector-master that wrote this down provably gone? process may be
 * NULL: then only a pid that is free, or is no hector-master's, proves it. */
bool alive_is_dead(const char *host, uint32_t pid, const char *process);

#endif
