/* watcher_act.h - what follows from a verdict: the record, the words to the
 * person, and the action that --on-hang allows. Part of watcher.h. */
#ifndef HECTOR_WATCHER_ACT_H
#define HECTOR_WATCHER_ACT_H

#include "master/policy.h"
#include "master/watcher.h"

enum watcher_on_hang { ON_HANG_REPORT, ON_HANG_SUSPEND, ON_HANG_KILL };

/* What has been said and done so far. {.job, .conf, .on_hang} at first. */
struct watcher_hang;
struct watcher_act {
    struct job *job;            /* borrowed */
    const struct watcher_conf *conf;    /* borrowed */
    enum watcher_on_hang on_hang;
    bool told;                  /* the person knows of a hang, and not that
                                   it is over */
    bool stale;                 /* not all tasks were seen in this look */
    struct watcher_hang *hang;  /* owned: one that is not told yet */
};

/* The job does not run any more: tell what is not told yet. */
void watcher_act_stop(struct watcher_act *a);
void watcher_act_fini(struct watcher_act *a);

/* Everything that came out of one step. */
void watcher_act(struct watcher_act *a, const struct policy *p,
                 const struct hct_snapshot *s, const struct policy_out *o);

/* A policy has done something odd, or is switched off for it. */
void watcher_complain(struct watcher_act *a, const struct policy *p,
                      const char *why, bool off);

#endif
