/* streams.h - stdin, stdout, stderr and stdtim of one job on this node: the
 * tasks' pipes on one side, the link to the redirector on the other.
 *
 * What tasks write is passed on as it comes; while the link cannot take more
 * the pipes are not read, so the tasks wait and nothing grows. Once the link
 * is lost (the redirector is dead) output is read and dropped: a task never
 * hangs for that. Every stream that was announced ends with one OutputEnd. */
#ifndef HECTOR_STREAMS_H
#define HECTOR_STREAMS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <event2/event.h>

#include "hct.pb-c.h"
#include "proto/base/err.h"
#include "proto/link/conn.h"
#include "slave/launch/plan.h"
#include "slave/link/linkdrain.h"

struct streams;

struct streams_ops {
    /* The link stands, or will never (why). Not called from streams_open(). */
    void (*ready)(void *arg, const struct err *why);
    void (*lost)(void *arg);            /* after it stood */
    void (*moved)(void *arg);           /* a stream ended, the link drained */
    /* This task's output is about to be read; may be NULL. */
    void (*before)(void *arg, uint32_t rank);
};

/* plan and conf are borrowed as long as the streams live; instance is the
 * slave's. */
struct streams *streams_open(struct event_base *base,
                             const struct plan *plan,
                             const struct conn_conf *conf, const char *name,
                             uint64_t instance,
                             const struct streams_ops *ops, void *arg,
                             struct err *err);
/* Sends what is queued, by way of p; NULL is fine. */
void streams_close(struct streams *s, struct linkdrain *p);

/* Pass on what comes out of fd (non-blocking; taken also on failure). */
int streams_watch(struct streams *s, uint32_t rank, Hct__Stream stream,
                  int fd, struct err *err);

/* Feed stdin to fd (non-blocking; taken also on failure). Later: the task is to
 * come, and has a place in stdin that is not known yet. */
int streams_feed(struct streams *s, uint32_t rank, int fd, struct err *err);
int streams_feed_later(struct streams *s, uint32_t rank, int fd,
                       struct err *err);
/* Now it is known; or there is nothing more for it. */
void streams_input_came(struct streams *s, uint32_t rank, uint64_t at);
void streams_no_input(struct streams *s, uint32_t rank);

/* It may go, or is saved: nothing is written to it. Then it stays here, or is
 * elsewhere. */
void streams_hold_input(struct streams *s, uint32_t rank);
void streams_input_stays(struct streams *s, uint32_t rank);
void streams_input_left(struct streams *s, uint32_t rank);
/* Where in stdin one that is held goes on; see input.h. */
bool streams_input_place(struct streams *s, uint32_t rank, uint64_t unread,
                         uint64_t *bytes);

/* Both, for a task that has a terminal; fd is our end of it. */
int streams_terminal(struct streams *s, uint32_t rank, int fd,
                     struct err *err);
void streams_start_input(struct streams *s);

/* Whole lines or sentences of ours; and the end of a stream. */
void streams_say(struct streams *s, uint32_t rank, Hct__Stream stream,
                 const void *data, size_t bytes);
void streams_end(struct streams *s, uint32_t rank, Hct__Stream stream);

/* What the end of the pipes of a task is: that of its streams; of their part that
 * comes from here, as the task goes on elsewhere; or nothing, as it has not come
 * here yet. */
enum streams_end { STREAMS_END, STREAMS_MOVED, STREAMS_SILENT };
void streams_move(struct streams *s, uint32_t rank, enum streams_end end);
/* The same of one that has no pipe. */
void streams_end_moved(struct streams *s, uint32_t rank, Hct__Stream stream);
/* Close its pipes without a word. */
void streams_forget(struct streams *s, uint32_t rank);
bool streams_rank_open(const struct streams *s, uint32_t rank);

/* What a task has written to stdout or stderr, wherever it was, is counted. Of one
 * that comes from elsewhere, or was made of an image, the count begins at what it
 * was then. -1: no memory. */
int streams_begin_at(struct streams *s, uint32_t rank, Hct__Stream stream,
                     uint64_t bytes);
/* The count when all is read that is in its pipe now. */
uint64_t streams_written(const struct streams *s, uint32_t rank,
                         Hct__Stream stream);

/* Would more only pile up? */
bool streams_congested(const struct streams *s);

/* Take what is in the pipes and end them, whoever still holds them. */
void streams_cut(struct streams *s);

/* Nobody will read what is queued: drop it with the link. */
void streams_abandon(struct streams *s);

bool streams_linked(const struct streams *s);       /* to hector-run */
bool streams_open_pipes(const struct streams *s);   /* any not at its end? */
bool streams_flushed(const struct streams *s);      /* all handed to the link */

#endif
