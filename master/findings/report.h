/* report.h - the text of a verdict, a line for each task that it names, and
 * where in the source these lines are. */
#ifndef HECTOR_REPORT_H
#define HECTOR_REPORT_H

#include <stdbool.h>
#include <stdint.h>

#include "master/act/act.h"
#include "master/places/places.h"
#include "master/watch/found.h"

struct report {
    uint64_t seq;               /* of the look */
    char *text, *why;           /* owned: of sentence_report(), and its head */
    struct places_line *line;   /* owned: of each line of text */
    size_t nlines;
    struct places *places;      /* owned; NULL: nothing is known, or waited
                                   for */
    char *computes;             /* owned: behind that of the first task; or NULL */
};

/* NULL: no memory. */
struct report *report_make(const struct job *j, uint64_t seq, const char *text);
void report_free(struct report *r);     /* NULL is fine */

/* Its lines are about calls that this verdict knows. */
void report_about(struct report *r, const struct found *f,
                  const struct hct_verdict *v);
/* Does any name a call of a task? */
bool report_names_calls(const struct report *r);

/* Looks for all of that; stacks: of lines without a call, too, where their
 * tasks are just now. False: nothing can be asked. done() comes once, later. */
bool report_find(struct report *r, const struct acts *a, struct job *j,
                 bool stacks, places_done_f *done, void *arg);

/* What is to be said behind the place of the first task that it names: copied. */
void report_computes(struct report *r, const char *text);

/* Append it with the places that are known, and what the tasks that are named
 * have printed and nobody has seen. */
void report_add(const struct report *r, const struct job *j, struct str *to);
/* Append its head, with the place of the first task that it names. */
void report_add_head(const struct report *r, struct str *to);

#endif
