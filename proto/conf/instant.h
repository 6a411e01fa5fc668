/* instant.h - a moment, to the nanosecond, as people write it: seconds since the
 * epoch, 1795747873.25, or a date and time of ISO 8601, 2026-11-27T02:51:13.25Z,
 * which is local without a zone; seconds may be left away. */
#ifndef HECTOR_INSTANT_H
#define HECTOR_INSTANT_H

#include <stddef.h>
#include <stdint.h>

/* Up to the year 2199. -1: it is none, and *ns is untouched. */
int instant_parse(uint64_t *ns, const char *text);

/* UTC, 2026-11-27T02:51:13.25Z; at most 31 bytes with the zero. */
void instant_format(uint64_t ns, char *buf, size_t size);

#endif
