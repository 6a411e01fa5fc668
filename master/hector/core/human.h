/* human.h - times, durations and sizes as people read them.
 *
 * Each writes into buf (HUMAN_MAX bytes are enough) and returns it. */
#ifndef HECTOR_HUMAN_H
#define HECTOR_HUMAN_H

#include <stddef.h>
#include <stdint.h>

enum { HUMAN_MAX = 40 };

/* Local time: "14:03:59" within the day of now, "2026-11-20 14:03" before. */
char *human_time(char *buf, uint64_t ns, uint64_t now_ns);

/* Local time of day with microseconds, "14:03:59.123456". */
char *human_stamp(char *buf, uint64_t ns);

/* Three digits: "850 ns", "12.3 us", "4.56 ms", "7.89 s"; above a minute
 * "2m05s", "3h12m", "4d03h". A minus sign in front of negative ones. */
char *human_duration(char *buf, int64_t ns);

/* "512", "1.5K", "24.1G": powers of 1024. */
char *human_bytes(char *buf, uint64_t bytes);

#endif
