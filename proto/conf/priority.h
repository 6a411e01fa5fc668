/* priority.h - how important a job is, as people write it: a number, more is
 * more important, and a class. */
#ifndef HECTOR_PRIORITY_H
#define HECTOR_PRIORITY_H

#include <stdbool.h>

#include "proto/base/err.h"

enum { PRIORITY_LEAST = -20, PRIORITY_MOST = 20 };

enum priority_class {
    PRIORITY_NORMAL,
    PRIORITY_IDLE,              /* what nobody else wants */
    PRIORITY_REALTIME,          /* before all others */
};

struct priority {               /* {0}: nothing is asked for */
    enum priority_class class;
    int n;
};

/* Of a message, or of words. "" is normal. -1: a sentence says what is wrong,
 * and *p is untouched. */
int priority_make(struct priority *p, int n, const char *class,
                  struct err *err);
int priority_number(int *n, const char *text, struct err *err);
int priority_find_class(enum priority_class *c, const char *word,
                        struct err *err);

const char *priority_class_name(enum priority_class c);
/* What the kernel gives a process for it; on the wire and in the database. */
enum priority_sort {
    PRIORITY_SORT_UNKNOWN, PRIORITY_SORT_NORMAL, PRIORITY_SORT_BATCH,
    PRIORITY_SORT_IDLE, PRIORITY_SORT_REALTIME, PRIORITY_SORT_DEADLINE,
    PRIORITY_SORTS,
};
/* How much of what was asked for that is. */
enum priority_applied {
    PRIORITY_NOT_ASKED, PRIORITY_APPLIED, PRIORITY_PARTLY, PRIORITY_REFUSED,
    PRIORITY_WEIGHED,           /* by the weight of a control group */
    PRIORITY_APPLIEDS,
};
const char *priority_sort_name(enum priority_sort s);   /* NULL: unknown */
/* NULL: nothing is asked for. */
const char *priority_applied_name(enum priority_applied a);

bool priority_equal(const struct priority *a, const struct priority *b);

#endif
