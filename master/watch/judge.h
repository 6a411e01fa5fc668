/* judge.h - one policy of one job, in a process of its own (hector-judge): it
 * is shown the tape of the job and says what it finds. Nothing here waits for it.
 *
 *   IDLE --wake--> OPENING --loaded--> FREE --shown--> BUSY --done--> FREE
 *     ^              |                   |               |
 *     |              +------- lost ------+---------------+--> OFF
 *     +--after a while-- DOWN <--+               (too often, or refused)
 *
 * Invariants. What it is shown are the bytes of the tape as they are recorded,
 * so a replay finds the same. One showing is under way at a time; looks that
 * come meanwhile are kept, and of these only those of the last order are
 * stepped, the others are counted if it had asked for them. A process that is
 * lost, for whatever reason, costs the looks until the next one is there, which
 * goes on with the state after the last step (kept.h). */
#ifndef HECTOR_JUDGE_H
#define HECTOR_JUDGE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <event2/event.h>

#include "master/watch/found.h"
#include "master/watch/tape.h"
#include "proto/base/err.h"

/* Who has started them and reaps them: one in a process. */
struct judges;
struct judges *judges_create(struct event_base *base);
/* Ends those that are left, and waits for that. NULL is fine. */
void judges_destroy(struct judges *all);

struct judge_conf {
    uint64_t step_ns;           /* of the processor, for a step; three times as
                                   much by the clock */
    uint64_t memory_bytes;      /* and JUDGE_TASK_BYTES for each task */
    uint32_t restarts;          /* of a job; then it is off */
    uint32_t uid;               /* the job's owner */
    bool optimizer;             /* it is one, and no policy: judge_ask() */
};
enum { JUDGE_TASK_BYTES = 4096, JUDGE_STEP_S = 10, JUDGE_MEMORY_MB = 1024,
       JUDGE_RESTARTS = 3 };    /* by default */

struct judge;
struct judge_done {
    uint64_t now_ns;            /* of the last look that it was shown; 0: only
                                   to learn */
    bool stale;                 /* as given to judge_go() with it */
    bool open;                  /* by the watcher: others have yet to say what
                                   they know of a hang */
    uint32_t need;              /* enum hct_need */
    const uint32_t *sample;     /* with HCT_NEED_MODEL: of these ranks; nsample
                                   0: of all. Borrowed during the call */
    size_t nsample;
    uint64_t last_ns;           /* as in hct_out */
    const uint8_t *question;    /* with one of LOOKS_ANSWERS; the same */
    size_t nquestion;
};

/* All may end it by judge_end(), none may destroy it. */
struct judge_ops {
    /* A step found something, or it was odd; how is FOUND_OFF: it is off now. f
     * is borrowed. */
    void (*found)(void *arg, struct judge *j, const struct found *f);
    /* It knows all that it was shown before. */
    void (*done)(void *arg, struct judge *j, const struct judge_done *d);
    /* Of an optimizer: its answer to judge_ask(), as judgewire.h has it. */
    void (*planned)(void *arg, struct judge *j, const void *answer, size_t n);
    /* Its process is gone, or there is none; off: for good. */
    void (*lost)(void *arg, struct judge *j, const char *why, bool off);
    /* There may be one again: it is to be shown something. */
    void (*back)(void *arg, struct judge *j);
};

/* NULL with a sentence: there is no such policy, or it is not to be loaded for
 * that user. No process is started here. conf is copied, all is borrowed. */
struct judge *judge_create(struct judges *all, const char *spec,
                           const struct judge_conf *conf,
                           const struct judge_ops *ops, void *arg,
                           struct err *err);
void judge_destroy(struct judge *j);            /* NULL is fine */

/* As the user calls it: the name of its file. */
const char *judge_name(const struct judge *j);
/* Of two that are called the same: spec tells them apart. */
void judge_use_spec(struct judge *j);
bool judge_off(const struct judge *j);
void judge_set_off(struct judge *j);
/* Looks that it had asked for and was too busy to be shown. */
uint64_t judge_missed(const struct judge *j);
/* So many that what it says, or does not say, may suffer: more than it was shown. */
bool judge_missed_most(const struct judge *j);

/* A job of so many tasks begins: what it knew of another one is forgotten. -1:
 * no memory. */
int judge_begin(struct judge *j, uint32_t nranks, struct err *err);
/* No process any more; judge_wake() may start one, which goes on. */
void judge_end(struct judge *j);
/* A look is due: let there be a process. */
void judge_wake(struct judge *j);

/* Does it think of what it was shown, or is there something to be shown? */
bool judge_busy(const struct judge *j);

/* Would it take a look now, and from when on does it want one? */
bool judge_wants(const struct judge *j, uint64_t *wake_ns);
/* Parts (enum hct_need) without which a look is none for it; 0: it has not said
 * so yet. */
uint32_t judge_needs(const struct judge *j);
/* Looks that are taken for these it sees whenever they are: enum hct_asked; all of
 * them, as long as it has not said so yet. */
uint32_t judge_hears(const struct judge *j);
/* The next frame for it has to stand by itself ('K'): one of a look that is taken
 * for these, enum hct_asked. */
bool judge_wants_key(const struct judge *j, uint32_t asked);
/* One frame, a look; or several. */
void judge_show(struct judge *j, const struct tape_frame *f);
/* That was all of an order; the last look was at now_ns. */
void judge_go(struct judge *j, uint64_t now_ns, bool stale);
/* Show an optimizer a system. false: it has yet to answer to the one before, or
 * there is no process just now. */
bool judge_ask(struct judge *j, const void *system, size_t bytes);
/* Frames from which it is only to learn. */
void judge_learn(struct judge *j, const void *frames, size_t bytes);

#endif
