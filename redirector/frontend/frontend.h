/* frontend.h - the leader of what hector-run does, a job of its own (run.c) or
 * tasks that a command starts (adopt.c), through its phases.
 *
 *   STARTING --Welcome--> SUBMITTED --ops--> UNDER_WAY --ops--> ENDING
 *   any of these --frontend_drain()--> DRAINING  links still bring output
 *   DRAINING --no link left--> FLUSHING          output is being written
 *   FLUSHING --all written--> LEAVING            our processes end
 *   LEAVING --all gone--> the loop ends
 *
 * Phases only grow. Who has asked for what, and what the end of a job, of the
 * master or of a slave means is the operations' to know: they lead to UNDER_WAY
 * when the job goes on without them, to ENDING if something comes between its
 * tasks' end and its own, and by frontend_drain(), the one way from "it goes
 * on" to "it does not". */
#ifndef HECTOR_FRONTEND_H
#define HECTOR_FRONTEND_H

#include <stdbool.h>
#include <stdint.h>
#include <event2/event.h>

#include "proto/base/err.h"
#include "proto/link/message.h"
#include "redirector/batch/hosts.h"
#include "redirector/link/links.h"
#include "redirector/link/uplink.h"
#include "redirector/options/options.h"
#include "redirector/out/output.h"
#include "redirector/frontend/allotment.h"
#include "redirector/frontend/notify.h"
#include "redirector/frontend/status.h"
#include "redirector/start/private.h"
#include "redirector/start/runplace.h"
#include "redirector/start/saved.h"

struct frontend_conf {
    const struct options *options;      /* counted; borrowed */
    const struct hosts *hosts;          /* borrowed; those of a private run */
    const struct saved *saved;          /* borrowed; not read for adopted tasks */
    uint32_t ntasks;
    const char *master;                 /* a standing one; NULL: private */
    const char *agent, *db;             /* NULL: defaults */
    char *const *argv;                  /* of hector-run */
    char *const *env;                   /* of the tasks, before -x */
};

enum frontend_phase { FRONTEND_STARTING, FRONTEND_SUBMITTED, FRONTEND_UNDER_WAY,
                      FRONTEND_ENDING, FRONTEND_DRAINING, FRONTEND_FLUSHING,
                      FRONTEND_LEAVING };

struct frontend {
    const struct frontend_conf *conf;   /* borrowed */
    const struct frontend_ops *ops;
    uint32_t nstreams;                  /* ranks, or nodes, that bring output */
    struct event_base *base;            /* owned, as all below */
    enum frontend_phase phase;
    struct status status;
    struct runplace place;              /* its dir is "" if not made */
    struct key *key;                    /* NULL: not needed */
    struct private *private;            /* NULL: standing master */
    struct uplink *uplink;              /* NULL: not any more */
    struct links *links;
    struct output *output;              /* NULL: nobody wants any */
    struct laststacks *where;           /* NULL: not asked */
    struct allotment *allotment;        /* NULL: in no batch system */
    struct notify *notify;              /* NULL: nobody is told of hangs */
    struct event *timeout, *silence;
    uint64_t job;                       /* 0: not accepted yet */
    char state[32];                     /* of the job, as the master says */
    bool full;                          /* nobody takes our own output */
    uint64_t heard_ns;                  /* output, or that a link closed */
    bool vanished;                      /* a slave that brought output has */
    bool told;                          /* to end, by what frontend_again() means */
};

/* What those who are led do. s is the first member of what is theirs. */
struct frontend_ops {
    /* Their signals and timers: the loop is there. -1: leave. */
    int (*open)(struct frontend *s, struct err *err);
    /* What output there will be; false: none. The callbacks on_full and on_room
     * are not theirs to set, on_error is, with s as its arg. */
    bool (*output)(const struct frontend *s, struct output_conf *c);
    /* The directory and the links are there, the master is not. -1: leave. */
    int (*equip)(struct frontend *s, struct err *err);
    /* The master has answered: what is submitted, which is freed then; NULL:
     * that is no good, says err. */
    Hct__Submit *(*submit)(struct frontend *s, const struct links_where *where,
                           struct err *err);

    /* Words of the master. accepted: s->job is known; may be NULL. state: the
     * job's. lost: it is gone for good, or has refused us, says the sentence,
     * as in failed. */
    void (*accepted)(struct frontend *s);
    void (*state)(struct frontend *s, const char *state);
    void (*ended)(struct frontend *s, int code, const char *why);
    void (*lost)(struct frontend *s, const char *sentence);

    /* Hector cannot go on: what is to be submitted is no good; one of our
     * daemons has ended too early. */
    void (*failed)(struct frontend *s, const char *sentence);
    void (*private_failed)(struct frontend *s, const char *sentence);
    /* --timeout is over; and then, if frontend_ask_where() was called, the
     * answer has been said. */
    void (*timed_out)(struct frontend *s);
    void (*located)(struct frontend *s);

    /* Links of slaves. joined and credit may be NULL, and again and missed where
     * no job goes back. torn: output is lost, unless the job goes back to a
     * checkpoint, which again tells. missed: so much comes in no case. silent: so
     * may be that of links that say nothing any more. */
    bool stdtim_only;                   /* no other stream is shown */
    void (*joined)(struct frontend *s, const char *name);
    void (*credit)(struct frontend *s);
    void (*torn)(struct frontend *s, const char *name, const char *why);
    void (*again)(struct frontend *s);
    void (*missed)(struct frontend *s, uint32_t rank, uint64_t bytes);
    void (*differs)(struct frontend *s, uint32_t rank);
    void (*silent)(struct frontend *s);

    /* It does not go on: nothing more is done for the job. */
    void (*draining)(struct frontend *s);
    /* The end, however far open and equip have come: free what uses the links,
     * while they are there; and all else. */
    void (*stop)(struct frontend *s);
    void (*close)(struct frontend *s);
};

/* Lead s, in which conf, ops and nstreams are set, from the first socket to its
 * end. What there is to say has been said; the status is noted. */
void frontend_lead(struct frontend *s);

/* The job does not go on. What is under way of its output still comes. */
void frontend_drain(struct frontend *s);
/* Leave now; what is owed to anybody is not waited for. */
void frontend_break(struct frontend *s);

/* Has this signal come before, of a batch system that sends it again and again? One
 * wish is not more for that. */
bool frontend_again(struct frontend *s, int sig);

/* Say where the tasks of the job are (0: there is none), then call located. */
void frontend_ask_where(struct frontend *s, uint64_t job);

#endif
