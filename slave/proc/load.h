/* load.h - what this node has and how busy it is. */
#ifndef HECTOR_LOAD_H
#define HECTOR_LOAD_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* Processors a job may use here: the affinity mask and the cgroup's quota
 * (rounded up) are respected, at least 1. */
unsigned load_cpus(void);

/* All that this machine has. */
unsigned load_processors(void);

/* How fast one of them is, as a part of a usual one: by a loop that is
 * measured, and takes some milliseconds. */
double load_speed(void);
/* The part of it that each of so many gets, by the quota that holds now: less
 * than 1 where that is no whole number of processors, or has become less than
 * these. */
double load_part(unsigned cpus);
/* The same of a quota in processors; 0: none. */
double load_quota_part(double quota, unsigned cpus);

/* The quota of a cgroup in processors, from the text of cpu.max ("max
 * 100000", "150000 100000"); 0: none. */
double load_parse_cpu_max(const char *text);

/* Limits of one control group of version 2, which dir is: processors, bytes;
 * 0: none. */
double load_cpu_max(const char *dir);
double load_memory_max(const char *dir);

/* The least of what look() finds in dir, a control group, and in all that it
 * lies in; 0: there is none. */
double load_least_limit(const char *dir, double (*look)(const char *dir));

/* Installed, or the cgroup's limit where that is less. */
uint64_t load_memory_bytes(void);

/* What can be had of it now; 0: not known. */
uint64_t load_available_bytes(void);

/* How many processes of our control group the kernel has killed so far, as
 * that had no more memory; 0: none, or not known. */
uint64_t load_starved(void);
/* The file that says so, of a process with that /proc/PID/cgroup and mountinfo;
 * false: there is none. */
bool load_starved_file(const char *cgroup, const char *mountinfo, char *path,
                       size_t size);
/* The number behind "oom_kill" in such a file's text. */
uint64_t load_parse_starved(const char *text);

/* Is there a network that MPI has a better driver for than TCP? */
bool load_fast_fabric(void);

struct load {
    double load;                /* 1-minute load average */
    double busy;                /* 0..1 since the last reading */
    uint64_t available_bytes;
    uint64_t idle, total;       /* of the last reading, for busy */
};
void load_read(struct load *l); /* {0} before the first time */

#endif
