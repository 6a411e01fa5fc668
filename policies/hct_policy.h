/* hct_policy.h - what a policy is: a model that looks at a job and says what
 * it finds. PUBLIC: a policy is one shared object that includes this header
 * and libc's, and exports one symbol, hct_policy. See hector-policy(7).
 *
 * A policy is a function (state, snapshot) -> (state, findings). It never
 * reads a clock, a file, the environment or a random device, keeps no globals,
 * starts no threads and allocates nothing: a live, a replayed and a tested run
 * give the same bytes. The host owns all memory. It loads the object, checks
 * version and parameters, allocates the state, and then calls step() for each
 * look at the job, one call at a time. Policies propose, the master acts.
 *
 * Changes. Structs only grow at their end, and then HCT_POLICY_MINOR grows:
 * older policies still load, since all strides are given. Anything else makes
 * HCT_POLICY_MAJOR grow, and the host refuses the object with a sentence.
 *   1.0  first version
 *   1.1  hct_rank.site_calls, level; HCT_RUNS
 *   1.2  hct_rank.own_cpu_ns; HCT_PAUSES
 *   1.3  hct_rank.sample; HCT_STACK comes with a call
 *   1.4  hct_rank.phase_id, which was padding: 0
 *   1.5  the account of messages: hct_account, hct_pair; hct_request.site,
 *        which was padding: 0; hct_line.site and made, the last eight bytes
 *        of what was text: a line of more than 243 bytes has to be shorter;
 *        HCT_NOTICE; hct_verdict.longest_ms, which was padding: 0;
 *        hct_rank.been, waits, waits_ns, place
 *   1.6  HCT_ALONE; hct_rank.site is also that of other threads than the main
 *        one; hct_comm.freed; hct_rank.earlier_ns
 *   1.7  hct_meeting: calls of some members of a communicator; hct_flight.tag of
 *        collective calls, which was HCT_NONE; hct_rank.peer of
 *        MPI_Intercomm_create, the same: the leader of its own group
 *   1.8  hct_policy.needs and may_need; hct_snapshot.parts; HCT_NEED_MODEL:
 *        hct_model, hct_state, hct_edge
 *   1.9  hct_rank.node, hct_request.sent; hct_comm.parcels_in, gives, gives_to,
 *        takes, takes_from
 *   1.10 hct_request.waited above 1, and the calls of other threads among the
 *        requests; HCT_ALONE also where several threads are in MPI
 *   1.11 hct_rank.waited_cpu_us, which was padding: 0
 *   1.12 questions: hct_out.sample and question; HCT_NEED_SCORES: hct_cluster,
 *        hct_score. hct_snapshot.asked, which was padding: 0; hct_policy.asked;
 *        hct_row and answers in hct_out; HCT_PROGRESS with ranks takes nothing
 *        back. hct_rank.delayed_ns, ran_ns; hct_edge.bytes_mean, bytes_m2.
 *        hct_odd
 *   1.13 hct_policy.room_bytes, hct_out.room; HCT_METHOD_STANDS;
 *        hct_question_normal.bytes, hct_question_kind, hct_score.bytes_times,
 *        all. Questions about a phase or the last time: hct_when, of
 *        hct_question, and of a person, hct_snapshot.person; hct_out.last_ns and
 *        hct_model.last; hct_snapshot.stretch; hct_out.when;
 *        another kind of question: HCT_NEED_PROGRESS, hct_progress_question;
 *        hct_place, and at and orders in hct_snapshot. HCT_WAKE_NEVER
 *   1.14 hct_out.remarks and nremarks; HCT_NEED_EARLIER: hct_earlier; runs in
 *        hct_snapshot; hct_cluster.ran_ns, delayed_ns; those of hct_score are
 *        of the time that is asked about. hct_question.nwholes, which was
 *        padding: 0; with it scores of HCT_METHOD_CLUSTER and
 *        HCT_METHOD_NEIGHBOUR name a step, and so do those of hct_odd.
 *        hct_question_normal.rough, hct_score.once; hct_worth().
 *        hct_rank.instructions, cycles
 *   1.15 hct_odd.at, at_to. What policies learn, for later runs:
 *        hct_learnt, of hct_out, and of hct_snapshot with HCT_NEED_EARLIER
 *   1.16 HCT_NEED_STACKS: hct_inside; stacks and waiting in hct_snapshot;
 *        HCT_METHOD_INSIDE; hct_rank.place of one that has ended
 *   1.17 hct_rank.had_ns, wanted_ns. HCT_NEED_EVENTS: hct_deadline, hct_event;
 *        hct_instance in hct_out; HCT_ASKED_BY_EVENT; hct_verdict.deadline and
 *        what. Other policies see nothing of these
 *   1.18 hct_margin(). A last look of a job, for the calls that came when all
 *        tasks had ended: it is unread */
#ifndef HCT_POLICY_H
#define HCT_POLICY_H

#include <stddef.h>
#include <stdint.h>

#define HCT_POLICY_MAJOR 1u
#define HCT_POLICY_MINOR 18u

/* ------------------------------------------------------------- MPI's calls */

enum hct_class {
    HCT_CLASS_NONE,             /* outside of MPI: number 0 */
    HCT_CLASS_SEND,             /* to one partner: Send, Isend, Ssend_init */
    HCT_CLASS_RECV,             /* Recv, Irecv, Recv_init, Mrecv */
    HCT_CLASS_SENDRECV,         /* both at once */
    HCT_CLASS_COLLECTIVE,       /* of communicators, windows and files */
    HCT_CLASS_WAIT,             /* for requests */
    HCT_CLASS_TEST,             /* looks at requests, returns at once */
    HCT_CLASS_PROBE,            /* for a message, or looks for one */
    HCT_CLASS_RMA,              /* one-sided, but fence: that is collective */
    HCT_CLASS_IO,               /* on files, by one task */
    HCT_CLASS_INIT,
    HCT_CLASS_FINALIZE,
    HCT_CLASS_OTHER,            /* local ones, and what fits nowhere */
};

enum hct_call_flags {
    HCT_CALL_BLOCKING = 1,      /* may wait for others before it returns */
    HCT_CALL_REQUEST = 2,       /* makes a request */
    HCT_CALL_PERSISTENT = 4,    /* ... that is to be started */
    HCT_CALL_ROOTED = 8,        /* collective: peer is the root */
    HCT_CALL_FROM_ROOT = 16,    /* ... whose data the others wait for */
    HCT_CALL_ALL = 32,          /* collective: none returns before all have
                                   entered. Wait and test: for all of the
                                   requests */
    HCT_CALL_SYNC = 64,         /* send: returns when it is received */
    HCT_CALL_BUFFERED = 128,    /* send: never waits for the receiver */
    HCT_CALL_POLL = 256,        /* only looks: Test, Iprobe, and local calls.
                                   A loop of these gets nowhere by itself */
    HCT_CALL_PART = 512,        /* collective, but of some members only, or
                                   together with another group */
};

struct hct_call {               /* by number, as in wrap.def */
    char name[40];              /* "MPI_Send"; "" for unknown numbers */
    uint16_t class_;            /* enum hct_class */
    uint16_t flags;             /* enum hct_call_flags */
};

/* Partners and tags that are no number. */
enum {
    HCT_NONE = -1,              /* the call has none */
    HCT_ANY = -2,               /* MPI_ANY_SOURCE, MPI_ANY_TAG */
    HCT_NULL = -3,              /* MPI_PROC_NULL */
    HCT_UNKNOWN = -4,
};

/* Identities of communicators, windows and files are the same on all members,
 * but for those with HCT_COMM_LOCAL. 0: none, or not known. */
#define HCT_COMM_WORLD 1u
#define HCT_COMM_SELF 2u
#define HCT_COMM_LOCAL ((uint64_t)1 << 63)

/* ----------------------------------------------------------- the snapshot */

enum hct_level {                /* of threads, as asked of MPI_Init_thread */
    HCT_LEVEL_UNKNOWN,
    HCT_LEVEL_SINGLE, HCT_LEVEL_FUNNELED,
    HCT_LEVEL_SERIALIZED, HCT_LEVEL_MULTIPLE,
};

struct hct_job {                /* does not change while the job lives */
    uint32_t size;              /* of this struct, bytes */
    uint32_t nranks;
    uint64_t job;
    uint64_t seed;              /* the only randomness */
    uint32_t level;             /* enum hct_level */
    uint32_t pad;
    char name[64];              /* for people */
};

enum hct_life {
    HCT_LIFE_NONE,              /* not started yet */
    HCT_LIFE_STARTED,           /* runs, MPI_Init not entered */
    HCT_LIFE_INIT,              /* inside MPI_Init */
    HCT_LIFE_RUNNING,
    HCT_LIFE_FINALIZE,          /* inside MPI_Finalize */
    HCT_LIFE_DONE,              /* past it */
    HCT_LIFE_ENDED,             /* the process is gone */
};

enum hct_rank_flags {
    HCT_OBSERVED = 1,           /* this look has a reading of it; without it
                                   only rank, life and the six below hold */
    HCT_PAGE = 2,               /* from its shared page: all fields hold */
    HCT_STACK = 4,              /* from its stack, now and then: of the fields
                                   only HCT_IN_MPI, sample, its age and call
                                   hold, and what comes from the system: the
                                   six below and times of the processor.
                                   Counters, partners and sites are unknown */
    HCT_IN_MPI = 8,
    HCT_SUSPENDED = 16,         /* by Hector; with HCT_STOPPED: by others, and
                                   Hector takes part, but learns of it, and of
                                   its end, when it has happened */
    HCT_MIGRATING = 32,
    HCT_TRACED = 64,            /* a debugger holds it */
    HCT_STDIN = 128,            /* waits for input that has not come */
    HCT_STOPPED = 256,          /* by a signal, and not of Hector's */
    HCT_SLEEPS = 512,           /* in uninterruptible sleep: see wchan */
    HCT_TORN = 1024,            /* fields may be of two calls */
    HCT_LOST = 2048,            /* has requests or communicators that found no
                                   room in the page */
    HCT_RUNS = 4096,            /* uses a processor, or would like to: so does
                                   a task that waits in MPI, mostly */
    HCT_PAUSES = 8192,          /* its main thread sleeps until a signal comes:
                                   not for a time, a lock, input or output */
    HCT_ALONE = 16384,          /* no thread of it but those in MPI can go on, and
                                   call it, before one of these has woken it:
                                   they all sleep for one of the process, or
                                   belong to MPI. So it is of all but the one
                                   that is shown, where none is in MPI. Known in
                                   looks with detail, of HCT_LEVEL_SERIALIZED
                                   and above */
};

/* One task. Of several threads, that of the main one, or under
 * HCT_LEVEL_SERIALIZED and above of the one in MPI that entered first. */
struct hct_rank {
    uint32_t rank;
    uint16_t life;              /* enum hct_life */
    uint16_t flags;             /* enum hct_rank_flags */
    uint32_t threads;           /* that have called MPI */
    uint32_t threads_in;        /* of these, in MPI now */
    uint64_t calls;             /* entered so far, of all threads */
    uint64_t polls;             /* finished so far, HCT_CALL_POLL ones */
    uint64_t age_ns;            /* since the call was entered or left */
    uint64_t in_ns, out_ns;     /* of finished stays in and out of MPI */
    uint64_t cpu_ns;            /* of the process; 0: not known, and so it is
                                   of one that has just moved */
    uint32_t call;              /* outermost; outside of MPI the last one */
    uint32_t waits_call;        /* of a wait: that made its first request */
    uint64_t comm;
    uint64_t collective;        /* number of this call on comm; 0: none */
    uint64_t bytes;             /* 0 also: not known */
    uint64_t count;             /* of elements; of requests */
    int32_t peer;               /* rank in the world, root, or HCT_... */
    int32_t source;             /* of a Sendrecv, where peer is the target */
    int32_t tag;                /* of a Sendrecv: what it sends */
    uint32_t requests;          /* unfinished ones that it waits for */
    uint32_t site;              /* place of the call; differs with the thread */
    uint32_t phase;             /* number, from 0: grows with each one */
    int32_t mark;               /* marker of the last tag; 0: none */
    uint32_t phase_id;          /* the same for a phase that comes again: of
                                   the text of its tag, or its level; 0: not
                                   known, and before the first one */
    char tag_text[64];          /* ... its text, cut; "" if none */
    char wchan[32];             /* kernel function it sleeps in; "" if none */
    uint64_t site_calls;        /* finished ones from site; 0: not known */
    uint32_t level;             /* enum hct_level */
    uint32_t sample;            /* HCT_STACK: number of the look at its stack,
                                   from 1; age_ns is since then, and call 0
                                   if it has no name */
    uint64_t own_cpu_ns;        /* of the thread that is shown, in MPI; else of
                                   its main one; 0: not known */
    uint32_t been;              /* enum hct_been: has a task of this job been
                                   here before? Known of some that have stood
                                   outside of MPI for a second */
    uint32_t waits;             /* enum hct_waits: what its main thread sleeps
                                   for, as known of the same */
    uint64_t waits_ns;          /* HCT_WAITS_TIME: how long it has asked for;
                                   0: not known */
    char place[40];             /* function of the program it is in, or what
                                   it waits for: "work", "pid 12 (gzip)",
                                   "in.dat"; "" if not known. Of one that has
                                   ended, and not well: "was killed by signal 9",
                                   which others have started, as they do not
                                   end the rest */
    uint64_t earlier_ns;        /* outside of MPI for some time: the longest
                                   that an earlier run of the same program,
                                   which ended well, was so behind the same
                                   place (site); 0: none is known */
    uint32_t node;              /* number of its node in the job, from 1, also
                                   of a task without a page; 0: not known */
    uint32_t waited_cpu_us;     /* where several threads may call MPI: what each
                                   of those that wait in it and do not sleep has
                                   had of a processor since the task was first
                                   seen to stand, the least; if all sleep, the
                                   most that one has had; and 1. As of the last
                                   look with detail; 0: not known */
    uint64_t delayed_ns;        /* how long its process wanted a processor and
                                   had none, since it began: that of its threads
                                   which was kept the longest. As of the last
                                   look with models; 0: not known */
    uint64_t ran_ns;            /* how long that thread has had one */
    uint64_t instructions;      /* that it has executed outside of the kernel,
                                   all its threads, since it was first looked
                                   at; 0: not known. They begin anew when it
                                   has moved */
    uint64_t cycles;            /* ... and of the processor's clock, for them */
    uint64_t had_ns;            /* how long its main thread has had a processor,
                                   as of its last news or some 0.1 s earlier;
                                   0: not known */
    uint64_t wanted_ns;         /* ... and wanted one, and had none */
};

/* Outside of MPI: was a stack seen here before, in an earlier stay, after a
 * call of the same function of MPI? The same functions have to be on it, and
 * of each a line that is among those seen. */
enum hct_been {
    HCT_BEEN_UNKNOWN,           /* nobody has looked, or could */
    HCT_BEEN_NEVER,
    HCT_BEEN_HERE,
};

enum hct_waits {
    HCT_WAITS_UNKNOWN,          /* also: for nothing, it runs or wants to */
    HCT_WAITS_TIME,             /* sleeps, and that ends */
    HCT_WAITS_SIGNAL,           /* only a signal can end it */
    HCT_WAITS_CHILD,            /* for a process that it has started */
    HCT_WAITS_LOCK,             /* on a file, that another process has */
    HCT_WAITS_PIPE,
    HCT_WAITS_SOCKET,
    HCT_WAITS_DEVICE,
    HCT_WAITS_FILE,
    HCT_WAITS_THREAD,           /* for another thread, or a lock in memory */
    HCT_WAITS_OTHER,
};

/* All that follows are parts of a snapshot that are there when somebody needs
 * them: enum hct_need. First HCT_NEED_DETAIL, sorted by rank. */
/* One that is not known to be finished. Where several threads of a rank are in
 * MPI, the calls of those that are not shown are here, too: as a request that is
 * made by MPI_Recv, MPI_Barrier, MPI_Waitall. */
struct hct_request {
    uint32_t rank;
    uint32_t call;              /* that made it */
    uint64_t comm, bytes;
    uint64_t collective;        /* of a collective one: as in hct_rank */
    int32_t peer, tag;
    uint16_t idle;              /* persistent, and not started */
    uint16_t waited;            /* 0: no call waits for it; HCT_WAITED_HERE: that
                                   of hct_rank; others: a number that is that
                                   of the call of another thread, too */
    uint32_t site;              /* place of the call that made it; 0: not
                                   known */
    uint64_t sent;              /* of one that sends: hct_pair.sent to its
                                   partner just behind its message, so what
                                   that has grown by has been sent since; of
                                   one that receives a number that is greater
                                   the later it was started; 0: not known */
};

enum { HCT_WAITED_HERE = 1 };

struct hct_comm {               /* one that the rank is, or was, a member of */
    uint32_t rank;
    uint32_t kind;              /* enum hct_comm_kind */
    uint64_t id, parent;
    uint32_t local;             /* number of the rank in its group */
    uint32_t size;              /* of its group */
    uint32_t remote_size;       /* of the other group, else 0 */
    uint32_t call;              /* last collective call entered */
    uint64_t collectives;       /* entered so far, by this rank */
    uint64_t age_ns;            /* since the last one was entered */
    uint64_t history;           /* the same for members that have made the
                                   same collective calls so far, with the same
                                   roots; 0: none, or not known */
    uint64_t history_before;    /* ... but the last one */
    uint32_t freed;             /* 1: the rank has freed it; only those freed
                                   last are there */
    uint32_t pad;
    /* Of the last call on it in which each member gives each other one an amount
     * of its own: MPI_Gatherv, Scatterv, Allgatherv, Alltoallv, Reduce_scatter.
     * Bytes, without what goes to the rank itself. Over all members the sums of
     * gives and takes are the same where all fits; so are local + 1 times gives
     * and takes_from, or gives_to and local + 1 times takes; modulo 2^64. */
    uint64_t parcels_in;        /* number of that call; 0: there was none, or it
                                   is not known */
    uint64_t gives, gives_to;   /* the latter: each times the local rank that it
                                   goes to, + 1 */
    uint64_t takes, takes_from; /* ... that it comes from */
};
enum hct_comm_kind { HCT_KIND_NONE, HCT_KIND_COMM, HCT_KIND_WIN,
                     HCT_KIND_FILE };

/* Bytes of a collective call are 0 also where they are not known, and then its tag
 * is HCT_UNKNOWN. */
struct hct_flight {             /* one of the last calls, oldest first */
    uint32_t rank;
    uint32_t call;
    uint64_t comm, collective, bytes;
    int32_t peer, tag;
    uint32_t site, pad;
    uint64_t number;            /* of the call in its thread, from 1 */
    uint64_t entered_ns, left_ns;       /* ages */
};

/* The account of a rank's messages. There is one where every message that it
 * has sent is in its pairs. */
struct hct_account {
    uint32_t rank;
    uint32_t node;              /* number of its node, from 1; 0: not known */
    uint32_t eager, eager_far;  /* a send of so many bytes at most need not wait
                                   for the receiver: on its own node, to other
                                   ones; HCT_EAGER_UNKNOWN */
    uint64_t blind;             /* messages that it has received from it is not
                                   known whom */
    int32_t source_tag;         /* of the Sendrecv that it is in: the one that
                                   it waits for; else HCT_NONE */
    uint32_t unsure;            /* messages that it may have received without
                                   their being counted */
};
#define HCT_EAGER_UNKNOWN UINT32_MAX

/* What went between a rank and a partner, both ways, since MPI_Init: each the
 * sum of hct_message() of all messages, modulo 2^64. A message counts as sent
 * when the call that sends it, or starts its request, is entered; as received
 * when the call that receives it, or ends its request, is left. So what s has
 * sent to r less what r has received from s is the sum of the messages that
 * are under way, lie unexpected at r, or belong to a request of r that has not
 * been seen to be finished: 0 if and only if there is none (but for one case
 * in 2^44). Messages that are received in ways that were not followed stay in
 * it. */
struct hct_pair {
    uint32_t rank, peer;        /* in the world */
    uint64_t sent, received;
    uint64_t blind;             /* received from there besides: with tags that
                                   are not known */
    uint64_t last_comm;         /* of the one that was sent last */
    int32_t last_tag;
    uint32_t pad;
};

/* HCT_NEED_MODEL: the semi-Markov model of a rank, as its wrapper library has
 * counted it since MPI_Init, each thread by itself. Sorted by rank; a rank has
 * none that has not called MPI yet, or not by way of the library, or whose slave
 * has not answered. Read while it runs: each entry is whole by itself. States
 * and edges keep neither order nor numbers from look to look; site and place
 * say which is which. */
struct hct_model {
    uint32_t rank;
    uint32_t threads;           /* that have called MPI */
    uint32_t states, nstates;   /* first in the snapshot's states, how many */
    uint32_t edges, nedges;
    uint32_t at;                /* number of the state that hct_rank.site is:
                                   where it is now, or was last; nstates: that
                                   is not known */
    uint32_t pad;
    uint64_t lost;              /* calls and steps that found no room */
    uint32_t last, nlast;       /* steps of the last time by themselves, all
                                   phases together: first in edges, how many */
    uint64_t last_ns;           /* so long ago that began: as nearly what was
                                   wanted (hct_out.last_ns) as readings are
                                   kept; 0: nobody wanted it */
};

struct hct_state {              /* a place that a thread calls MPI from */
    uint32_t rank;
    uint32_t site;              /* as in hct_rank: of this rank only */
    uint32_t call;              /* 0: none, before the first call of a thread;
                                   or any, from places that found no room */
    uint32_t pad;
    uint64_t place;             /* the same for all ranks, and all runs of one
                                   program: of call and the frames below it;
                                   0: not known */
    uint64_t visits;            /* calls finished */
    uint64_t in_ns, longest_ns; /* inside of them, and of the longest one */
    uint64_t out_ns;            /* outside of MPI before them */
};

/* From one call to the next of a thread. Times as by Welford: of n, m2 is the sum
 * of the squares of what each differs from the mean; variance is m2 / (n - 1). */
struct hct_edge {
    uint32_t rank;
    uint32_t from, to;          /* numbers of states: 0 is the first of this
                                   rank's model */
    uint32_t phase;             /* as in hct_rank; HCT_PHASES_OVER */
    uint64_t n;                 /* never 0 */
    double in_mean, in_m2;      /* ns, inside the first call */
    double out_mean, out_m2;    /* ns, between the two */
    double bytes_mean, bytes_m2;        /* of the first call; 0 also: not
                                           known */
};
#define HCT_PHASES_OVER UINT32_MAX      /* all of some time ago together */

/* Of what time something is. */
enum hct_window {
    HCT_WINDOW_ALL,             /* since the task began */
    HCT_WINDOW_PHASE,           /* one phase of the program: a task keeps its
                                   last two, and all before these as one */
    HCT_WINDOW_LAST,            /* since some time ago */
};
struct hct_when {
    uint32_t window;            /* enum hct_window */
    uint32_t phase;             /* HCT_WINDOW_PHASE: number, HCT_PHASES_OVER */
    uint64_t ago_ns;            /* HCT_WINDOW_LAST: it began so long ago */
};

/* HCT_NEED_EARLIER: a step in earlier runs of the same program that ended well:
 * the last ten of as many tasks, together, as one more cluster to compare with.
 * Of all phases. A program that was built anew has other places. */
struct hct_earlier {
    uint64_t from, to;          /* hct_state.place; 0: the beginning. They are
                                   sorted by these */
    uint32_t runs;              /* that have the step, of hct_snapshot.runs */
    uint32_t tasks;             /* that have it in one of them, the most */
    double n;                   /* how often a task takes it */
    double in_mean, in_sd;      /* ns, each time, of all tasks of a run: the
                                   mean over runs; in the first call, */
    double out_mean, out_sd;    /* ... between the two */
    double in_most, out_most;   /* the mean of that task in all of them that
                                   has taken the longest for it */
    double bytes_mean;          /* of the first call; 0 also: not known */
};

/* What time an answer is about. */
struct hct_stretch {
    struct hct_when when;       /* as it was asked for */
    uint64_t least_ns, most_ns; /* how long ago it did begin: of the task where
                                   that is the least, and the most; 0: of none */
    uint32_t tasks;             /* that have been compared */
    uint32_t missing;           /* that have no such time: they are not in that
                                   phase yet, or keep it apart no more, or have
                                   no model at all */
};

/* HCT_NEED_SCORES: what has come of a question (hct_question below), of all
 * tasks that have a model and whose slaves have answered. */
struct hct_cluster {            /* a group, or kind, of those asked about */
    uint32_t what;              /* enum hct_cluster_what */
    uint32_t number;            /* as in hct_question_model */
    uint64_t tasks;             /* that are in it */
    double sum, squares;        /* of their distances from its medoid */
    double ran_ns, delayed_ns;  /* of a kind: of all of them, as in hct_score */
};
enum hct_cluster_what { HCT_CLUSTER_GROUP = 1, HCT_CLUSTER_KIND };

enum hct_method {
    HCT_METHOD_CLUSTER = 1,     /* far from the medoid of the nearest group */
    HCT_METHOD_NEIGHBOUR,       /* far from the nearest model */
    HCT_METHOD_POLISH,          /* long in one step, for one of its kind */
    HCT_METHOD_STANDS,          /* sleeps in a call while others wait: of
                                   hct_odd only */
    HCT_METHOD_INSIDE,          /* is in a function inside of a call while
                                   others wait, by stacks: the same */
};

/* One of the tasks that are furthest from what was asked about. */
struct hct_score {
    uint32_t method;            /* enum hct_method */
    uint32_t rank;
    uint32_t group, kind;       /* that it is in */
    uint32_t step;              /* of the question: that it is long in; of the
                                   first two methods, if share is not 0, in
                                   which it differs most from the medoid of its
                                   group, or of the next one if that is itself:
                                   normal_in_ns, normal_out_ns */
    uint32_t in_call;           /* 1: inside the call that the step begins with;
                                   0: in the computation behind it */
    uint32_t site, site_to;     /* of this rank: where the step begins, ends */
    double score;               /* a distance; of a step: deviations from what
                                   is normal there */
    double cost_ns;             /* so much longer than normal, in all */
    double times;               /* as long as normal */
    double share;               /* cost of all the time of the task's steps; of
                                   the first two methods the part of all that
                                   differs */
    uint64_t delayed_ns, ran_ns;        /* as in hct_rank, in the time that is
                                           asked about; 0: not known */
    uint64_t n;                 /* times that it has taken the step */
    double in_ns, out_ns;       /* in all, inside the call and behind it */
    double normal_in_ns, normal_out_ns; /* of one that is as fast; 0: not
                                           known */
    double bytes_times;         /* so many times as many bytes as normal are in
                                   one of the step's calls, or in all that the
                                   task makes: the most; 0: not known */
    uint32_t all;               /* 1: not of this step alone: score, cost_ns, times
                                   and share are of all steps, and others wait
                                   for it; this one costs the most */
    uint32_t once;              /* 1: seen by how much its times differ, not by
                                   their sum: one of them, or few, took so much
                                   longer; or by the sum, which differs by no more
                                   than by chance. For who asks for all, with a
                                   score of 0 in the question */
};
/* What steps are listed by, of HCT_METHOD_POLISH: what they cost, and the less
 * of it the nearer the task is to its like. In what takes long, a part of it
 * that says nothing costs more than all that is odd somewhere else. */
#define HCT_ODD 6.0             /* deviations; from there on what it costs */
static inline double hct_worth(const struct hct_score *o)
{
    double sure = o->score < HCT_ODD ? o->score / HCT_ODD : 1;

    return sure > 0 ? o->cost_ns * sure * sure * sure : 0;
}

/* HCT_NEED_PROGRESS: where tasks are, and what the models of those at one place
 * of the question say of its other places. */
struct hct_place {
    uint64_t place;             /* as in hct_state; 0: the beginning */
    uint32_t call;
    uint32_t in;                /* 1: in that call; 0: behind it */
    uint32_t asked;             /* its number in the question, from 1; 0: it is
                                   not in it */
    uint32_t tasks;             /* that are there */
};
/* What models say of two places, as set: of one who is at the first and one who
 * is at the second. By PDI, table 1; of several tasks their union, table 2. */
enum hct_order {
    HCT_ORDER_NONE,             /* nothing: their ways do not cross */
    HCT_ORDER_WAITS = 1,        /* the first waits for the second: who is there
                                   comes to where the first is */
    HCT_ORDER_WAITED = 2,       /* the second for the first; and both: one of
                                   them, it is not known which */
};

/* HCT_NEED_STACKS: what tasks do inside of calls of MPI other than to wait, by one
 * look at the stacks of all: a function that some of those who are in one call
 * are in, those with the fewest tasks first. Who waits for others (is in a loop
 * of MPI's that asks for messages) is counted in hct_snapshot.waiting alone. The
 * look at stacks is a little older than that of which it is a part. */
struct hct_inside {
    uint32_t call;              /* number, by its name on the stack */
    uint32_t what;              /* enum hct_inside_what */
    uint32_t tasks;             /* that are in it */
    uint32_t in_call;           /* that are in that call, whatever they do */
    uint64_t function;          /* the same number for the same one, in all
                                   looks */
    uint32_t rank[4];           /* the first ones, as many as there are */
    uint32_t line, pad;         /* of the first one; 0: not known */
    char name[64];              /* of the function, cut */
    char file[48];              /* its source, without folders, or else its
                                   module, cut; "" */
};
enum hct_inside_what {
    HCT_INSIDE_BEFORE = 1,      /* MPI's library has not been reached: it stands
                                   between the program and MPI */
    HCT_INSIDE_CALLED,          /* the library has called it, and it is none of
                                   its own: an operator of the program's */
    HCT_INSIDE_LIBRARY,         /* the library's own, and not to wait */
};
enum { HCT_INSIDE_MAX = 64 };

#define HCT_MESSAGE_BITS 20     /* the low ones of a sum count the messages */

static inline uint64_t hct_message(uint64_t comm, int32_t tag)
{
    uint64_t x = comm + (uint64_t)(uint32_t)tag * 0x9e3779b97f4a7c15u;

    x = (x ^ x >> 31) * 0xbf58476d1ce4e5b9u;
    x = (x ^ x >> 29) * 0x94d049bb133111ebu;
    return (x ^ x >> 32) << HCT_MESSAGE_BITS | 1;
}

/* Calls that only some members of a communicator make, and of which none comes
 * back before all of those have entered it: MPI_Comm_create_group, by the whole
 * group, and MPI_Intercomm_create, by its two leaders. Those that belong together
 * have the same identity on all who take part, and are counted. One with identity
 * 0: this rank has forgotten some kinds, and those that it knows may have been
 * forgotten before: its counts may be too low. */
struct hct_run {                /* first, first + step, ...: n of them */
    uint32_t first, n;
    int32_t step;
    uint32_t pad;
};
enum { HCT_RUNS_MAX = 8 };
struct hct_meeting {
    uint32_t rank;              /* that has entered it */
    uint32_t call;
    uint64_t id;
    uint64_t comm;              /* that they speak over */
    uint64_t count;             /* so often so far */
    int32_t tag;
    uint32_t in;                /* 1: it is in it now */
    uint32_t size;              /* so many take part */
    uint32_t nruns;             /* 0: who, is not known */
    struct hct_run runs[HCT_RUNS_MAX];  /* ranks in the world */
};

/* HCT_NEED_EVENTS: what is due in the job, and its tagged calls since the last
 * step of this policy. Times are in now_ns, before its beginning below 0. */
enum hct_due {
    HCT_DUE_END = 1,            /* the job's end, limit_ns after from_ns, when
                                   it began */
    HCT_DUE_CALL,               /* each call's exit, limit_ns after its entry */
    HCT_DUE_PERIOD,             /* each exit, limit_ns after the one before, of
                                   the same rank */
    HCT_DUE_SPAN,               /* the last exit of the second label, limit_ns
                                   after the first entry of the first one, with
                                   the same marker, of all ranks together */
    HCT_DUE_CLOCK,              /* the exit of the nth call of each rank, n from
                                   0, limit_ns after from_ns + n * limit_ns */
};
enum { HCT_DEADLINES_MAX = 64 };        /* of a job, in all its life */
struct hct_deadline {
    uint32_t number;            /* in the job, 1 to HCT_DEADLINES_MAX */
    uint32_t kind;              /* enum hct_due */
    uint32_t firm;              /* 1: what is late is of no use any more */
    uint32_t over;              /* 1: it has been taken back */
    uint64_t limit_ns;
    int64_t from_ns;            /* INT64_MAX: when the first call is entered */
    double margin;              /* of limit_ns is to be left, 0 to 1: with less
                                   it is about to be missed */
    uint32_t ranks, pad;        /* how many ranks it is about */
    char text[64];              /* as it was written, for people; cut */
};
struct hct_event {              /* a tagged call; what has been told without an
                                   end is told again with one */
    uint32_t rank, call;
    int32_t marker;
    uint32_t in;                /* 1: it has not left yet, and exit_ns is 0 */
    uint64_t seq;               /* of the tagged call in its task, from 0 */
    int64_t enter_ns, exit_ns;
    uint64_t bound_ns;          /* both may be off by so much, all of a node
                                   alike: what is known of its clock */
    uint64_t of;                /* bit i: it has the label of the deadline with
                                   number i + 1, and is of one of its ranks */
    uint64_t to;                /* ... the second label of HCT_DUE_SPAN */
    char label[64];             /* cut */
};

/* Why a look is taken besides that a policy wants one. */
enum hct_asked {
    HCT_ASKED_BY_PERSON = 1,    /* who waits for what is found */
    HCT_ASKED_BY_HANG = 2,      /* another policy of the job has just found a
                                   hang or deadlock, or named tasks in a
                                   notice */
    HCT_ASKED_BY_EVENT = 4,     /* a tagged call has been told */
};

/* Immutable. Arrays are walked by the strides that are given. */
struct hct_snapshot {
    uint32_t size;              /* of this struct, bytes */
    uint32_t has_detail;        /* 1: the arrays of detail hold */
    uint64_t seq;               /* of the look, from 1 */
    uint64_t now_ns;            /* the only clock */
    const struct hct_job *job;
    const struct hct_call *calls;
    uint32_t ncalls, call_size;
    const struct hct_rank *ranks;       /* ranks[i].rank is i */
    uint32_t nranks, rank_size;
    const struct hct_request *requests;
    uint32_t nrequests, request_size;
    const struct hct_comm *comms;
    uint32_t ncomms, comm_size;
    const struct hct_flight *flights;
    uint32_t nflights, flight_size;
    const struct hct_account *accounts;
    uint32_t naccounts, account_size;
    const struct hct_pair *pairs;       /* sorted by peer within a rank */
    uint32_t npairs, pair_size;
    const struct hct_meeting *meetings;
    uint32_t nmeetings, meeting_size;
    uint32_t parts;             /* enum hct_need: those that hold */
    uint32_t asked;             /* enum hct_asked: why it is taken, of those
                                   that the policy wants to know of */
    const struct hct_model *models;
    uint32_t nmodels, model_size;
    const struct hct_state *states;
    uint32_t nstates, state_size;
    const struct hct_edge *edges;
    uint32_t nedges, edge_size;
    uint64_t question;          /* hct_question.number of what was answered */
    const struct hct_cluster *clusters;
    uint32_t nclusters, cluster_size;
    const struct hct_score *scores;     /* by method, the furthest first */
    uint32_t nscores, score_size;
    struct hct_stretch stretch; /* of these */
    struct hct_when person;     /* with HCT_ASKED_BY_PERSON: of what time he
                                   wants to know */
    const struct hct_place *places;
    uint32_t nplaces, place_size;
    const uint8_t *at;          /* of each rank: number of its place, from 1;
                                   0: not known, or its slave has not answered.
                                   NULL without HCT_NEED_PROGRESS */
    const uint8_t *orders;      /* enum hct_order: of places i and j of the
                                   question, orders[i * norders + j] */
    uint32_t norders, pad;
    const struct hct_earlier *earlier;
    uint32_t nearlier, earlier_size;
    uint32_t runs;              /* earlier runs that these are of; 0: none is
                                   known */
    uint32_t stacks;            /* tasks whose stacks were read, ... */
    const struct hct_learnt *learnt;    /* with HCT_NEED_EARLIER: its own */
    uint32_t nlearnt, learnt_size;
    const struct hct_inside *inside;    /* with HCT_NEED_STACKS */
    uint32_t ninside, inside_size;
    uint32_t waiting;           /* ... that wait inside of a call, of these */
    uint32_t unread;            /* 1: taken for events alone, no task was read:
                                   all are as in the look before, but older, or
                                   have ended, as in a job's last look. Only who
                                   needs events is shown such a one */
    const struct hct_deadline *deadlines;       /* with HCT_NEED_EVENTS, by
                                                   number */
    uint32_t ndeadlines, deadline_size;
    const struct hct_event *events;     /* as they came: of a rank by seq, but
                                           for what is told again */
    uint32_t nevents, event_size;
    uint64_t events_lost;       /* so far: that found no room, or nobody told; of
                                   those that are open an end may be among them,
                                   and some may be told again */
};

/* ------------------------------------------------------------ what is found */

enum hct_kind {
    HCT_HANG = 1, HCT_SLOWDOWN, HCT_DEADLOCK, HCT_OUTLIER, HCT_PROGRESS,
    HCT_DEADLINE, HCT_IMBALANCE, HCT_NOTICE,
};

enum hct_where {                /* of the error */
    HCT_WHERE_UNKNOWN, HCT_WHERE_COMPUTATION, HCT_WHERE_COMMUNICATION,
};

enum hct_deadline_what {        /* of a verdict of kind HCT_DEADLINE */
    HCT_DEADLINE_DECLINING = 1, /* it is still met, and soon will not be */
    HCT_DEADLINE_MISSED,        /* an instance is due, and has not ended */
    HCT_DEADLINE_MET_AGAIN,     /* takes one of these two back */
    HCT_DEADLINE_NEVER,         /* no call with its label has come */
};

/* A verdict. Its ranks and its lines of text follow each other in out's
 * arrays. A later verdict of kind HCT_PROGRESS without ranks takes a hang,
 * slowdown, deadlock or notice back: the job moves again. One that names ranks
 * says who has made the least progress, and takes nothing back.
 *
 * How strong it is its kind says. A deadlock is proven. A hang is found by a
 * model that has seen the job before: its score is what the model yields, and
 * never 1; 0: it yields none, and the hang is acted on as a notice is. A notice
 * says only that something has taken long, and that nothing seen so far says
 * whether that is wrong: it has one line and no score. */
struct hct_verdict {
    uint32_t kind;              /* enum hct_kind */
    uint32_t where;             /* enum hct_where */
    uint32_t phase;             /* number of the program's phase */
    uint32_t ranks, nranks;     /* to blame: first in out->ranks, how many */
    uint32_t lines, nlines;     /* first in out->lines, how many */
    uint32_t longest_ms;        /* the longest stay that the model knows of
                                   where they are; 0: none */
    double score;               /* confidence, 0 to 1 */
    uint64_t age_ns;            /* how long it has been so: of a deadlock, since
                                   the last of those named came to stand */
    uint32_t deadline;          /* HCT_DEADLINE: number; 0: none */
    uint32_t what;              /* enum hct_deadline_what */
};

/* One line of a verdict's text. The first says it in a sentence; the others
 * say it of one rank each: the host adds where in its source that rank is, or,
 * if the line is about an earlier call, where that was made. */
struct hct_line {
    int32_t rank;               /* it is about; HCT_NONE: about none */
    char text[244];             /* ends with a zero, no newline */
    uint32_t site;              /* place of the call that it is about; 0: the
                                   one that the rank is in now */
    uint32_t made;              /* place where the request that it names was
                                   made; 0: it names none */
};

enum hct_action { HCT_REPORT = 1, HCT_SUSPEND, HCT_KILL };

struct hct_proposal {
    uint32_t action;            /* enum hct_action */
    uint32_t verdict;           /* index of the reason */
};

/* What decides that one task has made less progress than another: the exact
 * first. */
enum hct_decided {
    HCT_DECIDED_NOT,            /* nothing does */
    HCT_DECIDED_COLLECTIVE,     /* the number of a collective call that others
                                   have entered */
    HCT_DECIDED_ASLEEP,         /* it sleeps in a call that others have entered,
                                   too, and does not look for messages */
    HCT_DECIDED_MESSAGE,        /* others wait for its messages */
    HCT_DECIDED_LOOP,           /* iterations of a loop that both are in */
    HCT_DECIDED_WAITS,          /* the wait-for graph: they only wait for each
                                   other */
    HCT_DECIDED_MODEL,          /* what the program does mostly */
};

/* One row of a verdict that is a list: so far a node of the graph that says who
 * waits for whom, of a verdict of kind HCT_PROGRESS. Tasks that are at the same
 * point are one node; those that have made the least progress come first. */
struct hct_row {
    uint32_t verdict;           /* index of the verdict that it belongs to */
    uint32_t place;             /* in the list, from 1 */
    uint32_t ranks, nranks;     /* first in out->ranks, how many: ascending */
    uint32_t line;              /* of out->lines: it says where the first of
                                   them is */
    uint32_t call;              /* they are in it, or have left it last; 0:
                                   none */
    uint32_t in;                /* 1: they are in it */
    uint32_t decided;           /* enum hct_decided: that others wait for it */
    uint64_t waits_for;         /* bit n - 1: for the row of place n */
    uint64_t unsure;            /* ... the same, one of both for the other */
};
enum { HCT_ROWS_MAX = 64 };     /* of a verdict */

/* A task that is among those furthest from their like, for who wants to see all
 * of them: view outliers; and of one that is slow in a step, that step: view
 * steps. They need no verdict. */
struct hct_odd {
    uint32_t method;            /* enum hct_method */
    uint32_t place;             /* by this method, from 1; by the last three
                                   together */
    uint32_t rank, group;
    double score, cost_ns;      /* as in hct_score */
    uint32_t from_call, to_call;        /* its step, as all below; 0 and no
                                           line: not known, of the first two
                                           methods */
    uint32_t line;              /* of out->lines, whose site is where the step
                                   begins; HCT_NO_LINE */
    uint32_t line_to;           /* ... where it ends */
    uint64_t n;
    double in_ns, out_ns, normal_in_ns, normal_out_ns;
    uint64_t at, at_to;         /* hct_state.place: of the same two; 0: not
                                   known. These have lines also when the task
                                   has ended, and is asked no more */
};
#define HCT_NO_LINE UINT32_MAX

/* Something that a policy has learnt of a job: kept with it and, if it ends
 * well, shown to the same policy in later runs of the program, with
 * HCT_NEED_EARLIER: of all runs that hct_earlier is of, together. */
struct hct_learnt {
    uint64_t by;                /* the host's: made of the policy's name */
    uint64_t what;              /* the policy's: about what. What it tells of
                                   the same later counts in its place */
    uint32_t groups;            /* that tasks were in, the most */
    uint32_t most;              /* so many were looked for, the least: where
                                   groups is that, there may be more */
    uint32_t times;             /* that they were compared, in all runs */
    uint32_t runs;              /* that tell it; in hct_out 0 */
};
enum { HCT_LEARNT_MAX = 64 };   /* of a policy and job */

/* An instance of a deadline that has ended, or is due and has not: kept with the
 * job (view deadlines). What is told of it later counts in its place. */
struct hct_instance {
    uint32_t deadline;          /* number */
    uint32_t rank;              /* HCT_NO_RANK: of no single one */
    uint64_t instance;          /* number, from 0, of this deadline and rank */
    int64_t release_ns, due_ns;
    int64_t done_ns;            /* not with open */
    uint32_t open;              /* 1: it has not ended yet */
    uint32_t late;              /* 1: missed by more than bound_ns */
    uint64_t bound_ns;          /* these times may be off by so much */
    double slope;               /* of the relative margin, from one instance to
                                   the next; NaN: too few */
    double chance;              /* that one of the next ones is missed; NaN */
};
#define HCT_NO_RANK UINT32_MAX
enum { HCT_INSTANCES_MAX = 1024 };      /* of a step */

/* Parts of a snapshot besides calls and ranks, which every one has. What nobody
 * needs is not read from the tasks, sent or recorded. */
enum hct_need {
    HCT_NEED_DETAIL = 1,        /* requests to pairs */
    HCT_NEED_MODEL = 2,         /* models to edges: of hct_out.sample */
    HCT_NEED_SCORES = 4,        /* clusters and scores: of hct_out.question */
    HCT_NEED_PROGRESS = 8,      /* places to orders: the same, of the other kind
                                   of question. Only one of the two at once */
    HCT_NEED_EARLIER = 16,      /* earlier, learnt: in one of the next looks,
                                   which may be a little later */
    HCT_NEED_STACKS = 32,       /* inside, stacks, waiting: the same, once for
                                   each time. All tasks are stopped for some
                                   microseconds; where stacks cannot be had in
                                   this way there is no answer */
    HCT_NEED_EVENTS = 64,       /* deadlines, events. Who does not hear of them
                                   (HCT_ASKED_BY_EVENT) misses those that come
                                   while it is busy */
};

/* A question: how far is each task of the job from these models? It is answered
 * where the tasks are, by all slaves, and merged on the way up: nobody has to
 * have all models, and what comes up is as much for a million tasks as for a
 * hundred. It is these bytes, in which one array follows the other without a
 * gap:
 *
 *   struct hct_question
 *   struct hct_question_step    nsteps
 *   struct hct_question_model   nmodels
 *   struct hct_question_edge    nmodels times nchains
 *   struct hct_question_normal  nkinds times nsteps
 *   struct hct_question_kind    nkinds
 *   struct hct_question_edge    nwholes times nsteps
 *
 * Steps are from one call to the next, chains are steps that follow each other
 * without a choice and are compared as one; nwholes is 0, or the number of
 * groups: then the models of their medoids come again, as they are, for the
 * step that a task differs most from that of its group in. Steps from the same place follow each
 * other. One question of a job is under way at a time: a policy whose answer does
 * not come, or has another number, asks again. */
struct hct_question {
    uint32_t size;              /* of this struct, bytes */
    uint32_t top;               /* scores wanted of each method */
    uint64_t number;            /* comes back with the answer */
    uint32_t nsteps, nchains, nmodels, nkinds;
    uint32_t ngroups, nwholes;
    double score, cost_ns, share;       /* of HCT_METHOD_POLISH: no less than
                                           these three */
    struct hct_when when;       /* of what time */
};
struct hct_question_step {
    uint64_t from, to;          /* hct_state.place; 0: the beginning */
    uint32_t chain;             /* number of the one that it is part of */
    uint16_t first;             /* 1: that begins with it */
    uint16_t waits;             /* 1: time inside the call it begins with is
                                   time that others take */
};
struct hct_question_model {
    uint32_t rank;              /* whose it is: it is no neighbour of itself */
    uint32_t group, kind;       /* number of the one it is the medoid of; or
                                   HCT_NO_MEDOID */
    uint32_t pad;
};
#define HCT_NO_MEDOID UINT32_MAX
struct hct_question_edge {      /* times are in ns */
    float n, probability;       /* taken so often; 0: never */
    float in_mean, in_sd, out_mean, out_sd;
};
struct hct_question_normal {    /* natural logarithms of ns spent; NaN: nobody
                                   of this kind has the step */
    float in, in_spread, out, out_spread;
    float bytes;                /* of the call it begins with, each time; NaN */
    /* How much its times differ: of the root of the sum of the squares of
     * their deviations. */
    float in_rough, in_rough_spread, out_rough, out_rough_spread;
};
struct hct_question_kind {      /* ns that a task waits in calls, in all; NaN: not
                                   known */
    float wait, wait_spread;
};
enum { HCT_QUESTION_MAX = 4 << 20, HCT_STEPS_MAX = 1024, HCT_MODELS_MAX = 128,
       HCT_CLUSTERS_MAX = 16, HCT_TOP_MAX = 64 };

/* The other kind: where are all tasks, and who waits for whom of those who are
 * at these places, by what they do mostly? It is these bytes: struct
 * hct_progress_question, then struct hct_progress_place, nplaces, all
 * different. Of none only where all are is answered. More places than
 * HCT_PLACES_MAX are not told apart from those that are not known. */
struct hct_progress_question {
    uint32_t size;              /* of this struct, bytes */
    uint32_t nplaces;
    uint64_t number;            /* comes back with the answer */
};
struct hct_progress_place {
    uint64_t place;             /* as in hct_place */
    uint32_t in, pad;
};
enum { HCT_PLACES_MAX = 250, HCT_PLACES_ASKED = 64 };

#define HCT_WAKE_NEVER UINT64_MAX

/* The host's storage, empty at each step. What does not fit is counted, and
 * the host says so. */
struct hct_out {
    uint32_t size;              /* of this struct, bytes */
    uint32_t need;              /* enum hct_need: one of the next looks is to
                                   have these; the first that can */
    uint64_t wake_ns;           /* look again then, in now_ns; 0: when the
                                   host likes to; HCT_WAKE_NEVER: not before
                                   there is a look that it hears of */
    struct hct_verdict *verdicts;
    uint32_t nverdicts, verdicts_max;
    uint32_t *ranks;
    uint32_t nranks, ranks_max;
    struct hct_line *lines;
    uint32_t nlines, lines_max;
    struct hct_proposal *proposals;
    uint32_t nproposals, proposals_max;
    uint64_t lost;
    uint32_t sample, nsample;   /* with HCT_NEED_MODEL: the ranks whose models
                                   are wanted, first in ranks, how many; 0: of
                                   all. There may be more */
    uint8_t *question;          /* with HCT_NEED_SCORES, HCT_NEED_PROGRESS */
    uint32_t nquestion, question_max;   /* bytes */
    struct hct_row *rows;
    uint32_t nrows, rows_max;
    uint32_t answers;           /* enum hct_asked: whom the verdicts of this
                                   step are for; HCT_ASKED_BY_PERSON alone:
                                   nobody else is told */
    uint32_t nodds;
    struct hct_odd *odds;
    uint32_t odds_max, pad;
    void *room;                 /* hct_policy.room_bytes of this step, zeroed */
    uint64_t last_ns;           /* with HCT_NEED_MODEL: models are to have their
                                   steps since so long ago by themselves, too;
                                   0: not */
    struct hct_when when;       /* of what time odds are: ago_ns as it was */
    uint32_t remarks, nremarks; /* lines that are shown with odds, first in
                                   lines, how many: a sentence each, about all
                                   of them */
    struct hct_learnt *learnt;
    uint32_t nlearnt, learnt_max;
    struct hct_instance *instances;
    uint32_t ninstances, instances_max;
};

/* ---------------------------------------------------------------- a policy */

struct hct_param {              /* the table ends with name NULL */
    const char *name, *unit, *help;
    double def, min, max;       /* min and max are allowed themselves */
};

/* The largest jobs have a million tasks, and half a kilobyte is enough to know
 * about each. What is never written to takes no memory. */
enum { HCT_PARAMS_MAX = 32, HCT_STATE_MAX = 512 * 1024 * 1024 };

struct hct_policy {
    uint32_t major, minor;      /* HCT_POLICY_MAJOR and MINOR */
    const char *name, *help;    /* one word; one sentence */
    const struct hct_param *params;
    /* How many bytes of state it needs: the host allocates them, zeroed. They
     * hold no pointers: they may be stored, and come back elsewhere. At most
     * HCT_STATE_MAX. */
    size_t (*state_bytes)(const struct hct_job *job, const double *params);
    /* params is as long as the table and within its bounds. Not 0: refused,
     * and why is a sentence. */
    int (*init)(void *state, const struct hct_job *job, const double *params,
                char *why, size_t why_bytes);
    /* Not 0: it cannot go on, and is switched off. */
    int (*step)(void *state, const struct hct_snapshot *in,
                struct hct_out *out);
    /* Sets of enum hct_need. Of needs it is given all at each step, and not
     * asked at looks that do not have them; of may_need what it has asked for
     * by hct_out.need, once for each time; of others nothing. Both 0, and of
     * older policies: it may ask for detail, and is given all that there is,
     * also what others have asked for. */
    uint32_t needs, may_need;
    /* Set of enum hct_asked. Looks that are taken for these are shown to it
     * whenever it may have wanted the next one. */
    uint32_t asked;
    uint32_t pad;
    /* For each step, besides its state: what nothing outlives belongs here. At
     * most HCT_STATE_MAX. */
    size_t room_bytes;
};

/* The one symbol. */
typedef const struct hct_policy *hct_policy_f(void);
__attribute__((visibility("default"))) hct_policy_f hct_policy;

/* Entries by the strides of the host. */
#define HCT_AT(type, base, stride, i) \
    ((const type *)(const void *)((const char *)(base) + (size_t)(i) * (stride)))

static inline const struct hct_rank *hct_rank(const struct hct_snapshot *s,
                                              uint32_t i)
{
    return HCT_AT(struct hct_rank, s->ranks, s->rank_size, i);
}
static inline const struct hct_request *hct_request(
    const struct hct_snapshot *s, uint32_t i)
{
    return HCT_AT(struct hct_request, s->requests, s->request_size, i);
}
static inline const struct hct_comm *hct_comm(const struct hct_snapshot *s,
                                              uint32_t i)
{
    return HCT_AT(struct hct_comm, s->comms, s->comm_size, i);
}
static inline const struct hct_flight *hct_flight(const struct hct_snapshot *s,
                                                  uint32_t i)
{
    return HCT_AT(struct hct_flight, s->flights, s->flight_size, i);
}
static inline const struct hct_account *hct_account(
    const struct hct_snapshot *s, uint32_t i)
{
    return HCT_AT(struct hct_account, s->accounts, s->account_size, i);
}
static inline const struct hct_pair *hct_pair(const struct hct_snapshot *s,
                                              uint32_t i)
{
    return HCT_AT(struct hct_pair, s->pairs, s->pair_size, i);
}
static inline const struct hct_meeting *hct_meeting(
    const struct hct_snapshot *s, uint32_t i)
{
    return HCT_AT(struct hct_meeting, s->meetings, s->meeting_size, i);
}
static inline const struct hct_model *hct_model(const struct hct_snapshot *s,
                                                uint32_t i)
{
    return HCT_AT(struct hct_model, s->models, s->model_size, i);
}
/* Numbers of the model's own, below nstates and nedges. */
static inline const struct hct_state *hct_state(const struct hct_snapshot *s,
                                                const struct hct_model *m,
                                                uint32_t i)
{
    return HCT_AT(struct hct_state, s->states, s->state_size, m->states + i);
}
static inline const struct hct_edge *hct_edge(const struct hct_snapshot *s,
                                              const struct hct_model *m,
                                              uint32_t i)
{
    return HCT_AT(struct hct_edge, s->edges, s->edge_size, m->edges + i);
}
static inline const struct hct_cluster *hct_cluster(
    const struct hct_snapshot *s, uint32_t i)
{
    return HCT_AT(struct hct_cluster, s->clusters, s->cluster_size, i);
}
static inline const struct hct_score *hct_score(const struct hct_snapshot *s,
                                                uint32_t i)
{
    return HCT_AT(struct hct_score, s->scores, s->score_size, i);
}
static inline const struct hct_place *hct_place(const struct hct_snapshot *s,
                                                uint32_t i)
{
    return HCT_AT(struct hct_place, s->places, s->place_size, i);
}
static inline const struct hct_earlier *hct_earlier(
    const struct hct_snapshot *s, uint32_t i)
{
    return HCT_AT(struct hct_earlier, s->earlier, s->earlier_size, i);
}
static inline const struct hct_learnt *hct_learnt(
    const struct hct_snapshot *s, uint32_t i)
{
    return HCT_AT(struct hct_learnt, s->learnt, s->learnt_size, i);
}
static inline const struct hct_inside *hct_inside(const struct hct_snapshot *s,
                                                  uint32_t i)
{
    return HCT_AT(struct hct_inside, s->inside, s->inside_size, i);
}
static inline const struct hct_deadline *hct_deadline(
    const struct hct_snapshot *s, uint32_t i)
{
    return HCT_AT(struct hct_deadline, s->deadlines, s->deadline_size, i);
}
static inline const struct hct_event *hct_event(const struct hct_snapshot *s,
                                                uint32_t i)
{
    return HCT_AT(struct hct_event, s->events, s->event_size, i);
}
/* By how much of limit_ns something is done before it is due: 1 is at once, 0
 * just in time, less is late. What was stopped for a night is no later than can
 * be counted with, and what is done before its release has all of the time. */
static inline double hct_margin(int64_t due_ns, int64_t done_ns,
                                uint64_t limit_ns)
{
    int64_t left;
    double x;

    if (__builtin_sub_overflow(due_ns, done_ns, &left))
        left = due_ns < done_ns ? INT64_MIN : INT64_MAX;
    x = (double)left / (double)limit_ns;
    return x > 1 ? 1 : x < -1e6 ? -1e6 : x;
}
/* Number 0 for those out of range. */
static inline const struct hct_call *hct_call(const struct hct_snapshot *s,
                                              uint32_t call)
{
    return HCT_AT(struct hct_call, s->calls, s->call_size,
                  call < s->ncalls ? call : 0);
}

#endif
