/* journal.h - everything that waits to be written to the store.
 *
 * What happens is applied in memory and noted here. At the end of the loop's
 * turn (for what effects wait for), or some ms later (for what nobody waits
 * for), all of it is written in one transaction; after the commit the owner
 * hears of it and carries out the effects and sends the acknowledgements.
 * When the database is busy or full, everything stays queued for some seconds
 * and a timer tries again. Then, or when it cannot be used at all, an in-memory
 * database takes its place, and the run goes on. If there was hope, what is in
 * memory is copied into the file as soon as that can be written again. The
 * owner is told why; of a file that others have locked only if that goes on
 * for long: it is what happens in ordinary use. */
#ifndef HECTOR_JOURNAL_H
#define HECTOR_JOURNAL_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/queue.h>
#include <event2/event.h>

#include "master/state/job.h"
#include "master/state/node.h"
#include "master/store/store.h"
#include "proto/conf/due.h"

struct journal;

struct journal_ops {
    /* All that was noted before is in the database. */
    void (*committed)(void *arg);
    /* Event records of a task below upto are. */
    void (*acked)(void *arg, struct job *j, uint32_t rank, uint64_t upto);
    /* Too much is queued: stop the slaves. Then: let them go on. */
    void (*pressure)(void *arg, bool high);
    /* Another database has taken the place of the one before. What is alive
     * has to be noted again. */
    void (*replaced)(void *arg);
    /* A sentence for people; bad: something is wrong, else it is over. */
    void (*told)(void *arg, const char *text, bool bad);
};

/* What is wrong with a database that is of no use now: is there hope that it
 * will be? */
bool journal_may_return(const struct err *why);

/* Takes the store, and the path of the file it is (aside NULL), or that it
 * stands in for, because of that error, until the file can be written; path
 * NULL: never. m names this master (texts are copied); its row is the first
 * to be written. */
struct journal *journal_create(struct event_base *base, struct store *st,
                               const char *path, const struct err *aside,
                               const struct store_master *m,
                               const struct journal_ops *ops, void *arg,
                               struct err *err);
/* Writes what is left, once, with the end of the master; closes the store. */
void journal_destroy(struct journal *jn);

/* The job's row, and effects that wait for it: at the end of this turn. */
void journal_job(struct journal *jn, struct job *j);
/* A task's row: soon. */
void journal_task(struct journal *jn, struct job *j, struct task *t);
/* A task's counters: at most once a second a job. */
void journal_task_later(struct journal *jn, struct job *j, struct task *t);
void journal_node(struct journal *jn, struct node *n);

/* The jobs of a master that is dead, but for those that have been taken up
 * (journal_job()) by then. */
void journal_bury(struct journal *jn, uint64_t master);

/* A step of a machine of the job, or of a task of it; rank < 0: of the job as
 * a whole. The machine, which is static, has the words. */
void journal_step(struct journal *jn, const struct job *j,
                  const struct machine *m, int64_t rank, unsigned event,
                  unsigned from, unsigned to);

/* Rows that are written once, copied with their texts and bytes; their job, and
 * the time of an action or a verdict, are filled in here.
 *
 * What was ordered, in this turn's commit, and later how it went, for those of
 * that name (NULL: any) whose result is "ordered". */
void journal_action(struct journal *jn, const struct job *j,
                    const struct store_action *a);
void journal_action_result(struct journal *jn, const struct job *j,
                           const char *action, const char *result);

void journal_verdict(struct journal *jn, const struct job *j,
                     const struct store_verdict *v);

/* One of the graph of a verdict; with its place, later. */
void journal_outlier(struct journal *jn, const struct job *j,
                     const struct store_outlier *row);
void journal_odd_step(struct journal *jn, const struct job *j,
                      const struct store_step *row);
void journal_remark(struct journal *jn, const struct job *j,
                    const struct store_remark *row);
void journal_learnt(struct journal *jn, const struct job *j,
                    const struct store_learnt *row);
/* What is due in the job, or that it is over; added_ns: on the clock of the wall,
 * the first time counts. */
void journal_deadline(struct journal *jn, const struct job *j,
                      const struct due *d, uint64_t added_ns);
/* What came of deadlines, on the same clock: n rows, which are copied and leave
 * together, soon; job is filled in. Of the same instance the last one counts. */
void journal_instances(struct journal *jn, const struct job *j,
                       const struct store_instance *rows, size_t n);
/* A step that is taken for a deadline, or what has become of it; its job may have
 * ended. */
void journal_rung(struct journal *jn, const struct store_rung *row);
/* What that was decided from. */
void journal_climb(struct journal *jn, const struct store_climb *row);
void journal_progress_node(struct journal *jn, const struct job *j,
                           const struct store_progress_node *n);

/* What is told of a verdict has become more. */
void journal_report(struct journal *jn, const struct job *j, uint64_t seq,
                    const char *policy, const char *report);

/* A piece of tape (tape.h), from look seq on; and that those before seq are not
 * needed any more. */
void journal_look(struct journal *jn, const struct job *j,
                  const struct store_look *l);
void journal_trim_looks(struct journal *jn, const struct job *j,
                        uint64_t seq);

/* A call tree of the job with that number, which may have ended, copied; see
 * store_put_stack(). */
void journal_stack(struct journal *jn, uint64_t job, uint64_t seq,
                   const void *tree, size_t bytes);
/* The same of the models of its tasks. */
void journal_model(struct journal *jn, uint64_t job, const void *model,
                   size_t bytes);
/* A line of a slice; its job may have ended. */
void journal_slice(struct journal *jn, const struct store_slice *row);
/* What the job is a run of. */
void journal_run(struct journal *jn, const struct job *j,
                 const struct store_run *row);
/* How long this job, which ended well, was outside of MPI behind a place. */
void journal_stay(struct journal *jn, uint64_t job, uint64_t place,
                  uint64_t longest_ns);

/* Where a task was from then until then; 0: it still is. */
void journal_posting(struct journal *jn, const struct job *j,
                     const struct task *t, uint64_t from_ns, uint64_t to_ns);
/* What a move was to do, and how it went; job is filled in. */
void journal_checkpoint(struct journal *jn, const struct job *j,
                        const struct store_checkpoint *c);
void journal_move(struct journal *jn, const struct job *j,
                  const struct store_move *m);

/* What an optimizer saw, and a step that it wants, as it is now: after this turn's
 * commit. Its job may have ended. */
void journal_system(struct journal *jn, const struct store_system *row);
void journal_plan(struct journal *jn, const struct store_plan *row);

/* Event records. Make a batch, fill events[], labels[] (whose texts lie in
 * text[]) and rows.job, rank, node, upto, then give it back for good. */
struct journal_batch {
    STAILQ_ENTRY(journal_batch) place;
    struct job *job;            /* borrowed: outlives its batches */
    const struct node *node;    /* borrowed */
    struct store_batch rows;
    struct store_event *events;         /* all in the same allocation */
    struct store_label *labels;
    char *text;
    size_t bytes;
};
struct journal_batch *journal_batch_create(size_t nevents, size_t nlabels,
                                           size_t text_bytes);
void journal_events(struct journal *jn, struct journal_batch *b);

/* Costs of calls. Make one with the counts of what there will be, nlists
 * frames in the lists of all sites together; fill the arrays of rows (all in
 * the same allocation), then give it back for good. */
struct journal_profile {
    STAILQ_ENTRY(journal_profile) place;
    struct job *job;            /* borrowed: outlives it */
    struct store_profile rows;
    int64_t *lists;
    char *text;
    size_t bytes;
};
struct journal_profile *journal_profile_create(
    const struct store_profile *counts, size_t nlists, size_t text_bytes);
void journal_costs(struct journal *jn, struct journal_profile *p);

/* How a job has ended that is no longer alive. -1: that is not known. */
struct journal_end { int exit_code; char why[400]; };
int journal_find_end(struct journal *jn, uint64_t job,
                     struct journal_end *end);

/* The database that is written to just now, for a question (query.h): what is
 * noted and not committed is not in it. Borrowed until the loop turns. */
struct store *journal_store(const struct journal *jn);

/* The record is in memory only: try to write it now. -1: err says why not
 * (EBUSY: others have locked the file just now); when nobody will come to try
 * again it is lost. */
int journal_settle(struct journal *jn, struct err *err);

/* Nothing waits to be written. */
bool journal_idle(const struct journal *jn);

#endif
