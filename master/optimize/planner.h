/* planner.h - an optimizer in a process of its own: asked, one system at a time,
 * and what it answers checked, counted, and it switched off when that makes no
 * sense several times in a row. Nothing here waits for it. */
#ifndef HECTOR_PLANNER_H
#define HECTOR_PLANNER_H

#include <stdbool.h>

#include "hct.pb-c.h"
#include "master/watch/judge.h"
#include "proto/base/err.h"
#include "proto/plan/optimizer.h"
#include "proto/plan/systembytes.h"

struct planner;

/* None may destroy it. */
struct planner_ops {
    /* Its plan, of what it was shown; all borrowed. odd: what was wrong about
     * it, or "". */
    void (*planned)(void *arg, const struct systembytes *shown,
                    const struct checked *plan, const char *odd);
    /* Its process is gone: there is no answer to what it was asked, if it was.
     * off: for good. */
    void (*lost)(void *arg, const char *why, bool off);
};

/* NULL with a sentence: there is no such optimizer. No process is started here. */
struct planner *planner_create(struct judges *all, const char *spec,
                               const struct judge_conf *conf,
                               const struct planner_ops *ops, void *arg,
                               struct err *err);
void planner_destroy(struct planner *p);        /* NULL is fine */

const char *planner_name(const struct planner *p);
const char *planner_spec(const struct planner *p);
bool planner_off(const struct planner *p);

/* Ask: of systembytes_pack(). -1 with a sentence: not now. */
int planner_ask(struct planner *p, const void *system, size_t bytes,
                struct err *err);

/* A step in words, as the record and hector replay have it; refused: why, or
 * NULL. */
void planner_words(struct str *to, const struct systembytes *of,
                   const struct hct_plan_step *s, const char *refused);
/* The same as a message, whose texts are borrowed. */
void planner_tell(Hct__Plan__Step *m, const struct systembytes *of,
                  const struct hct_plan_step *s, const char *refused);
const char *planner_kind(uint32_t kind);        /* "move" */
/* All of a plan, a line each, with its number in front. */
void planner_lines(struct str *to, const struct systembytes *of,
                   const struct checked *plan);

#endif
