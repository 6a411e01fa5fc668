/* delay.h - how long a process was kept from a processor: it could have gone on,
 * and others ran. */
#ifndef HECTOR_DELAY_H
#define HECTOR_DELAY_H

#include <stdbool.h>
#include <stdint.h>
#include <sys/types.h>

/* Of one thread, since it began; {0}: not known. */
struct delay { uint64_t ran_ns, kept_ns; };

/* What was had in a stretch of time, by what was known at both its ends; {0}: not
 * known, or of another process. */
struct delay delay_since(const struct delay *now, const struct delay *before);

/* What a process had had when phases of its program began, the last ones, as
 * they were seen to. One that comes soon behind another has what both had, never
 * less than its own: who was kept from a processor for a while must not look
 * slow. Of the other nothing is known then. */
enum { DELAY_MARKS = 4 };
struct delay_phases {           /* {0} knows nothing */
    struct delay_mark { uint32_t phase; struct delay is; } mark[DELAY_MARKS];
    unsigned n;                 /* the newest first */
    uint64_t at_ns;             /* of that */
};
/* It is in this phase now. */
void delay_turn(struct delay_phases *p, pid_t pid, uint32_t phase,
                uint64_t now_ns);
/* In that phase, to its end or now. */
struct delay delay_in_phase(const struct delay_phases *p, uint32_t phase,
                            const struct delay *now);

/* Of the thread that was kept the longest, of those that are there: one that all
 * others wait for is enough. Reads a file for each thread, of the first
 * DELAY_THREADS. */
enum { DELAY_THREADS = 256 };
void delay_read(struct delay *d, pid_t pid);

/* Of its main thread alone, by one file. */
void delay_read_main(struct delay *d, pid_t pid);

/* The part that is not the kernel's; for tests. text of /proc/PID/schedstat. */
bool delay_parse(const char *text, struct delay *d);

#endif
