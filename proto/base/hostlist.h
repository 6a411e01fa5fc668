/* hostlist.h - many host names written short: "n[1-3,7],login,r[0-1]c[01-16]".
 *
 * Numbers keep their leading zeros. Order and repetitions are kept: who wants
 * each host once looks for it. */
#ifndef HECTOR_HOSTLIST_H
#define HECTOR_HOSTLIST_H

#include <stdbool.h>
#include <stddef.h>

#include "proto/base/err.h"

enum { HOSTLIST_MAX = 65536, HOSTLIST_NAME_MAX = 255 };

struct hostlist {
    char **v;                   /* owned, and the names too */
    size_t n, cap;
};

/* {0} is the empty list. */
void hostlist_fini(struct hostlist *h);         /* frees, leaves it empty */

/* Append one name as it is. */
int hostlist_add(struct hostlist *h, const char *name, struct err *err);

/* Append what text means. On error the list is as it was. */
int hostlist_expand(struct hostlist *h, const char *text, struct err *err);

/* Take the next item off a list, where commas inside brackets do not count:
 * "n[1,3]:2,m" gives "n[1,3]:2" and then "m". Returns its start and length
 * and moves *text behind it; NULL at the end. Empty items are passed over. */
const char *hostlist_item(const char **text, size_t *length);

/* The short form of the whole list, in its order; as snprintf: returns the
 * length it needs. */
int hostlist_fold(const struct hostlist *h, char *buf, size_t size);

#endif
