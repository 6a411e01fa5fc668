/* rows.h - what the database keeps: every table and every column, once.
 *
 * From here come the structs below, the tables in a new file and the steps that
 * bring an old one up to date, what writes a row, what reads one back, what
 * copies it from a database in memory into the file, and the views of users.
 * A column is one line here; what it is filled with, and what it fills when a
 * later master reads it, stands in record.c.
 *
 * A column:  C(name, KIND, RULE, since, view, about)
 *
 *   KIND     what it is in C, and in SQL (texts and bytes are borrowed, see
 *            store.h):
 *     COUNT     uint64_t           TOTAL    the same, 0 in rows of old files
 *     COUNT32   uint32_t           SIGNED   int32_t
 *     KNOWN     uint64_t, 0: NULL  KNOWN32  uint32_t, 0: NULL
 *     NUMBER    int64_t            LINK     int64_t, 0: NULL
 *     MAYBE     struct row_maybe   FLAG     bool
 *     REAL      double             AMOUNT   double, 0: NULL
 *     BYTES     struct row_bytes, NULL: NULL
 *     TEXT      const char *, NULL: NULL
 *     NAME      const char *, no two rows have the same
 *     MASTER    uint64_t of which 63 bits are kept, 0: NULL
 *     JOB       uint64_t, number of a job: it may get another one on its way
 *               from memory into the file
 *     SESSION   the same, 0: NULL
 *     NODE      int64_t, node.id, 0: NULL; its name says which in the file
 *     LABEL     uint32_t, index into the labels of a batch; label.id
 *   RULE     what becomes of it when the row is there already:
 *     KEY       by this it is known
 *     LAST      what came last counts        FIRST    what came first counts
 *     KEEP      the last one that is no NULL  MOST     the greatest one counts
 *     SAYS      as LAST; but when it is NULL the row stays as it is
 *     BATCH     as LAST; of all rows of a batch, no member of the struct
 *     COUNTED   store_event.c writes it; on the way into the file as MOST
 *     APART     store_event.c writes it, store_merge.c copies it
 *   since    version of the schema that has brought it: a new column gets the
 *            present one and one more
 *   view     position in the view of users, 0: it is not shown
 *   about    a comment in the file, NULL: none
 *
 * A table:  T(name, since, HOW, view, about); its columns are STORE_name(C)
 *
 *   HOW      KEYED     by its keys             BARE      the same, and no rowid
 *            NUMBERED  SQLite numbers rows: column id, before all others
 *            ENDLESS   by its key, and no number is given twice
 *            LISTED    not at all: rows are only added */
#ifndef HECTOR_ROWS_H
#define HECTOR_ROWS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* In the order in which they are copied: what others name comes first. */
#define STORE_TABLES(T)                                                       \
    T(master,     1, KEYED,    NULL, "a hector-master that used this file")   \
    T(node,       1, NUMBERED, "nodes", NULL)                                 \
    T(job,        1, ENDLESS,  "jobs", NULL)                                  \
    T(task,       1, BARE,     "tasks", NULL)                                 \
    T(resume,     2, KEYED,    NULL, "what a master needs to take a job up"   \
                                     " again; gone when it has ended")        \
    T(transition, 1, NUMBERED, NULL, "every step of every state machine")     \
    T(action,     1, LISTED,   "actions", NULL)                               \
    T(verdict,    1, LISTED,   "verdicts", NULL)                              \
    T(look,       5, KEYED,    NULL, "what policies saw: pieces of a tape, see"\
                                     " tape.h; hector replay reads it")       \
    T(stack,      7, KEYED,    NULL, "call trees of jobs: the last one that"  \
                                     " somebody asked for, and those of hangs")\
    T(model,      8, KEYED,    NULL, "of jobs: as they ended, or as somebody" \
                                     " asked for it last")                    \
    T(run,       14, KEYED,    NULL, "what jobs are runs of: later ones are"  \
                                     " compared with those that went well")   \
    T(stay,       9, KEYED,    NULL, "of programs that ended well, outside of"\
                                     " MPI: the longest of all their runs")   \
    T(posting,   10, KEYED,    "stays", "where a task that has moved was and is")\
    T(move,      11, KEYED,    NULL, "tasks that were to go to another node")  \
    T(checkpoint, 12, KEYED, "checkpoints", "of jobs: all tasks, as images in"\
                                     " files")                                \
    T(progress_node, 14, KEYED, "progress", "of the graph of a verdict: tasks" \
                                     " at the same point")                    \
    T(outlier,    14, KEYED, "outliers", "tasks that are further from their"  \
                                     " like than others")                     \
    T(step,       14, KEYED, "steps", "from call to call, that such a task is"\
                                     " slow in")                              \
    T(remark,     16, KEYED, "remarks", "what is said of all tasks that were" \
                                     " compared")                             \
    T(learnt,     17, KEYED,    NULL, "what policies have learnt of jobs, for later" \
                                     " runs of the same program")             \
    T(deadline,   21, KEYED,    NULL, "what is due in jobs")                  \
    T(instance,   21, BARE,     NULL, "of deadlines: what came of each time") \
    T(rung,       24, KEYED, "ladder", "steps that were taken for deadlines, each"\
                                     " here before it was done")              \
    T(climb,      27, KEYED,    NULL, "what such steps were decided from; hector"\
                                     " replay reads it")                      \
    T(system,     25, KEYED,    NULL, "what optimizers saw, where they planned"\
                                     " anything; hector replay reads it")     \
    T(plan,       25, KEYED, "plans", "steps that optimizers wanted")         \
    T(slice,      14, KEYED, "slices", "lines that decide that a task"    \
                                     " was where it was")                     \
    T(module,     4, KEYED,    NULL, "an executable or a library")            \
    T(frame,      4, KEYED,    NULL, "where a call returns to")               \
    T(source,     4, BARE,     NULL, "what a frame is called, with those"     \
                                     " inlined")                              \
    T(site,       4, KEYED,    NULL, "an MPI function and the stack under it")\
    T(site_frame, 4, BARE,     NULL, "none: all calls whose site is not known")\
    T(cost,       4, BARE,     NULL, "of a task's calls from a site, so far") \
    T(event,      1, NUMBERED, NULL, "a tagged MPI call")

#define STORE_master(C)                                                       \
    C(instance,   MASTER,  KEY,   1, 0, "random")                             \
    C(pid,        COUNT32, FIRST, 1, 0, NULL)                                 \
    C(host,       TEXT,    FIRST, 1, 0, NULL)                                 \
    C(address,    TEXT,    LAST,  1, 0, "where it listens, as for --master")  \
    C(started_ns, KNOWN,   FIRST, 1, 0, NULL)                                 \
    C(ended_ns,   KNOWN,   LAST,  1, 0, NULL)                                 \
    C(process,    TEXT,    FIRST, 2, 0, "which process of all that had this"  \
                                        " pid: alive_self()")             \
    C(seen_ns,    KNOWN,   LAST,  21, 0, "when it wrote last, to a second")

#define STORE_node(C)                                                         \
    C(name,            NAME,    KEY,  1, 0, NULL)                             \
    C(hostname,        TEXT,    LAST, 1, 0, NULL)                             \
    C(state,           TEXT,    LAST, 1, 2, "up, left, lost")                 \
    C(cpus,            COUNT32, LAST, 1, 3, NULL)                             \
    C(load,            REAL,    LAST, 1, 4, NULL)                             \
    C(cpu_busy,        REAL,    LAST, 1, 0, NULL)                             \
    C(memory_bytes,    KNOWN,   LAST, 1, 5, NULL)                             \
    C(memory_available_bytes, KNOWN, LAST, 1, 0, NULL)                        \
    C(machine,         TEXT,    LAST, 1, 0, NULL)                             \
    C(clock_offset_ns, MAYBE,   LAST, 1, 6, "its wall clock minus the master's")\
    C(clock_error_ns,  MAYBE,   LAST, 1, 8, "the offset is right within this")\
    C(seen_ns,         KNOWN,   LAST, 1, 7, NULL)                             \
    C(draining,        MAYBE,   KEEP, 11, 9, "1: it takes no new tasks")      \
    C(drain_why,       TEXT,    KEEP, 13, 0, "its tasks are leaving, for this" \
                                             " reason; '': they are not")     \
    C(drain_to,        TEXT,    KEEP, 13, 0, "for these nodes, with commas;"  \
                                             " '': any")                      \
    C(drain_master,    MASTER,  KEEP, 13, 0, "master.instance that sees to it")\
    C(drain_by,        TEXT,    KEEP, 26, 10, "owner operator; '': nobody")    \
    C(owner,           TEXT,    KEEP, 26, 11, "here gone; '': not known")      \
    C(owner_why,       TEXT,    KEEP, 26, 12, "by what that is seen")         \
    C(owner_since_ns,  KNOWN,   KEEP, 26, 13, NULL)

/* job 0: new, and gets its number when it is put. */
#define STORE_job(C)                                                          \
    C(job,          JOB,     KEY,   1, 1, NULL)                               \
    C(name,         TEXT,    LAST,  1, 2, NULL)                               \
    C(command,      TEXT,    LAST,  1, 3, NULL)                               \
    C(ntasks,       COUNT32, LAST,  1, 4, NULL)                               \
    C(state,        TEXT,    LAST,  1, 5, "submitted waiting stored preparing"  \
                                          " starting running returning ending"\
                                          " done failed killed")              \
    C(submitted_ns, KNOWN,   LAST,  1, 0, NULL)                               \
    C(started_ns,   KNOWN,   LAST,  1, 6, NULL)                               \
    C(ended_ns,     KNOWN,   LAST,  1, 7, NULL)                               \
    C(exit_code,    MAYBE,   LAST,  1, 8, "of the command; NULL while it runs")\
    C(why,          TEXT,    LAST,  1, 0, "a sentence, when it did not end well")\
    C(uid,          COUNT32, LAST,  1, 0, NULL)                               \
    C(master,       MASTER,  LAST,  1, 0, "master.instance that runs it")     \
    C(first_event,  KNOWN,   APART, 1, 0, "event.id, inclusive")              \
    C(last_event,   KNOWN,   APART, 1, 0, "the same")                         \
    C(batch,        TEXT,    KEEP, 18, 9, "the job of a batch system that it is"\
                                          " in: Slurm 42")                    \
    C(restarts,     KNOWN32, KEEP, 18, 10, "that was begun so often before")  \
    C(limit_ns,     KNOWN,   KEEP, 18, 11, "it ends then")                    \
    C(reason,       TEXT,    KEEP, 18, 12, "why it ended it: cancelled, time" \
                                          " limit, requeued, preempted, node" \
                                          " failure")                         \
    C(from_job,     KNOWN,   KEEP, 19, 13, "its tasks began as they were in a"\
                                          " checkpoint of that job")          \
    C(from_checkpoint, KNOWN32, KEEP, 19, 14, "its number")                    \
    C(saved_node_hours, AMOUNT, KEEP, 20, 15, "of its allocation, which were left"\
                                          " when it was ended for a hang")    \
    C(saved_core_hours, AMOUNT, KEEP, 20, 16, "the same, of its processors")  \
    C(saved_percent, AMOUNT, KEEP, 20, 17, "of the time of its allocation")

#define STORE_task(C)                                                         \
    C(job,           JOB,     KEY,  1, 1, NULL)                               \
    C(rank,          COUNT32, KEY,  1, 2, NULL)                               \
    C(node,          NODE,    LAST, 1, 3, "node.id")                          \
    C(pid,           KNOWN32, LAST, 1, 4, NULL)                               \
    C(state,         TEXT,    LAST, 1, 5, "placed starting running in_mpi_init"\
                                          " connected finalized exited killed"\
                                          " lost")                            \
    C(exit_code,     MAYBE,   LAST, 1, 6, "128 + signal if a signal ended it")\
    C(signal,        KNOWN32, LAST, 1, 0, "that ended it, or NULL")           \
    C(mpi_calls,     COUNT,   LAST, 1, 7, NULL)                               \
    C(in_mpi_ns,     COUNT,   LAST, 1, 8, NULL)                               \
    C(out_mpi_ns,    COUNT,   LAST, 1, 9, NULL)                               \
    C(cpu_ns,        COUNT,   LAST, 1, 0, NULL)                               \
    C(cpu_in_mpi_ns, COUNT,   LAST, 1, 10, NULL)                              \
    C(rss_bytes,     COUNT,   LAST, 1, 0, "now; the largest one once it has"  \
                                          " ended")                           \
    C(started_ns,    KNOWN,   LAST, 1, 0, NULL)                               \
    C(ended_ns,      KNOWN,   LAST, 1, 0, NULL)                               \
    C(records,       TOTAL, COUNTED, 1, 0, "event records stored so far")     \
    C(ring_waits,    COUNT,   LAST, 1, 0, NULL)                               \
    C(ring_lost,     COUNT,   LAST, 1, 0, NULL)                               \
    C(last_tag,      TEXT,    LAST, 1, 0, NULL)                               \
    C(why,           TEXT,    LAST, 1, 0, NULL)                               \
    C(hold,          TEXT,    LAST, 3, 12, "going suspending suspended resuming"\
                                           " ending killing")                 \
    C(held_ns,       TOTAL,   LAST, 3, 13, "suspended so long, until")        \
    C(held_since_ns, KNOWN,   LAST, 3, 0, "it was again; NULL: it is not")    \
    C(waited_ns,     KNOWN,   LAST, 14, 14, "its first thread was ready, and"  \
                                       " had no processor; NULL: not known")  \
    C(class,         TEXT,    KEEP, 22, 15, "of the kernel's scheduler: normal"\
                                       " batch idle realtime; NULL: nothing"   \
                                       " was asked for")                      \
    C(nice,          MAYBE,   KEEP, 22, 16, "of the kernel, less is more")    \
    C(applied,       TEXT,    KEEP, 22, 17, "of what was asked for: yes partly"\
                                       " no")

#define STORE_resume(C)                                                       \
    C(job,           JOB,     KEY,  2, 0, NULL)                               \
    C(submit,        BYTES,   KEEP, 2, 0, "as it came: Submit of hct.proto")  \
    C(placement,     BYTES,   KEEP, 2, 0, "Prepare of hct.proto, namespace and"\
                                          " nodes")                           \
    C(failed,        FLAG,    LAST, 2, 0, NULL)                               \
    C(killed,        FLAG,    LAST, 2, 0, NULL)                               \
    C(at_once,       FLAG,    LAST, 2, 0, NULL)                               \
    C(aborted,       FLAG,    LAST, 2, 0, NULL)                               \
    C(fail_code,     SIGNED,  LAST, 2, 0, NULL)                               \
    C(kill_code,     SIGNED,  LAST, 2, 0, NULL)                               \
    C(failed_ns,     KNOWN,   LAST, 2, 0, NULL)                               \
    C(session,       SESSION, LAST, 6, 0, "job whose launcher started it; NULL:"\
                                          " we did")                          \
    C(world,         TEXT,    LAST, 6, 0, "the MPI world that it is")         \
    C(closing,       FLAG,    LAST, 6, 0, "the launcher has ended")           \
    C(launcher_code, MAYBE,   LAST, 6, 0, "with this; NULL: not known")       \
    C(unfinalized,   FLAG,    LAST, 6, 0, "a task went without MPI_Finalize") \
    C(stores,        FLAG,    LAST, 13, 0, "its tasks are ended to be stored") \
    C(resumes,       KNOWN32, LAST, 13, 0, "it was resumed so often")         \
    C(owner_ranks,   TEXT,    LAST, 26, 0, "suspended for the owner of a node")

#define STORE_transition(C)                                                   \
    C(job,        JOB,   LAST, 1, 0, NULL)                                    \
    C(at_ns,      COUNT, LAST, 1, 0, NULL)                                    \
    C(machine,    TEXT,  LAST, 1, 0, "job, task RANK or hold RANK")           \
    C(event,      TEXT,  LAST, 1, 0, NULL)                                    \
    C(state_from, TEXT,  LAST, 1, 0, NULL)                                    \
    C(state_to,   TEXT,  LAST, 1, 0, NULL)

#define STORE_action(C)                                                       \
    C(job,    JOB,   LAST, 1, 1, NULL)                                        \
    C(at_ns,  COUNT, LAST, 1, 2, NULL)                                        \
    C(action, TEXT,  LAST, 1, 3, NULL)                                        \
    C(ranks,  TEXT,  LAST, 1, 4, NULL)                                        \
    C(by,     TEXT,  LAST, 1, 5, NULL)                                        \
    C(result, TEXT,  LAST, 1, 6, NULL)                                        \
    C(why,    TEXT,  LAST, 1, 7, NULL)

#define STORE_verdict(C)                                                      \
    C(job,    JOB,   LAST, 1, 1, NULL)                                        \
    C(at_ns,  COUNT, LAST, 1, 2, NULL)                                        \
    C(policy, TEXT,  LAST, 1, 3, NULL)                                        \
    C(kind,   TEXT,  LAST, 1, 4, NULL)                                        \
    C(phase,  TEXT,  LAST, 1, 5, NULL)                                        \
    C(ranks,  TEXT,  LAST, 1, 6, NULL)                                        \
    C(score,  REAL,  LAST, 1, 7, NULL)                                        \
    C(why,    TEXT,  LAST, 1, 8, NULL)                                        \
    C(seq,    COUNT, LAST, 5, 0, "of the look that gave it")                  \
    C(age_ns, COUNT, LAST, 5, 0, "it had been so for so long")                \
    C(detail, TEXT,  LAST, 5, 0, "all of it: verdict_text()")                 \
    C(report, TEXT,  LAST, 5, 0, "what people are told, lines")

#define STORE_look(C)                                                         \
    C(job,   JOB,   KEY,  5, 0, NULL)                                         \
    C(seq,   COUNT, KEY,  5, 0, "the first look of the piece")                \
    C(at_ns, COUNT, LAST, 5, 0, "of the last one")                            \
    C(data,  BYTES, LAST, 5, 0, NULL)

#define STORE_stack(C)                                                        \
    C(job,   JOB,   KEY,  7, 0, NULL)                                         \
    C(seq,   COUNT, KEY,  7, 0, "verdict.seq; 0: somebody asked")             \
    C(at_ns, COUNT, LAST, 7, 0, NULL)                                         \
    C(tree,  BYTES, LAST, 7, 0, "CallTree of hct.proto")

#define STORE_model(C)                                                        \
    C(job,   JOB,   KEY,  8, 0, NULL)                                         \
    C(at_ns, COUNT, LAST, 8, 0, NULL)                                         \
    C(model, BYTES, LAST, 8, 0, "Model of hct.proto")

#define STORE_run(C)                                                          \
    C(job,     JOB,   KEY,  14, 0, NULL)                                      \
    C(at_ns,   COUNT, LAST, 14, 0, NULL)                                      \
    C(program, LINK,  KEEP, 14, 0, "runkey.h: what is the same has the same"  \
                                   " number; NULL: it has no model")          \
    C(good,    FLAG,  LAST, 14, 0, "status 0")                                \
    C(what,    TEXT,  LAST, 14, 0, "programs with their arguments")           \
    C(builds,  TEXT,  KEEP, 14, 0, "of the executables, with their build ids")\
    C(environment, TEXT, LAST, 14, 0, "lines: what of it makes programs"      \
                                      " faster or slower")

#define STORE_stay(C)                                                         \
    C(place,      COUNT, KEY,  9, 0, "left MPI here: placekey.h")             \
    C(longest_ns, COUNT, MOST, 9, 0, "in any of their runs")                  \
    C(job,        JOB,   LAST, 9, 0, "the last one that came here")           \
    C(at_ns,      COUNT, LAST, 9, 0, "its end")

#define STORE_posting(C)                                                      \
    C(job,     JOB,     KEY,  10, 1, NULL)                                    \
    C(rank,    COUNT32, KEY,  10, 2, NULL)                                    \
    C(from_ns, COUNT,   KEY,  10, 5, NULL)                                    \
    C(node,    NODE,    LAST, 10, 3, "node.id")                               \
    C(pid,     KNOWN32, LAST, 10, 4, NULL)                                    \
    C(to_ns,   KNOWN,   LAST, 10, 6, "NULL: to its end")

/* What its steps do not say: those are in transition. */
#define STORE_move(C)                                                         \
    C(job,         JOB,     KEY,  11, 0, NULL)                                \
    C(asked_ns,    COUNT,   KEY,  11, 0, NULL)                                \
    C(ended_ns,    KNOWN,   LAST, 11, 0, NULL)                                \
    C(ranks,       TEXT,    LAST, 11, 0, NULL)                                \
    C(from_nodes,  TEXT,    LAST, 11, 0, "names, with commas")                \
    C(to_node,     TEXT,    LAST, 11, 0, NULL)                                \
    C(pushes,      COUNT32, LAST, 11, 0, "collectives that somebody was let"  \
                                         " into for another's sake")          \
    C(retreats,    COUNT32, LAST, 11, 0, "all stood, and had to go on")       \
    C(image_bytes, COUNT,   LAST, 11, 0, NULL)                                \
    C(sending_ns,  KNOWN,   LAST, 11, 0, "the first piece of an image passed")\
    C(sent_ns,     KNOWN,   LAST, 11, 0, "the last one of the last image")    \
    C(result,      TEXT,    LAST, 11, 0, "done, or why not; NULL: not ended")

#define STORE_checkpoint(C)                                                   \
    C(job,         JOB,     KEY,  12, 1, NULL)                                \
    C(number,      COUNT32, KEY,  12, 2, "in its directory")                  \
    C(state,       TEXT,    LAST, 12, 3, "whole removed damaged")             \
    C(at_ns,       COUNT,   LAST, 12, 4, "all tasks stood")                   \
    C(image_bytes, COUNT,   LAST, 12, 5, NULL)                                \
    C(stood_ns,    COUNT,   LAST, 12, 6, NULL)                                \
    C(sealed_ns,   COUNT,   LAST, 12, 7, "it was whole, and read again")      \
    C(dir,         TEXT,    LAST, 12, 8, "that has it and others")            \
    C(about,       BYTES,   LAST, 12, 0, "Checkpoint of hct.proto")

#define STORE_progress_node(C)                                                \
    C(job,        JOB,     KEY,  14, 1, NULL)                                 \
    C(seq,        COUNT,   KEY,  14, 0, "verdict.seq")                        \
    C(place,      COUNT32, KEY,  14, 3, "1: the least progressed comes first") \
    C(at_ns,      COUNT,   LAST, 14, 2, NULL)                                 \
    C(ranks,      TEXT,    LAST, 14, 4, NULL)                                 \
    C(least,      FLAG,    LAST, 14, 0, "it is named by the verdict")         \
    C(call,       TEXT,    LAST, 14, 5, "of MPI: that they are in, or have"   \
                                        " left last")                         \
    C(inside,     FLAG,    LAST, 14, 0, "they are in it")                     \
    C(function,   TEXT,    KEEP, 14, 0, "where the first of them is")         \
    C(file,       TEXT,    KEEP, 14, 6, NULL)                                 \
    C(line,       KNOWN32, KEEP, 14, 7, NULL)                                 \
    C(behind,     TEXT,    LAST, 14, 8, "places that wait for it")            \
    C(waits_for,  TEXT,    LAST, 14, 0, "places")                             \
    C(unsure,     TEXT,    LAST, 14, 0, "places: who waits for whom, nothing" \
                                        " says")                              \
    C(decided_by, TEXT,    LAST, 14, 9, "what says that others wait for it")

#define STORE_outlier(C)                                                      \
    C(job,     JOB,     KEY,  14, 1, NULL)                                    \
    C(seq,     COUNT,   KEY,  14, 0, "of the look")                           \
    C(method,  TEXT,    KEY,  14, 3, "cluster, neighbour, polish, stands, "   \
                                      "inside")                               \
    C(place,   COUNT32, KEY,  14, 5, "1: the furthest")                       \
    C(at_ns,   COUNT,   LAST, 14, 2, NULL)                                    \
    C(phase,   TEXT,    LAST, 14, 4, "NULL: of all")                          \
    C(rank,    COUNT32, LAST, 14, 6, NULL)                                    \
    C(score,   REAL,    LAST, 14, 7, "a distance, in deviations of the"       \
                                     " cluster; polish: deviations;"          \
                                     " stands, inside: times")                \
    C(cluster, COUNT32, LAST, 14, 8, "from 1")                                \
    C(cost_ns, COUNT,   LAST, 14, 9, "so much longer than its like; polish,"  \
                                     " stands, inside")                       \
    C(since_ns, KNOWN,  LAST, 15, 10, "the time that it is about began; NULL:"\
                                      " as the tasks did")                    \
    C(step,    TEXT,    LAST, 16, 11, "from call to call: that it is slow in,"\
                                      " or most of its distance is in")

#define STORE_step(C)                                                         \
    C(job,           JOB,     KEY,  14, 1, NULL)                              \
    C(seq,           COUNT,   KEY,  14, 0, "of the look")                     \
    C(rank,          COUNT32, KEY,  14, 3, NULL)                              \
    C(place,         COUNT32, KEY,  14, 4, "outlier.place")                   \
    C(at_ns,         COUNT,   LAST, 14, 2, NULL)                              \
    C(from_call,     TEXT,    LAST, 14, 5, NULL)                              \
    C(from_file,     TEXT,    KEEP, 14, 6, NULL)                              \
    C(from_line,     KNOWN32, KEEP, 14, 7, NULL)                              \
    C(to_call,       TEXT,    LAST, 14, 8, NULL)                              \
    C(to_file,       TEXT,    KEEP, 14, 9, NULL)                              \
    C(to_line,       KNOWN32, KEEP, 14, 10, NULL)                             \
    C(count,         COUNT,   LAST, 14, 11, NULL)                             \
    C(in_ns,         COUNT,   LAST, 14, 12, "inside the first call, in all")  \
    C(out_ns,        COUNT,   LAST, 14, 13, "between the two")                \
    C(normal_in_ns,  KNOWN,   LAST, 14, 14, "of one that is as fast")         \
    C(normal_out_ns, KNOWN,   LAST, 14, 15, NULL)                             \
    C(score,         REAL,    LAST, 14, 16, NULL)

#define STORE_remark(C)                                                       \
    C(job,    JOB,     KEY,  16, 1, NULL)                                     \
    C(seq,    COUNT,   KEY,  16, 0, "of the look")                            \
    C(place,  COUNT32, KEY,  16, 3, "from 1")                                 \
    C(at_ns,  COUNT,   LAST, 16, 2, "as in outlier")                          \
    C(text,   TEXT,    LAST, 16, 4, "a sentence")

#define STORE_learnt(C)                                                       \
    C(job,     JOB,     KEY,  17, 0, NULL)                                    \
    C(policy,  COUNT,   KEY,  17, 0, "made of its name")                      \
    C(what,    COUNT,   KEY,  17, 0, "a number of the policy's own")          \
    C(ngroups, COUNT32, LAST, 17, 0, "that tasks were in, the most")          \
    C(most,    COUNT32, LAST, 17, 0, "so many were looked for")               \
    C(times,   COUNT32, LAST, 17, 0, "that tasks were compared")

#define STORE_deadline(C)                                                     \
    C(job,      JOB,     KEY,   21, 0, NULL)                                  \
    C(number,   COUNT32, KEY,   21, 0, "in the job, from 1")                  \
    C(text,     TEXT,    LAST,  21, 0, "as it is written shortest")           \
    C(kind,     TEXT,    LAST,  21, 0, "end call period span clock")          \
    C(limit_ns, COUNT,   LAST,  21, 0, NULL)                                  \
    C(margin,   REAL,    LAST,  21, 0, "of limit_ns is to be left, 0 to 1")   \
    C(firm,     FLAG,    LAST,  21, 0, "what is late is of no use")           \
    C(ranks,    TEXT,    LAST,  21, 0, "NULL: all")                           \
    C(over,     FLAG,    LAST,  21, 0, "it has been taken back")              \
    C(added_ns, COUNT,   FIRST, 21, 0, NULL)

/* rank UINT32_MAX: of no single one. */
#define STORE_instance(C)                                                     \
    C(job,        JOB,     KEY,  21, 0, NULL)                                 \
    C(deadline,   COUNT32, KEY,  21, 0, "deadline.number")                    \
    C(rank,       COUNT32, KEY,  21, 0, "4294967295: of no single one")       \
    C(instance,   COUNT,   KEY,  21, 0, "of this deadline and rank, from 0")  \
    C(release_ns, NUMBER,  LAST, 21, 0, NULL)                                 \
    C(due_ns,     NUMBER,  LAST, 21, 0, NULL)                                 \
    C(done_ns,    KNOWN,   LAST, 21, 0, "NULL: it has not ended yet")         \
    C(margin,     REAL,    LAST, 21, 0, "of the time there was, so much was"  \
                                        " left; NULL: not known")             \
    C(late,       FLAG,    LAST, 21, 0, "missed, for certain")                \
    C(bound_ns,   COUNT,   LAST, 21, 0, "these times may be off by so much")  \
    C(slope,      REAL,    LAST, 21, 0, "of margin, from one to the next")    \
    C(chance,     REAL,    LAST, 21, 0, "that one of the next ones is missed")

#define STORE_rung(C)                                                         \
    C(job,       JOB,     KEY,  24, 1, "that it was for")                     \
    C(number,    COUNT32, KEY,  24, 2, "of its steps, from 1")                \
    C(deadline,  TEXT,    LAST, 24, 3, NULL)                                  \
    C(deadline_number, COUNT32, LAST, 24, 0, "deadline.number")               \
    C(kind,      TEXT,    LAST, 24, 4, "calm raise aside suspend store leave faster")\
    C(target,    SESSION, LAST, 24, 5, "the job it was done to")              \
    C(node,      TEXT,    LAST, 24, 6, "that tasks were to leave, and")       \
    C(to_node,   TEXT,    LAST, 24, 7, "... to come to; NULL: nobody moves")  \
    C(margin,    REAL,    LAST, 24, 8, "of the time there was, before")       \
    C(chance,    REAL,    LAST, 24, 9, "that one of the next was missed")     \
    C(gain,      REAL,    LAST, 24, 10, "of margin, that was expected")       \
    C(state,     TEXT,    LAST, 24, 11, "proposed stored doing done undoing"  \
                                        " failed undone")                     \
    C(at_ns,     COUNT,   LAST, 24, 12, NULL)                                 \
    C(done_ns,   KNOWN,   LAST, 24, 13, NULL)                                 \
    C(brought,   REAL,    LAST, 24, 14, "the margin afterwards; NULL: not"    \
                                        " known")                             \
    C(undone_ns, KNOWN,   LAST, 24, 15, NULL)                                 \
    C(result,    TEXT,    LAST, 24, 16, "why it was undone, or not done")     \
    C(why,       TEXT,    LAST, 24, 17, "a sentence")                         \
    C(master,    MASTER,  LAST, 24, 0, "master.instance that took it")

#define STORE_climb(C)                                                        \
    C(job,    JOB,     KEY,  27, 0, NULL)                                     \
    C(number, COUNT32, KEY,  27, 0, "rung.number")                            \
    C(back,   COUNT32, KEY,  27, 0, "1: that it is taken back")               \
    C(at_ns,  COUNT,   LAST, 27, 0, NULL)                                     \
    C(detail, TEXT,    LAST, 27, 0, "as hector replay prints it")             \
    C(seen,   TEXT,    LAST, 27, 0, "see climbtext.h; NULL: it was too large")

#define STORE_system(C)                                                       \
    C(at_ns,     COUNT, KEY,  25, 0, NULL)                                    \
    C(seq,       COUNT, KEY,  25, 0, "of the plan, in its master, from 1")    \
    C(optimizer, TEXT,  LAST, 25, 0, "with its settings")                     \
    C(data,      BYTES, LAST, 25, 0, "see systembytes.h")

#define STORE_plan(C)                                                         \
    C(at_ns,     COUNT,   KEY,  25, 1, NULL)                                  \
    C(seq,       COUNT,   KEY,  25, 3, "as in system")                        \
    C(step,      COUNT32, KEY,  25, 4, "from 1")                              \
    C(optimizer, TEXT,    LAST, 25, 2, "its name")                            \
    C(kind,      TEXT,    LAST, 25, 5, "place move suspend resume")           \
    C(job,       JOB,     LAST, 25, 6, NULL)                                  \
    C(rank,      MAYBE,   LAST, 25, 7, "NULL: all")                           \
    C(node_from, TEXT,    LAST, 25, 8, NULL)                                  \
    C(node_to,   TEXT,    LAST, 25, 9, NULL)                                  \
    C(gain_s,    REAL,    LAST, 25, 10, "seconds of processors, as expected") \
    C(cost_s,    REAL,    LAST, 25, 11, NULL)                                 \
    C(reason,    TEXT,    LAST, 25, 12, NULL)                                 \
    C(state,     TEXT,    LAST, 25, 13, "planned ordered done failed refused" \
                                        " dropped")                           \
    C(error,     TEXT,    LAST, 25, 14, "why it was not done")                \
    C(detail,    TEXT,    LAST, 25, 0, "as hector replay prints it")          \
    C(master,    MASTER,  LAST, 25, 0, "master.instance that sees to it")

#define STORE_slice(C)                                                        \
    C(job,      JOB,     KEY,  14, 1, NULL)                                   \
    C(at_ns,    COUNT,   KEY,  14, 2, NULL)                                   \
    C(rank,     COUNT32, KEY,  14, 3, NULL)                                   \
    C(place,    COUNT32, KEY,  14, 4, "from 1, the nearest; 0: what was not" \
                                      " seen")                                \
    C(function, TEXT,    LAST, 14, 5, NULL)                                   \
    C(file,     TEXT,    LAST, 14, 6, NULL)                                   \
    C(line,     KNOWN32, LAST, 14, 7, NULL)                                   \
    C(reason,   TEXT,    LAST, 14, 8, NULL)

/* Costs of MPI calls. The numbers of modules, frames and sites are made of what
 * they are (profile.c), so the same line of the same program has the same
 * number in all jobs and databases, and its names are kept once. */
#define STORE_module(C)                                                       \
    C(id,       NUMBER, KEY,   4, 0, NULL)                                    \
    C(path,     TEXT,   FIRST, 4, 0, NULL)                                    \
    C(build_id, TEXT,   FIRST, 4, 0, "hexadecimal; NULL: it has none")

#define STORE_frame(C)                                                        \
    C(id,     NUMBER, KEY,   4, 0, NULL)                                      \
    C(module, LINK,   FIRST, 4, 0, "module.id; NULL: in none")                \
    C(offset, COUNT,  FIRST, 4, 0, "as in the file; in none: the address")

/* A name once known is never lost to a note. */
#define STORE_source(C)                                                       \
    C(frame,    NUMBER,  KEY,  4, 0, "frame.id")                              \
    C(depth,    COUNT32, KEY,  4, 0, "0 is the innermost")                    \
    C(function, TEXT,    SAYS, 4, 0, NULL)                                    \
    C(file,     TEXT,    LAST, 4, 0, NULL)                                    \
    C(line,     KNOWN32, LAST, 4, 0, NULL)                                    \
    C(note,     TEXT,    LAST, 4, 0, "why it has no name")

#define STORE_site(C)                                                         \
    C(id,   NUMBER,  KEY,   4, 0, NULL)                                       \
    C(call, COUNT32, FIRST, 4, 0, "mpi_call.id")

#define STORE_site_frame(C)                                                   \
    C(site,  NUMBER,  KEY,   4, 0, "site.id")                                 \
    C(depth, COUNT32, KEY,   4, 0, "0 calls MPI")                             \
    C(frame, NUMBER,  FIRST, 4, 0, "frame.id")

#define STORE_cost(C)                                                         \
    C(job,    JOB,     KEY,  4, 0, NULL)                                      \
    C(rank,   COUNT32, KEY,  4, 0, NULL)                                      \
    C(site,   NUMBER,  KEY,  4, 0, NULL)                                      \
    C(calls,  COUNT,   MOST, 4, 0, NULL)                                      \
    C(in_ns,  COUNT,   MOST, 4, 0, NULL)                                      \
    C(out_ns, COUNT,   MOST, 4, 0, "outside of MPI, before these calls")      \
    C(bytes,  COUNT,   MOST, 4, 0, NULL)                                      \
    C(max_ns, COUNT,   MOST, 4, 0, "the longest call")

/* enter_ns 0: only the exit of an earlier row; exit_ns 0: has not left yet. */
#define STORE_event(C)                                                        \
    C(job,      JOB,     BATCH, 1, 0, NULL)                                   \
    C(rank,     COUNT32, BATCH, 1, 0, NULL)                                   \
    C(seq,      COUNT,   LAST,  1, 0, "of the tagged call in its task, from 0")\
    C(marker,   SIGNED,  LAST,  1, 0, NULL)                                   \
    C(label,    LABEL,   LAST,  1, 0, "label.id")                             \
    C(call,     COUNT32, LAST,  1, 0, "mpi_call.id")                          \
    C(enter_ns, KNOWN,   LAST,  1, 0, "clock of the node")                    \
    C(exit_ns,  KNOWN,   LAST,  1, 0, "NULL: has not returned")               \
    C(node,     NODE,    BATCH, 1, 0, NULL)                                   \
    C(thread,   COUNT32, LAST,  1, 0, NULL)

/* ------------------------------------------------------------ rows in C */

struct row_maybe { bool known; int64_t v; };
struct row_bytes { const void *p; size_t n; };

#define ROW_TYPE_COUNT uint64_t
#define ROW_TYPE_TOTAL uint64_t
#define ROW_TYPE_KNOWN uint64_t
#define ROW_TYPE_COUNT32 uint32_t
#define ROW_TYPE_KNOWN32 uint32_t
#define ROW_TYPE_SIGNED int32_t
#define ROW_TYPE_NUMBER int64_t
#define ROW_TYPE_LINK int64_t
#define ROW_TYPE_MAYBE struct row_maybe
#define ROW_TYPE_FLAG bool
#define ROW_TYPE_REAL double
#define ROW_TYPE_AMOUNT double
#define ROW_TYPE_TEXT const char *
#define ROW_TYPE_NAME const char *
#define ROW_TYPE_BYTES struct row_bytes
#define ROW_TYPE_MASTER uint64_t
#define ROW_TYPE_JOB uint64_t
#define ROW_TYPE_SESSION uint64_t
#define ROW_TYPE_NODE int64_t
#define ROW_TYPE_LABEL uint32_t

/* struct store_master, struct store_node, ...: a member for each column. */
#define ROW_IN_STRUCT_KEY(member) member
#define ROW_IN_STRUCT_LAST(member) member
#define ROW_IN_STRUCT_FIRST(member) member
#define ROW_IN_STRUCT_KEEP(member) member
#define ROW_IN_STRUCT_MOST(member) member
#define ROW_IN_STRUCT_SAYS(member) member
#define ROW_IN_STRUCT_COUNTED(member) member
#define ROW_IN_STRUCT_APART(member) member
#define ROW_IN_STRUCT_BATCH(member)
#define ROW_MEMBER(name, KIND, RULE, since, view, about)                      \
    ROW_IN_STRUCT_##RULE(ROW_TYPE_##KIND name;)
#define ROW_STRUCT(name, since, HOW, view, about)                             \
    struct store_##name { STORE_##name(ROW_MEMBER) };
STORE_TABLES(ROW_STRUCT)
#undef ROW_STRUCT
#undef ROW_MEMBER

enum store_table {
#define ROW_TABLE(name, since, HOW, view, about) STORE_TABLE_##name,
    STORE_TABLES(ROW_TABLE)
#undef ROW_TABLE
    STORE_TABLE_COUNT
};

#endif
