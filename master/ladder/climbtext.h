/* climbtext.h - what a step for a deadline, or that one is taken back, was decided
 * from, as text: the database keeps it, and hector replay decides again. Pure.
 *
 * A line each: how it is asked, nodes, jobs, their tasks there; or the steps that
 * stood. Numbers are written so that the same ones are read. */
#ifndef HECTOR_CLIMBTEXT_H
#define HECTOR_CLIMBTEXT_H

#include "master/ladder/climb.h"
#include "proto/base/err.h"
#include "proto/base/str.h"

void climbtext_up(struct str *to, const struct climb_in *in);
void climbtext_down(struct str *to, uint64_t job, const struct climb_stand *v,
                    size_t n, const struct climb_mood *mood);

/* "job 1 step 3: suspend job 2 for in..out<=20ms: margin ..." */
void climbtext_step(struct str *to, uint32_t number, const struct climb_in *in,
                    const struct climb_step *s);
/* "job 1 step 3 is taken back: ..." */
void climbtext_back(struct str *to, uint64_t job, uint32_t number,
                    enum climb_down why);

/* Decide once more: the line that was said then, if it was the same. step is its
 * number. -1 with a sentence: what was seen is none of these. */
int climbtext_again(struct str *to, uint32_t step, const char *seen,
                    struct err *err);

#endif
