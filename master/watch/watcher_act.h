/* watcher_act.h - what follows from a verdict: the record, the words to the
 * person, and the action that --on-hang allows. Part of watcher.h. */
#ifndef HECTOR_WATCHER_ACT_H
#define HECTOR_WATCHER_ACT_H

#include "master/watch/policy.h"
#include "master/watch/remedy.h"
#include "master/watch/watcher.h"

/* What has been said and done so far. {.job, .conf, .ops, .on_hang} at
 * first. */
struct watcher_hang;
struct watcher_act {
    struct job *job;            /* borrowed */
    const struct watcher_conf *conf;    /* borrowed */
    const struct watcher_ops *ops;      /* borrowed */
    struct onhang on_hang;
    bool told;                  /* the person knows of a hang, and not that
                                   it is over */
    bool stale;                 /* not all tasks were seen in this look */
    struct watcher_hang *hang;  /* owned: one that is not told yet */
    bool owed;                  /* ... because a master before this one did not
                                   come to it */
    struct remedy remedy;       /* what is to be done yet, */
    bool from_next;             /* ... its time counts from the next look, */
    const struct policy *for_policy;    /* borrowed; and who has found what */
    char *why;                  /* owned */
};

/* The job does not run any more: tell what is not told yet. */
void watcher_act_stop(struct watcher_act *a);
void watcher_act_fini(struct watcher_act *a);

/* The job is taken up again: what was told and done of it is in the database,
 * and which of its policies were switched off. */
void watcher_act_recall(struct watcher_act *a, struct policy *v, size_t n);

/* After a look at that time: what is owed is told, once all tasks were seen
 * and there is somebody to tell; what is due is done, once all were seen. */
void watcher_act_go_on(struct watcher_act *a, uint64_t now_ns);

/* Everything that came out of one step. */
void watcher_act(struct watcher_act *a, const struct policy *p,
                 const struct hct_snapshot *s, const struct policy_out *o);

/* A policy has done something odd, or is switched off for it. */
void watcher_complain(struct watcher_act *a, const struct policy *p,
                      const char *why, bool off);

#endif
