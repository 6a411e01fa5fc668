/* surrender.h - what the threads of some processes have given up, or got, and had
 * before: each gets back what it had, exactly, unless somebody has changed it
 * meanwhile. */
#ifndef HECTOR_SURRENDER_H
#define HECTOR_SURRENDER_H

#include <sched.h>
#include <stdbool.h>
#include <stddef.h>
#include <sys/types.h>

enum { SURRENDER_NICE = 19 };   /* the least weight that there is */

struct surrendered {
    pid_t tid, pid;             /* pid: its process */
    int nice;                   /* as it was, */
    int made;                   /* ... and as it was made */
    cpu_set_t cpus;             /* the same */
    cpu_set_t put;
    bool weighs, aside;         /* changed by now */
};

struct surrender {              /* {0}: nothing */
    bool weighs;                /* wanted: that weight, */
    int nice;
    bool aside;                 /* ... no processors but these */
    cpu_set_t room;
    struct surrendered *v;      /* owned */
    size_t n, cap;
    size_t refused;             /* threads of the last surrender_take() that did
                                   not come to what is wanted */
};

/* Can a weight be given back by this process, once it is taken? The kernel lets
 * ordinary users do the one and not the other. */
bool surrender_may_calm(void);
/* By so many steps of nice could it have more weight than this process. */
unsigned surrender_may_raise(void);

/* All threads of the process get what is wanted now, or back what is not. */
void surrender_take(struct surrender *s, pid_t pid);
/* Has it been taken from, or asked to be? */
bool surrender_knows(const struct surrender *s, pid_t pid);
void surrender_fini(struct surrender *s);

#endif
