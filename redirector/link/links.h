/* links.h - the links on which slaves bring output and take input.
 *
 * Each slave of the job opens one and shows the cookie. Output flows to the
 * owner's callbacks in order; input goes to every link that has granted
 * credit. No link is read while links_pause() holds.
 *
 * When the job goes back to a checkpoint, links of another attempt come. All
 * streams begin again with them, and what of their output was shown before is
 * not shown once more (shown.h). What is left of older links counts for nothing. */
#ifndef HECTOR_LINKS_H
#define HECTOR_LINKS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <event2/event.h>

#include "proto/base/err.h"
#include "proto/link/key.h"

enum { LINKS_COOKIE = 16 };

/* Of input: in one piece; and what is kept for tasks that move, which is more
 * than a task may have before it and not read yet: what its slave has asked
 * for, and what is in its pipe, which may be of 1 MiB. */
enum { LINKS_INPUT_MAX = 128 << 10, LINKS_INPUT_KEEP = 2 << 20 };

struct links;
struct inputsums;

struct links_conf {
    const char *dir;            /* for stream.sock; borrowed; "": the socket is
                                 * to have no file */
    bool tcp;                   /* slaves on other machines will come */
    const struct key *key;      /* borrowed; needed for TCP */
    uint32_t ntasks;
    bool repeats;               /* the job may go back to a checkpoint */
    size_t input_keep;          /* bytes that slaves may ask for once more, but
                                   for those of a file: it has all */
    const char *input_dir;      /* as may they all, and at any time: where they
                                   are written to; borrowed; NULL: no */
    bool input_none;            /* standard input is not read */
    struct inputsums *sums;     /* borrowed: what it was, and is; NULL: unknown */
    bool restored;              /* an earlier hector-run has shown what they wrote
                                   before */
    /* stream: Hct__Stream */
    void (*on_output)(void *arg, uint32_t rank, int stream, const void *p,
                      size_t n, uint64_t at_ns);
    void (*on_output_end)(void *arg, uint32_t rank, int stream);
    void (*on_join)(void *arg, const char *name);
    /* A link has closed, and is not counted any more; why is NULL if all its
     * streams had ended, or nothing is lost by it. */
    void (*on_leave)(void *arg, const char *name, const char *why);
    void (*on_again)(void *arg);        /* another attempt has begun */
    /* So much of stdout or stderr of this task was written before the checkpoint
     * that the job has gone back to, and has never come. */
    void (*on_missed)(void *arg, uint32_t rank, uint64_t bytes);
    /* What this task writes again is not what it had written, and is shown. */
    void (*on_differs)(void *arg, uint32_t rank);
    /* Input cannot be kept any more; needed: nor had again, which a task would
     * have to. */
    void (*on_input_lost)(void *arg, const struct err *why, bool needed);
    void (*on_credit)(void *arg);       /* links_credit() may have changed */
    void *arg;
};

struct links *links_open(struct event_base *base,
                         const struct links_conf *conf, struct err *err);
void links_close(struct links *s);      /* NULL is fine */

/* What Submit says: where to come, one address each, and the cookie. Borrowed
 * from s. */
struct links_where {
    const char *const *addresses;
    size_t naddresses;
    const uint8_t *cookie;      /* of LINKS_COOKIE bytes */
};

struct links_where links_where(const struct links *s);

/* The job's number: links of another one are refused; those that show our
 * cookie before it is known wait, not welcomed yet. */
void links_set_job(struct links *s, uint64_t job);

unsigned links_count(const struct links *s);
/* Are there links, and has none been heard of for so long? */
bool links_silent(const struct links *s, uint64_t ns);
void links_pause(struct links *s);
void links_resume(struct links *s);

/* The window of the terminal has this size now. */
void links_send_size(struct links *s, uint32_t rows, uint32_t columns);

/* So many bytes of input may be sent now, LINKS_INPUT_MAX at most. all: every
 * link has to have said whether it wants any before one gets a byte. */
size_t links_credit(const struct links *s, bool all);

/* Has somebody asked for input, and nobody wants any more? */
bool links_input_unwanted(const struct links *s);

/* n must not exceed the credit. Who lags behind gets it later. */
void links_send_input(struct links *s, const void *p, size_t n);
void links_send_input_end(struct links *s);     /* after all that was sent */

#endif
