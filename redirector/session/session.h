/* session.h - the leader of what hector-run does, a job of its own (run.c) or
 * tasks that a command starts (adopt.c), through its phases.
 *
 *   STARTING --Welcome--> SUBMITTED --ops--> UNDER_WAY --ops--> ENDING
 *   any of these --session_drain()--> DRAINING  links still bring output
 *   DRAINING --no link left--> FLUSHING         output is being written
 *   FLUSHING --all written--> LEAVING           our processes end
 *   LEAVING --all gone--> the loop ends
 *
 * Phases only grow. Who has asked for what, and what the end of a job, of the
 * master or of a slave means is the operations' to know: they lead to UNDER_WAY
 * when the job goes on without them, to ENDING if something comes between its
 * tasks' end and its own, and by session_drain(), the one way from "it goes on"
 * to "it does not". */
#ifndef HECTOR_SESSION_H
#define HECTOR_SESSION_H

#include <stdbool.h>
#include <stdint.h>
#include <event2/event.h>

#include "proto/base/err.h"
#include "proto/base/paths.h"
#include "proto/link/message.h"
#include "redirector/batch/hosts.h"
#include "redirector/link/links.h"
#include "redirector/link/uplink.h"
#include "redirector/options/options.h"
#include "redirector/out/output.h"
#include "redirector/session/status.h"
#include "redirector/start/private.h"

struct session_conf {
    const struct options *options;      /* counted; borrowed */
    const struct hosts *hosts;          /* borrowed; those of a private run */
    uint32_t ntasks;
    const char *master;                 /* a standing one; NULL: private */
    const char *agent, *db;             /* NULL: defaults */
    char *const *argv;                  /* of hector-run */
    char *const *env;                   /* of the tasks, before -x */
};

enum session_phase { SESSION_STARTING, SESSION_SUBMITTED, SESSION_UNDER_WAY,
                     SESSION_ENDING, SESSION_DRAINING, SESSION_FLUSHING,
                     SESSION_LEAVING };

struct session {
    const struct session_conf *conf;    /* borrowed */
    const struct session_ops *ops;
    uint32_t nstreams;                  /* ranks, or nodes, that bring output */
    struct event_base *base;            /* owned, as all below */
    enum session_phase phase;
    struct status status;
    char dir[PATHS_MAX];                /* "" if not made */
    struct key *key;                    /* NULL: not needed */
    struct private *private;            /* NULL: standing master */
    struct uplink *uplink;              /* NULL: not any more */
    struct links *links;
    struct output *output;              /* NULL: nobody wants any */
    struct laststacks *where;           /* NULL: not asked */
    struct event *timeout, *silence;
    uint64_t job;                       /* 0: not accepted yet */
    char state[32];                     /* of the job, as the master says */
    bool full;                          /* nobody takes our own output */
    uint64_t heard_ns;                  /* output, or that a link closed */
    bool vanished;                      /* a slave that brought output has */
};

/* What those who are led do. s is the first member of what is theirs. */
struct session_ops {
    /* Their signals and timers: the loop is there. -1: leave. */
    int (*open)(struct session *s, struct err *err);
    /* What output there will be; false: none. The callbacks on_full and on_room
     * are not theirs to set, on_error is, with s as its arg. */
    bool (*output)(const struct session *s, struct output_conf *c);
    /* The directory and the links are there, the master is not. -1: leave. */
    int (*equip)(struct session *s, struct err *err);
    /* The master has answered: what is submitted; NULL: that is no good. */
    Hct__Submit *(*submit)(struct session *s, const struct links_where *where,
                           struct err *err);

    /* Words of the master. accepted: s->job is known; may be NULL. state: the
     * job's. lost: it is gone for good, or has refused us, says the sentence,
     * as in failed. */
    void (*accepted)(struct session *s);
    void (*state)(struct session *s, const char *state);
    void (*ended)(struct session *s, int code, const char *why);
    void (*lost)(struct session *s, const char *sentence);

    /* Hector cannot go on: what is to be submitted is no good; one of our
     * daemons has ended too early. */
    void (*failed)(struct session *s, const char *sentence);
    void (*private_failed)(struct session *s, const char *sentence);
    /* --timeout is over; and then, if session_ask_where() was called, the
     * answer has been said. */
    void (*timed_out)(struct session *s);
    void (*located)(struct session *s);

    /* Links of slaves. joined and credit may be NULL. torn: output is lost.
     * silent: so may be that of links that say nothing any more. */
    bool stdtim_only;                   /* no other stream is shown */
    void (*joined)(struct session *s, const char *name);
    void (*credit)(struct session *s);
    void (*torn)(struct session *s, const char *name, const char *why);
    void (*silent)(struct session *s);

    /* It does not go on: nothing more is done for the job. */
    void (*draining)(struct session *s);
    /* Free what uses the links; and all else. */
    void (*stop)(struct session *s);
    void (*close)(struct session *s);
};

/* Lead s, in which conf, ops and nstreams are set, from the first socket to its
 * end. What there is to say has been said; the status is noted. */
void session_lead(struct session *s);

/* The job does not go on. What is under way of its output still comes. */
void session_drain(struct session *s);
/* Leave now; what is owed to anybody is not waited for. */
void session_break(struct session *s);

/* Say where the tasks of the job are (0: there is none), then call located. */
void session_ask_where(struct session *s, uint64_t job);

#endif
