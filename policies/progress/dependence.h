/* dependence.h - who waits for whom, of two tasks of which it is known only how
 * the one may come to where the other is (PDI, tables 1 and 2).
 *
 * A dependence is an integer, as there: the union of what two tasks say of a
 * pair is their OR (table 2). */
#ifndef HCT_DEPENDENCE_H
#define HCT_DEPENDENCE_H

#include "policies/progress/reach.h"

enum dependence {
    DEPENDENCE_NONE,
    DEPENDENCE_FORWARD,         /* i -> j: i waits for j */
    DEPENDENCE_BACKWARD,        /* i <- j */
    DEPENDENCE_UNDEFINED,
};

/* Table 1: of states i and j, by P(i, j) and P(j, i). */
enum dependence dependence_of(enum reach forward, enum reach backward);

/* The same of j and i. */
enum dependence dependence_turned(enum dependence d);

#endif
