/* clock.h - the two clocks of Hector, both in nanoseconds.
 *
 * Inside a process time is monotonic. Wall time goes to the store, to people
 * and, with an offset and its error bound, between hosts. */
#ifndef HECTOR_CLOCK_H
#define HECTOR_CLOCK_H

#include <stdint.h>
#include <sys/time.h>
#include <sys/types.h>

#define CLOCK_NS_PER_S  1000000000ull
#define CLOCK_NS_PER_MS 1000000ull

uint64_t clock_monotonic_ns(void);
uint64_t clock_wall_ns(void);
/* Processor time of another process so far; 0 if there is none. */
uint64_t clock_process_ns(pid_t pid);
struct timeval clock_timeval(uint64_t ns);      /* for libevent */

/* One exchange of wall-clock stamps, as in NTP: ours when we sent, theirs
 * when they received and answered, ours when the answer came. */
struct clock_sample { uint64_t sent, peer_received, peer_sent, received; };

/* Offset of the peer's wall clock against ours: the sample with the shortest
 * round trip of the last CLOCK_WINDOW is believed. */
enum { CLOCK_WINDOW = 8 };
struct clock_offset {
    int64_t offset_ns;          /* peer minus ours                         */
    uint64_t error_ns;          /* |true offset - offset_ns| is at most it */
    unsigned samples;           /* seen so far; 0: nothing is known        */
    int64_t window_offset[CLOCK_WINDOW];
    uint64_t window_error[CLOCK_WINDOW];
};
void clock_offset_add(struct clock_offset *o, const struct clock_sample *s);

#endif
