/* inquiry.h - asks the batch system that we are in about its job, by a command
 * of it that may take 5 s. */
#ifndef HECTOR_REDIRECTOR_INQUIRY_H
#define HECTOR_REDIRECTOR_INQUIRY_H

#include <event2/event.h>

#include "redirector/batch/system.h"

struct inquiry;

/* Its answer, in which nothing is known where there is nobody to be asked; NULL:
 * there was none that makes sense. */
typedef void (*inquiry_cb)(void *arg, const struct system_answer *a);

/* NULL: nobody can be asked, or no memory. */
struct inquiry *inquiry_open(struct event_base *base, inquiry_cb done, void *arg);

/* done is called once for each wish, from the event loop. One that comes while a
 * question is under way begins another one when that is answered, and the first
 * answer is told to nobody. */
void inquiry_ask(struct inquiry *q);
void inquiry_close(struct inquiry *q);          /* NULL is fine */

#endif
