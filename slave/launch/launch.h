/* launch.h - fork and exec of one task.
 *
 * The child is its own process group (with a terminal: session), gets the
 * three descriptors it is given and no other, default signals, an empty mask,
 * and dies with the slave.
 * Whether its exec worked comes later through a pipe: the loop never waits
 * for a file system. */
#ifndef HECTOR_LAUNCH_H
#define HECTOR_LAUNCH_H

#include <stdbool.h>
#include <sys/types.h>

#include "proto/base/err.h"
#include "slave/launch/exec.h"
#include "slave/launch/schedule.h"

/* Let this process have all the descriptors it may, and make files as large as
 * it may; tasks get the limits that were in force before. Call once, first. */
void launch_init(void);

/* Whom a root slave becomes. */
struct launch_user {
    uid_t uid;
    gid_t gid;
    gid_t *groups;              /* owned */
    int ngroups;
    int change;                 /* 0: stay who we are */
};

/* Look the user up; a slave that is not root can only stay who it is. */
int launch_user_init(struct launch_user *u, uid_t uid, gid_t gid,
                     struct err *err);
/* -1: no memory. */
int launch_user_copy(struct launch_user *to, const struct launch_user *u);
void launch_user_fini(struct launch_user *u);
int launch_become(const struct launch_user *u); /* for good; -1 and errno */

struct launch_spec {            /* everything borrowed */
    const struct exec_search *search;
    char *const *env;
    const char *wdir;
    const struct launch_user *user;
    int fds[3];                 /* stdin, stdout, stderr of the task */
    bool terminal;              /* fds are its controlling terminal */
    const struct schedule *schedule;    /* NULL: whatever it finds */
    int pass[2];                /* it gets these as well; 0: none */
};

/* Start it. Returns the pid, and in *report a descriptor (non-blocking,
 * close-on-exec) that brings end of file when the program runs, or a struct
 * exec_report when it could not. -1: not even a process could be made. */
pid_t launch_start(const struct launch_spec *s, int *report,
                   struct err *err);

/* Read the report. 1: *r holds the failure; 0: the program runs; -1: nothing
 * has come yet. */
int launch_report(int report, struct exec_report *r);

#endif
