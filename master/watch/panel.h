/* panel.h - which policies watch a job: those of hector.conf and those that the
 * user has named. */
#ifndef HECTOR_PANEL_H
#define HECTOR_PANEL_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "hct.pb-c.h"
#include "master/watch/judge.h"
#include "proto/base/err.h"

enum { PANEL_MAX = 16 };

struct panel {
    struct judge *v[PANEL_MAX];         /* owned */
    size_t n;
};

/* How they are made; all is borrowed. */
struct panel_how {
    struct judges *all;
    const struct judge_conf *conf;
    const struct judge_ops *ops;
    void *arg;
};

/* defaults, separated by blanks, may be NULL; one that there is not is left out
 * and logged. -1 with a sentence: one of the user's is wrong; c is as
 * panel_fini() wants it. */
int panel_init(struct panel *c, const struct panel_how *how,
               const char *defaults, const Hct__Submit *s, struct err *err);
void panel_fini(struct panel *c);

/* One more, that watches what is due, if there is none. -1: there is no such
 * policy, or it is off. */
int panel_watch_due(struct panel *c, const struct panel_how *how,
                    struct err *err);

/* What those need and hear of that are not off: enum hct_need, enum
 * hct_asked. */
uint32_t panel_needs(const struct panel *c);
uint32_t panel_hears(const struct panel *c);
/* ... that would take a look now. */
uint32_t panel_hears_now(const struct panel *c);
/* When the first of these wants one; UINT64_MAX: none does. */
uint64_t panel_wake_ns(const struct panel *c);
/* Is one that hears of that busy? */
bool panel_busy(const struct panel *c, uint32_t asked);
bool panel_off(const struct panel *c);          /* all are */

#endif
