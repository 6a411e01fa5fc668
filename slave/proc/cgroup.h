/* cgroup.h - control groups of the kernel: where that of a process is, what is
 * written into one.
 *
 * Ours are called hector-PID-... below the one that we are in, PID being ours. */
#ifndef HECTOR_CGROUP_H
#define HECTOR_CGROUP_H

#include <stdbool.h>
#include <stddef.h>
#include <sys/types.h>

enum { CGROUP_PATH = 4096 };

/* The directory of the control group that a process is in, from the texts of
 * /proc/PID/cgroup and /proc/PID/mountinfo: of version 1 for this controller, or
 * (NULL) of version 2. False: there is none, or it cannot be seen from here. */
bool cgroup_find(const char *cgroup, const char *mountinfo,
                 const char *controller, char *dir, size_t size);
/* Ours. */
bool cgroup_own(const char *controller, char *dir, size_t size);

/* -1: errno says why. */
int cgroup_put(const char *dir, const char *name, const char *text);
int cgroup_move(const char *dir, pid_t pid);
/* A new one, or one that is there. Where the one above it is a threaded domain
 * (version 2) it can have processes only if it is threaded, too. */
int cgroup_make(const char *dir);

/* All who are in it go to parent, until nobody is left, and it is removed. False: it
 * cannot be yet, as of one that is just dying. */
bool cgroup_remove(const char *parent, const char *dir);
/* The same with what processes that are dead have left in parent. */
void cgroup_sweep(const char *parent);

#endif
