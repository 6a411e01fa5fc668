/* store.h - the database: what happened, kept in one SQLite file.
 *
 * Two users. The master opens it for writing and puts everything through
 * transactions. The operator's tool opens it read-only and asks questions;
 * it may do so at any time, also while masters write.
 *
 * Errors: functions return 0 or -1 with err filled. err.code is EBUSY when
 * another process holds the write lock just now and trying again later is
 * right; every other code means that the file cannot be used. Writing
 * functions must stand between store_begin() and store_commit(); after any
 * of them failed, store_rollback(). Nothing is committed by halves. */
#ifndef HECTOR_STORE_H
#define HECTOR_STORE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "proto/base/err.h"

struct store;

/* ------------------------------------------------------------- questions */

enum store_type { STORE_NULL, STORE_INT, STORE_REAL, STORE_TEXT, STORE_BLOB };

/* One value of a row, or of a parameter. text (also for blobs) has bytes
 * bytes and, for STORE_TEXT of a row, a final zero behind them; as a
 * parameter bytes may be 0 for a zero-terminated text. In a row it is
 * borrowed until the callback returns. */
struct store_value {
    enum store_type type;
    int64_t i;
    double d;
    const char *text;
    size_t bytes;
};

/* Called for each row; anything but 0 ends the query early, which is not an
 * error. */
typedef int store_row_f(void *arg, int ncols, const char *const *names,
                        const struct store_value *values);

/* Never creates the file, never writes to it. Refuses a file that is no
 * database of ours, or of a newer version, in words. */
struct store *store_open_readonly(const char *path, struct err *err);
void store_close(struct store *st);             /* NULL is fine; keeps errno */

/* In questions there is a function master_is_dead(host, pid, process) with
 * the columns of table master; process is there from version 2 on; and an
 * aggregate cov(x), the coefficient of variation; brief(text), see brief.h. */
int store_version(const struct store *st);

/* Run one statement (or several; parameters are for the first) and give its
 * rows to row, which may be NULL. */
int store_query(struct store *st, const char *sql, store_row_f *row,
                void *arg, struct err *err);
/* The same with ?1, ?2, ... bound to params. head, if not NULL, is called
 * once before the rows, also when there are none. */
typedef void store_head_f(void *arg, int ncols, const char *const *names);
int store_query_bound(struct store *st, const char *sql,
                      const struct store_value *params, int nparams,
                      store_head_f *head, store_row_f *row, void *arg,
                      struct err *err);

/* -------------------------------------------------------------- the file */

/* Open for writing; the file (0600) and the folders it is in (0700) are made
 * when missing: what people run is their own affair. ":memory:" is legal. */
struct store *store_open(const char *path, struct err *err);
/* The same from an event's callback: EBUSY where the other would wait for some
 * seconds until whoever has locked the file lets go. */
struct store *store_open_now(const char *path, struct err *err);

/* How long store_begin() may wait; some ms if nothing is said. */
void store_wait(struct store *st, unsigned ms);
void store_wait_little(struct store *st);        /* as it is after opening */

/* A database in memory that stands in for a file: jobs get numbers above
 * last_job, and it grows to 256 MiB (ENOSPC). Later: copy all of it into the
 * file, which has been made by store_open(); all or nothing. EAGAIN: a job has
 * to end first. */
int store_seed(struct store *mem, uint64_t last_job, struct err *err);
int store_merge(struct store *mem, const char *path, struct err *err);

int store_begin(struct store *st, struct err *err);
int store_commit(struct store *st, struct err *err);
void store_rollback(struct store *st);

/* ------------------------------------------------------- rows to be written
 * Texts are borrowed for the call; NULL is SQL's NULL, and so is a time of
 * 0. Rows are written whole: the last one counts. */

struct store_master {
    uint64_t instance;          /* 63 bits are kept */
    uint32_t pid;
    const char *host, *address;
    const char *process;        /* as alive_self() says; NULL: not known */
    uint64_t started_ns, ended_ns;
};
int store_put_master(struct store *st, const struct store_master *m,
                     struct err *err);

struct store_job {
    uint64_t job;               /* 0: new, and gets its number here */
    const char *name, *command, *state, *why;
    uint32_t ntasks, uid;
    uint64_t submitted_ns, started_ns, ended_ns;
    bool ended;                 /* exit_code is known */
    int exit_code;
    uint64_t master;
};
int store_put_job(struct store *st, struct store_job *j, struct err *err);

struct store_task {
    uint64_t job;
    uint32_t rank;
    int64_t node;               /* node.id */
    uint32_t pid;               /* 0: NULL */
    const char *state;
    bool ended;                 /* exit_code and signal are known */
    int exit_code, signal;
    uint64_t mpi_calls, in_mpi_ns, out_mpi_ns, cpu_ns, cpu_in_mpi_ns;
    uint64_t rss_bytes, started_ns, ended_ns, ring_waits, ring_lost;
    const char *last_tag, *why;
    const char *hold;
    uint64_t held_ns, held_since_ns;
};
int store_put_task(struct store *st, const struct store_task *t,
                   struct err *err);

struct store_node {
    const char *name, *hostname, *state, *machine;
    uint32_t cpus;
    double load, cpu_busy;
    uint64_t memory_bytes, memory_available_bytes;
    bool clock_known;
    int64_t clock_offset_ns;
    uint64_t clock_error_ns, seen_ns;
};
/* *id becomes node.id, which is that of the name for ever. */
int store_put_node(struct store *st, const struct store_node *n, int64_t *id,
                   struct err *err);

struct store_transition {
    uint64_t job, at_ns;
    const char *machine, *event, *from, *to;
};
int store_add_transition(struct store *st, const struct store_transition *t,
                         struct err *err);

struct store_action {
    uint64_t job, at_ns;
    const char *action, *ranks, *by, *result, *why;
};
int store_add_action(struct store *st, const struct store_action *a,
                     struct err *err);
/* The result of those that have the result "ordered"; only job, action (NULL:
 * any) and result count. */
int store_put_result(struct store *st, const struct store_action *a,
                     struct err *err);

struct store_verdict {
    uint64_t job, at_ns;
    const char *policy, *kind, *phase, *ranks, *why, *detail, *report;
    double score;
    uint64_t seq, age_ns;
};
int store_add_verdict(struct store *st, const struct store_verdict *v,
                      struct err *err);

/* Another report of the one of that job, policy and seq. */
int store_put_report(struct store *st, const struct store_verdict *v,
                     struct err *err);

/* A piece of tape.h. Those of a job before seq are dropped; and when a job has
 * ended, those of jobs about which there is no verdict, but for the latest. */
struct store_look {
    uint64_t job, seq, at_ns;
    const void *data;
    size_t bytes;
};
int store_add_look(struct store *st, const struct store_look *l,
                   struct err *err);
int store_trim_looks(struct store *st, uint64_t job, uint64_t seq,
                     struct err *err);
int store_tidy_looks(struct store *st, struct err *err);

/* A call tree of a job, CallTree of hct.proto; seq is that of the verdict, 0 if
 * somebody asked for it. The last one that was asked for, and of the last
 * verdicts, are kept. */
struct store_stack {
    uint64_t job, seq, at_ns;
    const void *tree;
    size_t bytes;
};
int store_put_stack(struct store *st, const struct store_stack *s,
                    struct err *err);

/* The models of a job's tasks, Model of hct.proto; the last one is kept. */
struct store_model {
    uint64_t job, at_ns;
    const void *model;
    size_t bytes;
};
int store_put_model(struct store *st, const struct store_model *m,
                    struct err *err);

/* How long a program that ended well was outside of MPI behind a place; the
 * longest of all runs is kept. */
struct store_stay { uint64_t job, at_ns, place, longest_ns; };
int store_put_stay(struct store *st, const struct store_stay *s,
                   struct err *err);

/* ------------------------------------------------------- taking jobs up again
 * What a job's row does not say and a later master has to know; and what an
 * earlier master has left behind. */

struct store_resume {
    uint64_t job;
    const void *submit, *placement;     /* NULL: as it is already */
    size_t submit_bytes, placement_bytes;
    bool failed, killed, at_once, aborted;
    int fail_code, kill_code;
    uint64_t failed_ns;
    uint64_t session;                   /* 0: not an adopted job */
    const char *world;                  /* NULL: none yet */
    bool closing, code_known, unfinalized;
    int launcher_code;
};
int store_put_resume(struct store *st, const struct store_resume *r,
                     struct err *err);
int store_drop_resume(struct store *st, uint64_t job, struct err *err);

/* The jobs that a master, which is dead, has not ended: they have failed
 * now. Tasks of theirs are lost, and so are nodes nobody hears of. */
int store_bury(struct store *st, uint64_t master, uint64_t now_ns,
               struct err *err);

/* ------------------------------------------------------------------ events */

struct store_event {
    uint64_t seq;
    uint64_t enter_ns;          /* 0: only the exit of an earlier row */
    uint64_t exit_ns;           /* 0: has not left yet */
    int32_t marker;
    uint32_t label;             /* index in labels */
    uint32_t call, thread;
};
struct store_label { const char *text; size_t bytes; };

/* Records of one task, in order; upto is the number of the record behind the
 * last one and becomes task.records. */
struct store_batch {
    uint64_t job;
    uint32_t rank;
    int64_t node;
    uint64_t upto;
    const struct store_event *events;
    size_t nevents;
    const struct store_label *labels;   /* every index must be below nlabels */
    size_t nlabels;
};
int store_add_events(struct store *st, const struct store_batch *b,
                     struct err *err);

/* ------------------------------------------------------ costs of MPI calls */

struct store_module { int64_t id; const char *path, *build_id; };
struct store_frame { int64_t id, module; uint64_t offset; };    /* 0: none */
struct store_site {
    int64_t id;
    uint32_t call;
    const int64_t *frames;      /* ids, the caller of MPI first */
    size_t nframes;
};
struct store_cost {
    uint32_t rank;
    int64_t site;
    uint64_t calls, in_ns, out_ns, bytes, max_ns;
};
struct store_name {             /* NULL, or a line of 0: not known */
    int64_t frame;
    uint32_t depth, line;
    const char *function, *file, *note;
};

/* Costs count from the start of the task, so the greatest ones stay. A name
 * once known is never lost to a note. */
struct store_profile {
    uint64_t job;
    struct store_module *modules;
    struct store_frame *frames;
    struct store_site *sites;
    struct store_cost *costs;
    struct store_name *names;
    size_t nmodules, nframes, nsites, ncosts, nnames;
};
int store_put_profile(struct store *st, const struct store_profile *p,
                      struct err *err);

#endif
