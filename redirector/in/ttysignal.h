/* ttysignal.h - signals, with who sent them: what a terminal sends reaches
 * the whole process group, so the command in it has had it already. */
#ifndef HECTOR_TTYSIGNAL_H
#define HECTOR_TTYSIGNAL_H

#include <stdbool.h>
#include <event2/event.h>

#include "proto/base/err.h"

struct ttysignal;

/* INT, QUIT, TERM, HUP, USR1, USR2 and CHLD are blocked from now on and come
 * to on_signal. Children that exec have to set their mask back. */
struct ttysignal *ttysignal_open(struct event_base *base,
                                 void (*on_signal)(void *arg, int sig,
                                                   bool from_terminal),
                                 void *arg, struct err *err);
void ttysignal_close(struct ttysignal *t);      /* NULL is fine */

#endif
