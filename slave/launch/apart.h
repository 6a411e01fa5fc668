/* apart.h - processors that tasks of class realtime have for themselves: nobody else
 * of this slave runs there, its own threads neither, that it is not kept from what
 * it has to do by one who computes for ever.
 *
 * Which processors this process may use is a property of it: there is one of these.
 * Whoever has chosen processors himself (taskset) keeps them. */
#ifndef HECTOR_APART_H
#define HECTOR_APART_H

#include <sched.h>
#include <stdbool.h>

/* Those that this process could use when this was first asked. */
const cpu_set_t *apart_all(void);
/* Those that are nobody's own. */
void apart_others(cpu_set_t *set);

/* n more of them are own ones from now on, the last ones, and come to *own. False:
 * none would be left. */
bool apart_take(cpu_set_t *own, unsigned n);
/* n of *own are not any more, or all of them. */
void apart_give(cpu_set_t *own, unsigned n);

#endif
