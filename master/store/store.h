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

#include "master/store/rows.h"
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
 * What they are is in rows.h. Texts and bytes are borrowed for the call. Rows
 * are written whole: what becomes of one that is there already, the rules of
 * its columns say. */

/* store_put_master(st, row, err) and so on: rows that are put, and no more. */
#define STORE_PLAIN_ROWS(X)                                                   \
    X(master) X(task) X(resume) X(transition) X(action) X(verdict) X(look)    \
    X(model) X(stay) X(progress_node) X(run) X(outlier) X(step) \
    X(remark) X(learnt) X(deadline) X(instance) X(system) X(plan) \
    X(climb)
#define STORE_PUT(name)                                                       \
    int store_put_##name(struct store *st, const struct store_##name *row,    \
                         struct err *err);
STORE_PLAIN_ROWS(STORE_PUT)
#undef STORE_PUT

/* One with the number 0 is new, and gets its number here. */
int store_put_job(struct store *st, struct store_job *j, struct err *err);
/* *id becomes node.id, which is that of the name for ever. */
int store_put_node(struct store *st, const struct store_node *n, int64_t *id,
                   struct err *err);
/* The last one that was asked for, and those of the last verdicts, are kept. */
int store_put_stack(struct store *st, const struct store_stack *s,
                    struct err *err);

/* The result of those that have the result "ordered"; only job, action (NULL:
 * any) and result count. */
int store_put_result(struct store *st, const struct store_action *a,
                     struct err *err);

/* Another report of the one of that job, policy and seq. */
int store_put_report(struct store *st, const struct store_verdict *v,
                     struct err *err);

/* Looks of a job before seq are dropped; and when a job has ended, those of
 * jobs about which there is no verdict, but for the latest, stays at places
 * that no run has come to for longest, where they are many, and models but for
 * those of the latest jobs and of the last good runs of each program. */
int store_trim_looks(struct store *st, uint64_t job, uint64_t seq,
                     struct err *err);
int store_tidy(struct store *st, struct err *err);

/* What was kept to take it up again. */
int store_drop_resume(struct store *st, uint64_t job, struct err *err);

/* How often the job of a batch system was begun before the run of it that began
 * then: once more than the last job in it says that came before; *restarts stays as
 * it is where there is none. */
int store_count_runs(struct store *st, const char *batch, uint64_t run_ns,
                     uint32_t *restarts, struct err *err);

/* The jobs that a master, which is dead, has not ended: they have failed now, but
 * those that it was about to kill were killed, and so were all if a batch system has
 * ended them for a reason. Tasks of theirs are lost, and so are nodes nobody hears
 * of. */
struct store_grave {
    uint64_t master, now_ns;
    const char *reason, *why;   /* word and sentence; NULL: not known */
};
int store_bury(struct store *st, const struct store_grave *g, struct err *err);

/* ------------------------------------------------------------------ events */

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

struct store_place {            /* a site, with its frames */
    int64_t id;
    uint32_t call;
    const int64_t *frames;      /* ids, the caller of MPI first */
    size_t nframes;
};

/* Costs count from the start of the task, so the greatest ones stay. Their job
 * is set here. */
struct store_profile {
    uint64_t job;
    struct store_module *modules;
    struct store_frame *frames;
    struct store_place *sites;
    struct store_cost *costs;
    struct store_source *names;
    size_t nmodules, nframes, nsites, ncosts, nnames;
};
int store_put_profile(struct store *st, const struct store_profile *p,
                      struct err *err);

#endif
