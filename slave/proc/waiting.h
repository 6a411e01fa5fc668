/* waiting.h - what a process that sleeps in a system call waits for: a time,
 * a child, a pipe, a lock. From /proc/PID/syscall, its descriptors and, for
 * the time it has asked for, its memory; it is not stopped for that. */
#ifndef HECTOR_WAITING_H
#define HECTOR_WAITING_H

#include <stdbool.h>
#include <stdint.h>
#include <sys/types.h>

enum { WAITING_NAME = 40, WAITING_TEXT = 200 };

struct waiting {                /* {0}: it is not known */
    uint32_t what;              /* enum hct_waits */
    uint64_t ns;                /* HCT_WAITS_TIME: that it has asked for, or,
                                   of a time of the clock, that was left when
                                   it was first seen; 0: it cannot be read */
    bool collects;              /* HCT_WAITS_SIGNAL: to take it itself, and
                                   that is disturbed if it is stopped */
    char name[WAITING_NAME];    /* of a file or a child; "" if not known */
    char text[WAITING_TEXT];    /* of the system call: while it is the same
                                   nothing is read again, but a child's name */
};

/* text is that of /proc/PID/syscall. */
void waiting_read(struct waiting *w, pid_t pid, const char *text);

#endif
