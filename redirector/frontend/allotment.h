/* allotment.h - what the batch system that hector-run is in has to do with its
 * job: the master is told when the allocation ends, and why it is ended, and a
 * person what is left of it after a hang. */
#ifndef HECTOR_ALLOTMENT_H
#define HECTOR_ALLOTMENT_H

#include <stdbool.h>
#include <stdint.h>
#include <event2/event.h>

#include "proto/link/message.h"

struct allotment;

/* To the master, about our job: all but its number is filled in; borrowed. */
typedef void (*allotment_tell_cb)(void *arg, Hct__Allotment *m);

/* NULL: there is no batch system, or no memory; which all below take. */
struct allotment *allotment_open(struct event_base *base,
                                 allotment_tell_cb tell, void *arg);
/* Fill in what is known of it; what m points to lives as a does. */
void allotment_submit(struct allotment *a, Hct__Submit *m);
/* The master has the job: tell it when the allocation ends. */
void allotment_begin(struct allotment *a);
/* The job ends: tell it what the batch system says of that. */
void allotment_ending(struct allotment *a);
/* If the job has ended with this code because it hung, and was ended for it: say
 * what is left. */
void allotment_say_unspent(const struct allotment *a, int code,
                           const char *on_hang);
/* Has the batch system ended its job? */
bool allotment_is_ended(const struct allotment *a);
void allotment_close(struct allotment *a);

#endif
