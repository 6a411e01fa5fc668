/* refused.h - strangers in the log: each source once, however often it comes.
 *
 * A process has one table of sources, as it has one log. A source is an
 * address without its port, or a uid. What it did first is logged at once;
 * the same kind of thing again only after a minute, with how often it came
 * meanwhile. Many sources share a budget of lines, so that nobody fills a
 * disk with the log. Memory is bounded by the table. */
#ifndef HECTOR_REFUSED_H
#define HECTOR_REFUSED_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "proto/base/err.h"

/* Log that peer ("tcp:10.0.0.2:4711", "uid 1000 pid 12", any name) was sent
 * away, unless it is too soon to say so again. The kind is why->code. */
void refused(const char *subsystem, const char *peer, const struct err *why);

/* For tests: decide at this time. True if a line is due; *count is how many
 * refusals it stands for. */
bool refused_due(const char *peer, int kind, uint64_t now_ns,
                 unsigned *count);
void refused_reset(void);

#endif
