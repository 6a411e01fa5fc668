/* panel.h - which policies watch a job: those of hector.conf and those that the
 * user has named. */
#ifndef HECTOR_PANEL_H
#define HECTOR_PANEL_H

#include <stddef.h>

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

#endif
