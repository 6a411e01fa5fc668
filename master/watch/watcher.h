/* watcher.h - the policies of one job: has its tasks looked at, asks them,
 * records what they saw and said, and does what they propose within limits.
 *
 * Made when the job is submitted, so that a policy that cannot be is said at
 * once; begins when the job runs, ends with it. */
#ifndef HECTOR_WATCHER_H
#define HECTOR_WATCHER_H

#include <stdbool.h>
#include <stdint.h>
#include <event2/event.h>

#include "hct.pb-c.h"
#include "proto/base/err.h"

struct job;
struct job_node;
struct watcher;

struct watcher_conf {
    const char *policies;       /* by default, separated by blanks */
    uint32_t kills_per_hour;    /* of all jobs of this master together */
    uint64_t tape_bytes;        /* kept of a job */
    uint32_t hang_samples;      /* of all stacks at a hang; 0: none */
};

/* What a watcher has done, by whoever drives jobs. */
struct watcher_ops {
    /* A sentence for the person who runs the job. */
    void (*notice)(const struct job *j, bool error, const char *fmt, ...)
        __attribute__((format(printf, 3, 4)));
    /* End the job; exit_code is how that looks. */
    void (*kill)(struct job *j, const char *why, int exit_code, bool at_once);
    /* Suspend all tasks; by and why are for the record. -1: that cannot be. */
    int (*suspend)(struct job *j, const char *by, const char *why,
                   struct err *err);
};

/* For a job that is being submitted. NULL with a sentence: a policy is
 * wrong. ops is borrowed. */
struct watcher *watcher_create(struct event_base *base, struct job *j,
                               const struct watcher_conf *conf,
                               const struct watcher_ops *ops,
                               const Hct__Submit *s, struct err *err);
void watcher_destroy(struct watcher *w);        /* NULL is fine, as below */

void watcher_start(struct watcher *w);
/* The same for a job that another master has begun to watch: its policies get
 * back what they knew, some time later. */
void watcher_resume(struct watcher *w);
void watcher_stop(struct watcher *w);

/* Words of a slave; -1: they make no sense. */
int watcher_looked(struct watcher *w, struct job_node *jn,
                   const Hct__Looked *m, struct err *err);
/* Its slave does not remember what it has told. */
void watcher_node_back(struct watcher *w, const struct job_node *jn);

#endif
