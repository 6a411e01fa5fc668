/* allotment.h - what the batch system that hector-run is in has to do with its
 * job: the master is told when the allocation ends, how large it is, and
 * why it is ended. */
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
/* "Slurm 42"; NULL: a is. */
const char *allotment_name(const struct allotment *a);
/* Fill in what is known of it; what m points to lives as a does. */
void allotment_submit(struct allotment *a, Hct__Submit *m);
/* The master has the job: tell it when the allocation ends. */
void allotment_begin(struct allotment *a);
/* This signal has come: it may be the word that the batch system is about to end
 * its job, or that it does. */
void allotment_signal(struct allotment *a, int sig);
/* The job ends: tell it what the batch system says of that. */
void allotment_ending(struct allotment *a);
/* Has the batch system ended its job? */
bool allotment_is_ended(const struct allotment *a);
void allotment_close(struct allotment *a);

#endif
