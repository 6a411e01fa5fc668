/* watcher.h - the policies of one job: has its tasks looked at, asks them,
 * records what they saw, and hands on what they say.
 *
 * Made when the job is submitted, so that a policy that cannot be is said at
 * once; begins when the job runs, ends with it. */
#ifndef HECTOR_WATCHER_H
#define HECTOR_WATCHER_H

#include <stdbool.h>
#include <stdint.h>
#include <event2/event.h>

#include "hct.pb-c.h"
#include "master/watch/judge.h"
#include "proto/base/err.h"

struct calendar;
struct job;
struct job_node;
struct journal;
struct reducer;
struct watcher;

struct watcher_conf {
    const char *policies;       /* by default, separated by blanks */
    uint64_t tape_bytes;        /* kept of a job */
    struct judge_conf judge;    /* uid is the job's */
    struct reducer *reducer;    /* borrowed: for questions to all tasks; NULL:
                                   there are none */
};

/* Who hears what the policies of a job find. */
struct watcher_ops {
    /* Everything that came out of one step. */
    void (*found)(struct job *j, const struct judge *p,
                  const struct found *f);
    /* This policy has seen a look, and all that it has found is known. */
    void (*looked)(struct job *j, const struct judge *p,
                   const struct judge_done *d);
    /* The job does not run any more. */
    void (*stopped)(struct job *j);
    /* The job is taken up again; those of its policies that were switched off
     * are to be off. */
    void (*recalled)(struct job *j, struct judge *const *v, size_t n);
    /* A policy has done something odd, or is switched off for it. */
    void (*complained)(struct job *j, const struct judge *p, const char *why,
                       bool off);
    /* Instances of deadlines; shift_ns is to be added to their times for a wall
     * clock. */
    void (*instances)(struct job *j, const struct judge *p,
                      const struct hct_instance *v, uint32_t n, int64_t shift_ns);
    /* The last look is over: watcher_last(). */
    void (*closed)(struct job *j);
    /* No policy can look at the job. */
    void (*blind)(struct job *j, const char *why);
};

/* For a job that is being submitted. NULL with a sentence: a policy is
 * wrong. judges, journal and ops are borrowed. */
struct watcher *watcher_create(struct event_base *base,
                               struct judges *judges, struct job *j,
                               struct journal *journal,
                               const struct watcher_conf *conf,
                               const struct watcher_ops *ops,
                               const Hct__Submit *s, struct err *err);
void watcher_destroy(struct watcher *w);        /* NULL is fine, as below */

void watcher_start(struct watcher *w);
/* The same for a job that another master has begun to watch: its policies get
 * back what they knew, some time later. */
void watcher_resume(struct watcher *w);
void watcher_stop(struct watcher *w);
/* The job ends, in place of watcher_stop(): tagged calls still come, and where
 * something is due of them are shown in a last look, */
void watcher_close(struct watcher *w);
/* ... now that all have come. True: what it says is not known yet, closed() is
 * told when it is; that is waited for some seconds at most. False: nobody looks
 * any more. */
bool watcher_last(struct watcher *w);

/* Have somebody watch what is due. -1 with a sentence: that cannot be. */
int watcher_watch_due(struct watcher *w, struct err *err);
/* What is due is in *c from now on, as eventbook_reschedule() has it: shown at
 * once. */
void watcher_reschedule(struct watcher *w, struct calendar *c);

/* A person asks who is behind, or odd, in what time: the next look is for that.
 * -1 with a sentence: no policy of the job says so. */
int watcher_ask(struct watcher *w, const char *policy,
                const struct hct_when *when, struct err *err);

/* What is due in the job by that number; NULL: nothing is, or any more. */
struct due;
const struct due *watcher_due(const struct watcher *w, uint32_t number);

/* Words of a slave; -1: they make no sense. */
int watcher_looked(struct watcher *w, struct job_node *jn,
                   const Hct__Looked *m, struct err *err);
/* Tagged calls of a slave, of which all below the record `known` have been told
 * before. */
void watcher_events(struct watcher *w, const struct job_node *jn,
                    const Hct__Events *m, uint64_t known);
/* Its slave does not remember what it has told. */
void watcher_node_back(struct watcher *w, const struct job_node *jn);

#endif
