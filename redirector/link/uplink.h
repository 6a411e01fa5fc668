/* uplink.h - the link to the master: Submit goes up, how the job fares comes
 * down. A master that goes away after its first answer has a minute to come
 * back, or to be started again; the job runs on meanwhile. */
#ifndef HECTOR_UPLINK_H
#define HECTOR_UPLINK_H

#include <stdbool.h>
#include <stdint.h>
#include <event2/event.h>

#include "proto/base/err.h"
#include "proto/link/key.h"
#include "proto/link/message.h"

struct uplink;

struct uplink_ops {
    void (*ready)(void *arg);           /* the master has answered: submit */
    void (*accepted)(void *arg, uint64_t job, const char *name);
    void (*notice)(void *arg, const char *text, bool error);
    void (*finding)(void *arg, const Hct__Finding *m);  /* may be NULL */
    void (*state)(void *arg, const char *state, uint32_t started,
                  uint32_t ntasks);
    void (*ended)(void *arg, const Hct__JobEnded *m);
    /* The master has refused us, or is gone for good; nothing comes after
     * this. */
    void (*lost)(void *arg, const struct err *why);
};

/* key: borrowed, NULL if no address is a TCP one. */
struct uplink *uplink_open(struct event_base *base, const char *addresses,
                           const struct key *key,
                           const struct uplink_ops *ops, void *arg,
                           struct err *err);

/* Once, when ready was called. -1 if it is too big to be sent. */
int uplink_submit(struct uplink *u, const Hct__Submit *m, struct err *err);

/* About our job; nothing is sent before it was accepted. */
void uplink_signal(struct uplink *u, int sig);

/* sig: first, in place of TERM; 0: TERM. */
void uplink_kill(struct uplink *u, const char *why, int exit_code, int sig,
                 bool at_once);

/* What the batch system says of our job; its number is filled in. */
void uplink_allot(struct uplink *u, Hct__Allotment *m);

/* The launcher of adopted tasks has ended; grace_ns: how long they may live
 * on and are watched still. */
void uplink_adopt_end(struct uplink *u, bool unknown, int code, int sig,
                      uint64_t grace_ns);

/* For how long nothing has been heard of a master, which should send a Ping every
 * other second. */
uint64_t uplink_silence_ns(const struct uplink *u);

bool uplink_is_flushed(const struct uplink *u);
void uplink_close(struct uplink *u);    /* NULL is fine */

#endif
