/* kin.h - everything that descends from programs we have started: what a slave
 * has started too, also when it is dead itself. */
#ifndef HECTOR_KIN_H
#define HECTOR_KIN_H

#include <stdbool.h>
#include <stddef.h>
#include <sys/types.h>

struct kin;

/* Those of these n children of ours. From now on we inherit their orphans; who
 * else is a child of ours already is a stranger, with all that descends from
 * him. NULL: no memory. */
struct kin *kin_claim(const pid_t *children, size_t n);
void kin_release(struct kin *k);        /* NULL is fine */

/* KILL for all that live, but not for the children themselves if they are
 * spared. */
void kin_kill(const struct kin *k, bool spare_children);
bool kin_any(const struct kin *k);

/* "hector-master (pid 4711), cat (pid 4712)": those that live. */
void kin_names(const struct kin *k, char *buf, size_t size);

#endif
