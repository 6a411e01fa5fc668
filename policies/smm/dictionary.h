/* dictionary.h - states and steps of all tasks in one numbering: what the
 * models in a snapshot have, by places, which are the same in all tasks (struct
 * hct_state). Phases of a task are taken together, or one is taken by itself. All
 * memory is the caller's. */
#ifndef HCT_DICTIONARY_H
#define HCT_DICTIONARY_H

#include <stddef.h>
#include <stdint.h>

#include "policies/hct_policy.h"
#include "policies/smm/smm.h"

enum {
    DICTIONARY_STATES = 1024,   /* at most */
    DICTIONARY_STEPS = 1024,
    DICTIONARY_SLOTS = 4096,    /* of the tables of places and of steps */
};

struct dictionary {
    struct hct_when when;       /* edges are of that time */
    uint32_t nstates, nsteps;
    uint32_t left_out;          /* states and steps that found no room, or are
                                   at a place that is not known */
    uint64_t place[DICTIONARY_STATES];
    uint32_t call[DICTIONARY_STATES];
    struct smm_step step[DICTIONARY_STEPS];     /* sorted by from, then to */
    uint32_t slot_of_place[DICTIONARY_SLOTS];   /* number + 1; 0: free */
    uint32_t slot_of_step[DICTIONARY_SLOTS];
};

/* Of the n models of the snapshot that have these numbers; NULL: of the first n. */
void dictionary_make(struct dictionary *d, const struct hct_snapshot *in,
                     const uint32_t *models, uint32_t n);
/* The same of what they have done in some time: so are all models by this one. */
void dictionary_make_when(struct dictionary *d, const struct hct_snapshot *in,
                          const uint32_t *models, uint32_t n,
                          const struct hct_when *when);
/* How many edges a model has of that time, whose beginning is as near as it can be
 * to what was asked for. */
uint32_t dictionary_edges(const struct hct_snapshot *in,
                          const struct hct_model *m,
                          const struct hct_when *when);

/* Of a state, as a question has it: 0 is the beginning. */
uint64_t dictionary_place(const struct dictionary *d, uint32_t state);

/* The numbers of a state and of a step of a model; UINT32_MAX: it has none. */
uint32_t dictionary_state(const struct dictionary *d, const struct hct_state *s);
uint32_t dictionary_step(const struct dictionary *d,
                         const struct hct_snapshot *in,
                         const struct hct_model *m, const struct hct_edge *e);

/* That model by the numbers of the dictionary: edge has room for d->nsteps, and
 * is overwritten. site: of each step where this task is when it begins, a place
 * of its own (struct hct_rank); or NULL. */
void dictionary_model(const struct dictionary *d, const struct hct_snapshot *in,
                      const struct hct_model *m, struct smm_edge *edge,
                      uint32_t *site);

#endif
