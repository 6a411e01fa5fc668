/* page.h - the memory a task shares with its slave. ABI between the wrapper
 * library (writer) and hector-slave (reader).
 *
 * The slave makes the page (a memfd, so it outlives either side), the
 * wrapper library asks for it when the program calls MPI_Init and maps it.
 * From then on the task only stores; the slave reads when it likes, also
 * when the task hangs, without stopping it. The slave trusts no field: it
 * bounds every offset and length by what it knows itself.
 *
 * Layout: struct page_header, then per thread one struct page_slot, one
 * table of struct page_count and one ring of event records, then one struct
 * page_shared of the task, then a struct page_thread per thread, then one
 * struct page_told, page_messages, page_meetings and page_stop. All offsets
 * come from the page_*_at() functions; the memory is sparse, a thread that
 * never calls MPI costs nothing.
 *
 * Fields marked (task) are stored by the task alone, (slave) by the slave
 * alone. Stores are relaxed unless said otherwise. Times in ticks are of the
 * clock that header.clock names; the slave converts them.
 *
 * Changes: fields are appended at the end and PAGE_MINOR grows; anything else,
 * also one more in what there is several of, makes PAGE_MAJOR grow, and the
 * slave refuses the registration in words. */
#ifndef HECTOR_PAGE_H
#define HECTOR_PAGE_H

#include <stdatomic.h>
#include <stddef.h>
#include <stdint.h>

#define PAGE_MAGIC 0x3147504f54434548ull        /* "HECTOPG1" */
enum {
    PAGE_MAJOR = 7,
    PAGE_MINOR = 0,
    PAGE_CALLS = 512,           /* MPI functions: numbers of wrap.def */
    PAGE_SLOTS = 64,            /* threads; the last one is shared by the rest */
    PAGE_RING_BYTES = 256 * 1024,       /* a power of two */
    PAGE_TEXT_MAX = 4096,       /* bytes of a tag's text; the rest is cut */
    PAGE_COMMS = 512,           /* communicators, windows and files at once */
    PAGE_FREED = 16,            /* ... of those that were freed */
    PAGE_REQUESTS = 2048,       /* unfinished requests */
    PAGE_REQUEST_WAYS = 8,      /* keys that one handle may be found at */
    PAGE_FLIGHT = 64,           /* last calls of a thread */
    PAGE_SITES = 512,           /* calls with their contexts, of a thread */
    PAGE_FRAMES = 16,           /* return addresses of a context */
    PAGE_TOLD = 128,            /* return addresses of a stack told */
    PAGE_EDGES = 768,           /* pairs of them, in a phase */
    PAGE_EDGE_SLOTS = 1024,     /* a power of two: where they are looked for */
    PAGE_BANKS = 3,             /* phases kept apart, and all before them */
    PAGE_BUCKETS = 60,          /* of a histogram */
    PAGE_MODULES = 64,          /* executable and libraries */
    PAGE_PEERS = 1024,          /* partners of a task, by messages */
    PAGE_PEER_WAYS = 32,        /* places that one of them may be found at */
    PAGE_CREW = 16,             /* threads that MPI has made for itself */
    PAGE_MESSAGE_BITS = 20,     /* of a sum of messages, that count them */
    PAGE_MEETINGS = 64,         /* kinds of them, see page_meeting */
    PAGE_RUNS = 8,              /* of ranks, that say who takes part */
    PAGE_STOP_COMMS = 1024,     /* communicators, of who can be stopped */
    PAGE_STOP_OTHERS = 63,      /* threads that call MPI, besides the first */
};

/* What is recorded beyond counters and tags. */
enum page_record_what {
    PAGE_DO_STATE = 1,          /* communicators, partners, requests, bytes */
    PAGE_DO_FLIGHT = 2,         /* the last calls */
    PAGE_DO_MODEL = 4,          /* sites and edges */
    PAGE_DO_FRAMES = 8,         /* ... with the stack of each site */
    PAGE_DO_HISTOGRAM = 16,     /* ... with histograms of times */
    PAGE_DO_ALL = 31,
};

/* Partners and tags that are no number. */
enum { PAGE_NONE = -1, PAGE_ANY = -2, PAGE_NULL = -3, PAGE_UNKNOWN = -4 };

/* Identities of communicators: the same on all members. Windows and files
 * have identities of the same kind. With PAGE_COMM_LOCAL only this task
 * knows it by that number: made together with another world, or in a way
 * that could not be followed. 0: none, or not known. */
#define PAGE_COMM_WORLD 1u
#define PAGE_COMM_SELF  2u
#define PAGE_COMM_LOCAL ((uint64_t)1 << 63)

enum page_clock { PAGE_CLOCK_MONOTONIC = 1, PAGE_CLOCK_TSC = 2 };

/* What the task as a whole is doing. */
enum page_state {
    PAGE_STATE_NEW,             /* mapped, MPI_Init not entered yet */
    PAGE_STATE_INIT,            /* inside MPI_Init */
    PAGE_STATE_RUNNING,
    PAGE_STATE_FINALIZE,        /* inside MPI_Finalize */
    PAGE_STATE_DONE,            /* past it */
};

struct page_header {
    uint64_t magic;             /* (slave) all of this line, before sharing */
    uint32_t major, minor;
    uint64_t bytes;             /* of the whole page */
    uint64_t job;
    uint32_t rank, ntasks;
    uint32_t slots, calls, ring_bytes, drop;    /* drop: 1 = never wait */
    uint32_t what;              /* PAGE_DO_...: of threads to come */
    uint32_t slave_pid;         /* as it sees itself; 0: not known */

    _Alignas(64)
    _Atomic uint64_t slave_beat;        /* (slave) grows while it is alive */
    _Atomic uint32_t slave_gone;        /* (slave) 1: nobody reads any more */

    _Alignas(64)
    _Atomic uint32_t state;             /* (task) enum page_state */
    _Atomic uint32_t pid;               /* (task) */
    _Atomic uint32_t clock;             /* (task) enum page_clock */
    _Atomic uint32_t slots_used;        /* (task) highest slot + 1 */
    _Atomic uint64_t start_ticks;       /* (task) when it was mapped */
    _Atomic uint64_t start_wall_ns;     /* (task) the same moment */
    _Atomic uint32_t threads_shared;    /* (task) threads without a slot of
                                           their own */
    _Atomic uint32_t comms_lost;        /* (task) found no room in the table */
    _Atomic uint64_t requests_lost;     /* (task) the same */
    _Atomic uint32_t phase;             /* (task) the current one, from 0 */
    _Atomic uint32_t phase_bad;         /* (task) HECTOR_PHASE makes no sense */
    _Atomic uint32_t without;           /* (task) PAGE_DO_... of what cannot be
                                           recorded with this MPI library */
    _Atomic uint32_t level;             /* (task) of threads, as MPI_Init_thread
                                           provides it: MPI's number + 1; 0:
                                           not known */
    _Atomic uint32_t phase_id;          /* (task) what began the current phase,
                                           the same when it comes again; 0:
                                           not known */
    _Atomic uint64_t nspace;            /* (task) page_hash() of the value of
                                           PMIX_NAMESPACE before MPI_Init */
    _Atomic uint32_t world_rank;        /* (task) in MPI_COMM_WORLD */
    _Atomic uint32_t world_size;        /* (task) release, last; 0: not known */
    _Atomic uint32_t crew_known;        /* (task) release, last; 1: all threads
                                           that came while MPI_Init ran are MPI's
                                           own, and stand here */
    struct page_crew {
        _Atomic uint32_t tid;           /* (task) 0: none */
        _Atomic uint32_t started;       /* (task) as in /proc/PID/task/TID/stat,
                                           the low bits */
    } crew[PAGE_CREW];
    /* since 5.1: added to by both: what the clock went on by while the task
     * stood, suspended (by the slave, before it goes on) or stopped for a move
     * or its image; or, on another machine, what that clock is ahead, modulo
     * 2^64. No time of the task's own, so each thread takes it off the step
     * that it is in. */
    _Atomic uint64_t stood_ticks;
    /* since 6.0 */
    _Atomic uint32_t rests;             /* (slave) 1: who waits in MPI sleeps now
                                           and then, in place of asking for
                                           messages all the time */
};

/* One thread. The writer makes seq odd, stores, makes it even (release), so
 * a reader that saw the same even number before and after has one record; it
 * stays odd when the task dies in between. tid is 0 while no thread has the
 * slot; the next one to take it goes on counting. The last slot belongs to all
 * threads that found no other: its call is that of the one who moved last. */
struct page_slot {
    _Alignas(64)
    _Atomic uint32_t seq;
    _Atomic uint32_t tid;               /* 0: free */
    _Atomic uint32_t call;              /* current outermost call, 0 outside */
    _Atomic uint32_t waits_call;        /* of a wait or test: the call that
                                           made the first unfinished request;
                                           0: none, or not known */
    _Atomic uint64_t comm;              /* identity; of a wait: its request's */
    _Atomic uint64_t since_ticks;       /* entry of this call, or last exit */
    _Atomic uint64_t calls;             /* outermost calls entered so far */
    _Atomic uint64_t in_ticks;          /* finished calls only */
    _Atomic uint64_t out_ticks;         /* between calls, up to since_ticks */
    _Atomic int32_t peer;               /* rank in the world, or PAGE_... */
    _Atomic int32_t source;             /* second partner of a Sendrecv */
    _Alignas(64)
    _Atomic int32_t tag;
    _Atomic uint32_t requests;          /* unfinished ones it waits for: see
                                           page_request.waiter; with
                                           PAGE_BY_STANDING or without */
    _Atomic uint64_t count;             /* of elements; of requests */
    _Atomic uint64_t bytes;             /* 0 also when the size of the type
                                           is not known yet */
    _Atomic uint64_t collective;        /* number of this collective call in
                                           its communicator, from 1; 0: none */
    _Atomic uint64_t flights;           /* records in the flight recorder */
    _Atomic uint32_t site;              /* of this call, or of the last one */
    _Atomic uint32_t sites_lost;        /* calls from sites without room */
    _Atomic uint64_t edges_lost;        /* transitions without room */
    _Atomic int32_t source_tag;         /* of a Sendrecv: of the message that
                                           it waits for */

    /* Ring of event records: head and tail count bytes since the start and
     * never wrap; position = counter modulo ring_bytes. */
    _Alignas(64)
    _Atomic uint64_t head;              /* (task) release */
    _Atomic uint64_t waits;             /* (task) times it found no room */
    _Atomic uint64_t lost;              /* (task) records given up */
    _Alignas(64)
    _Atomic uint64_t tail;              /* (slave) release */
};

struct page_count {             /* one function in one slot: finished calls */
    _Atomic uint64_t calls;
    _Atomic uint64_t in_ticks;
    _Atomic uint64_t bytes;
};

enum page_record_kind {
    PAGE_RECORD_PAD = 0,        /* nothing up to the end of the ring */
    PAGE_RECORD_ENTER = 1,      /* a tagged call begins: marker and text */
    PAGE_RECORD_EXIT = 2,       /* it ended; see below */
};

/* A thread's calls do not overlap, so an EXIT belongs to the ENTER before it
 * and has no text. In the last slot the calls of several threads may be mixed:
 * there the text of an EXIT is 8 bytes, a uint64_t: the counter (see head) at
 * which its ENTER stands. An ENTER without EXIT is a call that never returned,
 * or was left by a jump. Of a PAD only bytes and kind are there. */

/* Records are 8-byte aligned and never cross the end of the ring. */
struct page_record {
    uint32_t bytes;             /* this header, text, padding */
    uint16_t kind;
    uint16_t call;
    int32_t marker;
    uint32_t text_bytes;        /* without a final zero */
    uint64_t wall_ns;
    char text[];
};

/* ------------------------------------------------------- of the whole task */

enum page_kind { PAGE_KIND_NONE, PAGE_KIND_COMM, PAGE_KIND_WIN, PAGE_KIND_FILE };

/* A communicator, window or file, with the last collective call on it that
 * this task has entered. seq as in page_slot. */
struct page_comm {
    _Alignas(64)
    _Atomic uint32_t seq;
    _Atomic uint32_t kind;              /* enum page_kind; 0: free */
    _Atomic uint64_t id;
    _Atomic uint64_t parent;            /* identity of what it was made from */
    _Atomic uint32_t rank, size;        /* this task in it; its own group */
    _Atomic uint32_t remote_size;       /* intercommunicators, else 0 */
    _Atomic uint32_t call;              /* the last collective call */
    _Atomic uint64_t collectives;       /* how many so far */
    _Atomic uint64_t since_ticks;       /* when it was entered */
    _Atomic uint64_t history;           /* page_history() of all of them, */
    _Atomic uint64_t history_before;    /* and of all but the last one */
    _Atomic uint32_t freed;             /* 1: this task has freed it, and does
                                           nothing with it any more. The last
                                           PAGE_FREED of these stay */
    /* since 4.0: of the last call here in which each member gives each other
     * one an amount of its own (MPI_Gatherv, Scatterv, Allgatherv, Alltoallv,
     * Reduce_scatter), in bytes, without what goes to the task itself. gives
     * and takes are the same, summed up over all members, where all fits; so
     * are rank + 1 times gives and takes_from, or gives_to and rank + 1 times
     * takes. */
    _Atomic uint64_t parcels_in;        /* its number, as collectives; 0: there
                                           was none, or it is not known */
    _Atomic uint64_t gives, takes;
    _Atomic uint64_t gives_to;          /* each times the rank that it goes to,
                                           + 1 */
    _Atomic uint64_t takes_from;        /* ... that it comes from */
    _Atomic uint64_t bytes;             /* of all collective calls here, as far
                                           as they are known: right by itself */
};

/* A request that is not finished. There is one where its key is above 1;
 * seq as in page_slot, and even where the entry is whole. */
struct page_request {
    _Atomic uint64_t comm;
    _Atomic uint64_t bytes;
    _Atomic uint64_t collective;        /* as in page_slot */
    _Atomic int32_t peer;
    _Atomic int32_t tag;
    _Atomic uint16_t seq;
    _Atomic uint16_t site;              /* from which it was made, of the thread
                                           that did: see page_site_in() */
    _Atomic uint16_t call;              /* that made it */
    _Atomic uint8_t idle;               /* persistent, and not started */
    _Atomic uint8_t waiter;             /* slot + 1 of the thread that waits
                                           for it or tests it; 0: none. With
                                           PAGE_STANDING or without */
    _Atomic uint64_t sent;              /* that is sent with it, and started:
                                           page_peer.sent of its partner just
                                           behind this message, so that what
                                           was sent since is known; 0: not
                                           known. Received: ticks when the call
                                           that has started it was entered */
};

/* A thread that asks for many requests again and again leaves its marks on
 * them, with PAGE_STANDING. They mean something while its slot is in a call
 * that waits by these: requests has PAGE_BY_STANDING. Others do not, then. */
#define PAGE_STANDING    0x80u
#define PAGE_BY_STANDING 0x80000000u

/* What is mapped where, so that addresses can be resolved outside of the task,
 * later. base is what was added to the addresses of the file. */
struct page_module {
    _Alignas(64)
    _Atomic uint64_t start;             /* release, last; 0: free */
    uint64_t end, base;
    uint32_t id_bytes;
    uint8_t id[36];                     /* build id */
    char path[192];                     /* ends with a zero */
};

struct page_shared {
    struct page_comm comm[PAGE_COMMS];
    _Atomic uint64_t request_key[PAGE_REQUESTS];
    struct page_request request[PAGE_REQUESTS];
    struct page_module module[PAGE_MODULES];
};

/* --------------------------------------------------------- of every thread */

/* Flight recorder: the n-th call of the slot to end (from 1) stands at
 * (n - 1) modulo PAGE_FLIGHT. number is 0 while the record is written; one
 * whose number is the same before and after was read whole. Where the bytes of a
 * collective call are not known they are 0, and its tag is PAGE_UNKNOWN. */
struct page_flight {
    _Alignas(64)
    _Atomic uint64_t number;
    _Atomic uint64_t enter_ticks, exit_ticks;
    _Atomic uint64_t comm;
    _Atomic uint64_t bytes;
    _Atomic uint64_t collective;
    _Atomic int32_t peer;
    _Atomic int32_t tag;
    _Atomic uint32_t call;
    _Atomic uint32_t site;
};

/* The model: sites are calls with the context they are made from, told apart
 * by return address, height of the stack and, while there is room, the three
 * innermost callers. An edge leads from one call of the thread to the next: its
 * count, the time that was spent in the first one before this next one (a
 * semi-Markov model's time in a state under the condition of the next state),
 * and the time of the computation between. Numbers 0 and 1 are no sites. */
enum { PAGE_SITE_START = 0, PAGE_SITE_OTHER = 1, PAGE_SITE_FIRST = 2 };

/* Entry number site in the table of the thread that has this slot; that of the
 * first one has the same number in both ways. */
static inline uint32_t page_site_in(unsigned slot, uint32_t site)
{
    return slot * PAGE_SITES + site;
}

/* All but the counters stays as it is once address is not 0. */
struct page_site {
    _Alignas(64)
    _Atomic uint64_t address;           /* where the call returns to; release,
                                           last; 0: free */
    _Atomic uint32_t height;            /* of the stack, bytes */
    _Atomic uint32_t call;
    _Atomic uint32_t frames;            /* in page_thread.frame */
    _Atomic uint32_t marks;             /* 1: begins a phase */
    _Atomic uint64_t calls;             /* finished ones: each counter is */
    _Atomic uint64_t in_ticks;          /* right by itself */
    _Atomic uint64_t bytes;
    _Atomic uint64_t out_ticks;         /* from the call before to this one */
    _Atomic uint64_t in_max;            /* ticks of the longest one */
};

/* Mean and sum of squared deviations as by Welford: variance is m2 / (n - 1).
 * seq as in page_slot.
 *
 * Bucket i of a histogram counts times from 2^(8 + i/2) ticks, the first and last
 * one all below and above. When one is full, all of its side are halved: only
 * ratios mean something. */
struct page_edge {
    _Alignas(64)
    _Atomic uint32_t seq;
    _Atomic uint32_t ends;              /* from << 16 | to; 0: free */
    _Atomic uint64_t n;
    _Atomic double in_mean, in_m2;      /* ticks inside the first call */
    _Atomic double out_mean, out_m2;    /* ticks between the two */
    _Atomic uint64_t in_max, out_max;
    _Atomic double bytes_mean, bytes_m2;        /* of the first call, as
                                                   page_site has them */
    _Atomic uint16_t in[PAGE_BUCKETS], out[PAGE_BUCKETS];
};

/* One phase, or in bank 0 all that were over when their bank was needed. seq
 * is odd while a bank is emptied: then nothing in it means anything. Edges stand
 * one behind the other, as they came: memory that none has needed yet was never
 * touched, and is best not read. */
struct page_bank {
    _Alignas(64)
    _Atomic uint32_t seq;
    _Atomic uint32_t used;              /* edges; release, after the edge */
    _Atomic uint32_t phase;             /* number + 1; 0: never used. Bank 0:
                                           how many phases are merged */
    _Atomic int32_t label;              /* marker of its tag, level */
    _Atomic uint64_t lost;              /* transitions that found no room */
    _Atomic uint64_t since_ticks;       /* when this thread entered it */
    _Atomic uint16_t by_ends[PAGE_EDGE_SLOTS];  /* the writer's: a hash table
                                                   of numbers of edges, + 1 */
    struct page_edge edge[PAGE_EDGES];
};

/* The bank of a phase. */
static inline unsigned page_bank_of(uint32_t phase)
{
    return 1 + phase % (PAGE_BANKS - 1);
}

struct page_thread {
    struct page_flight flight[PAGE_FLIGHT];
    struct page_site site[PAGE_SITES];
    _Atomic uint64_t frame[PAGE_SITES][PAGE_FRAMES];
    struct page_bank bank[PAGE_BANKS];
};

/* The stack of the thread that called MPI_Init, told by itself: the slave
 * raises ask and sends the signal, whose handler stores the addresses. */
struct page_told {
    _Alignas(64)
    _Atomic uint32_t signal;            /* (task) 0: it cannot tell */
    _Atomic uint32_t tid;               /* (task) of the thread */
    _Atomic uint32_t ask;               /* (slave) */
    _Atomic uint32_t answer;            /* (task) release: the last ask that
                                           was followed */
    _Atomic uint32_t frames;            /* (task) */
    _Atomic uint64_t frame[PAGE_TOLD];  /* (task) innermost first */
};

/* What went to one other task and came from it, since MPI_Init: each the sum of
 * page_message() of all messages, modulo 2^64. A message is sent when the call
 * that sends it, or starts its request, is entered; it is received when the
 * call that receives it, or ends its request, is over: in the page later than
 * that is. */
struct page_peer {
    _Atomic uint32_t peer;              /* rank in the world + 1; 0: free */
    _Atomic uint32_t blind;             /* received besides: with tags that are
                                           not known */
    _Atomic uint64_t sent, received;
    _Atomic uint64_t last_comm;         /* of the one that was sent last */
    _Atomic int32_t last_tag;
    _Atomic uint32_t pad;
    _Atomic uint64_t bytes;             /* of all that was sent, as far as sizes
                                           are known */
};

struct page_messages {
    _Alignas(64)
    _Atomic uint32_t valid;             /* 1: accounted for since MPI_Init */
    _Atomic uint32_t eager, eager_far;  /* a send of so many bytes at most need
                                           not wait for the receiver: on its
                                           own node, to other ones;
                                           PAGE_EAGER_UNKNOWN */
    _Atomic uint32_t unsure;            /* messages that may have been received
                                           without being counted: requests that
                                           were freed or cancelled, errors */
    _Atomic uint64_t lost;              /* sent to partners that are not known,
                                           or found no room */
    _Atomic uint64_t blind;             /* received from partners that are not
                                           known */
    _Alignas(64)
    struct page_peer peer[PAGE_PEERS];
};
#define PAGE_EAGER_UNKNOWN UINT32_MAX

/* Calls that only some members of a communicator make, and of which none comes
 * back before all of those have entered it: MPI_Comm_create_group, by the whole
 * group, and MPI_Intercomm_create, by its two leaders. Those that belong
 * together have the same identity, which all who take part compute alike, from
 * who they are, the communicator that they speak over, and the tag. seq as in
 * page_slot. */
struct page_meeting {
    _Alignas(64)
    _Atomic uint32_t seq;
    _Atomic uint32_t call;
    _Atomic uint64_t id;                /* 0: free */
    _Atomic uint64_t comm;              /* that they speak over */
    _Atomic uint64_t count;             /* entered so far */
    _Atomic int32_t tag;
    _Atomic uint32_t in;                /* 1: this task is in it now */
    _Atomic uint32_t size;              /* so many take part */
    _Atomic uint32_t runs;              /* 0: who, is not known */
    struct page_run {                   /* first, first + step, ... */
        _Atomic uint32_t first, n;      /* ranks in the world */
        _Atomic int32_t step;
    } run[PAGE_RUNS];
};

struct page_meetings {
    _Alignas(64)
    _Atomic uint32_t lost;              /* kinds that have lost their place */
    struct page_meeting meeting[PAGE_MEETINGS];
};

/* ------------------------------------------- of who can be stopped and moved
 * Between such a program and MPI is a layer (mpi-wrappers/stop/), which stores
 * here what it does, and the slave what the master orders. What each may rely
 * on is said in master/move/stop_look.h. */

/* What the task is to do. */
enum page_stop_word {
    PAGE_STOP_RUN,              /* nothing is asked */
    PAGE_STOP_QUIESCE,          /* enter no collective beyond its target */
    PAGE_STOP_FREEZE,           /* that, and stand still where you are */
    PAGE_STOP_DRAIN,            /* stand, finish what is no receive, and receive
                                   what arrives */
    PAGE_STOP_SWAP,             /* stand, and take another MPI library as a
                                   member of this generation; then stand */
};

enum page_stop_where {          /* STOP_AT_... of stop_look.h, in that order */
    PAGE_AT_USER, PAGE_AT_LIBRARY, PAGE_AT_WAITING, PAGE_AT_HELD,
    PAGE_AT_COLLECTIVE, PAGE_AT_FROZEN, PAGE_AT_FINALIZED, PAGE_AT_GONE
};

enum page_swap {                /* of the generation that is wanted */
    PAGE_SWAP_NONE,
    PAGE_SWAP_DOWN,             /* the old library is gone */
    PAGE_SWAP_UP,               /* the new one is there, and everything in it */
    PAGE_SWAP_FAILED,           /* why: in page_stop.why */
};

struct page_stop_comm {         /* a communicator of this task */
    _Alignas(32)
    _Atomic uint64_t id;                /* the same on all members; 0: free */
    _Atomic uint64_t entered;           /* collectives, behind the gate */
    _Atomic uint64_t target;            /* (slave) */
    _Atomic uint32_t size;              /* members, of both groups */
    _Atomic uint32_t pad;
};

/* Of one thread; a number that two threads store is the sum. */
#define PAGE_STOP_THREAD                                                   \
    _Alignas(64)                                                           \
    _Atomic uint32_t where;     /* enum page_stop_where */                 \
    _Atomic int32_t peer;       /* WAITING: rank in the world, PAGE_NONE   \
                                   for a collective, or PAGE_ANY */        \
    _Atomic uint32_t gate;      /* HELD: before one of comm[gate] */       \
    _Atomic uint32_t unfinished;    /* FROZEN, of the task: sends and      \
                                   collectives; UINT32_MAX: not counted    \
                                   yet */                                  \
    _Atomic uint64_t sent, received;    /* messages; sent before one       \
                                   leaves, received when it is there */    \
    _Atomic uint64_t calls;     /* that may wait, or ask in a loop */      \
    _Atomic uint64_t kept;      /* of the task: messages, for calls to come */

struct page_stop_thread { PAGE_STOP_THREAD };

struct page_stop {
    _Alignas(64)
    _Atomic uint32_t word;              /* (slave) release; page_stop_word */
    _Atomic uint32_t wanted;            /* (slave) generation, before SWAP */
    _Atomic uint64_t order;             /* (slave) number of the last orders,
                                           after all of them; release */
    union {                             /* the first one, or the only one */
        struct { PAGE_STOP_THREAD };
        struct page_stop_thread first;
    };
    _Alignas(64)
    _Atomic uint32_t signal;            /* that makes it look at word, wherever
                                           it is; 0: it cannot be stopped */
    _Atomic uint32_t tid;               /* of the thread that gets it */
    _Atomic uint32_t comms;             /* highest comm[] used so far + 1 */
    _Atomic uint32_t put_off;           /* signals that came where nobody may
                                           stand still */
    _Atomic uint32_t generation;        /* of the library there, from 0 */
    _Atomic uint32_t swap;              /* enum page_swap; release */
    _Atomic uint32_t refuses;           /* 1: cannot be moved now, for why */
    _Atomic uint32_t stopped;           /* times that it stood still */
    char why[256];                      /* ends with a zero */
    struct page_stop_comm comm[PAGE_STOP_COMMS];
    /* Where several threads may call MPI they stand when still says so: then
     * none is inside MPI but in a place where it may stand. */
    _Alignas(64)
    _Atomic uint32_t others;            /* highest other[] used so far + 1 */
    _Atomic uint32_t many;              /* 1: still counts, not FROZEN */
    _Atomic uint32_t still;             /* release */
    struct page_stop_thread other[PAGE_STOP_OTHERS];
};

/* The low bits of a sum count the messages, the others tell them apart. */
static inline uint64_t page_message(uint64_t comm, int32_t tag)
{
    uint64_t x = comm + (uint64_t)(uint32_t)tag * 0x9e3779b97f4a7c15u;

    x = (x ^ x >> 31) * 0xbf58476d1ce4e5b9u;
    x = (x ^ x >> 29) * 0x94d049bb133111ebu;
    return (x ^ x >> 32) << PAGE_MESSAGE_BITS | 1;
}

/* Of a series of collective calls on a communicator, each with its root (or
 * PAGE_NONE): the same for members who have made the same calls. 0: none. */
static inline uint64_t page_history(uint64_t before, uint32_t call,
                                    int32_t root)
{
    uint64_t x = before + call + ((uint64_t)(uint32_t)root << 32);

    x = (x ^ x >> 31) * 0xbf58476d1ce4e5b9u;
    return x ^ x >> 29 ^ 1;
}

/* Of a text that is compared and never shown: FNV-1a (Fowler, Noll, Vo 1991).
 * 0: there is none. */
static inline uint64_t page_hash(const char *text)
{
    uint64_t h = 0xcbf29ce484222325u;

    for (; text && *text; text++)
        h = (h ^ (unsigned char)*text) * 0x100000001b3u;
    return h == 0xcbf29ce484222325u ? 0 : h;
}

/* Where things are, for given numbers of slots, calls and ring bytes. */
static inline size_t page_slot_at(unsigned slot)
{
    return 4096 + slot * sizeof(struct page_slot);
}
static inline size_t page_counts_at(unsigned slots, unsigned calls,
                                    unsigned slot)
{
    size_t base = (page_slot_at(slots) + 4095) & ~(size_t)4095;

    return base + slot * calls * sizeof(struct page_count);
}
static inline size_t page_ring_at(unsigned slots, unsigned calls,
                                  unsigned ring_bytes, unsigned slot)
{
    size_t base = (page_counts_at(slots, calls, slots) + 4095) & ~(size_t)4095;

    return base + (size_t)slot * ring_bytes;
}
static inline size_t page_shared_at(unsigned slots, unsigned calls,
                                    unsigned ring_bytes)
{
    return (page_ring_at(slots, calls, ring_bytes, slots) + 4095) &
           ~(size_t)4095;
}
static inline size_t page_thread_at(unsigned slots, unsigned calls,
                                    unsigned ring_bytes, unsigned slot)
{
    size_t base = page_shared_at(slots, calls, ring_bytes);
    size_t each = (sizeof(struct page_thread) + 4095) & ~(size_t)4095;

    base += (sizeof(struct page_shared) + 4095) & ~(size_t)4095;
    return base + slot * each;
}
static inline size_t page_told_at(unsigned slots, unsigned calls,
                                  unsigned ring_bytes)
{
    return page_thread_at(slots, calls, ring_bytes, slots);
}
static inline size_t page_messages_at(unsigned slots, unsigned calls,
                                      unsigned ring_bytes)
{
    size_t each = (sizeof(struct page_told) + 4095) & ~(size_t)4095;

    return page_told_at(slots, calls, ring_bytes) + each;
}
static inline size_t page_meetings_at(unsigned slots, unsigned calls,
                                      unsigned ring_bytes)
{
    size_t each = (sizeof(struct page_messages) + 4095) & ~(size_t)4095;

    return page_messages_at(slots, calls, ring_bytes) + each;
}
static inline size_t page_stop_at(unsigned slots, unsigned calls,
                                  unsigned ring_bytes)
{
    size_t each = (sizeof(struct page_meetings) + 4095) & ~(size_t)4095;

    return page_meetings_at(slots, calls, ring_bytes) + each;
}
static inline size_t page_bytes(unsigned slots, unsigned calls,
                                unsigned ring_bytes)
{
    size_t each = (sizeof(struct page_stop) + 4095) & ~(size_t)4095;

    return page_stop_at(slots, calls, ring_bytes) + each;
}

/* Registration: the wrapper library connects to the SOCK_SEQPACKET Unix
 * socket in $HECTOR_SLAVE (a path, or @NAME for one without a file), sends a
 * page_hello, gets a page_grant with the memfd attached (SCM_RIGHTS) when
 * status is 0, and closes. Both sides are on one host and check the other's
 * uid; sizes and magic are checked too. */
struct page_hello {
    uint64_t magic;
    uint32_t major, minor;
    uint64_t job;               /* $HECTOR_JOB; when adopted, the session */
    uint32_t rank;              /* $HECTOR_RANK, or as MPI's own environment
                                   says; UINT32_MAX: not known */
    uint32_t pid;
    uint32_t ntasks;            /* 0: not known */
    char mpi[64];               /* for people: library version */
};
struct page_grant {
    uint64_t magic;
    uint32_t status;            /* 0, or an errno value */
    uint32_t pad;
    uint64_t bytes;             /* of the memfd */
    char why[112];              /* when status is not 0 */
};

/* Of who has dropped its MPI library (PAGE_SWAP_DOWN): over a connection of the
 * same kind it sends a page_lease_ask, and waits for the page_lease, as long as
 * it takes. With PAGE_LEASE_STAY a memfd of so many bytes is attached, the
 * environment of its new place in the job, NAME=VALUE each with a final zero;
 * these names replace its own of the same name, and those that begin with PMIX_
 * and are not there go. With PAGE_LEASE_LEAVE a descriptor is attached that its
 * image is written to; then it asks again, and says whether it is whole. With
 * PAGE_LEASE_LEAVE and no descriptor the process that was made of it is there, and
 * this one ends with status 0; with PAGE_LEASE_STAY it goes on here all the same.
 * With PAGE_LEASE_SAVE that descriptor does not block, is of one who puts the image
 * into a file, and is given up when it takes nothing for PAGE_SAVE_MS; then it asks
 * again, as before.
 * The process made of an image finds in --tell the slave's socket, a blank and the
 * number of its job; it asks for a page, of the same size as the old one, and then
 * for a lease. */
#define PAGE_LEASE 0x314553414c544348ull        /* "HCTLASE1" */
enum {                          /* of a lease; else an errno value */
    PAGE_LEASE_STAY = 0, PAGE_LEASE_LEAVE = 1, PAGE_LEASE_SAVE = 1 << 16
};
enum { PAGE_SAVE_MS = 20000 };
enum { PAGE_IMAGE_NONE, PAGE_IMAGE_WHOLE, PAGE_IMAGE_STUCK };
struct page_lease_ask {
    uint64_t magic;             /* PAGE_LEASE */
    uint32_t major, minor;
    uint64_t job;
    uint32_t rank, pid, generation;
    uint32_t whole;             /* PAGE_IMAGE_WHOLE: its image is written; STUCK:
                                   nobody took more of it */
    uint64_t image_bytes;       /* once it is whole */
    uint64_t unread;            /* then: bytes that waited in standard input */
};
struct page_lease {
    uint64_t magic;
    uint32_t status, pad;
    uint64_t bytes;
    char why[112];
};

#endif
