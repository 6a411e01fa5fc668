/* looks.h - what is known of all tasks of a job, as its policies see it.
 *
 * Filled from what slaves answer, or from a tape (tape.h). Pure: no I/O, no
 * clock. */
#ifndef HECTOR_LOOKS_H
#define HECTOR_LOOKS_H

#include <stdbool.h>
#include <stdint.h>

#include "hct.pb-c.h"
#include "policies/hct_policy.h"
#include "proto/base/err.h"
#include "proto/model/scores.h"
#include "proto/model/whereabouts.h"

/* Those that slaves are asked for in a look; that answer a question; and all,
 * with what the master knows itself. */
enum { LOOKS_ASKED = HCT_NEED_DETAIL | HCT_NEED_MODEL,
       LOOKS_ANSWERS = HCT_NEED_SCORES | HCT_NEED_PROGRESS,
       LOOKS_PARTS = LOOKS_ASKED | LOOKS_ANSWERS | HCT_NEED_EARLIER |
                     HCT_NEED_STACKS | HCT_NEED_EVENTS };

struct looks {
    struct hct_job job;
    struct hct_rank *known;     /* owned: what was heard last of each */
    bool *fresh;                /* owned: it was heard for this snapshot */
    bool *absent;               /* owned: its slave has not answered */
    struct hct_rank *ranks;     /* owned: of the snapshot */
    struct hct_request *requests;       /* owned, as the next sixteen */
    struct hct_comm *comms;
    struct hct_flight *flights;
    struct hct_account *accounts;
    struct hct_pair *pairs;
    struct hct_meeting *meetings;
    struct hct_model *models;
    struct hct_state *states;
    struct hct_edge *edges;
    struct hct_cluster *clusters;
    struct hct_score *scores;
    struct hct_place *places;
    struct hct_earlier *earlier_steps;
    struct hct_learnt *learnt;  /* sorted by whose they are */
    struct hct_inside *insides;
    struct hct_event *events;
    uint8_t *at;                /* of each rank */
    uint8_t *orders;            /* norders times as many */
    uint64_t question;          /* that these answer, */
    struct hct_stretch stretch; /* and of what time */
    uint32_t nrequests, ncomms, nflights, naccounts, npairs, nmeetings;
    uint32_t nmodels, nstates, nedges, nclusters, nscores;
    uint32_t nplaces, norders, nearlier_steps, nlearnt;
    uint32_t runs;              /* that these are of */
    uint32_t ninsides, stacks, waiting; /* by a look at stacks */
    uint32_t nevents;           /* since the look before */
    uint64_t events_lost;       /* so far */
    struct hct_deadline deadlines[HCT_DEADLINES_MAX];
    uint32_t ndeadlines;        /* of the job: they stay from look to look */
    bool unread;                /* as in hct_snapshot */
    size_t requests_cap, comms_cap, flights_cap, accounts_cap, pairs_cap;
    size_t meetings_cap, models_cap, states_cap, edges_cap;
    size_t clusters_cap, scores_cap, places_cap, earlier_steps_cap, learnt_cap;
    size_t insides_cap, events_cap;
    bool meetings_lost;         /* some found no room: then none are shown */
    uint32_t parts;             /* enum hct_need: of this look */
    uint32_t asked;             /* enum hct_asked: the same */
    struct hct_when person;     /* of what time who has asked wants to know */
    uint64_t seq, now_ns;       /* of the last snapshot */
    /* What earlier runs say of a place, if anybody knows. */
    uint64_t (*earlier)(void *arg, uint64_t key);
    void *earlier_arg;          /* borrowed */
};

int looks_init(struct looks *l, const struct hct_job *job);
void looks_fini(struct looks *l);

/* A new look begins, which is to have these parts. */
void looks_begin(struct looks *l, uint32_t parts);
/* The answer of the slave of a node, whose number counts from 1; is_there says
 * which ranks are that slave's. -1: it makes no sense. */
int looks_take(struct looks *l, const Hct__Looked *m, uint32_t node,
               bool (*is_there)(const void *arg, uint32_t rank),
               const void *arg, struct err *err);
/* The same of one of a series, as bytes (lookwire.h); of what makes no sense the
 * beginning may have been taken. */
int looks_take_packed(struct looks *l, const uint8_t *p, size_t n,
                      bool (*is_there)(const void *arg, uint32_t rank),
                      const void *arg, struct err *err);
/* What has come of a question is part of this look, too. */
void looks_take_scores(struct looks *l, const struct scores *s);
/* ... to the question of that number. */
void looks_take_whereabouts(struct looks *l, const struct whereabouts *w,
                            uint64_t number);
/* It has ended; how: as in hct_rank.place; "": well. */
void looks_set_ended(struct looks *l, uint32_t rank, const char *how);
/* Where it is, by a number from 1: no slave tells that. */
void looks_set_node(struct looks *l, uint32_t rank, uint32_t node);
void looks_set_absent(struct looks *l, uint32_t rank);

/* All have answered that will. The snapshot points into l. */
void looks_end(struct looks *l, uint64_t now_ns, struct hct_snapshot *out);
/* The same for arrays that were filled by other means. */
void looks_snapshot(const struct looks *l, struct hct_snapshot *out);

/* Room for so many more; NULL without memory. For the tape. */
struct hct_request *looks_add_request(struct looks *l);
struct hct_comm *looks_add_comm(struct looks *l);
struct hct_flight *looks_add_flight(struct looks *l);
struct hct_account *looks_add_account(struct looks *l);
struct hct_pair *looks_add_pair(struct looks *l);
struct hct_meeting *looks_add_meeting(struct looks *l);
struct hct_state *looks_add_state(struct looks *l);
struct hct_edge *looks_add_edge(struct looks *l);
struct hct_cluster *looks_add_cluster(struct looks *l);
struct hct_score *looks_add_score(struct looks *l);
struct hct_place *looks_add_place(struct looks *l);
struct hct_earlier *looks_add_earlier(struct looks *l);
struct hct_learnt *looks_add_learnt(struct looks *l);
struct hct_inside *looks_add_inside(struct looks *l);
struct hct_event *looks_add_event(struct looks *l);
/* Where each rank is, and what is said of so many places of the question: of zeros;
 * false without memory. */
bool looks_add_at(struct looks *l, uint32_t norders);
/* A model whose states and edges, as many as it says, were added last. False:
 * these make no sense, and it is as if none had been. */
bool looks_add_model(struct looks *l, const struct hct_model *m);
/* So many edges that were added last are what a model of l has done since ago_ns.
 * False: these make no sense, the same. */
bool looks_add_last(struct looks *l, struct hct_model *m, uint32_t n,
                    uint64_t ago_ns);
/* Nothing but who is there. */
void looks_forget_parts(struct looks *l);

#endif
