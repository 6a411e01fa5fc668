/* ownmaster.h - a hector-master of our own, with a database that goes with it,
 * and what it costs. */
#ifndef HECTOR_OWNMASTER_H
#define HECTOR_OWNMASTER_H

#include <stdint.h>
#include <sys/types.h>

#include "proto/base/err.h"
#include "proto/link/addr.h"

struct ownmaster { pid_t pid; char address[ADDR_TEXT_MAX]; };

int ownmaster_start(struct ownmaster *m, const char *dir, struct err *err);
void ownmaster_end(struct ownmaster *m);        /* {0} is fine */

/* Processor time so far and memory; 0 where it is not ours. */
uint64_t ownmaster_cpu_ns(const struct ownmaster *m);
uint64_t ownmaster_rss_bytes(const struct ownmaster *m);
uint64_t ownmaster_peak_bytes(const struct ownmaster *m);

#endif
