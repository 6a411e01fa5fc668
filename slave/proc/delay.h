/* delay.h - how long a process was kept from a processor: it could have gone on,
 * and others ran. */
#ifndef HECTOR_DELAY_H
#define HECTOR_DELAY_H

#include <stdbool.h>
#include <stdint.h>
#include <sys/types.h>

/* Of one thread, since it began; {0}: not known. */
struct delay { uint64_t ran_ns, kept_ns; };

/* Of the thread that was kept the longest, of those that are there: one that all
 * others wait for is enough. Reads a file for each thread, of the first
 * DELAY_THREADS. */
enum { DELAY_THREADS = 256 };
void delay_read(struct delay *d, pid_t pid);

/* The part that is not the kernel's; for tests. text of /proc/PID/schedstat. */
bool delay_parse(const char *text, struct delay *d);

#endif
