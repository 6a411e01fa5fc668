/* sample.h - what the page and /proc say of one task.
 *
 * CPU time is not measured in the task, where reading the clock would cost
 * more than the call it measures: it is sampled here and split into time in
 * and out of MPI by the wall time in and out since the last sample. */
#ifndef HECTOR_SAMPLE_H
#define HECTOR_SAMPLE_H

#include <stdbool.h>
#include <stdint.h>
#include <sys/types.h>

#include "slave/proc/ticks.h"

/* Counters of a page, summed over its threads. */
struct sample_page {
    uint64_t calls, in_ns, out_ns, waits, lost;
    uint32_t call;              /* current one of the first thread, 0 outside */
};
void sample_page_read(const char *page, const struct ticks *ticks,
                      struct sample_page *out);
void sample_page_add(struct sample_page *to, const struct sample_page *more);

struct sample_proc { uint64_t cpu_ns, rss_bytes; };

/* The text of /proc/PID/stat. With children: what it has waited for too. */
int sample_proc_parse(const char *stat, bool children,
                      struct sample_proc *out);
int sample_proc_read(pid_t pid, bool children, struct sample_proc *out);

/* Running split of a task's CPU time. */
struct sample_split {
    uint64_t cpu_ns, in_ns, out_ns;     /* at the last sample */
    uint64_t cpu_in_ns;
};
void sample_split_add(struct sample_split *s, uint64_t cpu_ns,
                      uint64_t in_ns, uint64_t out_ns);

#endif
