/* query.h - all questions to the database: who wants to know what it says asks
 * here, commands, pages, and a master that takes jobs up again.
 *
 * Of two kinds. Some give structs, of rows.h or of this header, to a function:
 * their texts and bytes are borrowed until it returns, and anything but 0 from
 * it ends the question early, which is no error. Others give rows of named
 * columns, as lists for people and programs; see struct query_rows.
 *
 * They can be asked of a file of any version: what an old one does not know is
 * as NULL is (0, false), and of a table that it has not there are no rows.
 * Errors: 0, or -1 with err filled. */
#ifndef HECTOR_QUERY_H
#define HECTOR_QUERY_H

#include "master/store/store.h"
#include "proto/base/clock.h"
#include "proto/base/taskset.h"

/* A master that has written nothing for so long, though it has slaves, does not
 * work. */
#define QUERY_SILENT_NS (20 * CLOCK_NS_PER_S)

/* Where named rows go: head once, also when there are no rows, then row; both
 * may be NULL. */
struct query_rows {
    store_head_f *head;
    store_row_f *row;
    void *arg;
};

/* Some tasks of a job. */
struct query_which {
    uint64_t job;
    const struct taskset *ranks;        /* borrowed; an empty one: all */
};

/* Has this file the table? */
bool query_has(const struct store *st, enum store_table table);

/* ------------------------------------------------------------------ lists */

/* The last count jobs (-1: all) and those that run, with the time they have
 * taken until now; with runs: those that a job of a batch system had, as it was
 * requeued, one after the other, as batch, run and reason say. people: state
 * says for the deadline of which other one a job is suspended. */
int query_jobs(struct store *st, uint64_t now_ns, int64_t count, bool runs,
               bool people, const struct query_rows *to, struct err *err);
/* Is one of these in a job of a batch system? */
int query_any_batch(struct store *st, int64_t count, bool *any,
                    struct err *err);
/* The runs of the job of a batch system that the job is one of: job, batch,
 * run, state, reason, started_ns, ended_ns, exit_code, from_job,
 * from_checkpoint. */
int query_run_rows(struct store *st, uint64_t job, const struct query_rows *to,
                   struct err *err);
/* Is something asked for of the processors, for tasks of this job? */
int query_any_share(struct store *st, uint64_t job, bool *any, struct err *err);
/* shares: with class, nice, applied. */
int query_tasks(struct store *st, const struct query_which *which,
                uint64_t now_ns, bool shares, const struct query_rows *to,
                struct err *err);
/* By job and number; job 0: of all. */
int query_checkpoints(struct store *st, const struct query_which *which,
                      const struct query_rows *to, struct err *err);
/* What is due in the job, or, for job 0, in those that run, or, if none does,
 * the last one: job, number, deadline, instances, met, missed, margin, worst,
 * slope, chance, step; for programs also kind, limit_ns, firm, ranks, over,
 * added_ns. For people what is a share is in per cent, and slope the points of
 * these in 100 instances. */
int query_deadlines(struct store *st, uint64_t job, bool programs,
                    const struct query_rows *to, struct err *err);
/* Each time that something was due in the job and is over, or late: by deadline,
 * in time. */
struct query_instance {
    uint32_t number;            /* of the deadline, */
    const char *text;
    double wanted;              /* ... of which that is to be left */
    uint64_t at_ns;             /* done, or else was due */
    bool ended;
    double margin;              /* if it has ended */
    bool late;
};
typedef int query_instance_f(void *arg, const struct query_instance *i);
int query_instances(struct store *st, uint64_t job, query_instance_f *f,
                    void *arg, struct err *err);
/* What was found of these, in time. */
typedef int query_late_f(void *arg, uint64_t at_ns, const char *why);
int query_late(struct store *st, uint64_t job, query_late_f *f, void *arg,
               struct err *err);
/* Is there any of these? */
int query_any_deadline(struct store *st, uint64_t job, bool *any,
                       struct err *err);
int query_nodes(struct store *st, const struct query_rows *to, struct err *err);
/* The last count events (0: all), in time; with both stamps, or the time in
 * between. */
int query_events(struct store *st, const struct query_which *which,
                 uint64_t count, bool stamps, const struct query_rows *to,
                 struct err *err);
int query_verdicts(struct store *st, uint64_t job, const struct query_rows *to,
                   struct err *err);
/* The last slice of the job, of this rank (-1: of any): rank, place, function,
 * file, line, reason, at_ns. */
int query_slice(struct store *st, uint64_t job, int64_t rank,
                const struct query_rows *to, struct err *err);
/* The first lines of the last slices of so many tasks of the job: rank, place,
 * function, file, line, reason, how many lines it has. */
int query_slice_heads(struct store *st, uint64_t job, uint32_t tasks,
                      uint32_t lines, const struct query_rows *to,
                      struct err *err);
/* The ranks of each group of the job that stands at one point, the least
 * progressed first, as policy progress has it, unless it has moved since. */
int query_least(struct store *st, uint64_t job, const struct query_rows *to,
                struct err *err);
/* The ranks that the last verdict of a hang blames: one row, or none. */
int query_blamed(struct store *st, uint64_t job, const struct query_rows *to,
                 struct err *err);
/* Views moves and returns, of the job. */
int query_move_rows(struct store *st, uint64_t job, const struct query_rows *to,
                    struct err *err);
int query_return_rows(struct store *st, uint64_t job,
                      const struct query_rows *to, struct err *err);
/* What is missing from events: events.h. */
struct events_lost;
int query_lost(struct store *st, const struct query_which *which,
               struct events_lost *lost, struct err *err);

/* ------------------------------------------------------------------- rows */

typedef int query_master_f(void *arg, const struct store_master *row);
typedef int query_job_f(void *arg, const struct store_job *row);
typedef int query_progress_f(void *arg, const struct store_progress_node *row);
typedef int query_task_f(void *arg, const struct store_task *row,
                         const char *node);
typedef int query_checkpoint_f(void *arg, const struct store_checkpoint *row);
typedef int query_open_move_f(void *arg, const struct store_move *row);
typedef int query_look_f(void *arg, const struct store_look *row);
typedef int query_stack_f(void *arg, const struct store_stack *row);
typedef int query_model_f(void *arg, const struct store_model *row);
typedef int query_learnt_f(void *arg, const struct store_learnt *row);
typedef int query_run_f(void *arg, const struct store_run *row);

/* Names of nodes that take no new tasks. */
typedef int query_text_f(void *arg, const char *text);
int query_draining(struct store *st, query_text_f *f, void *arg,
                   struct err *err);
/* Nodes that this master was emptying, why, and to which others ("a,b"; "":
 * any). */
typedef int query_drain_f(void *arg, const char *node, const char *why,
                          const char *to);
int query_drains(struct store *st, uint64_t master, query_drain_f *f, void *arg,
                 struct err *err);
/* Nodes whose owner is there, or is not: here, gone, ""; for whom it takes no
 * new tasks: owner, operator, "". */
int query_owners(struct store *st, query_drain_f *f, void *arg,
                 struct err *err);
/* Masters that have not said that they end. */
int query_masters(struct store *st, query_master_f *f, void *arg,
                  struct err *err);
/* That of a job that has not ended. */
int query_master_of(struct store *st, uint64_t job, query_master_f *f, void *arg,
                    struct err *err);
/* Those of a master that have not ended, and are in a batch system. */
int query_open_in_batch(struct store *st, uint64_t master, query_job_f *f,
                        void *arg, struct err *err);
/* One job; its tasks, by rank, each with the name of its node or NULL. */
int query_job(struct store *st, uint64_t job, query_job_f *f, void *arg,
              struct err *err);
/* Runs of the same job of a batch system, itself among them. */
int query_batch(struct store *st, uint64_t job, query_job_f *f, void *arg,
                struct err *err);
/* -1 with a sentence also where there is no such job. */
int query_job_ended(struct store *st, uint64_t job, bool *ended,
                    struct err *err);
int query_job_tasks(struct store *st, uint64_t job, query_task_f *f, void *arg,
                    struct err *err);
/* What a master has not ended, by number. past is of zeros if there is none. */
typedef int query_unended_f(void *arg, const struct store_job *row,
                            const struct store_resume *past);
int query_unended(struct store *st, uint64_t master, query_unended_f *f,
                  void *arg, struct err *err);

/* Checkpoints of the job that are whole, the last one first; and all that there
 * were, by number. */
int query_whole(struct store *st, uint64_t job, query_checkpoint_f *f, void *arg,
                struct err *err);
int query_saved(struct store *st, uint64_t job, query_checkpoint_f *f, void *arg,
                struct err *err);
/* Moves of the job of which it is not known how they have ended, the last one
 * last. */
int query_open_moves(struct store *st, uint64_t job, query_open_move_f *f,
                     void *arg, struct err *err);
/* Pieces of the tape of a job, in order: those behind seq (0: all), at most
 * count (-1: no limit); the last one, perhaps only if the job runs. */
int query_looks(struct store *st, uint64_t job, uint64_t seq, int64_t count,
                query_look_f *f, void *arg, struct err *err);
int query_last_look(struct store *st, uint64_t job, bool runs, query_look_f *f,
                    void *arg, struct err *err);
/* What steps for deadlines of a job, 0: of all, were decided from, in order. */
typedef int query_climb_f(void *arg, const struct store_climb *c);
int query_climbs(struct store *st, uint64_t job, query_climb_f *f, void *arg,
                 struct err *err);
/* What optimizers were shown where they planned anything, in order. */
typedef int query_system_f(void *arg, const struct store_system *s);
int query_systems(struct store *st, query_system_f *f, void *arg,
                  struct err *err);
/* The call tree of the job's verdict of look seq; the last one of all; and the
 * models. */
int query_stack(struct store *st, uint64_t job, uint64_t seq, query_stack_f *f,
                void *arg, struct err *err);
int query_last_stack(struct store *st, uint64_t job, query_stack_f *f,
                     void *arg, struct err *err);
int query_model(struct store *st, uint64_t job, query_model_f *f, void *arg,
                struct err *err);
/* What the job is a run of; and runs of the same program before it that ended
 * with 0, without a verdict of a hang, and have a model, the latest first, at
 * most count. Of the same words, whatever the build and the number of tasks:
 * the same of those. */
int query_run_of(struct store *st, uint64_t job, query_run_f *f, void *arg,
                 struct err *err);
int query_good_runs(struct store *st, int64_t program, uint64_t before,
                    int64_t count, query_run_f *f, void *arg, struct err *err);
int query_like_runs(struct store *st, const char *what, uint64_t before,
                    int64_t count, query_run_f *f, void *arg, struct err *err);
/* What policies have learnt of the job; nothing where the database is of
 * a version that kept none. */
int query_learnt(struct store *st, uint64_t job, query_learnt_f *f, void *arg,
                 struct err *err);
/* How long programs that ended well were outside of MPI behind that place at
 * most, ns; 0: that is not known. */
int query_longest_stay(struct store *st, uint64_t place, uint64_t *longest_ns,
                       struct err *err);

/* --------------------------------------------------- what was found, done */

/* A verdict, and action is NULL; or an action. In time; actions "report" say
 * what the verdict says, and "rollback" what query_returns() does: they are left
 * out. */
struct query_found {
    uint64_t at_ns;
    const char *policy;
    const char *report;         /* lines, each with its end */
    struct row_maybe seq;
    const char *action, *ranks, *by, *result, *why;     /* of the action */
};
typedef int query_found_f(void *arg, const struct query_found *found);
int query_found(struct store *st, uint64_t job, query_found_f *f, void *arg,
                struct err *err);

/* A move of tasks, by the order in which they were asked for; the times that it
 * was not long enough under way for are not known. */
struct query_move {
    uint64_t number, asked_ns, image_bytes;
    const char *ranks, *from_nodes, *to_node;
    const char *result;         /* NULL: not ended */
    uint32_t pushes, retreats;
    struct row_maybe stood_ns, prepare_ns, quiesce_ns, drain_ns, places_ns,
                     apart_ns, image_ns, restore_ns, join_ns;
};
/* What moves have taken, of the last ones. */
struct query_moving {
    uint64_t done, ended;       /* so many were done, of so many */
    double base_s, bytes_s;     /* the pause without images; their bytes a
                                   second, 0: not known */
};
int query_moving(struct store *st, struct query_moving *q, struct err *err);

/* Steps for deadlines that this master has taken and not undone. */
typedef int query_rung_f(void *arg, const struct store_rung *row);
/* Those for deadlines of the job, and those done to it; and as the view has
 * them. */
int query_rungs(struct store *st, uint64_t job, query_rung_f *f, void *arg,
                struct err *err);
int query_rung_rows(struct store *st, uint64_t job,
                    const struct query_rows *to, struct err *err);
/* The number of the last one for deadlines of the job, of those up to most; 0: there
 * is none. */
int query_last_rung(struct store *st, uint64_t job, uint32_t most,
                    uint32_t *number, struct err *err);
int query_open_rungs(struct store *st, uint64_t master, query_rung_f *f,
                     void *arg, struct err *err);

typedef int query_move_f(void *arg, const struct query_move *move);
int query_moves(struct store *st, uint64_t job, query_move_f *f, void *arg,
                struct err *err);
/* Where tasks were that have moved, by rank and time; to_ns 0: to the end. */
struct query_stay { uint32_t rank; const char *node; uint64_t from_ns, to_ns; };
typedef int query_stay_f(void *arg, const struct query_stay *stay);
int query_stays(struct store *st, uint64_t job, query_stay_f *f, void *arg,
                struct err *err);

/* The job went back to a checkpoint, in time. */
struct query_return {
    uint64_t at_ns;
    const char *why;
    uint32_t checkpoint;
    struct row_maybe saved_ns;  /* of that time; not known: of another job */
    uint64_t lost_ns;           /* so much of its work was behind that */
    struct row_maybe away_ns;   /* until its tasks ran again; not known: they
                                   have not */
};
typedef int query_return_f(void *arg, const struct query_return *back);
int query_returns(struct store *st, uint64_t job, query_return_f *f, void *arg,
                  struct err *err);

/* The optimizer that has suspended this job, if that was the last that anybody
 * has asked for of it: at most one. */
int query_suspender(struct store *st, uint64_t job, query_text_f *f, void *arg,
                    struct err *err);
/* Policies that have been switched off in this job. */
int query_switched_off(struct store *st, uint64_t job, query_text_f *f,
                       void *arg, struct err *err);

typedef int query_open_f(void *arg, const char *policy, const char *kind);
/* What policies have found and not taken back, each kind once. */
int query_open(struct store *st, uint64_t job, query_open_f *f, void *arg,
               struct err *err);

/* One time that the tasks of a job were compared. */
struct query_compared {
    uint64_t job, at_ns;        /* of its rows */
    uint64_t count;             /* so many of each method, */
    const char *method;         /* of that one; NULL: of each */
};
/* The tasks that were furthest from their like then; and the steps that these are
 * slow in. */
int query_outliers(struct store *st, const struct query_compared *c,
                   const struct query_rows *to, struct err *err);
int query_steps(struct store *st, const struct query_compared *c,
                const struct query_rows *to, struct err *err);
/* Sentences about all that were compared, in order. */
int query_remarks(struct store *st, const struct query_compared *c,
                  const struct query_rows *to, struct err *err);
/* One row: how many of these steps have no place in the source. */
int query_steps_bare(struct store *st, const struct query_compared *c,
                     const struct query_rows *to, struct err *err);

enum query_compared_in { QUERY_ALL_TIME, QUERY_SINCE, QUERY_PHASE, QUERY_ANY };
/* The last time that they were compared in all their time, since some time, in
 * that phase, or in any: at_ns, phase, since_ns. At after_ns or later. No row:
 * never. */
int query_compared_last(struct store *st, uint64_t job,
                        enum query_compared_in in, const char *phase,
                        uint64_t after_ns, const struct query_rows *to,
                        struct err *err);

/* The graph that says who has made the least progress, of the last verdict of
 * the job that has one, by place. */
int query_progress(struct store *st, uint64_t job, query_progress_f *f,
                   void *arg, struct err *err);

/* The first verdict of a hang that was not over, if there is one. */
struct query_hang {
    const char *policy, *kind, *report, *why;   /* report, why may be NULL */
    const char *ranks;          /* to blame; or NULL */
    uint64_t seq, age_ns;
    double score;
    bool told, acted;           /* people heard; something was done about it */
    bool ordered;               /* a move that is not over */
    uint32_t proposed;          /* enum hct_action; 0: no more than a report */
};
typedef int query_hang_f(void *arg, const struct query_hang *hang);
int query_open_hang(struct store *st, uint64_t job, query_hang_f *f, void *arg,
                    struct err *err);

/* ---------------------------------------------------------------- numbers */

typedef int query_number_f(void *arg, uint64_t number);
/* Jobs that have looks, the latest first. */
int query_recorded(struct store *st, query_number_f *f, void *arg,
                   struct err *err);
/* The last number that a job has got. */
int query_last_number(struct store *st, uint64_t *number, struct err *err);

/* Where the master is that runs the job, or, for job 0, that was started last, of
 * those that have not ended: address is NULL if it has left none, ended: the
 * job or that master. */
typedef int query_address_f(void *arg, const char *address, bool ended);
int query_address(struct store *st, uint64_t job, query_address_f *f, void *arg,
                  struct err *err);

/* ----------------------------------------------- where the time has gone
 * query_costs.c. Percentages are of the application time, from MPI_Init on, and
 * of the time inside of MPI, each of all tasks that are asked about together.
 * The lists are those of hector report: for people, or for programs (all
 * columns, nothing cut). */

struct query_costs {
    struct query_which which;
    bool programs;
    int64_t top, callers;       /* so many rows, and of a site; -1: all */
};

struct query_load {               /* of the tasks */
    int64_t tasks, calls, app_ns, out_ns;
    int64_t most_ns, most_rank; /* outside of MPI: the greatest, and whose */
    double cov;                 /* of the times outside of MPI */
    int64_t costs;              /* rows of table cost */
    int64_t nodes;              /* of the whole job */
};
int query_load(struct store *st, const struct query_which *which,
               struct query_load *load, struct err *err);

/* The row of view jobs, with the load and a sentence (or NULL). */
int query_costs_job(struct store *st, const struct query_costs *c,
                    const struct query_load *load, double imbalance,
                    const char *lacking, const struct query_rows *to,
                    struct err *err);
/* tasks: how many there are. */
int query_costs_tasks(struct store *st, const struct query_costs *c,
                      int64_t tasks, const struct query_rows *to,
                      struct err *err);
int query_costs_calls(struct store *st, const struct query_costs *c,
                      const struct query_rows *to, struct err *err);
int query_costs_sites(struct store *st, const struct query_costs *c,
                      const struct query_rows *to, struct err *err);
int query_costs_callers(struct store *st, const struct query_costs *c,
                        const struct query_rows *to, struct err *err);
int query_costs_rows(struct store *st, const struct query_costs *c,
                     const struct query_rows *to, struct err *err);
/* Files without names, and why: *n places; and rows, a file each. */
int query_costs_nameless(struct store *st, const struct query_costs *c,
                         int64_t *n, struct err *err);
int query_costs_why_nameless(struct store *st, const struct query_costs *c,
                             const struct query_rows *to, struct err *err);

#endif
