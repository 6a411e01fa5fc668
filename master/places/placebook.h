/* placebook.h - what the places that the tasks of a job call MPI from are
 * called in the source, as slaves tell it of themselves: with the costs of
 * calls (Profile of hct.proto), as soon as they know, and of all before the job
 * is drained. So what is found when nobody is left who could be asked has its
 * lines, too. By the number that a place has in all tasks (placekey.h). */
#ifndef HECTOR_PLACEBOOK_H
#define HECTOR_PLACEBOOK_H

#include <stdbool.h>
#include <stdint.h>

#include "hct.pb-c.h"

struct placebook;

struct placebook *placebook_create(void);       /* NULL: no memory */
void placebook_destroy(struct placebook *b);    /* NULL is fine */

/* One that profile_take() has found to make sense. What finds no room is not
 * known. */
void placebook_take(struct placebook *b, const Hct__Profile *m);

struct placebook_name {         /* borrowed until the next message */
    const char *function, *file;        /* file without its folders; NULL: not
                                           known */
    uint32_t line;
};
/* The innermost function there that has a line, else the innermost with a name.
 * False: it is not known. b may be NULL. */
bool placebook_find(const struct placebook *b, uint64_t place,
                    struct placebook_name *name);

#endif
