/* otherload.h - the processors of this machine that programs take which are none of
 * ours: the time that all have used, without that of this slave, its tasks, and all
 * that these have started. */
#ifndef HECTOR_OTHERLOAD_H
#define HECTOR_OTHERLOAD_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

struct otherload {              /* {0} before the first look */
    bool begun;
    uint64_t busy_ns, ours_ns, at_ns;   /* at the last look */
};

/* Processors since the look before; -1: there was none, or /proc cannot be read.
 * ours: processes whose children are ours too. */
double otherload_look(struct otherload *l, const pid_t *ours, size_t n,
                      uint64_t now_ns);

/* The parts that are not the kernel's; for tests. Time of all processors since the
 * machine was started, from the text of /proc/stat; of which nobody used any, and
 * what other machines took, does not count. 0: there is none. */
uint64_t otherload_parse(const char *text);
double otherload_since(struct otherload *l, uint64_t busy_ns, uint64_t ours_ns,
                       uint64_t now_ns);

/* What those of ours have used, and all that these have started; each once. */
uint64_t otherload_ours(const pid_t *ours, size_t n);

#endif
