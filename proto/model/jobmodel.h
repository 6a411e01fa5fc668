/* jobmodel.h - the models of many tasks as one.
 *
 * A state is a function of MPI and the frames it is called from, which are
 * told apart by where they are in their files: so one line of all tasks is one
 * state. An edge is a step from one state to the next, in a phase: how often,
 * the time inside of the first call and that of the computation between, and
 * who has made it. Tasks are positions, or ranks at the end.
 *
 * Numbers count from 0 and never change. Everything is bounded, since parts
 * come from anybody; what finds no room is counted in dropped. */
#ifndef HECTOR_JOBMODEL_H
#define HECTOR_JOBMODEL_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "hct.pb-c.h"
#include "proto/base/err.h"
#include "proto/base/idtable.h"
#include "proto/base/str.h"
#include "proto/base/taskset.h"
#include "proto/model/spread.h"

enum {
    JOBMODEL_START = 0,         /* the state before a thread's first call */
    JOBMODEL_OTHER = 1,         /* calls from places that found no room */
    JOBMODEL_FIRST = 2,
    JOBMODEL_DEPTH = 16,        /* frames of a state */
    JOBMODEL_INLINED = 16,      /* names of a frame */
    JOBMODEL_BUCKETS = 64,      /* of a histogram: bucket i counts times from
                                   2^(6 + i/2) ns, the first and last one all
                                   below and above */
    JOBMODEL_CALLS_MAX = 512,   /* MPI functions */
    JOBMODEL_MODULES_MAX = 1024,
    JOBMODEL_FRAMES_MAX = 65536,
    JOBMODEL_NAMES_MAX = 262144,
    JOBMODEL_STATES_MAX = 16384,
    JOBMODEL_PHASES_MAX = 256,
    JOBMODEL_EDGES_MAX = 65536,
    JOBMODEL_TEXT_MAX = 1024,   /* bytes of a name */
    JOBMODEL_ID_MAX = 64,       /* bytes of a build id */
    JOBMODEL_WIDTH_MAX = 1 << 24,
};
#define JOBMODEL_NONE UINT32_MAX
#define JOBMODEL_COUNT_MAX (UINT64_C(1) << 62)
#define JOBMODEL_MEAN_MAX 1e18          /* ns: 31 years */
#define JOBMODEL_M2_MAX 1e60

struct jobmodel_module {
    char *path;                 /* owned */
    uint8_t id[JOBMODEL_ID_MAX];
    uint32_t id_bytes;
};

struct jobmodel_name { char *text; uint32_t file, note, line; };
                                /* text: owned; the function, then at file the
                                   source, at note why there is no name */

struct jobmodel_frame {
    uint32_t module;            /* number + 1; 0: in none */
    uint64_t offset;            /* in the file; in none: the address */
    struct jobmodel_name *name; /* owned; innermost first */
    uint32_t names;             /* 0: not known yet */
};

struct jobmodel_state {
    uint32_t call, frames;
    uint32_t frame[JOBMODEL_DEPTH];     /* the caller of MPI first */
};

struct jobmodel_phase {
    uint32_t number;            /* from 0; of merged ones 0 */
    uint32_t merged;            /* so many at most in one task; 0: it is one */
    int32_t label;
    bool labels;                /* not the same one in all tasks */
    uint64_t age_ns, last_age_ns;       /* since the first thread entered it,
                                           and the last one */
    uint64_t lost;              /* steps that found no room */
    struct taskset tasks;
};

/* A sample of times in ns: mean, and sum of squared deviations from it. Or of
 * bytes, of which nobody has kept the most: 0. */
struct jobmodel_times { double mean, m2; uint64_t max; };

struct jobmodel_edge {
    uint32_t phase, from, to;   /* numbers */
    uint64_t n;
    struct jobmodel_times in, out, bytes;       /* bytes: of the first call */
    uint64_t *histogram;        /* owned: in, then out; NULL: there is none */
    struct taskset tasks;
    struct spread in_tasks, out_tasks;  /* the sums of tasks; nothing in those
                                           that earlier versions have made */
    struct { uint64_t n; double in_ns, out_ns; } before;        /* the last
                                           jobmodel_end_task() */
};

struct jobmodel {
    uint32_t width;
    struct jobmodel_module *module;     /* owned, like all arrays */
    struct jobmodel_frame *frame;
    struct jobmodel_state *state;       /* the first two are no calls */
    struct jobmodel_phase *phase;
    struct jobmodel_edge *edge;
    size_t nmodules, nframes, nstates, nphases, nedges, nnames;
    size_t modules_cap, frames_cap, states_cap, phases_cap, edges_cap;
    struct idtable by_frame, by_state, by_edge;
    struct taskset tasks;               /* who has told */
    uint64_t sites_lost, edges_lost, dropped, damaged;
    uint32_t threads;
};

int jobmodel_init(struct jobmodel *m, uint32_t width, struct err *err);
void jobmodel_fini(struct jobmodel *m);

/* Each finds what is there already, or adds it; JOBMODEL_NONE: no room, or out
 * of memory. A state that finds no room is JOBMODEL_OTHER. */
uint32_t jobmodel_module(struct jobmodel *m, const char *path,
                         const uint8_t *id, uint32_t id_bytes);
uint32_t jobmodel_frame(struct jobmodel *m, uint32_t module, uint64_t offset);
uint32_t jobmodel_state(struct jobmodel *m, const struct jobmodel_state *s);
uint32_t jobmodel_phase(struct jobmodel *m, uint32_t number, bool merged);

/* One more name of a frame, behind those it has. Texts end with their bytes or
 * a zero. False: no room, or out of memory. */
struct jobmodel_name_of {
    const char *function, *file, *note;
    size_t function_bytes, file_bytes, note_bytes;
    uint32_t line;
};
bool jobmodel_name(struct jobmodel *m, uint32_t frame,
                   const struct jobmodel_name_of *name);

/* Some thread or part has this phase: what p says of label, ages, merged and
 * lost becomes part of what is known. */
void jobmodel_meet_phase(struct jobmodel_phase *to,
                         const struct jobmodel_phase *p);

/* Add steps e->n, e->in, e->out and e->histogram to the edge with these ends;
 * its tasks become those of tasks, shifted by at. Without room they are
 * counted in dropped. -1: out of memory. */
int jobmodel_add(struct jobmodel *m, const struct jobmodel_edge *e,
                 const struct taskset *tasks, uint32_t at);

/* All steps that were added since the last call were made by the task at this
 * position, and are all that it has made: its sums become part of the spreads. */
void jobmodel_end_task(struct jobmodel *m, uint32_t task);

/* Two samples together. */
void jobmodel_add_times(struct jobmodel_times *to, uint64_t n,
                        const struct jobmodel_times *b, uint64_t n_b);

/* No more than the limit. */
static inline uint64_t jobmodel_sum(uint64_t a, uint64_t b)
{
    return b < JOBMODEL_COUNT_MAX && a < JOBMODEL_COUNT_MAX - b
        ? a + b : JOBMODEL_COUNT_MAX;
}

/* The bucket of a time, and the time that one begins with. */
unsigned jobmodel_bucket(double ns);
double jobmodel_bucket_ns(unsigned bucket);

/* The time that a share of those in a row of JOBMODEL_BUCKETS are below, from 0 to
 * 1: no more than a factor of sqrt(2) wrong. Less than 0: the row is empty. */
double jobmodel_quantile(const uint64_t *row, double share);

/* Are these numbers within the limits? */
bool jobmodel_sane(const struct jobmodel_edge *e);

/* Take in a part, whose position 0 is ours at. -1: out of memory. */
int jobmodel_merge(struct jobmodel *m, const struct jobmodel *part,
                   uint32_t at, struct err *err);

/* As the message Model of hct.proto, with notes unless NULL. Position p
 * becomes rank rank_of[p] of ntasks; rank_of NULL: they stay what they are. */
struct tasknotes;
int jobmodel_write(const struct jobmodel *m, const struct tasknotes *notes,
                   const uint32_t *rank_of, uint32_t ntasks, struct str *out,
                   struct err *err);

/* From anybody, but for its notes: -1 with a sentence if it makes no sense, and
 * there is nothing to free then. */
int jobmodel_read(struct jobmodel *m, const Hct__Model *from, struct err *err);

#endif
