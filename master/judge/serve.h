/* serve.h - a policy is shown the tape, an optimizer systems, and it answers
 * (judgewire.h). */
#ifndef HECTOR_SERVE_H
#define HECTOR_SERVE_H

#include "master/judge/policy.h"
#include "master/watch/judgewire.h"
#include "proto/plan/optimizer.h"

/* Until the stream ends. 0: it has; else what the process is to end with. */
int serve(struct policy *p);

int serve_plans(struct optimizer *o);   /* the same: serve_plans.c */

/* The policy cannot be, in words. */
void serve_refuse(const char *why);

/* The stream, for serve_plans.c. -1: it has ended. */
int serve_get(void *to, size_t n);
int serve_answer(enum judgewire_kind kind, const void *p, size_t n);

#endif
